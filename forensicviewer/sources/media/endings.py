"""Whether a file ends where its format says: decoders often fill in what was cut off."""

from __future__ import annotations

from pathlib import Path

from forensicviewer.sources.files.media_file import open_media

_TAIL = 4096
# The first bytes of a format, and what its last part must hold.
_ENDS = (
    (b"\x89PNG", b"IEND"),
    (b"\xff\xd8\xff", b"\xff\xd9"),
    (b"\x00\x00\x00\x0cjP", b"\xff\xd9"),
    (b"\xff\x4f\xff\x51", b"\xff\xd9"),
)


def is_cut_off(path: Path) -> bool:
    """Whether the end of a PNG, JPEG or JPEG 2000 file is missing; other formats are not asked."""
    with open_media(path) as stream:
        head = stream.read(8)
        end = next((end for start, end in _ENDS if head.startswith(start)), None)
        if end is None:
            return False
        size = stream.seek(0, 2)
        stream.seek(max(0, size - _TAIL))
        return end not in stream.read(_TAIL)
