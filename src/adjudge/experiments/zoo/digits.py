"""A small pool of real models on real data: scikit-learn's scanned digits, which ship inside it."""

import io
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy as np

from adjudge.core.arrays import Array, FloatArray, IntArray
from adjudge.core.index import all_ids, as_index
from adjudge.core.predictions import Predictions
from adjudge.errors import InputError
from adjudge.experiments.tasks import find
from adjudge.io import atomic_write
from adjudge.io.files import make_folder
from adjudge.models.runners.sklearn import last_hidden

DIGITS = tuple("0123456789")
SIDE, BRIGHTEST = 8, 16  # of an image of scikit-learn's: pixels, and the value of white
NEEDED = "the models are trained with scikit-learn, which is not installed; run: pip install 'adjudge[demo]'"


def tasks_or_zoo(named: Sequence[str], out: Path) -> list[Path]:
    """The named tasks, or all there are; where there are none, the digits zoo, trained once and kept in `out`."""
    return find(named) or [kept_zoo(out)]


def kept_zoo(out: Path) -> Path:
    """The digits zoo as a task in this folder, trained if it is not there yet."""
    path = out / "digits.npz"
    if not path.exists():
        arrays = zoo_arrays(seed=0)
        write_archive(make_folder(out) / path.name, arrays)
    return path


def candidates(seed: int) -> dict[str, Any]:
    """Models of many kinds and qualities, each quick to train."""
    try:
        from sklearn import (
            discriminant_analysis,
            ensemble,
            linear_model,
            naive_bayes,
            neighbors,
            neural_network,
            svm,
            tree,
        )
    except ImportError as problem:
        raise InputError(NEEDED) from problem
    return {
        "nearest-1": neighbors.KNeighborsClassifier(1),
        "nearest-5": neighbors.KNeighborsClassifier(5),
        "nearest-25": neighbors.KNeighborsClassifier(25),
        "nearest-centroid": neighbors.NearestCentroid(),
        "logistic": linear_model.LogisticRegression(max_iter=60),
        "logistic-strict": linear_model.LogisticRegression(C=1e-4, max_iter=200),
        "ridge": linear_model.RidgeClassifier(),
        "perceptron": linear_model.Perceptron(random_state=seed),
        "hinge-sgd": linear_model.SGDClassifier(random_state=seed),
        "lda": discriminant_analysis.LinearDiscriminantAnalysis(),
        "qda": discriminant_analysis.QuadraticDiscriminantAnalysis(reg_param=0.05),
        "bayes-gauss": naive_bayes.GaussianNB(),
        "bayes-multinomial": naive_bayes.MultinomialNB(),
        "bayes-binary": naive_bayes.BernoulliNB(binarize=8),
        "tree-4": tree.DecisionTreeClassifier(max_depth=4, random_state=seed),
        "tree-8": tree.DecisionTreeClassifier(max_depth=8, random_state=seed),
        "tree-full": tree.DecisionTreeClassifier(random_state=seed),
        "forest-10": ensemble.RandomForestClassifier(10, random_state=seed),
        "forest-100": ensemble.RandomForestClassifier(100, random_state=seed),
        "extra-trees": ensemble.ExtraTreesClassifier(100, random_state=seed),
        "adaboost": ensemble.AdaBoostClassifier(n_estimators=40, random_state=seed),
        "svm-linear": svm.LinearSVC(random_state=seed, max_iter=2000),
        "svm-poly": svm.SVC(kernel="poly"),
        "svm-rbf": svm.SVC(),
        "net-16": neural_network.MLPClassifier((16,), max_iter=150, random_state=seed),
        "net-100": neural_network.MLPClassifier((100,), max_iter=150, random_state=seed),
    }


def fitted(seed: int) -> Iterator[tuple[str, Any, FloatArray, IntArray]]:
    """Each model's name, the trained model, the images of the test half, and the truth, as training goes on."""
    models = candidates(seed)
    from threadpoolctl import threadpool_limits

    learn, test, answers, truth = _halves(seed)
    for name, model in models.items():
        with catch_warnings(), threadpool_limits(1):  # so small a problem is slower with more threads
            simplefilter("ignore")  # a model that did not converge is one more kind of model
            yield name, model.fit(learn, answers), test, truth


def _halves(seed: int) -> tuple[FloatArray, FloatArray, IntArray, IntArray]:
    """Images to train and to test on, and the truth of both."""
    from sklearn.datasets import load_digits
    from sklearn.model_selection import train_test_split

    images, digits = load_digits(return_X_y=True)
    learn, test, answers, truth = train_test_split(images, digits, test_size=0.5, stratify=digits, random_state=seed)
    return learn, test, answers, truth


def train(seed: int) -> Iterator[tuple[str, IntArray, IntArray]]:
    """Each model's name, its predictions on the test half, and the truth, as training goes on."""
    for name, model, test, truth in fitted(seed):
        yield name, model.predict(test), truth


def as_pool(trained: list[tuple[str, IntArray, IntArray]]) -> tuple[Predictions, IntArray]:
    """The pool of trained models, and the truth that the demo sells label by label."""
    names, values, truths = zip(*trained, strict=True)
    samples = [f"digit-{number:03d}" for number in range(len(truths[0]))]
    pool = Predictions(np.stack(values).astype(np.int8), names, as_index(samples), DIGITS)
    return pool, truths[0]


def write_images(pool: Predictions, seed: int, path: Path) -> Path:
    """Write the images of the pool's samples, as `adjudge label --data` shows them, and return where."""
    images = (_halves(seed)[1] * (255 / BRIGHTEST)).astype(np.uint8).reshape(-1, SIDE, SIDE)
    write_archive(path, {"inputs": images, "sample_ids": np.array(all_ids(pool.samples).to_pylist())})
    return path


def zoo_arrays(seed: int) -> dict[str, Array]:
    """The pool as a task: predictions, probabilities (nan for models without), and features of the networks."""
    arrays: dict[str, Array] = {}
    names, values, probabilities = [], [], []
    for place, (name, model, test, truth) in enumerate(fitted(seed)):
        names.append(name)
        values.append(model.predict(test).astype(np.int8))
        unknown = np.full((len(test), len(DIGITS)), np.nan)
        probabilities.append(model.predict_proba(test) if hasattr(model, "predict_proba") else unknown)
        if hasattr(model, "coefs_"):
            arrays[f"features_{place}"] = last_hidden(model, test).astype(np.float32)
        arrays["labels"] = truth.astype(np.int8)
    return arrays | {
        "predictions": np.stack(values),
        "probabilities": np.stack(probabilities).astype(np.float32),
        "model_names": np.array(names),
        "class_names": np.array(DIGITS),
    }


def write_archive(path: Path, arrays: dict[str, Array]) -> None:
    """An npz without times inside: the same arrays give the same bytes, and so the same results."""
    with atomic_write(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(arrays):
            held = io.BytesIO()
            np.lib.format.write_array(held, arrays[name], allow_pickle=False)
            archive.writestr(zipfile.ZipInfo(f"{name}.npy"), held.getvalue(), zipfile.ZIP_DEFLATED)
