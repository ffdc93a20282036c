"""What votes say about samples, as a table and in words."""

import numpy as np
from rich.table import Table
from rich.text import Text

from adjudge.charts.cells import number
from adjudge.core.index import counted, ids_at
from adjudge.decisions.item_analysis import MEASURES, ItemAnalysis
from adjudge.reports.plain import plain

SHOWN = 10  # samples from each end
MEANING = {
    "discrimination": "By discrimination: labels of the first samples separate the best models from the worst, "
    "as far as the vote is right; those of the last tell little, or contradict the vote.",
    "difficulty": "By difficulty: the first samples are the hardest, on which a good model is hardly more often right "
    "than another.",
}


def samples_table(found: ItemAnalysis, by: str) -> Table:
    """The samples from both ends of the order."""
    order = found.order(by)
    cut = len(order) > 2 * SHOWN
    ends = np.concatenate([order[:SHOWN], order[-SHOWN:]]) if cut else order
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("sample", overflow="fold", min_width=8)
    for name in MEASURES:
        table.add_column(name, justify="right")
    for row, (sample, name) in enumerate(zip(ends, ids_at(found.samples, ends), strict=True)):
        if cut and row == SHOWN:
            table.add_row("...")
        table.add_row(Text(name), *(number(plain(getattr(found, measure)[sample])) for measure in MEASURES))
    return table


def samples_sentences(found: ItemAnalysis, by: str) -> list[str]:
    """What the order means, and what is not in it."""
    unknown = len(found.samples) - len(found.order(by))
    sentences = [MEANING[by]] if unknown < len(found.samples) else []
    if unknown:
        lacking = "no model said anything" if by == "discrimination" else "all models that said anything agree"
        sentences.append(f"No {by} is known for {counted(unknown, 'sample')}: {lacking} there.")
    return sentences
