"""The content of a report in any format: facts, sections, tables, images, commands."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

# Signs that a reader does not see, or that turn the text around them.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]"
)


def plain(text: str) -> str:
    """Text of files and users as print shows it: control and bidirectional signs as escapes."""
    return _UNSEEN.sub(lambda sign: sign[0].encode("unicode_escape").decode("ascii"), text)


CASE = "Case"


@dataclass(frozen=True, slots=True)
class LegendLine:
    """A colour (``#rrggbb``) and what it means."""

    color: str
    text: str


@dataclass(frozen=True, slots=True)
class ReportImage:
    """A PNG with its caption and legend."""

    png: bytes
    caption: str
    legend: tuple[LegendLine, ...] = ()


@dataclass(frozen=True, slots=True)
class ReportTable:
    """A table."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    caption: str = ""

    def without_blank_columns(self) -> ReportTable:
        """The same, narrower where no row has anything to say in a column."""
        kept = [n for n in range(len(self.columns)) if any(row[n] for row in self.rows)]
        rows = tuple(tuple(row[n] for n in kept) for row in self.rows)
        return ReportTable(tuple(self.columns[n] for n in kept), rows, self.caption)


@dataclass(frozen=True, slots=True)
class Section:
    """One heading and its content, in this order."""

    title: str
    paragraphs: tuple[str, ...] = ()
    pictures: tuple[ReportImage, ...] = ()
    grids: tuple[ReportTable, ...] = ()
    commands: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """A whole report; ``facts`` stand below the title: case number, judge, checker, versions."""

    title: str
    facts: tuple[tuple[str, str], ...]
    sections: tuple[Section, ...] = field(default=())

    @property
    def case(self) -> str:
        """The case number; blank without one."""
        return next((value for name, value in self.facts if name == CASE), "")
