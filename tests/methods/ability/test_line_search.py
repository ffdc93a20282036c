from collections.abc import Callable

import numpy as np
import pytest
from scipy.optimize import minimize

from adjudge.core.arrays import FloatArray
from adjudge.methods.ability.line_search import CURVATURE, DECREASE, conjugate_step, wolfe_step

Curve = Callable[[float], tuple[float, float]]
CURVES: dict[str, Curve] = {
    "parabola": lambda t: ((t - 3) ** 2, 2 * (t - 3)),
    "far": lambda t: ((t - 3000) ** 2, 2 * (t - 3000)),
    "near": lambda t: ((1e4 * t - 1) ** 2, 2e4 * (1e4 * t - 1)),
    "waves": lambda t: (0.1 * t**2 - np.sin(8 * t), 0.2 * t - 8 * np.cos(8 * t)),
    "flat": lambda t: (-t / (t * t + 2), (t * t - 2) / (t * t + 2) ** 2),  # the first curve of More and Thuente
    "late": lambda t: ((t + 0.004) ** 5 - 2 * (t + 0.004) ** 4, 5 * (t + 0.004) ** 4 - 8 * (t + 0.004) ** 3),
}


@pytest.mark.parametrize("first", [1e-3, 0.1, 1.0, 1e3])
@pytest.mark.parametrize("name", CURVES)
def test_the_step_meets_both_conditions(name: str, first: float) -> None:
    curve = CURVES[name]
    value, slope = curve(0.0)
    step = wolfe_step(curve, value, slope, first)
    assert step is not None
    there, steep = curve(step)
    assert there <= value + DECREASE * step * slope
    assert abs(steep) <= CURVATURE * abs(slope)


@pytest.mark.parametrize("name", CURVES)
def test_it_is_the_step_of_scipy(name: str) -> None:
    curve = CURVES[name]
    value, slope = curve(0.0)

    def descends(step: float) -> bool:
        steep = curve(step)[1]
        ratio = steep / slope
        return bool(abs(steep) <= 1e-9 or max(ratio**2 - ratio, 0) * ratio >= (0.01 - 1) * ratio**2)

    def cost(x: FloatArray) -> tuple[float, FloatArray]:
        return curve(float(x[0]))[0], np.array([curve(float(x[0]))[1]])

    # in one dimension, the first step of conjugate gradients is this search, along the negative slope
    found = minimize(cost, np.zeros(1), jac=True, method="CG", options={"maxiter": 1, "gtol": 1e-9})
    step = conjugate_step(
        lambda t: (curve(t * -slope)[0], curve(t * -slope)[1] * -slope),
        value,
        -(slope**2),
        value + abs(slope) / 2,
        lambda t: descends(t * -slope),
    )
    assert step is not None
    assert step * -slope == pytest.approx(found.x[0], rel=1e-9)


def test_no_step_where_the_value_never_falls() -> None:
    assert wolfe_step(lambda t: (t, -1.0), 0.0, -1.0, 1.0) is None
