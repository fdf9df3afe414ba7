"""Checks of the HDF5 masks of videos: presence, blocks, channels, size, frames, range."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from forensicviewer.app.validation.finding import Findings
from forensicviewer.app.validation.masks import declared_sizes
from forensicviewer.app.validation.profile import Profile
from forensicviewer.app.validation.rows import keys_of
from forensicviewer.core.array import Size
from forensicviewer.core.problem import CodecError, UnsafePathError
from forensicviewer.core.progress import Progress
from forensicviewer.core.table.text_table import Table
from forensicviewer.sources.files.paths import resolve
from forensicviewer.sources.video.masks import VideoMask, open_video_mask

_EXCUSED = "FailedValidation"


def check_video_masks(
    table: Table,
    index: Table,
    profile: Profile,
    findings: Findings,
    *,
    root: Path,
    frame_counts: Mapping[str, int],
    progress: Progress,
) -> None:
    """Check every HDF5 mask that is named; NIST's program looks at none of them."""
    mask = profile.video_mask
    if mask is None or mask.name not in table:
        return
    sizes = declared_sizes(index, profile.keys, mask)
    for row, key in enumerate(keys_of(table, profile.keys)):
        progress(row, len(table))
        name = table.cell(mask.name, row)
        if not name.strip() or table.cell(mask.status, row) == _EXCUSED:
            continue
        check = _VideoMaskCheck(findings, name, table.line(row), is_error=profile.by_plan)
        check.run(root, sizes.get(key), frame_counts.get(key[0]))


@dataclass(frozen=True, slots=True)
class _VideoMaskCheck:
    findings: Findings
    name: str
    row: int
    is_error: bool

    def run(self, root: Path, size: Size | None, frames: int | None) -> None:
        if PurePosixPath(self.name).suffix.lower() not in (".hdf5", ".h5"):
            self._tell("mask.video-type", "is not an HDF5 file", "a .hdf5 file", "save it as HDF5")
            return
        try:
            with open_video_mask(resolve(root, self.name)) as mask:
                self._check(mask, size, frames)
        except UnsafePathError as error:
            self._tell(
                "mask.path", f"is refused: {error.message}", "a file at this place", error.hint
            )
        except CodecError as error:
            rule = "mask.exists" if error.rule.endswith("missing") else "mask.readable"
            hint = error.hint or "write 8-bit grey frames at [first frame]/masks"
            self._tell(rule, f"cannot be read: {error.message}", "an HDF5 mask", hint)

    def _check(self, mask: VideoMask, size: Size | None, frames: int | None) -> None:
        if mask.channels != 1:
            channels = f"has {mask.channels} channels"
            self._tell("mask.video-channels", channels, "one grey channel", "write grey frames")
        if size is not None and mask.size != size:
            expected = f"{size}, as the index declares"
            self._tell(
                "mask.size",
                f"is {mask.size}",
                expected,
                "write frames of the same size as the probe",
            )
        last = mask.blocks[-1]
        if frames is not None and last.end > frames:
            said = f"has frames up to {last.end - 1}, counted from 0"
            remedy = "blocks are named by their first frame, counted from 0"
            self._tell("mask.video-frames", said, f"at most {frames - 1}", remedy)
        if not mask.holds_bytes:
            said = "does not have one byte per pixel"
            self._tell("mask.video-range", said, "whole numbers from 0 to 255", "write 8-bit masks")

    def _tell(self, rule: str, said: str, expected: str, hint: str) -> None:
        say = self.findings.error if self.is_error else self.findings.warn
        say(rule, f"Mask {self.name} {said}", row=self.row, expected=expected, hint=hint)
