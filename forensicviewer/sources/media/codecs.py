"""The image and mask formats there are: the built-in ones, and those other packages add.

Files are recognised by their first bytes, the built-in formats first. Codecs run where all files
are decoded: in a process that is limited and opens no files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

import cv2
import numpy as np
from numpy.typing import NDArray

from forensicviewer.core.array import RgbImage, Size, U8Image
from forensicviewer.core.problem import CodecError, ForensicViewerError
from forensicviewer.sources.media.formats import Format, sniff
from forensicviewer.sources.plugins.registry import Registry, describe


@dataclass(frozen=True, slots=True)
class Codec:
    """How to read one format. ``recognises`` gets the first 64 bytes of a file.

    ``decode`` gets all of them and returns 8-bit pixels, (height, width) or (height, width, 3) with
    red first. Only built-in codecs have a ``format`` of their own; their files are decoded by it,
    because a mask, a photograph and a map of floats each need more than pixels from them.
    """

    name: str
    recognises: Callable[[bytes], bool]
    decode: Callable[[bytes], NDArray[np.uint8]] | None = None
    format: Format = Format.ADDED


def _built_in() -> Iterable[Codec]:
    for format_ in Format:
        if format_ is not Format.ADDED:
            name = format_.value.lower().replace(" ", "-")
            yield Codec(name, partial(_has_format, format_), format=format_)


def _has_format(format_: Format, start: bytes) -> bool:
    return sniff(start) is format_


CODECS: Registry[Codec] = Registry("codecs", Codec, _built_in)


def find_codec(start: bytes) -> Codec | None:
    """The codec that knows a file by its first bytes."""
    # Other packages are loaded only for what none of the built-in ones knows.
    found = next((codec for codec in CODECS.built_in if codec.recognises(start)), None)
    return found or _find_added(start)


def _find_added(start: bytes) -> Codec | None:
    for codec in CODECS:
        try:
            if codec.recognises(start):
                return codec
        except Exception as error:  # noqa: BLE001 - the code of others raises whatever it likes
            CODECS.report(codec.name, describe(error))
    return None


def decode_grey(encoded: bytes, *, where: object, max_pixels: int) -> U8Image:
    """The grey levels of a mask; colours as OpenCV weighs them."""
    pixels = _decoded(encoded, where=where, max_pixels=max_pixels)
    return pixels if pixels.ndim == 2 else np.asarray(cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY))


def decode_colours(encoded: bytes, *, where: object, max_pixels: int) -> RgbImage:
    """The colours of an image or mask; grey becomes three equal channels."""
    pixels = _decoded(encoded, where=where, max_pixels=max_pixels)
    return pixels if pixels.ndim == 3 else np.dstack([pixels] * 3)


def _decoded(encoded: bytes, *, where: object, max_pixels: int) -> NDArray[np.uint8]:
    codec = find_codec(encoded[:64])
    if codec is None or codec.decode is None:
        raise CodecError("Not an image or mask in a known format", where=where)
    try:
        pixels = codec.decode(encoded)
    except ForensicViewerError:
        raise
    except Exception as error:
        raise _failed(codec, describe(error), where) from error
    is_pixels = isinstance(pixels, np.ndarray) and pixels.dtype == np.uint8
    if not is_pixels or pixels.ndim not in (2, 3) or pixels.shape[2:] not in ((), (3,)):
        raise _failed(codec, "it does not return 8-bit pixels, grey or red-green-blue", where)
    if min(pixels.shape[:2]) < 1:
        raise _failed(codec, "it returns no pixels", where)
    if pixels.shape[0] * pixels.shape[1] > max_pixels:
        raise _failed(codec, f"it returns {Size.of(pixels)} pixels, which exceeds the limit", where)
    return np.array(pixels, order="C")


def _failed(codec: Codec, why: str, where: object) -> CodecError:
    return CodecError(
        f"The plug-in {codec.name} (codecs) cannot read the file: {why}",
        where=where,
        hint="update or uninstall the package of the plug-in",
        rule="plugin.failed",
    )
