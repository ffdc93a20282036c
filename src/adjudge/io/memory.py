"""How much memory predictions may take."""

import os
import re
from pathlib import Path

from adjudge.errors import InputError

UNITS = {"": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")  # of a container


def bytes_of(told: int | str | None) -> int:
    """A size as bytes; None: half of what is free.

    >>> bytes_of("1.5GB"), bytes_of("200 kb"), bytes_of(7)
    (1500000000, 200000, 7)
    """
    if told is None:
        return free() // 2
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?B?)", str(told).strip().upper())
    unit = "" if found is None else found[2].removesuffix("B")
    size = 0 if found is None else int(float(found[1]) * UNITS[unit and unit + "B"])
    if size <= 0:
        raise InputError(f"a memory of {told!r} is asked for; give a size such as 500MB or 2GB")
    return size


def free() -> int:
    """Bytes that are free, in the container if there is one."""
    pages = "SC_AVPHYS_PAGES" if "SC_AVPHYS_PAGES" in os.sysconf_names else "SC_PHYS_PAGES"
    found = [os.sysconf(pages) * os.sysconf("SC_PAGE_SIZE")]
    try:  # on Linux, pages that only cache files are as good as free
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        found = [int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable")] or found
    except OSError:
        pass
    for limit in LIMITS:
        try:
            found.append(int(Path(limit).read_text(encoding="ascii")))
        except (OSError, ValueError):  # no container, or one without a limit
            continue
    return min(found)


def size_in_words(size: int) -> str:
    """Bytes with a unit.

    >>> size_in_words(1_500_000_000), size_in_words(999)
    ('1.5 GB', '999 bytes')
    """
    for unit, factor in reversed(list(UNITS.items())[1:]):
        if size >= factor:
            return f"{size / factor:.3g} {unit}"
    return f"{size} bytes"
