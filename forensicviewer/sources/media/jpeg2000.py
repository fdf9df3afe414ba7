"""JPEG 2000: masks with any number of components as stored, images as colours of any depth.

Masks go to glymur or, without an OpenJPEG library, imagecodecs: OpenCV and Pillow refuse more than
four components, and Pillow silently hands out eight bits of sixteen. Images go to imagecodecs,
which knows palettes, the order of channels and YCC; those with fewer samples than pixels to Pillow.
"""

from __future__ import annotations

import struct
import warnings
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from forensicviewer.core.array import RgbImage, U8Image
from forensicviewer.core.problem import CodecError
from forensicviewer.sources.decoders.door import decoded_apart
from forensicviewer.sources.files.media_file import path_for_library
from forensicviewer.sources.media.faults import damaged, unsupported
from forensicviewer.sources.media.formats import (
    Component,
    Format,
    Header,
    jpeg2000_boxes,
    jpeg2000_components,
)
from forensicviewer.sources.media.headers import MAX_PIXELS, read_encoded, refuse_truncation
from forensicviewer.sources.media.levels import colours_of, levels_of_integers

Components = NDArray[np.unsignedinteger[Any]]  # (height, width, components), 8 or 16 bits
_CMYK = 12  # of the enumerated colour spaces (ISO/IEC 15444-1, Annex I.5.3.3, and 15444-2)


@decoded_apart
def read_components(path: Path, *, max_pixels: int = MAX_PIXELS) -> Components:
    """All components as stored, in stored order."""
    return _components(path, max_pixels=max_pixels)[0]


def read_grey(path: Path, *, max_pixels: int = MAX_PIXELS) -> U8Image:
    """The one component of a mask as levels."""
    stored, described = _components(path, max_pixels=max_pixels)
    if stored.shape[2] != 1:
        raise CodecError(
            f"The system mask has {stored.shape[2]} components instead of one grey level",
            where=path,
            hint="write a grey PNG",
            rule="codec.wrong-shape",
        )
    return np.ascontiguousarray(levels_of_integers(stored[:, :, 0], described[0].depth))


def _components(path: Path, *, max_pixels: int) -> tuple[Components, tuple[Component, ...]]:
    encoded, header = read_encoded(path, max_pixels=max_pixels)
    if header.format is not Format.JPEG2000:
        raise CodecError(
            f"The file is {header.format.value}, not JPEG 2000",
            where=path,
            hint="bit-plane masks are .jp2 files",
            rule="codec.wrong-format",
        )
    refuse_truncation(encoded, header, where=path)
    _, described = jpeg2000_components(BytesIO(encoded))
    if any(component.dx > 1 or component.dy > 1 for component in described):
        raise unsupported(Format.JPEG2000, "a mask with fewer samples than pixels", path)
    pixels = _by_glymur(path) if has_openjpeg() else None
    if pixels is None:
        pixels = _by_imagecodecs(encoded, path)
    if pixels.dtype not in (np.uint8, np.uint16):
        raise CodecError(
            f"The components are {pixels.dtype}, not unsigned 8-bit or 16-bit",
            where=path,
            hint="write unsigned samples of 8 or 16 bits",
            rule="codec.wrong-type",
        )
    return pixels[:, :, np.newaxis] if pixels.ndim == 2 else pixels, described


def read_colours(encoded: bytes, header: Header, *, where: object) -> RgbImage:
    """An image as colours of 8 bits; of more than three components the first ones."""
    refuse_truncation(encoded, header, where=where)
    _, described = jpeg2000_components(BytesIO(encoded))
    if any(component.dx > 1 or component.dy > 1 for component in described):
        return _by_pillow(encoded, where)
    samples = _by_imagecodecs(encoded, where)
    # A palette makes more components, of its own depth.
    depth, is_signed = described[0].depth, described[0].is_signed
    if samples.dtype.itemsize * 8 < depth or len(described) != _channels(samples):
        depth = samples.dtype.itemsize * 8
    if _channels(samples) == 4 and _colour_space(BytesIO(encoded)) == _CMYK:
        return _from_cmyk(levels_of_integers(samples, depth))
    return colours_of(levels_of_integers(samples, depth, is_signed=is_signed))


def _channels(samples: NDArray[Any]) -> int:
    return 1 if samples.ndim == 2 else int(samples.shape[2])


def _colour_space(stream: BinaryIO) -> int | None:
    """The enumerated colour space; ``None`` where none is named."""
    for kind, at, length in jpeg2000_boxes(stream):
        if kind == b"colr" and length >= 7:
            stream.seek(at)
            method, _, _, space = struct.unpack(">BBBI", stream.read(7))
            return int(space) if method == 1 else None
    return None


def _from_cmyk(levels: NDArray[np.uint8]) -> RgbImage:
    inks, black = levels[:, :, :3].astype(np.uint16), levels[:, :, 3:].astype(np.uint16)
    return ((255 - inks) * (255 - black) // 255).astype(np.uint8)


def _by_pillow(encoded: bytes, where: object) -> RgbImage:
    """An image some of whose components have fewer samples than pixels, at full size."""
    from PIL import Jpeg2KImagePlugin

    if any(kind == b"cdef" for kind, _, _ in jpeg2000_boxes(BytesIO(encoded))):
        # Pillow does not know the order of channels this box gives.
        raise unsupported(Format.JPEG2000, "reordered channels with fewer samples", where)
    try:
        with Jpeg2KImagePlugin.Jpeg2KImageFile(BytesIO(encoded)) as image:
            if image.mode.startswith("I"):
                return colours_of((np.asarray(image).astype(np.uint16) >> 8).astype(np.uint8))
            return np.array(image.convert("RGB"), dtype=np.uint8)
    except (
        EOFError,
        IndexError,
        OSError,
        OverflowError,  # boxes that declare another size than the codestream
        SyntaxError,
        ValueError,
    ) as error:
        raise damaged(Format.JPEG2000, where) from error


@cache
def has_openjpeg() -> bool:
    """Whether glymur found an OpenJPEG library it can call."""
    import glymur  # slow to import

    return tuple(glymur.version.openjpeg_version_tuple) >= (2, 3, 0)


def _by_glymur(path: Path) -> Components | None:
    """The components, or ``None``: glymur is strict about boxes that do not concern the pixels."""
    import glymur

    # It warns of unusual boxes, which do not matter to a mask, and of damage, which is told below.
    warnings.filterwarnings("ignore", category=UserWarning, module=r"glymur\.")
    try:
        with path_for_library(path) as readable:
            pixels: Components = np.asarray(glymur.Jp2k(readable)[:])
    except (
        AttributeError,  # glymur looks into boxes that may be absent
        IndexError,
        KeyError,
        OSError,
        RuntimeError,
        TypeError,
        ValueError,
        Warning,
    ):
        return None
    return pixels


def _by_imagecodecs(encoded: bytes, where: object) -> Components:
    import imagecodecs

    try:
        pixels: Components = np.asarray(imagecodecs.jpeg2k_decode(encoded))
    except NotImplementedError as error:
        raise unsupported(Format.JPEG2000, str(error), where) from error
    except (RuntimeError, ValueError) as error:
        raise damaged(Format.JPEG2000, where) from error
    return pixels


def write_components(path: Path, components: Components) -> None:
    """Write components without loss; one file always has the same bytes."""
    import imagecodecs

    pixels = components[:, :, 0] if components.shape[2] == 1 else components
    encoded = imagecodecs.jpeg2k_encode(
        np.ascontiguousarray(pixels),
        reversible=True,
        # Never guessed from the shape: a few rows of many components would count as planes.
        planar=False,
        level=0,
        mct=False,
        codecformat="jp2",
        colorspace="GRAY",
    )
    path.write_bytes(encoded)
