"""Writes what a dataset consists of: images, tables in NIST's dialect, submissions."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path

import cv2
import numpy as np

from forensicviewer.core.array import RgbImage, U8Image

Row = Mapping[str, str]


@dataclass(slots=True)
class Folder:
    """A folder being filled; remembers every file, so that a later run can take them away."""

    root: Path
    files: list[Path] = field(default_factory=list)

    def path(self, name: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        self.files.append(path)
        return path

    def below(self, name: str) -> Folder:
        """A folder within, sharing the memory."""
        return Folder(self.root / name, self.files)

    def table(self, name: str, columns: Sequence[str], rows: Iterable[Row]) -> None:
        """A table with ``|`` between cells; a cell not given is blank."""
        lines = ["|".join(columns)]
        lines += ["|".join(row.get(column, "") for column in columns) for row in rows]
        self.path(name).write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")

    def text(self, name: str, content: str) -> None:
        self.path(name).write_text(content, encoding="utf-8", newline="\n")

    def picture(
        self, name: str, pixels: RgbImage, *, camera: str = "", orientation: int = 1
    ) -> int:
        """An image in the format of its name; returns its size in bytes.

        With an ``orientation``, the stored pixels lie on their side and EXIF says so.
        """
        encoded = _encode(Path(name).suffix.lower(), pixels, camera, orientation)
        self.path(name).write_bytes(encoded)
        return len(encoded)

    def grey(self, name: str, levels: U8Image) -> None:
        encoded = cv2.imencode(".png", levels, [cv2.IMWRITE_PNG_COMPRESSION, 3])[1]
        self.path(name).write_bytes(encoded.tobytes())


def _encode(suffix: str, pixels: RgbImage, camera: str, orientation: int) -> bytes:
    from PIL import Image

    stored = np.rot90(pixels) if orientation == 6 else pixels
    picture = Image.fromarray(np.ascontiguousarray(stored))
    exif = Image.Exif()
    if camera:
        exif[0x010F], exif[0x0110] = "Pinhole", camera
    if orientation != 1:
        exif[0x0112] = orientation
    stream = BytesIO()
    options = {".jpg": {"quality": 92}, ".webp": {"quality": 90, "method": 2}}.get(suffix, {})
    kind = {".jpg": "JPEG", ".png": "PNG", ".webp": "WEBP", ".bmp": "BMP", ".tif": "TIFF"}[suffix]
    picture.save(stream, format=kind, exif=exif.tobytes() if len(exif) else b"", **options)
    return stream.getvalue()


def identity(*words: object) -> str:
    """A name of 32 hexadecimal digits, as NIST's files have, always the same for the same words."""
    return hashlib.md5("/".join(map(str, words)).encode(), usedforsecurity=False).hexdigest()
