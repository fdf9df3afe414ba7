"""Checks the files a task names: which do not exist, which differ from what the tables say.

``check_files`` opens every file. ``missing_files`` only lists folders, after a dataset was opened:
where thousands of files lie far away, that is the difference between seconds and hours.
"""

from __future__ import annotations

import os
import posixpath
import re
from collections import Counter
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

import numpy as np

from forensicviewer.app.datasets.linked_files import files_of
from forensicviewer.app.runtime.jobs import Ticket
from forensicviewer.core.array import PlaneImage, RgbImage, Size
from forensicviewer.core.mask import is_black_and_white, planes_as_planned
from forensicviewer.core.model import Media, Task, TaskKind, Trial
from forensicviewer.core.problem import (
    LINKS,
    CodecError,
    Problem,
    ProblemLog,
    Severity,
    UnsafePathError,
)
from forensicviewer.core.progress import Progress
from forensicviewer.core.table.number_cell import number_in
from forensicviewer.sources.files.digest import md5_of
from forensicviewer.sources.files.media_file import MISSING, missing_file
from forensicviewer.sources.files.paths import resolve
from forensicviewer.sources.imdl.checks import PairCheck
from forensicviewer.sources.imdl.pair import MaskRule, Pair
from forensicviewer.sources.media.images import image_size
from forensicviewer.sources.media.masks import (
    has_lossy_colours,
    read_bit_planes,
    read_colour_reference,
)

# Beyond that a user would wait longer for the missing files than knowing them is worth.
MOST_TRIALS = 20_000
# So many are named for each kind of problem; the others are counted.
_NAMED = 20
_WHITE = 0xFFFFFF
_IMAGE_SUFFIXES = (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".bmp", ".gif", ".webp", ".jp2")
_OTHER_FILES = ("BaseFileName", "CorrespondingControlFileName", "JournalFileName")
_MD5 = re.compile(r"[0-9a-f]{32}")


def check_files(task: Task, *, progress: Progress) -> tuple[Problem, ...]:
    """Check the files of every trial; nothing outside the dataset is ever opened."""
    if task.kind is TaskKind.IMDL:
        return _check_pairs(task, progress=progress)
    check = _FileCheck(task)
    total = len(task.trials)
    for row in range(total):
        check.trial(task.trials[row])
        progress(row + 1, total)
    return check.problems()


def _check_pairs(task: Task, *, progress: Progress) -> tuple[Problem, ...]:
    """Look at every image and mask of a dataset of these; opening it looks at some."""
    check = PairCheck(Path(task.root), where=task.table.name)
    total = len(task.table)
    for row, cells in enumerate(task.table.rows()):
        check.look_at(
            Pair(
                image=cells["ProbeFileName"],
                mask=cells["ProbeMaskFileName"],
                is_target={"Y": True, "N": False}.get(cells["IsTarget"]),
                rule=MaskRule(cells["MaskRule"] or MaskRule.WHITE.value),
            )
        )
        progress(row + 1, total)
    return check.problems()


class _FileCheck:
    def __init__(self, task: Task) -> None:
        self._task = task
        self._root = Path(task.root)
        self._log = ProblemLog()
        self._counts: Counter[str] = Counter()
        # Donors and world images belong to many trials; each is looked at once.
        self._size_of = lru_cache(maxsize=None)(self._look_at)
        self._md5_of = lru_cache(maxsize=None)(self._digest)
        self._galleries: set[str] = set()

    def trial(self, trial: Trial) -> None:
        self._media(trial, trial.probe, "probe")
        if trial.donor is not None:
            self._media(trial, trial.donor, "donor")
        self._mask(trial, trial.reference, trial.probe)
        self._mask(trial, trial.bit_planes, trial.probe)
        if trial.donor is not None:
            self._mask(trial, trial.donor_reference, trial.donor)
        for column in _OTHER_FILES:
            name = trial.facts.get(column, "")
            if name.strip():
                self._size_or_problem(trial, name)
        self._byte_count(trial)
        self._journal_digest(trial)
        self._gallery(trial)
        self._colors(trial)
        self._planes(trial)

    def _byte_count(self, trial: Trial) -> None:
        """Whether the probe has as many bytes as the index says (MFC2019 plan, 4.1.6)."""
        declared = number_in(trial.facts.get("ProbeFileSize", ""))
        path = self._file(trial.probe.name)
        if declared is None or path is None or path.stat().st_size == declared:
            return
        self._tell(
            trial,
            f"The probe {trial.probe.name} has {path.stat().st_size} bytes, but "
            f"ProbeFileSize is {declared:g}",
            rule="file.byte-count",
        )

    def _journal_digest(self, trial: Trial) -> None:
        """Whether the journal is the one the reference was made of (JournalMD5, 3.5.3)."""
        declared = trial.facts.get("JournalMD5", "").strip().lower()
        name = trial.facts.get("JournalFileName", "")
        found = self._md5_of(name)
        if not declared or not found or found == declared:
            return
        # The plans print 7j0bkgopmzk53wti61ypx5kdpu as an example, which is no MD5 at all.
        is_md5 = _MD5.fullmatch(declared) is not None
        says = f"JournalMD5 is {declared}" if is_md5 else f"JournalMD5 {declared} is not an MD5"
        message = f"The journal {name} has the MD5 {found}, but {says}"
        self._tell(trial, message, rule="file.journal-md5")

    def _gallery(self, trial: Trial) -> None:
        """Whether what shows the camera or event is there; each gallery once."""
        gallery = trial.gallery
        if gallery is None or gallery.name in self._galleries:
            return
        self._galleries.add(gallery.name)
        for name in gallery.files:
            self._size_or_problem(trial, name)

    def _file(self, name: str) -> Path | None:
        """A file that lies in the dataset; ``None`` for others, which are reported elsewhere."""
        try:
            path = resolve(self._root, name)
        except UnsafePathError:
            return None
        return path if path.is_file() else None

    def _digest(self, name: str) -> str:
        path = self._file(name) if name.strip() else None
        return "" if path is None else md5_of(path)

    def problems(self) -> tuple[Problem, ...]:
        for rule, count in self._counts.items():
            if count > _NAMED:
                self._log.warn(
                    f"{count - _NAMED} more problems of this kind", where=self._where, rule=rule
                )
        return self._log.freeze()

    @property
    def _where(self) -> str:
        return self._task.table.name

    def _media(self, trial: Trial, media: Media, what: str) -> None:
        if not media.name.strip():
            return
        found = self._size_or_problem(trial, media.name)
        if found is not None and media.size is not None and not _fits(found, media.size):
            self._tell(
                trial,
                f"The {what} {media.name} is {found}, but the index says {media.size}",
                rule="file.size",
            )

    def _mask(self, trial: Trial, name: str | None, media: Media) -> None:
        if name is None:
            return
        found = self._size_or_problem(trial, name)
        expected = self._quiet_size(media.name) or media.size
        if found is not None and expected is not None and not _fits(found, expected):
            self._tell(
                trial,
                f"The mask {name} is {found}, but its image {expected}",
                rule="file.mask-size",
            )

    def _colors(self, trial: Trial) -> None:
        if trial.reference is None or trial.donor is not None or not trial.operations:
            return
        if self._quiet_size(trial.reference) is None:
            return
        colours = {step.color for step in trial.operations if step.color is not None}
        pixels = self._read(trial, trial.reference, read_colour_reference)
        if pixels is None or not colours or is_black_and_white(pixels, colours):
            return
        if has_lossy_colours(resolve(self._root, trial.reference)):
            return
        unknown = _colors_in(pixels) - {_packed(color) for color in colours} - {_WHITE}
        if unknown:
            shown = ", ".join(f"{c >> 16} {c >> 8 & 255} {c & 255}" for c in sorted(unknown)[:5])
            self._tell(
                trial,
                f"The mask {trial.reference} has {len(unknown)} colours that do not belong to an "
                f"operation: {shown}",
                rule="mask.unknown-color",
            )

    def _planes(self, trial: Trial) -> None:
        if trial.bit_planes is None or self._quiet_size(trial.bit_planes) is None:
            return
        known = {step.bit_plane for step in trial.operations if step.bit_plane is not None}
        planes = self._read(trial, trial.bit_planes, read_bit_planes)
        if planes is None:
            return
        unknown = _planes_in(planes_as_planned(planes, known)) - known
        if unknown:
            shown = ", ".join(map(str, sorted(unknown)[:10]))
            self._tell(
                trial,
                f"The mask {trial.bit_planes} has bit planes that do not belong to an "
                f"operation: {shown}",
                rule="mask.unknown-plane",
            )

    def _read(
        self, trial: Trial, name: str, read: Callable[[Path], RgbImage | PlaneImage]
    ) -> RgbImage | PlaneImage | None:
        try:
            return read(resolve(self._root, name))
        except (CodecError, UnsafePathError) as error:
            self._tell(trial, f"{name}: {error.message}", rule=error.rule or "file.unreadable")
            return None

    def _size_or_problem(self, trial: Trial, name: str) -> Size | None:
        found = self._size_of(name)
        if isinstance(found, Problem):
            if found.rule == LINKS:
                self._log.add(found)
            else:
                self._tell(trial, found.message, rule=found.rule)
            return None
        return found

    def _quiet_size(self, name: str) -> Size | None:
        found = self._size_of(name) if name.strip() else None
        return found if isinstance(found, Size) else None

    def _look_at(self, name: str) -> Size | Problem | None:
        """The size of a named image; ``None`` for other files; a problem where it is not there."""
        try:
            path = resolve(self._root, name)
            if not path.is_file():
                return Problem(Severity.ERROR, f"{name} does not exist", rule="file.missing")
            return image_size(path) if path.suffix.lower() in _IMAGE_SUFFIXES else None
        except UnsafePathError as error:
            return error.as_problem()
        except CodecError as error:
            message = f"{name}: {error.message}"
            return Problem(Severity.ERROR, message, rule="file.unreadable")

    def _tell(self, trial: Trial, message: str, *, rule: str) -> None:
        self._counts[rule] += 1
        if self._counts[rule] <= _NAMED:
            where = self._task.table.where(trial.row)
            log, hint = self._log.about(trial.id), f"it belongs to trial {trial.id}"
            log.warn(message, where=where, hint=hint, rule=rule)


def _fits(found: Size, declared: Size) -> bool:
    # NIST's tables declare upright sizes in one year and stored sizes in another.
    return found in (declared, Size(width=declared.height, height=declared.width))


def _packed(color: tuple[int, int, int]) -> int:
    red, green, blue = color
    return red << 16 | green << 8 | blue


def _colors_in(pixels: RgbImage) -> set[int]:
    parts = pixels.astype(np.uint32)
    packed = parts[..., 0] << 16 | parts[..., 1] << 8 | parts[..., 2]
    return {int(color) for color in np.unique(packed)}


def _planes_in(planes: PlaneImage) -> set[int]:
    """The numbers of the bit planes that have a pixel set, counted from 1."""
    used = np.bitwise_or.reduce(planes, axis=(0, 1)).tolist()
    return {
        8 * component + bit + 1
        for component, bits in enumerate(used)
        for bit in range(8)
        if bits >> bit & 1
    }


def missing_files(task: Task, ticket: Ticket) -> tuple[Problem, ...]:
    """A problem for each of the first files that are not there, and one that counts the rest."""
    log, folders = ProblemLog(), _Folders(Path(task.root))
    missing: set[str] = set()
    total = len(task.trials) if len(task.trials) <= MOST_TRIALS else 0
    for row in range(total):
        trial = task.trials[row]
        for name in files_of(trial):
            if name in missing or folders.has(name):
                continue
            if folders.refusal is not None:
                log.add(folders.refusal)
                continue
            missing.add(name)
            if len(missing) <= _NAMED:
                # The problem that opening the trial reports, so that it is listed once.
                log.about(trial.id).add(missing_file(folders.root / name).as_problem())
        ticket.report(row + 1, total)
    left = len(missing) - _NAMED
    if left > 0:
        message = "1 more file does not exist" if left == 1 else f"{left} more files do not exist"
        log.add(Problem(Severity.ERROR, message, where=task.table.name, rule=MISSING, times=left))
    return log.freeze()


class _Folders:
    """The content of the folders of a dataset, each listed once."""

    def __init__(self, root: Path) -> None:
        self.root = root
        # What is wrong with the name asked about last, where it is not simply missing.
        self.refusal: Problem | None = None
        self._listed: dict[str, frozenset[str]] = {}

    def has(self, name: str) -> bool:
        folder, base = posixpath.split(posixpath.normpath(name))
        if folder not in self._listed:
            self._listed[folder] = self._list(folder)
        return base in self._listed[folder] or self._is_file(name)

    def _list(self, folder: str) -> frozenset[str]:
        try:
            with os.scandir(resolve(self.root, folder or ".")) as found:
                return frozenset(each.name for each in found)
        except (OSError, UnsafePathError):
            return frozenset()

    def _is_file(self, name: str) -> bool:
        """Names are written in other ways, too; asked only for those that seem to be missing."""
        self.refusal = None
        try:
            return resolve(self.root, name).is_file()
        except UnsafePathError as error:
            self.refusal = error.as_problem() if error.rule == LINKS else None
            return False
