"""Build what would be released, install it in a fresh environment, and run what the README says there.

Everything happens in a temporary folder, which is removed. The first thing that is not as it should be ends it, with
exit code 1.
"""

import argparse
import csv
import os
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SAMPLES = 200


def run(*words: str | Path, cwd: Path) -> str:
    """What the command prints; the user's own Python settings play no part."""
    env = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")}
    done = subprocess.run([str(word) for word in words], cwd=cwd, env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{shlex.join(map(str, words))} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def build(folder: Path) -> tuple[Path, Path]:
    """The sdist, and the wheel as it is made from the unpacked sdist, by whoever has no checkout."""
    hatchling = [sys.executable, "-m", "hatchling", "build", "-d", str(folder / "dist")]
    run(*hatchling, "-t", "sdist", cwd=ROOT)
    (sdist,) = (folder / "dist").glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        archive.extractall(folder / "unpacked", filter="data")
    (unpacked,) = (folder / "unpacked").iterdir()
    run(*hatchling, "-t", "wheel", cwd=unpacked)
    (wheel,) = (folder / "dist").glob("*.whl")
    return sdist, wheel


def check_files(wheel: Path) -> None:
    """Every file of the package is in the wheel: code, templates, scripts of the page, migrations."""
    tracked = run("git", "ls-files", "src/adjudge", cwd=ROOT).splitlines()
    with zipfile.ZipFile(wheel) as archive:
        held = set(archive.namelist())
    if missing := sorted({name.removeprefix("src/") for name in tracked} - held):
        sys.exit(f"{wheel.name} lacks {', '.join(missing)}")


def check_tag(tag: str, wheel: Path) -> None:
    """The tag, the version, and a section of the changelog belong together."""
    version = wheel.name.split("-")[1]
    if tag != f"v{version}":
        sys.exit(f"the tag is {tag} and the version {version}; set src/adjudge/_version.py, or tag v{version}")
    if f"\n## [{version}]" not in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"):
        sys.exit(f"CHANGELOG.md has no section [{version}]; move what is under [Unreleased] there")


def write_pool(path: Path) -> dict[str, str]:
    """A small pool of three models, and the true classes by sample."""
    truth = {f"img-{number:03d}": ("cat", "dog")[number * 7 % 3 % 2] for number in range(SAMPLES)}
    other = {"cat": "dog", "dog": "cat"}
    wrong = {"net": 12, "forest": 7, "rules": 3}  # every so many samples
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(["sample_id", *wrong])
        for number, (sample, right) in enumerate(truth.items()):
            table.writerow([sample, *(right if number % each else other[right] for each in wrong.values())])
    return truth


def fill(path: Path, truth: dict[str, str]) -> None:
    """What a person does after `select`."""
    with path.open(encoding="utf-8", newline="") as file:
        lines = file.read().splitlines(keepends=True)
    notes = [line for line in lines if line.startswith("#")]
    rows = list(csv.DictReader(line for line in lines if not line.startswith("#")))
    with path.open("w", encoding="utf-8", newline="") as file:
        file.writelines(notes)
        table = csv.DictWriter(file, rows[0])
        table.writeheader()
        table.writerows(row | {"label": truth[row["sample_id"]]} for row in rows)


def run_readme(programs: Path, folder: Path) -> None:
    """The README's commands from `check` on, and its Python examples."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    block = re.search(r"```console\n(\$ adjudge check .*?)```", text, re.S)
    commands = [shlex.split(line.removeprefix("$ "), comments=True) for line in block[1].splitlines()] if block else []
    if [words[1] for words in commands] != ["check", "rank", "select", "rank", "report"]:
        sys.exit("the README's commands from `check` on are others than this script expects; look at it too")
    truth, said = write_pool(folder / "predictions.csv"), []
    for words in commands:
        if "--labels" in words:
            fill(folder / "labels.csv", truth)
        print(f"  {shlex.join(words)}", flush=True)
        said.append(run(programs / words[0], *words[1:], cwd=folder))
    if not re.search(r"^\s*1\s+net\b", said[3], re.M):
        sys.exit(f"net is the best model, but `rank` says:\n{said[3]}")
    if "net" not in (folder / "report.html").read_text(encoding="utf-8"):
        sys.exit("the report does not name net, which is the best model")
    shutil.copy(ROOT / "README.md", folder)
    print("  python -m doctest README.md", flush=True)
    options = ["-o", "NORMALIZE_WHITESPACE", "-o", "ELLIPSIS"]
    run(programs / "python", "-m", "doctest", *options, "README.md", cwd=folder)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--tag", help="the tag of the release; it must be that of the version")
    parser.add_argument("--out", type=Path, help="a folder for the files that were checked")
    told = parser.parse_args()
    before = run("git", "status", "--porcelain", cwd=ROOT)
    with tempfile.TemporaryDirectory(prefix="adjudge-release-") as name:
        folder = Path(name)
        sdist, wheel = build(folder)
        print(f"built {sdist.name} and {wheel.name}", flush=True)
        check_files(wheel)
        if told.tag:
            check_tag(told.tag, wheel)
        venv.create(folder / "venv", with_pip=True)
        programs = folder / "venv" / "bin"
        run(programs / "pip", "install", "--quiet", "--disable-pip-version-check", wheel, cwd=folder)
        run(programs / "pip", "check", cwd=folder)
        print("installed in a fresh environment; there:", flush=True)
        (folder / "work").mkdir()
        run_readme(programs, folder / "work")
        if told.out:
            told.out.mkdir(parents=True, exist_ok=True)
            for file in (sdist, wheel):
                shutil.copy(file, told.out)
    if run("git", "status", "--porcelain", cwd=ROOT) != before:
        sys.exit("the checkout is not as it was; see git status")
    print("all as it should be")


if __name__ == "__main__":
    main()
