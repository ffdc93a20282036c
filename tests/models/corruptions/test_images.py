"""Corruptions of images: the same for any batch, worse with severity, sensible at any size."""

import gzip
from pathlib import Path

import numpy as np
import pytest
from scipy.ndimage import zoom

from adjudge.core.arrays import Array
from adjudge.errors import InputError
from adjudge.models.corruptions import IMAGES, SEVERITIES, STUDY, corrupt

FASHION = Path("/usr/share/datasets/fashion-mnist")
STEP = 0.015  # accuracy that chance may give back from one severity to the next
SHAPES = ((6, 28, 28), (6, 32, 32, 3), (2, 41, 56, 1))


def some_images(shape: tuple[int, ...]) -> Array:
    """Smooth shapes with edges, as photographs have."""
    rows, columns = np.meshgrid(*(np.linspace(0, 6, side) for side in shape[1:3]), indexing="ij")
    turns = np.arange(1, shape[0] + 1).reshape(-1, 1, 1)
    wave = np.sin(rows * turns / 2) * np.cos(columns + turns) > 0.2
    light = 40 + 150 * wave + 30 * np.sin(columns)
    gray = light.astype(np.uint8)
    return gray if len(shape) == 3 else np.stack([gray - 10 * channel for channel in range(shape[3])], axis=3)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kind", IMAGES)
def test_any_batch_gives_the_same_images(kind: str, shape: tuple[int, ...]) -> None:
    images = some_images(shape)
    whole = corrupt(images, kind, 3, seed=5)
    parts = [corrupt(images[place : place + 1], kind, 3, seed=5, first=place) for place in range(len(images))]
    assert whole.shape == shape
    assert whole.dtype == np.uint8
    np.testing.assert_array_equal(whole, np.concatenate(parts))
    assert (whole != images).any()


@pytest.mark.parametrize("kind", ["gaussian-noise", "frosted-glass-blur", "motion-blur", "snow", "fog", "elastic"])
def test_seeds_severities_and_places_differ(kind: str) -> None:
    images = np.repeat(some_images((2, 32, 32, 3))[:1], 2, axis=0)
    made = corrupt(images, kind, 2, seed=0)
    assert (made[0] != made[1]).any()
    assert (made != corrupt(images, kind, 2, seed=1)).any()
    assert (made != corrupt(images, kind, 3, seed=0)).any()


@pytest.mark.parametrize("kind", STUDY)
def test_a_severity_means_the_same_at_any_size(kind: str) -> None:
    """Images of twice the size change about as much, and severities go up at both."""
    for shape in ((4, 32, 32, 3), (4, 64, 64, 3)):
        images = some_images(shape)
        away = [np.abs(corrupt(images, kind, each).astype(float) - images).mean() for each in SEVERITIES]
        assert away[4] > 1.5 * away[0], away
        assert 1 < away[2] < 110, away


def test_what_each_kind_promises() -> None:
    images = some_images((200, 32, 32, 3))
    noisy = corrupt(np.full((200, 32, 32), 128, dtype=np.uint8), "gaussian-noise", 1).astype(float)
    assert noisy.mean() == pytest.approx(128, abs=0.2)
    assert noisy.std() == pytest.approx(0.06 * 255, rel=0.02)
    few = corrupt(np.full((200, 32, 32), 255, dtype=np.uint8), "shot-noise", 1).astype(float)
    assert (few < 255).mean() == pytest.approx(0.45, abs=0.05)  # half of the counts are below their mean
    salted = corrupt(np.full((200, 32, 32), 128, dtype=np.uint8), "impulse-noise", 5)
    assert np.isin(salted, [0, 255]).mean() == pytest.approx(0.27, abs=0.01)
    for kind in ("defocus-blur", "zoom-blur", "pixelate"):  # light is moved about, not made
        assert corrupt(images, kind, 3).mean() == pytest.approx(images.mean(), abs=4)
    paler = corrupt(images, "contrast", 3).std(axis=(1, 2)) / images.std(axis=(1, 2))
    np.testing.assert_allclose(paler, 0.28, atol=0.03)
    flat = np.full((1, 32, 32, 3), 90, dtype=np.uint8)
    for kind in ("defocus-blur", "frosted-glass-blur", "motion-blur", "zoom-blur", "elastic", "pixelate", "contrast"):
        np.testing.assert_array_equal(corrupt(flat, kind, 4), flat)


def real_images() -> tuple[Array, Array, Array, Array]:
    """Fashion-MNIST where Debian's package is installed; else scanned digits, enlarged."""
    if (FASHION / "train-images-idx3-ubyte.gz").exists():
        images, labels = (_idx("train-images-idx3", 16).reshape(-1, 28, 28), _idx("train-labels-idx1", 8))
        return images[:4000], labels[:4000], images[-1500:], labels[-1500:]
    from sklearn.datasets import load_digits

    small, labels = load_digits(return_X_y=True)
    images = (zoom(small.reshape(-1, 8, 8), (1, 3.5, 3.5), order=1) * 15.9).astype(np.uint8)
    return images[:900], labels[:900], images[900:], labels[900:]


def _idx(name: str, start: int) -> Array:
    with gzip.open(FASHION / f"{name}-ubyte.gz") as file:
        return np.frombuffer(file.read()[start:], dtype=np.uint8)


@pytest.fixture(scope="module")
def classifier() -> tuple[object, Array, Array]:
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    images, labels, test, truth = real_images()
    thin = slice(None, None, 2)
    fitted = LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.1).fit(
        images[:, thin, thin].reshape(len(images), -1), labels
    )
    return fitted, test, truth


@pytest.mark.parametrize("kind", IMAGES)
def test_accuracy_falls_with_severity(kind: str, classifier: tuple[object, Array, Array]) -> None:
    model, images, truth = classifier
    found = []
    for made in (images, *(corrupt(images, kind, severity) for severity in SEVERITIES)):
        found.append(model.score(made[:, ::2, ::2].reshape(len(made), -1), truth))  # type: ignore[attr-defined]
    assert (np.diff(found) < STEP).all(), found
    assert found[-1] < found[0] - 0.01, found


@pytest.mark.parametrize(
    ("images", "kind", "severity", "told"),
    [
        (np.zeros((2, 28, 28)), "fog", 1, "uint8"),
        (np.zeros((2, 3, 32, 32), np.uint8), "fog", 1, "shape"),
        (np.zeros((2, 8, 8), np.uint8), "fog", 1, "enlarge"),
        (np.zeros((2, 28, 28), np.uint8), "mist", 1, "gaussian-noise"),
        (np.zeros((2, 28, 28), np.uint8), "fog", 6, "from 1"),
    ],
)
def test_what_does_not_fit_is_refused(images: Array, kind: str, severity: int, told: str) -> None:
    with pytest.raises(InputError, match=told):
        corrupt(images, kind, severity)
