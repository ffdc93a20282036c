"""Tables and figures as plain data: experiments make them, reports draw them."""

from dataclasses import dataclass
from math import isnan
from typing import NamedTuple

from adjudge.core.arrays import FloatArray

MISSING = "-"  # a cell whose data is not there; never filled with anything else


class Cell(NamedTuple):
    """Text of a table, perhaps set off."""

    text: str
    bold: bool = False  # the best of its row
    shaded: bool = False  # a method that ours beats, as the papers shade it


@dataclass(frozen=True)
class Grid:
    """A table; `name` is its file name."""

    name: str
    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""


@dataclass(frozen=True, eq=False)
class Line:
    """A curve with an optional band; or bars, or points."""

    label: str
    x: FloatArray
    y: FloatArray
    low: FloatArray | None = None
    high: FloatArray | None = None


@dataclass(frozen=True, eq=False)
class Panel:
    """One subfigure; `levels` are horizontal lines with their names, `ticks` places on the x axis with theirs."""

    title: str
    lines: tuple[Line, ...]
    levels: tuple[tuple[str, float], ...] = ()
    ticks: tuple[tuple[str, float], ...] = ()  # without them, numbers


@dataclass(frozen=True, eq=False)
class Figure:
    """A figure of panels, none where no task has what it shows; `kind` is lines, bars, points or heat.

    In a heat map each line is a row, `y` what its colors mean.
    """

    name: str
    title: str
    x: str
    y: str
    panels: tuple[Panel, ...]
    kind: str = "lines"
    note: str = ""
    labels: tuple[str, ...] = ()  # the order of the legend; without it, that in which lines come


Output = Grid | Figure


def cell(value: float | None, digits: int = 3, *, bold: bool = False, shaded: bool = False) -> Cell:
    """A number, or the mark of a missing one.

    >>> cell(0.12345), cell(None)
    (Cell(text='0.123', bold=False, shaded=False), Cell(text='-', bold=False, shaded=False))
    """
    if value is None or isnan(value):
        return Cell(MISSING)
    return Cell(f"{value:.{digits}f}", bold, shaded)


def paper(name: str) -> Cell:
    """What a row of published numbers is called, so that nobody takes them for measured ones.

    >>> paper("MNIST").text
    'paper: MNIST'
    """
    return Cell(f"paper: {name}")
