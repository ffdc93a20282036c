"""`adjudge prefer`, from a file of votes to words."""

from pathlib import Path

from tests.support.commands import adjudge, as_json, refused


def votes(folder: Path, rows: str, header: str = "question_id,model_a,model_b,winner") -> Path:
    file = folder / "votes.csv"
    file.write_text(f"{header}\n{rows}")
    return file


MANY = "".join(f"q{at},x,y,{'x' if at % 5 else 'tie'}\nq{at},y,z,{'y' if at % 3 else 'z'}\n" for at in range(40))


def test_the_first_line_says_what_to_do(tmp_path: Path) -> None:
    shown = adjudge("prefer", votes(tmp_path, MANY)).stdout
    assert shown.startswith("Deploy x: people prefer it to every other model (95% sure).")
    assert "80 votes on 40 samples, 8 ties; a tie is half a win for each." in " ".join(shown.split())
    assert "inf" not in shown
    assert "nan" not in shown


def test_json_has_no_infinity(tmp_path: Path) -> None:
    found = as_json("prefer", votes(tmp_path, "q1,x,y,x\nq2,x,y,x\n"), "--next", 2)
    assert [each["name"] for each in found["models"]] == ["x", "y"]
    assert found["models"][1]["low"] is None
    assert len(found["next"]) == 2


def test_pairs_and_samples_to_ask_about_are_named(tmp_path: Path) -> None:
    file = votes(tmp_path, "q1,x,y,x\nq2,x,y,y\nq3,x,y,tie\nq4,y,z,y\nq5,y,z,z\n")
    shown = " ".join(adjudge("prefer", file, "--next", 3).stdout.split())
    assert "Next votes: " in shown
    assert " on q" in shown.split("Next votes: ")[1]
    assert "on the pairs below first" not in adjudge("prefer", file, "--next", 0).stdout


def test_columns_can_be_named(tmp_path: Path) -> None:
    file = votes(tmp_path, "x,y,x\nx,y,tie\n", "one,other,better")
    told = ("--column", "model_a=one", "--column", "model_b=other", "--column", "winner=better")
    assert as_json("prefer", file, *told)["votes"] == 2


def test_bad_votes_are_refused_in_one_sentence(tmp_path: Path) -> None:
    assert "compares 'x' with itself" in refused("prefer", votes(tmp_path, "q,x,x,x\n"))
    assert "the level 0.2 is not between" in refused("prefer", votes(tmp_path, "q,x,y,x\n"), "--level", 0.2)
