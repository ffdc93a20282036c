"""Images and sounds: in parts, and any part of them."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from adjudge.core.predictions import Predictions
from tests.support.labeling import Visit, page
from tests.support.pools import Begin

LARGE = 2**30


def test_large_files_are_never_read_as_a_whole(begin: Begin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (tmp_path / "a.png").open("wb") as file:
        file.truncate(LARGE)
    (tmp_path / "b.png").write_bytes(bytes(range(200)))
    pool = Predictions(np.array([[0, 1], [1, 1]]), ("m", "n"), pa.array(["a", "b"]), ("x", "y"))
    session = begin(pool=pool, method="random")

    read = Path.read_bytes

    def whole(path: Path) -> bytes:
        assert path.suffix != ".png"
        return read(path)

    with page(session, data=tmp_path) as client:
        ada = Visit(client)
        place = {row.name: row.place for row in session.ledger.picks}
        monkeypatch.setattr(Path, "read_bytes", whole)
        part = client.get(f"/media/{session.project.settings.id}/{place['a']}", headers={"range": "bytes=1000-1999"})
        assert (part.status_code, len(part.content)) == (206, 1000)
        assert part.headers["content-range"] == f"bytes 1000-1999/{LARGE}"
        assert "sandbox" in part.headers["content-security-policy"]
        assert ada.get(f"/media/{session.project.settings.id}/{place['b']}").content == bytes(range(200))
        beyond = client.get(f"/media/{session.project.settings.id}/{place['b']}", headers={"range": "bytes=500-"})
        assert beyond.status_code == 416
