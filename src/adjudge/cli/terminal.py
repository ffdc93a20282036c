"""Labeling in the terminal: a sample, a question, an answer."""

from typing import TYPE_CHECKING

from adjudge.cli.output import busy, note, screen

if TYPE_CHECKING:
    from adjudge.core.predictions import Predictions
    from adjudge.labeling.session.project import Project
    from adjudge.labeling.session.session import Session
    from adjudge.labeling.session.work import Look

HELP = "a class or its number, +name for a new class, s to skip, u to undo, r for the ranking, q to stop"


def label_here(project: "Project", database: str | None, person: str) -> None:
    """Ask for one label after the other, until the person stops or nothing is left."""
    from adjudge.errors import InputError
    from adjudge.labeling.session.background import keep_ready, look_at
    from adjudge.labeling.session.session import Session
    from adjudge.labeling.session.work import Work
    from adjudge.models.datasets.contents import Samples

    session, work = Session.open(project, database), Work.on(project)
    data = project.path_of(project.settings.data)
    samples = Samples.of(project.predictions, data)
    console = screen()
    with busy("choosing the first sample"):
        keep_ready(session, work, 1)
    _list_classes(project.predictions)
    while True:
        keep_ready(session, work, 1)
        cards = session.next(person)
        if not cards:
            note("nothing is left to label")
            break
        content = samples.content(cards[0].sample)
        console.rule(cards[0].name, align="left")
        for line in (content.text, *(f"{name}: {value}" for name, value in content.fields.items())):
            if line:
                console.print(line, markup=False)
        if content.media:
            console.print(f"{content.media}: a terminal cannot show it, look into {data}", markup=False)
        try:
            said = console.input("label> ").strip()
        except (EOFError, KeyboardInterrupt):
            said = "q"
        if said == "q":
            break
        try:
            if said == "r":
                _show(look_at(session, work))
            else:
                _take(session, person, cards[0].lease, said)
        except InputError as problem:
            note(f"{problem} ({HELP})")
    _show(look_at(session, work))
    session.close()
    where = project.folder
    note(
        f"the labels are in {where}; to go on: adjudge label {where} --terminal; to write them to a file: "
        f"adjudge export log {where} --out labels.csv"
    )


def _take(session: "Session", person: str, lease: int, said: str) -> None:
    from adjudge.core.labels import SKIP
    from adjudge.errors import LabelsError

    if said == "u":
        session.undo(person)
    elif said == "s":
        session.answer(person, lease, SKIP)
    elif not said:
        raise LabelsError("nothing was typed")
    else:
        session.answer(person, lease, _meant(said, session.project.predictions))


def _meant(said: str, predictions: "Predictions") -> str:
    """A class by its name or its number in the list; a new one needs a plus sign, so that a slip adds none."""
    from adjudge.errors import LabelsError
    from adjudge.io.labels.values import as_written, parse_labels

    classes = predictions.classes
    if classes is None or said in classes:
        return said
    if said.startswith("+"):
        return said[1:]
    if not parse_labels(as_written([said]), predictions, declared=False).new:
        return said
    if said.isdecimal() and 0 < int(said) <= len(classes):
        return classes[int(said) - 1]
    raise LabelsError(f"{said!r} is not a class")


def _list_classes(predictions: "Predictions") -> None:
    for number, name in enumerate((predictions.classes or ())[:50], start=1):
        note(f"{number:3}  {name}")
    note(HELP)


def _show(look: "Look") -> None:
    from adjudge.reports.stops import NO_RULE, standing_sentence
    from adjudge.reports.tables import print_advice, ranking_table

    console = screen()
    assert look.ranking.recommendation is not None
    print_advice(look.ranking.recommendation, console)
    holds = "at any time" if look.standing else "interval"
    console.print(ranking_table(look.ranking, console.width, most=10, holds=holds))
    console.print(NO_RULE if look.standing is None else standing_sentence(look.standing), markup=False)
