"""How well methods find the best model on random parts of real tasks, another part in each run.

Usage: python benchmarks/honesty/parts.py [--runs 24] [--budget 60] [--methods pooled random sds]
    [--keep FILE] [task ...]

The first labels of a method that chooses are nearly the same in all runs on one pool, so twenty runs there share their
luck. Parts (seven models in ten and seven samples in ten, at most 3,000) have their own: compare variants of a method
here. A row for each task and method: Spearman's correlation with the true order after 10, 20 and 50 labels, and the
regret summed over all labels.
"""

import numpy as np
from played import Table, asked, random_part, tasks, with_error

from adjudge.core.arrays import FloatArray
from adjudge.core.predictions import Predictions
from adjudge.evaluation import cumulative_regret
from adjudge.simulation.simulate import simulate

LABELS = (10, 20, 50)


def shown(budget: int) -> list[int]:
    return [rows for rows in LABELS if rows <= budget]


def measured(pool: Predictions, truth: FloatArray, method: str, budget: int, runs: int) -> list[list[str]]:
    found = [simulate(*random_part(pool, truth, seed), method, budget, 1, workers=1).curves for seed in range(runs)]
    orders = np.array([each["spearman"][0, shown(budget)] for each in found])
    regrets = [cumulative_regret(each["regret"][0]) for each in found]
    return [[*(with_error(order) for order in orders.T), with_error(regrets, 2)]]


def main() -> None:
    parser = asked(__doc__, runs=24)
    parser.add_argument("--budget", type=int, default=60)
    parser.add_argument("--methods", nargs="+", default=["pooled", "random", "sds"])
    wanted = parser.parse_args()
    table = Table(
        ("task", "method", "labels", "runs", *(f"Spearman at {rows}" for rows in shown(wanted.budget)), "regret"),
        wanted.keep,
    )
    for name, pool, truth in tasks(wanted.tasks):
        for method in wanted.methods:
            key = (name, method, wanted.budget, wanted.runs)
            table.rows([key], measured, pool, truth, method, wanted.budget, wanted.runs)


if __name__ == "__main__":
    main()
