"""Write the tasks that can be made from packages into a folder, for $ADJUDGE_TASKS.

`digits.npz` always; `fashion.npz` where `make zoo` has left its models. What is there is kept.
"""

import argparse
import tempfile
from pathlib import Path

from adjudge.experiments.shift.pools import write_pools
from adjudge.experiments.zoo.digits import kept_zoo
from adjudge.io import truth_of
from adjudge.models.datasets import read_data

IMAGES, LABELS = "t10k-images-idx3-ubyte.gz", "t10k-labels-idx1-ubyte.gz"


def fashion(models: list[Path], data: Path, path: Path) -> None:
    """What the models say about Fashion-MNIST's test images, with the truth, probabilities and last hidden layers."""
    images = read_data(data / IMAGES)
    truth = truth_of(data / LABELS, images.samples, complete=True)
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        (made,) = write_pools(models, images, truth, (), Path(folder), features=True, probabilities=True)
        made.replace(path)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--out", type=Path, default=Path("tasks"))
    parser.add_argument("--models", type=Path, default=Path("zoo", "models"), help="where `make zoo` keeps its models")
    parser.add_argument("--data", type=Path, required=True, help="the folder of Fashion-MNIST's IDX files")
    told = parser.parse_args()
    found = [kept_zoo(told.out)]
    models = sorted(file for file in told.models.glob("*") if file.suffix in (".onnx", ".skops"))
    if models:
        found.append(told.out / "fashion.npz")
        if not found[-1].exists():
            fashion(models, told.data, found[-1])
    print(f"{' and '.join(file.name for file in found)} in {told.out}; now: export ADJUDGE_TASKS={told.out}")


if __name__ == "__main__":
    main()
