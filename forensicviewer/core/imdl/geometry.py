"""How a prediction is aligned with its image: same size, anchored top left, or resized.

IMDL-BenCo pads to a square of S pixels and crops what is larger, so a saved map is
min(W, S) × min(H, S) and begins at the upper left corner. Other programs save the map at the size
of their network: the image resized to it, or padded to it and never cropped.
"""  # noqa: RUF002 - the sign people read

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

from forensicviewer.core.array import Size


class Geometry(Enum):
    """The value is written into tables."""

    OWN = "own size"
    PADDED = "padded"
    RESIZED = "resized"

    def label(self, prediction: Size) -> str:
        if self is Geometry.OWN:
            return str(self.value)
        return f"{self.value} {prediction.width}x{prediction.height}"


def geometry_of(prediction: Size, image: Size, *, squares_are: Geometry) -> Geometry:
    """The geometry of one prediction; ``squares_are`` decides for squares, which are ambiguous."""
    if prediction == image:
        return Geometry.OWN
    if is_cropped(prediction, image):
        return Geometry.PADDED
    return squares_are if prediction.width == prediction.height else Geometry.RESIZED


def is_cropped(prediction: Size, image: Size) -> bool:
    """Whether one edge is the image's own and the other was cut at a size S that explains both."""
    if prediction.width == image.width and prediction.height < image.height:
        return prediction.height >= prediction.width
    if prediction.height == image.height and prediction.width < image.width:
        return prediction.width >= prediction.height
    return False


def squares_among(sizes: Iterable[tuple[Size, Size]]) -> Geometry:
    """The geometry of small squares, by the (prediction, image) sizes of a submission.

    A map larger than its image was resized. Where smaller images keep their own size and larger
    ones are cut on one edge, maps were padded. Without either the map is taken as resized.
    """
    found = list(sizes)
    squares = {one.width for one, image in found if one.width == one.height and one != image}
    for one, image in found:
        if one.width > image.width or one.height > image.height:
            return Geometry.RESIZED
    cut = any(is_cropped(one, image) for one, image in found)
    kept = any(
        one == image and max(one.width, one.height) < edge
        for one, image in found
        for edge in squares
    )
    return Geometry.PADDED if cut or (kept and len(squares) == 1) else Geometry.RESIZED
