"""CPU seconds against the size of a pool of 100 models and 10 classes, in a table and with `--figure` as a picture.

Usage: python benchmarks/sizes.py [--largest 1000000000] [--longest 60] [--figure FILE.svg]

Pools are npy files, read within 500 MB: the largest are read in parts. A line ends where ten times its last CPU seconds
would be more than `--longest`.
"""

import argparse
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
from scale import plain_read, scores
from timed import pool_of, seconds

from adjudge.charts.chart import Row, chart, top_legend
from adjudge.core.cache import cache
from adjudge.core.labels import Labels
from adjudge.core.ranking import Ranker
from adjudge.decisions.screening import screen
from adjudge.io import read
from adjudge.io.files import atomic_write
from adjudge.methods.papers.laf import LaF
from adjudge.methods.peers.dawid_skene import DawidSkene

MODELS, MEMORY = 100, "500MB"


def rank_by(ranker: Ranker, path: Path) -> None:
    pool = read(path, memory=MEMORY)
    ranker.rank(pool, Labels.empty(pool.values.shape[1]))


WORK: dict[str, Callable[[Path], object]] = {
    "plain read": plain_read,
    "vote, agreement, SDS": lambda path: scores(path, MEMORY),
    "check": lambda path: screen(read(path, memory=MEMORY)),
    "dawid-skene": lambda path: rank_by(DawidSkene(), path),
    "laf": lambda path: rank_by(LaF(), path),
}


def measured(largest: int, longest: float) -> list[Row]:
    """CPU seconds by work and size."""
    rows: list[Row] = []
    last = dict.fromkeys(WORK, 0.0)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pool.npy"
        np.save(path, pool_of(MODELS, 1000, 10).values)
        for call in WORK.values():
            call(path)  # compiles
        cells = 10**5
        while cells <= largest:
            np.save(path, pool_of(MODELS, cells // MODELS, 10).values)
            for what, call in WORK.items():
                if 10 * last[what] > longest:
                    continue
                cache.clear()
                last[what] = seconds(lambda call=call: call(path), times=3 if cells < 10**8 else 1)  # type: ignore[misc]
                rows.append({"what": what, "cells": cells, "seconds": last[what]})
                print(f"{what:24s} {cells:16,d} {last[what]:10.4f}", flush=True)
            cells *= 10
    return rows


def draw(rows: list[Row], file: Path) -> None:
    import vl_convert

    def axis(name: str, title: str) -> Row:
        powers = [10.0**power for power in range(-4, 12)]
        shown = {"values": powers, "labelExpr": "'10^' + round(log(datum.value) / log(10))", "labelFlush": False}
        return {"field": name, "type": "quantitative", "scale": {"type": "log"}, "title": title, "axis": shown}

    drawn = chart(
        520,
        320,
        rows,
        mark={"type": "line", "point": True},
        encoding={
            "x": axis("cells", "predictions (100 models)"),
            "y": axis("seconds", "CPU seconds"),
            "color": {"field": "what", "type": "nominal", "sort": list(WORK), "legend": top_legend(5)},
        },
    )
    with atomic_write(file) as out:
        out.write(vl_convert.vegalite_to_svg(drawn.to_dict() | {"background": "white"}).encode())


def main() -> None:
    told = argparse.ArgumentParser(description=__doc__)
    told.add_argument("--largest", type=int, default=10**7, help="predictions of the largest pool")
    told.add_argument("--longest", type=float, default=60.0, help="CPU seconds that a call may take")
    told.add_argument("--figure", type=Path, help="an SVG file to draw into")
    asked = told.parse_args()
    rows = measured(asked.largest, asked.longest)
    if asked.figure:
        draw(rows, asked.figure)


if __name__ == "__main__":
    main()
