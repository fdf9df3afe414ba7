"""The system description of a submission: its sections, checked or as a template to fill in.

GenAI's plan has five (5.2.3), those of NC2017 and MFC2019 six (Appendix A-a).
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
class RequiredSection:
    """One section, recognised by its ``words``; an ``optional`` one may be empty."""

    title: str
    asks: str
    words: tuple[str, ...]
    optional: bool = False


_SYSTEM = RequiredSection(
    "System Description",
    "A brief technical description of your system and the system model used.",
    ("system", "description"),
)
_HARDWARE = RequiredSection(
    "System Hardware Description and Runtime Computation",
    "Describe the computing hardware setup(s) and report the number of CPU and GPU cores. A "
    "hardware setup is the aggregate of all computational components used.",
    ("hardware",),
)
_TRAINING = RequiredSection(
    "Training Data and Knowledge Sources",
    "List the resources used for system development and runtime knowledge sources, if any.",
    ("training", "data"),
    optional=True,
)
_REFERENCES = RequiredSection(
    "References", "List pertinent references, if any.", ("references",), optional=True
)
GENAI_SECTIONS = (
    RequiredSection(
        "Submission Identifier(s)",
        "List the submission IDs for which system outputs were submitted; the GenAI team can help "
        "identify Submission IDs as needed.",
        ("submission", "identifier"),
    ),
    *(_SYSTEM, _HARDWARE, _TRAINING, _REFERENCES),
)
# NC2017 asks for experiments, MFC2019 for submissions; both mean the name of the package.
PLAN_SECTIONS = (
    RequiredSection(
        "Submission Identifier(s)",
        "List all the experiment or submission IDs for which system outputs were submitted.",
        ("identifier",),
    ),
    _SYSTEM,
    RequiredSection(
        "OptOut Criteria",
        "Describe, if any, the strategy used to identify a trial or pixels as being opted out.",
        ("opt", "criteria"),
        optional=True,
    ),
    *(_HARDWARE, _TRAINING, _REFERENCES),
)
Sections = tuple[RequiredSection, ...]
_HEADING = re.compile(
    r"^\s*(?:#+\s*)?(?:section\s+)?(?:\d+\s*[.:)]?\s*)?(?P<title>[A-Za-z].*?)\s*:?$",
    flags=re.IGNORECASE,
)
_IS_MARKED = re.compile(r"^\s*(#|section\s+\d|\d+\s*[.:)])", re.IGNORECASE)


def template(sections: Sections) -> str:
    """A description to fill in, with the plan's words for what each section asks."""
    parts = ["# System description"]
    for number, section in enumerate(sections, start=1):
        parts.append(f"## Section {number}. {section.title}\n\n<!-- {section.asks} -->")
    return "\n\n".join(parts) + "\n"


def check_description(path: Path, sections: Sections) -> tuple[Finding, ...]:
    """What is wrong with a description: sections that are absent, empty or in another order."""
    findings = Findings(path.name)
    found = _sections_in(_read(path).splitlines(), sections)
    for place, section in enumerate(sections):
        _check_section(place, section, found.get(place), findings)
    rows = [found[place][0] for place in sorted(found)]
    if rows != sorted(rows):
        findings.warn(
            "description.order",
            "The sections are not in the order of the plan",
            expected=", ".join(section.title for section in sections),
            hint="put them in this order",
        )
    return tuple(findings)


def _sections_in(lines: Sequence[str], sections: Sections) -> dict[int, tuple[int, str]]:
    """Each section found: the row of its heading, and the text below it."""
    headings: dict[int, int] = {}
    for row, line in enumerate(lines, start=1):
        place = _section_at(line, sections)
        # A title above may have a section's words; the heading with its number is the section's.
        if place is not None and (place not in headings or f"{place + 1}" in line):
            headings[place] = row
    ends = [*sorted(headings.values())[1:], len(lines) + 1]
    end_of = dict(zip(sorted(headings.values()), ends, strict=False))
    return {
        place: (row, "\n".join(lines[row : end_of[row] - 1])) for place, row in headings.items()
    }


def _check_section(
    place: int, section: RequiredSection, found: tuple[int, str] | None, findings: Findings
) -> None:
    heading = f"Section {place + 1}. {section.title}"
    if found is None:
        findings.error(
            "description.section",
            f"The section {section.title} is missing",
            expected=heading,
            hint=f"add it: {section.asks}",
        )
        return
    row, said = found
    written = re.sub(r"<!--.*?-->", "", said, flags=re.DOTALL).replace(section.asks, "").strip()
    if not written:
        hint = "write None if there is nothing to list" if section.optional else section.asks
        findings.error(
            "description.empty",
            f"The section {section.title} is empty",
            row=row,
            expected=section.asks,
            hint=hint,
        )


def _section_at(line: str, sections: Sections) -> int | None:
    """The section that starts at a line, recognised by number and words, or by words alone."""
    match = _HEADING.match(line)
    if match is None:
        return None
    title = re.sub(r"[^a-z ]", "", match["title"].lower())
    if not _IS_MARKED.match(line) and title not in _plain_titles(sections):
        return None
    words = title.split()
    # What is said in fewer words is looked for last: "System Hardware Description" is another.
    for section in sorted(sections, key=lambda each: each is _SYSTEM):
        if all(any(word.startswith(wanted) for word in words) for wanted in section.words):
            return sections.index(section)
    return None


def _plain_titles(sections: Sections) -> set[str]:
    titles = {re.sub(r"[^a-z ]", "", section.title.lower()) for section in sections}
    whose = ("submission", "experiment")
    return titles | {f"{who} {noun}" for who in whose for noun in ("identifier", "identifiers")}


def _read(path: Path) -> str:
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise UsageError("The description is too large to read", where=path)
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise UsageError(
            "The description is not a text file", where=path, hint="save it as Markdown or text"
        ) from error
