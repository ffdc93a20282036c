"""What commands print with `--json`, as types, where no dataclass says it."""

from typing import Annotated, NotRequired, TypeAlias, TypedDict

from adjudge.core.recommendation import Recommendation
from adjudge.decisions.clusters import ClusterSummary
from adjudge.decisions.outlook import Outlook
from adjudge.decisions.slices import SliceChange
from adjudge.inference.judge_trust import JudgeTrust
from adjudge.reports.json_schema import Printed

Advice: TypeAlias = Annotated[Recommendation, Printed({"verdict": str, "words": list[str]})]
Judge: TypeAlias = Annotated[JudgeTrust, Printed({"sentence": str})]
Cluster: TypeAlias = Annotated[ClusterSummary, Printed({"effective_labels": float, "sentence": str})]
Change: TypeAlias = Annotated[SliceChange, Printed({"verdict": str})]
Ahead: TypeAlias = Annotated[Outlook, Printed({"sentence": str})]
Spread = dict[str, float]  # mean and standard deviation
Table = list[list[str]]  # rows of text, the header first


class RankedModel(TypedDict):
    """A model of a ranking; what is not known is null, and what cannot be known is left out."""

    name: str
    rank: int
    tier: int | None
    value: float
    low: float
    high: float
    supported: bool
    rank_low: NotRequired[int]
    rank_high: NotRequired[int]
    may_be_best: NotRequired[bool]
    behind_at_least: NotRequired[float]
    chance_of_best: NotRequired[float]
    expected_loss: NotRequired[float]
    behind: NotRequired[float]
    behind_low: NotRequired[float]
    behind_high: NotRequired[float]
    difference: NotRequired[float]
    difference_low: NotRequired[float]
    difference_high: NotRequired[float]


class Ends(TypedDict):
    """The ends of an interval."""

    low: float
    high: float


class Interval(Ends):
    """A number with the ends of its interval."""

    value: float


class Trust(TypedDict):
    """What labels say about the majority vote."""

    verdict: str
    sentence: str
    labels_in_dispute: int
    accuracy: Interval
    in_dispute: Interval
    ahead: Interval


class Standing(TypedDict):
    """Whether the stopping rule is satisfied."""

    rule: str
    may_stop: bool
    sentence: str
    pending: list[str]
    in_dispute: int
    more_labels: int | None
    more_labels_low: int | None
    more_labels_high: int | None
    how_many: str | None
    out_of_reach: bool


class RankingOnly(TypedDict):
    """A ranking, the best model first, with what to deploy."""

    quantity: str
    lower_is_better: bool
    level: float
    labels: int
    skipped: int
    recommendation: Advice | None
    models: list[RankedModel]


class Ranked(RankingOnly):
    """A ranking, and what labels say about the vote, about judges, about clusters, and about stopping."""

    vote_trust: Trust | None
    judges: list[Judge]
    cluster: NotRequired[Cluster]
    until: NotRequired[Standing]


class RankedSlice(TypedDict):
    """A part of the pool, ranked by itself if it is large enough."""

    name: str
    samples: int
    labels: int
    too_small: bool
    ranking: RankingOnly | None


class RankedSlices(TypedDict):
    """The parts of the pool by a column, and how their rankings differ from that on clean data."""

    column: str
    minimum: int
    slices: list[RankedSlice]
    clean: str | None
    changes: list[Change]


class Able(TypedDict):
    """Whether a method works on a pool, and what it lacks."""

    works: bool
    lacks: list[str]


class ModelEstimate(TypedDict):
    """What one model is worth."""

    model: str
    quantity: str
    value: float
    low: float
    high: float
    level: float
    labels: int
    skipped: int
    method: str
    future: Ends | None


class PickedSample(TypedDict):
    """A sample to label."""

    sample_id: str
    order: int
    weight: float


class Picked(TypedDict):
    """The samples to label next, and what their labels will tell."""

    picks: list[PickedSample]
    outlook: Ahead | None


class AnalyzedSample(TypedDict):
    """What the votes say about a sample."""

    sample_id: str
    discrimination: float
    difficulty: float
    entropy: float
    agreement: float


class AnalyzedSamples(TypedDict):
    """What the votes say about samples."""

    samples: list[AnalyzedSample]


class SingleModelRuns(TypedDict):
    """What `estimate` would have said about one model, at each budget."""

    model: str
    truth: float
    value: dict[str, Spread]
    error: dict[str, Spread]
    efficiency: dict[str, float]


class Simulated(TypedDict):
    """A method against a known truth: by metric, at each budget."""

    method: str
    ranker: str
    budget: int
    seeds: list[int]
    quantity: str
    truth: dict[str, float]
    summary: dict[str, Spread | dict[str, Spread] | SingleModelRuns]
    curves: dict[str, dict[str, list[float]]]


class StoppingTotals(TypedDict):
    """Runs that ended by a stopping rule, in one line."""

    labels: Spread
    regret: Spread
    stopped: float
    broken: float
    missed: float


class StoppedRuns(TypedDict):
    """Runs that ended by a stopping rule."""

    method: str
    until: str
    budget: int
    seeds: list[int]
    labels: list[int]
    stopped: list[bool]
    regret: list[float]
    summary: StoppingTotals


class ModelRun(TypedDict):
    """A model that was run."""

    model: str
    gives: str
    features: int | None
    seconds: float
    reused: bool


class PredictedFiles(TypedDict):
    """Models that were run, the files of what they said, and why some failed."""

    files: list[str]
    models: list[ModelRun]
    failures: dict[str, str]


class ShiftTables(TypedDict):
    """The tables of a study of shift."""

    summary: list[str]
    tables: dict[str, Table]


class ZooModels(TypedDict):
    """The files of models."""

    models: list[str]


class CorruptedData(TypedDict):
    """The files of changed data."""

    written: list[str]


class Merged(TypedDict):
    """What `merge` wrote."""

    out: str
    models: list[str]
    samples: int
    parts: int | None
    truth: int | None


class DemoNumbers(TypedDict):
    """The demo in numbers."""

    models: int
    samples: int
    free_spearman: float
    labels: int
    chosen: str
    regret: float
    mean_regret: dict[str, float]
    mean_spearman: dict[str, float]
    folder: str
