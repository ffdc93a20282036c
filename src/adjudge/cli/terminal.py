"""Labeling in the terminal: a sample, a question, an answer."""

from typing import TYPE_CHECKING

from adjudge.cli.output import busy, note, screen

if TYPE_CHECKING:
    from pathlib import Path

    from adjudge.core.predictions import Predictions
    from adjudge.labeling.session.answers import GivenAnswer
    from adjudge.labeling.session.project import Project
    from adjudge.labeling.session.session import Session
    from adjudge.labeling.session.work import Look, Work
    from adjudge.models.datasets.contents import Content

ALWAYS = "s to skip, u to undo, r for the ranking, q to stop"
HELP = f"a class or its number, +name for a new class, {ALWAYS}"
OPEN_HELP = (
    f"the number of the right answer, 0 if none is right, +text for another one, =1 2 if two are the same, {ALWAYS}"
)
GRADE_HELP = f"a grade from {{:g}} to {{:g}} for each answer in this order, with blanks between, {ALWAYS}"


def label_here(project: "Project", database: str | None, person: str) -> None:
    """Ask for one label after the other, until the person stops or nothing is left."""
    from adjudge.errors import InputError
    from adjudge.labeling.session.answers import answers_to
    from adjudge.labeling.session.background import keep_ready, look_at
    from adjudge.labeling.session.review import unmerge
    from adjudge.labeling.session.session import Session
    from adjudge.labeling.session.work import Work
    from adjudge.models.datasets.contents import Samples

    session, work = Session.open(project, database), Work.on(project)
    data = project.path_of(project.settings.data)
    samples = Samples.of(project.predictions, data)
    with busy("choosing the first sample"):
        keep_ready(session, work, 1)
    told, merged = _help(project.predictions), None
    if told == HELP:
        _list_classes(project.predictions)
    note(told)
    while True:
        keep_ready(session, work, 1)
        cards = session.next(person)
        if not cards:
            note(f"nothing is left to label{_used_up(session)}")
            break
        answers = [] if told == HELP else answers_to(session.pool, cards[0].sample)
        _show_sample(cards[0].name, samples.content(cards[0].sample), answers, data)
        if (said := _asked()) == "q":
            break
        try:
            if said == "r":
                _show(look_at(session, work), project.settings.metric)
            elif said == "u" and merged is not None:
                unmerge(session, person, merged)
                merged = None
            else:
                merged = _take(session, person, cards[0].lease, said, answers)
        except InputError as problem:
            note(f"{problem} ({told})")
    _end(session, work)


def _used_up(session: "Session") -> str:
    """That the budget is used up, if there are other samples."""
    budget = session.project.settings.budget
    if budget is None or len(session.ledger.picks) >= len(session.project.predictions.samples):
        return ""
    return f" of the {budget:,} samples of the budget; for more, export the labels and begin a project with --labels"


def _end(session: "Session", work: "Work") -> None:
    """Show what the labels come to, and say where they are."""
    from adjudge.errors import NotEnoughLabels
    from adjudge.labeling.session.background import look_at

    try:
        _show(look_at(session, work), session.project.settings.metric)
    except NotEnoughLabels as problem:
        note(str(problem))
    session.close()
    where = session.project.folder
    note(
        f"the labels are in {where}; to go on: adjudge label {where} --terminal; to write them to a file: "
        f"adjudge export log {where} --out labels.csv"
    )


def _asked() -> str:
    try:
        return screen().input("label> ").strip()
    except (EOFError, KeyboardInterrupt):
        return "q"


def _show_sample(name: str, content: "Content", answers: "list[GivenAnswer]", data: "Path | None") -> None:
    from adjudge.core.index import counted

    console = screen()
    console.rule(name, align="left")
    for line in (content.text, *(f"{name}: {value}" for name, value in content.fields.items())):
        if line:
            console.print(line, markup=False)
    if content.media:
        console.print(f"{content.media}: a terminal cannot show it, look into {data}", markup=False)
    for number, answer in enumerate(answers, start=1):
        console.print(f"{number:3}  {answer.text}  ({counted(answer.models, 'model')})", markup=False)


def _help(predictions: "Predictions") -> str:
    """What may be typed."""
    from adjudge.io.labels.values import has_open_answers

    if predictions.grades is not None and predictions.grades.span is not None:
        return GRADE_HELP.format(*predictions.grades.span)
    return OPEN_HELP if has_open_answers(predictions) else HELP


def _take(session: "Session", person: str, lease: int, said: str, answers: "list[GivenAnswer]") -> int | None:
    """Do what was typed; the number of the merge, if it was one."""
    from adjudge.core.labels import SKIP
    from adjudge.errors import LabelsError
    from adjudge.labeling.session.review import merge

    if said == "u":
        session.undo(person)
    elif said == "s":
        session.answer(person, lease, SKIP)
    elif not said:
        raise LabelsError("nothing was typed")
    elif session.pool.grades is not None:
        session.answer(person, lease, _grades(said, answers))
    elif answers and said.startswith("="):
        one, other = _two(said[1:], answers)
        number = merge(session, person, one, other)
        note(f"{one} and {other} are one answer now, wherever they occur; u takes it back")
        return number
    else:
        session.answer(person, lease, _listed(said, answers) if answers else _meant(said, session.pool))
    return None


def _grades(said: str, answers: "list[GivenAnswer]") -> str:
    """The grades of the answers, as they are listed, in the order in which they are kept."""
    import json

    from adjudge.errors import LabelsError

    told = said.split()
    try:
        grades = [float(each.replace(",", ".")) for each in told]
    except ValueError:
        raise LabelsError(f"{said!r} is not a list of numbers") from None
    if len(grades) != len(answers):
        raise LabelsError(f"{len(grades):,} grades were typed for {len(answers):,} answers")
    kept = dict(zip((answer.number for answer in answers), grades, strict=True))
    return json.dumps([kept[number] for number in sorted(kept)])


def _two(said: str, answers: "list[GivenAnswer]") -> tuple[str, str]:
    """Two answers by their numbers in the list."""
    from adjudge.errors import LabelsError

    numbers = said.split()
    if len(numbers) != 2 or "0" in numbers or numbers[0] == numbers[1]:
        raise LabelsError(f"={said} does not name two answers by their numbers")
    return _listed(numbers[0], answers), _listed(numbers[1], answers)


def _listed(said: str, answers: "list[GivenAnswer]") -> str:
    """An answer by its number in the list; another one needs a plus sign, since answers may be numbers too."""
    from adjudge.core.labels import NONE_RIGHT
    from adjudge.errors import LabelsError

    if said.startswith("+"):
        return said[1:]
    if not said.isdecimal() or int(said) > len(answers):
        raise LabelsError(f"{said!r} is not the number of an answer")
    return answers[int(said) - 1].text if int(said) else NONE_RIGHT


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


def _show(look: "Look", metric: str | None) -> None:
    from adjudge.reports.stops import no_rule, standing_sentence
    from adjudge.reports.tables import print_advice, ranking_table

    console = screen()
    assert look.ranking.recommendation is not None
    print_advice(look.ranking.recommendation, console)
    holds = "at any time" if look.standing else "interval"
    console.print(ranking_table(look.ranking, console.width, most=10, holds=holds))
    console.print(no_rule(metric) if look.standing is None else standing_sentence(look.standing), markup=False)
