"""The system description of a GenAI submission: a template, and a check of its five sections.

Section 5.2.3 of NIST's plan says what it should include.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from forensicviewer.app.validation.finding import Finding, Findings
from forensicviewer.core.problem import UsageError

_MOST_BYTES = 10_000_000


@dataclass(frozen=True, slots=True)
class _Section:
    """One section; an ``optional`` one may say that there is nothing to list."""

    title: str
    asks: str
    words: tuple[str, ...]
    optional: bool = False


SECTIONS = (
    _Section(
        "Submission Identifier(s)",
        "List the submission IDs for which system outputs were submitted; the GenAI team can help "
        "identify Submission IDs as needed.",
        ("submission", "identifier"),
    ),
    _Section(
        "System Description",
        "A brief technical description of your system and the system model used.",
        ("system", "description"),
    ),
    _Section(
        "System Hardware Description and Runtime Computation",
        "Describe the computing hardware setup(s) and report the number of CPU and GPU cores. A "
        "hardware setup is the aggregate of all computational components used.",
        ("hardware",),
    ),
    _Section(
        "Training Data and Knowledge Sources",
        "List the resources used for system development and runtime knowledge sources, if any.",
        ("training", "data"),
        optional=True,
    ),
    _Section("References", "List pertinent references, if any.", ("references",), optional=True),
)
_HEADING = re.compile(
    r"^\s*(?:#+\s*)?(?:section\s+)?(?:\d+\s*[.:)]?\s*)?(?P<title>[A-Za-z].*?)\s*:?$",
    flags=re.IGNORECASE,
)
_IS_MARKED = re.compile(r"^\s*(#|section\s+\d|\d+\s*[.:)])", re.IGNORECASE)


def template() -> str:
    """A description to fill in, with the plan's words for what each section asks."""
    parts = ["# System description"]
    for number, section in enumerate(SECTIONS, start=1):
        parts.append(f"## Section {number}. {section.title}\n\n<!-- {section.asks} -->")
    return "\n\n".join(parts) + "\n"


def check_description(path: Path) -> tuple[Finding, ...]:
    """What is wrong with a description: sections that are absent, empty or in another order."""
    findings = Findings(path.name)
    found = _sections_in(_read(path).splitlines())
    for place, section in enumerate(SECTIONS):
        _check_section(place, section, found.get(place), findings)
    rows = [found[place][0] for place in sorted(found)]
    if rows != sorted(rows):
        findings.warn(
            "description.order",
            "The sections are in another order than the plan's",
            expected=", ".join(section.title for section in SECTIONS),
            hint="put them in this order",
        )
    return tuple(findings)


def _sections_in(lines: Sequence[str]) -> dict[int, tuple[int, str]]:
    """Each section that is there: the row of its heading, and what stands below it."""
    headings: dict[int, int] = {}
    for row, line in enumerate(lines, start=1):
        place = _section_at(line)
        # A title above may have a section's words; the heading with its number is the section's.
        if place is not None and (place not in headings or f"{place + 1}" in line):
            headings[place] = row
    ends = [*sorted(headings.values())[1:], len(lines) + 1]
    end_of = dict(zip(sorted(headings.values()), ends, strict=False))
    return {
        place: (row, "\n".join(lines[row : end_of[row] - 1])) for place, row in headings.items()
    }


def _check_section(
    place: int, section: _Section, found: tuple[int, str] | None, findings: Findings
) -> None:
    heading = f"Section {place + 1}. {section.title}"
    if found is None:
        findings.error(
            "description.section",
            f"The section {section.title} is absent",
            expected=heading,
            hint=f"add it: {section.asks}",
        )
        return
    row, said = found
    written = re.sub(r"<!--.*?-->", "", said, flags=re.DOTALL).replace(section.asks, "").strip()
    if not written:
        hint = "write None where there is nothing to list" if section.optional else section.asks
        findings.error(
            "description.empty",
            f"The section {section.title} says nothing",
            row=row,
            expected=section.asks,
            hint=hint,
        )


def _section_at(line: str) -> int | None:
    """The section a line begins, known by its number and words, or by its words alone."""
    match = _HEADING.match(line)
    if match is None:
        return None
    title = re.sub(r"[^a-z ]", "", match["title"].lower())
    if not _IS_MARKED.match(line) and title not in _PLAIN_TITLES:
        return None
    words = title.split()
    # What is said in fewer words is looked for last: "System Hardware Description" is another.
    for place in (2, 0, 3, 4, 1):
        if all(any(word.startswith(wanted) for word in words) for wanted in SECTIONS[place].words):
            return place
    return None


_PLAIN_TITLES = frozenset(
    {re.sub(r"[^a-z ]", "", section.title.lower()) for section in SECTIONS}
    | {"submission identifier", "submission identifiers"}
)


def _read(path: Path) -> str:
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise UsageError("The description is too large to read", where=path)
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise UsageError(
            "The description is not a text file", where=path, hint="save it as Markdown or text"
        ) from error
