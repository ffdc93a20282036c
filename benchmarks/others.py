"""Other tools on the pools of the docs, beside ours: what each says, how often its intervals hold, and what it costs.

    python benchmarks/others.py [ppi] [evalstats] [crowd-kit] [cje] [evalica]

Needs `pip install ppi-python evalstats crowd-kit cje-eval evalica`; one that is not installed is left out. Each gets
what its documentation asks for, with its defaults. Intervals are those of 60 labels, drawn uniformly from the 600 scans
of docs/pools/digits.csv, and judged by the accuracies on all of them. Times are CPU seconds.
"""

import csv
import sys
from collections import Counter
from importlib import import_module
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

import adjudge
from adjudge.core.arrays import FloatArray, IntArray
from adjudge.core.labels import Labels
from adjudge.evaluation import spearman
from adjudge.registry import selector
from adjudge.simulation.loop import answers_of, budget, steps

POOLS = Path(__file__).resolve().parents[1] / "docs" / "pools"
LABELS, RUNS = 60, 40
PAIR = ("near1-1100", "lda-1100")


class Digits:
    """The fifty models, their truth, and who agrees with the vote."""

    def __init__(self) -> None:
        self.pool = adjudge.read(POOLS / "digits.csv")
        truth = {row["sample_id"]: row["label"] for row in rows("digits-truth.csv")}
        assert self.pool.classes is not None
        names = list(self.pool.classes)
        self.truth = np.array([names.index(truth[str(sample)]) for sample in self.pool.samples], np.float64)
        values = np.asarray(self.pool.values)
        self.right = (values == self.truth).astype(float)
        self.accuracy = self.right.mean(1)
        vote = np.array([Counter(column.tolist()).most_common(1)[0][0] for column in values.T])
        self.agrees = (values == vote).astype(float)
        self.share = np.array([[np.mean(column == said) for said in column] for column in values.T]).T

    def drawn(self, seed: int) -> IntArray:
        return np.random.default_rng(seed).permutation(len(self.truth))[:LABELS]

    def bought(self, method: str, seed: int, **options: str) -> Labels:
        empty = Labels.empty(len(self.truth))
        picker = selector(method, options).start(self.pool, empty, LABELS, seed)
        *_, labels = steps(picker, answers_of(self.truth), budget(LABELS), empty)
        return labels


def ppi(digits: Digits) -> None:
    """Accuracies by prediction-powered inference; the cheap label is agreement with the majority vote."""
    tool = import_module("ppi_py")

    def interval(model: int, sample: IntArray) -> tuple[float, float]:
        rest = np.setdiff1d(np.arange(len(digits.truth)), sample)
        proxy = digits.agrees[model]
        low, high = tool.ppi_mean_ci(digits.right[model, sample], proxy[sample], proxy[rest], alpha=0.05)
        return float(np.ravel(low)[0]), float(np.ravel(high)[0])

    intervals = [[interval(model, digits.drawn(run)) for model in range(len(digits.accuracy))] for run in range(RUNS)]
    tell("ppi_py, PPI++ with the vote", np.array(intervals), digits.accuracy)
    ours(digits, "random")
    ours(digits, "pooled", goal="estimate")


def cje(digits: Digits) -> None:
    """Accuracies by a calibrated judge; its score is the share of models that give the same answer."""
    tool = import_module("cje")
    found, spent = [], process_time()
    for run in range(3):
        sample = set(digits.drawn(run).tolist())
        rows = {
            name: [
                {"prompt_id": str(at), "judge_score": float(digits.share[model, at])}
                | ({"oracle_label": float(digits.right[model, at])} if at in sample else {})
                for at in range(len(digits.truth))
            ]
            for model, name in enumerate(digits.pool.models)
        }
        result = tool.analyze_dataset(fresh_draws_data=rows)
        order = [list(result.metadata["target_policies"]).index(name) for name in digits.pool.models]
        found.append(np.asarray(result.ci())[order])
        print(f"  run {run}: Spearman {spearman(np.asarray(result.estimates)[order], digits.accuracy):.3f}")
    tell("cje", np.array(found), digits.accuracy)
    print(f"  {(process_time() - spent) / 3:.1f} CPU seconds for a run")


def ours(digits: Digits, method: str, **options: str) -> None:
    found = []
    for run in range(RUNS if method == "random" else RUNS // 4):
        estimate = adjudge.rank(digits.pool, digits.bought(method, run, **options)).estimate
        found.append(np.stack([estimate.low, estimate.high], axis=1))
    tell(f"adjudge, {method} {options or ''}", np.array(found), digits.accuracy)


def evalstats(digits: Digits) -> None:
    """The difference between two models, on the same labels."""
    tool = import_module("evalstats")
    places = [digits.pool.models.index(name) for name in PAIR]
    gap = digits.accuracy[places[0]] - digits.accuracy[places[1]]
    theirs, here = [], []
    for run in range(RUNS):
        sample = digits.drawn(run)
        scores = {name: digits.right[place, sample] for name, place in zip(PAIR, places, strict=True)}
        theirs.append(pair_interval(tool, scores))
        found = adjudge.compare(digits.pool, *PAIR, digits.bought("random", run))
        here.append((found.low, found.high))
    tell("evalstats, paired", np.array(theirs)[:, None], np.array([gap]))
    tell("adjudge compare", np.array(here)[:, None], np.array([gap]))


def pair_interval(tool: Any, scores: dict[str, FloatArray]) -> tuple[float, float]:
    # what its router takes for right and wrong; called directly, the function does not know that scores are binary
    found = tool.pairwise_differences(np.stack(list(scores.values())), 0, 1, method="mj_floor")
    return float(found.ci_low), float(found.ci_high)


def crowd_kit(digits: Digits) -> None:
    """The order of models without a label, by Dawid and Skene's model, theirs and ours."""
    pd, tool = import_module("pandas"), import_module("crowdkit.aggregation")
    values = np.asarray(digits.pool.values)
    workers, tasks = (each.ravel() for each in np.indices(values.shape))
    table = pd.DataFrame({"task": tasks, "worker": workers, "label": values.ravel()})
    begin = process_time()
    skene = tool.DawidSkene(n_iter=100).fit(table)
    spent = process_time() - begin
    found = skene.labels_.sort_index().to_numpy()
    order = (values == found).mean(1)
    print(f"crowd-kit, Dawid-Skene: Spearman {spearman(order, digits.accuracy):.3f}, {spent:.3f} CPU seconds,", end=" ")
    print(f"labels right {np.mean(found == digits.truth):.3f}")
    for method in ("dawid-skene", "agreement", "pooled"):
        adjudge.rank(digits.pool, method=method)  # compiles
        begin = process_time()
        ranking = adjudge.rank(digits.pool, method=method)
        spent = process_time() - begin
        value = -np.asarray(ranking.rank, float)
        print(f"adjudge {method}: Spearman {spearman(value, digits.accuracy):.3f}, {spent:.3f} CPU seconds")


def evalica(_: Digits) -> None:
    """Strengths of six models from 80 votes."""
    tool = import_module("evalica")
    votes = rows("votes.csv")
    winner = {"model_a": tool.Winner.X, "model_b": tool.Winner.Y, "tie": tool.Winner.Draw}
    told = [winner[each(vote)] for vote in votes]
    result = tool.bradley_terry([vote["model_a"] for vote in votes], [vote["model_b"] for vote in votes], told)
    strengths = np.log(result.scores)
    print("evalica:", {name: round(float(value), 2) for name, value in (strengths - strengths.max()).items()})
    found = adjudge.prefer(adjudge.read_preferences(POOLS / "votes.csv"))
    print("adjudge prefer:", {model.name: round(model.strength, 2) for model in found.models})


def each(vote: dict[str, str]) -> str:
    return next((side for side in ("model_a", "model_b") if vote[side] == vote["winner"]), "tie")


def rows(name: str) -> list[dict[str, str]]:
    with (POOLS / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def tell(name: str, intervals: FloatArray, truth: FloatArray) -> None:
    """How often intervals (runs x numbers x 2) hold the truth, and how wide they are."""
    low, high = intervals[..., 0], intervals[..., 1]
    held = ((low <= truth + 1e-9) & (truth - 1e-9 <= high)).mean()
    print(f"{name}: held {held:.3f}, mean half width {np.mean(high - low) / 2 * 100:.1f} points, {len(intervals)} runs")


TOOLS = {"ppi": ppi, "evalstats": evalstats, "crowd-kit": crowd_kit, "cje": cje, "evalica": evalica}


def main() -> None:
    digits = Digits()
    for name in sys.argv[1:] or TOOLS:
        try:
            TOOLS[name](digits)
        except ImportError as missing:
            print(f"{name} is left out: {missing}")


if __name__ == "__main__":
    main()
