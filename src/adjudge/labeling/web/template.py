"""The owner's own template for samples, and the guidelines for labelers: read once, and refused if they are wrong."""

from pathlib import Path

from jinja2 import Template, TemplateError
from jinja2.sandbox import SandboxedEnvironment

from adjudge.errors import InputError

LONGEST_GUIDELINES = 200_000  # characters


def read_template(path: Path) -> Template:
    """A template: what comes from the data is escaped, and it can reach nothing else."""
    try:
        return SandboxedEnvironment(autoescape=True).from_string(_text("template", path))
    except TemplateError as problem:
        line = getattr(problem, "lineno", None)
        where = "" if line is None else f" in line {line}"
        raise InputError(f"the template {path} has a mistake{where} ({problem}); correct it") from None


def read_guidelines(path: Path) -> str:
    """The text of the guidelines."""
    text = _text("guidelines", path)
    if len(text) > LONGEST_GUIDELINES:
        raise InputError(f"the guidelines {path} have {len(text):,} characters; shorten them to {LONGEST_GUIDELINES:,}")
    return text


def _text(what: str, path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise InputError(f"there is no file {path} for the {what}; check the path") from None
    except (OSError, UnicodeError) as problem:
        raise InputError(f"the {what} {path} cannot be read ({problem}); check the file") from None
