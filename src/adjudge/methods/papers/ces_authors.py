"""CES as the authors' public programs run it, which differs from their text (https://github.com/Lizn-zn/DNNOpAcc).

- K + 1 equally spaced points cut the range of a unit into K sections: 19 for the three mutants, 29 for LeNet-5, 9 for
  LeNet-4 and 4 for LeNet-1. Sections are open at both ends, so that a value on an end counts in none: every zero of a
  rectified unit among them. The shares of the sections therefore sum to less than 1.
- The mutants and LeNet-5 minimize KL(P_T || P_S), the reverse of the text's. LeNet-1 and LeNet-4 minimize the cross
  entropy of the text, without the sections in which less than half a sample is expected.
- The best of 30 random groups of 5 is taken if it lowers the objective; otherwise another random group is.
- Their groups are drawn from all samples, so that one or two of 180 among 10,000 are drawn twice. Here a group is drawn
  from the samples that are not chosen yet, since a sample is labeled once.
"""

import numpy as np

from adjudge.core.arrays import Array, FloatArray
from adjudge.methods.papers.ces_sections import FLOOR, Terms, cross_entropy, divergence

DIVERGENCE, CROSS_ENTROPY = AUTHORS = ("authors", "authors-cross-entropy")  # variants, by what they minimize
AUTHORS_SECTIONS = 19  # for models that are not in the paper: as for the mutants
Sample = tuple[Array, int]  # counts (units, sections + 1) and how many samples they are of


def authors_terms(variant: str, share: FloatArray, size: int) -> Terms:
    """What one more sample changes; nothing in the last section, which holds the values on an end."""
    if variant == DIVERGENCE:
        slope, offset, change = divergence(share, size)
        offset -= np.log(size)  # not constant here: the number of samples in some section differs from group to group
    else:
        slope, offset, change = cross_entropy(_expected(share, size), size)
    slope[:, -1] = offset[:, -1] = 0.0
    return slope, offset, change


def improves(variant: str, share: FloatArray, before: Sample, after: Sample) -> bool:
    """Whether a group lowers the objective, compared with the samples chosen before it."""
    return _objective(variant, share[:, :-1], *after) < _objective(variant, share[:, :-1], *before)


def _objective(variant: str, share: FloatArray, counts: Array, size: int) -> float:
    """Summed over units."""
    chosen = counts[:, :-1] / size
    logarithm = np.log(np.maximum(chosen, FLOOR))
    if variant == DIVERGENCE:
        return float(np.sum(chosen * (logarithm - np.log(np.maximum(share, FLOOR)))))
    return -float(np.sum(_expected(share, size) * logarithm))


def _expected(share: FloatArray, size: int) -> FloatArray:
    """The shares, without those of sections in which less than half a sample is expected."""
    return np.where(share < 0.5 / size, 0.0, share)
