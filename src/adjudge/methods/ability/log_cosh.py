"""The sum of log(2 cosh(x / 2)) over all models as a piecewise polynomial of the ease of a sample.

The likelihood has one such sum for each sample, with x = ability_j * ease_i. As a function of the ease it is the same
for all samples, and analytic: thirteen terms on each of four pieces to an octave are exact to rounding. So a sample
costs thirteen products where it would cost an exponential for each model.
"""

from dataclasses import dataclass

import numpy as np

from adjudge.core.arrays import FloatArray

TERMS = 13
PIECE_BITS = 50  # of the 64 bits of a number that differ within a piece: the others are the exponent and two digits
FIRST = 0.4  # over the largest ability: where the first piece ends, far from the nearest pole, pi over that ability
_ANGLES = np.pi * (np.arange(TERMS) + 0.5) / TERMS
NODES = np.cos(_ANGLES)
# Values at the nodes give coefficients of Chebyshev polynomials, and those give coefficients of powers. In one matrix,
# large numbers would cancel.
COSINES = np.cos(np.arange(TERMS)[:, None] * _ANGLES) * np.where(np.arange(TERMS) > 0, 2, 1)[:, None] / TERMS
POWERS = np.stack(
    [np.pad(np.polynomial.chebyshev.cheb2poly([0] * k + [1]), (0, TERMS - 1 - k)) for k in range(TERMS)], axis=1
)


@dataclass(frozen=True, eq=False)
class Pieces:
    """The sum on each piece: from 0 to `first`, then four pieces to an octave."""

    first: float
    offset: int  # subtracted from the leading bits of an ease, it gives the piece
    middle: FloatArray  # (pieces,)
    half: FloatArray  # (pieces,): of the width
    coefficient: FloatArray  # (pieces, terms): of powers of the place in the piece, from -1 to 1


@dataclass(frozen=True, eq=False)
class LogCosh:
    """The sum over models for all samples up to some ease."""

    pieces: Pieces
    sign: FloatArray  # (models,): of the ability
    slope: FloatArray  # (models, pieces, nodes): of log(2 cosh(x / 2)) by the size of x

    @classmethod
    def of(cls, ability: FloatArray, largest_ease: float) -> "LogCosh":
        first = 2.0 ** np.floor(np.log2(FIRST / max(np.abs(ability).max(), 1e-300)))
        offset = _leading_bits(first) - 1
        edge = (np.arange(offset + 1, max(_leading_bits(largest_ease), offset) + 2) << PIECE_BITS).view(np.float64)
        # the first piece is that from -first to first: the sum is even
        middle, half = np.append(0.0, (edge[1:] + edge[:-1]) / 2), np.append(first, np.diff(edge) / 2)
        size = np.abs(ability)[:, None, None] * (middle[:, None] + half[:, None] * NODES)
        tail = np.exp(-size)
        value = (size / 2 + np.log1p(tail)).sum(axis=0)
        pieces = Pieces(first, offset, middle, half, (value @ COSINES.T) @ POWERS.T)
        return cls(pieces, np.sign(ability), (1 - tail) / (1 + tail) / 2)

    def by_ability(self, moments: FloatArray) -> FloatArray:
        """(models,): the gradient by each ability, summed over samples.

        `moments` are sums over samples of ease * z^k, where z is the place in the piece: (pieces, terms).
        """
        weight = (moments @ POWERS) @ COSINES
        return np.asarray(self.sign * (self.slope * weight).sum(axis=(1, 2)))


def _leading_bits(value: float) -> int:
    return int(np.float64(value).view(np.int64) >> PIECE_BITS)
