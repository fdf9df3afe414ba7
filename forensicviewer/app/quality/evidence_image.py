"""The image of the evidence: probe, difference from the base and mask, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np

from forensicviewer.app.quality.reading import read_trial
from forensicviewer.core.array import BoolImage, RgbImage
from forensicviewer.core.model import Submission, Task, TaskKind, Trial
from forensicviewer.core.problem import ForensicViewerError
from forensicviewer.core.quality.change import Change
from forensicviewer.sources.files.paths import resolve
from forensicviewer.sources.media.images import thumbnail

_EDGE_PX = 360
_GAP_PX = 8
_OUTLINE = (0, 255, 255)


def evidence_image(
    task: Task, trial: Trial, submissions: Sequence[Submission] = ()
) -> RgbImage | None:
    """Probe with the mask's outline, |probe - base| with it (or what systems say), the mask.

    ``None`` for videos and where neither probe nor mask can be read.
    """
    if task.kind is TaskKind.VIDEO:
        return None
    reading = read_trial(task, trial, submissions)
    panels = []
    probe = _probe(task, trial)
    if probe is not None:
        panels.append(_outlined(probe, reading.area))
    if reading.change is not None:
        panels.append(_outlined(_drawn_change(reading.change), reading.area))
    if reading.area is not None:
        panels.append(_drawn_mask(reading.area, reading.colours))
    return _side_by_side(panels) if panels else None


def as_png(image: RgbImage) -> bytes:
    _, encoded = cv2.imencode(".png", cv2.cvtColor(image, cv2.COLOR_RGB2BGR))
    return encoded.tobytes()


def _probe(task: Task, trial: Trial) -> RgbImage | None:
    try:
        path = resolve(Path(task.root), trial.probe.name)
        return thumbnail(path, edge_px=_EDGE_PX)
    except (ForensicViewerError, OSError):
        return None


def _drawn_change(change: Change) -> RgbImage:
    levels = np.asarray(np.sqrt(change.values) * 255, np.uint8)
    return _fitted(np.repeat(levels[:, :, None], 3, axis=2))


def _drawn_mask(area: BoolImage, colours: RgbImage | None) -> RgbImage:
    if colours is not None:
        # Nearest, so that no colour is shown that the mask does not have.
        return _fitted(colours, interpolation=cv2.INTER_NEAREST)
    levels = np.where(area, 0, 255).astype(np.uint8)
    return _fitted(np.repeat(levels[:, :, None], 3, axis=2))


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
        return np.ascontiguousarray(image)
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
