"""EXIF blocks: the orientation and the fields worth showing."""

from __future__ import annotations

import struct
import warnings
from collections.abc import Iterator

_ORIENTATION = 0x0112
_IFDS = (0x8769, 0x8825)  # camera settings and position hang below the main directory
_LONGEST_VALUE = 200
# What Pillow raises for blocks that end early, point elsewhere or hold other types than they say.
_BROKEN = (
    *(AttributeError, IndexError, KeyError, OSError, OverflowError),
    *(SyntaxError, TypeError, ValueError, ZeroDivisionError, struct.error),
)


def orientation_of(exif: bytes) -> int:
    """EXIF's orientation 1..8; 1 (upright) where none is given or it makes no sense."""
    if not exif:
        return 1
    found = dict(_fields(exif)).get(_ORIENTATION, 1)
    return found if isinstance(found, int) and 1 <= found <= 8 else 1


def exif_fields(exif: bytes) -> dict[str, str]:
    """Field name → value as text, for people to read; long and binary values are left out."""
    from PIL.ExifTags import GPSTAGS, TAGS  # slow to import

    fields: dict[str, str] = {}
    for tag, value in _fields(exif):
        name = TAGS.get(tag) or GPSTAGS.get(tag)
        text = value.strip("\x00 ") if isinstance(value, str) else str(value)
        if name and not isinstance(value, bytes) and len(text) <= _LONGEST_VALUE:
            fields[name] = text
    return fields


def _fields(exif: bytes) -> Iterator[tuple[int, object]]:
    if not exif:
        return
    from PIL import Image  # slow to import

    # Pillow's words on standard error help nobody: a damaged block is common and harmless.
    warnings.filterwarnings("ignore", category=UserWarning, module=r"PIL\.TiffImagePlugin")
    block = Image.Exif()
    try:
        block.load(exif)
        yield from block.items()
        for ifd in _IFDS:
            yield from block.get_ifd(ifd).items()
    except _BROKEN:
        # A damaged block says nothing; the image itself may be whole.
        return
