"""Labels in the terminal."""

from pathlib import Path

from adjudge.core.labels import NONE_RIGHT
from adjudge.io import write_predictions
from adjudge.labeling.session.project import open_project
from adjudge.labeling.session.session import Session
from tests.support.answers import open_pool
from tests.support.commands import adjudge, label_here


def test_labels_in_the_terminal(pool: Path) -> None:
    done = label_here(pool, "--method", "random", "--until", "within 0.1", said="cat\ncat\nu\n2\ns\n+what?\0\nq\n")
    assert done.returncode == 0, done.stderr
    assert "visible characters" in done.stderr
    assert "tree" in done.stdout
    assert f"adjudge export log {pool.with_suffix('.adjudge')} --out labels.csv" in done.stderr
    session = Session.open(open_project(pool.with_suffix(".adjudge")))
    kinds = [(answer.kind, answer.label) for _, _, answer in session.answers()]
    session.close()
    assert kinds == [("label", "cat"), ("label", "cat"), ("undo", None), ("label", "dog"), ("skip", None)]
    assert session.project.settings.until == "within 0.1"


def test_a_budget_that_is_used_up_is_said_to_be(pool: Path) -> None:
    done = label_here(pool, "--method", "random", "--budget", 2, said="cat\ncat\n")
    assert "nothing is left to label of the 2 samples of the budget; for more, export" in " ".join(done.stderr.split())


def test_a_terminal_says_where_the_images_are(pool: Path) -> None:
    images = pool.parent / "images"
    images.mkdir()
    for name in "abcdef":
        (images / f"{name}.png").write_bytes(b"\x89PNG")
    done = label_here(pool, "--method", "random", "--data", images, said="q\n")
    assert f"image: a terminal cannot show it, look into {images}" in " ".join(done.stdout.split())


def test_numbers_need_a_stated_range_to_stop(tmp_path: Path) -> None:
    pool = tmp_path / "pool.csv"
    pool.write_text("sample_id,a,b\n1,0.5,9\n2,1.5,1\n3,2.5,2\n")
    told = label_here(pool, said="1\n2\nq\n").stdout.split()
    assert "adjudge label ... --range LOW HIGH." in " ".join(told)
    ruled = label_here(pool, "--range", 0, 10, "--until", "within 50", said="3\nq\n")
    assert ruled.returncode == 0, ruled.stderr
    assert "You may stop: a is at most 50 worse" in " ".join(ruled.stdout.split())


def test_a_slip_in_the_terminal_is_no_new_class(pool: Path) -> None:
    done = label_here(pool, "--method", "random", said="cta\n3\n+cow\nq\n")
    assert "'cta' is not a class (a class or its number, +name for a new class" in done.stderr
    assert "'3' is not a class" in done.stderr
    session = Session.open(open_project(pool.with_suffix(".adjudge")))
    said = [answer.label for _, _, answer in session.answers()]
    session.close()
    assert said == ["cow"]


def test_open_answers_in_the_terminal(tmp_path: Path) -> None:
    write_predictions(open_pool(), file := tmp_path / "pool.parquet")
    said = ["1", "0", "+ 7.0", "12", "=1", "=1 2", "u", "=1 2", "r", "s", "u", "s", "q"]
    done = label_here(file, "--method", "random", said="\n".join(said) + "\n")
    assert done.returncode == 0, done.stderr
    assert "the number of the right answer, 0 if none is right" in done.stderr
    assert "How many apples are in basket" in done.stdout
    assert "models)" in done.stdout
    assert "'12' is not the number of an answer" in done.stderr
    assert "=1 does not name two answers" in done.stderr
    session = Session.open(open_project(file.with_suffix(".adjudge")))
    kinds = [(answer.kind, answer.label) for _, _, answer in session.answers()]
    merges = session.ledger.merges.count, len(session.ledger.merges.rows)
    session.close()
    assert [kind for kind, _ in kinds] == ["label", "label", "label", "skip", "undo", "skip"]
    assert "are one answer now" in done.stderr
    assert [label for _, label in kinds[1:3]] == [NONE_RIGHT, "7"]
    assert merges == (3, 1)  # the first one was taken back
    same = tmp_path / "same.csv"
    told = adjudge("export", "merged", file.with_suffix(".adjudge"), "--out", same)
    assert f"--normalize space,punctuation,numbers,{same}" in told.stderr
    assert len(same.read_text().splitlines()) == 2


def test_grades_in_the_terminal(tmp_path: Path) -> None:
    write_predictions(open_pool(3), file := tmp_path / "pool.parquet")
    said = "1\nwhat\n1 1 1 1 1 1\n" + "".join(f"{'1 ' * count}\n" for count in range(1, 6)) + "q\n"
    done = label_here(file, "--method", "random", "--grade", 0, 1, said=said)
    assert done.returncode == 0, done.stderr
    assert "a grade from 0 to 1 for each answer in this order" in done.stderr
    assert "'what' is not a list of numbers" in done.stderr
    assert "grades were typed for" in done.stderr
    session = Session.open(open_project(file.with_suffix(".adjudge")))
    assert session.answers()[0][2].label.startswith("[1.0")  # type: ignore[union-attr]
    session.close()


def test_nothing_to_say_without_grades(tmp_path: Path) -> None:
    write_predictions(open_pool(3), file := tmp_path / "pool.parquet")
    done = label_here(file, "--grade", 0, 1, said="q\n")
    assert done.returncode == 0
    assert "numbers and grades cannot be ranked without" in done.stderr
