"""Settings beside a model."""

from pathlib import Path

import numpy as np
import pytest

from adjudge.errors import InputError
from adjudge.models.runners.protocol import Takes
from adjudge.models.runners.settings import ModelSettings, settings_of
from adjudge.models.runners.shaping import shaped


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("scale = 'x'", "scale = 'x' cannot be used; give a number above 0"),
        ("std = [1, 0]", r"std = \[1, 0\] cannot be used"),
        ("size = [28]", r"give \[height, width\]"),
        ("chanels = 'first'", "there is no setting 'chanels'; did you mean 'channels'"),
        ("order = 'gbr'", "use 'rgb', 'bgr'"),
        ("classes = []", "give a list of names"),
        ("scale = ", "cannot be read"),
    ],
)
def test_a_wrong_setting_is_told(tmp_path: Path, text: str, sentence: str) -> None:
    (tmp_path / "net.toml").write_text(text)
    with pytest.raises(InputError, match=rf"net\.toml.*{sentence}"):
        settings_of(tmp_path / "net.onnx")


def test_a_folder_has_settings_for_all_its_models(tmp_path: Path) -> None:
    (tmp_path / "adjudge.toml").write_text("scale = 1\nmean = 2")
    (tmp_path / "own.toml").write_text("scale = 3")
    assert settings_of(tmp_path / "net.onnx") == ModelSettings(scale=1.0, mean=(2.0,))
    assert settings_of(tmp_path / "own.onnx") == ModelSettings(scale=3.0)
    assert settings_of(None, tmp_path / "own.toml") == ModelSettings(scale=3.0)


def test_preprocessing_follows_the_settings() -> None:
    color = np.random.default_rng(0).integers(0, 256, (2, 4, 4, 3), dtype=np.uint8)
    told = ModelSettings(scale=1 / 255, mean=(0.1, 0.2, 0.3), std=(0.5, 0.6, 0.7), order="bgr", channels="first")
    expected = (color[..., ::-1] / 255 - [0.1, 0.2, 0.3]) / [0.5, 0.6, 0.7]
    made = shaped(color, "images", told, Takes())
    np.testing.assert_allclose(made, np.moveaxis(expected, 3, 1), atol=1e-6)
    assert (made.dtype.name, made.flags.c_contiguous) == ("float32", True)
    gray = shaped(color, "images", ModelSettings(scale=1.0, grayscale=True), Takes((4, 4)))
    np.testing.assert_allclose(gray, color @ [0.299, 0.587, 0.114], atol=0.51)
    flat = shaped(color, "images", ModelSettings(), Takes((48,)))
    np.testing.assert_allclose(flat, color.reshape(2, -1) / 255, atol=1e-7)
    with pytest.raises(InputError, match="2 means or deviations but a sample has 3 channels"):
        shaped(color, "images", ModelSettings(mean=(1.0, 2.0)), Takes())
    assert shaped(color, "images", ModelSettings(), Takes(raw=True, dtype=None)).dtype == np.uint8
    np.testing.assert_array_equal(shaped(color, "images", ModelSettings(), Takes(dtype="uint8")), color)
