"""Colours and bit planes of a mask against the operations of its journal."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence

import numpy as np

from forensicviewer.core.array import BoolImage, PlaneImage, RgbImage
from forensicviewer.core.mask import Color
from forensicviewer.core.model import Operation
from forensicviewer.core.problem import Severity
from forensicviewer.core.quality.rule import Suspect

_WHITE = 0xFFFFFF
_FEWEST_PX = 12
_MOST_STRAY = 0.002
_LISTED = 6
_MANY_STRAYS = 0.2
_NEARLY_BLACK = 24


def check_colours(
    colours: RgbImage, operations: Sequence[Operation], *, may_lack: bool
) -> Iterator[Suspect]:
    """Report colours without operations, and operations whose colour is missing.

    Without operations only black and white mean something. Where bit planes tell which areas there
    are, or the mask shows a part of the journal, it ``may_lack`` a colour without a word.
    """
    packed = _packed(colours)
    values, counts = np.unique(packed, return_counts=True)
    found = dict(zip(values.tolist(), counts.tolist(), strict=True))
    found.pop(_WHITE, None)
    known = {_pack(op.color): op for op in operations if op.color is not None}
    if not known:
        # Grey levels of antialiased edges say nothing about operations; white off by some does.
        yield from _check_black(packed, found)
        return
    for color, count in sorted(found.items(), key=lambda item: -item[1])[:_LISTED]:
        if color not in known and count >= _FEWEST_PX:
            spot = packed == color
            yield Suspect("mark-without-operation", _orphan(color, count, known), 0.9, spot=spot)
    yield from _strays(packed, found, known)
    for color, operation in known.items():
        if color in found or color == _WHITE or may_lack:
            continue
        text = f"{_named(operation)} has the colour {_words(color)}, which is missing from the mask"
        why = _excuse(operation, known, found)
        if why:
            note = Severity.NOTE
            yield Suspect("operation-without-area", f"{text}; {why}", 0.2, severity=note)
        else:
            yield Suspect("operation-without-area", text, 0.7)


def _strays(
    packed: np.ndarray[tuple[int, ...], np.dtype[np.uint32]],
    found: Mapping[int, int],
    known: Container[int],
) -> Iterator[Suspect]:
    """Report many unknown colours, each on few pixels: lossy compression, or noise."""
    unknown = {color: count for color, count in found.items() if color not in known}
    count, whole = sum(unknown.values()), sum(found.values())
    if max(unknown.values(), default=0) < _FEWEST_PX <= count and count >= _MANY_STRAYS * whole:
        text = f"{count} of {whole} marked pixels have {len(unknown)} unknown colours"
        spot = np.isin(packed, np.array(list(unknown), np.uint32))
        yield Suspect("mark-without-operation", text, 0.9, spot=spot)


def _excuse(operation: Operation, known: Mapping[int, Operation], found: Container[int]) -> str:
    """Why the area of an operation may be missing; empty without an explanation."""
    shown = [other for color, other in known.items() if color in found]
    if any(later in shown for later in _later(operation, known)):
        return "a later operation may cover it"
    if any(other.start_node == operation.start_node for other in shown):
        return "the probe may come from another branch of the journal"
    return ""


def _later(operation: Operation, known: Mapping[int, Operation]) -> Iterator[Operation]:
    """The operations that begin where this one or one after it ends."""
    ends, others = {operation.end_node}, list(known.values())
    for _ in range(len(others)):
        for other in others:
            if other.start_node in ends and other.end_node not in ends:
                ends.add(other.end_node)
                yield other


def check_planes(planes: PlaneImage, operations: Sequence[Operation]) -> Iterator[Suspect]:
    """Report bit planes without operations, and operations whose plane is empty."""
    known = {op.bit_plane: op for op in operations if op.bit_plane}
    if not known:
        if planes.any():
            text = "The mask has bit planes, but the journal names none"
            yield Suspect("mark-without-operation", text, 0.8)
        return
    for plane in range(1, 8 * planes.shape[2] + 1):
        bits = plane_of(planes, plane)
        count = int(bits.sum())
        if count >= _FEWEST_PX and plane not in known:
            text = f"{count} pixels are set in bit plane {plane}, which no operation names"
            yield Suspect("mark-without-operation", text, 0.9, spot=bits)
        elif count == 0 and plane in known:
            text = f"{_named(known[plane])} has bit plane {plane}, which is empty"
            yield Suspect("operation-without-area", text, 0.8)
    for plane, operation in known.items():
        if plane > 8 * planes.shape[2]:
            text = f"{_named(operation)} has bit plane {plane}, but the last plane of the mask is"
            yield Suspect("operation-without-area", f"{text} {8 * planes.shape[2]}", 0.9)


def compare_marks(
    colours: RgbImage, planes: PlaneImage, operations: Sequence[Operation]
) -> Iterator[Suspect]:
    """Compare colours with bit planes: a colour is where its plane is set, unless covered."""
    if colours.shape[:2] != planes.shape[:2]:
        text = f"The colour mask is {_size(colours)}, the bit planes {_size(planes)}"
        yield Suspect("colours-unlike-planes", text, 0.9)
        return
    packed = _packed(colours)
    for operation in operations:
        if operation.color is None or not operation.bit_plane:
            continue
        painted = packed == _pack(operation.color)
        stray = painted & ~plane_of(planes, operation.bit_plane)
        count, whole = int(stray.sum()), int(painted.sum())
        if count > max(_FEWEST_PX, _MOST_STRAY * whole):
            text = f"{_named(operation)}: {count} of {whole} coloured pixels are not in plane"
            yield Suspect("colours-unlike-planes", f"{text} {operation.bit_plane}", 0.9, spot=stray)
    named = {op.bit_plane for op in operations if op.bit_plane and op.color is not None}
    union = np.zeros(packed.shape, np.bool_)
    for plane in named:
        union |= plane_of(planes, plane)
    bare = union & (packed == _WHITE)
    if bare.sum() > max(_FEWEST_PX, _MOST_STRAY * union.sum()):
        text = f"{int(bare.sum())} of {int(union.sum())} pixels in bit planes have no colour"
        yield Suspect("colours-unlike-planes", text, 0.9, spot=bare)


def plane_of(planes: PlaneImage, plane: int) -> BoolImage:
    """The pixels of a bit plane, counted from 1; none beyond the last."""
    component, bit = divmod(plane - 1, 8)
    if component >= planes.shape[2]:
        return np.zeros(planes.shape[:2], np.bool_)
    return np.asarray((planes[:, :, component] >> bit) & 1, np.bool_)


def _check_black(
    packed: np.ndarray[tuple[int, ...], np.dtype[np.uint32]], found: dict[int, int]
) -> Iterator[Suspect]:
    levels = {value: count for value, count in found.items() if value != 0}
    total = sum(levels.values())
    nearly = [color for color in levels if _apart(color, 0) <= _NEARLY_BLACK]
    count = sum(levels[color] for color in nearly)
    if len(nearly) > 1 and count >= max(_FEWEST_PX, _MANY_STRAYS * (total + found.get(0, 0))):
        text = f"{count} pixels are nearly black, in {len(nearly)} colours"
        spot = np.isin(packed, np.array(nearly, np.uint32))
        yield Suspect("mark-without-operation", text, 0.7, spot=spot)
        return
    if not levels or len(levels) > 64:
        return
    largest = max(levels, key=lambda value: levels[value])
    if levels[largest] >= max(_FEWEST_PX, 0.2 * (total + found.get(0, 0))):
        text = f"{levels[largest]} pixels are {_words(largest)}, which is neither black nor white"
        yield Suspect("mark-without-operation", text, 0.7, spot=packed == largest)


def _orphan(color: int, count: int, known: dict[int, Operation]) -> str:
    text = f"{count} pixels are {_words(color)}, a colour that does not belong to an operation"
    nearest = min(known, key=lambda other: _apart(color, other), default=None)
    if nearest is not None and _apart(color, nearest) <= 24:
        text += f"; {known[nearest].name} has {_words(nearest)}"
    elif _apart(color, _WHITE) <= 24:
        text += "; nearly white"
    return text


def _packed(colours: RgbImage) -> np.ndarray[tuple[int, ...], np.dtype[np.uint32]]:
    wide = colours.astype(np.uint32)
    return np.asarray(wide[..., 0] << 16 | wide[..., 1] << 8 | wide[..., 2])


def _pack(color: Color) -> int:
    return color[0] << 16 | color[1] << 8 | color[2]


def _apart(one: int, other: int) -> int:
    return max(abs((one >> shift & 255) - (other >> shift & 255)) for shift in (0, 8, 16))


def _words(color: int) -> str:
    return f"{color >> 16} {color >> 8 & 255} {color & 255}"


def _named(operation: Operation) -> str:
    return f"{operation.name or 'An operation'} ({operation.start_node} to {operation.end_node})"


def _size(pixels: PlaneImage) -> str:
    return f"{pixels.shape[1]} by {pixels.shape[0]}"
