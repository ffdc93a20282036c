"""The documentation tells the truth: pages are fresh, commands print what it says, links lead somewhere."""

import re
import shlex
import shutil
import sys
import tomllib
from pathlib import Path

import console
import decision
import formulas
import generate
import pytest
from markdown import Markdown

import adjudge
from adjudge.cli.main import COMMANDS
from tests.support.commands import adjudge as run_command

ROOT = Path(__file__).parents[1]
PLACES = (ROOT, ROOT / "src" / "adjudge")  # what paths in the documentation are relative to
DOCS = ROOT / "docs"
HOW_TO = ("start.md", *sorted(f"howto/{path.name}" for path in (DOCS / "howto").glob("*.md")))


@pytest.mark.parametrize("name", ["methods.md", "cli.md", "images/layers.svg", "images/which.svg", "schema.json"])
def test_generated_pages_are_fresh(name: str) -> None:
    written = (DOCS / name).read_text(encoding="utf-8")
    assert written == generate.PAGES[name](), "run `make generate`"


@pytest.mark.parametrize("name", HOW_TO)
def test_the_commands_of_a_page_print_what_it_shows(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    page = DOCS / name
    shown = console.rewritten(page, tmp_path, run_command)
    if sys.platform == "linux":  # elsewhere the last bits of a sum may decide otherwise
        assert shown == page.read_text(encoding="utf-8"), "run `make generate`"


def test_the_first_page_says_what_the_start_says() -> None:
    first, start = ((DOCS / name).read_text(encoding="utf-8") for name in ("index.md", "start.md"))
    told = re.findall(r"Deploy \S+|\d+% chance that it is", first)
    assert len(told) == 2
    assert all(each in start for each in told)


def test_every_link_and_picture_of_a_page_is_there() -> None:
    for page in [*ROOT.glob("*.md"), *DOCS.rglob("*.md")]:
        text = re.sub(r"^```.*?^```$|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
        targets = re.findall(r"\]\(([^)#\s]+)[^)]*\)", text)
        missing = [each for each in targets if "://" not in each and not (page.parent / each).exists()]
        assert not missing, f"{page.name} links to {missing}"


def test_every_formula_becomes_one() -> None:
    site = Markdown(extensions=[formulas.Formulas()])
    assert "<math" in site.convert("So $`a_c * b_c`$ costs $5.")
    for page in DOCS.rglob("*.md"):
        for source in re.findall(r"^```math\n(.*?)^```$", page.read_text(encoding="utf-8"), re.M | re.S):
            assert "\\" not in formulas.block(source), f"{page.name} has a word that is not known: {source}"


def test_every_page_is_in_the_navigation_once() -> None:
    config = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    listed = re.findall(r"(?:: |- )([\w/-]+\.md)$", config, re.M)
    assert sorted(listed) == sorted(str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md"))


def test_the_picture_of_the_commands_names_commands_that_are_there() -> None:
    named = {command.split()[0] for rows in decision.QUESTIONS.values() for _, command in rows}
    assert named <= {*COMMANDS, "import"}


def test_every_public_name_is_in_the_reference() -> None:
    page = (DOCS / "python.md").read_text(encoding="utf-8")
    listed = [name for members in re.findall(r"members: \[(.*?)\]", page) for name in members.split(", ")]
    listed += re.findall(r"^::: adjudge\S*\.([A-Z]\w+)$", page, re.M)
    of_dataset = {"batches", "digest", "rows", "transformed"}
    assert len(listed) == len(set(listed))
    assert set(listed) - of_dataset == {name for name in adjudge.__all__ if not name.startswith("_")} - {"SKIP"}


def test_every_file_that_is_named_exists() -> None:
    for page in [*ROOT.glob("*.md"), *DOCS.rglob("*.md")]:
        named = re.findall(r"`([a-z_0-9/]+\.py)`", page.read_text(encoding="utf-8"))
        missing = [path for path in named if not any((base / path).exists() for base in PLACES)]
        assert not missing, f"{page.name} names {missing}"


def test_every_room_is_in_the_table_of_rooms() -> None:
    rows = re.findall(r"^\| `(.*?)` \|", (DOCS / "architecture.md").read_text(encoding="utf-8"), re.M)
    rooms = {path.parent.name + "/" for path in PLACES[1].glob("*/__init__.py")}
    modules = {path.name for path in PLACES[1].glob("*.py") if not path.name.startswith("_")}
    assert set(rows) == rooms | modules


def test_the_extras_of_the_readme_are_there() -> None:
    said = re.findall(r'pip install "\.\[(.*?)\]"', (ROOT / "README.md").read_text(encoding="utf-8"))
    known = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    assert said == ["label", "onnx,images"]
    assert {name for each in said for name in each.split(",")} <= set(known)


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """What `adjudge demo` leaves behind and what it tells; two runs of each method are enough for that."""
    folder = tmp_path_factory.mktemp("docs")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr("adjudge.reports.demo.SEEDS", 2)
        patch.setattr("adjudge.reports.demo.COMPARED", ("random", "sds"))
        done = run_command("demo")
    assert done.returncode == 0, done.stderr
    return folder / "demo", done.stdout


def test_the_readme_s_commands_run(demo: tuple[Path, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(demo[0] / "predictions.csv", "predictions.csv")
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    block = re.search(r"## Use it\n.*?```console\n(.*?)```", text, re.S)
    assert block is not None
    commands = re.findall(r"^\$ (.*)$", block[1], re.M)
    assert len(commands) == 5
    for command in commands:
        words = shlex.split(command, comments=True)
        if "--labels" in words:  # what a person does in between
            shutil.copy(demo[0] / "labels.csv", "labels.csv")
        assert words[0] == "adjudge"
        done = run_command(*words[1:])
        assert done.returncode == 0, done.stderr


def test_the_demo_s_next_commands_run(demo: tuple[Path, str], monkeypatch: pytest.MonkeyPatch) -> None:
    folder, told = demo
    monkeypatch.chdir(folder.parent)
    commands = re.findall(r"^  \S*adjudge (.*)$", told, re.M)
    assert len(commands) == 3
    for command in commands:
        words = shlex.split(command)
        fewer = ("--seeds", "2") if words[0] == "simulate" else ()  # its twenty runs take as long as the whole demo
        done = run_command(*words, *fewer)
        assert done.returncode == 0, done.stderr
