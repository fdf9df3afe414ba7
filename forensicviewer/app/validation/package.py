"""Checks over the submissions of one package: its name, and one primary system for each task."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from forensicviewer.app.validation import Validation
from forensicviewer.app.validation.finding import Finding
from forensicviewer.app.validation.profile import RuleFamily
from forensicviewer.core.problem import Severity
from forensicviewer.sources.tables.submissions import parse_identity


def with_package_findings(
    found: Sequence[Validation], *, package: str, siblings: Sequence[str] = ()
) -> list[Validation]:
    """The verdicts; if the plan's rules apply, with findings about all of them together.

    ``siblings`` are the names of submissions of the package that were not checked.
    """
    checked = {one.submission for one in found}
    named = [_Named(one.submission, one.task or "") for one in found]
    named += [_Named(name, "") for name in siblings if name not in checked]
    return [one if len(named) < 2 else _with_findings(one, package, named) for one in found]


@dataclass(frozen=True, slots=True)
class _Named:
    """A submission of a package: its name, and its task where it was checked."""

    name: str
    task: str

    @property
    def identity(self) -> dict[str, str]:
        return parse_identity(self.name)

    def has_task_of(self, other: _Named) -> bool:
        if self.task and other.task:
            return self.task == other.task
        words = [one.identity.get("task", "").lower() for one in (self, other)]
        return bool(words[0]) and words[0] == words[1]


def _with_findings(validation: Validation, package: str, named: Sequence[_Named]) -> Validation:
    if validation.family is not RuleFamily.PLAN:
        return validation
    asked = (_package_name(validation, package), _other_primary(validation, named))
    own = [finding for finding in asked if finding is not None]
    return replace(validation, findings=(*validation.findings, *own))


def _package_name(validation: Validation, package: str) -> Finding | None:
    """The name NC2017 requires (A-b): <TEAM>_<YEAR>_<DATA>_<SUBNUM>, as its contents begin."""
    start = "_".join(validation.submission.split("_")[:3])
    stem = re.sub(r"(\.tgz|\.tar(\.\w+)?|\.zip)$", "", package)
    is_2017 = validation.submission.count("_") == 6
    if not is_2017 or re.fullmatch(rf"{re.escape(start)}_[1-9]\d*", stem):
        return None
    return Finding(
        "package.name",
        Severity.ERROR,
        f"The package is named {package}",
        package,
        expected=f"{start}_<SUBNUM>, as {start}_1",
        hint="rename the package",
        section="NC2017, A-b",
    )


def _other_primary(validation: Validation, named: Sequence[_Named]) -> Finding | None:
    own = _Named(validation.submission, validation.task or "")
    others = sorted(
        other.name
        for other in named
        if _is_rival(own.identity, other.identity) and own.has_task_of(other)
    )
    if not others:
        return None
    return Finding(
        "package.primary",
        Severity.ERROR,
        f"{others[0]} is a primary system of the same task",
        validation.submission,
        expected="exactly one primary system",
        hint="name all systems except the best one c-…",
        section="Appendix A",
    )


def _is_rival(one: dict[str, str], other: dict[str, str]) -> bool:
    """Whether two names are of different primary systems under one condition."""
    are_primary = all(name.get("system", "").startswith("p-") for name in (one, other))
    is_same_condition = one.get("condition") == other.get("condition")
    return are_primary and is_same_condition and one["system"] != other["system"]
