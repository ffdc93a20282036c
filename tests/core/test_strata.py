"""Strata: where models differ, and pairs of them."""

from dataclasses import replace

import numpy as np
import pytest

from adjudge.core.labels import RunHeader
from adjudge.core.predictions import MISSING
from adjudge.core.strata import FIRST_PAIR, disputed, only_pair, with_pair
from adjudge.errors import LabelsError
from tests.support.pools import pool_of, uniform_log

POOL = pool_of([[0, MISSING, 2, MISSING], [0, 1, 2, MISSING], [0, 2, MISSING, 1]])


def test_missing_predictions_differ_from_none() -> None:
    assert disputed(POOL).tolist() == [False, True, False, False]
    assert disputed(POOL, ("m0", "m2")).tolist() == [False, False, False, False]


def test_a_part_of_a_pool_has_the_strata_of_the_whole() -> None:
    part = replace(POOL, values=POOL.values[:1], models=("m0",), whole=POOL)
    assert disputed(part).tolist() == disputed(POOL).tolist()


def test_a_model_that_is_gone_is_named() -> None:
    with pytest.raises(LabelsError, match="with the model 'm9', which is not among the 3 models given"):
        disputed(POOL, ("m0", "m9"))


def test_draws_of_one_pair_are_known_as_such() -> None:
    header, number = with_pair(RunHeader(pairs=(("a", "b"),)), ("c", "a"))
    assert (number, header.pairs) == (FIRST_PAIR + 1, (("a", "b"), ("c", "a")))
    log = replace(uniform_log(np.zeros(4), np.arange(3)), header=header, stratum=np.full(3, number))
    assert only_pair(log) == ("c", "a")
    assert only_pair(replace(log, stratum=np.array([number, number, FIRST_PAIR]))) is None
    assert only_pair(replace(log, stratum=np.zeros(3, dtype=np.int64))) is None
