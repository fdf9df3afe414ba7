"""What a media file says about itself before it is decoded: format, size, depth.

Only a few bytes are read, so that a file that declares more pixels than anyone wants to decode
is refused before a decoder allocates anything.
"""

from __future__ import annotations

from io import SEEK_END
from pathlib import Path
from typing import BinaryIO

from forensicviewer.core.array import Size
from forensicviewer.core.problem import CodecError
from forensicviewer.sources.decoders.door import decoded_apart
from forensicviewer.sources.decoders.limits import MEGABYTE, Limits
from forensicviewer.sources.files.media_file import open_media
from forensicviewer.sources.media.codecs import find_codec
from forensicviewer.sources.media.formats import (
    BROKEN,
    Format,
    Header,
    is_whole,
    least_bytes,
    parse,
)

MAX_PIXELS = 500_000_000
# Above this no mask or image of any evaluation; reading such a file whole would only fill memory.
MAX_BYTES = 4 << 30

_OPENJPEG_BYTES = 4  # of its own for every sample, whatever its depth
_SHOWN_BYTES = 3  # of a pixel as it is shown
RAW_SUFFIXES = frozenset({".nef", ".cr2", ".dng", ".arw", ".raf"})


@decoded_apart
def read_header(path: Path) -> Header:
    """The header of a media file, without reading the rest of it."""
    with open_media(path) as stream:
        return parse_header(stream, where=path)


def read_encoded(path: Path, *, max_pixels: int) -> tuple[bytes, Header]:
    """The whole file and its header, once the declared size is known to be acceptable."""
    with open_media(path) as stream:
        header = parse_header(stream, where=path)
        return read_whole(stream, header, max_pixels=max_pixels, where=path), header


def read_whole(stream: BinaryIO, header: Header, *, max_pixels: int, where: Path) -> bytes:
    """All bytes of an open file, once its size is known to be acceptable."""
    refuse_too_many_pixels(header, max_pixels=max_pixels, where=where)
    if stream.seek(0, SEEK_END) > MAX_BYTES:
        raise CodecError(
            f"The file is larger than {MAX_BYTES >> 30} GiB",
            where=where,
            hint="check that it is the file you mean; no image or mask is that large",
            rule="codec.too-many-bytes",
        )
    stream.seek(0)
    return stream.read()


def refuse_too_many_pixels(header: Header, *, max_pixels: int, where: object) -> None:
    """Raise when the header declares more than ``max_pixels``, or samples that need much memory."""
    if header.size is None:
        return
    pixels = header.size.width * header.size.height
    if pixels > max_pixels:
        raise too_many_pixels(header.size, max_pixels=max_pixels, where=where)
    sample_bytes = ((header.bit_depth or 8) + 7) // 8
    if header.format is Format.JPEG2000:
        sample_bytes += _OPENJPEG_BYTES
    refuse_memory(pixels * ((header.channels or 1) * sample_bytes + _SHOWN_BYTES), where=where)


def refuse_memory(bytes_: int, *, where: object) -> None:
    """Raise when decoding would need more memory than a decoder may have."""
    limit_mb = Limits.from_environment().memory_mb
    if bytes_ > limit_mb * MEGABYTE:
        raise CodecError(
            f"Decoding the file would need {bytes_ // MEGABYTE} MB of memory; the limit is "
            f"{limit_mb} MB",
            where=where,
            hint="if the file is neither damaged nor hostile, raise “Memory for decoding a "
            "file” in the settings",
            rule="codec.too-much-memory",
        )


def too_many_pixels(size: Size, *, max_pixels: int, where: object) -> CodecError:
    return CodecError(
        f"The file declares {size} pixels; the limit is {max_pixels / 1e6:g} megapixels",
        where=where,
        hint="the file is damaged or hostile",
        rule="codec.too-many-pixels",
    )


def truncated(where: object) -> CodecError:
    return CodecError(
        "The file is truncated",
        where=where,
        hint="copy or download it again",
        rule="codec.truncated",
    )


def parse_header(stream: BinaryIO, *, where: object) -> Header:
    """The header of an open file. The stream is left anywhere."""
    start = stream.read(64)
    if not start:
        raise CodecError(
            "The file is empty", where=where, hint="copy or download it again", rule="codec.empty"
        )
    path = where if isinstance(where, Path) else Path(str(where))
    if path.suffix.lower() in RAW_SUFFIXES:
        # Most camera RAW files look like TIFF files whose first image is a thumbnail.
        return Header(Format.RAW)
    codec = find_codec(start)
    if codec is None:
        raise CodecError(
            "Not an image or mask in a known format",
            where=where,
            hint="known formats are "
            + ", ".join(each.value for each in Format if each is not Format.ADDED),
            rule="codec.unknown-format",
        )
    try:
        header = parse(stream, codec.format)
    except BROKEN as error:
        raise truncated(where) from error
    if header.size is not None and min(header.size.width, header.size.height) < 1:
        raise CodecError(
            f"The file declares an image of {header.size} pixels",
            where=where,
            hint="the file is damaged",
            rule="codec.no-pixels",
        )
    return header


def refuse_truncation(encoded: bytes, header: Header, *, where: object) -> None:
    """Raise for a JPEG or JPEG 2000 file that lacks its end.

    Decoders fill what is missing with grey instead of failing, depending on their version.
    """
    try:
        has_end = is_whole(encoded, header.format)
        has_end = has_end and len(encoded) >= least_bytes(encoded, header)
    except BROKEN as error:
        raise truncated(where) from error
    if not has_end:
        raise truncated(where)
