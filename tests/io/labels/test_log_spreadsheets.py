"""Label logs that went through a spreadsheet."""

import csv
import io
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from adjudge.core.index import as_index
from adjudge.core.predictions import Predictions
from adjudge.errors import AdjudgeWarning, LabelsError
from adjudge.io import read_labels
from tests.support.label_files import LOG, POOL, listed, same_log, written


def as_spreadsheet(text: str, delimiter: str) -> str:
    """What a spreadsheet makes of it: all rows as wide as the widest, quotes where it likes."""
    rows = list(csv.reader(io.StringIO(text)))
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, quoting=csv.QUOTE_ALL if delimiter == ";" else csv.QUOTE_MINIMAL)
    writer.writerows([*row, *[""] * (8 - len(row))] for row in [*rows, [""]])
    return out.getvalue()


SPREADSHEETS: dict[str, Callable[[str], str]] = {
    "commas": lambda text: as_spreadsheet(text, ","),
    "semicolons": lambda text: as_spreadsheet(text, ";"),
    "tabs": lambda text: as_spreadsheet(text, "\t"),
    "mark of byte order": lambda text: "\ufeff" + text,
    "Windows": lambda text: text.replace("\n", "\r\n"),
    "quoted comments": lambda text: "".join(
        f'"{line}",,,\n' if line.startswith("#") else line + "\n" for line in text.splitlines()
    ),
    "comments padded": lambda text: text.replace("0.1.0\n", "0.1.0,,,,,\n"),
    "sorted": lambda text: text.split("s4,0")[0] + "\n".join(sorted(text.split("label\n")[1].splitlines())) + "\n",
    "floats": lambda text: text.replace(",0,0,,3\n", ",0.0,0,,3.0\n").replace(",1,0.33", ",1.0,0.33"),
    "decimal comma": lambda text: (
        as_spreadsheet(text, ";").replace("0.3", "0,3").replace("2.0", "2,0").replace("2.5", "2,5")
    ),
    "blank lines": lambda text: "\n" + text.replace("s2,", "\n,,,,,,\ns2,"),
}


@pytest.mark.parametrize("program", SPREADSHEETS)
def test_label_log_survives_a_spreadsheet(tmp_path: Path, program: str) -> None:
    path = tmp_path / "labels.csv"
    changed = SPREADSHEETS[program](text := written(path))
    assert changed != text
    path.write_bytes(changed.encode())
    same_log(read_labels(path, POOL)[1], LOG)


def test_ids_that_a_spreadsheet_took_for_numbers_are_found(tmp_path: Path) -> None:
    pool = replace(POOL, samples=as_index(["000", "0017", "020", "x1", "21"]))
    path = listed(tmp_path, "0,3\n17,1\n20,3\n21,1\n")
    with pytest.warns(AdjudgeWarning, match=r"3 of 4 ids in labels.csv have lost zeros .*'0' is '000' for one"):
        assert read_labels(path, pool)[1].sample.tolist() == [0, 1, 2, 4]
    for ids, unknown in ((["000", "017", "0017", "x1", "21"], "17"), (["000", "016", "017", "x1", "0x"], "x")):
        with pytest.raises(LabelsError, match=f"not in the pool, '{unknown}' among them"):
            read_labels(listed(tmp_path, f"{unknown},3\n"), replace(POOL, samples=as_index(ids)))


def test_label_log_with_truth_values_of_a_spreadsheet(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text("sample_id,label\n0,TRUE\n1,FALSE\n")
    pool = Predictions(np.array([[0, 1]]), ("a",), range(2), ("False", "True"))
    assert read_labels(path, pool)[1].value.tolist() == [1, 0]
