"""How votes are counted: kernels that work on blocks of samples, for few classes and for many."""

from typing import Any

import numpy as np

from adjudge.core.arrays import Array
from adjudge.core.kernels import exact_kernel

SCRATCH = 1 << 15  # bytes of vote counters (a block of samples x classes): they stay in the fastest cache
FEW = 32  # classes up to which comparing rows with each class is faster than a counter for each prediction
COMPARED = 1 << 20  # bytes of comparisons of rows with classes: few calls, and a processor cache still has most of them


def tally_votes(
    values: Array, known: Array, classes: int, tally: tuple[Array, ...], share: Array, n_predicted: Array
) -> None:
    """Count the votes into `tally`: the arrays of `Votes`, (samples,) each; and how models agree with the vote.

    `share` (2, models) has the samples with a single winner on which a model agrees, then its parts of tied votes.
    `known` (samples,) has the codes of labels, or -1; it is empty where there are none. To begin with, `majority` is
    -1, and all else 0.
    """
    if classes <= FEW:
        _tally_few(values, known, classes, tally, share, n_predicted)
    else:
        _tally(values, known, counters(values, classes), tally, share, n_predicted)


def counters(values: Array, classes: int) -> Array:
    """(block of samples, classes): zeros to count the votes of all models in, as many as fit into the fastest cache."""
    models, samples = values.shape
    kind = np.min_scalar_type(models)
    return np.zeros((max(1, min(samples, SCRATCH // (classes * kind.itemsize))), classes), dtype=kind)


def _tally_few(
    values: Array, known: Array, classes: int, tally: tuple[Array, ...], share: Array, n_predicted: Array
) -> None:
    """As `_tally`, by comparing whole rows with each class: numpy does that for many samples in one instruction."""
    values = np.asarray(values)  # a view of a memory map that is quicker to slice
    models, samples = values.shape
    block = -(-samples // -(-samples * classes // COMPARED))  # of equal sizes, since small ones take as many calls
    codes = np.arange(classes, dtype=values.dtype)[:, None]
    numbers, sames = np.empty((classes, block), np.min_scalar_type(models)), np.empty((classes, block), dtype=bool)
    for start in range(0, samples, block):
        here = slice(start, start + block)
        rows = values[:, here]
        counts, same = numbers[:, : rows.shape[1]], sames[:, : rows.shape[1]]
        counts[:] = 0
        for row in rows:
            np.equal(row, codes, out=same)
            np.add(counts, same.view(np.uint8), out=counts)
        _sum_up(counts, same, tuple(each[here] for each in tally))
        present, top, tied, majority, _ = (each[here] for each in tally)
        unknown = np.ones(len(top), dtype=bool) if not known.size else known[here] < 0
        vote = np.full(len(top), np.iinfo(values.dtype).max, dtype=values.dtype)  # which is no code
        np.copyto(vote, majority, where=tied == 1, casting="unsafe")
        if known.size:
            np.copyto(vote, known[here], where=~unknown, casting="unsafe")
        complete = present.min() == models
        for model, row in enumerate(rows):
            share[0, model] += np.count_nonzero(np.equal(row, vote, out=same[0]))
            n_predicted[model] += len(row) if complete else np.count_nonzero(np.greater_equal(row, 0, out=same[0]))
        ties = np.flatnonzero((tied > 1) & unknown)
        said = rows[:, ties]
        won = (counts[np.maximum(said, 0), ties] == top[ties]) & (said >= 0)
        share[1] += won @ (1.0 / tied[ties])


def _sum_up(counts: Array, same: Array, tally: tuple[Array, ...]) -> None:
    """The arrays of `Votes` from (classes, samples) numbers of votes; `same` has room for as many comparisons."""
    present, top, tied, majority, pairs = tally
    kind: Any = counts.dtype  # in which no sum overflows, since it holds the number of models
    squared: Any = np.min_scalar_type(np.iinfo(kind).max ** 2)
    most = counts.max(axis=0)
    top[:], present[:] = most, counts.sum(axis=0, dtype=kind)
    winner = np.equal(counts, most, out=same).view(np.uint8)
    tied[:] = winner.sum(axis=0, dtype=np.uint8)
    from_behind = np.arange(len(counts), 0, -1, dtype=np.uint8)  # the lowest code is the largest number
    winner *= from_behind[:, None]
    majority[:] = len(counts) - winner.max(axis=0)
    for row in counts:  # one by one: no large array in between, whose memory would be new each time
        np.add(pairs, np.square(row, dtype=squared), out=pairs, casting="unsafe")
    pairs -= present
    silent = np.flatnonzero(most == 0)
    tied[silent], majority[silent] = 0, -1


@exact_kernel
def _tally(
    values: Array, known: Array, counts: Array, tally: tuple[Array, ...], share: Array, n_predicted: Array
) -> None:
    """See `tally_votes`. Loops that only compare and add one row are what a processor does for many at a time."""
    _, top, tied, majority, _ = tally
    (models, samples), (block, classes) = values.shape, counts.shape
    vote, held = np.empty(block, dtype=np.int32), np.empty(models)
    for start in range(0, samples, block):
        rows = min(block, samples - start)
        for model in range(models):
            held[model] = 0.0
            for row in range(rows):
                code = values[model, start + row]
                if code >= 0:
                    counts[row, code] += 1
        for row in range(rows):
            sample = start + row
            if classes <= models:  # look at all classes of a sample, or else at what each model predicts
                _look_at_classes(counts[row], tally, sample)
            else:
                _look_at_models(values, counts[row], tally, sample)
            vote[row] = majority[sample] if tied[sample] == 1 else classes  # which is no code
            if known.size > 0 and known[sample] >= 0:
                vote[row] = known[sample]
            elif tied[sample] > 1:
                for model in range(models):
                    code = values[model, sample]
                    if code >= 0 and counts[row, code] == top[sample]:
                        held[model] += 1.0 / tied[sample]
        for model in range(models):
            sole, predicted = 0, 0
            for row in range(rows):
                code = values[model, start + row]
                sole += code == vote[row]
                predicted += code >= 0
                if classes > models and code >= 0:
                    counts[row, code] = 0
            share[0, model] += sole
            share[1, model] += held[model]
            n_predicted[model] += predicted
        if classes <= models:
            counts[:rows] = 0


@exact_kernel
def _look_at_classes(counts: Array, tally: tuple[Array, ...], sample: int) -> None:
    """The vote on a sample, from the numbers of votes of all classes."""
    present, top, tied, majority, pairs = tally
    total, squares, most, ties = 0, 0, 0, 0
    for code in range(len(counts)):
        count = int(counts[code])
        total += count
        squares += count * count
        most = max(most, count)
    if most > 0:
        for code in range(len(counts)):
            ties += counts[code] == most
        for code in range(len(counts)):
            if counts[code] == most:
                majority[sample] = code
                break
    present[sample], top[sample], tied[sample], pairs[sample] = total, most, ties, squares - total


@exact_kernel
def _look_at_models(values: Array, counts: Array, tally: tuple[Array, ...], sample: int) -> None:
    """The same where classes outnumber models."""
    present, top, tied, majority, pairs = tally
    total, squares, most, backing, lowest = 0, 0, 0, 0, -1
    for model in range(len(values)):
        code = values[model, sample]
        if code < 0:
            continue
        count = int(counts[code])
        total += 1
        squares += count
        if count > most:
            most, lowest, backing = count, code, 1
        elif count == most:
            lowest = min(lowest, code)
            backing += 1
    present[sample], top[sample], majority[sample], pairs[sample] = total, most, lowest, squares - total
    tied[sample] = backing // max(most, 1)  # each tied class has `most` voters
