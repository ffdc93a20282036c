"""Exit codes that give an answer."""

import pytest
import typer

from adjudge.cli.output import answering


@pytest.mark.parametrize("code", [0, 1])
@pytest.mark.parametrize("gone", [None, BrokenPipeError(), SystemExit(0)])
def test_the_exit_code_gives_the_answer_even_if_the_reader_goes_away(code: int, gone: BaseException | None) -> None:
    def printing() -> None:
        with answering(code):
            if gone is not None:
                raise gone

    with pytest.raises(typer.Exit) as ended:
        printing()
    assert ended.value.exit_code == code
