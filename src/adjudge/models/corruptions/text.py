"""Shift in texts: slips of the keyboard, words that get lost, careless case."""

from collections.abc import Callable

import numpy as np

from adjudge.core.arrays import Array
from adjudge.models.corruptions.chance import uniform

TYPOS = (0.02, 0.05, 0.10, 0.17, 0.27)  # of the characters
DROPPED = (0.05, 0.12, 0.22, 0.35, 0.50)  # of the words
CASED = (0.10, 0.25, 0.45, 0.70, 1.00)  # of the words

Change = Callable[[str, Array, float], str]


def typos(texts: Array, severity: int, keys: Array) -> Array:
    """Characters that are left out, doubled, or change places with the next.

    >>> from adjudge.models.corruptions.chance import keys_of
    >>> typos(np.array(["the weather was fine"], dtype=object), 4, keys_of(0, "typos", 4, 0, 1))[0]
    'th ewatehe was  fine'
    """
    return _changed(texts, keys, TYPOS[severity - 1], _slipped, len)


def token_drop(texts: Array, severity: int, keys: Array) -> Array:
    """Words that get lost; the last one left stays."""
    return _changed(texts, keys, DROPPED[severity - 1], _dropped, _words)


def case(texts: Array, severity: int, keys: Array) -> Array:
    """Words in capitals, or without any."""
    return _changed(texts, keys, CASED[severity - 1], _cased, _words)


def _words(text: str) -> int:
    return len(text.split())


def _changed(texts: Array, keys: Array, share: float, change: Change, count: Callable[[str], int]) -> Array:
    """Each text changed by its own draws, one for each of its parts and one more."""
    found = np.empty(len(texts), dtype=object)
    for place, text in enumerate(texts):
        found[place] = change(text, uniform(keys[place : place + 1], count(text) + 1)[0], share)
    return found


def _slipped(text: str, draws: Array, share: float) -> str:
    letters = list(text)
    for place in np.flatnonzero(draws[: len(letters)] < share):
        kind = int(3 * draws[place] / share)
        if kind == 0:
            letters[place] = ""
        elif kind == 1:
            letters[place] += letters[place]
        elif place + 1 < len(letters):
            letters[place], letters[place + 1] = letters[place + 1], letters[place]
    return "".join(letters)


def _dropped(text: str, draws: Array, share: float) -> str:
    words = text.split()
    if not words:
        return text
    draws = draws[: len(words)]
    return " ".join(word for word, draw in zip(words, draws, strict=True) if draw >= min(share, draws.max()))


def _cased(text: str, draws: Array, share: float) -> str:
    words = text.split(" ")
    draws = np.resize(draws, len(words))
    return " ".join(
        word if draw >= share else word.upper() if draw < share / 2 else word.lower()
        for word, draw in zip(words, draws, strict=True)
    )
