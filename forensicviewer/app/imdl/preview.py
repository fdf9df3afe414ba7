"""What a user looks at before confirming how images find their masks and how masks are read."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from forensicviewer.core.array import BoolImage, RgbImage
from forensicviewer.core.problem import ForensicViewerError
from forensicviewer.sources.files.paths import resolve
from forensicviewer.sources.imdl.checks import POLARITY
from forensicviewer.sources.imdl.dataset import OUTSIDE, PAIRING, DatasetChoices
from forensicviewer.sources.imdl.masks import read_area
from forensicviewer.sources.imdl.pair import MaskRule
from forensicviewer.sources.imdl.pairing import Pairing
from forensicviewer.sources.imdl.preview import Preview, preview_dataset
from forensicviewer.sources.media.images import thumbnail

__all__ = ["DOUBTS", "OUTSIDE", "Pairing", "Preview", "RowPictures", "preview_of", "row_pictures"]

# The rules of problems that only the user can settle.
DOUBTS = frozenset({PAIRING, POLARITY, OUTSIDE})


def preview_of(path: Path, choices: DatasetChoices) -> Preview:
    return preview_dataset(path, choices)


@dataclass(frozen=True, slots=True, eq=False)
class RowPictures:
    """An image and the area its mask marks, both small; ``share`` is that area's share."""

    image: RgbImage | None = None
    area: RgbImage | None = None
    share: float | None = None
    problem: str = ""


def row_pictures(preview: Preview, image: str, mask: str, *, edge_px: int) -> RowPictures:
    """Read one pair; what cannot be read is said in place of its image."""
    found, problem = RowPictures(), ""
    try:
        found = RowPictures(thumbnail(resolve(preview.root, image), edge_px=edge_px))
        if mask and preview.rule is not MaskRule.POLYGONS:
            area = read_area(resolve(preview.root, mask), preview.rule)
            return RowPictures(found.image, _small(area, edge_px), float(area.mean()))
    except ForensicViewerError as error:
        problem = str(error)
    except OSError as error:
        problem = str(error.strerror)
    return RowPictures(found.image, problem=problem)


def _small(area: BoolImage, edge_px: int) -> RgbImage:
    height, width = area.shape
    scale = min(1.0, edge_px / max(height, width))
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    grey = cv2.resize(area.astype(np.uint8) * np.uint8(255), size, interpolation=cv2.INTER_AREA)
    return np.repeat(np.asarray(grey, np.uint8)[:, :, np.newaxis], 3, axis=2)
