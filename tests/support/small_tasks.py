"""Small tasks in files, as experiments read them."""

from pathlib import Path

import numpy as np

from adjudge.experiments.tasks import Task, load
from adjudge.simulation.contract import example_pool

FEATURES = (0, 3)  # numbers of models that have some


def write_task(
    path: Path,
    models: int = 12,
    samples: int = 240,
    *,
    probabilities: bool = True,
    features: tuple[int, ...] = (0, 3, 7, 8, 11),
    seed: int = 0,
) -> Path:
    """A made-up classification task; features are noise around what the model said."""
    pool, truth = example_pool(models, samples, 4, seed)
    rng = np.random.default_rng(seed)
    arrays = {
        "predictions": pool.values,
        "labels": truth,
        "model_names": np.array(pool.models),
        "class_names": np.array(pool.classes),
    }
    if probabilities:
        assert pool.probabilities is not None
        arrays["probabilities"] = pool.probabilities
    for model in features:
        arrays[f"features_{model}"] = np.eye(4)[pool.values[model]] + rng.normal(0, 0.2, (samples, 4))
    np.savez(path, allow_pickle=False, **arrays)
    return path


def write_regression(path: Path, samples: int = 240) -> Path:
    """Two models that predict numbers, with a surprise that knows their errors."""
    rng = np.random.default_rng(0)
    truth, error = rng.normal(size=samples), rng.normal(0, [[0.1], [0.5]], (2, samples))
    np.savez(path, allow_pickle=False, predictions=truth + error, labels=truth, auxiliary_error=error**2)
    return path


def small_task(folder: Path, name: str = "small", models: int = 12, samples: int = 240) -> Task:
    return load(write_task(folder / f"{name}.npz", models, samples))
