"""Asks the program to do something: a refusal in words is an answer, anything else a mistake."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout, suppress
from pathlib import Path

from forensicviewer.cli import main
from forensicviewer.cli.command import ExitCode
from forensicviewer.core.problem import ForensicViewerError, Problem

_INTERNAL = "decoder.internal"
# What a terminal does not show but obeys.
_OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


class InternalError(Exception):
    """The program's own word for a mistake of ours."""


def ask(work: Callable[[], object]) -> None:
    """Do it; a refusal in the user's words is an answer as good as any."""
    try:
        work()
    except ForensicViewerError as error:
        check(error.as_problem())


def check(problem: Problem) -> None:
    if problem.rule == _INTERNAL:
        raise InternalError(problem.message)
    if not problem.message.strip():
        raise InternalError("A problem without a message")


def command(words: Sequence[str]) -> None:
    """Run a command of the program, and look at what it prints."""
    out, errors = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(errors), suppress(SystemExit):
        if main(words) == ExitCode.BUG:
            told = [line.strip() for line in errors.getvalue().splitlines() if line.strip()]
            places = [line.rpartition("/")[2] for line in told if line.startswith("File ")]
            said = f"{words[0]}: {told[-1][:160]} at {' > '.join(places[-3:])}"
            raise InternalError(said)
    for stream in (out, errors):
        if obeyed := _OBEYED.search(stream.getvalue()):
            raise InternalError(f"{words[0]} prints {obeyed[0]!r}")


def write(folder: Path, files: Mapping[str, bytes]) -> None:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
