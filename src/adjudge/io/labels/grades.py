"""Labels that are grades: a row for each answer to a sample, in files of any kind."""

import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from adjudge.core.arrays import BoolArray, FloatArray, Grades, IntArray, locked
from adjudge.core.index import ids_at, listed
from adjudge.core.labels import SKIP, Labels, RunHeader, Skip
from adjudge.core.predictions import Predictions, place_of
from adjudge.errors import AdjudgeWarning, LabelsError
from adjudge.io.labels.rows import ANSWER, GRADE, MODEL, LabelRows, RawRows, check_draw, known_places
from adjudge.io.labels.values import as_written, parsed_numbers
from adjudge.io.predictions.distinct import canonical
from adjudge.io.predictions.normalize import spelled
from adjudge.io.predictions.scores import to_grade


def label_rows_of_grades(rows: RawRows, predictions: Predictions) -> tuple[Predictions, LabelRows]:
    """The pool with the grades, and a row for each sample: graded if all of its answers are, skipped if one is.

    A sample with fewer grades is pending in a log, and no label at all in a list.
    """
    if predictions.whole is not None:  # the grades of all models, of which some are looked at
        whole, found = label_rows_of_grades(rows, predictions.whole)
        return whole.only(predictions.models), found
    pool, sample, skipped = with_grades(rows, predictions)
    _, first, group = np.unique(sample, return_index=True, return_inverse=True)
    skip = np.bincount(group, skipped) > 0
    graded = _all_graded(pool, sample[first])
    answered = graded | skip
    in_order = np.argsort(first)
    kept = first[in_order]
    if rows.draw is None and not answered.all():
        _warn_about_gaps(rows, kept[~answered[in_order]])
        in_order = in_order[answered[in_order]]
        kept = first[in_order]
    rows = rows.at(kept)
    check_draw(rows)
    value = np.where(skip | ~graded, np.nan, 0.0)[in_order]
    return pool, LabelRows(sample[kept], value, answered[in_order], rows.draw, rows.header)


def with_grades(rows: RawRows, predictions: Predictions) -> tuple[Predictions, IntArray, BoolArray]:
    """The pool with the grades, and for each row its sample and whether it was skipped."""
    pool = to_grade(predictions, rows.span)
    assert pool.grades is not None
    sample = known_places(rows.ids, pool, rows.name)
    number = _by_model(rows, pool, sample) if rows.by_model else _by_answer(rows, pool, predictions, sample)
    skipped = np.asarray(pc.fill_null(pc.equal(pc.utf8_upper(rows.label), SKIP.value), False))
    grade = parsed_numbers(pc.if_else(pa.array(skipped), None, rows.label), rows.ids, "the grade", rows.name)
    _check_range(rows, grade, pool.grades)
    given = _known_grades(rows, number, grade, pool.grades.given)
    return replace(pool, grades=replace(pool.grades, given=locked(given))), sample, skipped


def _by_model(rows: RawRows, pool: Predictions, sample: IntArray) -> IntArray:
    """(rows,): the numbers of the answers that these models gave."""
    names: Any = pa.array(rows.answer, pa.large_string()).dictionary_encode()
    places = np.array([place_of(name, pool) for name in names.dictionary.to_pylist()], dtype=np.int64)
    if names.null_count:
        raise LabelsError(f"a row of {rows.name} has a grade but no {MODEL}; name the model whose answer it is")
    model = places[np.asarray(names.indices)]
    number: FloatArray = pool.values[model, sample]
    if len(none := np.flatnonzero(np.isnan(number))):
        raise LabelsError(
            f"sample {ids_at(rows.ids, none[:1])[0]!r} has a grade for {pool.models[model[none[0]]]!r} in {rows.name}, "
            "which has no answer there; remove the row"
        )
    return number.astype(np.int64)


def _by_answer(rows: RawRows, pool: Predictions, before: Predictions, sample: IntArray) -> IntArray:
    """(rows,): the numbers of these answers."""
    assert pool.grades is not None
    if pool.grades.texts is None:
        raise LabelsError(
            f"{rows.name} has grades of answers, and only scores are known here; name models in {MODEL!r}"
        )
    number = numbers_of_answers(pool, spelled(pa.array(rows.answer, pa.large_string()), before), sample)
    if len(none := np.flatnonzero(number < 0)):
        held = np.unique(pool.values[:, sample[none[0]]])
        known = pool.grades.texts.take(pa.array(held[~np.isnan(held)].astype(np.int64))).to_pylist()
        raise LabelsError(
            f"the answer {pa.array(rows.answer)[none[0]].as_py()!r} to sample {ids_at(rows.ids, none[:1])[0]!r} has a "
            f"grade in {rows.name}, and no model gave it; the answers are {listed(known, 5)}"
        )
    return number


def numbers_of_answers(pool: Predictions, answers: pa.LargeStringArray, sample: IntArray) -> IntArray:
    """(rows,): the number of the answer with this text to this sample; -1 if no model gave it."""
    assert pool.grades is not None
    texts, of_samples = canonical(pool.grades.texts), {}
    for each in np.unique(sample).tolist():
        numbers = np.unique(pool.values[:, each])
        held = numbers[~np.isnan(numbers)].astype(np.int64)
        of_samples[each] = dict(zip(texts.take(pa.array(held)).to_pylist(), held.tolist(), strict=True))
    written = zip(sample.tolist(), canonical(answers).to_pylist(), strict=True)
    return np.array([of_samples[at].get(text, -1) for at, text in written], dtype=np.int64)


def _check_range(rows: RawRows, grade: FloatArray, grades: Grades) -> None:
    if grades.span is None:
        return
    low, high = grades.span
    if len(outside := np.flatnonzero((grade < low) | (grade > high))):
        raise LabelsError(
            f"the grade {grade[outside[0]]:g} of sample {ids_at(rows.ids, outside[:1])[0]!r} in {rows.name} is outside "
            f"the range {low:g} to {high:g}; correct it"
        )


def _known_grades(rows: RawRows, number: IntArray, grade: FloatArray, before: FloatArray) -> FloatArray:
    """(answers,): the grades, those that the pool had before among them."""
    given, known = before.copy(), ~np.isnan(grade)
    given[number[known]] = grade[known]
    against = np.flatnonzero(known & (given[number] != grade))
    if len(against):
        raise LabelsError(
            f"an answer to sample {ids_at(rows.ids, against[:1])[0]!r} has the grades {grade[against[0]]:g} and "
            f"{given[number[against[0]]]:g} in {rows.name}; keep the right one"
        )
    return given


def _all_graded(pool: Predictions, samples: IntArray) -> BoolArray:
    """(samples,): whether every answer has a grade."""
    assert pool.grades is not None
    number = pool.values[:, samples]
    missing = np.isnan(number)
    return np.asarray(
        (missing | ~np.isnan(pool.grades.given[np.where(missing, 0, number).astype(np.int64)])).all(axis=0)
    )


def _warn_about_gaps(rows: RawRows, lacking: IntArray) -> None:
    warnings.warn(
        f"{len(lacking):,} of the samples in {rows.name} have grades for only some of their answers, "
        f"{ids_at(rows.ids, lacking[:1])[0]!r} for one; they do not count until all are graded",
        AdjudgeWarning,
        stacklevel=5,
    )


def grade_rows(labels: Labels, predictions: Predictions, facts: pa.Table) -> pa.Table:
    """The rows of a log, each once for every answer to its sample, with the grade so far.

    The most frequent answer stands first; which models gave it is not told.
    """
    grades = predictions.grades
    assert grades is not None
    row: list[int] = []
    numbers: list[int] = []
    for place, each in enumerate(labels.sample.tolist()):
        said = predictions.values[:, each]
        found, count = np.unique(said[~np.isnan(said)], return_counts=True)
        in_order = np.argsort(-count, kind="stable")
        row += [place] * len(found)
        numbers += found[in_order].astype(np.int64).tolist()
    given = grades.given[numbers]
    skipped = (labels.answered & np.isnan(labels.value))[row]
    told = [
        SKIP.value if skip else None if np.isnan(each) else repr(each)
        for skip, each in zip(skipped.tolist(), given.tolist(), strict=True)
    ]
    whose = _names(predictions, labels, row, numbers) if grades.texts is None else grades.texts.take(pa.array(numbers))
    table = facts.take(pa.array(row, pa.int64()))
    table = table.append_column(MODEL if grades.texts is None else ANSWER, [pa.array(whose, pa.string())])
    return table.append_column(GRADE, [pa.array(told, pa.string())])


def _names(predictions: Predictions, labels: Labels, row: list[int], numbers: list[int]) -> list[str]:
    """The models whose scores these are."""
    said = predictions.values[:, labels.sample[row]]
    return [predictions.models[place] for place in np.argmax(said == np.array(numbers), axis=0)]


def fill_grades(
    plan: Labels, predictions: Predictions, grades: Mapping[Any, "Mapping[str, float] | Skip"]
) -> tuple[Predictions, Labels]:
    """The plan with grades by sample id: one for each answer, or SKIP; what has none stays pending.

    Parameters
    ----------
    predictions
        A pool to be graded, see `graded`.
    grades
        The grade of each answer to a sample; of each model where answers are not known.

    Returns
    -------
    tuple[Predictions, Labels]
        The pool with the grades, and the log.

    Examples
    --------
    >>> from adjudge import from_frame, graded, select
    >>> pool = graded(from_frame({"id": ["s", "t"], "net": ["yes", "no"], "tree": ["yes", "perhaps"]}), 1, 5)
    >>> fill_grades(select(pool, 2), pool, {"t": {"no": 4, "perhaps": 2}})[1]
    Labels(2 of 2 samples: 1 labeled, 1 pending)
    """
    if predictions.grades is None:
        raise LabelsError("grades are given for a pool whose labels are classes; say that they are grades: `graded`")
    names = ids_at(predictions.samples, plan.sample)
    if strangers := sorted({str(each) for each in grades} - set(names)):
        raise LabelsError(f"sample {strangers[0]!r} is not in the plan; grade the samples that were handed out")
    told: list[tuple[str, str, object]] = []
    for name, each in grades.items():
        if not isinstance(each, Mapping | Skip):
            raise LabelsError(
                f"{each!r} is given for sample {str(name)!r}; give a grade for each answer by its text, or SKIP"
            )
        answers = {"": SKIP} if isinstance(each, Skip) else each
        told += [(str(name), str(answer), grade) for answer, grade in answers.items()]
    skips = {name for name, _, grade in told if isinstance(grade, Skip)}
    told = [each for each in told if each[0] not in skips]
    ids, answers_given = (pa.array([each[at] for each in told], pa.large_string()) for at in (0, 1))
    label, by_model = canonical(as_written(each[2] for each in told)), predictions.grades.texts is None
    raw = RawRows("the grades", ids, label, None, RunHeader(), answers_given, by_model, predictions.grades.span)
    pool, _ = label_rows_of_grades(raw, predictions) if told else (predictions, None)
    skip = np.isin(np.asarray(names), sorted(skips)) | (plan.answered & np.isnan(plan.value))
    graded = _all_graded(pool, plan.sample) & ~skip
    return pool, replace(plan, value=np.where(graded, 0.0, np.nan), answered=graded | skip)
