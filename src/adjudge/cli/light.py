"""What keeps small commands from importing what they do not use."""

import sys
from importlib import import_module
from importlib.util import LazyLoader, find_spec, module_from_spec


class _NoPandas:
    """A finder of modules that refuses pandas."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> None:
        if name == "pandas":
            raise ImportError("not needed here")


def do_without_pandas() -> None:
    """Keep Arrow from importing pandas, which it tries once, for the first array that it makes.

    Frames are given in Python only, and pandas takes as long to import as a small command takes to run.
    """
    import pyarrow as pa

    if "pandas" not in sys.modules:
        sys.meta_path.insert(0, _NoPandas)
        try:
            pa.scalar(None)
        finally:
            sys.meta_path.remove(_NoPandas)


def load_later(package: str, *names: str) -> None:
    """Have some modules of a package there from now on, each loaded once something in it is used."""
    for name in names:
        spec = find_spec(f"{package}.{name}")
        if spec is None or spec.loader is None or spec.name in sys.modules:
            continue
        spec.loader = LazyLoader(spec.loader)
        module = sys.modules[spec.name] = module_from_spec(spec)
        setattr(import_module(package), name, module)
        spec.loader.exec_module(module)
