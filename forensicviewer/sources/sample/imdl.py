"""A small dataset as IMDL-BenCo reads them, and what five models predict for its images."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np

from forensicviewer.core.array import BoolImage, RgbImage, U8Image
from forensicviewer.sources.sample.album import SMALL, THUMB, Album
from forensicviewer.sources.sample.systems import Quality, System
from forensicviewer.sources.sample.writing import Folder

_FORGED = (
    *("balloon-over-farm", "boat-becomes-lighthouse", "house-on-the-pass", "two-boats"),
    *("balloon-changes-colour", "empty-dunes", "no-tree", "boat-on-the-fjord", "harbour"),
)
_LARGE = "harbour"  # larger than the network that pads to squares
_AUTHENTIC = ("cape", "lake", "caravan", "alps")
_SQUARE_PX = 512
_TAIL = 2  # images that a run with an incomplete last batch leaves out
_README = """# Sample dataset in the form of IMDL-BenCo

Painted by forensicviewer from a fixed seed; no image is a real photograph.

* `Tp/` and `Gt/`: manipulated images and their masks, white where manipulated
* `Au/`: authentic images

The predictions are from made-up models:

* `IMDL_good`, `IMDL_noisy`: `pred/<name>.png`; the good model also has image-level scores
* `IMDL_inverted`: the same, but black means manipulated
* `IMDL_partial`: padded to squares of 512 pixels, so larger images are cropped; two are missing
* `IMDL_floats`: NPZ of floats with a confidence map, as TruFor writes them
"""


@dataclass(frozen=True, slots=True, eq=False)
class _Image:
    """One image with where it is manipulated."""

    name: str
    pixels: RgbImage
    area: BoolImage

    @property
    def is_forged(self) -> bool:
        return bool(self.area.any())


def write_imdl(dataset: Folder, submissions: Folder) -> None:
    """Write the dataset and the predictions of its models."""
    images = list(_images())
    dataset.text("README.md", _README)
    for image in images:
        dataset.picture(f"{'Tp' if image.is_forged else 'Au'}/{image.name}.jpg", image.pixels)
        if image.is_forged:
            dataset.grey(f"Gt/{image.name}.png", _white_where(image.area))
    _write_maps(submissions.below("IMDL_good"), System("good", Quality.GOOD), images)
    _write_heads(submissions.below("IMDL_good"), System("good", Quality.GOOD), images)
    _write_maps(submissions.below("IMDL_noisy"), System("noisy", Quality.NOISY), images)
    _write_maps(submissions.below("IMDL_inverted"), System("inverted", Quality.INVERTED), images)
    answered = sorted(images, key=lambda image: image.name)[:-_TAIL]
    _write_maps(submissions.below("IMDL_partial"), System("partial", Quality.PARTIAL), answered)
    _write_archives(submissions.below("IMDL_floats"), System("floats", Quality.GOOD), images)


def _images() -> Iterator[_Image]:
    for name in _FORGED:
        edited = Album(SMALL if name == _LARGE else THUMB).edited(name)
        yield _Image(name, edited.pixels, edited.area)
    for name in _AUTHENTIC:
        pixels = Album(THUMB).photo(name).pixels
        yield _Image(name, pixels, np.zeros(pixels.shape[:2], np.bool_))


def _white_where(area: BoolImage) -> U8Image:
    return np.where(area, np.uint8(255), np.uint8(0))


def _levels(system: System, image: _Image) -> U8Image:
    """The map of a model, white where it thinks of a manipulation."""
    seed = sum(image.name.encode())
    return np.asarray(255 - system.levels(image.area, seed=seed), np.uint8)


def _write_maps(folder: Folder, system: System, images: list[_Image]) -> None:
    for image in images:
        levels = _levels(system, image)
        if system.quality is Quality.PARTIAL:
            levels = np.ascontiguousarray(levels[:_SQUARE_PX, :_SQUARE_PX])
        folder.grey(f"pred/{image.name}.png", levels)


def _write_heads(folder: Folder, system: System, images: list[_Image]) -> None:
    scores = {
        f"{image.name}.jpg": system.confidence(is_target=image.is_forged, seed=number)
        for number, image in enumerate(images)
    }
    folder.text("pred_label_combined.json", json.dumps(scores, indent=1) + "\n")


def _write_archives(folder: Folder, system: System, images: list[_Image]) -> None:
    for number, image in enumerate(images):
        values = _levels(system, image).astype(np.float32) / np.float32(255)
        edges = cv2.GaussianBlur(image.area.astype(np.float32), (0, 0), 6)
        np.savez_compressed(
            folder.path(f"{image.name}.jpg.npz"),
            map=values,
            conf=np.round(1 - 1.6 * edges * (1 - edges), 2).astype(np.float32),
            score=np.float32(system.confidence(is_target=image.is_forged, seed=number)),
            imgsize=np.array(image.area.shape),
        )
