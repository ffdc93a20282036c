"""`python -m adjudge` is the `adjudge` command."""

from adjudge.cli.main import run

if __name__ == "__main__":
    run()
