"""The published JSON Schema of what each command prints with `--json`.

A change that breaks readers (a field is gone, or means something else) gets a new version; a new field does not.
"""

from collections.abc import Mapping
from typing import Annotated, Any, TypedDict

from adjudge.decisions.comparison import Comparison
from adjudge.decisions.needed import Plan
from adjudge.decisions.prefer import PreferenceRanking
from adjudge.decisions.repeats import Repeats
from adjudge.decisions.screening import Screening
from adjudge.errors import InputError
from adjudge.io.runs.join import ImportSummary
from adjudge.registry import Description
from adjudge.reports import shapes
from adjudge.reports.doctor import Diagnosis
from adjudge.reports.json_schema import DIALECT, Definitions, Printed, Schema
from adjudge.reports.plain import SCREENING_NAMES, VERSION, schema_name
from adjudge.reports.report.gather import ContestedSample


class GivenAnswer(TypedDict):
    """An answer, and how many models gave it."""

    answer: str | None
    models: int


class PairState(TypedDict):
    """Two models, and what is known about which is better."""

    model: str
    other: str
    state: str


class Chances(TypedDict):
    """The chance of each model to be the best, as labels came in."""

    labels: list[int]
    models: dict[str, list[float]]


class SharedErrors(TypedDict):
    """Which models fail together."""

    measure: str
    labels: int
    models: list[str]
    share: list[list[float]]


class ReportedSlice(TypedDict):
    """A part of the pool in a report."""

    name: str
    samples: int
    labels: int
    ranking: shapes.RankingOnly | None
    change: shapes.Change | None


class ReportedSlices(TypedDict):
    """The parts of the pool by a column."""

    column: str
    slices: list[ReportedSlice]


class HowDrawn(TypedDict):
    """How many labels there are of each kind, and how they were drawn."""

    labels: int
    drawn: int
    drawn_where_all_agree: int
    chosen: int
    waiting: int
    skipped: int
    pending: int
    method: str
    options: dict[str, str]
    seed: int | None
    version: str


class ReportContent(TypedDict):
    """What a report shows besides the ranking."""

    title: str
    samples: int
    chance_of_best: Chances | None
    pairs: list[PairState]
    fail_together: SharedErrors | None
    contested: list[Annotated[ContestedSample, Printed({"answers": list[GivenAnswer]})]]
    slices: ReportedSlices | None
    drawn: HowDrawn
    annotators: list[str]
    warnings: list[str]
    version: str


class Reported(shapes.Ranked):
    """A report: the ranking as `rank` prints it, and what else the page shows."""

    report: ReportContent


class Methods(TypedDict):
    """The methods."""

    methods: list[Description]


CHECKED = Printed({"methods": Mapping[str, shapes.Able]}, renamed=SCREENING_NAMES)
PRINTED: Mapping[str, tuple[Any, ...]] = {  # by command, all that it may print
    "bench": (dict[str, shapes.Table],),
    "check": (Annotated[Screening, CHECKED],),
    "compare": (Annotated[Comparison, Printed({"verdict": str})],),
    "merge": (shapes.Merged,),
    "corrupt": (shapes.CorruptedData,),
    "demo": (shapes.DemoNumbers,),
    "doctor": (Diagnosis,),
    "estimate": (shapes.ModelEstimate,),
    "import": (ImportSummary,),
    "methods": (Methods,),
    "plan": (Plan,),
    "predict": (shapes.PredictedFiles,),
    "prefer": (PreferenceRanking,),
    "rank": (shapes.Ranked, shapes.RankedSlices),
    "repeats": (Repeats,),
    "report": (Reported,),
    "samples": (shapes.AnalyzedSamples,),
    "select": (shapes.Picked,),
    "shift": (shapes.ShiftTables,),
    "simulate": (shapes.Simulated, shapes.StoppedRuns),
    "zoo": (shapes.ZooModels,),
}


def json_schema(command: str | None = None) -> Schema:
    """The JSON Schema of what a command prints with `--json`; without a command, of what any of them prints.

    Examples
    --------
    >>> json_schema("rank")["$id"]
    'urn:adjudge:rank:1'
    """
    if command is None:
        every = [json_schema(each) for each in PRINTED]
        return {"$schema": DIALECT, "$id": f"urn:adjudge:{VERSION}", "title": "adjudge --json", "anyOf": every}
    if command not in PRINTED:
        raise InputError(f"the command {command!r} prints no JSON; those that do are {', '.join(PRINTED)}")
    definitions = Definitions()
    forms = [_with_name(definitions.schema(each), definitions, command) for each in PRINTED[command]]
    about = {"$schema": DIALECT, "$id": schema_name(command), "title": f"adjudge {command} --json"}
    return about | (forms[0] if len(forms) == 1 else {"anyOf": forms}) | {"$defs": definitions.found}


def _with_name(schema: Schema, definitions: Definitions, command: str) -> Schema:
    """The form with the field `schema`, which names it."""
    name = {"const": schema_name(command)}
    if "$ref" in schema:
        form = definitions.found.pop(schema["$ref"].rpartition("/")[2])
        return form | {"properties": {"schema": name, **form["properties"]}, "required": ["schema", *form["required"]]}
    return schema | {"properties": {"schema": name}, "required": ["schema"]}
