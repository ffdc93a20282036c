"""The `adjudge` command, also as `python -m adjudge`."""

import atexit
import gc
import sys

from adjudge.engine.garbage import collect_rarely


def run() -> None:
    """Load the command line and hand over; Ctrl-C ends as quietly while it loads as it does later."""
    collect_rarely()
    atexit.register(gc.freeze)  # the process ends: looking for garbage first would take a third of a second
    try:
        from adjudge.cli.main import run as run_command

        run_command()
    except KeyboardInterrupt:
        sys.exit(130)
    finally:
        # if Ctrl-C came while Python ran code from a string, as dataclasses do, `python -m` would end by the signal,
        # whatever the exit code, unless other such code has run since
        exec("")


if __name__ == "__main__":
    run()
