"""`adjudge corrupt`: the same kind of file comes out, with what stood beside the inputs; texts, tables, labels."""

import gzip
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv
import pytest
from PIL import Image
from pyarrow import parquet

from adjudge.core.arrays import Array
from adjudge.errors import InputError
from adjudge.models.corruptions import corrupt, label_shift, shifted, swapped
from adjudge.models.corruptions.tables import NOISE, spread_of
from adjudge.models.corruptions.writing import write_like
from adjudge.models.datasets import from_array, from_texts, read_data, read_idx
from tests.support.commands import adjudge, as_json, refused

TEXTS = ("An honest film, well acted and never dull", "I want my two hours back", "", "word")


@pytest.fixture(scope="module")
def images() -> Array:
    return np.random.default_rng(0).integers(0, 256, (5, 28, 30), dtype=np.uint8)


def test_arrays_keep_their_layout(images: Array, tmp_path: Path) -> None:
    wanted = corrupt(images, "fog", 3)
    np.save(tmp_path / "gray.npy", images)
    made = write_like(tmp_path / "gray.npy", shifted(read_data(tmp_path / "gray.npy"), "fog", 3), tmp_path / "out")
    np.testing.assert_array_equal(np.load(made), wanted)
    first = np.repeat(images[:, None], 3, axis=1)
    np.savez(tmp_path / "color.npz", images=first, labels=np.arange(5), class_names=np.array(list("abcde")))
    made = write_like(tmp_path / "color.npz", shifted(read_data(tmp_path / "color.npz"), "fog", 3), tmp_path / "out")
    with np.load(made) as stored:
        assert stored["images"].shape == (5, 3, 28, 30)
        np.testing.assert_array_equal(stored["images"], np.repeat(wanted[:, None], 3, axis=1))
        np.testing.assert_array_equal(stored["labels"], np.arange(5))
        assert stored["class_names"].tolist() == list("abcde")


def test_idx_by_the_command(images: Array, tmp_path: Path) -> None:
    head = b"\0\0\x08\x03" + np.array(images.shape, ">u4").tobytes()
    source = tmp_path / "t10k-images-idx3-ubyte.gz"
    source.write_bytes(gzip.compress(head + images.tobytes()))
    told = as_json("corrupt", source, "--kind", "fog,snow", "--severity", "2,4", "--out", tmp_path / "out")
    assert [Path(each).parent.name for each in told["written"]] == ["fog2", "fog4", "snow2", "snow4"]
    np.testing.assert_array_equal(read_idx(Path(told["written"][3])), corrupt(images, "snow", 4))
    sheet = tmp_path / "sheet.png"
    assert adjudge("corrupt", source, "--sheet", sheet).returncode == 0
    with Image.open(sheet) as drawn:
        assert drawn.size[1] > 15 * 96


def test_idx_keeps_its_axes_and_its_type(images: Array, tmp_path: Path) -> None:
    color = np.repeat(images[..., None], 3, axis=3)
    source = tmp_path / "color-idx4-ubyte"
    source.write_bytes(b"\0\0\x08\x04" + np.array(color.shape, ">u4").tobytes() + color.tobytes())
    made = write_like(source, shifted(read_data(source), "fog", 3), tmp_path / "out")
    np.testing.assert_array_equal(read_idx(made), corrupt(color, "fog", 3))
    rows = np.linspace(-1, 1, 12).reshape(6, 2)
    source = tmp_path / "rows-idx2-double"
    source.write_bytes(b"\0\0\x0e\x02" + np.array(rows.shape, ">u4").tobytes() + rows.astype(">f8").tobytes())
    made = write_like(source, read_data(source), tmp_path / "out", np.array([1, 4]))
    np.testing.assert_array_equal(read_idx(made), rows[[1, 4]])


def test_folders_keep_their_names(images: Array, tmp_path: Path) -> None:
    folder = tmp_path / "photos"
    (folder / "cat").mkdir(parents=True)
    Image.fromarray(images[0]).save(folder / "cat" / "a.png")
    Image.fromarray(images[1][:, :28]).save(folder / "b.jpg", quality=95)
    out = write_like(folder, shifted(read_data(folder), "contrast", 2), tmp_path / "out")
    again = read_data(out)
    assert list(map(str, again.samples)) == ["b.jpg", "cat/a.png"]
    np.testing.assert_array_equal(np.asarray(Image.open(out / "cat" / "a.png")), corrupt(images[:1], "contrast", 2)[0])


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_tables_keep_their_other_columns(suffix: str, tmp_path: Path) -> None:
    table = pa.table({"id": ["x", "y", "z"], "text": ["one two three", "four", "five six"], "label": ["p", "q", "p"]})
    source = tmp_path / f"reviews{suffix}"
    if suffix == ".csv":
        arrow_csv.write_csv(table, source)
    else:
        parquet.write_table(table, source)
    out = write_like(source, shifted(read_data(source), "case", 5), tmp_path / "out")
    again = arrow_csv.read_csv(out) if suffix == ".csv" else parquet.read_table(out)
    assert again.column_names == table.column_names
    assert again["label"].to_pylist() == ["p", "q", "p"]
    assert [each.lower() for each in again["text"].to_pylist()] == table["text"].to_pylist()
    assert read_data(out).rows(0, 3).tolist() == again["text"].to_pylist()


@pytest.mark.parametrize("kind", ["typos", "token-drop", "case"])
def test_texts_depend_on_their_place_alone(kind: str) -> None:
    data = from_texts([*TEXTS] * 10)
    strong, weak = shifted(data, kind, 5), shifted(data, kind, 1)
    whole = strong.rows(0, 40).tolist()
    assert whole == [*strong.rows(0, 7).tolist(), *strong.rows(7, 40).tolist()]

    def changed(made: list[str]) -> int:
        return sum(one != other for one, other in zip(made, [*TEXTS] * 10, strict=True))

    assert changed(whole) > changed(weak.rows(0, 40).tolist()) > 0
    assert all(each == "" for each in whole[2::4])
    if kind == "token-drop":
        assert all(whole[3::4])


def test_tables_of_numbers(tmp_path: Path) -> None:
    rows = np.random.default_rng(1).normal(3, [1, 10, 0], (3000, 3))
    rows[5, 1] = np.nan
    np.testing.assert_allclose(
        spread_of([rows[:700], rows[700:701], rows[701:]], 3), np.nanstd(rows, axis=0), atol=1e-9
    )
    source = tmp_path / "table.parquet"
    parquet.write_table(pa.table({"a": rows[:, 0], "b": rows[:, 1], "c": rows[:, 2]}), source)
    data = read_data(source)
    noisy = shifted(data, "feature-noise", 3).rows(0, 3000)
    assert np.nanstd(noisy - rows, axis=0) == pytest.approx(NOISE[2] * np.nanstd(rows, axis=0), rel=0.05)
    assert np.isnan(shifted(data, "missing-values", 4).rows(0, 3000)).mean() == pytest.approx(0.35, abs=0.02)


def test_label_shift_makes_other_shares(images: Array, tmp_path: Path) -> None:
    labels = np.random.default_rng(2).integers(0, 5, 4000)
    before = np.bincount(labels)
    for severity, ratio in ((1, 2), (3, 8), (5, 32)):
        kept = label_shift(labels, severity, seed=3)
        counts = np.bincount(labels[kept])
        assert len(set(kept.tolist())) == len(kept)
        assert counts.max() / counts.min() == pytest.approx(ratio, rel=0.1)
        assert (counts == before).any()  # as many as there can be
    assert swapped(np.array([8, 0, 7], np.uint8), 8, 0).tolist() == [0, 8, 7]
    np.save(tmp_path / "images.npy", np.repeat(images, 20, axis=0))
    np.save(tmp_path / "labels.npy", np.tile([0, 1], 50))
    told = as_json(
        *("corrupt", tmp_path / "images.npy", "--kind", "label-shift", "--severity", "2"),
        *("--labels", tmp_path / "labels.npy", "--out", tmp_path / "out"),
    )
    written = arrow_csv.read_csv(tmp_path / "out" / "labels.csv")
    assert sorted(np.bincount(written["label"].to_numpy()).tolist()) == [12, 50]
    assert len(np.load(told["written"][0])) == written.num_rows


def test_label_shift_of_a_table_goes_by_its_own_ids(tmp_path: Path) -> None:
    rows = "".join(f"s{at},text {at},note {at}\n" for at in range(8))
    (tmp_path / "texts.csv").write_text(f"key,text,note\n{rows}")
    labels = [f"s{at},{at % 2}\n" for at in range(8)]
    (tmp_path / "labels.csv").write_text("sample_id,label\n" + "".join(labels))
    here = (
        *("corrupt", tmp_path / "texts.csv", "--kind", "label-shift", "--severity", "1", "--id", "key"),
        *("--columns", "text", "--labels", tmp_path / "labels.csv", "--out", tmp_path / "out"),
    )
    as_json(*here)
    kept = arrow_csv.read_csv(tmp_path / "out" / "texts.csv")["key"].to_pylist()
    written = arrow_csv.read_csv(tmp_path / "out" / "labels.csv")
    assert written["sample_id"].to_pylist() == kept
    assert written["label"].to_pylist() == [int(name[1:]) % 2 for name in kept]
    (tmp_path / "labels.csv").write_text("sample_id,label\n" + "".join(labels[:-1]) + "s7,\n")
    assert "some samples have no label" in refused(*here)


def test_a_folder_is_not_written_into_itself(images: Array, tmp_path: Path) -> None:
    photos, out = tmp_path / "photos", tmp_path / "out"
    photos.mkdir()
    Image.fromarray(images[0]).save(photos / "a.png")
    here = ("corrupt", photos, "--kind", "fog", "--severity", "1", "--out")
    assert "lies in the folder of the data" in refused(*here, photos / "foggy")
    assert not (photos / "foggy").exists()
    (out / "a.png").mkdir(parents=True)
    assert "a.png cannot be written" in refused(*here, out)


def test_refusals(images: Array, tmp_path: Path) -> None:
    np.save(tmp_path / "images.npy", images)
    here = ("corrupt", tmp_path / "images.npy")
    assert "typos" in refused(*here, "--kind", "typos", "--severity", "1", "--out", tmp_path / "x")
    assert "from 1" in refused(*here, "--kind", "fog", "--severity", "9", "--out", tmp_path / "x")
    assert "--labels" in refused(*here, "--kind", "label-shift", "--severity", "1", "--out", tmp_path / "x")
    assert "over itself" in refused(*here, "--kind", "fog", "--severity", "1", "--out", tmp_path)
    with pytest.raises(InputError, match="arrays"):
        shifted(from_array(np.zeros((4, 5))), "fog", 1)
