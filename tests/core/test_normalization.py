import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.core.normalization import STEPS, Normalization, merged_by

ALL = Normalization(tuple(STEPS))
PIECES = st.sampled_from(
    ["155", "1,234.0", ".", '"', "'", "**", "`", "$", r"\boxed{", "}", "(", ")", "Paris", " ", "%", "!"]
)


@pytest.mark.parametrize(
    ("step", "written", "meant"),
    [
        ("space", " New \n York\u00a0", "New York"),
        ("case", "Straße", "strasse"),
        ("punctuation", "155.", "155"),
        ("punctuation", "\u201cyes\u201d!", "yes"),
        ("punctuation", "B)", "B"),
        ("punctuation", "(none)", "(none)"),
        ("punctuation", "...", "..."),
        ("numbers", "1,234.0", "1234"),
        ("numbers", "1,23", "1,23"),
        ("numbers", "\u22123.50", "-3.5"),
        ("numbers", "-0.0", "0"),
        ("numbers", "1e3", "1000"),
        ("numbers", "1e99", "1e99"),
        ("numbers", ".5", "0.5"),
        ("numbers", "007", "7"),
        ("latex", r"Thus $x = \boxed{\frac{1}{2}}$.", r"\frac{1}{2}"),
        ("latex", r"\boxed{1} or \boxed{2}", "2"),
        ("latex", r"\boxed{1", r"\boxed{1"),
        ("latex", "$5 and $6", "$5 and $6"),
        ("latex", r"\dfrac{1}{2}", r"\frac{1}{2}"),
        ("markdown", "The answer is **12**.", "The answer is 12."),
        ("markdown", "2**3**4", "2**3**4"),
        ("markdown", "```python\nx = 1\n```", "x = 1"),
        ("json", '{"b": 1, "a": {"d": 2, "c": 3}}', '{"a": {"c": 3, "d": 2}, "b": 1}'),
        ("json", "[1,2", "[1,2"),
    ],
)
def test_a_step_does_its_own_work(step: str, written: str, meant: str) -> None:
    assert Normalization((step,))(written) == meant
    assert all(Normalization((step,))(meant) == meant for _ in range(2))


def test_steps_undo_layers_whatever_their_order() -> None:
    assert ALL(r'**"\boxed{1,234.0}"**.') == "1234"


def test_without_steps_nothing_changes() -> None:
    assert Normalization()(" Yes. ") == " Yes. "


@given(st.one_of(st.text(max_size=12), st.lists(PIECES, max_size=8).map("".join)).filter(str.strip))
def test_one_spelling_is_its_own_spelling_and_never_blank(text: str) -> None:
    once = ALL(text)
    assert once.strip()
    assert ALL(once) == once


def test_equal_answers_come_first_and_a_function_last() -> None:
    by = Normalization(("case",), {"a dozen": "12", "twelve": "12"}, lambda text: f"<{text}>")
    assert [by(each) for each in ("a dozen", "Twelve", "YES")] == ["12", "<12>", "<yes>"]


def test_what_was_merged_is_told_with_examples() -> None:
    by = Normalization(("case",))
    merged = merged_by(by, ["Yes", "yes", "no", "YES"])
    assert merged == {"yes": ("Yes", "yes", "YES")}
    told = Normalization(("case",), merged=merged).sentence()
    assert told == "answers are compared by case; 3 spellings became 1 answer: 'Yes', 'yes', 'YES' = 'yes'"
