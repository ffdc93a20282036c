"""Write a report, as HTML, Markdown or JSON by the ending of the file."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from adjudge.core.index import counted
from adjudge.io import atomic_write
from adjudge.io.files import PathLike, check_target
from adjudge.io.given import LabelsLike, PredictionsLike, given_pool
from adjudge.reports.page import Document, Section, page
from adjudge.reports.report.facts import report_facts
from adjudge.reports.report.gather import Progress, Report, ReportOptions, gather
from adjudge.reports.report.markdown import markdown
from adjudge.reports.report.sections import sections

ENDINGS = (".html", ".md", ".json")


def report(
    predictions: PredictionsLike,
    labels: LabelsLike | None = None,
    out: PathLike = "report.html",
    *,
    options: ReportOptions | None = None,
    progress: Progress = lambda done, total: None,
) -> Report:
    """Write the report on a pool and its labels to one file that needs no other: HTML, Markdown or JSON by its ending.

    It has the recommendation, the ranking with what is likely and what is shown, the chance of being best as labels
    came in, who beats whom, which models fail together, the most contested samples, and how labels were drawn.

    Parameters
    ----------
    progress
        Is called with how many steps of how many are done.

    Examples
    --------
    >>> from adjudge import fill, from_frame, select
    >>> pool = from_frame({"id": list("abcd"), "net": ["cat", "dog", "cat", "cat"], "tree": ["cat"] * 4})
    >>> labels = fill(select(pool, 4), pool, {"a": "cat", "b": "dog", "c": "dog", "d": "cat"})
    >>> folder = getfixture("tmp_path")
    >>> report(pool, labels, folder / "report.md").ranking.models
    ('net', 'tree')
    >>> (folder / "report.md").read_text().splitlines()[2]
    '**Deploy net.**'
    """
    check_target(out, ENDINGS)
    found = gather(*given_pool(predictions, labels), options, progress)
    write(found, out)
    return replace(found, path=Path(out))


def write(found: Report, out: PathLike, more: Sequence[Section] = ()) -> None:
    """Write a report that is gathered; `more` sections come at its end."""
    ending = Path(out).suffix.lower()
    if ending == ".json":
        text = json.dumps(report_facts(found), indent=1, allow_nan=False, ensure_ascii=False) + "\n"
    else:
        (_, lead), *terms = found.advice.words
        command = found.advice.next.command
        document = Document(found.title, lead, [*sections(found), *more], terms, command, about(found))
        text = markdown(document) if ending == ".md" else page(document)
    with atomic_write(Path(out)) as file:
        file.write(text.encode())


def about(found: Report) -> str:
    """What the report is about, in a line."""
    models, samples = found.predictions.values.shape
    return f"{counted(models, 'model')}, {counted(samples, 'sample')}, {counted(found.labels.labeled, 'label')}."
