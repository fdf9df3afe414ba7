"""What a self-test is made of: named checks, each passed or failed with the evidence."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from forensicviewer.core.problem import ForensicViewerError


@dataclass(frozen=True, slots=True)
class Result:
    """How one check ended; ``detail`` is what was found."""

    name: str
    passed: bool
    detail: str
    elapsed_s: float


@dataclass(frozen=True, slots=True)
class InstallationCheck:
    """One check: ``run`` returns what it found, or raises CheckFailedError."""

    name: str
    run: Callable[[], str]


class CheckFailedError(ForensicViewerError):
    """The installation does not do what it should."""


def run_checks(checks: Iterator[InstallationCheck]) -> Iterator[Result]:
    """Run checks one after the other; a failed one does not stop the next."""
    for check in checks:
        started_s = time.monotonic()
        try:
            detail, passed = check.run(), True
        except (ForensicViewerError, OSError, ImportError) as error:
            detail, passed = str(error), False
        yield Result(check.name, passed, detail, round(time.monotonic() - started_s, 2))
