"""Raw data of every kind becomes the same small type."""

import gzip
import struct
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from adjudge.core.arrays import Array
from adjudge.core.index import all_ids
from adjudge.errors import InputError
from adjudge.models.datasets import Dataset, from_array, from_texts, read_data, read_idx, resized
from tests.support.image_files import pillow, whole, write_images


def ids(data: Dataset) -> list[str]:
    found: list[str] = all_ids(data.samples).to_pylist()
    return found


def test_a_folder_of_png_gives_the_pixels_and_the_file_names(tmp_path: Path, pictures: Array) -> None:
    write_images(tmp_path / "set", pictures)
    (tmp_path / "set" / "notes.txt").write_text("no image")
    data = read_data(tmp_path / "set")
    assert data.kind == "images"
    assert ids(data) == [f"picture-{at}.png" for at in range(5)]
    assert [batch.first for batch in data.batches(2)] == [0, 2, 4]
    np.testing.assert_array_equal(whole(data), pictures)


def test_gray_images_have_one_channel_and_a_mixed_folder_three(tmp_path: Path, pictures: Array) -> None:
    write_images(tmp_path / "gray", pictures[..., :1])
    assert whole(read_data(tmp_path / "gray")).shape == (5, 6, 8, 1)
    pillow.fromarray(pictures[0]).save(tmp_path / "gray" / "color.jpg")
    assert whole(read_data(tmp_path / "gray")).shape == (6, 6, 8, 3)


def test_images_in_folders_are_named_with_them(tmp_path: Path, pictures: Array) -> None:
    write_images(tmp_path / "cat", pictures[:1])
    write_images(tmp_path / "dog", pictures[1:2])
    assert ids(read_data(tmp_path)) == ["cat/picture-0.png", "dog/picture-0.png"]


def test_images_of_different_sizes_need_a_size(tmp_path: Path, pictures: Array) -> None:
    write_images(tmp_path, pictures)
    pillow.fromarray(pictures[0, :4, :4]).save(tmp_path / "z.png")
    data = read_data(tmp_path)
    with pytest.raises(InputError, match="different sizes, 8 x 6 for one; say the size"):
        list(data.batches(4))
    shapes = [batch.values.shape for batch in data.batches(4, shape=(6, 8))]
    assert shapes == [(4, 6, 8, 3), (2, 6, 8, 3)]


def test_resizing_is_what_pillow_does(pictures: Array) -> None:
    expected = [np.asarray(pillow.fromarray(each).resize((4, 3), pillow.Resampling.BILINEAR)) for each in pictures]
    np.testing.assert_array_equal(resized(pictures, (3, 4)), np.stack(expected))


@pytest.mark.parametrize(
    ("content", "sentence"),
    [(b"", "cannot be read"), (b"\x89PNG\r\n\x1a\nxxxx", "cannot be read"), (None, "more than 8 bits")],
)
def test_a_bad_image_is_named(tmp_path: Path, content: bytes | None, sentence: str) -> None:
    if content is None:
        pillow.fromarray(np.zeros((4, 4), np.uint16)).save(tmp_path / "deep.png")
    else:
        (tmp_path / "deep.png").write_bytes(content)
    with pytest.raises(InputError, match=rf"deep\.png.*{sentence}|deep\.png {sentence}"):
        read_data(tmp_path)


def test_an_image_cut_short_is_named_when_its_turn_comes(tmp_path: Path, pictures: Array) -> None:
    write_images(tmp_path, pictures)
    file = tmp_path / "picture-3.png"
    file.write_bytes(file.read_bytes()[:60])
    data = read_data(tmp_path)
    with pytest.raises(InputError, match=r"picture-3\.png cannot be read"):
        whole(data)


def test_idx_files_are_images(tmp_path: Path) -> None:
    pixels = np.arange(2 * 3 * 4, dtype=np.uint8).reshape(2, 3, 4)
    content = bytes([0, 0, 8, 3]) + struct.pack(">3I", 2, 3, 4) + pixels.tobytes()
    packed = tmp_path / "t10k-images-idx3-ubyte.gz"
    packed.write_bytes(gzip.compress(content))
    plain = tmp_path / "t10k-images-idx3-ubyte"
    plain.write_bytes(content)
    for file in (packed, plain):
        data = read_data(file)
        assert (data.kind, data.samples) == ("images", range(2))
        np.testing.assert_array_equal(whole(data)[..., 0], pixels)
    labels = tmp_path / "labels.idx"
    labels.write_bytes(bytes([0, 0, 0x0C, 1]) + struct.pack(">I2i", 2, 7, -1))
    assert read_idx(labels).tolist() == [7, -1]


@pytest.mark.parametrize("content", [b"", b"not idx at all", bytes([0, 0, 8, 1]) + struct.pack(">I", 9) + b"short"])
def test_a_damaged_idx_file_is_told(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "images-idx3-ubyte.gz"
    file.write_bytes(gzip.compress(content))
    with pytest.raises(InputError, match=r"images-idx3-ubyte\.gz"):
        read_data(file)
    file.write_bytes(content)
    with pytest.raises(InputError, match=r"images-idx3-ubyte\.gz"):
        read_data(file)


def test_arrays_keep_their_type_and_stay_on_disk(tmp_path: Path) -> None:
    values = np.linspace(0, 1, 12, dtype=np.float32).reshape(6, 2)
    np.save(tmp_path / "inputs.npy", values)
    data = read_data(tmp_path / "inputs.npy")
    assert (data.kind, data.samples, whole(data).dtype.name) == ("arrays", range(6), "float32")
    assert isinstance(data.rows(0, 1).base, np.memmap)
    np.testing.assert_array_equal(whole(data), values)


def test_npz_files_hold_inputs_and_ids(tmp_path: Path, pictures: Array) -> None:
    file = tmp_path / "set.npz"
    np.savez(file, anything=pictures, labels=np.zeros(5), sample_ids=np.array(list("abcde")))
    data = read_data(file)
    assert (data.kind, ids(data)) == ("images", list("abcde"))
    np.savez(file, one=pictures, two=pictures)
    with pytest.raises(InputError, match="holds 'one', 'two', and none is named 'inputs'"):
        read_data(file)
    np.savez(file, one=pictures, x_test=pictures[:2])
    assert len(read_data(file)) == 2


def test_tables_of_text_and_of_numbers(tmp_path: Path) -> None:
    file = tmp_path / "reviews.csv"
    file.write_text("id,text,label\na,good film,1\nb,,0\nc,bad film,0\n")
    text = read_data(file)
    assert (text.kind, ids(text), text.columns) == ("text", ["a", "b", "c"], ("text",))
    assert whole(text).tolist() == ["good film", "", "bad film"]
    table = pa.table({"width": [1, 2, 3], "height": [0.5, None, 2.5], "label": ["x", "y", "x"]})
    parquet.write_table(table, tmp_path / "plants.parquet")
    numbers = read_data(tmp_path / "plants.parquet")
    assert (numbers.kind, numbers.samples, numbers.columns) == ("table", range(3), ("width", "height"))
    np.testing.assert_array_equal(whole(numbers), [[1, 0.5], [2, np.nan], [3, 2.5]])
    assert read_data(tmp_path / "plants.parquet", columns=["height"]).columns == ("height",)


def test_a_word_among_numbers_is_told(tmp_path: Path) -> None:
    file = tmp_path / "plants.csv"
    file.write_text("id,width,kind\n1,2,rose\n2,3,lily\n")
    with pytest.raises(InputError, match=r"column 'kind' of plants.csv is not all numbers .*--columns"):
        read_data(file)
    assert read_data(file, columns=["kind"]).kind == "text"
    with pytest.raises(InputError, match="'color' is missing"):
        read_data(file, columns=["color"])


def test_missing_data_and_repeated_ids_are_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not exist"):
        read_data(tmp_path / "nowhere")
    with pytest.raises(InputError, match="holds no file"):
        read_data(tmp_path)
    with pytest.raises(InputError, match="'a' occurs more than once"):
        from_array(np.zeros(2), ["a", "a"])
    with pytest.raises(InputError, match="give one id to each"):
        from_texts(["one"], ["a", "b"])
    with pytest.raises(InputError, match="no samples"):
        from_array(np.zeros((0, 3)))
