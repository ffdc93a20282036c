"""Kernels: compiled at first use, and the same in Python where they say so."""

import subprocess
import sys
from pathlib import Path
from threading import Thread
from typing import Any

import numba
import numpy as np
import pytest

from adjudge.core import kernels
from adjudge.core.arrays import Array, FloatArray
from adjudge.core.kernels import Kernel, exact_kernel, kernel
from adjudge.core.tally import _tally
from adjudge.core.votes import _backed
from adjudge.decisions.vote_of_others import _take_one_from_the_majority, vote_of_others
from adjudge.methods.patterns import _same_columns
from adjudge.methods.pooled.priors import _voters
from adjudge.methods.pooled.slots import _number_slots

RNG = np.random.default_rng(0)
VALUES = RNG.integers(-1, 4, (5, 40)).astype(np.int8)


@exact_kernel
def _doubled(number: FloatArray) -> FloatArray:
    return number + number


@kernel
def _quadrupled(number: FloatArray) -> FloatArray:
    return _doubled(_doubled(number))


def test_kernels_call_kernels() -> None:
    assert _quadrupled(np.array([1.5])).tolist() == [6.0]


def test_small_inputs_are_worked_on_in_python_until_they_add_up() -> None:
    seen = []

    def size(number: Array) -> int:
        seen.append("python")
        return len(number)

    counted = Kernel(size, plain_numbers=10)
    counted.__dict__["compiled"] = lambda number: seen.append("compiled")
    for _ in range(3):
        counted(np.zeros(4))
    assert seen == ["python", "python", "compiled"]
    counted(np.zeros(1))
    assert seen[-1] == "compiled"


def test_threads_share_one_dispatcher() -> None:
    found: list[object] = []

    @kernel
    def nothing(number: int) -> int:
        return number

    threads = [Thread(target=lambda: found.append(nothing.compiled)) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len({id(each) for each in found}) == 1


def _tally_of(known: Array, classes: int = 4) -> tuple[object, ...]:
    tally = tuple(np.zeros(40, dtype=np.int32) for _ in range(5))
    return VALUES, known, np.zeros((16, classes), dtype=np.uint8), tally, np.zeros((2, 5)), np.zeros(5, dtype=np.int64)


def _cases() -> list[tuple[Any, tuple[object, ...]]]:
    ints = RNG.integers(0, 3, (4, 40)).astype(np.int32)
    slot, code, _ = _number_slots(np.ascontiguousarray(VALUES.T), 4)
    return [
        (_tally, _tally_of(np.empty(0, dtype=np.int64))),
        (_tally, _tally_of(RNG.integers(-1, 4, 40))),
        (_tally, _tally_of(RNG.integers(-1, 4, 40), classes=9)),  # more than models
        (_backed, (np.maximum(VALUES.T, 0), RNG.integers(9, size=40), 4)),  # a vote needs a backer
        (_same_columns, (VALUES, np.arange(40)[::-1].copy())),
        (_take_one_from_the_majority, (VALUES, np.zeros((16, 4), dtype=np.int32), *ints)),
        (vote_of_others, (VALUES[0], *ints[:3])),
        (_number_slots, (np.ascontiguousarray(VALUES.T), 4)),
        (_voters, (slot, np.zeros(len(code), dtype=np.int64))),
    ]


@pytest.mark.slow
@pytest.mark.parametrize("case", range(9))
def test_exact_kernels_are_the_same_in_python_to_the_last_bit(case: int) -> None:
    def run(function: object, args: tuple[object, ...]) -> list[bytes]:
        """What is returned, and what became of the arguments."""
        given = [np.copy(each) if isinstance(each, np.ndarray) else each for each in args]
        given = [tuple(map(np.copy, each)) if isinstance(each, tuple) else each for each in given]
        result = function(*given)  # type: ignore[operator]
        every = [*given, *(result if isinstance(result, tuple) else [result])]
        arrays = [part for each in every for part in (each if isinstance(each, tuple) else [each])]
        return [np.asarray(each).tobytes() for each in arrays if each is not None]

    used, args = _cases()[case]
    assert run(used.__wrapped__, args) == run(used.compiled, args)


def _fresh() -> Kernel[[float], float]:
    made: dict[str, Any] = {}
    exec("def increased(number):\n    return number + 1", made)  # of no file, so its machine code is never kept
    return kernel(made["increased"])


@pytest.mark.parametrize(("patience", "said"), [(-1.0, ["compiling"]), (3600.0, [])])
def test_compiling_is_told_once_on_a_machine_if_it_takes_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, patience: float, said: list[str]
) -> None:
    told: list[str] = []
    monkeypatch.setattr(kernels, "_listeners", [])
    monkeypatch.setattr(kernels, "PATIENCE", patience)
    monkeypatch.setattr(kernels, "FOLDER", tmp_path / "kept")
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    for _ in range(2):  # as two commands do
        kernels.when_compiling(lambda: told.append("compiling"))
        fresh = _fresh()
        assert fresh(1) == 2
        assert fresh(1.5) == 2.5
    assert told == said


def test_what_is_slow_to_import_waits_until_it_is_needed() -> None:
    slow = {"numba", "scipy.special", "pyarrow.parquet"}
    code = f"import sys, adjudge.registry, adjudge.api\nassert not {slow} & set(sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_machine_code_is_read_without_what_compiling_needs(tmp_path: Path) -> None:
    (tmp_path / "tripled.py").write_text(
        "import sys\nimport numpy as np\nfrom adjudge.core.kernels import kernel\n\n\n@kernel\ndef tripled(number):\n"
        "    return 3 * number\n\n\nassert tripled(np.ones(2)).tolist() == [3.0, 3.0]\n"
        "print('numba.np.arraymath' in sys.modules, *tripled.compiled.stats.cache_hits)\n"
    )
    call = [sys.executable, "tripled.py"]
    said = [subprocess.run(call, cwd=tmp_path, capture_output=True, text=True, check=True).stdout for _ in range(2)]
    assert said == ["True\n", "False (Array(float64, 1, 'C', False, aligned=True),)\n"]
