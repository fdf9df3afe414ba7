"""Images and masks of a trial, ready to be drawn, or the reason why they were not read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

import cv2
import numpy as np

from forensicviewer.app.workbench.loaded_trial import LoadedSide
from forensicviewer.core.array import RgbImage, Size, U8Image
from forensicviewer.core.problem import CodecError, ForensicViewerError
from forensicviewer.core.pyramid import Pyramid, Reduce
from forensicviewer.sources.media.images import Picture

Read = TypeVar("Read")


@dataclass(frozen=True, slots=True, eq=False)
class DrawnPicture:
    """An image, ready to be drawn."""

    picture: Picture
    pictures: Pyramid
    greys: Pyramid

    @classmethod
    def of(cls, picture: Picture, pixels: RgbImage) -> DrawnPicture:
        grey = np.asarray(cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY), np.uint8)
        return cls(picture, Pyramid.of(pixels, Reduce.MEAN), Pyramid.of(grey, Reduce.MEAN))

    def under(self, side: LoadedSide, mask: Size | None) -> LoadedSide:
        """The side with this image, turned as it was stored where only that fits the mask."""
        upright = self.picture.pixels
        pixels = upright if mask is None else self.picture.fitting(mask)
        drawn = self if pixels is upright else DrawnPicture.of(self.picture, pixels)
        return replace(
            side,
            facts=self.picture.facts,
            pictures=drawn.pictures,
            greys=drawn.greys,
            is_as_stored=pixels is not upright,
        )


@dataclass(frozen=True, slots=True, eq=False)
class DrawnMask:
    """A system mask, ready to be drawn."""

    scores: U8Image
    means: Pyramid
    peaks: Pyramid

    @classmethod
    def of(cls, scores: U8Image) -> DrawnMask:
        return cls(scores, Pyramid.of(scores, Reduce.MEAN), Pyramid.of(scores, Reduce.MAX))


class Attempt(Generic[Read]):
    """Something that is read, or the reason why it was not."""

    def __init__(self) -> None:
        self.found: Read | None = None
        self.error: ForensicViewerError | None = None

    def make(self, read: Callable[[], Read]) -> None:
        try:
            self.found = read()
        except ForensicViewerError as error:
            self.error = error
        except MemoryError:
            self.error = CodecError(
                "There is not enough memory to show the file",
                hint="close other programs, or use a computer with more memory",
                rule="codec.no-memory",
            )

    @property
    def reason(self) -> str:
        return "" if self.error is None else str(self.error)
