"""Labels as folders of files."""

from pathlib import Path

import numpy as np
import pytest

from adjudge.core.labels import SKIP
from adjudge.errors import InputError
from adjudge.labeling.session.background import keep_ready
from adjudge.labeling.session.folders import write_folder
from adjudge.labeling.session.work import Work
from adjudge.models.datasets.contents import Samples
from tests.support.pools import Begin


def test_a_folder_of_labeled_images_reads_back(begin: Begin, tmp_path: Path) -> None:
    images = np.arange(400 * 5 * 5, dtype=np.uint64).reshape(400, 5, 5).astype(np.uint8)
    np.save(tmp_path / "images.npy", images)
    session = begin(data=str(tmp_path / "images.npy"), method="random")
    keep_ready(session, Work.on(session.project), 3)
    cards = session.next("ada", ahead=3)
    session.answer("ada", cards[0].lease, "a")
    session.answer("ada", cards[1].lease, "b")
    session.answer("ada", cards[2].lease, SKIP)
    assert write_folder(session, tmp_path / "labeled") == 2
    again = Samples.of(session.project.predictions, tmp_path / "labeled")
    content, media = again.content(cards[1].sample), again.media(cards[1].sample)
    original = Samples.of(session.project.predictions, tmp_path / "images.npy").media(cards[1].sample)
    assert content.fields["label"] == "b"
    assert media is not None
    assert media is not None
    assert original is not None
    assert (media.type, media.content) == (original.type, original.content)
    with pytest.raises(InputError, match="not empty"):
        write_folder(session, tmp_path / "labeled")
