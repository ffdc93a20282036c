"""Sample ids: found by value, and a fingerprint of them all."""

from adjudge.core.index import as_index, fingerprint, positions_of


def test_ids_are_text_and_found_by_value() -> None:
    index = as_index([7, "8", "x"])
    assert positions_of(index, as_index(["x", "7", "nobody"])).tolist() == [2, 0, -1]
    assert positions_of(range(5), as_index(["3", "03"])).tolist() == [3, -1]


def test_a_fingerprint_is_of_the_set_of_ids() -> None:
    assert fingerprint(range(3)) == fingerprint(as_index(["2", "0", "1"]))
    assert fingerprint(range(3)) != fingerprint(range(4))
    assert fingerprint(as_index(["ab", "c"])) != fingerprint(as_index(["a", "bc"]))
    assert fingerprint(as_index(["a\nb"])) != fingerprint(as_index(["a", "b"]))
