"""The image of the evidence: probe, difference from the base and mask, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np

from forensicviewer.app.quality.reading import read_trial
from forensicviewer.core.array import BoolImage, RgbImage, Size
from forensicviewer.core.model import Submission, Task, TaskKind, Trial
from forensicviewer.core.problem import ForensicViewerError
from forensicviewer.core.quality.change import ProbeChange
from forensicviewer.core.quality.rule import Rectangle, TrialSuspect
from forensicviewer.sources.files.paths import resolve
from forensicviewer.sources.media.images import thumbnail
from forensicviewer.sources.video.frame_reader import video_thumbnail

_EDGE_PX = 360
_GAP_PX = 8
_OUTLINE = (0, 255, 255)
_BOX = (255, 128, 0)
_MARGIN_PX = 3
_CLOSE_PX = 90


def evidence_image(
    task: Task, one: TrialSuspect, submissions: Sequence[Submission] = ()
) -> RgbImage | None:
    """Probe with the mask's outline, |probe - base| with it (or what systems say), the mask.

    Where the suspect is about another trial, that one's probe follows; where it is about a place,
    a box shows it, and a small place is shown once more, enlarged. ``None`` where neither probe nor
    mask can be read.
    """
    trial, suspect = task.trials[one.row], one.suspect
    if task.kind is TaskKind.VIDEO:
        return _video(task, trial)
    reading = read_trial(task, trial, submissions)
    size = None if reading.area is None else Size.of(reading.area)
    panels = []
    probe = _probe(task, trial)
    if probe is not None:
        panels.append(_boxed(_outlined(probe, reading.area), suspect.place, size))
    if reading.change is not None:
        drawn = _outlined(_fitted(_drawn_change(reading.change)), reading.area)
        panels.append(_boxed(drawn, suspect.place, size))
    if reading.area is not None:
        # Nearest, so that no colour is shown that the mask does not have.
        mask = _drawn_mask(reading.area, reading.colours)
        drawn = _fitted(mask, interpolation=cv2.INTER_NEAREST)
        panels.append(_boxed(drawn, suspect.place, size))
        panels += _enlarged(mask, reading.change, suspect.place)
    if suspect.other is not None:
        panels += _other(task, task.trials[suspect.other], reading.area, suspect.rule)
    return _side_by_side(panels) if panels else None


def _other(task: Task, trial: Trial, area: BoolImage | None, rule: str) -> list[RgbImage]:
    """The trial that a suspect is mistaken for; with this mask where that is the question."""
    probe = _probe(task, trial)
    if probe is None:
        return []
    if rule == "other-trial":
        return [_outlined(probe, area)]
    return [_outlined(probe, read_trial(task, trial, ()).area)]


def _video(task: Task, trial: Trial) -> RgbImage | None:
    try:
        path = resolve(Path(task.root), trial.probe.name)
        return video_thumbnail(path, edge_px=_EDGE_PX) if path.is_file() else None
    except (ForensicViewerError, OSError):
        return None


def _boxed(image: RgbImage, place: Rectangle | None, size: Size | None) -> RgbImage:
    if place is None or size is None:
        return image
    across, down = image.shape[1] / size.width, image.shape[0] / size.height
    left, top, width, height = place
    drawn = image.copy()
    corner = (int(left * across) - _MARGIN_PX, int(top * down) - _MARGIN_PX)
    far = (int((left + width) * across) + _MARGIN_PX, int((top + height) * down) + _MARGIN_PX)
    cv2.rectangle(drawn, corner, far, _BOX, 1)
    return drawn


def _probe(task: Task, trial: Trial) -> RgbImage | None:
    try:
        path = resolve(Path(task.root), trial.probe.name)
        return _fitted(thumbnail(path, edge_px=_EDGE_PX))
    except (ForensicViewerError, OSError):
        return None


def _drawn_change(change: ProbeChange) -> RgbImage:
    levels = np.asarray(np.sqrt(change.values) * 255, np.uint8)
    return np.repeat(levels[:, :, None], 3, axis=2)


def _drawn_mask(area: BoolImage, colours: RgbImage | None) -> RgbImage:
    if colours is not None:
        return colours
    levels = np.where(area, 0, 255).astype(np.uint8)
    return np.repeat(levels[:, :, None], 3, axis=2)


def _enlarged(
    mask: RgbImage, change: ProbeChange | None, place: Rectangle | None
) -> list[RgbImage]:
    """The mask around a small place, and the change where it is known, in whole pixels."""
    height, width = mask.shape[:2]
    # Of the same shape as the image, so that the panels have one size.
    shape = _CLOSE_PX * width // max(width, height), _CLOSE_PX * height // max(width, height)
    if place is None or max(place[2:]) > min(shape) or max(mask.shape) <= 2 * _CLOSE_PX:
        return []
    left = max(0, min(place[0] + (place[2] - shape[0]) // 2, width - shape[0]))
    top = max(0, min(place[1] + (place[3] - shape[1]) // 2, height - shape[1]))
    shown = [mask] if change is None else [_drawn_change(change), mask]
    window = np.s_[top : top + shape[1], left : left + shape[0]]
    return [_fitted(np.ascontiguousarray(image[window])) for image in shown]


def _outlined(image: RgbImage, area: BoolImage | None) -> RgbImage:
    if area is None:
        return image
    size = (image.shape[1], image.shape[0])
    small = cv2.resize(area.astype(np.uint8), size, interpolation=cv2.INTER_AREA)
    grown = cv2.dilate(small, np.ones((3, 3), np.uint8))
    drawn = image.copy()
    drawn[(grown > 0) & (cv2.erode(small, np.ones((3, 3), np.uint8)) == 0)] = _OUTLINE
    return drawn


def _fitted(image: RgbImage, *, interpolation: int = cv2.INTER_AREA) -> RgbImage:
    ratio = _EDGE_PX / max(image.shape[:2])
    if ratio >= 1:
        # Whole pixels, so that a pattern of single ones can be seen.
        times = int(ratio)
        return np.ascontiguousarray(image.repeat(times, axis=0).repeat(times, axis=1))
    size = (max(1, round(image.shape[1] * ratio)), max(1, round(image.shape[0] * ratio)))
    return np.asarray(cv2.resize(image, size, interpolation=interpolation), np.uint8)


def _side_by_side(panels: Sequence[RgbImage]) -> RgbImage:
    height = max(panel.shape[0] for panel in panels)
    width = sum(panel.shape[1] for panel in panels) + _GAP_PX * (len(panels) - 1)
    sheet = np.full((height, width, 3), 128, np.uint8)
    left = 0
    for panel in panels:
        sheet[: panel.shape[0], left : left + panel.shape[1]] = panel
        left += panel.shape[1] + _GAP_PX
    return sheet
