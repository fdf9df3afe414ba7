"""An image and the mask that says where it is manipulated, and how such a mask is read."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from enum import Enum

IMAGE_SUFFIXES = (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".bmp", ".webp", ".gif", ".jp2")
# What makers of masks add to the name of an image, the longest first.
_ADDED = re.compile(
    r"(_groundtruth|_ground_truth|_edgemask|_forged|forged|_mask|_gt\d?|_pred|_map|_heatmap)$",
    flags=re.IGNORECASE,
)


class MaskRule(Enum):
    """Which pixels of a mask file count as manipulated; the value is written into tables."""

    WHITE = "white"  # mean of the colours above 127.5, as IMDL-BenCo reads masks
    BLACK = "black"  # the same, inverted: NIST16, DSO-1
    ANY = "above 0"  # AutoSplice, tampered COCO, masks of 0 and 1, class numbers
    ABOVE_10 = "above 10"  # Korus: black, grey and white
    GREEN = "green"  # Columbia: the green channel above 120
    POLYGONS = "polygons"  # OpenForensics: drawn from the document

    @property
    def inverted(self) -> MaskRule:
        return {MaskRule.WHITE: MaskRule.BLACK, MaskRule.BLACK: MaskRule.WHITE}.get(self, self)


@dataclass(frozen=True, slots=True)
class Pair:
    """An image, its mask, and what the dataset says about it; names are relative to the dataset.

    ``is_target`` is ``None`` where nobody says; an authentic image needs no mask.
    """

    image: str
    mask: str = ""
    is_target: bool | None = True
    rule: MaskRule = MaskRule.WHITE
    manipulation: str = ""
    polygons: str = ""


def is_image(name: str) -> bool:
    return name.lower().endswith(IMAGE_SUFFIXES)


def base(name: str) -> str:
    return posixpath.basename(name)


def stem(name: str) -> str:
    """The name without folders and its last suffix: names of tampered COCO hold several dots."""
    return posixpath.splitext(base(name))[0]


def bare_stem(name: str) -> str:
    """The stem without what makers of masks add."""
    return _ADDED.sub("", stem(name))
