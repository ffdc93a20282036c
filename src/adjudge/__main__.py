"""The `adjudge` command, also as `python -m adjudge`."""

import atexit
import gc
import sys


def run() -> None:
    """Load the command line and hand over; Ctrl-C ends as quietly while it loads as it does later."""
    atexit.register(gc.freeze)  # the process ends: looking for garbage first would take a third of a second
    try:
        from adjudge.cli.main import run as run_command

        run_command()
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    run()
