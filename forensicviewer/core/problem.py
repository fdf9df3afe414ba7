"""What can go wrong, as values and as exceptions.

::

    ForensicViewerError          an expected failure, described in the user's words
    ├── UsageError               the request itself makes no sense (CLI exit 2)
    │   └── QueryError           a query cannot be understood
    ├── DatasetError             the dataset cannot be opened at all
    ├── SubmissionError          the submission cannot be opened at all
    ├── UnsafePathError          a name leads outside its folder
    ├── CodecError               a file's content cannot be decoded
    └── ScoringError             a score cannot be computed

Partial failure is not an exception: it is a :class:`Problem` in a :class:`ProblemLog`, and work
goes on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import NewType

TrialId = NewType("TrialId", str)


class Severity(Enum):
    """How much a problem matters to the result."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Topic(Enum):
    """Whose files are wrong, which decides how long it stays listed."""

    OPENED = "opened"  # what was opened: datasets, submissions, media
    VALIDATED = "validated"  # what a validation found, until the next one
    PROGRAM = "program"  # the program's own files, whatever is open


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong with the user's files that did not stop the work.

    ``where`` is ``file:row`` (rows counted as a text editor does) or a file; ``hint`` says what to
    do; ``rule`` is a stable identifier for tests, filters and machines; ``times`` is how many of
    its kind it represents, where there are too many to name each. ``trial`` is the one that it is
    about, or of several the first: what many trials share is one problem.
    """

    severity: Severity
    message: str
    where: str = ""
    hint: str = ""
    rule: str = ""
    times: int = 1
    trial: TrialId | None = field(default=None, compare=False)
    topic: Topic = Topic.OPENED

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        hint = f" ({self.hint})" if self.hint else ""
        return f"{self.severity.value}: {place}{self.message}{hint}"


# The rule of the one problem that a dataset's links lead elsewhere, whichever trial met it.
LINKS = "dataset.links"


class ProblemLog:
    """Collects problems in order, each one once; with a trial, those of that trial."""

    def __init__(
        self,
        problems: Iterable[Problem] = (),
        *,
        trial: TrialId | None = None,
        topic: Topic = Topic.OPENED,
    ) -> None:
        self._problems: dict[Problem, None] = {}
        self._trial = trial
        self._topic = topic
        self.extend(problems)

    def __iter__(self) -> Iterator[Problem]:
        return iter(self._problems)

    def __len__(self) -> int:
        return len(self._problems)

    def about(self, trial: TrialId) -> ProblemLog:
        """This log, for what is wrong with one trial."""
        log = ProblemLog(trial=trial, topic=self._topic)
        log._problems = self._problems
        return log

    def add(self, problem: Problem) -> None:
        is_of_dataset = problem.rule == LINKS
        if problem.trial is None and self._trial is not None and not is_of_dataset:
            problem = replace(problem, trial=self._trial)
        self._problems.setdefault(problem)

    def extend(self, problems: Iterable[Problem]) -> None:
        for problem in problems:
            self.add(problem)

    def error(self, message: str, *, where: str = "", hint: str = "", rule: str = "") -> None:
        self.add(Problem(Severity.ERROR, message, where, hint, rule, topic=self._topic))

    def warn(self, message: str, *, where: str = "", hint: str = "", rule: str = "") -> None:
        self.add(Problem(Severity.WARNING, message, where, hint, rule, topic=self._topic))

    def note(self, message: str, *, where: str = "", hint: str = "", rule: str = "") -> None:
        self.add(Problem(Severity.NOTE, message, where, hint, rule, topic=self._topic))

    def freeze(self) -> tuple[Problem, ...]:
        return tuple(self._problems)


class ForensicViewerError(Exception):
    """An expected failure: message in the user's words, where it happened, what to do about it."""

    def __init__(self, message: str, *, where: object = "", hint: str = "", rule: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.where = str(where)
        self.hint = hint
        self.rule = rule

    def __str__(self) -> str:
        place = f": {self.where}" if self.where else ""
        hint = f" ({self.hint})" if self.hint else ""
        return f"{self.message}{place}{hint}"

    def __reduce__(self) -> tuple[object, ...]:
        # Keyword-only arguments do not survive the default pickling, and workers send these home.
        return _rebuild, (type(self), self.message, self.where, self.hint, self.rule)

    def as_problem(self, severity: Severity = Severity.ERROR) -> Problem:
        return Problem(severity, self.message, self.where, self.hint, self.rule)


def _rebuild(
    kind: type[ForensicViewerError], message: str, where: str, hint: str, rule: str
) -> ForensicViewerError:
    return kind(message, where=where, hint=hint, rule=rule)


class UsageError(ForensicViewerError):
    """The request itself makes no sense."""


class DatasetError(ForensicViewerError):
    """The dataset cannot be opened at all."""


class SubmissionError(ForensicViewerError):
    """The submission cannot be opened at all."""


class UnsafePathError(ForensicViewerError):
    """A name leads outside its folder."""


class CodecError(ForensicViewerError):
    """A file's content cannot be decoded."""


class QueryError(UsageError):
    """A query cannot be understood."""


class ScoringError(ForensicViewerError):
    """A score cannot be computed."""
