"""CSV files as they are."""

from pathlib import Path

import pytest

from adjudge.errors import PredictionsError
from adjudge.io import read
from tests.support.saved import WIDE, ids, saved


@pytest.mark.parametrize("delimiter", [";", "\t", ","])
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("start", [b"", b"\xef\xbb\xbf"])
def test_csv_of_other_programs(tmp_path: Path, delimiter: str, ending: str, start: bytes) -> None:
    text = "# made by hand, with care\n" + WIDE.replace(",", delimiter)
    pool = read(saved(tmp_path, start + text.replace("\n", ending).encode()))
    assert pool.models == ("a", "b")
    assert pool.values.tolist() == [[0, 1, 0], [1, -1, 0]]


def test_csv_with_quotes_line_breaks_and_columns_without_a_name(tmp_path: Path) -> None:
    pool = read(saved(tmp_path, '"id","m, one", "m\ntwo",,\n"s\n1","a,b",x,,\n"s""2",x,"a,b",,\n'))
    assert pool.models == ("m, one", "m\ntwo")
    assert ids(pool) == ["s\n1", 's"2']
    assert pool.classes == ("a,b", "x")


def test_csv_in_several_passes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("adjudge.io.predictions.sources.AT_ONCE", 1)
    assert read(saved(tmp_path, WIDE)).values.tolist() == [[0, 1, 0], [1, -1, 0]]


def test_tsv(tmp_path: Path) -> None:
    assert read(saved(tmp_path, WIDE.replace(",", "\t"), "preds.tsv")).models == ("a", "b")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", r"preds.csv is empty; write it again"),
        ("\n\n", r"preds.csv has no row of column names"),
        ("# only a comment\n", r"preds.csv has no row of column names"),
        ("\x7fELF\x02\0\0,a\n1,x\n", r"preds.csv is not UTF-8 text; save it as CSV UTF-8"),
        ('sample_id,"a\n1,x\n', r"preds.csv has no row of column names"),
        ("sample_id,a\n", r"preds.csv has column names but no rows"),
        ("sample_id\ns1\n", r"preds.csv has no column of predictions"),
        ("sample_id,a,a\ns1,x,y\n", r"the column 'a' occurs more than once in preds.csv"),
        ("sample_id,,a\ns1,0,x\n", r"column 2 of preds.csv has no name"),
        ("sample_id,a\ns1,x\ns1,y\n", r"preds.csv: 1 sample id occurs? more than once, 's1'"),
        ("sample_id,a\ns1,x\n,y\n", r"row 2 of preds.csv has no sample id in column 'sample_id'"),
        ("sample_id,a\ns1,x\ns2\n", r"preds.csv cannot be read \(.*Expected 2 columns, got 1.*\); correct that row"),
        ("sample_id,a\ns1,1\ns2,inf\n", r"preds.csv: model 'a' at sample 's2' predicts an infinite"),
        ("sample_id,a\rs1,1\rs2,2\r", r"preds.csv are not on a line of their own"),
        ("sample_id,label\ns1,x\n", r"preds.csv has no column of predictions"),
        ("sample_id,a,\ns1,x,y\n", r"column 3 of preds.csv has values but no name"),
        (
            "sample_id,a\ns1,0.5\ns2,NA\ns3,1.5\n",
            r"at sample 's2' predicts 'NA' where other values are",
        ),
        (b"sample_id,a\ns1,caf\xe9\n", r"preds.csv is not UTF-8 text; save it as CSV UTF-8"),
        (b"sample_id,caf\xe9\ns1,x\n", r"preds.csv is not UTF-8 text; save it as CSV UTF-8"),
        ("sample_id,a\n".encode("utf-16"), r"preds.csv is not UTF-8 text"),
        (b"PAR1 and more", r"preds.csv is named .csv but is not text; it is a Parquet file: give it the name"),
        (b"PK\x03\x04 xlsx", r"preds.csv is named .csv but is not text; it is a zip archive"),
    ],
)
def test_bad_csv_gives_one_sentence(tmp_path: Path, text: str | bytes, sentence: str) -> None:
    with pytest.raises(PredictionsError, match=sentence) as caught:
        read(saved(tmp_path, text))
    assert "\n" not in str(caught.value)
