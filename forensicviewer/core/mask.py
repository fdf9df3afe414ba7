"""Reference masks: which pixels each operation changed, and which of them count in a score.

The zones follow NIST's scorer. With S the selected area, U the unselected one, E = S eroded and
D = S dilated: pixels of D outside E are *boundary*, pixels of U dilated outside E are *unselected*,
pixels the system opted out of are *opt-out*; E is scored as manipulated, the rest as background.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum

import cv2
import numpy as np

from forensicviewer.core.array import BoolImage, PlaneImage, RgbImage, Size, U8Image
from forensicviewer.core.kernel import KernelShape, dilated, eroded, odd_width
from forensicviewer.core.model import Operation

_WHITE = (255, 255, 255)
_BLACK = (0, 0, 0)


class Region(IntEnum):
    """What a pixel counts as; the larger code wins where reasons overlap."""

    BACKGROUND = 0
    MANIPULATED = 1
    BOUNDARY = 2
    UNSELECTED = 3
    OPT_OUT = 4


@dataclass(frozen=True, slots=True)
class Kernels:
    """Full widths in pixels of the three kernels and the shape they share; 0 skips an operation.

    The defaults are those of NIST's scorer, whose plans say 11 for the distraction.
    """

    shape: KernelShape = KernelShape.BOX
    erode_px: int = 15
    dilate_px: int = 11
    distraction_px: int = 15

    def __post_init__(self) -> None:
        if min(self.erode_px, self.dilate_px, self.distraction_px) < 0:
            raise ValueError("kernel widths are 0 or more")

    @property
    def even_widths(self) -> tuple[int, ...]:
        """The widths that have no centre; the next odd one is used in their place."""
        widths = (self.erode_px, self.dilate_px, self.distraction_px)
        return tuple(dict.fromkeys(width for width in widths if odd_width(width) != width))

    @property
    def reach_px(self) -> int:
        """How far any kernel reaches from its centre."""
        return odd_width(max(self.erode_px, self.dilate_px, self.distraction_px)) // 2


@dataclass(frozen=True, slots=True, eq=False)
class Regions:
    """The region code of every pixel, and NIST's counts of the no-score zones.

    ``selected`` is the area of the selected operations before any erosion. ``boundary_px`` and
    ``unselected_px`` (NIST's PixelBNS, PixelSNS) do not know about opted-out pixels, so the counts
    add up to the image only where ``opt_out_px`` (PixelPNS) is 0.
    """

    codes: U8Image
    selected: BoolImage
    boundary_px: int
    unselected_px: int
    opt_out_px: int
    scored_px: int

    @property
    def size(self) -> Size:
        return Size.of(self.codes)

    @property
    def has_selected(self) -> bool:
        """Whether the reference shows any selected pixel; without one NIST does not score."""
        return bool(self.selected.any())


class ReferenceMask(ABC):
    """A reference mask that knows the area of each operation.

    Operations are numbered as given. ``selected`` is always a collection of such numbers, or
    ``None`` for all of them.
    """

    def __init__(self, operations: Sequence[Operation], size: Size) -> None:
        self.operations = tuple(operations)
        self.size = size

    @staticmethod
    def from_colours(rgb: RgbImage, operations: Sequence[Operation]) -> ReferenceMask:
        """Each operation owns the pixels of exactly its colour; white is background.

        A colour that belongs to no operation is never scored.
        """
        return _ColourMask(rgb, operations)

    @staticmethod
    def from_planes(planes: PlaneImage, operations: Sequence[Operation]) -> ReferenceMask:
        """Bit plane *b* (from 1) is bit (b-1) mod 8 of component (b-1) // 8; planes may overlap.

        Bits that belong to no operation are background.
        """
        return _PlaneMask(planes, operations)

    @staticmethod
    def from_black(rgb: RgbImage, *, others_scored: bool = False) -> ReferenceMask:
        """Pure black is manipulated, whatever the journal says.

        Other colours are background where ``others_scored`` (the probe side of a splice), and a
        no-score zone otherwise.
        """
        pixels = np.ascontiguousarray(rgb)
        black = _exactly(pixels, _BLACK)
        others = ~_exactly(pixels, _WHITE) & ~black
        return _AreaMask(black, others, others_scored=others_scored)

    @staticmethod
    def from_area(manipulated: BoolImage) -> ReferenceMask:
        """Exactly the given pixels are manipulated; there is nothing else."""
        return _AreaMask(manipulated, np.zeros_like(manipulated), others_scored=True)

    @staticmethod
    def from_levels(levels: U8Image) -> ReferenceMask:
        """A grey mask: black is manipulated, white is not, levels between are never scored."""
        black = levels == 0
        return _AreaMask(black, (levels != 255) & ~black, others_scored=False)

    @abstractmethod
    def area(self, operation: int) -> BoolImage:
        """The pixels the operation changed."""

    @property
    @abstractmethod
    def unknown(self) -> BoolImage:
        """The pixels marked in the mask by no known operation."""

    @abstractmethod
    def split(self, selected: Collection[int] | None) -> tuple[BoolImage, BoolImage]:
        """The areas (selected, unselected); a pixel can be in both where planes overlap."""

    def regions(
        self,
        selected: Collection[int] | None,
        kernels: Kernels,
        *,
        opt_out: BoolImage | None = None,
    ) -> Regions:
        """What every pixel counts as when only the selected operations are asked for."""
        chosen, others = self.split(selected)
        codes = np.zeros(chosen.shape, np.uint8)
        window = _window_of(chosen, others, margin_px=kernels.reach_px)
        if window is not None:
            codes[window] = _zones(chosen[window], others[window], kernels)
        counted = codes if window is None else codes[window]
        boundary_px = int(np.count_nonzero(counted == Region.BOUNDARY))
        unselected_px = int(np.count_nonzero(counted == Region.UNSELECTED))
        opt_out_px = 0
        scored_px = codes.size - boundary_px - unselected_px
        if opt_out is not None:
            codes[opt_out] = Region.OPT_OUT
            opt_out_px = int(np.count_nonzero(opt_out))
            scored_px = int(np.count_nonzero(codes <= Region.MANIPULATED))
        codes.setflags(write=False)
        return Regions(codes, chosen, boundary_px, unselected_px, opt_out_px, scored_px)

    def _chosen(self, selected: Collection[int] | None) -> Iterable[int]:
        return range(len(self.operations)) if selected is None else sorted(set(selected))


class _ColourMask(ReferenceMask):
    def __init__(self, rgb: RgbImage, operations: Sequence[Operation]) -> None:
        super().__init__(operations, Size.of(rgb))
        self._rgb = np.ascontiguousarray(rgb)
        self._marked = ~_exactly(self._rgb, _WHITE)

    def area(self, operation: int) -> BoolImage:
        color = self.operations[operation].color
        if color is None:
            return np.zeros(self._marked.shape, np.bool_)
        return _exactly(self._rgb, color)

    @property
    def unknown(self) -> BoolImage:
        known, _ = self.split(None)
        return self._marked & ~known

    def split(self, selected: Collection[int] | None) -> tuple[BoolImage, BoolImage]:
        colors = {self.operations[i].color for i in self._chosen(selected)} - {None}
        chosen = np.zeros(self._marked.shape, np.bool_)
        window = _window_of(self._marked, margin_px=0)
        for color in colors:
            assert color is not None
            if color == _WHITE:
                chosen |= ~self._marked
            elif window is not None:
                chosen[window] |= _exactly(self._rgb[window], color)
        return chosen, self._marked & ~chosen


class _PlaneMask(ReferenceMask):
    def __init__(self, planes: PlaneImage, operations: Sequence[Operation]) -> None:
        super().__init__(operations, Size.of(planes))
        self._planes = planes[:, :, np.newaxis] if planes.ndim == 2 else planes

    def area(self, operation: int) -> BoolImage:
        plane = self.operations[operation].bit_plane
        return self._any_of(set() if plane is None else {plane})

    @property
    def unknown(self) -> BoolImage:
        # Unnamed bits count as background, so nothing is unknown to a score.
        known = self._planes_of(range(len(self.operations)))
        return self._any_of(set(range(1, 8 * self._planes.shape[2] + 1)) - known)

    def split(self, selected: Collection[int] | None) -> tuple[BoolImage, BoolImage]:
        chosen = self._planes_of(self._chosen(selected))
        others = self._planes_of(range(len(self.operations))) - chosen
        return self._any_of(chosen), self._any_of(others)

    def _planes_of(self, operations: Iterable[int]) -> set[int]:
        planes = {self.operations[i].bit_plane for i in operations}
        return {plane for plane in planes if plane is not None}

    def _any_of(self, planes: set[int]) -> BoolImage:
        area = np.zeros(self._planes.shape[:2], np.bool_)
        for component in range(self._planes.shape[2]):
            bits = sum(1 << (plane - 1) % 8 for plane in planes if (plane - 1) // 8 == component)
            if bits:
                area |= (self._planes[:, :, component] & np.uint8(bits)) != 0
        return area


class _AreaMask(ReferenceMask):
    def __init__(self, area: BoolImage, others: BoolImage, *, others_scored: bool) -> None:
        super().__init__((), Size.of(area))
        self._area = area
        self._others = others
        self._others_scored = others_scored

    def area(self, operation: int) -> BoolImage:
        raise IndexError(f"this mask has no operation {operation}")

    @property
    def unknown(self) -> BoolImage:
        return self._others

    def split(self, selected: Collection[int] | None) -> tuple[BoolImage, BoolImage]:
        del selected  # there is one area whatever is asked for
        others = np.zeros_like(self._others) if self._others_scored else self._others
        return self._area, others


def _zones(chosen: BoolImage, others: BoolImage, kernels: Kernels) -> U8Image:
    core = eroded(chosen, kernels.shape, kernels.erode_px).view(np.uint8)
    wide = dilated(chosen, kernels.shape, kernels.dilate_px).view(np.uint8)
    distraction = dilated(others, kernels.shape, kernels.distraction_px).view(np.uint8)
    outer = cv2.max(wide * np.uint8(Region.BOUNDARY), distraction * np.uint8(Region.UNSELECTED))
    # The eroded core of the selected area always wins over a neighbouring zone.
    return np.asarray(np.where(core, np.uint8(Region.MANIPULATED), outer), np.uint8)


def _exactly(rgb: RgbImage, color: tuple[int, int, int]) -> BoolImage:
    found = np.asarray(cv2.inRange(rgb, color, color))
    return np.asarray(found != 0)


def _window_of(*areas: BoolImage, margin_px: int) -> tuple[slice, slice] | None:
    """The smallest window holding every marked pixel and a margin; ``None`` when there is none."""
    rows = np.logical_or.reduce([area.any(axis=1) for area in areas])
    if not rows.any():
        return None
    top, bottom = _ends(rows, margin_px)
    columns = np.logical_or.reduce([area[top:bottom].any(axis=0) for area in areas])
    left, right = _ends(columns, margin_px)
    return slice(top, bottom), slice(left, right)


def _ends(flags: BoolImage, margin_px: int) -> tuple[int, int]:
    marked = np.flatnonzero(flags)
    first, last = int(marked[0]), int(marked[-1])
    return max(0, first - margin_px), min(len(flags), last + 1 + margin_px)
