"""Databases that labels go into."""

import pytest

from adjudge.errors import InputError
from adjudge.labeling.session.engine import without_password
from tests.support.pools import Begin


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("no address", "not the address of a database"),
        ("mysql://ada@127.0.0.1/labels", "use SQLite or PostgreSQL"),
        ("postgresql://ada:secret@127.0.0.1:1/labels", "cannot be used"),
    ],
)
def test_a_database_that_cannot_be_is_told_in_one_sentence(begin: Begin, url: str, told: str) -> None:
    with pytest.raises(InputError, match=told) as caught:
        begin(url)
    assert "secret" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_passwords_stay_out_of_the_project() -> None:
    assert without_password("postgresql://ada:secret@db/labels") == "postgresql://ada@db/labels"
