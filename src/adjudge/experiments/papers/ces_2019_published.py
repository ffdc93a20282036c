"""What Li et al. 2019 (CES) published, and what is stored with their programs, by task and model of ours."""

from collections.abc import Mapping

from adjudge.experiments.outputs import MISSING, Cell

MNIST, DRIVING = "mnist_ces", "driving_dave"  # our tasks with the authors' own models
Place = tuple[str, str]  # task, model
Column = Mapping[Place, str]


def _column(task: str, told: str) -> dict[Place, str]:
    """Numbers by task and model, from 'model number, model number'."""
    return {(task, model): number for model, number in (each.split() for each in told.split(", "))}


ACTUAL: Column = _column(  # Table 1: accuracy, or 1 - MSE, in percent
    MNIST, "LeNet-1 93.1, LeNet-4 96.8, LeNet-5 98.7, mutant1 79.5, mutant2 77.3, mutant3 79.1"
) | _column(DRIVING, "Dave-orig 90.4, Dave-dropout 91.8")
CSS_EFFICIENCY: Column = _column(  # Section 4.3.1
    MNIST, "LeNet-1 0.379, LeNet-4 0.372, LeNet-5 0.198, mutant1 3.263, mutant2 3.836, mutant3 2.919"
)
CES_EFFICIENCY: Column = _column(  # Table 1
    MNIST, "LeNet-1 0.588, LeNet-4 0.655, LeNet-5 0.708, mutant1 0.499, mutant2 0.380, mutant3 0.478"
) | _column(DRIVING, "Dave-orig 0.592, Dave-dropout 0.588")
# 50 runs of LeNet-5 and of each mutant are stored with the authors' programs: E and the bias at 100 labels in them
STORED_EFFICIENCY: Column = _column(MNIST, "LeNet-5 0.714, mutant1 0.740, mutant2 1.72, mutant3 0.593")
STORED_BIAS: Column = _column(MNIST, "LeNet-5 +0.3, mutant1 +2.5, mutant2 +3.9, mutant3 -1.4")
NEURONS: Column = _column(  # Table 2; the mutants are LeNet-5 trained on other labels
    MNIST, "LeNet-1 52, LeNet-4 148, LeNet-5 268, mutant1 268, mutant2 268, mutant3 268"
) | _column(DRIVING, "Dave-orig 1560, Dave-dropout 844")
LAYERS: Column = _column(MNIST, "LeNet-1 7, LeNet-4 8, LeNet-5 9, mutant1 9, mutant2 9, mutant3 9") | _column(
    DRIVING, "Dave-orig 13, Dave-dropout 15"
)
SMALL_POOLS: Mapping[tuple[str, str, str], tuple[str, str, str]] = {  # Table 3, rows 17 and 18
    (MNIST, "mutant1", "30 of 100"): ("0.443", "0.154", "0.103"),
    (MNIST, "mutant1", "50 of 300"): ("0.375", "0.115", "0.657"),
}
SURPRISE = "ineffective"  # Section 5.2.1: all that the paper says of stratifying by surprise


def published(column: Column, task: str, model: str) -> Cell:
    """A published number, or the mark of a missing one."""
    return Cell(column.get((task, model), MISSING))
