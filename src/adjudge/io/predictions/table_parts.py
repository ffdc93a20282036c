"""Parquet in parts: the row groups of a file, or of all files of a folder."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa

from adjudge.core.index import repeated
from adjudge.core.predictions import Predictions
from adjudge.engine import Engine
from adjudge.errors import PredictionsError
from adjudge.io.column_names import MODELS, PREDICTIONS, PROBABILITY, usual
from adjudge.io.files import PathLike, naming
from adjudge.io.memory import size_in_words
from adjudge.io.predictions.align import Options
from adjudge.io.predictions.distinct import in_order
from adjudge.io.predictions.manifest import Manifest, Noted
from adjudge.io.predictions.parts import Facts, PredictionParts, refuse_scores
from adjudge.io.predictions.roles import LONG
from adjudge.io.predictions.scores import told_as_scores
from adjudge.io.predictions.sources import parquet_source
from adjudge.io.predictions.tables import from_source
from adjudge.io.storage import StoredFile, files_in, is_folder, stored_file

CODE, NUMBER = 4, 16  # bytes that a prediction takes while its part is read, of a class or of a regression
SHARE = 4  # parts of this share of the memory leave room for what is computed from them
LARGEST = 1 << 27  # bytes of a part, however much memory there is


@dataclass(frozen=True)
class Footer:
    """What the end of a Parquet file says about it."""

    file: StoredFile
    columns: tuple[str, ...]
    kinds: tuple[str, ...]  # of the columns: text, number or truth value
    groups: tuple[int, ...]  # rows of each row group

    fractions: int  # columns of numbers that need not be whole

    @property
    def row(self) -> int:
        """Bytes that a row takes while it is read, about."""
        return CODE * len(self.columns) + (NUMBER - CODE) * self.fractions

    @property
    def size(self) -> int:
        return self.row * sum(self.groups)


@dataclass(frozen=True)
class TablePart:
    """Some row groups of a Parquet file."""

    file: StoredFile
    groups: tuple[int, ...]
    rows: int  # of the table, which are samples if it is wide
    options: Options

    def read(self, facts: Facts, first: int) -> Predictions:
        told = replace(self.options, classes=facts.classes, regression=facts.classes is None, declared=facts.declared)
        found = self.as_it_is(told, range(first, first + self.rows) if facts.numbered else None)
        if found.models != facts.models:
            _refuse_models(self.file.name, found.models, facts.models)
        if facts.numbered and not isinstance(found.samples, range):  # a long table, which needs the ids of its rows
            found = replace(found, samples=range(first, first + len(found.samples)))
        return found

    def as_it_is(self, options: Options, samples: range | None = None) -> Predictions:
        with naming(self.file.name, PredictionsError):
            return from_source(parquet_source(self.file, self.groups, samples), options)


def footers_of(path: PathLike) -> list[Footer]:
    """The footers of a file, or of the files of a folder; all have the same columns, of the same kinds."""
    files = files_in(path) if is_folder(path) else [stored_file(path)]
    found = [_footer(file) for file in files if file.name.lower().endswith(".parquet")]
    for other in found[1:]:
        _check_alike(found[0], other)
    return found


def is_parts(path: PathLike, options: Options) -> bool:
    """Whether a folder holds parts of one pool, and not a file for each model."""
    if not is_folder(path):
        return False
    tables = [file for file in files_in(path) if file.name.lower().endswith(".parquet")]
    if not tables:
        return False
    columns = _footer(tables[0]).columns
    told = [name for name in (options.prediction_column, options.model_column) if name in columns]
    if usual(columns, MODELS) or options.model_column in told:
        return True
    return not usual(columns, PREDICTIONS) and not told


def predictions_in_parts(path: PathLike, options: Options, memory: int, engine: Engine) -> PredictionParts:
    """The same as `table_parts`, for predictions: a Parquet file of scores, or a folder of them, is refused."""
    file = footers_of(path)[0].file
    if told_as_scores(parquet_source(file), options)[1].scores:
        refuse_scores(file.name)
    return table_parts(path, options, memory, engine)


def table_parts(path: PathLike, options: Options, memory: int, engine: Engine) -> PredictionParts:
    """A Parquet file or a folder of them as parts that fit into memory."""
    if options.normalize not in (None, "none"):
        raise PredictionsError("--normalize looks at all answers at once, and these come in parts; leave it out")
    footers = footers_of(path)
    if not any(footer.groups for footer in footers):
        raise PredictionsError(f"{Path(path).name} has no rows; add one for each sample")
    parts = [part for footer in footers for part in _cut(footer, options, memory, engine.workers)]
    manifest = Manifest.beside(path, options)
    return PredictionParts(parts, memory, engine, lambda: _facts(parts, manifest, engine))


def _footer(file: StoredFile) -> Footer:
    from pyarrow import parquet  # slow to import

    with file.parsed() as opened, parquet.ParquetFile(opened) as table:
        about, schema = table.metadata, table.schema_arrow
        groups = tuple(about.row_group(each).num_rows for each in range(about.num_row_groups))
    fractions = sum(pa.types.is_floating(field.type) or pa.types.is_decimal(field.type) for field in schema)
    return Footer(file, tuple(schema.names), tuple(_kind(field.type) for field in schema), groups, fractions)


def _kind(kind: pa.DataType) -> str:
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return "text"
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return "numbers"
    return "" if pa.types.is_null(kind) else str(kind)


def _check_alike(first: Footer, other: Footer) -> None:
    if set(first.columns) != set(other.columns):
        _refuse_models(other.file.name, other.columns, first.columns)
    kinds = dict(zip(first.columns, first.kinds, strict=True))
    for name, kind in zip(other.columns, other.kinds, strict=True):
        if kind and kinds[name] and kind != kinds[name]:
            raise PredictionsError(
                f"{other.file.name} holds {kind} in the column {name!r}, where {first.file.name} holds {kinds[name]}; "
                "write all parts with the same types"
            )


def _refuse_models(name: str, found: Sequence[str], wanted: Sequence[str]) -> None:
    missing, more = [each for each in wanted if each not in found], [each for each in found if each not in wanted]
    what = f"has no {missing[0]!r}" if missing else f"has {more[0]!r} too" if more else "has them in another order"
    raise PredictionsError(f"{name} {what}, unlike the parts before it; give every part the same models")


def _cut(footer: Footer, options: Options, memory: int, workers: int) -> Iterator[TablePart]:
    """Neighboring row groups together, as long as they fit."""
    room = min(LARGEST, memory // (SHARE * workers)) // footer.row
    if all(name in footer.columns for name in LONG) and footer.size * SHARE <= memory * (SHARE - 1):
        room = sum(footer.groups)  # a long file may be sorted by model: it stays whole if it can
    here: list[int] = []
    for place, rows in enumerate(footer.groups):
        if rows * footer.row > memory:
            raise PredictionsError(
                f"{footer.file.name} has a row group of {rows:,} rows, which takes about "
                f"{size_in_words(rows * footer.row)}; give more memory than {size_in_words(memory)} "
                "(--memory), or write it in smaller row groups"
            )
        if here and sum(footer.groups[each] for each in here) + rows > room:
            yield _part(footer, here, options)
            here = []
        here.append(place)
    if here:
        yield _part(footer, here, options)


def _part(footer: Footer, groups: list[int], options: Options) -> TablePart:
    return TablePart(footer.file, tuple(groups), sum(footer.groups[each] for each in groups), options)


def _facts(parts: Sequence[TablePart], manifest: Manifest, engine: Engine) -> Facts:
    """From the manifest, where it still fits the files; otherwise from a pass over all parts, which is noted there."""
    noted = manifest.read(parts)
    if noted is None:
        noted = _merged(parts, list(engine.map(_look, parts)))
        manifest.write(parts, noted)
    return noted


def _look(part: TablePart) -> Noted:
    found = part.as_it_is(part.options)
    columns = () if found.columns is None else tuple(found.columns.column_names)
    stated = found.probabilities is not None
    return Noted(found.models, found.classes, found.declared, found.samples, stated, columns, found.abstain)


def _merged(parts: Sequence[TablePart], found: Sequence[Noted]) -> Facts:
    first = found[0]
    for part, each in zip(parts, found, strict=True):
        if each.models != first.models:
            _refuse_models(part.file.name, each.models, first.models)
    ids = pa.concat_arrays([each.samples for each in found])
    if twice := repeated(ids):
        raise PredictionsError(
            f"the sample {twice[0]!r} occurs in more than one part, or twice in one; keep all predictions about a "
            "sample in one part, and one row for each"
        )
    numbered = ids.equals(pa.array(range(len(ids))).cast(ids.type))
    rows = tuple(len(each.samples) for each in found)
    about = first.probabilities, first.columns, first.abstain
    return Facts(first.models, _classes(parts, found), first.declared, rows, numbered, *about)


def _classes(parts: Sequence[TablePart], found: Sequence[Noted]) -> tuple[str, ...] | None:
    """All classes that occur; None if some part has numbers that are no classes, and the others have numbers too."""
    words = [each for each in found if each.classes is not None]
    if all(each.declared for each in found):
        return found[0].classes
    classes = in_order(list(dict.fromkeys(name for each in words for name in each.classes or ())))
    if len(words) == len(found):
        return classes
    for part, each in zip(parts, found, strict=True):
        for name in each.classes or ():
            if not _is_number(name):
                raise PredictionsError(
                    f"{part.file.name} predicts {name!r}, where other parts hold numbers; write all parts with the "
                    f"same types, or say --classification (probabilities belong into columns {PROBABILITY}<class>)"
                )
    return None


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
