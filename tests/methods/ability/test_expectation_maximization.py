import numpy as np
import pytest

from adjudge.core.labels import Labels
from adjudge.methods.ability import HeldParts, SamplePart, Settings, company, fit, group_samples, model_order
from adjudge.simulation.contract import example_pool


@pytest.mark.parametrize("plain", [False, True])
def test_a_fit_in_parts_is_that_of_the_whole_to_the_last_bit(plain: bool) -> None:
    pool, truth = example_pool(models=8, samples=200, classes=3, seed=4)
    labels, everywhere = Labels.known(200, np.arange(10), truth[:10]), np.ones(200, dtype=bool)
    start = np.linspace(0.3, 0.9, 8)
    order = model_order(start, company(pool, everywhere))

    def fitted(*counted: np.ndarray) -> tuple[list[float], list[float]]:
        groups = [group_samples(pool, labels, each, order) for each in counted]
        parts = HeldParts(*(SamplePart.begin(each, each.share, plain) for each in groups))
        ability = fit(parts, Settings(start[order], 200.0, 3, plain))
        samples = [part.parameter[each.group] for part, each in zip(parts.parts, groups, strict=True)]
        return ability.tolist(), np.concatenate(samples).tolist()

    first = np.arange(200) < 70
    assert fitted(first, ~first) == fitted(everywhere)
