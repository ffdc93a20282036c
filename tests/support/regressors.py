"""Made pools of 20 regressors, on data whose noise is not the same everywhere."""

import numpy as np
from sklearn.ensemble import ExtraTreesRegressor, GradientBoostingRegressor, RandomForestRegressor
from sklearn.linear_model import Lasso, Ridge
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler
from sklearn.svm import SVR
from sklearn.tree import DecisionTreeRegressor

from adjudge.core.arrays import FloatArray
from adjudge.core.predictions import Predictions

KINDS = ("additive", "skewed")
TRAINED_ON = (150, 400, 800)  # samples, in turn


def made_regression(kind: str, samples: int = 2000, seed: int = 0) -> tuple[Predictions, FloatArray]:
    """A pool and its true numbers; models are trained on data of their own."""
    rng = np.random.default_rng([seed, KINDS.index(kind)])
    features, truth = _data(kind, samples, rng)
    rows = []
    for place, model in enumerate(_models(seed)):
        rows.append(model.fit(*_data(kind, TRAINED_ON[place % 3], rng)).predict(features))
    return Predictions(
        np.array(rows), tuple(f"model {place}" for place in range(len(rows))), range(samples), None
    ), truth


def _data(kind: str, samples: int, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    x = rng.uniform(-1, 1, (samples, 8))
    if kind == "additive":
        mean = 10 * np.sin(np.pi * x[:, 0] * x[:, 1]) + 20 * (x[:, 2] - 0.5) ** 2 + 10 * x[:, 3] + 5 * x[:, 4]
        scale = 1 + 3 * np.abs(x[:, 5])
    else:
        mean = np.exp(1.5 * x[:, 0] + x[:, 1]) + 3 * (x[:, 2] > 0) * x[:, 3]
        scale = 0.1 + 0.3 * np.exp(1.5 * x[:, 0])
    return x, mean + scale * rng.standard_normal(samples)


def _models(seed: int) -> list:  # type: ignore[type-arg]
    boosted = ((20, 0.1), (80, 0.1), (80, 0.5))
    return [
        *(DecisionTreeRegressor(max_depth=depth, random_state=seed) for depth in (2, 4, 7, None)),
        *(KNeighborsRegressor(near) for near in (1, 5, 20, 60)),
        *(
            RandomForestRegressor(trees, max_depth=d, random_state=seed)
            for trees, d in ((5, None), (30, None), (30, 4))
        ),
        *(GradientBoostingRegressor(n_estimators=n, learning_rate=r, random_state=seed) for n, r in boosted),
        *(Ridge(1.0), Lasso(0.3), make_pipeline(PolynomialFeatures(2), Ridge(1.0))),
        *(make_pipeline(StandardScaler(), SVR(C=c)) for c in (10.0, 0.3)),
        ExtraTreesRegressor(30, random_state=seed),
    ]
