"""Images and masks of a trial, ready to be drawn, or the reason why they were not read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

import cv2
import numpy as np

from forensicviewer.core.array import RgbImage, U8Image
from forensicviewer.core.problem import CodecError, ForensicViewerError
from forensicviewer.core.pyramid import Pyramid, Reduce
from forensicviewer.sources.media.images import Picture

Read = TypeVar("Read")


@dataclass(frozen=True, slots=True, eq=False)
class DrawnPicture:
    """A picture, ready to be drawn."""

    picture: Picture
    pictures: Pyramid
    greys: Pyramid

    @classmethod
    def of(cls, picture: Picture, pixels: RgbImage) -> DrawnPicture:
        grey = np.asarray(cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY), np.uint8)
        return cls(picture, Pyramid.of(pixels, Reduce.MEAN), Pyramid.of(grey, Reduce.MEAN))


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
                hint="close other programs, or look at it on a larger machine",
                rule="codec.no-memory",
            )

    @property
    def reason(self) -> str:
        return "" if self.error is None else str(self.error)
