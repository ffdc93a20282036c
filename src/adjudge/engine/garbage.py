"""How often Python looks for garbage: reference cycles, which are rare here."""

import gc


def collect_rarely() -> None:
    """For a process of our own; at the usual 700, a fifth of a small command and a twelfth of a simulation go there."""
    gc.set_threshold(100_000, 50, 100)
