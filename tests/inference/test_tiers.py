"""Models of one tier: whoever is shown to be worse never comes first."""

import numpy as np

from adjudge.inference.tiers import topological_places


def test_every_order_is_kept_and_none_is_left_out() -> None:
    rng = np.random.default_rng(0)
    for _ in range(200):
        models = int(rng.integers(1, 12))
        worse = np.tril(rng.random((models, models)) < 0.3, -1)
        key = rng.integers(4, size=models).astype(float)
        place = topological_places(key, worse)
        assert (place[:, None] > place)[worse].all()
        assert np.unique(place).tolist() == list(range(place.max() + 1))
        if not worse.any():
            assert place.tolist() == np.unique(key, return_inverse=True)[1].tolist()
