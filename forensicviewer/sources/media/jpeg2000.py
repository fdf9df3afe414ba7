"""JPEG 2000 with any number of components, by glymur or, without an OpenJPEG library, imagecodecs.

OpenCV and Pillow are never asked: they refuse more than four components, and Pillow silently
hands out eight bits of sixteen.
"""

from __future__ import annotations

import warnings
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forensicviewer.core.problem import CodecError
from forensicviewer.sources.media.formats import Format
from forensicviewer.sources.media.headers import MAX_PIXELS, read_encoded, refuse_truncation

Components = NDArray[np.unsignedinteger[Any]]  # (height, width, components), 8 or 16 bits


def read_components(path: Path, *, max_pixels: int = MAX_PIXELS) -> Components:
    """All components as stored, in stored order."""
    encoded, header = read_encoded(path, max_pixels=max_pixels)
    if header.format is not Format.JPEG2000:
        raise CodecError(
            f"The file is {header.format.value}, not JPEG 2000",
            where=path,
            hint="bit-plane masks are .jp2 files",
            rule="codec.wrong-format",
        )
    refuse_truncation(encoded, header, where=path)
    pixels = _by_glymur(path) if has_openjpeg() else None
    if pixels is None:
        pixels = _by_imagecodecs(encoded, path)
    if pixels.dtype not in (np.uint8, np.uint16):
        raise CodecError(
            f"The components are {pixels.dtype}, neither 8 nor 16 bits without sign",
            where=path,
            rule="codec.wrong-type",
        )
    return pixels[:, :, np.newaxis] if pixels.ndim == 2 else pixels


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
        pixels: Components = np.asarray(glymur.Jp2k(path)[:])
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


def _by_imagecodecs(encoded: bytes, path: Path) -> Components:
    import imagecodecs

    try:
        pixels: Components = np.asarray(imagecodecs.jpeg2k_decode(encoded))
    except (RuntimeError, ValueError) as error:
        raise CodecError(
            "The JPEG 2000 file cannot be decoded",
            where=path,
            hint="the file is damaged; copy or download it again",
            rule="codec.unreadable",
        ) from error
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
