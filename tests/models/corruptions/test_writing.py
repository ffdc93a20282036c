"""Data under shift in files, from Python; the command has its own tests."""

from pathlib import Path

import numpy as np

import adjudge


def test_one_shift_goes_into_the_folder_and_more_go_below(tmp_path: Path) -> None:
    images = np.random.default_rng(0).integers(0, 256, (4, 32, 32), dtype=np.uint8)
    np.save(tmp_path / "images.npy", images)
    source = tmp_path / "images.npy"
    [one] = adjudge.write_shifted(source, tmp_path / "one", kinds="contrast", severities="5", seed=1)
    assert one == tmp_path / "one" / "images.npy"
    assert np.load(one).tolist() == adjudge.corrupt(images[..., None], "contrast", 5, seed=1)[..., 0].tolist()
    more = adjudge.write_shifted(source, tmp_path / "more", kinds="contrast,fog", severities="1,5")
    assert [path.parent.name for path in more] == ["contrast1", "contrast5", "fog1", "fog5"]
