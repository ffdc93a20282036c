"""Sections of features."""

import numpy as np

from adjudge.methods.papers.ces_sections import cut


def test_sections_are_equal_parts_of_the_range() -> None:
    whole = np.arange(21)[:, None] / 20
    assert cut(whole, 4)[:, 0].tolist() == [0] * 5 + [1] * 5 + [2] * 5 + [3] * 6
    assert (cut(whole.astype(np.float16) * 512, 4) == cut(whole * 512, 4)).all()
    assert cut(np.arange(1000)[:, None], 1000)[-1, 0] == 999
