"""Draws the outcomes of pixels in the colours of a palette."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from forensicviewer.core.array import BoolImage, U8Image
from forensicviewer.core.mask import Region
from forensicviewer.core.palette import NO_SCORE, Outcome, Palette, Rgb
from forensicviewer.core.pyramid import Pyramid, Reduce, Window

ColorTable: TypeAlias = NDArray[np.int32]  # (1, 256): blue, green, red, alpha as bytes
Packed: TypeAlias = NDArray[np.int32]  # (height, width): the same, one value a pixel


@dataclass(frozen=True, slots=True, eq=False)
class OutcomePyramid:
    """Regions and scores at every size, so that a minified pixel shows the worst outcome under it.

    Whether a pixel is an error depends on the threshold, which moves while the pyramid stays. Each
    level therefore keeps, for the pixels under one of its own: which regions occur (``present``,
    one bit each), the highest score of the background (``alarm``: a false alarm when it reaches the
    threshold) and the lowest score of the manipulated pixels (``floor``: a miss when it does not)
    and their highest (``ceiling``: where that does not either, all of them are misses).
    """

    present: Pyramid
    alarm: Pyramid
    floor: Pyramid
    ceiling: Pyramid

    @classmethod
    def of(cls, codes: U8Image, scores: U8Image) -> OutcomePyramid:
        """Of region codes and scores of equal size; codes above opt-out are outside the mask."""
        bits = np.full_like(codes, 1 << Region.BACKGROUND)
        alarm, floor, ceiling = scores.copy(), np.full_like(scores, 255), np.zeros_like(scores)
        # Most pixels are background; a table is looked up only around those that are not.
        marked = _marked(codes)
        kinds = codes[marked]
        if kinds.size:
            bits[marked] = cv2.LUT(kinds, _BIT_OF_REGION)
            alarm[marked] &= np.asarray(cv2.LUT(kinds, _IS_BACKGROUND), np.uint8)
            unmanipulated = cv2.LUT(kinds, _IS_UNMANIPULATED)
            floor[marked] = cv2.bitwise_or(scores[marked], unmanipulated)
            ceiling[marked] = cv2.bitwise_and(scores[marked], cv2.bitwise_not(unmanipulated))
        return cls(
            Pyramid.of(bits, Reduce.UNION),
            Pyramid.of(alarm, Reduce.MAX),
            Pyramid.of(floor, Reduce.MIN),
            Pyramid.of(ceiling, Reduce.MAX),
        )

    @property
    def bytes_held(self) -> int:
        parts = (self.present, self.alarm, self.floor, self.ceiling)
        return sum(part.bytes_held for part in parts)

    def view(
        self, window: Window, *, hatched: bool, crossed: bool = False, without_misses: bool = False
    ) -> OutcomeView:
        """The part in a window, ready to be coloured at any threshold.

        ``crossed`` hatches the boundary zone in both directions.
        Where misses are not shown, a minified pixel must tell of the hits beside them.
        """
        present = self.present.combined(window)
        if hatched:
            pattern = _hatching(present.shape[0], present.shape[1], crossed=crossed)
            stripes = cv2.threshold(cv2.bitwise_and(present, pattern), 0, _HATCH, cv2.THRESH_BINARY)
            present = np.asarray(cv2.add(present, stripes[1]), np.uint8)
        floor = self.ceiling if without_misses and window.scale < 1 else self.floor
        return OutcomeView(present, self.alarm.combined(window), floor.combined(window))


def _marked(codes: U8Image) -> tuple[slice, slice]:
    """The rows and columns that contain everything but background."""
    left, top, width, height = cv2.boundingRect(codes)
    return slice(top, top + height), slice(left, left + width)


class OutcomeView:
    """The visible part of an :class:`OutcomePyramid`, coloured in one pass over the screen.

    Every screen pixel becomes one byte: region bits, whether there is a false alarm, whether there
    is a miss, whether a hatching stripe runs over it. A table of 256 colours does the rest.
    """

    def __init__(self, present: U8Image, alarm: U8Image, floor: U8Image) -> None:
        self._present = present
        self._alarm = alarm
        self._floor = floor
        self._colors = BandColors(present.shape)
        rows = self._colors.rows + 2 * _HALO
        self._index = np.empty((rows, present.shape[1]), np.uint8)
        self._flags = np.empty((rows, present.shape[1]), np.uint8)

    def bands(
        self, threshold: int, table: ColorTable, *, contours: bool
    ) -> Iterator[tuple[int, Packed]]:
        """Every pixel coloured for a threshold, or only the boundaries of the outcome areas.

        Comes as (first row, some rows), which are valid until the next ones are asked for.
        """
        for band in self._colors.bands():
            index = self._rims(threshold, band) if contours else self._indices(threshold, band)
            yield band.start, self._colors.of(index, table)

    def outcomes(self, threshold: int) -> U8Image:
        """The worst outcome under each pixel as its position in :class:`Outcome`."""
        found = np.empty_like(self._present)
        for band in self._colors.bands():
            cv2.LUT(self._indices(threshold, band), _KIND_OF_INDEX, found[band])
        return found

    def _rims(self, threshold: int, band: slice) -> U8Image:
        """The index bytes of some rows, 0 (which has no colour) inside the outcome areas."""
        wide = slice(max(0, band.start - _HALO), min(len(self._present), band.stop + _HALO))
        index = self._indices(threshold, wide)
        # Multiplied as bytes: a mix of types would go through numpy's slow conversion.
        index *= on_rims(np.asarray(cv2.LUT(index, _KIND_OF_INDEX))).view(np.uint8)
        return index[band.start - wide.start : band.stop - wide.start]

    def _indices(self, threshold: int, band: slice) -> U8Image:
        """The index bytes of some rows, valid until those of others are asked for."""
        index, flags = self._index[: band.stop - band.start], self._flags[: band.stop - band.start]
        cv2.threshold(self._alarm[band], threshold - 1, _ALARM, cv2.THRESH_BINARY, flags)
        cv2.add(self._present[band], flags, dst=index)
        cv2.threshold(self._floor[band], threshold - 1, _MISS, cv2.THRESH_BINARY_INV, flags)
        cv2.add(index, flags, dst=index)
        return index


def on_rims(kinds: U8Image) -> BoolImage:
    """Whether each pixel differs from one of those two steps up, down, left or right.

    So a line of one pixel is all boundary, and no outcome is too thin to be seen.
    """
    found = np.zeros(kinds.shape, np.bool_)
    across = kinds[:, _HALO:] != kinds[:, :-_HALO]
    found[:, _HALO:] |= across
    found[:, :-_HALO] |= across
    down = kinds[_HALO:] != kinds[:-_HALO]
    found[_HALO:] |= down
    found[:-_HALO] |= down
    return found


class BandColors:
    """Colours an image some rows at a time, into one buffer that stays in the processors' cache.

    A large pane is bound by memory: colouring all of it and drawing it then takes twice as long.
    """

    def __init__(self, shape: tuple[int, ...]) -> None:
        self._height, width = shape
        self.rows = max(1, min(self._height, _BAND_PIXELS // max(1, width)))
        self._buffer = np.empty((self.rows, width), np.int32)

    def bands(self) -> list[slice]:
        rows, height = self.rows, self._height
        return [slice(top, min(top + rows, height)) for top in range(0, height, rows)]

    def of(self, index: U8Image, table: ColorTable) -> Packed:
        """The colours of some rows of index bytes."""
        out = self._buffer[: len(index)]
        cv2.LUT(index, table, out)
        return out


def outcome_table(
    colors: Palette, *, opacity: float, hidden: Collection[Outcome], plain: Collection[Outcome]
) -> ColorTable:
    """The colour of every index byte, premultiplied by ``opacity``.

    Of the outcomes under a pixel the worst that is not ``hidden`` shows; outcomes in ``plain`` are
    left without colour, so that what is behind them can be seen.
    """
    table = np.zeros((256, 4), np.uint8)
    for index in range(256):
        shown = next((kind for kind in _outcomes_of(index) if kind not in hidden), None)
        if shown is not None and shown not in plain:
            striped = bool(index & _HATCH) and shown in NO_SCORE
            table[index] = _premultiplied(
                _stripe(colors[shown]) if striped else colors[shown], opacity
            )
    return table.view(np.int32).reshape(1, 256)


def color_table(colors: Sequence[Rgb], *, opacity: float = 1.0) -> ColorTable:
    """A table of up to 256 colours."""
    table = np.zeros((256, 4), np.uint8)
    for index, color in enumerate(colors):
        table[index] = _premultiplied(color, opacity)
    return table.view(np.int32).reshape(1, 256)


def color_of(table: ColorTable, index: int) -> Rgb:
    """The colour a table gives an index."""
    blue, green, red, _alpha = table[0, index : index + 1].view(np.uint8).tolist()
    return red, green, blue


def takes_black(color: Sequence[int], *, opacity: float = 1.0, over: int = 0) -> bool:
    """Whether black is more legible than white on a colour drawn over a grey level."""
    red, green, blue = color
    own = 0.299 * red + 0.587 * green + 0.114 * blue
    return opacity * own + (1 - opacity) * over > _MIDDLE_GREY


def outcome_of(region: int, score: int, threshold: int) -> Outcome:
    """The outcome of one pixel."""
    if region == Region.MANIPULATED:
        return Outcome.HIT if score >= threshold else Outcome.MISS
    if region == Region.BACKGROUND:
        return Outcome.FALSE_ALARM if score >= threshold else Outcome.CORRECT_REJECTION
    return _UNSCORED.get(region, Outcome.OUTSIDE)


# Every band costs a dozen calls into OpenCV and Qt, so few of them; one still fits into the cache
# that processors share.
_BAND_PIXELS = 1 << 19
_HALO = 2  # the width of a rim
_MIDDLE_GREY = 118  # where black and white are read equally well
OUTSIDE_CODE = 5  # a region code for pixels only one of two masks of different size has

_ALARM, _MISS, _HATCH = 32, 64, 128
_BIT_OF_REGION = np.zeros(256, np.uint8)
_BIT_OF_REGION[: len(Region)] = [1 << region for region in Region]
_IS_BACKGROUND = np.zeros(256, np.uint8)
_IS_BACKGROUND[Region.BACKGROUND] = 255
_IS_UNMANIPULATED = np.full(256, 255, np.uint8)
_IS_UNMANIPULATED[Region.MANIPULATED] = 0
_UNSCORED = {
    int(Region.BOUNDARY): Outcome.BOUNDARY,
    int(Region.UNSELECTED): Outcome.UNSELECTED,
    int(Region.OPT_OUT): Outcome.OPT_OUT,
}


def _outcomes_of(index: int) -> Iterator[Outcome]:
    """The outcomes that an index byte encodes, worst first."""
    background = index & 1 << Region.BACKGROUND
    manipulated = index & 1 << Region.MANIPULATED
    if manipulated and index & _MISS:
        yield Outcome.MISS
    if background and index & _ALARM:
        yield Outcome.FALSE_ALARM
    if manipulated and not index & _MISS:
        yield Outcome.HIT
    for region, outcome in reversed(_UNSCORED.items()):
        if index & 1 << region:
            yield outcome
    if background and not index & _ALARM:
        yield Outcome.CORRECT_REJECTION


def _kind_of(index: int) -> int:
    return list(Outcome).index(next(_outcomes_of(index), Outcome.OUTSIDE))


_KIND_OF_INDEX = np.array([_kind_of(index) for index in range(256)], np.uint8)


def _premultiplied(color: Rgb, opacity: float) -> tuple[int, int, int, int]:
    red, green, blue = (round(part * opacity) for part in color)
    return blue, green, red, round(255 * opacity)


def _stripe(color: Rgb) -> Rgb:
    """The darker or lighter variant for stripes, whichever has more contrast."""
    is_bright = sum(color) > 3 * 110
    red, green, blue = (
        int(part * 0.45) if is_bright else 255 - (255 - part) // 2 for part in color
    )
    return red, green, blue


@lru_cache(maxsize=32)
def _hatching(height: int, width: int, *, crossed: bool) -> U8Image:
    """Stripes for each no-score reason: boundary / or crossed, unselected \\, opt-out crossed."""
    x, y = np.arange(width)[None, :], np.arange(height)[:, None]
    rising = (x + y) % 8 < 2
    falling = (x - y) % 8 < 2
    pattern = np.zeros((height, width), np.uint8)
    pattern[rising | falling if crossed else rising] |= 1 << Region.BOUNDARY
    pattern[falling] |= 1 << Region.UNSELECTED
    pattern[rising | falling] |= 1 << Region.OPT_OUT
    pattern.setflags(write=False)
    return pattern
