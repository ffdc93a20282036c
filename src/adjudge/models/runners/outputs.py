"""What outputs mean: classes with or without probabilities, or numbers."""

from dataclasses import dataclass

import numpy as np

from adjudge.core.arrays import Array
from adjudge.errors import InputError
from adjudge.models.runners.protocol import Raw
from adjudge.models.runners.settings import ModelSettings, Output

SUM_ERROR = 0.01  # how far from 1 the sum of probabilities may be, for those in half precision


@dataclass(frozen=True, eq=False)
class ModelOutputs:
    """What a model said about a batch."""

    values: Array  # (samples,): positions of classes, names of classes, or numbers
    probabilities: Array | None = None  # (samples, classes)
    features: Array | None = None  # (samples, units)


def meaning_of(raw: Raw, settings: ModelSettings) -> Output:
    """What the outputs are, judged by their shape and type and by whether they sum to 1."""
    if settings.output is not None:
        return settings.output
    if raw.outputs is None:
        return "labels"
    outputs = np.asarray(raw.outputs)
    if outputs.dtype.kind in "OUSiub":
        return "labels"
    if outputs.ndim == 1 or (outputs.ndim == 2 and outputs.shape[1] == 1):
        return "numbers"
    return "probabilities" if _sums_to_one(outputs) else "logits"


def answers(raw: Raw, meaning: Output) -> ModelOutputs:
    """The outputs of a batch read as what they mean."""
    features = None if raw.features is None else _flat(np.asarray(raw.features))
    if raw.outputs is None:
        return ModelOutputs(np.asarray(raw.labels), None, features)
    outputs = np.asarray(raw.outputs)
    if meaning in ("labels", "numbers", "binary"):
        return _single(_one_column(outputs, meaning), meaning, features)
    if outputs.ndim != 2:
        raise InputError(
            f"the model gives outputs of the shape {outputs.shape[1:]} for a sample; one number for each class is "
            "needed"
        )
    if meaning == "logits":
        outputs = softmax(outputs)
    elif not _sums_to_one(outputs):
        raise InputError('the outputs do not sum to 1 for every sample; say output = "logits" in the model\'s TOML')
    return ModelOutputs(_winners(outputs) if raw.labels is None else np.asarray(raw.labels), outputs, features)


def _flat(features: Array) -> Array:
    """(samples, units), however many axes a layer has."""
    if features.dtype.kind not in "biuf":
        raise InputError("the layer does not give numbers; name another layer")
    return features.reshape(len(features), -1).astype(np.float32, copy=False)


def softmax(logits: Array) -> Array:
    """Probabilities of logits.

    >>> softmax(np.array([[0.0, 0.0]])).tolist()
    [[0.5, 0.5]]
    """
    exact = logits.astype(np.promote_types(logits.dtype, np.float32), copy=False)
    powers = np.exp(exact - exact.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def _single(outputs: Array, meaning: Output, features: Array | None) -> ModelOutputs:
    if meaning == "numbers":
        numbers = outputs.astype(np.float64)
        return ModelOutputs(np.where(np.isinf(numbers), np.nan, numbers), None, features)
    if meaning == "labels":
        return ModelOutputs(outputs, None, features)
    if outputs.min() < 0 or outputs.max() > 1:
        raise InputError("the outputs are not all between 0 and 1, as the probability of the second class has to be")
    both = np.stack([1 - outputs, outputs], axis=1)
    return ModelOutputs(_winners(both), both, features)


def _winners(probabilities: Array) -> Array:
    """The position of the largest probability; -1 where one is not a number."""
    return np.where(np.isnan(probabilities).any(axis=1), -1, probabilities.argmax(axis=1))


def _one_column(outputs: Array, meaning: str) -> Array:
    if outputs.ndim == 2 and outputs.shape[1] == 1:
        return outputs[:, 0]
    if outputs.ndim != 1:
        raise InputError(f"the model gives outputs of the shape {outputs.shape[1:]}; {meaning} are one for each sample")
    return outputs


def _sums_to_one(outputs: Array) -> bool:
    total = outputs.sum(axis=1, dtype=np.float64)
    return bool(((np.abs(total - 1) < SUM_ERROR) | np.isnan(total)).all() and not (outputs < 0).any())
