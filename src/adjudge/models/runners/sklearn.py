"""scikit-learn models: skops files, and pickles of those who are trusted."""

import pickle
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import joblib
import numpy as np

from adjudge.core.arrays import Array
from adjudge.errors import InputError
from adjudge.io.files import parsing
from adjudge.models.extras import extra, version_of
from adjudge.models.runners.protocol import NO_HIDDEN, NoFeatures, Raw, Request, Takes, need_trust
from adjudge.models.runners.tree_bounds import check_trees

EXTRA = ("sklearn", "running a scikit-learn model")
OWN = (  # types of scikit-learn that skops asks about; they run no code of the file, and trees are checked
    "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",
    "sklearn.neural_network._stochastic_optimizers.AdamOptimizer",
    "sklearn.neural_network._stochastic_optimizers.SGDOptimizer",
    "sklearn.tree._tree.Tree",
)
ACTIVATIONS: dict[str, Callable[[Array], Array]] = {
    "identity": lambda values: values,
    "relu": lambda values: np.maximum(values, 0),
    "tanh": np.tanh,
    "logistic": lambda values: 1 / (1 + np.exp(-values)),
}


def versions() -> Mapping[str, str]:
    return {"scikit-learn": version_of("sklearn", *EXTRA, package="scikit-learn")}


def open_model(request: Request) -> "Estimator":
    assert request.path is not None
    extra("sklearn", *EXTRA)
    path = request.path
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a model of another version is run as well as it can be
        if path.suffix.lower() == ".skops":
            return Estimator(_from_skops(request), request)
        need_trust(request, "a pickle", "with skops")
        with parsing(path, "it may be damaged, or made by other versions"):
            if path.suffix.lower() == ".joblib":
                return Estimator(joblib.load(path), request)
            with path.open("rb") as opened:
                return Estimator(pickle.load(opened), request)


class Estimator:
    """An estimator or a pipeline; labels are what `predict` says."""

    def __init__(self, model: Any, request: Request) -> None:
        if not hasattr(model, "predict"):
            raise InputError(f"it is a {type(model).__name__}, which has no `predict`; save an estimator")
        count = getattr(model, "n_features_in_", None)
        self.takes = Takes(None if count is None else (int(count),), dtype=None)
        classes = getattr(model, "classes_", None)
        self.classes = None if classes is None or np.ndim(classes) != 1 else tuple(map(str, np.asarray(classes)))
        self._model, self._features = model, request.features
        self._probabilities = request.probabilities and hasattr(model, "predict_proba")
        if request.features and not hasattr(_last(model), "coefs_"):
            raise NoFeatures(NO_HIDDEN)
        if request.features and request.settings.layer is not None:
            raise NoFeatures("of a scikit-learn model only the last hidden layer can be kept")

    def run(self, inputs: Array) -> Raw:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about names of columns
            flat = inputs if len(inputs.shape) <= 2 else inputs.reshape(len(inputs), -1)
            labels = np.asarray(self._model.predict(flat))
            features = last_hidden(_last(self._model), _prepared(self._model, flat)) if self._features else None
            if self.classes is None:
                return Raw(labels, features)
            codes = np.searchsorted(self._model.classes_, labels)
            return Raw(self._model.predict_proba(flat) if self._probabilities else None, features, codes)


def last_hidden(network: Any, inputs: Array) -> Array:
    """(samples, units): the activations before the output layer of a multi-layer perceptron."""
    activate = ACTIVATIONS[network.activation]
    for weights, offset in zip(network.coefs_[:-1], network.intercepts_[:-1], strict=True):
        inputs = activate(inputs @ weights + offset)
    return inputs


def _from_skops(request: Request) -> Any:
    store = extra("skops.io", *EXTRA)
    assert request.path is not None
    with parsing(request.path):
        asked = store.get_untrusted_types(file=request.path)
        unknown = [each for each in asked if each not in OWN]
        if unknown and not request.trust:
            raise InputError(
                f"{request.path.name} holds types that skops does not know to be safe ({', '.join(unknown[:5])}); if "
                "you trust who made it, say --trust (trust=True in Python)"
            )
        model = store.load(request.path, trusted=asked)
    if not request.trust:
        check_trees(model)
    return model


def _last(model: Any) -> Any:
    return model.steps[-1][1] if hasattr(model, "steps") else model


def _prepared(model: Any, inputs: Array) -> Array:
    """What the last step of a pipeline is given."""
    given = model[:-1].transform(inputs) if hasattr(model, "steps") and len(model.steps) > 1 else inputs
    return given.toarray() if hasattr(given, "toarray") else given
