"""What is shown of a sample, for each kind of data."""

import struct
import zlib
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from adjudge.core.predictions import Predictions
from adjudge.errors import InputError
from adjudge.models.datasets.contents import Content, Samples, open_data, png


def pool(*names: str, **columns: list[str]) -> Predictions:
    values = np.zeros((2, len(names)), dtype=np.int8)
    return Predictions(values, ("m", "n"), pa.array(names), ("x",), columns=pa.table(columns) if columns else None)


def test_without_data_the_facts_are_shown() -> None:
    found = Samples.of(pool("a", text=["hello"], source=["mail"]), None)
    assert found.content(0) == Content("hello", {"source": "mail"})
    assert found.media(0) is None


def test_a_folder_of_files(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "one.PNG").write_bytes(b"image")
    (tmp_path / "two.wav").write_bytes(b"sound")
    (tmp_path / "three.txt").write_text("words")
    (tmp_path / "four.exe").write_text("not shown")
    found = Samples.of(pool("inner/one.PNG", "two", "three", "four.exe"), tmp_path)
    assert [found.content(each).media for each in range(4)] == ["image", "audio", None, None]
    assert found.content(2).text == "words"
    image, sound = found.media(0), found.media(1)
    assert image is not None
    assert sound is not None
    assert (image.content, image.type) == (b"image", "image/png")
    assert (sound.content, sound.type.startswith("audio/")) == (b"sound", True)
    assert found.media(3) is None


def test_a_table(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("id,text,age\nb,second,2\na,first,1\n")
    found = Samples.of(pool("a", "b", "c"), tmp_path / "rows.csv")
    assert found.content(0) == Content("first", {"age": "1"})
    assert found.content(2) == Content()


def test_arrays_become_images(tmp_path: Path) -> None:
    images = np.arange(2 * 4 * 6, dtype=np.uint8).reshape(2, 4, 6)
    np.savez(tmp_path / "images.npz", images=images, sample_ids=np.array(["a", "b"]))
    found = Samples.of(pool("b", "a"), tmp_path / "images.npz")
    assert found.content(0).media == "image"
    shown = found.media(0)
    assert shown is not None
    assert np.array_equal(pixels(shown.content)[..., 0], images[1])


def test_numbers_are_a_row(tmp_path: Path) -> None:
    np.save(tmp_path / "numbers.npy", np.array([[0.5, 2.0], [1.0, 3.0]]))
    assert Samples.of(pool("0", "1"), tmp_path / "numbers.npy").content(1).fields == {"0": "1", "1": "3"}


def test_a_png_in_color_reads_back() -> None:
    image = np.random.default_rng(0).integers(0, 256, (5, 7, 3), dtype=np.uint8)
    assert np.array_equal(pixels(png(image)), image)


def test_data_of_other_samples_is_refused(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("id,text\nz,second\n")
    with pytest.raises(InputError, match=r"none of the samples is in rows\.csv: .*'a'.*'z'"):
        Samples.of(pool("a"), tmp_path / "rows.csv")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="holds no image, sound or text"):
        Samples.of(pool("a"), tmp_path / "empty")


def pixels(file: bytes) -> np.ndarray:
    """The pixels of a PNG file without filters, by hand."""
    width, height, _, color = struct.unpack(">IIBB", file[16:26])
    start = file.index(b"IDAT")
    (size,) = struct.unpack(">I", file[start - 4 : start])
    rows = np.frombuffer(zlib.decompress(file[start + 4 : start + 4 + size]), np.uint8).reshape(height, -1)
    return rows[:, 1:].reshape(height, width, 3 if color == 2 else 1)


def test_names_that_no_file_can_have_are_no_files(tmp_path: Path) -> None:
    table = tmp_path / "rows.csv"
    table.write_text(f"id,path\na,{'x' * 300}.png\n")
    content = open_data(table).content(0)
    assert content.media is None
    assert content.fields["path"].endswith(".png")
