"""Commands in this process that must work."""

from typer.testing import CliRunner

from adjudge.cli.main import app


def run(*words: object) -> str:
    done = CliRunner().invoke(app, [*map(str, words)], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return " ".join(done.output.split())
