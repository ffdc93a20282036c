"""The glossary names files that exist, and terms that occur in them."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ROWS = re.findall(r"^\| (.+?) \| .+ \| `(.+?)` \|$", (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8"), re.M)


@pytest.mark.parametrize(("term", "file"), ROWS)
def test_a_term_occurs_in_its_file(term: str, file: str) -> None:
    path = ROOT / "src" / "adjudge" / file
    text = f"{path.stem} {path.read_text(encoding='utf-8')}".lower()
    words = [word for word in re.findall(r"\w+", term.lower()) if len(word) >= min(4, len(term))]
    assert any(word in text for word in words)


def test_terms_are_in_order_and_named_once() -> None:
    terms = [term.lower() for term, _ in ROWS]
    assert len(terms) >= 40
    assert terms == sorted(set(terms))
