"""Reads what is needed to check the reference of one trial of images."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import cv2
import numpy as np

from forensicviewer.core.array import BoolImage, PlaneImage, RgbImage, Size, U8Image
from forensicviewer.core.mask import planes_as_planned
from forensicviewer.core.model import Submission, Task, TaskKind, Trial
from forensicviewer.core.problem import ForensicViewerError
from forensicviewer.core.quality.change import ProbeChange, agreement, change_from_base
from forensicviewer.core.quality.levels import Levels, levels_of
from forensicviewer.sources.files.paths import resolve
from forensicviewer.sources.imdl.masks import area_of, read_area, read_map
from forensicviewer.sources.imdl.pair import MaskRule
from forensicviewer.sources.media.images import image_size, read_image
from forensicviewer.sources.media.masks import (
    Polarity,
    has_bit_planes,
    has_lossy_colours,
    read_bit_planes,
    read_colour_reference,
    read_system_mask,
)

_T = TypeVar("_T")
_VIDEOS = (".mp4", ".mov", ".avi", ".mkv", ".m4v", ".mts", ".webm")


@dataclass(frozen=True, slots=True, eq=False)
class ReferenceFiles:
    """The files of one trial. ``failures`` say what could not be read, by the role of the file."""

    area: BoolImage | None = None
    colours: RgbImage | None = None
    planes: PlaneImage | None = None
    is_lossy: bool = False
    size: Size | None = None
    stored_size: Size | None = None
    change: ProbeChange | None = None
    files: tuple[Path, ...] = ()
    failures: dict[str, str] = field(default_factory=dict)
    levels: Levels | None = None


def read_trial(task: Task, trial: Trial, submissions: Sequence[Submission]) -> ReferenceFiles:
    """Everything about a trial's reference; what fails is reported, the rest is read."""
    reader = _Reader(task, trial)
    reader.read_masks()
    size = reader.attempt("probe", reader.probe_size)
    change, stored = None, None
    if reader.area is not None:
        shape = reader.area.shape
        if size is not None and Size.of(reader.area) == Size(size.height, size.width) != size:
            stored = reader.attempt("probe", reader.stored_size)
        change = reader.attempt("base", lambda: reader.base_change(shape))
        if change is None and submissions:
            change = reader.attempt("system mask", lambda: reader.agreed(submissions, shape))
    return ReferenceFiles(
        area=reader.area,
        colours=reader.colours,
        planes=reader.planes,
        is_lossy=reader.is_lossy,
        size=size,
        stored_size=stored,
        change=change,
        files=tuple(reader.files),
        failures=reader.failures,
        levels=reader.levels,
    )


class _Reader:
    def __init__(self, task: Task, trial: Trial) -> None:
        self._task, self._trial = task, trial
        self._root = Path(task.root)
        self.area: BoolImage | None = None
        self.colours: RgbImage | None = None
        self.planes: PlaneImage | None = None
        self.is_lossy = False
        self.levels: Levels | None = None
        self.files: list[Path] = []
        self.failures: dict[str, str] = {}

    def attempt(self, role: str, read: Callable[[], _T]) -> _T | None:
        try:
            return read()
        except ForensicViewerError as error:
            self.failures[role] = error.message
        except OSError as error:
            self.failures[role] = error.strerror or str(error)
        return None

    def read_masks(self) -> None:
        if self._task.kind is TaskKind.IMDL:
            self.area = self.attempt("mask", self._imdl_area)
            return
        self.colours = self.attempt("mask", self._read_colours)
        planes = self.attempt("bit planes", self._read_planes)
        if planes is not None:
            steps = self._trial.operations
            self.planes = planes_as_planned(planes, [op.bit_plane for op in steps if op.bit_plane])
        if self.colours is not None:
            if not any(operation.color for operation in self._trial.operations):
                self.levels = levels_of(self.colours)
            self.area = np.asarray((self.colours != 255).any(axis=2))
        elif self.planes is not None:
            self.area = np.asarray(self.planes.any(axis=2))

    def probe_size(self) -> Size | None:
        name = self._trial.probe.name
        return image_size(resolve(self._root, name)) if name else None

    def stored_size(self) -> Size:
        """Masks of photos that EXIF turns may lie as the file does."""
        return read_image(resolve(self._root, self._trial.probe.name)).facts.stored_size

    def base_change(self, shape: tuple[int, ...]) -> ProbeChange | None:
        base, probe = self._trial.facts.get("BaseFileName", "").strip(), self._trial.probe.name
        if not base or not probe or base.lower().endswith(_VIDEOS):
            return None
        places = resolve(self._root, base), resolve(self._root, probe)
        if not all(place.is_file() for place in places):
            return None
        before, after = (read_image(place).pixels for place in places)
        return change_from_base(after, before) if after.shape[:2] == shape else None

    def agreed(
        self, submissions: Sequence[Submission], shape: tuple[int, ...]
    ) -> ProbeChange | None:
        maps = []
        for submission in submissions:
            answer = submission.answers.get(self._trial.id)
            if answer is None or not answer.mask:
                continue
            scores = self._scores(resolve(Path(submission.root), answer.mask), shape)
            # A blank answer says nothing about where.
            if scores.any():
                maps.append(scores)
        return agreement(maps)

    def _scores(self, path: Path, shape: tuple[int, ...]) -> U8Image:
        if self._task.kind is TaskKind.IMDL:
            values = read_map(path, is_inverted=False).values
            if values.dtype != np.uint8:
                values = np.asarray(values * 255, np.uint8)
        else:
            values = read_system_mask(path, manipulated_is=Polarity.BLACK)
        if values.shape == shape:
            return np.asarray(values, np.uint8)
        return np.asarray(cv2.resize(values, (shape[1], shape[0])), np.uint8)

    def _imdl_area(self) -> BoolImage | None:
        facts, name = self._trial.facts, self._trial.reference
        if not name:
            return None
        path = self._file(name)
        rule = MaskRule(facts.get("MaskRule") or "white")
        if rule in (MaskRule.WHITE, MaskRule.BLACK) and path.suffix.lower() != ".npz":
            colours = read_colour_reference(path)
            self.levels = levels_of(colours)
            return area_of(colours, rule)
        size = self.probe_size() if rule is MaskRule.POLYGONS else None
        return read_area(path, rule, size=size, polygons=facts.get("Polygons", ""))

    def _read_colours(self) -> RgbImage | None:
        if not self._trial.reference:
            return None
        path = self._file(self._trial.reference)
        if has_bit_planes(path):
            self.planes = read_bit_planes(path)
            return None
        self.is_lossy = has_lossy_colours(path)
        return read_colour_reference(path)

    def _read_planes(self) -> PlaneImage | None:
        name = self._trial.bit_planes
        if not name or name == self._trial.reference:
            return self.planes
        return read_bit_planes(self._file(name))

    def _file(self, name: str) -> Path:
        path = resolve(self._root, name)
        self.files.append(path)
        return path
