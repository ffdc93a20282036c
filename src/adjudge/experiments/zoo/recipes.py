"""Twenty-five ways to train a small classifier of images."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from adjudge.models.corruptions.labels import SWAPS

MOST = 60_000  # training images of most models
EPOCHS = 10


@dataclass(frozen=True)
class Recipe:
    """A family of models, and what makes this one differ from others."""

    name: str
    family: str  # network, linear, patches, or a class of scikit-learn as module.Class
    rows: int = MOST
    hidden: tuple[int, ...] = ()
    activation: str = "relu"
    epochs: int = EPOCHS
    filters: int = 0
    seen: str | None = None  # a corruption that half of the training images show
    swap: tuple[int, int] | None = None  # labels that are exchanged in training
    options: Mapping[str, object] = field(default_factory=dict)

    @property
    def file(self) -> str:
        """Networks and trees become ONNX files, other models of scikit-learn skops files."""
        plain = "." in self.family and not self.family.startswith(("ensemble", "tree"))
        return f"{self.name}.{'skops' if plain else 'onnx'}"


def _network(name: str, *hidden: int, **told: object) -> Recipe:
    return Recipe(name, "network", hidden=hidden, **told)  # type: ignore[arg-type]


RECIPES = (
    Recipe("linear-1000", "linear", rows=1000),
    Recipe("linear", "linear"),
    _network("net-16", 16),
    _network("net-64", 64),
    _network("net-256", 256),
    _network("net-64-64", 64, 64),
    _network("net-32-tanh", 32, activation="tanh"),
    _network("net-64-logistic", 64, activation="logistic"),
    _network("net-64-1000", 64, rows=1000),
    _network("net-64-brief", 64, epochs=1),
    *(_network(f"seen-{kind}", 128, seen=kind) for kind in ("gaussian-noise", "defocus-blur", "brightness")),
    *(_network(f"mutant-{one}-{other}", 64, swap=(one, other)) for one, other in SWAPS),
    Recipe("patches-16", "patches", filters=16, rows=30_000),
    Recipe("patches-64", "patches", filters=64, rows=30_000),
    Recipe("patches-64-64", "patches", filters=64, rows=30_000, hidden=(64,)),
    Recipe("forest", "ensemble.RandomForestClassifier", rows=20_000, options={"n_estimators": 30, "max_depth": 12}),
    Recipe("extra-trees", "ensemble.ExtraTreesClassifier", rows=20_000, options={"n_estimators": 30, "max_depth": 12}),
    Recipe("tree", "tree.DecisionTreeClassifier", rows=20_000, options={"max_depth": 10}),
    Recipe("bayes", "naive_bayes.GaussianNB", options={"var_smoothing": 0.05}),
    Recipe("nearest-5", "neighbors.KNeighborsClassifier", rows=800, options={"n_neighbors": 5}),
    Recipe("hinge", "linear_model.SGDClassifier", options={"alpha": 1e-4, "max_iter": 12, "tol": None}),
)
