"""Checks of the mask files a submission names: type, presence, channels, size."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import numpy as np

from forensicviewer.app.validation.finding import Findings
from forensicviewer.app.validation.profile import MaskColumns, Profile
from forensicviewer.app.validation.rows import Key, keys_of
from forensicviewer.core.array import Size
from forensicviewer.core.problem import CodecError, UnsafePathError
from forensicviewer.core.progress import Progress
from forensicviewer.core.table.text_table import Table
from forensicviewer.sources.files.paths import resolve_inside
from forensicviewer.sources.media.formats import Format
from forensicviewer.sources.media.headers import read_header
from forensicviewer.sources.media.masks import Polarity, read_system_mask


def ignore_progress(_done: int, _total: int) -> None:
    """For callers that show no progress."""


@dataclass(frozen=True, slots=True)
class WrongSize:
    """A mask whose size is not the index's: what a revised table marks as failed."""

    row: int
    mask: MaskColumns


def check_masks(
    table: Table,
    index: Table,
    profile: Profile,
    findings: Findings,
    *,
    root: Path,
    only: Collection[Key] | None = None,
    progress: Progress = ignore_progress,
) -> list[WrongSize]:
    """Check every mask that is named; return those of the wrong size.

    ``only`` limits the check to some trials (the targets, say).
    """
    named = np.zeros(len(table), dtype=np.bool_)
    for mask in profile.masks:
        named |= ~table[mask.name].blank if mask.name in table else np.False_
    # Of a million rows those are walked that name a mask.
    rows = np.flatnonzero(named).tolist()
    sizes = {mask: declared_sizes(index, profile.keys, mask) for mask in profile.masks if rows}
    wrong: list[WrongSize] = []
    for row in rows:
        progress(row, len(table))
        key = tuple(table.cell(name, row) for name in profile.keys)
        if only is not None and key not in only:
            continue
        for mask in profile.masks:
            checked = _MaskCheck(findings, mask, table, row)
            if checked.runs and not checked.check(root, sizes[mask].get(key)):
                wrong.append(WrongSize(row, mask))
    return wrong


def declared_sizes(
    index: Table, keys: tuple[str, ...], mask: MaskColumns
) -> Mapping[Key, Size | None]:
    """The sizes that the index declares for one side, by trial."""
    if mask.width not in index or mask.height not in index:
        return {}
    widths, heights = index[mask.width].numbers, index[mask.height].numbers
    return {
        key: Size(int(widths[row]), int(heights[row]))
        for row, key in enumerate(keys_of(index, keys))
        if 0 < widths[row] < np.inf and 0 < heights[row] < np.inf
    }


@dataclass(frozen=True, slots=True)
class _MaskCheck:
    findings: Findings
    mask: MaskColumns
    table: Table
    row: int

    @property
    def name(self) -> str:
        return self.table.cell(self.mask.name, self.row)

    @property
    def runs(self) -> bool:
        """Whether there is a mask to check; a blank name is a valid blank answer."""
        if not self.name.strip():
            return False
        if "FailedValidation" in (
            self.table.cell(self.mask.status, self.row),
            self.table.cell("IsOptOut", self.row),
        ):
            self._say_excused()
            return False
        return True

    def check(self, root: Path, declared: Size | None) -> bool:
        """Report whatever is wrong with the mask; return whether its size is right or unknown."""
        if PurePosixPath(self.name).suffix.lower() != ".png":
            self._error("mask.png", "is not a png", "a .png file", "save the mask as PNG")
            return True
        try:
            path = resolve_inside(root, self.name)
            header = read_header(path)
            if header.format is not Format.PNG:
                self._error(
                    "mask.png", f"is {header.format.value} inside", "PNG", "save the mask as PNG"
                )
                return True
            if header.channels != 1:
                self._error(
                    "mask.channels",
                    f"has {header.channels} channels instead of one",
                    "one grey channel",
                    "save the mask as a grey PNG without palette or alpha channel",
                )
            if declared is not None and header.size is not None and header.size != declared:
                self._error(
                    "mask.size",
                    f"is {header.size}",
                    f"{declared}, as the index declares",
                    "masks have the size of their image",
                )
                return False
            read_system_mask(path, manipulated_is=Polarity.BLACK)
        except UnsafePathError as error:
            self._error(
                "mask.path", f"is refused: {error.message}", "a file of the submission", error.hint
            )
        except CodecError as error:
            rule = "mask.exists" if error.rule.endswith("missing") else "mask.readable"
            self._error(rule, f"cannot be read: {error.message}", "a readable mask", error.hint)
        return True

    def _error(self, rule: str, message: str, expected: str, hint: str) -> None:
        self.findings.error(
            rule,
            f"Mask {self.name} {message}",
            row=self.table.line(self.row),
            expected=expected,
            hint=hint,
        )

    def _say_excused(self) -> None:
        self.findings.note(
            "mask.excused",
            f"Mask {self.name} is not checked because the row says FailedValidation",
            row=self.table.line(self.row),
            hint="it is scored as a blank mask",
        )
