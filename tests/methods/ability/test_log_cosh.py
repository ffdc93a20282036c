import numpy as np
import pytest

from adjudge.methods.ability.log_cosh import PIECE_BITS, LogCosh


@pytest.mark.parametrize("scale", [0.01, 1.0, 300.0])
def test_it_is_exact_to_rounding(scale: float) -> None:
    rng = np.random.default_rng(0)
    ability = scale * rng.normal(size=30)
    ease = np.sort(np.append(np.exp(rng.normal(size=500) * 2), [0.0, 1e-9]))
    found = LogCosh.of(ability, ease.max())
    pieces = found.pieces
    piece = np.where(ease < pieces.first, 0, (ease.view(np.int64) >> PIECE_BITS) - pieces.offset)
    place = (ease - pieces.middle[piece]) / pieces.half[piece]
    assert np.abs(place).max() <= 1
    powers = place[:, None] ** np.arange(pieces.coefficient.shape[1])
    size = np.abs(np.outer(ease, ability))
    exact = (np.log(2) + size / 2 + np.log1p(np.expm1(-size) / 2)).sum(axis=1)
    assert (pieces.coefficient[piece] * powers).sum(axis=1) == pytest.approx(exact, rel=2e-14)

    moments = np.zeros(pieces.coefficient.shape)
    np.add.at(moments, piece, ease[:, None] * powers)
    assert found.by_ability(moments) == pytest.approx(np.tanh(np.outer(ability, ease) / 2) @ ease / 2, rel=1e-13)


def test_models_without_any_ability() -> None:
    found = LogCosh.of(np.zeros(4), 5.0)
    assert found.pieces.coefficient[0, 0] == pytest.approx(4 * np.log(2))
    assert found.by_ability(np.ones(found.pieces.coefficient.shape)).tolist() == [0] * 4
