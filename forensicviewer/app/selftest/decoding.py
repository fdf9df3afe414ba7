"""Decodes one stored file of every kind and compares it with the image it was made from.

All files show the same image: four quarters of one colour each. Video files have four frames,
each of one colour.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from forensicviewer.app.runtime.resources import resource
from forensicviewer.app.selftest.check import CheckFailedError, InstallationCheck
from forensicviewer.sources.media.images import read_image
from forensicviewer.sources.media.masks import Polarity, read_bit_planes, read_system_mask
from forensicviewer.sources.video.masks import open_video_mask
from forensicviewer.sources.video.video_file import VideoFile

QUARTERS = ((200, 40, 40), (40, 160, 60), (50, 70, 190), (230, 220, 90))
SIZE = (48, 64)  # rows, columns
LEVELS = (0, 85, 170, 255)
# Colours survive lossy codecs only nearly.
_TOLERANCES = {
    "png": 0,
    "bmp": 0,
    "tif": 0,
    "gif": 0,
    "jp2": 0,
    "webp": 12,
    "jpg": 12,
    "avif": 12,
    "heic": 12,
}
_VIDEO_TOLERANCE = 16


def decoding_checks() -> Iterator[InstallationCheck]:
    """One check for each kind of file."""
    for kind, tolerance in _TOLERANCES.items():
        path = resource(f"selftest/image.{kind}")
        yield InstallationCheck(f"decode image.{kind}", partial(_check_image, path, tolerance))
    yield InstallationCheck("decode image.dng", partial(_check_raw, resource("selftest/image.dng")))
    for name, read in _MASKS.items():
        path = resource(f"selftest/{name}")
        yield InstallationCheck(f"decode {name}", partial(_check_mask, path, read))
    for kind in ("mp4", "avi", "gif"):
        path = resource(f"selftest/video.{kind}")
        yield InstallationCheck(f"decode video.{kind}", partial(_check_video, path))


def expected_image() -> NDArray[np.uint8]:
    """The image in every file: (height, width, 3)."""
    return _quarters(np.array(QUARTERS, np.uint8))


def expected_levels() -> NDArray[np.uint8]:
    """The grey levels in every mask file: (height, width)."""
    return _quarters(np.array(LEVELS, np.uint8))


def _quarters(values: NDArray[np.uint8]) -> NDArray[np.uint8]:
    rows, columns = SIZE
    grid = values.reshape(2, 2, *values.shape[1:])
    return grid.repeat(rows // 2, axis=0).repeat(columns // 2, axis=1)


def _check_image(path: Path, tolerance: int) -> str:
    _compare(read_image(_existing(path)).pixels, expected_image(), tolerance, path)
    return "colours as expected"


def _check_raw(path: Path) -> str:
    """Rendering a camera's colours changes them; which channel is brightest stays."""
    pixels = read_image(_existing(path)).pixels
    if pixels.shape != expected_image().shape:
        raise CheckFailedError(f"Size {pixels.shape} instead of {expected_image().shape}")
    inside = _inside(pixels.shape)
    if (pixels.argmax(axis=2) != expected_image().argmax(axis=2))[inside].any():
        raise CheckFailedError("The colours differ from those of the file", where=path)
    return "colours as expected"


def _check_mask(path: Path, read: Callable[[Path], NDArray[np.uint8]]) -> str:
    _compare(read(_existing(path)), expected_levels(), 0, path)
    return "levels as expected"


def _check_video(path: Path) -> str:
    video = VideoFile(_existing(path))
    try:
        count = len(video.load_index())
        if count != len(QUARTERS):
            raise CheckFailedError(f"{count} frames instead of {len(QUARTERS)}", where=path)
        for number, colour in enumerate(QUARTERS, start=1):
            frame = video.picture(number).pixels
            expected = np.broadcast_to(np.array(colour, np.uint8), frame.shape)
            _compare(frame, expected, _VIDEO_TOLERANCE, path)
    finally:
        video.close()
    return f"{count} frames as expected"


def _existing(path: Path) -> Path:
    if not path.is_file():
        raise CheckFailedError(
            "A file of the self-test is missing: reinstall forensicviewer", where=path
        )
    return path


def _compare(
    found: NDArray[np.uint8], expected: NDArray[np.uint8], tolerance: int, path: Path
) -> None:
    if found.shape != expected.shape:
        raise CheckFailedError(f"Size {found.shape} instead of {expected.shape}", where=path)
    # Codecs blur the edges between the quarters; their inside must be right.
    inside = np.abs(found.astype(int) - expected)[_inside(found.shape)]
    if inside.max() > tolerance:
        raise CheckFailedError(f"Values differ by up to {inside.max()}", where=path)


def _inside(shape: tuple[int, ...]) -> NDArray[np.bool_]:
    """Pixels at least 8 from the edges of the quarters."""
    rows, columns = shape[0], shape[1]
    away = [
        (np.minimum(abs(at - size / 2), np.minimum(at + 1, size - at)) >= 8)
        for at, size in ((np.arange(rows), rows), (np.arange(columns), columns))
    ]
    return np.asarray(np.outer(*away), bool)


def _grey_of(path: Path) -> NDArray[np.uint8]:
    return read_system_mask(path, manipulated_is=Polarity.WHITE)


def _first_plane_byte(path: Path) -> NDArray[np.uint8]:
    return np.asarray(read_bit_planes(path)[..., 0], np.uint8)


def _first_frame(path: Path) -> NDArray[np.uint8]:
    with open_video_mask(path) as mask:
        levels = mask.levels_at(0)
    if levels is None:
        raise CheckFailedError("The first frame has no mask", where=path)
    return levels


_MASKS: dict[str, Callable[[Path], NDArray[np.uint8]]] = {
    "mask.png": _grey_of,
    "mask.npz": _grey_of,
    "planes.jp2": _first_plane_byte,
    "mask.hdf5": _first_frame,
}
