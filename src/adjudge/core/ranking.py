"""Estimate: one number for each model. Ranking: the order of the models, with all that is known about it."""

from dataclasses import dataclass, replace
from os import PathLike
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from adjudge.charts import Chart, Width, ranked_chart, values_chart
from adjudge.charts.cells import Column, Shown, plain_table, ranking_columns, ranking_texts
from adjudge.charts.notebook import ranking_html
from adjudge.core.arrays import TIE_DIGITS, BoolArray, FloatArray, IntArray, competition_rank, frame_of, locked
from adjudge.core.index import counted
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.core.recommendation import NOT_ENOUGH, Recommendation

ACCURACY = "accuracy"  # the quantity of zero-one losses, which is told in points
MOST_DRAWN, IN_NOTEBOOK = 40, 12  # models in a chart
WIDE = 0.1  # an accuracy whose interval has a larger half width is shown without a point estimate


@dataclass(frozen=True, eq=False)
class Estimate:
    """One number for each model, in the users' units; low and high are nan where there is no interval."""

    value: FloatArray
    low: FloatArray
    high: FloatArray
    quantity: str
    level: float = 0.95
    anytime: bool = False  # whether the interval is valid under any stopping rule
    lower_is_better: bool = False

    def __post_init__(self) -> None:
        for name in ("value", "low", "high"):
            object.__setattr__(self, name, locked(np.asarray(getattr(self, name), dtype=np.float64)))

    @classmethod
    def without_interval(cls, value: ArrayLike, quantity: str, *, lower_is_better: bool = False) -> "Estimate":
        number = np.asarray(value, dtype=np.float64)
        unknown = np.full(number.shape, np.nan)
        return cls(number, unknown, unknown, quantity, lower_is_better=lower_is_better)

    @property
    def goodness(self) -> FloatArray:
        """(models,): the value, with the sign changed where lower is better."""
        return -self.value if self.lower_is_better else self.value

    @property
    def digits(self) -> int:
        """Decimals of the values as shown: three for shares, and else as many as show three digits of the median."""
        size = float(np.median(np.abs(np.nan_to_num(self.value)))) if self.lower_is_better else 0.0
        return int(np.clip(2 - np.floor(np.log10(size)), 0, TIE_DIGITS)) if size else 3

    @property
    def has_interval(self) -> bool:
        return not bool(np.isnan(self.low).all())

    @property
    def reportable(self) -> BoolArray:
        """(models,): whether the labels support a single number: it is exact, or well inside a narrow interval.

        A value at an end of its interval, or with an interval wider than this, is not shown (`WIDE`).
        """
        inside = (self.low < self.value) & (self.value < self.high)
        wide = (self.high - self.low > 2 * WIDE) & (self.quantity == ACCURACY)
        return np.asarray(~np.isnan(self.value) & (np.isnan(self.low) | (self.low == self.high) | (inside & ~wide)))


@dataclass(frozen=True, eq=False)
class Likely:
    """What the posterior of the models' accuracies says about each model: calibrated, not guaranteed.

    The loss (regret) of a model is what deploying it costs: the accuracy of the best model minus its own.
    """

    chance_of_best: FloatArray  # (models,): the chance that no other model is better
    expected_loss: FloatArray  # (models,)
    loss_bound: FloatArray  # (models,): the loss is at most this, with the chance `level`
    behind: Estimate  # accuracy of the first model minus that of each

    @property
    def level(self) -> float:
        return self.behind.level


@dataclass(frozen=True, eq=False)
class Guaranteed:
    """What the draws prove about the best model at any time (anytime-valid), whatever the consensus says."""

    may_be_best: BoolArray  # (models,): the sequential confidence set for the best model
    lead: FloatArray  # (models,): by how much the first model is better than each, at least; below zero: perhaps worse
    loss: float  # how much worse than the best the first model is at most
    level: float
    refutes: bool = False  # whether the model that the consensus puts first is excluded
    ties: bool = False  # whether open samples that nobody can label count as ties


@dataclass(frozen=True, eq=False)
class Ranking:
    """A ranking of the models, with what is known about each.

    Examples
    --------
    >>> ranking = Ranking.by_value(("a", "b", "c"), Estimate.without_interval([0.7, 0.9, 0.7], "agreement"))
    >>> ranking
    Ranking by agreement, 0 labels
      rank  model  value
         1  b      0.900
         2  a      0.700
         2  c      0.700
    """

    models: tuple[str, ...]
    rank: IntArray  # 1 is best; ties share a rank
    estimate: Estimate
    tier: IntArray | None = None  # every model below a tier is clearly worse than its leader; 0 or None: not known
    labels: int = 0
    skipped: int = 0
    rank_low: IntArray | None = None  # the best rank that a model may have; simultaneous for all models
    rank_high: IntArray | None = None  # and the worst
    worse: BoolArray | None = None  # (models, models): whether the first is clearly worse; simultaneous for all pairs
    difference_to_leader: Estimate | None = None  # how much worse than the first each model is; for all at once
    likely: Likely | None = None
    guaranteed: Guaranteed | None = None
    recommendation: Recommendation | None = None

    def __post_init__(self) -> None:
        for name in ("rank", "tier", "rank_low", "rank_high", "worse"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, locked(getattr(self, name)))

    @classmethod
    def by_value(
        cls,
        models: tuple[str, ...],
        estimate: Estimate,
        tier: IntArray | None = None,
        labels: int = 0,
        skipped: int = 0,
    ) -> "Ranking":
        return cls(models, competition_rank(estimate.goodness), estimate, tier, labels, skipped)

    @classmethod
    def from_log(
        cls, models: tuple[str, ...], estimate: Estimate, log: Labels, tier: IntArray | None = None
    ) -> "Ranking":
        """Rank by value; the numbers of labels and skips are those of the log."""
        return cls.by_value(models, estimate, tier, log.labeled, log.skipped)

    def only(self, model: int) -> "Ranking":
        """What is known about one model alone, without the comparisons."""
        estimate = self.estimate
        value, low, high = (getattr(estimate, name)[[model]] for name in ("value", "low", "high"))
        alone = replace(estimate, value=value, low=low, high=high)
        return Ranking.by_value((self.models[model],), alone, labels=self.labels, skipped=self.skipped)

    @property
    def order(self) -> IntArray:
        """The models' positions, best first; tied models in the order of the pool."""
        return np.argsort(self.rank, kind="stable")

    @property
    def best(self) -> str:
        """The model that is ranked first."""
        return self.models[int(self.order[0])]

    @property
    def may_be_best(self) -> BoolArray | None:
        """(models,): whether a model may still be the best, as far as the draws tell; None: they tell nothing."""
        return None if self.guaranteed is None else self.guaranteed.may_be_best

    @property
    def chance_of_best(self) -> FloatArray | None:
        """(models,): the chance that no other model is better; None: there is no consensus to say so."""
        return None if self.likely is None else self.likely.chance_of_best

    @property
    def verdict(self) -> str:
        """How sure the first place is: "exact", "guaranteed", "likely" or "not enough labels"."""
        return NOT_ENOUGH if self.recommendation is None else self.recommendation.verdict

    def to_frame(self) -> Any:
        """`rows` as a frame of pandas or polars, whichever is there."""
        rows = self.rows()
        return frame_of({name: [row[name] for row in rows] for name in rows[0]})

    def rows(self) -> list[dict[str, object]]:
        """One row per model, best first; what is not known is None."""
        estimate = self.estimate
        return [
            {
                "name": self.models[model],
                "rank": int(self.rank[model]),
                "tier": None if self.tier is None else int(self.tier[model]) or None,
                "value": _known(estimate.value[model]),
                "low": _known(estimate.low[model]),
                "high": _known(estimate.high[model]),
                "supported": bool(estimate.reportable[model]),
                **self._comparisons(int(model)),
            }
            for model in self.order
        ]

    def chart(self, most: int = MOST_DRAWN, *, narrow: bool = False, width: Width = 560) -> Chart:
        """How far the first models are behind the leader, or the values they are ranked by."""
        rows, estimate = self.rows()[:most], self.estimate
        if self.difference_to_leader is None and (self.likely is None or not self.labels):
            return values_chart(rows, estimate.quantity, estimate.level, narrow=narrow, width=width)
        points = self.likely is not None or estimate.quantity == ACCURACY
        unit = "points" if points else estimate.quantity
        return ranked_chart(rows, estimate.level, unit, narrow=narrow, width=width)

    def plot(self, path: str | PathLike[str] | None = None, *, most: int = MOST_DRAWN) -> Any:
        """`chart` as a chart of altair, which notebooks show and which can be changed; a `path` saves it as well."""
        return self.chart(most).to_altair(path)

    def _comparisons(self, model: int) -> dict[str, object]:
        """What is known about a model in comparison with others."""
        known: dict[str, object] = {}
        if self.rank_low is not None and self.rank_high is not None:
            known |= {"rank_low": int(self.rank_low[model]), "rank_high": int(self.rank_high[model])}
        if self.guaranteed is not None:
            known["may_be_best"] = bool(self.guaranteed.may_be_best[model])
            known["behind_at_least"] = _known(self.guaranteed.lead[model])
        if self.likely is not None:
            behind = self.likely.behind
            known |= {
                "chance_of_best": _known(self.likely.chance_of_best[model]),
                "expected_loss": _known(self.likely.expected_loss[model]),
                "behind": _known(behind.value[model]),
                "behind_low": _known(behind.low[model]),
                "behind_high": _known(behind.high[model]),
            }
        if self.difference_to_leader is not None:
            ends = {"difference": "value", "difference_low": "low", "difference_high": "high"}
            known |= {name: _known(getattr(self.difference_to_leader, end)[model]) for name, end in ends.items()}
        return known

    def columns(self, holds: str = "interval") -> list[Column]:
        """Heading, name of the text (`texts`) and justification of each column of a table."""
        estimate = self.estimate
        shown = Shown(
            estimate.quantity,
            estimate.level,
            likely=self.likely is not None and self.labels > 0,
            proven=self.guaranteed is not None,
            tiers=self.tier is not None,
            ranks=self.rank_low is not None,
            intervals=estimate.has_interval,
            values=bool(estimate.reportable.any()),
        )
        return ranking_columns(shown, holds)

    def texts(self) -> list[dict[str, str]]:
        """The cells of a table as people read them, best first: terminal, page, report and notebook show the same."""
        return ranking_texts(self.rows(), self.estimate.digits)

    def __repr__(self) -> str:
        if self.likely is not None and self.labels:  # as in every other table
            columns, texts = self.columns(), self.texts()
            shown = [[text[name] for _, name, _ in columns] for text in texts]
            return "\n".join([self._title(), *plain_table([heading for heading, _, _ in columns], shown, 0)])
        intervals = self.estimate.has_interval
        tiers = any(name == "tier_text" for _, name, _ in self.columns())
        header = ["rank", *["tier"] * tiers, "model", "value", *["low", "high"] * intervals]
        rows = [row | ({} if row["supported"] else {"value": None}) for row in self.rows()]
        cells = [[row["name" if each == "model" else each] for each in header] for row in rows]
        return "\n".join([self._title(), *plain_table(header, cells, self.estimate.digits)])

    def __str__(self) -> str:
        return repr(self) if self.recommendation is None else f"{self.recommendation}\n\n{self!r}"

    def _repr_html_(self) -> str:
        words = () if self.recommendation is None else self.recommendation.words
        drawn = None if np.isnan(self.estimate.value).all() else self.chart(IN_NOTEBOOK)
        return ranking_html(self._title(), words, self.columns(), self.texts(), drawn)

    def _title(self) -> str:
        skipped = f", {self.skipped} skipped" if self.skipped else ""
        return f"Ranking by {self.estimate.quantity}, {counted(self.labels, 'label')}{skipped}"


def _known(number: float) -> float | None:
    return None if np.isnan(number) else float(number)


class Ranker(Protocol):
    """Orders the models, from the predictions and the labels so far."""

    def rank(self, predictions: Predictions, labels: Labels) -> Ranking: ...
