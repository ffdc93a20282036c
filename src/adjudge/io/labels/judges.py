"""Judges: scores of answers, or labels of samples, from a file; they become auxiliary numbers of the pool."""

import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow.compute as pc

from adjudge.core.arrays import FloatArray
from adjudge.core.index import all_ids, listed, repeated
from adjudge.core.labels import SKIP
from adjudge.core.predictions import JUDGE, Predictions, place_of
from adjudge.errors import AdjudgeNote, InputError, LabelsError
from adjudge.io.files import TABLE_SUFFIXES, PathLike, naming
from adjudge.io.labels.grades import numbers_of_answers, with_grades
from adjudge.io.labels.rows import ANSWER, GRADE, MODEL, RawRows, known_places, read_rows
from adjudge.io.predictions.normalize import spelled
from adjudge.io.predictions.read import read
from adjudge.io.predictions.scores import SCORE, scores_of, to_grade
from adjudge.io.predictions.sources import TableSource, open_source


def read_judge(
    path: PathLike,
    predictions: Predictions,
    *,
    name: str | None = None,
    id: str | None = None,  # noqa: A002
) -> Predictions:
    """The pool with the scores of a judge: a program, a language model or a crowd that is cheaper than the labels.

    A judge is never the truth: it makes intervals narrower, by as much as it agrees with the labels.
    `Predictions.judges` has the scores.

    Parameters
    ----------
    path
        A score for each model and sample, higher for a better answer: a table with a column for each model, or with the
        columns sample_id, model (or answer) and score, or an npz file with the array `scores`. Or a label for each
        sample: a table with the columns sample_id and label, which counts 1 for an answer that is the same and 0 for
        any other.
    name
        Its name; by default that of the file.
    id
        The column of sample ids, if it has another name.
    """
    file = Path(path)
    name = name or file.stem
    if name in predictions.judges:
        raise InputError(f"two judges are named {name!r}; rename one of the files")
    with naming(file, LabelsError):
        return predictions.with_auxiliary(JUDGE + name, _scores(file, predictions, id))


def _scores(file: Path, predictions: Predictions, id_name: str | None) -> FloatArray:
    if file.suffix.lower() in TABLE_SUFFIXES and file.is_file():
        source = open_source(file)
        if ANSWER in source.columns and (SCORE in source.columns or GRADE in source.columns):
            return _by_rows(
                read_rows(source if GRADE in source.columns else source.renamed(SCORE, GRADE), id_name), predictions
            )
        if "label" in source.columns:
            return _agreement(read_rows(source, id_name), predictions)
        _check_long(source, predictions)
    with warnings.catch_warnings():  # the pool says which samples there are
        warnings.filterwarnings("ignore", "--join outer", AdjudgeNote)
        judge = read(file, scores=True, join="outer", id=id_name)
    return _matrix(judge, predictions, file.name)


def _check_long(source: TableSource, predictions: Predictions) -> None:
    """Refuse a table without scores, or with scores of nobody knows what."""
    names = set(source.columns)
    of_models = not names.isdisjoint(predictions.models)
    if SCORE not in names and (names & {MODEL, ANSWER} or not of_models):
        raise LabelsError(
            f"{source.name} has no column {SCORE!r} but {source.listed()}; rename the one that holds the scores, or "
            f"give a column of scores for each model: {listed(predictions.models, 3)}"
        )
    if SCORE in names and not names & {MODEL, ANSWER} and not of_models:
        raise LabelsError(
            f"{source.name} has a score for each sample, which says nothing about models; add a column {MODEL!r} "
            f"or {ANSWER!r} that tells what is scored"
        )


def _by_rows(rows: RawRows, predictions: Predictions) -> FloatArray:
    """(models, samples): from a row for each answer."""
    pool = to_grade(predictions, None)
    assert pool.grades is not None
    nothing = replace(pool.grades, given=np.full(len(pool.grades.given), np.nan), span=None)
    return scores_of(with_grades(replace(rows, span=None), replace(pool, grades=nothing))[0])


def _agreement(rows: RawRows, predictions: Predictions) -> FloatArray:
    """(models, samples): 1 for an answer that is the label, 0 for any other; nan where there is no label."""
    pool = to_grade(predictions, None)
    if pool.grades is None or pool.grades.texts is None:
        raise LabelsError(f"{rows.name} has labels, and only scores are known here; give a score for each model")
    said = pc.fill_null(pc.not_equal(pc.utf8_upper(rows.label), SKIP.value), False)
    rows = rows.at(np.flatnonzero(said))
    sample = known_places(rows.ids, predictions, rows.name)
    if twice := repeated(rows.ids):
        raise LabelsError(f"sample {twice[0]!r} has more than one label in {rows.name}; keep one")
    number = numbers_of_answers(pool, spelled(rows.label, predictions), sample)
    found = np.full(pool.values.shape, np.nan)
    found[:, sample] = pool.values[:, sample] == number
    return np.where(np.isnan(pool.values), np.nan, found)


def _matrix(judge: Predictions, predictions: Predictions, name: str) -> FloatArray:
    """(models, samples): scores of a pool of their own, by the names of models and samples."""
    sample = known_places(all_ids(judge.samples), predictions, name, "samples")
    found = np.full(predictions.values.shape, np.nan)
    scores = scores_of(judge)
    for place, model in enumerate(judge.models):
        found[place_of(model, predictions), sample] = scores[place]
    return found
