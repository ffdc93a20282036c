"""Tables of LaF, and the rule by which tasks are clean or shifted."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from adjudge.core.arrays import FloatArray
from adjudge.experiments.indicators import measured, title_of
from adjudge.experiments.jobs import Outcome
from adjudge.experiments.outputs import MISSING, Cell, Grid, cell
from adjudge.experiments.rankings import Rankings, Runs
from adjudge.experiments.tasks import Task

Outcomes = Mapping[tuple[str, str], Outcome]  # by task and name of the method
SHIFT = re.compile(r"(?P<clean>.+)_(?P<kind>[^_].*?[^_\d])_?(?P<severity>[1-5])")
NATURAL = {"drift", "ood", "shift"}  # words of a task's name
SEVERITIES = (1, 2, 3, 4, 5)  # Table 2
CORRUPTIONS = (  # Table 2
    "gaussian noise shot noise impulse noise defocus blur frosted glass blur motion blur zoom blur".split()
)
SIGNIFICANT = 0.05  # Section 5.1
GOOD = 0.7  # correlations below this are marked in Figure 7
QUALITY, DIVERSITY = 0.5, 0.18  # the rule of thumb (Section 5.3)
