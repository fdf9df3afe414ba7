"""What a validation finds: one finding per broken rule and place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from forensicviewer.core.problem import Problem, Severity, TrialId


@dataclass(frozen=True, slots=True)
class Finding:
    """One broken rule: where it is broken, what the rules expect there, and how to correct it.

    ``row`` is the line of the table as a text editor counts it; ``trial`` the trial it is about
    where no row is. ``section`` is that of the evaluation plan the rule is from, where it is.
    """

    rule: str
    severity: Severity
    message: str
    file: str
    row: int | None = None
    expected: str = ""
    hint: str = ""
    trial: TrialId | None = None
    section: str = ""

    def as_problem(self) -> Problem:
        where = self.file if self.row is None else f"{self.file}:{self.row}"
        expected = f"; expected {self.expected}" if self.expected else ""
        source = f" [plan {self.section}]" if self.section else ""
        message = self.message + expected + source
        return Problem(self.severity, message, where, self.hint, self.rule, trial=self.trial)

    def as_record(self) -> dict[str, object]:
        return {
            "rule": self.rule,
            "severity": self.severity.value,
            "message": self.message,
            "file": self.file,
            "row": self.row,
            "expected": self.expected,
            "hint": self.hint,
            "section": self.section,
        }


class Findings:
    """Collects findings about one file after another."""

    def __init__(self, file: str) -> None:
        self.file = file
        self._findings: dict[Finding, None] = {}

    def __iter__(self) -> Iterator[Finding]:
        return iter(self._findings)

    def add(self, finding: Finding) -> None:
        self._findings[finding] = None

    def error(
        self, rule: str, message: str, *, row: int | None = None, expected: str = "", hint: str = ""
    ) -> None:
        self._add(Severity.ERROR, rule, message, row, expected, hint)

    def miss_trial(self, trial: TrialId) -> None:
        """Report a trial of the index that no row answers."""
        self.add(
            Finding(
                "rows.missing",
                Severity.ERROR,
                _shortened(f"{trial} is not answered"),
                self.file,
                expected="one row per trial of the index",
                hint="add a row for it",
                trial=trial,
            )
        )

    def warn(
        self, rule: str, message: str, *, row: int | None = None, expected: str = "", hint: str = ""
    ) -> None:
        self._add(Severity.WARNING, rule, message, row, expected, hint)

    def note(
        self, rule: str, message: str, *, row: int | None = None, expected: str = "", hint: str = ""
    ) -> None:
        self._add(Severity.NOTE, rule, message, row, expected, hint)

    def _add(
        self, severity: Severity, rule: str, message: str, row: int | None, expected: str, hint: str
    ) -> None:
        self.add(Finding(rule, severity, _shortened(message), self.file, row, expected, hint))


def _shortened(message: str) -> str:
    """A cell can contain a megabyte; its beginning and end are enough to find it."""
    return message if len(message) <= 400 else f"{message[:300]} … {message[-80:]}"
