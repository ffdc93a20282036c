"""How often stopping rules are wrong when they are checked after every label, and how many labels they take.

Usage: python benchmarks/honesty/stops.py [--runs 20] [--samples 0 1000] [--rules "within 0.05" ...]
    [--keep FILE] [task ...]

`--samples` and `--models` are sizes of seeded subsets of the pool, 0 for the whole. A rule is broken in a run that it
stops at a model more than the margin worse than the best; `at most` is the 95% limit of how often that is. The rule
`tied` is `separated` on a pool with a second best model: exactly as good, with other predictions. It must not stop
while samples are open on which the two differ, and is broken where it does.
"""

from dataclasses import replace

import numpy as np
from played import SELECTORS, Table, asked, part_of, tasks
from scipy import special

from adjudge.core.arrays import BoolArray, FloatArray
from adjudge.core.labels import Labels
from adjudge.core.predictions import Predictions
from adjudge.core.sampling import Selector
from adjudge.core.strata import disputed
from adjudge.decisions.stopping import StoppingRule, separated
from adjudge.losses.loss import ZeroOne
from adjudge.simulation.loop import answers_of, steps
from adjudge.simulation.stopping_runs import simulate_stopping

SWAPPED = 10  # samples on which the second is right where the best is wrong, and as many the other way round
METHODS = {"uniform": ("random", {}), **{goal: ("pooled", {"goal": goal}) for goal in SELECTORS if goal != "uniform"}}
HEADER = (
    "task", "models", "samples", "disputed", "draws", "rule", "budget", "runs", "stopped", "broken", "at most",
    "median labels", "from, to",
)  # fmt: skip
RULES = ("within 0.05", "within 0.02", "within 0.01", "separated", "tied")


def with_twin(pool: Predictions, truth: FloatArray) -> Predictions:
    """One model more, exactly as good as the best."""
    assert pool.classes is not None
    right = pool.values == truth
    best = int(right.mean(axis=1).argmax())
    twin, rng = pool.values[best].copy(), np.random.default_rng(SWAPPED)
    lost, won = (rng.permutation(np.flatnonzero(where))[:SWAPPED] for where in (right[best], ~right[best]))
    lost = lost[: len(won)]
    twin[won], twin[lost] = truth[won], (twin[lost] + 1) % len(pool.classes)
    models = (*pool.models, f"twin of {pool.models[best]}")
    return replace(pool, values=np.vstack([pool.values, twin]), models=models, probabilities=None)


def measured(pool: Predictions, truth: FloatArray, draws: str, rule: str, runs: int, budget: int) -> list[list[str]]:
    if rule == "tied":
        stopped, used, broken = _parted(pool, truth, SELECTORS[draws], runs, budget)
    else:
        method, options = METHODS[draws]
        found = simulate_stopping(
            pool, truth, StoppingRule.read(rule), method, budget, runs, options=options, loss=ZeroOne(), workers=1
        )
        stopped, used, broken = found.stopped, found.labels, int(found.broken.sum())
    at_most = float(special.betaincinv(broken + 1, runs - broken, 0.95)) if broken < runs else 1.0
    labels = f"{np.median(used):.0f}", f"{used.min():.0f}, {used.max():.0f}"
    return [[f"{stopped.mean():.2f}", str(broken), f"{at_most:.3f}", *labels]]


def _parted(
    pool: Predictions, truth: FloatArray, selector: Selector, runs: int, budget: int
) -> tuple[BoolArray, FloatArray, int]:
    """Whether `separated` stopped, after how many labels, and how often while the twins were not known to be equal."""
    rule, none = separated(pool), Labels.empty(len(truth))
    differ = np.flatnonzero(pool.values[-1] != pool.values[(pool.values == truth)[:-1].mean(axis=1).argmax()])
    stopped, used, broken = [], [], 0
    for seed in range(runs):
        picker = selector.start(pool, none, None, seed)
        *_, log = steps(picker, answers_of(truth), lambda log: rule(log) or len(log) >= budget, none)
        stopped.append(len(log) < budget)
        used.append(len(log))
        broken += stopped[-1] and not np.isin(differ, log.sample).all()
    return np.array(stopped), np.array(used, dtype=np.float64), broken


def main() -> None:
    parser = asked(__doc__, runs=20, draws=("best",))
    parser.add_argument("--samples", type=int, nargs="+", default=[0])
    parser.add_argument("--models", type=int, default=0, help="that many of a pool's models; 0: all")
    parser.add_argument("--rules", nargs="+", default=RULES)
    parser.add_argument("--budget", type=int, help="labels after which a run ends; without it, all but one")
    wanted = parser.parse_args()
    table = Table(HEADER, wanted.keep)
    for name, whole, everything in tasks(wanted.tasks):
        for samples in wanted.samples:
            plain, truth = part_of(whole, everything, samples, wanted.models)
            for draws in wanted.draws:
                for rule in wanted.rules:
                    pool = with_twin(plain, truth) if rule == "tied" else plain
                    size, budget = (len(pool.models), len(truth)), wanted.budget or len(truth) - 1
                    key = (name, *size, f"{disputed(pool).mean():.2f}", draws, rule, budget, wanted.runs)
                    table.rows([key], measured, pool, truth, draws, rule, wanted.runs, budget)


if __name__ == "__main__":
    main()
