"""Reads reference masks of these datasets as areas, and predictions with their own values."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from forensicviewer.core.array import BoolImage, RgbImage, Size, U8Image
from forensicviewer.core.problem import CodecError
from forensicviewer.sources.imdl.pair import MaskRule
from forensicviewer.sources.media.formats import Format
from forensicviewer.sources.media.headers import MAX_PIXELS, read_header
from forensicviewer.sources.media.images import read_image
from forensicviewer.sources.media.masks import read_colour_reference, read_fine_grey
from forensicviewer.sources.media.npz import read_npz

COLOUR_MAPPED = "imdl.colour-mapped"
_MOST_POLYGONS = 10_000


def read_area(
    path: Path, rule: MaskRule, *, size: Size | None = None, polygons: str = ""
) -> BoolImage:
    """The manipulated pixels of a reference mask; polygons are drawn at the size of their image."""
    if rule is MaskRule.POLYGONS:
        if size is None:
            raise CodecError(
                "The size of the image is unknown, so polygons cannot be drawn",
                hint="add width and height to the image in the JSON file",
            )
        return draw_polygons(polygons, size)
    if read_header(path).format is Format.NPZ:
        return np.asarray(read_npz(path).pixels > 0)
    return area_of(read_colour_reference(path), rule)


def area_of(colours: RgbImage, rule: MaskRule) -> BoolImage:
    """The manipulated pixels by the rule of the dataset."""
    if rule is MaskRule.GREEN:
        return np.asarray(colours[:, :, 1] > 120)
    if rule is MaskRule.ANY:
        return np.asarray((colours != 0).any(axis=2))
    if rule is MaskRule.ABOVE_10:
        return np.asarray((colours > 10).any(axis=2))
    # IMDL-BenCo: the mean of the three channels above 127.5, so their sum above 382.5.
    is_white = colours.sum(axis=2, dtype=np.uint16) > 382
    return np.asarray(is_white if rule is MaskRule.WHITE else ~is_white)


def draw_polygons(polygons: str, size: Size) -> BoolImage:
    canvas = np.zeros((size.height, size.width), np.uint8)
    try:
        found = json.loads(polygons)
        for polygon in found[:_MOST_POLYGONS]:
            if len(points := _points(polygon)):
                cv2.fillPoly(canvas, [points], (255,))
    except (OverflowError, ValueError, TypeError) as error:
        raise CodecError(
            "The polygons of the image cannot be read",
            hint="each polygon is a list of at least three pairs x, y",
        ) from error
    return canvas > 0


def _points(polygon: object) -> NDArray[np.int32]:
    points = np.array(polygon, np.float64).reshape(-1, 2)
    if not np.isfinite(points).all():
        raise ValueError("a position that is not a number")
    return np.clip(np.rint(points), -1, 1 << 20).astype(np.int32)


@dataclass(frozen=True, slots=True, eq=False)
class ReadMap:
    """A prediction: 8-bit levels or floats from 0 to 1, 1 = manipulated.

    ``layers`` are the images of its archive, ``name`` which of them this is, ``score`` what the
    archive says of the image.
    """

    values: NDArray[Any]
    name: str = ""
    layers: tuple[str, ...] = ()
    score: float | None = None


_SCORES = ("score", "detection", "image_score", "label_score")


def read_map(path: Path, *, is_inverted: bool, layer: str = "") -> ReadMap:
    """The values of a prediction; colour-mapped images are refused."""
    header = read_header(path)
    if header.format is Format.NPZ:
        found = read_npz(path, name=layer)
        numbers = dict(found.numbers)
        score = next((numbers[name] for name in _SCORES if name in numbers), None)
        values, layers = _probabilities(found.pixels, path), found.layers
        name = found.name
    else:
        is_fine = (header.bit_depth or 8) > 8 and header.format in (Format.PNG, Format.TIFF)
        fine = read_fine_grey(path) if is_fine else None
        values = read_grey_map(path) if fine is None else fine
        layers, score, name = (), None, ""
    if is_inverted:
        values = np.invert(values) if values.dtype == np.uint8 else values.dtype.type(1) - values
    return ReadMap(values, name, layers, score)


@dataclass(frozen=True, slots=True, eq=False)
class ReadLayer:
    """A further map as 8-bit levels or colours; ``low`` and ``high`` are the values at the ends."""

    pixels: U8Image
    low: float
    high: float


def read_layer(path: Path, *, layer: str = "") -> ReadLayer:
    """A further map of a prediction, to be looked at: any values, and colours as they are."""
    if read_header(path).format is Format.NPZ:
        return _spread(read_npz(path, name=layer).pixels)
    return ReadLayer(read_image(path).pixels, 0, 255)


def _spread(pixels: NDArray[Any]) -> ReadLayer:
    """The values as levels: those between 0 and 1 as they are, others between their ends."""
    if pixels.dtype == np.uint8:
        return ReadLayer(np.ascontiguousarray(pixels), 0, 255)
    values = np.nan_to_num(pixels.astype(np.float32), posinf=0, neginf=0)
    low, high = float(values.min()), float(values.max())
    if low >= 0 and high <= 1:
        low, high = 0.0, 1.0
    span = (high - low) or 1.0
    return ReadLayer(np.rint((values - low) * (255 / span)).astype(np.uint8), low, high)


def read_grey_map(path: Path, *, max_pixels: int = MAX_PIXELS) -> U8Image:
    """The levels of an image file; three equal channels are grey."""
    colours = read_colour_reference(path, max_pixels=max_pixels)
    red, green, blue = colours[:, :, 0], colours[:, :, 1], colours[:, :, 2]
    channels = read_header(path).channels or 1
    if channels >= 3 and not (np.array_equal(red, green) and np.array_equal(green, blue)):
        apart = max(
            int(cv2.norm(red, green, cv2.NORM_INF)), int(cv2.norm(green, blue, cv2.NORM_INF))
        )
        if apart > 8:  # JPEG moves the channels of grey apart by a few levels
            raise CodecError(
                "The prediction is a colour image, not a map of probabilities",
                where=path,
                hint="a heat map cannot be converted back to values; save the map itself in "
                "grey or as NPZ",
                rule=COLOUR_MAPPED,
            )
    return np.ascontiguousarray(green)


def _evidence(pixels: NDArray[Any]) -> str:
    """What is wrong with values that are not probabilities."""
    if not np.issubdtype(pixels.dtype, np.floating):
        return f"they are of type {pixels.dtype}"
    finite = pixels[np.isfinite(pixels)]
    if finite.size < pixels.size:
        return f"{pixels.size - finite.size} are NaN or infinite"
    return f"they go from {finite.min():.3g} to {finite.max():.3g}"


def _probabilities(pixels: NDArray[Any], path: Path) -> NDArray[Any]:
    if pixels.dtype == np.uint8:
        return np.ascontiguousarray(pixels)
    if pixels.dtype == np.bool_:
        return np.ascontiguousarray(pixels, dtype=np.uint8) * np.uint8(255)
    if pixels.dtype == np.uint16:
        return np.asarray(pixels / np.float32(65535), np.float32)
    if pixels.dtype == np.float16:
        pixels = pixels.astype(np.float32)
    is_float = np.issubdtype(pixels.dtype, np.floating)
    if is_float and np.isfinite(pixels).all() and pixels.min() >= 0 and pixels.max() <= 1:
        return np.ascontiguousarray(pixels)
    raise CodecError(
        f"The values of the map are not all between 0 and 1: {_evidence(pixels)}",
        where=path,
        hint="save probabilities, not logits: floats from 0 to 1 or 8-bit levels",
        rule="codec.wrong-type",
    )
