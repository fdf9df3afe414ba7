"""Where the operation pointed at changed the image, ready to be drawn at any size."""

from __future__ import annotations

from dataclasses import dataclass

from forensicviewer.app.workbench.loaded_trial import LoadedSide
from forensicviewer.core.layer_pixels import area_pyramid
from forensicviewer.core.mask import UNKNOWN_OPERATION, ReferenceMask
from forensicviewer.core.pyramid import Pyramid


@dataclass(frozen=True, slots=True, eq=False)
class Highlight:
    """The area of an operation in a reference: wherever ``index`` has one of ``indices``."""

    operation: int
    reference: ReferenceMask
    index: Pyramid
    indices: tuple[int, ...]


def highlight_of(side: LoadedSide, operation: int) -> Highlight | None:
    """All of an operation's area; with bit planes of large images it takes a while to find.

    The index of operations names the last one at each pixel, and one of those that share a colour.
    """
    reference = side.reference
    if reference is None or operation >= len(reference.operations):
        return None
    color = reference.operations[operation].color
    if side.operations is None or side.planes is not None or color is None:
        area = area_pyramid(reference.area(operation))
        return Highlight(operation, reference, area, (1,))
    alike = (i + 1 for i, found in enumerate(reference.operations) if found.color == color)
    indices = tuple(index for index in alike if index < UNKNOWN_OPERATION)
    return Highlight(operation, reference, side.operations, indices)
