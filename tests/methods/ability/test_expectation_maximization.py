import os
import tempfile
from pathlib import Path

import numpy as np
import pytest

from adjudge.core.labels import Labels
from adjudge.errors import MethodError
from adjudge.methods.ability import HeldParts, SamplePart, Settings, company, fit, group_samples, model_order
from adjudge.methods.ability.pool import _on_disk
from adjudge.simulation.contract import example_pool

GROUPS = group_samples(
    example_pool(6, 80, 4)[0], Labels.empty(80).codes, np.ones(80, dtype=bool), np.arange(6)
)  # of all samples


@pytest.mark.parametrize("plain", [False, True])
def test_a_fit_in_parts_is_that_of_the_whole_to_the_last_bit(plain: bool) -> None:
    pool, truth = example_pool(models=8, samples=200, classes=3, seed=4)
    labels, everywhere = Labels.known(200, np.arange(10), truth[:10]), np.ones(200, dtype=bool)
    start = np.linspace(0.3, 0.9, 8)
    order = model_order(start, company(pool, everywhere))

    def fitted(*counted: np.ndarray) -> tuple[list[float], list[float]]:
        groups = [group_samples(pool, labels.codes, each, order) for each in counted]
        parts = HeldParts(*(SamplePart.begin(each, each.share, plain) for each in groups))
        ability = fit(parts, Settings(start[order], 200.0, 3, plain))
        samples = [part.parameter[each.group] for part, each in zip(parts.parts, groups, strict=True)]
        return ability.tolist(), np.concatenate(samples).tolist()

    first = np.arange(200) < 70
    assert fitted(first, ~first) == fitted(everywhere)


def test_parts_on_disk_are_gone_with_the_fit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    part = SamplePart.begin(GROUPS, GROUPS.share, plain=False)
    stored, settings = _on_disk(part), Settings(np.full(6, 0.5), 80.0, 4, plain=False)
    assert fit(HeldParts(stored), settings).tolist() == fit(HeldParts(part), settings).tolist()
    assert isinstance(stored.centered.base, np.memmap)
    assert not list(tmp_path.iterdir())


def test_a_disk_that_is_full_is_said_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(MethodError, match=r"do not fit into .* \(No space left on device\); name a folder"):
        _on_disk(SamplePart.begin(GROUPS, GROUPS.share, plain=False))
