"""What shift costs: 10,000 color images of 32 x 32, all kinds at all severities, in wall seconds and on all cores."""

import sys
from time import perf_counter

import numpy as np

from adjudge.models.corruptions import SEVERITIES, STUDY, corrupt

IMAGES = 10_000
WANTED = 180.0  # seconds on two cores


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else IMAGES
    images = np.random.default_rng(0).integers(0, 256, (count, 32, 32, 3), dtype=np.uint8)
    total = 0.0
    for kind in STUDY:
        corrupt(images[:1], kind, 1)  # compiled before the clock starts
        start = perf_counter()
        for severity in SEVERITIES:
            corrupt(images, kind, severity)
        spent = perf_counter() - start
        total += spent
        print(f"{kind:<20}{spent:8.1f} s")
    print(f"{'all':<20}{total:8.1f} s, wanted at most {WANTED:.0f} s for {IMAGES:,} images")


if __name__ == "__main__":
    main()
