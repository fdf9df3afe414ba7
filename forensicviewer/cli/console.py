"""What the command line prints: answers on standard output, everything else on standard error."""

from __future__ import annotations

import io
import json
import os
import re
import sys
import time
from collections.abc import Iterable
from types import TracebackType

from forensicviewer.core.problem import ForensicViewerError, Problem


def prepare_output() -> None:
    """Replace characters that the terminal, file or pipe cannot encode."""
    # A process started with its output closed has none; what it says then goes nowhere.
    sys.stdout = sys.stdout or io.StringIO()
    sys.stderr = sys.stderr or io.StringIO()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


# What makes a terminal do something, or show text in another order than it is written in.
_UNSHOWN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def printable(text: str) -> str:
    """Text with control and bidirectional characters as escapes; lines and tabs stay."""
    return _UNSHOWN.sub(lambda sign: sign[0].encode("unicode_escape").decode("ascii"), text)


def say(text: str = "") -> None:
    print(printable(text))


def say_error(text: str) -> None:
    print(printable(text), file=sys.stderr)


def say_json(document: object) -> None:
    # JSON is UTF-8 wherever it goes, so other encodings get escapes only.
    is_utf8 = (sys.stdout.encoding or "utf-8").lower() in ("utf-8", "utf8")
    text = json.dumps(document, indent=2, ensure_ascii=not is_utf8, allow_nan=False)
    # Left are only such signs as JSON itself does not escape; its escapes have four digits.
    print(_UNSHOWN.sub(lambda sign: f"\\u{ord(sign[0]):04x}", text))


def complain(error: ForensicViewerError) -> None:
    say_error(_one_line(f"error: {error.message}" + (f": {error.where}" if error.where else "")))
    if error.hint:
        say_error(_one_line(f"  hint: {error.hint}"))


def list_problems(problems: Iterable[Problem], *, limit: int = 50) -> None:
    """Print problems on standard error, the first ``limit`` of them in full."""
    listed = list(problems)
    for problem in listed[:limit]:
        say_error(_one_line(str(problem)))
    if len(listed) > limit:
        say_error(f"… and {len(listed) - limit} more problems")


def _one_line(text: str) -> str:
    """Escape line breaks, so that file names cannot imitate lines of ours."""
    return text.replace("\r", "\\r").replace("\n", "\\n")


def abandon_output() -> None:
    """Redirect standard output to nothing, so that closing it cannot fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class ProgressLine:
    """A progress line on a terminal, shown only once work has lasted a second.

    Not shown when standard error is not a terminal or ``quiet`` is set.
    """

    def __init__(self, what: str, *, quiet: bool = False) -> None:
        self._what = what
        self._shown = sys.stderr.isatty() and not quiet
        self._started = time.monotonic()
        self._last = 0.0
        self._drawn = False

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._drawn:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)

    def __call__(self, done: int, total: int) -> None:
        now = time.monotonic()
        elapsed_s = now - self._started
        if not self._shown or elapsed_s < 1 or now - self._last < 0.1:
            return
        self._last = now
        self._drawn = True
        print("\r\x1b[K" + self._line(done, total, elapsed_s), end="", file=sys.stderr, flush=True)

    def _line(self, done: int, total: int, elapsed_s: float) -> str:
        rate = done / elapsed_s
        remaining = f", {(total - done) / rate:.0f} s left" if rate > 0 and total else ""
        share = f" {100 * done // total} %" if total else ""
        return f"{self._what}: {done}/{total}{share}, {rate:.1f}/s{remaining}"
