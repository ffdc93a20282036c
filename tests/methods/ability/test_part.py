from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit, log_expit, softmax

from adjudge.core.arrays import FloatArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.methods.ability import SamplePart, company, group_samples, model_order
from adjudge.methods.ability.log_cosh import LogCosh
from adjudge.methods.ability.part import units
from adjudge.simulation.contract import example_pool


def part_of(models: int, samples: int, plain: bool) -> tuple[Predictions, Labels, SamplePart]:
    """A part with gaps and labels, somewhere on its way: a sample is a group of its own."""
    pool, truth = example_pool(models=models, samples=samples, classes=4, seed=3)
    pool = replace(pool, values=np.where(np.arange(models * samples).reshape(models, samples) % 7, pool.values, -1))
    labels = Labels.known(samples, [1, 5, 6], truth[[1, 5, 6]])
    groups = group_samples(pool, labels.codes, np.ones(samples, dtype=bool), np.arange(models))
    rng = np.random.default_rng(0)
    part = SamplePart.begin(groups, rng.normal(size=len(groups.size)), plain)
    shift = rng.normal(size=len(groups.size)) * (1 if plain else 1.5)
    return pool, labels, replace(part, parameter=part.start + shift, direction=rng.normal(size=len(groups.size)))


def at(part: SamplePart, ability: FloatArray, step: float) -> tuple[float, FloatArray, FloatArray, FloatArray]:
    """The value, its products, the gradient by ability and the gradient by the parameters of single samples."""
    cosh = LogCosh.of(ability, float(np.abs(part.parameter).max() * 2 if part.plain else np.exp(20)))
    unit = units(part.groups.size.sum(), 1e3, 1e4, 1e4, 10)
    after, sums = part.evaluate(ability, step, cosh.pieces, unit)
    value, *products = sums.numbers.sum(axis=1)
    return value, np.array(products), cosh.by_ability(sums.moments) - sums.linear, after.trial


@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize("models", [3, 40])
def test_the_value_is_that_of_the_formula(models: int, plain: bool) -> None:
    pool, labels, part = part_of(models, 50, plain)
    ability = np.random.default_rng(1).normal(size=models)
    part, _ = part.expect(ability)
    group = part.groups.group
    ease = (part.parameter if plain else np.exp(part.parameter))[group]
    product = np.outer(ability, ease)[:, :, None]
    said, there = pool.values[:, :, None] == np.arange(4), (pool.values >= 0)[:, :, None]
    chance = there * np.where(said, log_expit(product), log_expit(-product) - np.log(3))
    posterior = softmax(chance.sum(axis=0), axis=1)
    posterior[labels.sample] = np.eye(4)[labels.codes[labels.sample]]
    expected = (posterior * chance).sum()
    if not plain:
        expected -= ((part.parameter - part.start)[group] ** 2).sum() / 2
    value, products, by_ability, by_parameter = at(part, ability, 0.0)
    assert value == pytest.approx(-expected, rel=1e-6)
    residual = (there * (said - expit(product)) * posterior).sum(axis=2)
    assert by_ability == pytest.approx(-residual @ ease, abs=1e-5)
    direction = part.direction[group]
    assert products == pytest.approx([by_parameter[group] @ direction, by_parameter[group] @ by_parameter[group], 0])


@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize("models", [3, 40])
def test_the_gradient_is_the_change_of_the_value(models: int, plain: bool) -> None:
    _, _, part = part_of(models, 50, plain)
    rng = np.random.default_rng(1)
    ability, turn = rng.normal(size=models), rng.normal(size=models)
    part, _ = part.expect(ability)
    _, (slope, _, _), by_ability, _ = at(part, ability, 0.1)
    for each in (0 * turn, turn):
        up, down = at(part, ability + 1e-5 * each, 0.1 + 1e-5)[0], at(part, ability - 1e-5 * each, 0.1 - 1e-5)[0]
        assert (up - down) / 2e-5 == pytest.approx(slope + by_ability @ each, rel=1e-6)


def test_what_parts_add_up_to_is_that_of_the_whole_to_the_last_bit() -> None:
    pool, truth = example_pool(models=20, samples=400, classes=4, seed=2)
    pool = replace(pool, values=np.where(np.random.default_rng(0).random((20, 400)) < 0.1, -1, pool.values))
    labels, everywhere = Labels.known(400, np.arange(20), truth[:20]), np.ones(400, dtype=bool)
    halves = [np.arange(400) < 130, np.arange(400) >= 130]
    found = company(pool, halves[0]) + company(pool, halves[1])
    assert found.tolist() == company(pool, everywhere).tolist()
    order, ability = model_order(np.linspace(0, 1, 20), found), np.linspace(-0.5, 3, 20)
    cosh, unit = LogCosh.of(ability, 3.0), units(400, 3.0, 1e3, 1e3, 1)
    sums = []
    for counted in (everywhere, *halves):
        groups = group_samples(pool, labels.codes, counted, order)
        part, _ = SamplePart.begin(groups, groups.share, plain=False).expect(ability)
        sums.append(part.evaluate(ability, 0.0, cosh.pieces, unit)[1])
    whole, merged = sums[0], sums[1].merge(sums[2])
    for name in ("numbers", "linear", "moments"):
        assert getattr(whole, name).tolist() == getattr(merged, name).tolist()
    assert whole.steepest == merged.steepest
