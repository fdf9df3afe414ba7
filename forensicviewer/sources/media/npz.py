"""Score maps in NPZ archives, read without ever unpickling anything."""

from __future__ import annotations

import zipfile
import zlib
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from forensicviewer.core.array import Size, U8Image
from forensicviewer.core.problem import CodecError
from forensicviewer.sources.decoders.door import decoded_apart
from forensicviewer.sources.files.media_file import open_media
from forensicviewer.sources.media.headers import MAX_PIXELS, too_many_pixels

# The names that published detectors give the map inside their archives, the likeliest first.
_NAMES = ("mask", "masks", "map", "scores", "score_map", "heatmap", "arr_0")


@decoded_apart
def read_score_map(path: Path, *, max_pixels: int = MAX_PIXELS) -> U8Image:
    """The one two-dimensional array of the archive as levels 0..255.

    Booleans become 0 and 255, 16-bit values their high byte (as OpenCV does), floats are taken as
    0..1 and rounded.
    """
    with open_media(path) as stream:
        try:
            with zipfile.ZipFile(stream) as archive:
                return _levels(_image_of(archive, path, max_pixels=max_pixels), path)
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError) as error:
            raise CodecError(
                "The NPZ archive cannot be read",
                where=path,
                hint="the file is damaged; copy or download it again",
                rule="codec.unreadable",
            ) from error


def _image_of(archive: zipfile.ZipFile, path: Path, *, max_pixels: int) -> NDArray[Any]:
    """The archive's image, chosen by the arrays' headers alone."""
    shapes: dict[str, tuple[int, ...]] = {}
    for name in archive.namelist():
        if name.endswith(".npy"):
            with archive.open(name) as member:
                shapes[name.removesuffix(".npy")] = _header(member, path)[0]
    images = {name: shape for name, shape in shapes.items() if _is_image(shape)}
    chosen = next((name for name in _NAMES if name in images), None)
    if chosen is None and len(images) == 1:
        chosen = next(iter(images))
    if chosen is None:
        raise CodecError(
            "The NPZ archive holds no array that can be told to be the mask",
            where=path,
            hint=f"it holds {_listing(shapes)}; name one two-dimensional array 'mask'",
            rule="codec.wrong-shape",
        )
    height, width = images[chosen][:2]
    if height * width > max_pixels:
        raise too_many_pixels(Size(width, height), max_pixels=max_pixels, where=path)
    with archive.open(chosen + ".npy") as member:
        return _array(member, path)


def _is_image(shape: tuple[int, ...]) -> bool:
    trimmed = shape[:-1] if len(shape) == 3 and shape[-1] == 1 else shape
    return len(trimmed) == 2 and min(trimmed) > 0


def _listing(shapes: dict[str, tuple[int, ...]]) -> str:
    return ", ".join(f"{name} {shape}" for name, shape in shapes.items()) or "no arrays"


def _header(member: Any, path: Path) -> tuple[tuple[int, ...], np.dtype[Any]]:
    """Shape and type from an array's header; refuses types that only unpickling could read."""
    try:
        version = npy.read_magic(member)
        read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
        shape, _, dtype = read(member)
    except (ValueError, KeyError, TypeError) as error:
        raise CodecError(
            "An array in the NPZ archive has a damaged header",
            where=path,
            rule="codec.unreadable",
        ) from error
    if dtype.hasobject:
        raise CodecError(
            "The NPZ archive holds pickled Python objects, which are never loaded",
            where=path,
            hint="save plain numbers: numpy.savez(file, mask=array)",
            rule="codec.pickled",
        )
    return shape, dtype


def _array(member: Any, path: Path) -> NDArray[Any]:
    try:
        stream: BinaryIO = member
        return np.asarray(npy.read_array(stream, allow_pickle=False))
    except ValueError as error:
        raise CodecError(
            "An array in the NPZ archive is shorter than its header says",
            where=path,
            hint="copy or download the file again",
            rule="codec.truncated",
        ) from error


def _levels(pixels: NDArray[Any], path: Path) -> U8Image:
    image = pixels[:, :, 0] if pixels.ndim == 3 else pixels
    if image.dtype == np.uint8:
        return np.ascontiguousarray(image)
    if image.dtype == np.bool_:
        return np.ascontiguousarray(image, dtype=np.uint8) * np.uint8(255)
    if image.dtype == np.uint16:
        return (image >> 8).astype(np.uint8)
    if np.issubdtype(image.dtype, np.floating):
        return _levels_of_floats(image, path)
    raise CodecError(
        f"The array in the NPZ archive is of type {image.dtype}",
        where=path,
        hint="save uint8 (0..255) or floats (0..1)",
        rule="codec.wrong-type",
    )


def _levels_of_floats(image: NDArray[Any], path: Path) -> U8Image:
    if not np.isfinite(image).all() or image.min() < 0 or image.max() > 1:
        raise CodecError(
            "The scores in the NPZ archive are not all between 0 and 1",
            where=path,
            hint="save uint8 (0..255) or floats (0..1)",
            rule="codec.wrong-type",
        )
    return np.asarray(np.rint(image * 255), dtype=np.uint8)
