"""The metrics by name: a new one is one entry here, and one row of the table of coverage."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from adjudge.core.cache import cache
from adjudge.core.index import listed
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.errors import InputError
from adjudge.inference.metrics import functionals, per_class
from adjudge.inference.metrics.functionals import by_class
from adjudge.inference.metrics.per_class import PerClass
from adjudge.losses.loss import Loss, ZeroOne
from adjudge.losses.numbers import number_loss
from adjudge.losses.probabilities import probability_loss, probability_pool

CLASSES, PROBABILITIES, NUMBERS = "classes", "probabilities", "numbers"
SHARE, CORRELATION, POSITIVE, BELOW_ONE = "share", "correlation", "positive", "below one"
Span = tuple[float, float] | None
NUMBERED = re.compile(r"(.*?)(\d+(?:\.\d+)?)")


@dataclass(frozen=True)
class Metric:
    """A metric, and how it is computed: by one of `mean`, `classes` and `rows`.

    Attributes
    ----------
    needs
        What predictions it is for: "classes", "probabilities" or "numbers".
    mean
        For a mean over samples: the name of its loss.
    classes
        For a mean over classes, from its number (the beta of F-beta).
    rows
        For any function of weighted rows, from its number.
    scale
        On which scale the interval of a function of rows is symmetric; None: it has no interval.
    aimed
        Whether draws for the metric were found to gain on uniform ones; if not, `select` draws with equal chances.
    """

    name: str
    summary: str
    needs: str
    mean: str | None = None
    classes: Callable[[float], PerClass] | None = None
    rows: Callable[[float], functionals.Metric] | None = None
    one_class: bool = False
    lower_is_better: bool = False
    scale: str | None = SHARE
    aimed: bool = True

    @property
    def quantity(self) -> str:
        return {"rmse": "RMSE", "r2": "R2", "mcc": "Matthews correlation", "ece": "ECE", "roc-auc": "ROC AUC"}.get(
            self.name, self.name
        )


@dataclass(frozen=True)
class NamedMetric:
    """A metric as it was asked for: with its number, if it has one, such as 2 in f2."""

    metric: Metric
    name: str
    number: float


_TABLE = (
    Metric("accuracy", "share of right predictions", CLASSES, mean="zero-one"),
    Metric("micro-fB", "the same, as all micro averages: a sample has one class", CLASSES, "zero-one"),
    Metric("micro-precision", "the same", CLASSES, "zero-one"),
    Metric("micro-recall", "the same", CLASSES, "zero-one"),
    Metric("weighted-recall", "the same", CLASSES, "zero-one"),
    Metric(
        "precision",
        "of samples predicted to be of a class, the share that is",
        CLASSES,
        classes=lambda _: per_class.PRECISION,
        one_class=True,
    ),
    Metric(
        "recall",
        "of samples of a class, the share that is found",
        CLASSES,
        classes=lambda _: per_class.RECALL,
        one_class=True,
    ),
    Metric(
        "specificity",
        "of samples of other classes, the share that is not taken for the class",
        CLASSES,
        classes=lambda _: per_class.SPECIFICITY,
        one_class=True,
    ),
    Metric("fB", "F-beta of a class: f1, f2, f0.5", CLASSES, classes=per_class.f_beta, one_class=True),
    Metric("balanced-accuracy", "mean recall over classes", CLASSES, classes=lambda _: per_class.RECALL),
    Metric("macro-recall", "the same", CLASSES, classes=lambda _: per_class.RECALL),
    Metric("macro-precision", "mean precision over classes", CLASSES, classes=lambda _: per_class.PRECISION),
    Metric("macro-fB", "mean F-beta over classes", CLASSES, classes=per_class.f_beta),
    Metric(
        "weighted-precision",
        "precision by class, weighted by how common a class is",
        CLASSES,
        rows=lambda _: by_class(functionals.weighted_precision),
    ),
    Metric(
        "weighted-fB",
        "F-beta by class, weighted by how common a class is",
        CLASSES,
        rows=lambda beta: by_class(functionals.weighted_f(beta)),
    ),
    Metric(
        "mcc",
        "Matthews correlation of prediction and truth",
        CLASSES,
        rows=lambda _: functionals.matthews,
        scale=CORRELATION,
    ),
    Metric("top-K", "share of samples whose true class is among the K most probable ones", PROBABILITIES, mean="top"),
    Metric(
        "log-loss",
        "mean of minus the logarithm of the true class's probability",
        PROBABILITIES,
        "log-loss",
        lower_is_better=True,
        aimed=False,
    ),
    Metric(
        "brier",
        "mean squared distance of the probabilities to the true class",
        PROBABILITIES,
        "brier",
        lower_is_better=True,
        aimed=False,
    ),
    Metric(
        "roc-auc",
        "chance that a sample of the class has a higher probability of it than another",
        PROBABILITIES,
        rows=lambda _: functionals.roc_auc,
        one_class=True,
    ),
    Metric(
        "average-precision",
        "area under the curve of precision and recall of a class",
        PROBABILITIES,
        rows=lambda _: functionals.average_precision,
        one_class=True,
    ),
    Metric(
        "ece",
        "expected calibration error of the most probable class, in 15 bins",
        PROBABILITIES,
        rows=lambda _: functionals.calibration_error,
        lower_is_better=True,
        scale=None,
    ),
    Metric("mse", "mean squared error", NUMBERS, "mse", lower_is_better=True),
    Metric(
        "rmse",
        "root of the mean squared error",
        NUMBERS,
        rows=lambda _: functionals.root_mean_square,
        lower_is_better=True,
        scale=POSITIVE,
    ),
    Metric("mae", "mean absolute error", NUMBERS, "mae", lower_is_better=True),
    Metric("mape", "mean absolute error as a share of the true number", NUMBERS, "mape", lower_is_better=True),
    Metric(
        "r2",
        "share of the variance that is explained",
        NUMBERS,
        rows=lambda _: functionals.explained_share,
        scale=BELOW_ONE,
    ),
    Metric(
        "quantile-Q",
        "pinball loss of predictions of the quantile Q: quantile-0.9",
        NUMBERS,
        "quantile",
        lower_is_better=True,
    ),
)
METRICS = {each.name: each for each in _TABLE}


def named_metric(name: str) -> NamedMetric:
    """The metric of this name; the letter that ends the name of an entry stands for a number.

    >>> named_metric("macro-f2").metric.name, named_metric("macro-f2").number
    ('macro-fB', 2.0)
    """
    if name in METRICS and not name[-1].isupper():
        return NamedMetric(METRICS[name], name, 1.0)
    if found := NUMBERED.fullmatch(name):
        for letter in "BKQ":
            metric = METRICS.get(found[1] + letter)
            if metric is not None and _number_fits(letter, float(found[2])):
                return NamedMetric(metric, name, float(found[2]))
    raise InputError(f"there is no metric {name!r}; use one of {', '.join(METRICS)}, with a number for the last letter")


def _number_fits(letter: str, number: float) -> bool:
    return {"B": number > 0, "K": number >= 1 and number == int(number), "Q": 0 < number < 1}[letter]


def check_metric(wanted: NamedMetric, predictions: Predictions, positive: str | None) -> None:
    """Refuse a metric that these predictions cannot have, and a class where none is needed or one is missing."""
    metric, name = wanted.metric, wanted.name
    if predictions.grades is not None:
        raise InputError(f"{name} compares answers with a label, but these have grades; leave it out")
    if (metric.needs == NUMBERS) != (predictions.classes is None):
        kinds = ("numbers", "classes") if metric.needs == NUMBERS else ("classes", "numbers")
        raise InputError(f"{name} is for {kinds[0]}, but these predictions are {kinds[1]}; use another metric")
    if metric.needs == PROBABILITIES:
        predictions.needed_probabilities(name)
    if not metric.one_class:
        if positive is not None:
            raise InputError(f"{name} is about all classes; leave out the class, or ask for f1")
        return
    assert predictions.classes is not None
    if positive not in predictions.classes:
        found = f"{name} is about one class" if positive is None else f"there is no class {positive!r}"
        raise InputError(f"{found}; name one of {listed(predictions.classes)} (--class), or ask for macro-f1")


def as_mean(
    name: str, predictions: Predictions, labels: Labels, positive: str | None = None, span: Span = None
) -> tuple[Predictions, Loss] | None:
    """The pool and the loss of a metric that is a mean over samples; None: it is another kind of metric."""
    wanted = named_metric(name)
    check_metric(wanted, predictions, positive)
    made: Any
    match wanted.metric.mean:
        case None:
            return None
        case "zero-one":
            return predictions, ZeroOne(quantity=name)
        case "mse" | "mae" | "mape" | "quantile" as loss:
            return predictions, number_loss(loss, span, predictions, labels, wanted.number)
        case loss:
            key = ("metric of probabilities", name)
            made = cache.get(
                predictions,
                key,
                lambda: (probability_pool(predictions, name), probability_loss(loss, predictions, int(wanted.number))),
            )
            return made  # type: ignore[no-any-return]
