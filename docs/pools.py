"""Make the pools that the how-to pages work on, in docs/pools: real models of real data that scikit-learn brings along.

They are kept as files, so that the pages show the same numbers with every version of scikit-learn; the answers of
language models are made up, by a seed.
"""

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_diabetes, load_digits
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import GradientBoostingRegressor, RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import Lasso, LinearRegression, LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor, NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

FOLDER = Path(__file__).parent / "pools"
TRAINED_ON = (60, 150, 300, 600, 1100)
KEPT = 600  # digits in the pool
MINE = 40  # labels that somebody has already; the order of the scans is random
LLMS = {"alder": 0.93, "birch": 0.88, "cedar": 0.85, "elm": 0.8, "fir": 0.7, "hazel": 0.62}
SOME = (
    "lda-600",
    "forest-600",
    "centroid-1100",
    "bayes-1100",
    "logistic-300",
    "near5-150",
)  # in a file with a fact about each scan
QUESTIONS = 80


def classifiers() -> dict[str, Any]:
    """Ten kinds."""
    return {
        "near1": KNeighborsClassifier(1),
        "near5": KNeighborsClassifier(5),
        "tree": DecisionTreeClassifier(random_state=0),
        "forest": RandomForestClassifier(30, random_state=0),
        "bayes": GaussianNB(var_smoothing=1e-3),
        "centroid": NearestCentroid(),
        "logistic": LogisticRegression(C=0.01, max_iter=2000),
        "svm": SVC(gamma=0.001),
        "linear": SVC(kernel="linear"),
        "lda": LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto"),
    }


def regressors() -> dict[str, Any]:
    """Twelve of different quality."""
    return {
        "ridge": make_pipeline(StandardScaler(), Ridge(10)),
        "ridge-strong": make_pipeline(StandardScaler(), Ridge(1000)),
        "lasso": make_pipeline(StandardScaler(), Lasso(2)),
        "linear": LinearRegression(),
        "near-3": make_pipeline(StandardScaler(), KNeighborsRegressor(3)),
        "near-15": make_pipeline(StandardScaler(), KNeighborsRegressor(15)),
        "near-60": make_pipeline(StandardScaler(), KNeighborsRegressor(60)),
        "tree-2": DecisionTreeRegressor(max_depth=2, random_state=0),
        "tree-8": DecisionTreeRegressor(max_depth=8, random_state=0),
        "forest": RandomForestRegressor(100, random_state=0),
        "boosted": GradientBoostingRegressor(random_state=0),
        "svr": make_pipeline(StandardScaler(), SVR(C=30)),
    }


def digits() -> None:
    """Fifty models that read digits: ten kinds, each trained on five numbers of scans."""
    images, labels = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(labels))
    train, pool = order[KEPT:], order[:KEPT]
    columns: dict[str, Iterable[Any]] = {}
    for size in TRAINED_ON:
        for name, model in classifiers().items():
            fitted = model.fit(images[train[:size]], labels[train[:size]])
            columns[f"{name}-{size}"] = fitted.predict(images[pool])
    dark = images[pool].mean(1)
    ink = np.array(["light", "usual", "heavy"])[np.searchsorted(np.quantile(dark, [1 / 3, 2 / 3]), dark)]
    write("digits.csv", {"sample_id": names("scan", KEPT), **columns})
    few = {name: columns[name] for name in SOME}
    write("digits-ink.csv", {"sample_id": names("scan", KEPT), "ink": ink, **few})
    truth = {"sample_id": names("scan", KEPT), "label": labels[pool]}
    write("digits-truth.csv", truth)
    write("mine.csv", {name: column[:MINE] for name, column in truth.items()})


def diabetes() -> None:
    """Twelve models that predict how far a disease goes within a year, from ten measurements."""
    features, target = load_diabetes(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(target))
    train, pool = order[:140], order[140:]
    columns = {
        name: np.char.mod("%.1f", model.fit(features[train], target[train]).predict(features[pool]))
        for name, model in regressors().items()
    }
    write("diabetes.csv", {"sample_id": names("patient", len(pool)), **columns})
    write("diabetes-truth.csv", {"sample_id": names("patient", len(pool)), "label": target[pool].astype(int)})


def answers() -> None:
    """Open answers of six made-up language models to sums, and votes of people on pairs of them."""
    rng = np.random.default_rng(0)
    rows, truth, votes = [], [], []
    for number in range(QUESTIONS):
        a, b = (int(each) for each in rng.integers(100, 1000, 2))
        right = {}
        for model, skill in LLMS.items():
            value = a + b if rng.random() < skill else a + b + int(rng.choice([-100, -10, -1, 1, 10, 100, 1000]))
            said = rng.choice([f"{value}", f"{value:,}", f"**{value}**", f" {value}."])
            right[model] = value == a + b
            rows.append((f"q{number}", model, f"What is {a} + {b}?", said))
        truth.append((f"q{number}", a + b))
        one, two = (str(each) for each in rng.choice(list(LLMS), 2, replace=False))
        better = [name for name in (one, two) if right[name]]
        votes.append((f"q{number}", one, two, better[0] if len(better) == 1 else "tie"))
    write("answers.csv", table(("question_id", "model", "question", "response"), rows))
    write("answers-truth.csv", table(("sample_id", "label"), truth))
    write("votes.csv", table(("question_id", "model_a", "model_b", "winner"), votes))


def table(head: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> dict[str, Iterable[Any]]:
    return dict(zip(head, zip(*rows, strict=True), strict=True))


def names(word: str, count: int) -> Sequence[str]:
    return [f"{word}-{number:03d}" for number in range(count)]


def write(name: str, columns: dict[str, Iterable[Any]]) -> None:
    with (FOLDER / name).open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(columns)
        rows.writerows(zip(*columns.values(), strict=True))


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    digits()
    diabetes()
    answers()
