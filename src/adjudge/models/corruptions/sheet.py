"""A contact sheet: one image under every corruption at every severity."""

from pathlib import Path

import numpy as np

from adjudge.core.arrays import Array
from adjudge.io import atomic_write
from adjudge.models.corruptions.images import SEVERITIES, STUDY, corrupt
from adjudge.models.extras import extra

SIDE = 96  # pixels of a picture at least
LEFT, TOP, GAP = 132, 26, 4  # room for names, and between pictures
PAPER, INK = 255, 40


def write_sheet(image: Array, path: Path, seed: int = 0, number: int = 0) -> None:
    """Draw an image under all corruptions at all severities, the clean image first.

    Parameters
    ----------
    image
        (height, width, channels) of bytes.
    path
        The PNG file to write.
    number
        The image's number in its data set, on which corruptions depend.
    """
    pillow, draw = (extra(f"PIL.{name}", "images", "drawing a contact sheet") for name in ("Image", "ImageDraw"))
    grow = -(-SIDE // max(image.shape[:2]))
    high, wide = (grow * side + GAP for side in image.shape[:2])
    page = np.full((TOP + high * len(STUDY), LEFT + wide * (len(SEVERITIES) + 1), 3), PAPER, dtype=np.uint8)
    for row, kind in enumerate(STUDY):
        changed = [corrupt(image[None], kind, severity, seed=seed, first=number)[0] for severity in SEVERITIES]
        for column, each in enumerate((image, *changed)):
            top, left = TOP + row * high, LEFT + column * wide
            page[top : top + high - GAP, left : left + wide - GAP] = each.repeat(grow, axis=0).repeat(grow, axis=1)
    drawn = pillow.fromarray(page)
    pen = draw.Draw(drawn)
    for row, kind in enumerate(STUDY):
        pen.text((8, TOP + row * high + high // 2 - 8), kind.replace("-", " "), fill=(INK,) * 3, font_size=13)
    for column, name in enumerate(("clean", *map(str, SEVERITIES))):
        pen.text((LEFT + column * wide + 2, 6), name, fill=(INK,) * 3, font_size=13)
    with atomic_write(path) as file:
        drawn.save(file, "PNG", optimize=True)
