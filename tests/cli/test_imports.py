"""`adjudge import`, from logs to a ranking; and what is refused, with nothing written."""

import json
import re
import shlex
import shutil
from glob import glob
from pathlib import Path

import pytest

from adjudge import import_runs, read
from adjudge.errors import AdjudgeWarning, InputError
from tests.support.commands import WIDE, Done, adjudge
from tests.support.grades import fill_grades
from tests.support.label_studio import annotated
from tests.support.logs import COLORS, HARNESS, ONE, TWO, inspect_log, inspect_sample
from tests.support.runner import run


def flat(text: str) -> str:
    return " ".join(text.split())


def test_two_logs_of_inspect_become_a_ranking(tmp_path: Path) -> None:
    out, truth = tmp_path / "predictions.parquet", tmp_path / "truth.csv"
    done = adjudge("import", "inspect", ONE, TWO, "--out", out, "--normalize", "auto", "--with-truth", truth)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("2 models on 4 samples: mockllm/one and mockllm/two")
    assert "no answer was found, an abstention written (unparsed): mockllm/two 1." in flat(done.stdout)
    assert "4 right answers of 4 samples" in done.stderr
    pool = read(out)
    assert pool.models == ("mockllm/one", "mockllm/two")
    assert pool.abstain == ("(unparsed)",)
    assert pool.n_abstained.tolist() == [0, 1]
    assert pool.columns is not None
    assert pool.columns.column_names == ["task", "question"]
    ranked = adjudge("rank", out, "--labels", truth, "--drawn", "uniform")
    assert "Deploy mockllm/one" in ranked.stdout
    played = adjudge("simulate", out, "--truth", truth, "--budget", 2, "--seeds", 1)
    assert played.returncode == 0, played.stderr


@pytest.mark.parametrize(
    ("models", "truth", "words"),
    [
        ("ab", True, "compare predictions.parquet b a --labels 'the truth.csv' --drawn uniform"),
        ("ab", False, "select predictions.parquet --goal estimate --budget 6 --out labels.csv"),
        ("abc", True, "rank predictions.parquet --labels 'the truth.csv' --drawn uniform"),
        ("abc", False, "rank predictions.parquet"),
    ],
)
def test_the_next_command_is_told_and_runs(
    models: str, truth: bool, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [f"q{at},{model},{(at * place) % 3},0\n" for place, model in enumerate(models) for at in range(6)]
    Path("answers.csv").write_text("".join(["question_id,model,answer,target\n", *rows]), encoding="utf-8")
    also = ("--with-truth", "the truth.csv") if truth else ()
    done = adjudge("import", "table", "answers.csv", "--out", "predictions.parquet", *also)
    assert done.stderr.endswith(f"the predictions are in predictions.parquet; then:\n  adjudge {words}\n")
    assert adjudge(*shlex.split(words)).returncode in (0, 1)


def test_a_run_that_was_cut_off_is_named_and_not_recommended(tmp_path: Path) -> None:
    rows = [
        f"q{at},{model},{at % 5 == 4 and model == 'whole'},False\n" for model in ("whole", "cut") for at in range(50)
    ]
    rows = [row for row in rows if ",cut," not in row or int(row[1 : row.index(",")]) < 10]
    table, out, truth = tmp_path / "answers.csv", tmp_path / "predictions.parquet", tmp_path / "truth.csv"
    table.write_text("".join(["question_id,model,answer,target\n", *rows]), encoding="utf-8")
    done = adjudge("import", "table", table, "--out", out, "--with-truth", truth)
    assert "The log of cut looks cut off: it has only the first 10 of 50 samples." in flat(done.stdout)
    ranked = json.loads(adjudge("rank", out, "--labels", truth, "--drawn", "uniform", "--json").stdout)
    advice = ranked["recommendation"]
    assert (advice["verdict"], advice["stop"], advice["exact"]) == ("predictions missing", False, False)
    assert advice["lacking"] == {"cut": 40}
    assert sorted(advice["may_be_best"]) == ["cut", "whole"]
    report = tmp_path / "report.html"
    assert adjudge("report", out, "--labels", truth, "--drawn", "uniform", "--out", report).returncode == 0
    assert "cut lacks 40 of 50 predictions" in report.read_text(encoding="utf-8")
    assert "exactly" not in advice["words"][1]


def test_labels_are_read_as_answers_are(tmp_path: Path) -> None:
    log = inspect_log(tmp_path / "a.eval", [inspect_sample(1, "The 155."), inspect_sample(2, "1,234.0")], "a")
    other = inspect_log(tmp_path / "b.json", [inspect_sample(1, "the 155"), inspect_sample(2, "1234")], "b")
    out, labels = tmp_path / "predictions.parquet", tmp_path / "labels.csv"
    done = adjudge("import", "inspect", log, other, "--out", out, "--normalize", "auto")
    assert "4 spellings became 2 answers" in flat(done.stdout)
    labels.write_text(
        "sample_id,label\n"
        + "".join(f"{each}\n" for each in (f'{read(out).samples[0]}," the 155. "', f'{read(out).samples[1]},"1,234."')),
        encoding="utf-8",
    )
    ranked = json.loads(adjudge("rank", out, "--labels", labels, "--drawn", "uniform", "--json").stdout)
    assert {each["value"] for each in ranked["models"]} == {1.0}


def test_answers_as_they_are_written_are_asked_about_once(tmp_path: Path) -> None:
    table, out = tmp_path / "answers.csv", tmp_path / "predictions.parquet"
    rows = [f"q{at},{model},{said}\n" for at in range(9) for model, said in (("x", "Yes"), ("y", "yes"))]
    table.write_text("".join(["question_id,model,response\n", *rows]), encoding="utf-8")
    for how, asks in (([], True), (["--normalize", "none"], False)):
        assert adjudge("import", "table", table, "--out", out, *how).returncode == 0
        assert ("--normalize" in adjudge("rank", out).stderr) == asks


def test_folders_of_the_harness_and_what_is_printed_as_json(tmp_path: Path) -> None:
    out = tmp_path / "predictions.parquet"
    done = adjudge("import", "lm-eval", HARNESS, "--names", "x,y", "--out", out, "--filter", "flexible", "--json")
    told = json.loads(done.stdout)
    assert told["models"] == {"x": 7, "y": 7}
    assert told["tasks"] == ["colors", "sums"]
    assert told["truth"] is None
    assert list(tmp_path.iterdir()) == [out]


def test_tables_take_names_of_columns(tmp_path: Path) -> None:
    file, out = tmp_path / "answers.csv", tmp_path / "predictions.parquet"
    file.write_text("nr,model,reply\n1,a,0.50\n1,b,.5\n2,a,7\n2,b,\n", encoding="utf-8")
    words = ["--column", "sample=nr", "--column", "answer=reply", "--normalize", "numbers"]
    done = adjudge("import", "table", file, *words, "--out", out)
    assert "Answers are blank and not judged: b 1." in flat(done.stdout)
    assert read(out).classes == ("0.5", "7")
    assert read(out, normalize="none").classes == (".5", "0.50", "7")


def refused(done: Done, says: str, folder: Path) -> None:
    assert done.returncode == 2
    assert says in flat(done.stderr)
    assert len(done.stderr.strip().splitlines()) == 1
    assert not list(folder.glob("*.parquet"))


def test_what_is_refused_leaves_nothing_behind(tmp_path: Path) -> None:
    out = ["--out", tmp_path / "predictions.parquet", "--with-truth", tmp_path / "truth.csv"]
    cut = tmp_path / "cut.eval"
    cut.write_bytes(ONE.read_bytes()[:4000])
    refused(adjudge("import", "inspect", cut, TWO, *out), "cut short", tmp_path)
    refused(adjudge("import", "inspect", ONE, COLORS, *out), "no sample in common", tmp_path)
    refused(adjudge("import", "inspect", ONE, ONE, *out), "two runs have the name 'mockllm/one'", tmp_path)
    refused(
        adjudge("import", "inspect", ONE, TWO, "--names", "a", *out),
        f"1 name is given for 2 runs; give one for each, in this order: {ONE}, {TWO}",
        tmp_path,
    )
    refused(adjudge("import", "inspect", ONE, TWO, "--normalize", "x", *out), "'x' is not known", tmp_path)
    table = tmp_path / "answers.csv"
    table.write_text("id,model,text\n1,a,b\n", encoding="utf-8")
    refused(adjudge("import", "table", table, *out), "known to hold the answer", tmp_path)
    refused(adjudge("import", "table", table, "--out", tmp_path / "p.csv"), "use .parquet", tmp_path)
    table.write_text("id,model,answer\n1,a,b\n", encoding="utf-8")
    refused(adjudge("import", "table", table, *out), "no right answer was found", tmp_path)
    refused(adjudge("import", "inspect", ONE, *out[:2], out[2], out[1]), "with --out and --with-truth", tmp_path)
    assert not (tmp_path / "truth.csv").exists()


@pytest.mark.parametrize(
    ("tool", "name", "content"),
    [
        ("inspect", "log.json", {"eval": {"task": "t", "model": "m"}, "samples": [{"id": 1, "scores": [5]}]}),
        ("inspect", "log.json", {"eval": {"task": "t", "model": "m"}, "samples": [{"id": 1, "epoch": "x"}]}),
        ("every-eval-ever", "log.jsonl", {"model_id": "m", "sample_id": 1, "input": 5}),
        ("promptfoo", "log.json", {"results": [{"provider": "m", "vars": "x"}]}),
        ("table", "log.json", {"columns": ["id", "answer"], "data": [5]}),
    ],
)
def test_json_of_another_build_is_one_sentence(tool: str, name: str, content: object, tmp_path: Path) -> None:
    (tmp_path / name).write_text(json.dumps(content), encoding="utf-8")
    refused(adjudge("import", tool, tmp_path / name, "--out", tmp_path / "p.parquet"), "log.json", tmp_path)


def test_a_damaged_log_of_a_folder_is_named(tmp_path: Path) -> None:
    inspect_log(tmp_path / "a.json", [inspect_sample()])
    inspect_log(tmp_path / "b.json", [inspect_sample(choices=5)])
    refused(adjudge("import", "inspect", tmp_path, "--out", tmp_path / "p.parquet"), "b.json cannot be read", tmp_path)


def test_the_right_answers_replace_no_labels_of_people(tmp_path: Path) -> None:
    kept, out = tmp_path / "kept.csv", tmp_path / "predictions.parquet"
    words = ("import", "inspect", ONE, TWO, "--out", out, "--with-truth", kept)
    kept.write_text("sample_id,label\ns1,155\ns2,SKIP\n", encoding="utf-8")
    refused(adjudge(*words), "holds 1 label and 1 skip, which would be lost", tmp_path)
    assert kept.read_text(encoding="utf-8") == "sample_id,label\ns1,155\ns2,SKIP\n"
    kept.unlink()
    assert [adjudge(*words).returncode for _ in range(2)] == [0, 0]  # its own file may be written anew
    table = tmp_path / "answers.parquet"
    shutil.copy(out, table)
    assert "is among the files that are read" in adjudge("import", "table", table, "--out", table).stderr


def test_the_same_model_twice_with_names(tmp_path: Path) -> None:
    done = adjudge("import", "inspect", ONE, ONE, "--names", "old,new", "--out", tmp_path / "predictions.parquet")
    assert done.returncode == 0
    assert read(tmp_path / "predictions.parquet").models == ("old", "new")
    assert f"old={ONE}." in "".join(done.stdout.split())


def test_runs_of_one_name_are_told_apart_by_their_folders(tmp_path: Path) -> None:
    for folder in ("x", "y"):
        (tmp_path / folder).mkdir()
        shutil.copy(ONE, tmp_path / folder)
    logs = [tmp_path / folder / ONE.name for folder in ("x", "y")]
    done = adjudge("import", "inspect", *logs, "--out", tmp_path / "predictions.parquet")
    refused(done, f"({logs[0]} and {logs[1]})", tmp_path)


def test_an_unknown_tool_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the tool 'helm' is not known"):
        import_runs("helm", [], tmp_path / "predictions.parquet")


def test_the_commands_of_the_page_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(ONE, "a.eval")
    shutil.copy(TWO, "b.eval")
    shutil.copytree(HARNESS, "results")
    rows = [
        f"q{sample},{model},{sample % modulus}\n" for model, modulus in (("x", 2), ("y", 3)) for sample in range(60)
    ]
    Path("answers.csv").write_text("".join(["question_id,model,response\n", *rows]), encoding="utf-8")
    scores = [f"q{sample},{1 + sample % 5},{1 + sample % 3}\n" for sample in range(60)]
    Path("judge.csv").write_text("".join(["sample_id,x,y\n", *scores]), encoding="utf-8")
    votes = [f"q{at},x,y,{('x', 'y', 'tie')[at % 3]}\n" for at in range(12)]
    Path("votes.csv").write_text("".join(["question_id,model_a,model_b,winner\n", *votes]), encoding="utf-8")
    runs = [f"q{at},x,{run},{at % (run + 2)},0\n" for at in range(30) for run in (1, 2)]
    Path("runs.csv").write_text("".join(["question_id,model,epoch,response,target\n", *runs]), encoding="utf-8")
    page = (Path(__file__).parents[2] / "docs" / "llm.md").read_text(encoding="utf-8")
    commands = re.findall(r"^\$ adjudge (.*)$", page, re.M)
    assert len(commands) == 16
    for command in commands:
        words = [each for word in shlex.split(command) for each in (glob(word) if "*" in word else [word])]
        if words[0] in ("label", "export"):  # what a person does
            continue
        if "--with-truth" in words:  # each example has its own, which is no reason to lose another
            Path("truth.csv").unlink(missing_ok=True)
        done = adjudge(*words)
        assert done.returncode in (0, 1), done.stderr  # 1: a comparison that shows nothing
        if "--grade" in words:
            fill_grades(Path("grades.csv"), lambda answer: "5" if answer == "0" else "2")


def test_a_class_in_another_spelling_is_taken_with_a_warning(tmp_path: Path) -> None:
    pool, export = tmp_path / "pool.csv", tmp_path / "export.json"
    pool.write_text(WIDE)
    export.write_text(json.dumps([annotated({"data": {"sample_id": "b"}}, "Cat")]))
    words = ["import", "label-studio", pool, "--export", export, "--out", tmp_path / "labels.csv"]
    with pytest.warns(AdjudgeWarning, match="taken for classes in another spelling: 'Cat' as 'cat'"):
        run(*words)
    run(*words, "--classes", "cat,dog,Cat")
