"""Score maps in NPZ archives, read without ever unpickling anything."""

from __future__ import annotations

import lzma
import re
import struct
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from forensicviewer.core.array import Size, U8Image
from forensicviewer.core.problem import CodecError
from forensicviewer.sources.decoders.door import decoded_apart
from forensicviewer.sources.files.media_file import open_media
from forensicviewer.sources.files.zip_directory import directory_bytes
from forensicviewer.sources.media.headers import MAX_PIXELS, refuse_memory, too_many_pixels

FoundT = TypeVar("FoundT")

# The names that published detectors give the map inside their archives. A map comes before the
# mask that was cut from it: PhotoHolmes saves both.
_NAMES = ("map", "heatmap", "scores", "score_map", "mask", "masks", "arr_0")
_MOST_CHANNELS = 64  # of one array that are offered, each as an image of its own
_CHANNEL = re.compile(r"(.+)\[(\d+)\]")
_MOST_DIRECTORY_BYTES = 1 << 20  # a list of thousands of arrays
_MOST_HEADER_BYTES = 1 << 14
# What numpy writes before an array of plain numbers. Not numpy's own reader: it has Python compile
# the header, which a short one can make take all memory.
_PLAIN = re.compile(
    rb"\{'descr': '([<>|=]?[biufcmMSUVO]\d{0,10}[^']{0,20})', 'fortran_order': (True|False), "
    # Each comma in one way only: a shape of many edges would be tried in all ways otherwise.
    rb"'shape': \(((?:\d{1,18}L?, ?){0,32}(?:\d{1,18}L?)?)\),? ?\}[ \n]*"
)
_OTHER = re.compile(rb"\{'descr': \[.*\}[ \n]*", re.DOTALL)  # records of several fields


@dataclass(frozen=True, slots=True)
class _Array:
    """What the header of an array says."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    is_column_first: bool

    @property
    def byte_count(self) -> int:
        count = self.dtype.itemsize
        for edge in self.shape:
            count *= edge
        return count

    @property
    def is_image(self) -> bool:
        edges = self.shape
        if len(edges) == 3 and 1 in (edges[0], edges[-1]):
            edges = edges[:-1] if edges[-1] == 1 else edges[1:]
        return len(edges) == 2 and min(edges) > 0

    @property
    def channels(self) -> int:
        """How many images lie in an array that is none itself: the shortest edge counts them."""
        edges = self.shape
        if len(edges) != 3 or self.is_image or min(edges) < 1:
            return 0
        return min(edges[0], edges[2], _MOST_CHANNELS)

    @property
    def is_number(self) -> bool:
        return self.byte_count == self.dtype.itemsize and self.dtype.kind in "biuf"


@dataclass(frozen=True, slots=True, eq=False)
class NpzMap:
    """One image of an archive as it is stored, and what else the archive holds.

    ``layers`` are the names of all images in it, and of the channels of those with several as
    ``name[0]``, ``name[1]``; ``numbers`` are its single numbers by name.
    """

    name: str
    pixels: NDArray[Any]
    layers: tuple[str, ...]
    numbers: tuple[tuple[str, float], ...]


@decoded_apart
def read_npz(path: Path, *, name: str = "", max_pixels: int = MAX_PIXELS) -> NpzMap:
    """The named image of an archive, or the one that is the map, with its own type and values."""
    return _read_archive(path, lambda archive: _npz_map(archive, path, name, max_pixels=max_pixels))


def _npz_map(archive: zipfile.ZipFile, path: Path, name: str, *, max_pixels: int) -> NpzMap:
    arrays = _arrays_of(archive, path)
    images = [image for other, array in arrays.items() for image in _images_of(other, array)]
    if name and name not in images:
        raise CodecError(
            f"The NPZ archive has no image {name!r}",
            where=path,
            hint=f"it contains {_listing(arrays)}",
            rule="codec.wrong-shape",
        )
    chosen = name or _map_among(arrays, path)
    pixels = _image_named(archive, arrays, chosen, path, max_pixels=max_pixels)
    numbers = []
    for other, array in arrays.items():
        if array.is_number:
            with _opened(archive, archive.getinfo(other + ".npy"), path) as member:
                _header(member, path)
                numbers.append((other, float(_pixels(member, array, path).ravel()[0])))
    return NpzMap(chosen, pixels, tuple(images), tuple(numbers))


def _images_of(name: str, array: _Array) -> list[str]:
    return [name] if array.is_image else [f"{name}[{at}]" for at in range(array.channels)]


def _image_named(
    archive: zipfile.ZipFile, arrays: dict[str, _Array], name: str, path: Path, *, max_pixels: int
) -> NDArray[Any]:
    """The image of that name, or the channel of an array with several."""
    channel = None if name in arrays else _CHANNEL.fullmatch(name)
    array = name if channel is None else channel[1]
    pixels = _read_image(archive, arrays[array], array, path, max_pixels=max_pixels)
    if channel is None:
        return _flat(pixels)
    is_last = pixels.shape[2] <= pixels.shape[0]
    at = int(channel[2])
    return np.ascontiguousarray(pixels[:, :, at] if is_last else pixels[at])


@decoded_apart
def read_score_map(path: Path, *, max_pixels: int = MAX_PIXELS) -> U8Image:
    """The one two-dimensional array of the archive as levels 0..255.

    Booleans become 0 and 255, 16-bit values their high byte (as OpenCV does), floats are taken as
    0..1 and rounded.
    """
    return _read_archive(
        path, lambda archive: _levels(_image_of(archive, path, max_pixels=max_pixels), path)
    )


def _read_archive(path: Path, read: Callable[[zipfile.ZipFile], FoundT]) -> FoundT:
    with open_media(path) as stream:
        try:
            if directory_bytes(stream) > _MOST_DIRECTORY_BYTES:
                raise CodecError(
                    "The NPZ archive lists more arrays than a mask needs",
                    where=path,
                    hint="save the mask alone: numpy.savez(file, mask=array)",
                    rule="codec.too-many-bytes",
                )
            with zipfile.ZipFile(stream) as archive:
                return read(archive)
        except (
            zipfile.BadZipFile,
            zlib.error,
            lzma.LZMAError,
            EOFError,
            OSError,
            NotImplementedError,
            ValueError,
            struct.error,
        ) as error:
            raise CodecError(
                "The NPZ archive is damaged",
                where=path,
                hint="copy or download it again",
                rule="codec.unreadable",
            ) from error


def _image_of(archive: zipfile.ZipFile, path: Path, *, max_pixels: int) -> NDArray[Any]:
    """The archive's image, chosen by the arrays' headers alone."""
    arrays = _arrays_of(archive, path)
    chosen = _map_among(arrays, path)
    return _read_image(archive, arrays[chosen], chosen, path, max_pixels=max_pixels)


def _arrays_of(archive: zipfile.ZipFile, path: Path) -> dict[str, _Array]:
    arrays: dict[str, _Array] = {}
    for entry in archive.infolist():
        if entry.filename.endswith(".npy"):
            with _opened(archive, entry, path) as member:
                arrays[entry.filename.removesuffix(".npy")] = _header(member, path)
    return arrays


def _map_among(arrays: dict[str, _Array], path: Path) -> str:
    images = {name: array for name, array in arrays.items() if array.is_image}
    chosen = next((name for name in _NAMES if name in images), None)
    if chosen is None and len(images) == 1:
        chosen = next(iter(images))
    if chosen is None:
        raise CodecError(
            "The NPZ archive has no array that is clearly the mask",
            where=path,
            hint=f"it contains {_listing(arrays)}; name one two-dimensional array 'mask'",
            rule="codec.wrong-shape",
        )
    return chosen


def _read_image(
    archive: zipfile.ZipFile, image: _Array, chosen: str, path: Path, *, max_pixels: int
) -> NDArray[Any]:
    # Channels stand first or last; few of them are many pixels all the same.
    is_first = len(image.shape) == 3 and image.shape[0] < image.shape[2]
    height, width = image.shape[-2:] if is_first else image.shape[:2]
    if height * width > max_pixels:
        raise too_many_pixels(Size(width, height), max_pixels=max_pixels, where=path)
    # As stored, and as it is turned into levels.
    refuse_memory(2 * image.byte_count, where=path)
    if image.dtype.kind not in "biuf":
        raise _wrong_type(image.dtype, path)
    with _opened(archive, archive.getinfo(chosen + ".npy"), path) as member:
        _header(member, path)
        return _pixels(member, image, path)


def _opened(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, path: Path) -> IO[bytes]:
    if entry.flag_bits & 1:
        raise CodecError(
            "The NPZ archive is encrypted",
            where=path,
            hint="save it without a password",
            rule="codec.encrypted",
        )
    return archive.open(entry)


def _listing(arrays: dict[str, _Array]) -> str:
    shown = [f"{name[:40]} {array.shape}" for name, array in list(arrays.items())[:10]]
    return ", ".join(shown) or "no arrays"


def _header(member: IO[bytes], path: Path) -> _Array:
    """Shape and type from an array's header; refuses types that only unpickling could read."""
    content = _header_bytes(member, path)
    found = _PLAIN.fullmatch(content)
    if found is None:
        if _OTHER.fullmatch(content) and b"O" not in content:
            return _Array(np.dtype(np.uint8), (), is_column_first=False)
        raise _damaged_header(path)
    if b"O" in found[1]:
        raise CodecError(
            "The NPZ archive contains pickled Python objects, which are never loaded",
            where=path,
            hint="save plain numbers: numpy.savez(file, mask=array)",
            rule="codec.pickled",
        )
    try:
        dtype = np.dtype(found[1].decode("ascii"))
    except (TypeError, ValueError) as error:
        raise _damaged_header(path) from error
    shape = tuple(int(edge) for edge in re.findall(rb"\d+", found[3]))
    return _Array(dtype, shape, is_column_first=found[2] == b"True")


def _header_bytes(member: IO[bytes], path: Path) -> bytes:
    """The text of a header; the first bytes say how long it is."""
    start = member.read(8)
    width = 2 if start[6:7] == b"\x01" else 4
    length = int.from_bytes(member.read(width), "little")
    if start[:6] != b"\x93NUMPY" or length > _MOST_HEADER_BYTES:
        raise _damaged_header(path)
    return member.read(length)


def _damaged_header(path: Path) -> CodecError:
    return CodecError(
        "An array in the NPZ archive has a damaged header",
        where=path,
        hint="copy or download the file again",
        rule="codec.unreadable",
    )


def _pixels(member: IO[bytes], array: _Array, path: Path) -> NDArray[Any]:
    content = member.read(array.byte_count)
    if len(content) < array.byte_count:
        raise CodecError(
            "An array in the NPZ archive is shorter than its header declares",
            where=path,
            hint="copy or download the file again",
            rule="codec.truncated",
        )
    order: Any = "F" if array.is_column_first else "C"
    return np.frombuffer(content, array.dtype).reshape(array.shape, order=order)


def _flat(pixels: NDArray[Any]) -> NDArray[Any]:
    if pixels.ndim == 3:
        return pixels[:, :, 0] if pixels.shape[2] == 1 else pixels[0]
    return pixels


def _levels(pixels: NDArray[Any], path: Path) -> U8Image:
    image = _flat(pixels)
    if image.dtype == np.uint8:
        return np.array(image, order="C")  # what was read cannot be written to
    if image.dtype == np.bool_:
        return np.ascontiguousarray(image, dtype=np.uint8) * np.uint8(255)
    if image.dtype == np.uint16:
        return (image >> 8).astype(np.uint8)
    if np.issubdtype(image.dtype, np.floating):
        return _levels_of_floats(image, path)
    raise _wrong_type(image.dtype, path)


def _wrong_type(dtype: np.dtype[Any], path: Path) -> CodecError:
    return CodecError(
        f"The array in the NPZ archive has the unsupported type {dtype}",
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
