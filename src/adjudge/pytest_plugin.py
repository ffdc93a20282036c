"""The `adjudge` fixture of pytest: assertions that one model is better, or not worse, than another.

An assertion has three outcomes, not two: the claim is shown (the test passes), refuted (it fails), or there are not
enough labels to tell (it fails and says how many are missing, or is skipped if the project says so). The same files
give the same outcome, and intervals hold however often the test runs as labels come in, so it does not flake.
"""

import os
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

if TYPE_CHECKING:
    from adjudge.core.arrays import Frame
    from adjudge.core.labels import Labels
    from adjudge.core.predictions import Predictions
    from adjudge.decisions.comparison import Comparison

PREDICTIONS, LABELS, UNDECIDED_SETTING = "adjudge_predictions", "adjudge_labels", "adjudge_undecided"
FAIL, SKIP = "fail", "skip"
TOLD = "adjudge"  # the name of a verdict among the properties of a test, which reach the report from any process


@dataclass(frozen=True)
class Gate:
    """What a test says about two models of a pool.

    Examples
    --------
    With `adjudge_predictions = predictions.csv` and `adjudge_labels = labels.csv` under `[pytest]`::

        def test_release(adjudge):
            adjudge.assert_not_worse("new", "old", margin=0.01)
    """

    request: pytest.FixtureRequest

    def assert_not_worse(self, new: str, old: str, *, margin: float, **options: Any) -> "Comparison":
        """Fail unless it is shown that the new model is less than the margin worse.

        Parameters
        ----------
        margin
            In units of the metric: 0.01 is one point of accuracy.
        options
            `predictions` and `labels`, files or objects, if not those of the settings; `drawn="uniform"` for labels of
            a plain random draw, as `read_labels` takes it; whatever else `adjudge.compare` takes, such as `level`.

        Returns
        -------
        Comparison
            The difference with its interval, for further assertions.
        """
        return self._assert(new, old, "non-inferior", margin, options)

    def assert_better(self, new: str, old: str, *, margin: float = 0.0, **options: Any) -> "Comparison":
        """Fail unless it is shown that the new model is better by more than the margin; options are the same."""
        return self._assert(new, old, "superior", margin, options)

    def _assert(self, new: str, old: str, test: str, margin: float, options: dict[str, Any]) -> "Comparison":
        __tracebackhide__ = True  # a failed test shows its own line, not this one
        from adjudge.decisions.compare import compare
        from adjudge.decisions.comparison import REFUTED, UNDECIDED
        from adjudge.errors import AdjudgeError, NotEnoughLabels
        from adjudge.reports.pairs import FIRST, draw_command, more_command, verdict_sentence

        files = self._files(options)
        problem, unlabeled = "", False
        try:
            pool, log = self._read(*(options.pop(name, None) for name in ("predictions", "labels", "drawn")))
            found = compare(pool, new, old, log, test=test, margin=margin, **{"anytime": True} | options)
        except AdjudgeError as raised:
            problem, unlabeled = str(raised), isinstance(raised, NotEnoughLabels)
        if unlabeled:
            more = f", or draw others: {draw_command(files[0], (new, old), FIRST, files[1])}" if files else ""
            self._undecided(f"{UNDECIDED}. {problem}{more}")
        if problem:  # outside of `except`, so that pytest shows no chain of errors
            pytest.fail(f"adjudge: {problem}", pytrace=False)
        sentence = verdict_sentence(found, more_command(found, *files) if files else None)
        if not found.holds and found.verdict != REFUTED:
            self._undecided(sentence)
        self._tell(sentence)
        if not found.holds:
            pytest.fail(sentence, pytrace=False)
        return found

    def _tell(self, sentence: str) -> None:
        self.request.node.user_properties.append((TOLD, sentence))

    def _undecided(self, sentence: str) -> NoReturn:
        """End the test as the project wants it where labels do not tell."""
        __tracebackhide__ = True
        self._tell(sentence)
        if self._setting(UNDECIDED_SETTING, FAIL) == SKIP:
            pytest.skip(sentence)
        pytest.fail(sentence, pytrace=False)

    def _files(self, options: dict[str, Any]) -> tuple[str, str] | None:
        """The predictions and the labels as words of a command; None if not both are files."""
        named = (("predictions", PREDICTIONS), ("labels", LABELS))
        told = [self._setting(setting, "") if options.get(name) is None else options[name] for name, setting in named]
        if not all(isinstance(each, str | Path) and str(each) for each in told):
            return None
        root = self.request.config.rootpath  # a command is given where pytest was started
        predictions, labels = (shlex.quote(os.path.relpath(root / each)) for each in told)
        drawn = options.get("drawn")
        return predictions, labels if drawn is None else f"{labels} --drawn {drawn}"

    def _read(
        self,
        predictions: "Predictions | Frame | str | Path | None",
        labels: "Labels | Frame | str | Path | None",
        drawn: str | None,
    ) -> "tuple[Predictions, Labels]":
        from adjudge.core.labels import Labels
        from adjudge.io.given import given_predictions
        from adjudge.io.labels.log import read_labels
        from adjudge.io.predictions.read import read
        from adjudge.losses.loss import graded_samples

        if predictions is None or isinstance(predictions, str | Path):
            pool = read(self._file(predictions, PREDICTIONS, "predictions"))
        else:
            pool = given_predictions(predictions)
        if isinstance(labels, Labels):
            return pool, labels
        known = graded_samples(pool)
        if known is not None and labels is None and not self._setting(LABELS, ""):
            return pool, known  # scores need no labels
        given = self._file(labels, LABELS, "labels") if labels is None or isinstance(labels, str | Path) else labels
        return read_labels(given, pool, drawn=drawn)

    def _file(self, given: str | Path | None, setting: str, argument: str) -> Path:
        """The file that the test or the settings name; names are relative to the root of the tests."""
        from adjudge.errors import InputError

        name = given or self._setting(setting, "")
        if not name:
            lacking = [each for each in (PREDICTIONS, LABELS) if each == setting or not self._setting(each, "")]
            lines = " and ".join(f"`{each} = FILE`" for each in lacking)
            raise InputError(f"no {argument} are named; add {lines} to [pytest] in pytest.ini, or pass {argument}=FILE")
        return self.request.config.rootpath / name

    def _setting(self, name: str, default: str) -> str:
        return str(self.request.config.getini(name) or default)


@pytest.fixture
def adjudge(request: pytest.FixtureRequest) -> Gate:
    """Assertions about two models: `adjudge.assert_not_worse("new", "old", margin=0.01)`."""
    return Gate(request)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Register the settings of a project."""
    parser.addini(PREDICTIONS, "predictions of the models, for the fixture `adjudge`")
    parser.addini(LABELS, "the log of labels, for the fixture `adjudge`")
    parser.addini(UNDECIDED_SETTING, f"what a test does if there are not enough labels: {FAIL} or {SKIP}", default=FAIL)


def pytest_configure(config: pytest.Config) -> None:
    """Check the settings once."""
    if (told := config.getini(UNDECIDED_SETTING)) not in (FAIL, SKIP):
        raise pytest.UsageError(f"{UNDECIDED_SETTING} = {told} is not known; use {FAIL} or {SKIP}")


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Show every verdict, also of tests that passed: the difference is worth a look."""
    reports = [report for each in terminalreporter.stats.values() for report in each if hasattr(report, "when")]
    told = [
        f"{report.nodeid}: {sentence}"
        for report in reports
        if report.when == "call"
        for name, sentence in report.user_properties
        if name == TOLD
    ]
    if told:
        terminalreporter.section("adjudge")
        for line in told:
            terminalreporter.line(line)
