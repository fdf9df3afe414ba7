"""The pictures of a provenance graph: small ones for its nodes, whole ones to compare."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import cv2
import numpy as np

from forensicviewer.app.graph_document import GraphDocument
from forensicviewer.core.array import RgbImage
from forensicviewer.core.model import Task
from forensicviewer.core.problem import ForensicViewerError
from forensicviewer.core.provenance import FileName, LinkKey
from forensicviewer.sources.files import resolve
from forensicviewer.sources.images import read_image, thumbnail

# Large enough to fill a screen at full zoom, small enough to blink without waiting.
MOST_PIXELS = 12_000_000


@dataclass(frozen=True, slots=True, eq=False)
class Shot:
    """One picture of a pair; without pixels, ``reason`` says why."""

    file: FileName
    pixels: RgbImage | None
    reason: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """Two pictures to compare, and the mask of the operation between them where there is one."""

    first: Shot
    second: Shot
    mask: RgbImage | None = None


def node_thumbnail(task: Task, file: FileName, *, edge_px: int) -> RgbImage | None:
    """The small picture of an image; ``None`` where it is absent or unreadable."""
    try:
        return thumbnail(resolve(Path(task.root), file), edge_px=edge_px)
    except (ForensicViewerError, OSError):
        # World sets are often not at hand; the canvas shows a placeholder.
        return None


def read_pair(task: Task, document: GraphDocument, ends: LinkKey) -> Pair:
    """Both pictures of a link or of two nodes."""
    first, second = (_shot(task, file) for file in ends)
    return Pair(first, second, _operation_mask(task, document, ends))


def _shot(task: Task, file: FileName) -> Shot:
    try:
        pixels = read_image(resolve(Path(task.root), file)).pixels
    except ForensicViewerError as error:
        return Shot(file, None, error.message)
    except OSError as error:
        return Shot(file, None, f"The image cannot be read ({error.strerror})")
    return Shot(file, _bounded(pixels))


def _bounded(pixels: RgbImage) -> RgbImage:
    height, width = pixels.shape[:2]
    scale = (MOST_PIXELS / (height * width)) ** 0.5
    if scale >= 1:
        return pixels
    size = (max(1, int(width * scale)), max(1, int(height * scale)))
    smaller = cv2.resize(pixels, size, interpolation=cv2.INTER_AREA)
    return np.asarray(smaller, dtype=np.uint8)


def _operation_mask(task: Task, document: GraphDocument, ends: LinkKey) -> RgbImage | None:
    """The mask a journal keeps beside itself for its last step between two images."""
    link = document.reference.links.get(ends)
    if link is None:
        return None
    name = document.journal.links[link.steps[-1]].facts.get("maskname")
    if not isinstance(name, str) or not name:
        return None
    folder = PurePosixPath(document.trial.journal_file).parent
    try:
        return _bounded(read_image(resolve(Path(task.root), str(folder / name))).pixels)
    except (ForensicViewerError, OSError):
        # Datasets are mostly given out without the masks of single steps.
        return None
