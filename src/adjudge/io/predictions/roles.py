"""What each column of a table holds: as told, or by the names that people give to columns."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from itertools import chain
from pathlib import Path

from adjudge.core.index import counted, shortened
from adjudge.errors import PredictionsError
from adjudge.io.column_names import (
    EITHER,
    IDS,
    LAYOUT,
    MODELS,
    PREDICTIONS,
    PROBABILITY,
    TRUTHS,
    UNNAMED,
    simplified,
    usual,
)
from adjudge.io.files import TABLE_SUFFIXES
from adjudge.io.notes import values_of
from adjudge.io.predictions.align import Options
from adjudge.io.predictions.probability_columns import (
    PREDICTION,
    find_probability_columns,
    is_blank,
    naming_classes,
    saying_the_most_probable,
    with_most_probable,
)
from adjudge.io.predictions.sources import ID_NAMES, THE_FRAME, TableSource

MODEL = "model"
LONG = (MODEL, PREDICTION)
STANDARD = {*ID_NAMES, *LONG}  # names of which nothing is said, if no file has others
SCORE = "score"
BESIDE = (SCORE, "cost", "latency")  # columns of a long table, or of one model, that are read if they are there
# How many rows of probabilities sum to one: the others are refused, but where columns may as well be models, of which
# two often contradict each other, they are no probabilities.
HALF, NEARLY_ALL = 0.5, 0.95
ONE_MODEL = "predictions of a single model"  # which is all that a table of nothing but probabilities holds
MEANINGS = ("ids", "models", "predictions", ONE_MODEL, "probabilities")
TOLD = {"prediction_column": "--prediction-column", "model_column": "--model-column", "id": "--id"}


class Kind(Enum):
    """What a row of a table is."""

    WIDE = "a sample, with a column for each model"
    LONG = "a prediction, with the name of its model"
    ONE = "a prediction of the only model"


def _itself(source: TableSource) -> TableSource:
    return source


@dataclass(frozen=True)
class Roles:
    """A table as it is read, and what was guessed."""

    table: TableSource  # only what is used, under standard names
    kind: Kind
    id: str
    truth: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    taken: tuple[tuple[str, str], ...] = ()  # what a column was taken for by its name
    lacking: str | None = None  # the column of true labels that is told, if it is not there
    select: Callable[[TableSource], TableSource] = _itself  # makes `table` of the whole one, or of some of its rows

    def of_rows(self, source: TableSource) -> "Roles":
        """The same for some rows of the table: what columns hold is not guessed from them again."""
        return replace(self, table=self.select(source))

    def of_one_model(self) -> "Roles":
        """The same, without the names of models: the file is about one."""
        named = tuple(name for meaning, name in self.taken if meaning == MEANINGS[1])
        taken = tuple(each for each in self.taken if each[0] not in (MEANINGS[1], ONE_MODEL))
        return replace(self, kind=Kind.ONE, ignored=(*self.ignored, *named), taken=taken)


def roles_of(source: TableSource, options: Options, *, alone: bool = True) -> Roles:
    """What the columns hold; a file that is not `alone` is about one model, unless it names several."""
    if values_of(source.notes, LAYOUT):
        return _as_written(source, options, alone)
    ids = source.id_column(options.id, or_usual=not alone)
    free = [name for name in source.columns if name != ids and name not in options.columns]
    prediction = _told(source, free, "prediction_column", options.prediction_column, PREDICTIONS, alone)
    model = _told(source, free, "model_column", options.model_column, MODELS, alone)
    truth = _truth(free, options.label_column, {prediction, model})
    free = [name for name in free if name not in (prediction, model, *truth)]
    may_be_wide = alone and prediction is None and options.model_column is None
    probability_columns = find_probability_columns(source, free, NEARLY_ALL if may_be_wide else HALF)
    rest = [name for name in free if name not in probability_columns.values() and name not in usual(free, IDS)]
    either = [name for name in truth if name != options.label_column and simplified(name) in EITHER]
    if prediction is None and (said := saying_the_most_probable(source, either, probability_columns)):
        prediction, truth = said, tuple(name for name in truth if name != said)
    is_long = model is not None and (prediction is not None or bool(probability_columns) or SCORE in free)
    if not is_long and prediction is None:
        named = naming_classes(source, rest, probability_columns)
        if alone and options.model_column is None and (not probability_columns or len(named) > 1):
            models = {name: name for name in source.columns if name in rest or name == model}
            return _roles(source, options, Kind.WIDE, ids, models, truth, {})
        prediction = next(iter(named), None) if probability_columns else _only(source, rest, truth)
    if options.model_column is not None and model is not None:
        is_long = True
    used = {} if prediction is None else {PREDICTION: prediction}
    used |= {MODEL: model} if is_long and model is not None else {}
    used |= {name: name for name in BESIDE if name in free and name not in used.values()}
    if not alone:  # a column that nobody has filled in says nothing
        truth = tuple(name for name in truth if name == options.label_column or not is_blank(source, name))
    return _roles(source, options, Kind.LONG if is_long else Kind.ONE, ids, used, truth, probability_columns)


def _roles(
    source: TableSource,
    options: Options,
    kind: Kind,
    ids: str,
    used: Mapping[str, str],
    truth: tuple[str, ...],
    probability_columns: Mapping[str, str],
) -> Roles:
    facts = {name: name for name in options.columns if name in source.columns}
    names = {ids: ids, **used, **probability_columns, **facts}
    most_probable = kind is not Kind.WIDE and bool(probability_columns) and not {PREDICTION, SCORE} & set(used)

    def select(rows: TableSource) -> TableSource:
        table = rows.selected(names)
        return with_most_probable(table, list(probability_columns)) if most_probable else table

    standard = {MODEL: "models", PREDICTION: "predictions"}
    guessed = [(what, used[name]) for name, what in standard.items() if kind is not Kind.WIDE and name in used]
    told = (options.id, options.prediction_column, options.model_column)
    taken = [("ids", ids), *guessed]
    prefixes = sorted({old.removesuffix(new.removeprefix(PROBABILITY)) for new, old in probability_columns.items()})
    taken += [(ONE_MODEL, f"{prefix}*") for prefix in prefixes if most_probable and kind is Kind.ONE]
    taken += [("probabilities", f"{prefix}*") for prefix in prefixes if prefix != PROBABILITY]
    held = {*names.values(), *truth, UNNAMED}
    return Roles(
        select(source),
        kind,
        ids,
        truth,
        tuple(name for name in source.columns if name not in held),
        tuple(each for each in taken if each[1] not in told),
        None if options.label_column in source.columns else options.label_column,
        select,
    )


def _as_written(source: TableSource, options: Options, alone: bool) -> Roles:
    """The roles in a file that `write_predictions` wrote: no name is a guess."""
    columns, ids = source.columns, source.id_column(options.id, or_usual=not alone)
    if MODEL in columns and (PREDICTION in columns or SCORE in columns):
        return Roles(source, Kind.LONG, ids)
    if alone:
        return Roles(source, Kind.WIDE, ids)
    apart = {ids, *options.columns, *values_of(source.notes, "column")}
    models = [name for name in columns if name not in apart]
    told = [name for name in models if name == options.prediction_column] or models
    used = {PREDICTION: told[0] if len(told) == 1 else _only(source, models, ())}
    return _roles(source, options, Kind.ONE, ids, used, (), {})


def _told(
    source: TableSource, free: Sequence[str], what: str, told: str | None, names: Sequence[str], alone: bool
) -> str | None:
    if told in free:
        return told
    if told is not None and alone:
        raise PredictionsError(
            f"the column {told!r} is missing in {source.name}, which has {source.listed()}; name another with "
            f"{TOLD[what]}"
        )
    return next(iter(usual(free, names)), None)


def _truth(free: Sequence[str], told: str | None, other: set[str | None]) -> tuple[str, ...]:
    """The columns of true values, the one that is told first: ranked as a model they would win."""
    names = [name for name in free if name == told] + [*usual(free, TRUTHS)]
    return tuple(dict.fromkeys(name for name in names if name not in other))


def _only(source: TableSource, rest: Sequence[str], truth: Sequence[str]) -> str:
    """The only column that can hold predictions."""
    rest = [name for name in rest if name not in BESIDE]
    if len(rest) == 1:
        return rest[0]
    if not rest and truth:
        raise PredictionsError(
            f"{source.name} has no column that is known to hold predictions, and {truth[0]!r} may be the truth; if it "
            f"is what the model says, add --prediction-column {truth[0]}, else leave the file out and give it "
            "with --labels"
        )
    raise PredictionsError(
        f"{source.name} has no column that is known to hold predictions, only {source.listed()}; name it with "
        "--prediction-column (prediction_column= in Python)"
    )


def guesses(found: Sequence[Roles]) -> str | None:
    """What was taken for what in some files, in a sentence; None: every column has a standard name."""
    many = len(found) > 1
    parts = []
    for what in MEANINGS:
        names = Counter(name for each in found for meaning, name in each.taken if meaning == what)
        if not names.keys() <= STANDARD:
            parts.append(f"{what} from {_columns(names)}")
    if truth := Counter(chain.from_iterable(each.truth for each in found)):
        use = "adjudge merge --with-truth FILE writes it" if many else _use_of_truth(found[0].table.name)
        parts.append(
            f"the truth in {_columns(truth)}, which is not ranked, and not used{use and f' unless you ask ({use})'}"
        )
    if all(each.lacking is not None for each in found):
        parts.append(f"no column {found[0].lacking!r}, which --label-column names (label_column= in Python)")
    if ignored := Counter(chain.from_iterable(each.ignored for each in found)):
        parts.append(f"ignored {_columns(ignored)}")
    where = counted(len(found), "file") if many else found[0].table.name
    return f"{where}: {'; '.join(parts)}" if parts else None


def _use_of_truth(name: str) -> str:
    """How labels are taken from where predictions come from; a folder cannot be read so."""
    if name == THE_FRAME:
        return "read_labels takes this frame too"
    return "--labels takes this file too" if Path(name).suffix.lower() in TABLE_SUFFIXES else ""


def _columns(names: Mapping[str, int]) -> str:
    """The names of columns, and in how many files they stand if that is more than one."""
    each = [repr(name) + f" ({count} files)" * (count > 1) for name, count in names.items()]
    return shortened(each, 8)
