"""A figure with two lines and a level."""

import numpy as np

from adjudge.experiments.outputs import Figure, Line, Panel


def drawing(kind: str) -> Figure:
    x = np.array([1.0, 2.0])
    line = Line("a", x, np.array([0.5, np.nan]), x * 0, x)
    return Figure("f", "F", "labels", "S", (Panel("p", (line, Line("b", x, x)), (("level", 0.7),)),), kind)
