"""Answers in words that mean the same, written the same way: ` 155.` is the answer `155`."""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TypeAlias

from adjudge.core.index import counted, listed

Step: TypeAlias = Callable[[str], str]

NUMBER = re.compile(
    r"([+\-\u2212]?)\s*([$€£]?)\s*((?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d*)?|\.\d+)(?:e([+-]?\d{1,2}))?\s*(%?)"
)
LARGEST_EXPONENT = 30  # 1e30 is written out, 1e31 is kept as it is
MARK = re.compile(r"(?:[.,;:?]|(?<!\d)!)+$")  # 5! is a factorial
QUOTES = {'"': '"', "'": "'", "`": "`", "\u201c": "\u201d", "\u2018": "\u2019", "\u00ab": "\u00bb"}
OPTION = re.compile(r"\(([A-Za-z]|\d+)\)|([A-Za-z])\)")  # (B), and B) of a list of options
FENCED = re.compile(r"```[\w+-]*\n(.*?)\n?```", re.S)
BOLD = re.compile(r"(?<![\w*])\*\*(?=[^\s*])(.+?)(?<=[^\s*])\*\*(?![\w*])")
LINE_START = re.compile(r"^(?:#{1,6}\s+|>\s?)", re.M)
SPACING = re.compile(r"\\[,!;:]|\\(?:left|right)(?![a-zA-Z])|\\[()\[\]]|\$\$")
WRITTEN_OUT = re.compile(r"\\(?:text|mathrm|textbf|mathbf|textit)\s*\{([^{}]*)\}")
REPEATS = 10  # taking off one layer may bare another: **"155"**


def latex(text: str) -> str:
    r"""What stands in the last box, without the marks of a formula.

    >>> latex(r"so it is \boxed{\text{about } 1{,}234}"), latex("$5$"), latex(r"\$5")
    ('about  1,234', '5', '$5')
    """
    text = _boxed(text)
    if len(text) > 2 and text[0] == text[-1] == "$":
        text = text[1:-1]
    text = WRITTEN_OUT.sub(r"\1", SPACING.sub("", text))
    for old, new in ((r"\dfrac", r"\frac"), (r"\tfrac", r"\frac"), ("{,}", ","), (r"\%", "%"), (r"\$", "$")):
        text = text.replace(old, new)
    return text


def _boxed(text: str) -> str:
    start = text.rfind(r"\boxed{")
    if start < 0:
        return text
    inner, depth = text[start + len(r"\boxed{") :], 1
    for at, each in enumerate(inner):
        depth += {"{": 1, "}": -1}.get(each, 0)
        if not depth:
            return inner[:at]
    return text


def markdown(text: str) -> str:
    """Without fences, headings, and stars or backticks around words.

    >>> markdown("## **Paris**"), markdown("2 * 3 * 4"), markdown("`x`")
    ('Paris', '2 * 3 * 4', 'x')
    """
    bare = text.strip()
    if fenced := FENCED.fullmatch(bare):
        return fenced[1]
    bare = BOLD.sub(r"\1", LINE_START.sub("", bare))
    for mark in ("`", "*"):
        if len(bare) > 2 and bare[0] == bare[-1] == mark and mark not in bare[1:-1]:
            bare = bare[1:-1]
    return bare


def sorted_json(text: str) -> str:
    """An object or a list of JSON, in one way of writing.

    >>> sorted_json('{"b":1,"a": [1,2]}'), sorted_json("{x}")
    ('{"a": [1, 2], "b": 1}', '{x}')
    """
    if not text.lstrip().startswith(("{", "[")):
        return text
    try:
        return json.dumps(json.loads(text), sort_keys=True, ensure_ascii=False)
    except (ValueError, RecursionError):
        return text


def space(text: str) -> str:
    """One blank wherever there are several, or a line break."""
    return " ".join(text.replace("\u200b", "").split())


def punctuation(text: str) -> str:
    """Without marks at the end, quotes around, and brackets around the letter of an option.

    >>> punctuation('"Paris".'), punctuation("(B)"), punctuation("5!"), punctuation("'a' + 'b'")
    ('Paris', 'B', '5!', "'a' + 'b'")
    """
    bare = MARK.sub("", text.strip()) or text
    if len(bare) > 2 and QUOTES.get(bare[0]) == bare[-1] and not set(bare[1:-1]) & {bare[0], bare[-1]}:
        bare = MARK.sub("", bare[1:-1]) or text
    found = OPTION.fullmatch(bare)
    return (found[1] or found[2]) if found else bare


def numbers(text: str) -> str:
    """A number with neither separators nor needless zeros; its currency or percent sign stays.

    >>> [numbers(each) for each in ("1,234.0", "+7", "-0.50 %", "$1,000", "1,5", "12 cats")]
    ['1234', '7', '-0.5%', '$1000', '1,5', '12 cats']
    """
    found = NUMBER.fullmatch(text.strip().lower())
    if found is None or abs(int(found[4] or 0)) > LARGEST_EXPONENT:
        return text
    value = Decimal(found[3].replace(",", "")).scaleb(int(found[4] or 0))
    digits = format(value, "f")
    digits = digits.rstrip("0").rstrip(".") if "." in digits else digits
    digits = digits.lstrip("0") or "0"
    digits = f"0{digits}" if digits.startswith(".") else digits
    sign = "-" if found[1] in ("-", "\u2212") and value else ""
    return f"{sign}{found[2]}{digits}{found[5]}"


def case(text: str) -> str:
    return text.casefold()


STEPS: Mapping[str, Step] = {  # in the order in which they are taken
    "latex": latex,
    "markdown": markdown,
    "json": sorted_json,
    "space": space,
    "punctuation": punctuation,
    "numbers": numbers,
    "case": case,
}


@dataclass(frozen=True, eq=False)
class Normalization:
    """How the answers of a pool were brought to one spelling; its labels are read in the same way.

    Parameters
    ----------
    steps
        Names of `STEPS`.
    equal
        Answers, and the answer that each stands for; they go before the steps, and hold what a function did.
    function
        What is done after the steps.
    name
        How the function is called, for people.

    Examples
    --------
    >>> same = Normalization(("punctuation", "numbers"), {"a dozen": "12"})
    >>> same("1,234.0."), same("12."), same("A dozen"), same("a dozen")
    ('1234', '12', 'A dozen', '12')
    """

    steps: tuple[str, ...] = ()
    equal: Mapping[str, str] = field(default_factory=dict)
    function: Step | None = None
    name: str = ""
    merged: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # an answer, and how it was written

    def __call__(self, text: str) -> str:
        """The text in its one spelling; never blank, since that would be a missing answer."""
        if (known := self.equal.get(text.strip())) is not None:
            return known
        now = text
        for _ in range(REPEATS):
            before = now
            for name, step in STEPS.items():
                now = (step(now).strip() or now) if name in self.steps else now
            if now == before:
                break
        now = self.equal.get(now, now)
        return now if self.function is None else self.function(now)

    def __bool__(self) -> bool:
        """Whether anything is done; if not, answers are compared as they are written, since somebody said so."""
        return bool(self.steps or self.equal or self.function)

    def __str__(self) -> str:
        names = [*self.steps, *([self.name or "a function"] if self.function or self.name else [])]
        names += [f"a table of {len(self.equal):,} answers"] if self.equal and not self.function else []
        return ", ".join(names) or "none"

    def sentence(self, most: int = 3) -> str:
        """What was merged, with examples."""
        if not self.merged:
            return f"answers are compared by {self}; each is in one spelling already"
        groups = [f"{listed(written, 3)} = {name!r}" for name, written in list(self.merged.items())[:most]]
        total = sum(map(len, self.merged.values()))
        more = f" and {len(self.merged) - most:,} more" if len(self.merged) > most else ""
        return (
            f"answers are compared by {self}; {total:,} spellings became {counted(len(self.merged), 'answer')}: "
            f"{'; '.join(groups)}{more}"
        )


def merged_by(normalization: Step, answers: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """The answers that became the same: what they are now, and how they were written."""
    found: dict[str, list[str]] = {}
    for each in answers:
        found.setdefault(normalization(each), []).append(each)
    return {name: tuple(written) for name, written in found.items() if len(written) > 1}
