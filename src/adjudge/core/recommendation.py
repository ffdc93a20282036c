"""Recommendation: what to deploy, what it may cost, how sure that is, and what to do next."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace

EXACT, GUARANTEED, LIKELY, NOT_ENOUGH = "exact", "guaranteed", "likely", "not enough labels"  # verdicts
UNPREDICTED = "predictions missing"  # the verdict where predictions have to come first
NEXT = "Next"  # the heading of the line about what to do next
FIRST_LABELS = 40  # to ask for where there are none: in half of the runs on real pools, enough to choose
MORE_LABELS = 20  # to ask for then, if nobody can tell how many it takes


@dataclass(frozen=True)
class NextStep:
    """About how many more labels it takes, and the command that gets them; None: not known."""

    labels_likely: int | None  # until the loss is likely within the margin
    labels_guaranteed: int | None  # until it is guaranteed to be
    waiting: int = 0  # samples of the log that have no label yet
    left: int = 0  # samples that are not in the log
    unused: int = 0  # labels that come after a sample without one
    command: str | None = None

    def budget(self, *, stop: bool, first: bool) -> int | None:
        """How many samples to ask for next; None: none, as others wait for a label, or enough is known."""
        wanted = FIRST_LABELS if first else min(self.labels_likely or MORE_LABELS, MORE_LABELS)
        wanted = self.labels_guaranteed or 0 if stop else wanted
        return None if self.waiting else min(wanted, self.left) or None


@dataclass(frozen=True)
class CheapestModel:
    """The cheapest, or the fastest, of the models that are not worse than the best by more than the margin.

    Attributes
    ----------
    by
        "cost" or "latency".
    price, leader_price
        The mean for a sample, of this model and of the recommended one; None: not known.
    likely_loss, guaranteed_loss
        As of the recommended model; None: nothing is known. The guarantee holds for all models at once.
    """

    by: str
    model: str
    price: float
    leader_price: float | None
    likely_loss: float | None
    guaranteed_loss: float | None


@dataclass(frozen=True)
class Recommendation:
    """What to deploy, what it may cost, how sure that is, and what to do next; None: not known.

    A loss (regret) is how much worse than the best model this one is, in units of the metric: 0.01 is one point of
    accuracy.

    Attributes
    ----------
    ties
        Models that are known to be exactly as good.
    likely_loss
        The `level` quantile of the loss under the posterior.
    guaranteed_loss
        Proven with confidence `level`, no matter how often one checks (anytime-valid).
    may_be_best
        Models of which the draws do not prove that another is better.
    margin
        The loss that does not matter.
    stop
        Whether labeling may stop: the loss is guaranteed within the margin, or likely (from ten labels on), or the best
        model is known; or what the stopping rule says, if one was given.
    exact
        Whether every sample that counts is labeled, and no missing prediction matters, so that this is the best model
        of this pool.
    lacking
        Missing predictions of models that lack some, best first: they may be right or wrong. The numbers are of
        samples.
    samples
        How many samples some model predicts.
    incomplete
        Whether the model lacks so many predictions that nothing is decided by what is merely likely, or no other model
        has any.
    incomplete_rivals
        Other models that lack so many, and may be better by more than the margin whatever the labels are.
    future
        If it is exact, how far the value of the model may be off on future data of the same kind.
    future_rivals
        If it is exact, the models that may be as good there.
    refuted
        Whether the draws contradict the consensus, so that only they count.
    prices
        By "cost" and "latency", the mean for a sample of each model for which it is known.
    cheapest
        What to deploy where price matters, by cost and by latency.
    words
        The same in words: heading and text of each line.
    """

    model: str
    ties: tuple[str, ...]
    chance_of_best: float | None
    expected_loss: float | None
    likely_loss: float | None
    guaranteed_loss: float | None
    may_be_best: tuple[str, ...]
    level: float
    margin: float
    stop: bool
    exact: bool
    future: float | None
    future_rivals: tuple[str, ...]
    refuted: bool
    next: NextStep
    lacking: Mapping[str, int] = field(default_factory=dict)
    samples: int = 0
    incomplete: bool = False
    incomplete_rivals: tuple[str, ...] = ()
    prices: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    cheapest: tuple[CheapestModel, ...] = ()
    words: tuple[tuple[str, str], ...] = ()

    @property
    def best_is_proven(self) -> bool:
        """Whether the draws rule out all other models, except those that are exactly as good."""
        return bool(self.may_be_best) and set(self.may_be_best) <= {self.model, *self.ties}

    @property
    def silent(self) -> tuple[str, ...]:
        """Models without any prediction, which are not judged."""
        return tuple(name for name, count in self.lacking.items() if count >= self.samples)

    @property
    def verdict(self) -> str:
        """How sure it is that the model is the best, or worse by less than the margin.

        "exact" (all that counts is known), "guaranteed" (by the draws), "likely" (by the consensus), "not enough
        labels", or "predictions missing", where all is labeled, or the model lacks too many of them.
        """
        if self.exact:
            return EXACT
        if self.best_is_proven or (self.guaranteed_loss is not None and self.guaranteed_loss <= self.margin):
            return GUARANTEED
        return LIKELY if self.stop else UNPREDICTED if self.needs_predictions else NOT_ENOUGH

    @property
    def unpredicted(self) -> bool:
        """Whether only missing predictions leave open which model is best, since every sample is labeled."""
        return not self.exact and bool(self.lacking) and not self.next.left and not self.next.waiting

    @property
    def needs_predictions(self) -> bool:
        """Whether missing predictions have to come before anything is decided, and before more labels."""
        return not self.stop and (self.unpredicted or self.incomplete)

    def with_next(self, text: str) -> "Recommendation":
        """With this as the line about what to do next."""
        return replace(self, words=(*(each for each in self.words if each[0] != NEXT), (NEXT, text)))

    def budget(self, labels: int) -> int | None:
        """How many more labels to ask for next, if any are wanted; `labels` are there already."""
        if self.exact or (labels and self.needs_predictions):
            return None
        return self.next.budget(stop=self.stop, first=not labels)

    def with_command(self, command: str) -> "Recommendation":
        """With the command that asks for these labels."""
        return replace(self, next=replace(self.next, command=command))

    def to_dict(self) -> dict[str, object]:
        """All of it as plain types, for JSON; the words as one text for each line."""
        lines = [f"{heading}: {text}" if heading else text for heading, text in self.words]
        return asdict(self) | {"verdict": self.verdict, "words": lines}

    def __repr__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        width = max((len(heading) for heading, _ in self.words), default=0) + 3
        return "\n".join(f"  {f'{head}:':<{width}}{text}" if head else text for head, text in self.words)
