"""Reference masks: which pixels each operation changed, and which of them count in a score.

The zones follow NIST's scorer. With S the selected area, U the unselected one, E = S eroded and
D = S dilated: pixels of D outside E are *boundary*, pixels of U dilated outside E are *unselected*,
pixels the system opted out of are *opt-out*; E is scored as manipulated, the rest as background.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import reduce
from typing import TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from forensicviewer.core.array import BoolImage, PlaneImage, RgbImage, Size, U8Image
from forensicviewer.core.kernel import Kernels, dilated, eroded
from forensicviewer.core.model import Operation

Window: TypeAlias = tuple[slice, slice]  # rows, columns
Color: TypeAlias = tuple[int, int, int]

_WHITE = (255, 255, 255)
_BLACK = (0, 0, 0)
_MARKED = 1 << 7  # the bit of a pixel that is not white
_COLORS_AT_ONCE = 7
_TILE_PX = 1 << 17
UNKNOWN_OPERATION = 255  # in an index of operations: marked, but by no operation of the journal


class Region(IntEnum):
    """The kind of a pixel; where several apply, the larger code wins."""

    BACKGROUND = 0
    MANIPULATED = 1
    BOUNDARY = 2
    UNSELECTED = 3
    OPT_OUT = 4


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
    def from_marks(rgb: RgbImage, *, black_first: bool = False) -> ReferenceMask:
        """Everything that is not white is manipulated.

        With ``black_first`` only where nothing is black; otherwise black alone is, and the rest is
        a no-score zone.
        """
        if black_first and (rgb == 0).all(axis=2).any():
            return ReferenceMask.from_black(rgb)
        return ReferenceMask.from_area((rgb != 255).any(axis=2))

    @staticmethod
    def from_shared(
        area: BoolImage, operations: Sequence[Operation], owners: Collection[int]
    ) -> ReferenceMask:
        """One area that belongs to all of the ``owners`` (numbers of operations) alike."""
        return _SharedMask(area, operations, owners)

    @abstractmethod
    def area(self, operation: int) -> BoolImage:
        """The pixels the operation changed."""

    @property
    @abstractmethod
    def unknown(self) -> BoolImage:
        """The marked pixels that belong to no known operation."""

    def operation_index(self) -> U8Image:
        """For each pixel the last operation that changed it, counted from 1; 0 where none did."""
        chosen, _ = self.split(None)
        index = np.zeros(chosen.shape, np.uint8)
        index[self.unknown] = UNKNOWN_OPERATION
        if not self.operations:
            index[chosen] = 1
        for number in range(min(len(self.operations), UNKNOWN_OPERATION - 1)):
            index[self.area(number)] = number + 1
        return index

    def split(self, selected: Collection[int] | None) -> tuple[BoolImage, BoolImage]:
        """The areas (selected, unselected); a pixel can be in both where planes overlap."""
        areas = self._areas(selected, margin_px=0)
        return self._spread(areas.chosen, areas.window), self._spread(areas.others, areas.window)

    def regions(
        self,
        selected: Collection[int] | None,
        kernels: Kernels,
        *,
        opt_out: BoolImage | None = None,
    ) -> Regions:
        """The region codes of all pixels if only the selected operations count."""
        areas = self._areas(selected, margin_px=kernels.reach_px)
        zones = _Zones.of(areas.chosen, areas.others, kernels)
        codes = np.zeros((self.size.height, self.size.width), np.uint8)
        codes[areas.window] = zones.codes
        opt_out_px = 0
        scored_px = codes.size - zones.boundary_px - zones.unselected_px
        if opt_out is not None:
            codes[opt_out] = Region.OPT_OUT
            opt_out_px = int(np.count_nonzero(opt_out))
            scored_px = int(np.count_nonzero(codes <= Region.MANIPULATED))
        codes.setflags(write=False)
        return Regions(
            codes=codes,
            selected=self._spread(areas.chosen, areas.window),
            boundary_px=zones.boundary_px,
            unselected_px=zones.unselected_px,
            opt_out_px=opt_out_px,
            scored_px=scored_px,
        )

    @abstractmethod
    def _areas(self, selected: Collection[int] | None, *, margin_px: int) -> _Areas:
        """The areas within a window that holds everything marked and a margin around it.

        The margin is room for kernels to reach; at the edges of the image there is none.
        """

    def _spread(self, area: BoolImage, window: Window) -> BoolImage:
        whole = np.zeros((self.size.height, self.size.width), np.bool_)
        whole[window] = area
        return whole

    def _chosen(self, selected: Collection[int] | None) -> Iterable[int]:
        return range(len(self.operations)) if selected is None else sorted(set(selected))


@dataclass(frozen=True, slots=True, eq=False)
class _Areas:
    """The selected and the unselected area, cut to a window outside of which both are empty."""

    window: Window
    chosen: BoolImage
    others: BoolImage


class _ColourMask(ReferenceMask):
    """The colours of every marked pixel: one bit for each operation."""

    def __init__(self, rgb: RgbImage, operations: Sequence[Operation]) -> None:
        super().__init__(operations, Size.of(rgb))
        pixels = np.ascontiguousarray(rgb)
        colors = dict.fromkeys(operation.color for operation in operations)
        known = [color for color in colors if color is not None]
        starts = range(0, max(1, len(known)), _COLORS_AT_ONCE)
        self._groups = [known[start : start + _COLORS_AT_ONCE] for start in starts]
        self._labels = [np.zeros(pixels.shape[:2], np.uint8) for _ in self._groups]
        self._window = _label(pixels, self._groups, self._labels)

    def area(self, operation: int) -> BoolImage:
        return self.split([operation])[0]

    @property
    def unknown(self) -> BoolImage:
        return self.split(None)[1]

    def _areas(self, selected: Collection[int] | None, *, margin_px: int) -> _Areas:
        wanted = {self.operations[i].color for i in self._chosen(selected)}
        window = _grown(self._window, margin_px, self.size)
        if _WHITE in wanted:
            window = slice(0, self.size.height), slice(0, self.size.width)
        parts = []
        for group, labels in zip(self._groups, self._labels, strict=True):
            bits = sum(1 << bit for bit, color in enumerate(group) if color in wanted)
            cut = labels[window]
            # Whatever is marked in another colour is left out, known to the journal or not.
            left_out = (cut & np.uint8(bits | _MARKED)) == _MARKED
            parts.append(((cut & np.uint8(bits)) != 0, left_out))
        chosen = reduce(np.logical_or, (part[0] for part in parts))
        others = reduce(np.logical_and, (part[1] for part in parts))
        if _WHITE in wanted:
            chosen |= self._labels[0] == 0
        return _Areas(window, chosen, others)


def _label(
    rgb: RgbImage, groups: Sequence[Sequence[Color]], labels: Sequence[NDArray[np.uint8]]
) -> Window:
    """Give every pixel a bit for the colour it has and one for not being white.

    Returns a window that holds everything marked. Most of a mask is white, so each band of rows is
    first searched for where anything is marked at all.
    """
    height, width, _ = rgb.shape
    rows = max(1, _TILE_PX // max(1, width))
    marked_rows, marked_columns = np.zeros(height, np.bool_), np.zeros(width, np.bool_)
    for top in range(0, height if rgb.size else 0, rows):
        band = rgb[top : top + rows]
        darkest = band.reshape(len(band), -1).min(axis=0)
        dark = darkest < 255
        columns = dark[0::3] | dark[1::3] | dark[2::3]
        across = _ends(columns)
        if across.stop == across.start:
            continue
        # Four bytes a pixel compare several times faster than three.
        pixels = cv2.cvtColor(band[:, across], cv2.COLOR_RGB2RGBA).view("<u4")[..., 0]
        marked_rows[top : top + rows] = True
        marked_columns |= columns
        for group, found in zip(groups, labels, strict=True):
            here = (pixels != _packed(_WHITE)) * np.uint8(_MARKED)
            for bit, color in enumerate(group):
                here |= (pixels == _packed(color)) * np.uint8(1 << bit)
            found[top : top + rows, across] = here
    return _ends(marked_rows), _ends(marked_columns)


def _packed(color: Color) -> np.uint32:
    red, green, blue = color
    return np.uint32(red | green << 8 | blue << 16 | 255 << 24)


class _PlaneMask(ReferenceMask):
    def __init__(self, planes: PlaneImage, operations: Sequence[Operation]) -> None:
        super().__init__(operations, Size.of(planes))
        self._planes = planes[:, :, np.newaxis] if planes.ndim == 2 else planes

    def area(self, operation: int) -> BoolImage:
        plane = self.operations[operation].bit_plane
        return self._any_of(set() if plane is None else {plane})

    @property
    def unknown(self) -> BoolImage:
        known = self._planes_of(range(len(self.operations)))
        return self._any_of(set(range(1, 8 * self._planes.shape[2] + 1)) - known)

    def _areas(self, selected: Collection[int] | None, *, margin_px: int) -> _Areas:
        planes = self._planes_of(self._chosen(selected))
        # Bits of no operation count as background, so they are in neither area.
        others = self._planes_of(range(len(self.operations))) - planes
        return _cut(self._any_of(planes), self._any_of(others), margin_px=margin_px)

    def _planes_of(self, operations: Iterable[int]) -> set[int]:
        planes = {self.operations[i].bit_plane for i in operations}
        return {plane for plane in planes if plane is not None}

    def _any_of(self, planes: set[int]) -> BoolImage:
        area = np.zeros(self._planes.shape[:2], np.bool_)
        for component in range(self._planes.shape[2]):
            bits = sum(1 << (plane - 1) % 8 for plane in planes if (plane - 1) // 8 == component)
            if bits:
                # One component of many lies scattered in memory; OpenCV gathers it much faster.
                found = np.asarray(cv2.extractChannel(self._planes, component), np.uint8)
                area |= (found & np.uint8(bits)) != 0
        return area


def nearest_colours(rgb: RgbImage, palette: Iterable[Color]) -> RgbImage:
    """The image with every pixel in the nearest of white and these colours.

    With an empty palette a pixel with no dark channel is white, and all others stay as they are.
    """
    wanted = list(dict.fromkeys((_WHITE, *palette)))
    if len(wanted) == 1:
        return np.where(rgb.min(axis=2, keepdims=True) < 128, rgb, np.uint8(255))
    best = np.full(rgb.shape[:2], np.iinfo(np.int32).max, np.int32)
    found = np.empty_like(rgb)
    for color in wanted:
        apart = rgb.astype(np.int32) - np.array(color, np.int32)
        distance = np.einsum("ijk,ijk->ij", apart, apart)
        is_nearer = distance < best
        best[is_nearer] = distance[is_nearer]
        found[is_nearer] = color
    return found


def is_black_and_white(rgb: RgbImage, colours: Collection[Color | None]) -> bool:
    """Whether an image is black on white, although operations have these ``colours``."""
    # OpenCV looks for black many times faster than numpy asks each pixel for any channel.
    if (0, 0, 0) in colours or not _exactly(rgb, (0, 0, 0)).any():
        return False
    grey = rgb[:, :, 0]
    return bool(((grey == 0) | (grey == 255)).all() and (rgb == grey[:, :, np.newaxis]).all())


def black_in_planes(planes: PlaneImage, named: Collection[int]) -> PlaneImage:
    """The bit planes that are ``named`` (from 1), set where the mask is black on white.

    White has every bit set, those that belong to nobody too. Where these are set in each pixel,
    the layers are black on white one by one; where a pixel has all bits or none, all of them are.
    Every other mask stays as it is, one without black too.
    """
    bits = np.zeros(planes.shape[2], np.uint8)
    for plane in named:
        if (plane - 1) // 8 < len(bits):
            bits[(plane - 1) // 8] |= np.uint8(1 << (plane - 1) % 8)
    nobodys = ~bits
    if not nobodys.any() or not bits.any() or bool((planes == 255).all()):
        return planes
    if bool(((planes & nobodys) == nobodys).all()):
        return np.asarray(~planes & bits, np.uint8)
    is_white, is_black = (planes == 255).all(axis=2), (planes == 0).all(axis=2)
    if not is_white.any() or not bool((is_white | is_black).all()):
        return planes
    return np.where(is_black[:, :, np.newaxis], bits, np.uint8(0))


def planes_as_planned(planes: PlaneImage, named: Collection[int]) -> PlaneImage:
    """The bit planes as MFC2019's plan reads them: set where an operation changed the image.

    A mask that is white all over shows no localized change (2.1.1.1).
    """
    if bool((planes == 255).all()):
        return np.zeros_like(planes)
    return black_in_planes(planes, named)


def changed_in_planes(planes: PlaneImage, *, white_is_background: bool) -> BoolImage:
    """The pixels with a bit in any plane, of any operation.

    With ``white_is_background`` a mask of black on white, or one with a bit that is set in every
    pixel, is the other way round: what is not white was changed.
    """
    is_changed: BoolImage = np.asarray(planes.any(axis=2))
    is_white: BoolImage = np.asarray((planes == 255).all(axis=2))
    is_black_on_white = bool(is_white.any() and (is_white | ~is_changed).all())
    has_white = bool(np.bitwise_and.reduce(planes, axis=(0, 1)).any())
    return ~is_white if white_is_background and (is_black_on_white or has_white) else is_changed


def rounds_up_beyond(planes: PlaneImage, known: Collection[int]) -> bool:
    """Whether a rounded logarithm of some pixel's bits is one above the highest component.

    NIST's scorer numbers the planes of a pixel by such a logarithm, over the bits of ``known``
    planes (from 1). From 48 bits on it cannot tell a pixel with all bits set from a power of two.
    """
    components = planes.shape[2]
    alive, highest = np.ones(planes.shape[:2], np.bool_), 0
    for component in reversed(range(components)):
        bits = sum(1 << (plane - 1) % 8 for plane in known if (plane - 1) // 8 == component)
        here = planes[:, :, component] & np.uint8(bits)
        top = here.max(where=alive, initial=0)
        alive &= here == top
        highest = highest << 8 | int(top)
    return highest > 0 and math.floor(math.log(highest, 2)) >= 8 * components


class _AreaMask(ReferenceMask):
    def __init__(self, area: BoolImage, others: BoolImage, *, others_scored: bool) -> None:
        super().__init__((), Size.of(area))
        self._area = area
        self._others = others
        self._others_scored = others_scored

    def area(self, operation: int) -> BoolImage:
        raise IndexError(f"this mask does not contain operation {operation}")

    @property
    def unknown(self) -> BoolImage:
        return self._others

    def _areas(self, selected: Collection[int] | None, *, margin_px: int) -> _Areas:
        del selected  # there is one area whatever is asked for
        others = np.zeros_like(self._others) if self._others_scored else self._others
        return _cut(self._area, others, margin_px=margin_px)


class _SharedMask(ReferenceMask):
    def __init__(
        self, area: BoolImage, operations: Sequence[Operation], owners: Collection[int]
    ) -> None:
        super().__init__(operations, Size.of(area))
        self._area = area
        self._owners = frozenset(owners)

    def area(self, operation: int) -> BoolImage:
        return self._owned_by(self._owners & {operation})

    @property
    def unknown(self) -> BoolImage:
        return np.zeros_like(self._area)

    def _areas(self, selected: Collection[int] | None, *, margin_px: int) -> _Areas:
        chosen = self._owners.intersection(self._chosen(selected))
        others = self._owners - chosen
        return _cut(self._owned_by(chosen), self._owned_by(others), margin_px=margin_px)

    def operation_index(self) -> U8Image:
        last = min(max(self._owners, default=-1) + 1, UNKNOWN_OPERATION - 1)
        return np.multiply(self._area, np.uint8(last), dtype=np.uint8)

    def _owned_by(self, operations: Collection[int]) -> BoolImage:
        return self._area if operations else np.zeros_like(self._area)


@dataclass(frozen=True, slots=True, eq=False)
class _Zones:
    """Region codes without opt-outs, and the sizes of the no-score zones."""

    codes: U8Image
    boundary_px: int
    unselected_px: int

    @classmethod
    def of(cls, chosen: BoolImage, others: BoolImage, kernels: Kernels) -> _Zones:
        core = eroded(chosen, kernels.shape, kernels.erode_px).view(np.uint8)
        codes = _own(dilated(chosen, kernels.shape, kernels.dilate_px), chosen)
        unselected = _own(dilated(others, kernels.shape, kernels.distraction_px), others)
        if not core.size:
            return cls(codes, 0, 0)
        # 255 outside the core and 0 inside: the eroded core of the selected area always wins over a
        # neighbouring zone. All in place, as fresh memory costs more than the arithmetic.
        outside = core - np.uint8(1)
        unselected &= outside
        unselected_px = cv2.countNonZero(unselected)
        codes *= np.uint8(Region.BOUNDARY)
        codes &= outside
        unselected *= np.uint8(Region.UNSELECTED)
        np.maximum(codes, unselected, out=codes)
        outside_px = cv2.countNonZero(codes)
        codes |= core
        return cls(codes, outside_px - unselected_px, unselected_px)


def _own(area: BoolImage, source: BoolImage) -> U8Image:
    """The area as numbers that may be changed."""
    return area.copy().view(np.uint8) if area is source else area.view(np.uint8)


def _exactly(rgb: RgbImage, color: Color) -> BoolImage:
    if not rgb.size:
        return np.zeros(rgb.shape[:2], np.bool_)
    return np.asarray(np.asarray(cv2.inRange(rgb, color, color)) != 0)


def _cut(chosen: BoolImage, others: BoolImage, *, margin_px: int) -> _Areas:
    rows = chosen.any(axis=1) | others.any(axis=1)
    down = _ends(rows)
    columns = chosen[down].any(axis=0) | others[down].any(axis=0)
    window = _grown((down, _ends(columns)), margin_px, Size.of(chosen))
    return _Areas(window, chosen[window], others[window])


def _grown(window: Window, margin_px: int, size: Size) -> Window:
    """The window with room on all sides; the image's edges stay edges, nothing stays nothing."""
    rows, columns = window
    if rows.start == rows.stop:
        return window
    return (
        slice(max(0, rows.start - margin_px), min(size.height, rows.stop + margin_px)),
        slice(max(0, columns.start - margin_px), min(size.width, columns.stop + margin_px)),
    )


def _ends(flags: NDArray[np.bool_] | np.bool_) -> slice:
    """From the first to the last that is set; empty when none is."""
    marked = np.flatnonzero(flags)
    return slice(int(marked[0]), int(marked[-1]) + 1) if len(marked) else slice(0, 0)
