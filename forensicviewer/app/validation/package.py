"""Checks over the submissions of one package: its name, and one primary system for each task."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from forensicviewer.app.validation import Validation
from forensicviewer.app.validation.finding import Finding
from forensicviewer.app.validation.profile import RuleFamily
from forensicviewer.core.problem import Severity
from forensicviewer.sources.tables.submissions import parse_identity


def with_package_findings(found: Sequence[Validation], *, package: str) -> list[Validation]:
    """The verdicts, where the plan's rules apply with what is wrong with them together."""
    if len(found) < 2 or any(one.family is not RuleFamily.PLAN for one in found):
        return list(found)
    named = [_with(one, _package_name(one, package)) for one in found]
    return [_with(one, _other_primary(one, named)) for one in named]


def _with(validation: Validation, finding: Finding | None) -> Validation:
    if finding is None:
        return validation
    return replace(validation, findings=(*validation.findings, finding))


def _package_name(validation: Validation, package: str) -> Finding | None:
    """NC2017, A-b: <TEAM>_<YEAR>_<DATA>_<SUBNUM>, the beginning of the names in it."""
    start = "_".join(validation.submission.split("_")[:3])
    stem = re.sub(r"(\.tgz|\.tar(\.\w+)?|\.zip)$", "", package)
    is_2017 = validation.submission.count("_") == 6
    if not is_2017 or re.fullmatch(rf"{re.escape(start)}_[1-9]\d*", stem):
        return None
    return Finding(
        "package.name",
        Severity.ERROR,
        f"The package is called {package}",
        package,
        expected=f"{start}_<SUBNUM>, as {start}_1",
        hint="rename the package",
        section="NC2017, A-b",
    )


def _other_primary(validation: Validation, found: Sequence[Validation]) -> Finding | None:
    own = parse_identity(validation.submission)
    others = sorted(
        other.submission
        for other in found
        if _is_rival(own, parse_identity(other.submission)) and other.task == validation.task
    )
    if not others:
        return None
    return Finding(
        "package.primary",
        Severity.ERROR,
        f"{others[0]} is a primary system of the same task",
        validation.submission,
        expected="one and only one primary system",
        hint="call all but your single best system c-…",
        section="Appendix A",
    )


def _is_rival(one: dict[str, str], other: dict[str, str]) -> bool:
    """Whether two names are of different primary systems under one condition."""
    are_primary = all(name.get("system", "").startswith("p-") for name in (one, other))
    is_same_condition = one.get("condition") == other.get("condition")
    return are_primary and is_same_condition and one["system"] != other["system"]
