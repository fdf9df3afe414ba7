"""Valid media files of every kind, made anew for each run."""

from __future__ import annotations

import io
import tempfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import cv2
import glymur
import h5py
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from forensicviewer.sources.media.masks import write_bit_planes
from tests.filmmaking import ALPHA, MPEG2, VP9, X264_GOP12, X265, Film, make
from tests.mediafiles import packed, ramp, tiff, write_dng, write_heic

_CHANCE = np.random.default_rng(14)
GREY = _CHANCE.integers(0, 256, (24, 40), dtype=np.uint8)
COLOUR = _CHANCE.integers(0, 256, (24, 40, 3), dtype=np.uint8)
FILMS = (
    Film("h264.mp4", "libx264", frames=20, options=X264_GOP12, width=64, height=48),
    Film("h264.mov", "libx264", frames=12, options=X264_GOP12, width=64, height=48),
    Film("hevc.mp4", "libx265", frames=10, options=X265, width=64, height=64),
    Film("h264.mkv", "libx264", frames=20, options=X264_GOP12, width=64, height=48),
    Film("vp9.webm", "libvpx-vp9", frames=10, options=VP9, width=64, height=48),
    Film("mpeg4.avi", "mpeg4", frames=20, options={"g": "6", "bf": "2"}, width=64, height=48),
    Film("h264.ts", "libx264", frames=20, options=X264_GOP12, width=64, height=48),
    Film("mpeg2.mpg", "mpeg2video", frames=20, options=MPEG2, width=64, height=48),
    Film("prores.mov", "prores_ks", 4, pixel_format="yuva444p10le", options=ALPHA, width=64),
    Film("wmv2.wmv", "wmv2", frames=10, options={"g": "6"}, width=64, height=48),
    Film("film.gif", "gif", frames=8, rate=10, pixel_format="rgb8", width=64, height=48),
)


def media_seeds(kind: str) -> list[tuple[str, bytes]]:
    """(suffix, content) of valid files of a kind."""
    with tempfile.TemporaryDirectory() as folder:
        return list(_MAKERS[kind](Path(folder)))


def _by_pillow(suffix: str, *options: Mapping[str, Any]) -> Callable[[Path], Iterator[Any]]:
    def make_files(_folder: Path) -> Iterator[tuple[str, bytes]]:
        for pixels in (COLOUR, GREY):
            for chosen in options or ({},):
                stream = io.BytesIO()
                Image.fromarray(pixels).save(stream, **{"format": suffix[1:], **chosen})
                yield suffix, stream.getvalue()

    return make_files


def _png(_folder: Path) -> Iterator[tuple[str, bytes]]:
    for pixels in (GREY, COLOUR, GREY.astype(np.uint16) << 8, np.dstack((COLOUR, GREY))):
        yield ".png", cv2.imencode(".png", pixels)[1].tobytes()
    for mode in ("1", "P", "LA"):
        stream = io.BytesIO()
        exif = Image.Exif()
        exif[0x0112] = 6
        Image.fromarray(COLOUR).convert("L").convert(mode).save(stream, format="PNG", exif=exif)
        yield ".png", stream.getvalue()


def _jpeg(_folder: Path) -> Iterator[tuple[str, bytes]]:
    exif = Image.Exif()
    exif[0x0112], exif[0x010F], exif[0x0110] = 8, "Pinhole", "Pinhole 1"
    yield from _by_pillow(".jpeg", {}, {"progressive": True}, {"exif": exif})(_folder)
    stream = io.BytesIO()
    Image.fromarray(COLOUR).convert("CMYK").save(stream, format="JPEG")
    yield ".jpg", stream.getvalue()


def _jp2(folder: Path) -> Iterator[tuple[str, bytes]]:
    path = folder / "a.jp2"
    for planes in (1, 3, 6):
        write_bit_planes(path, np.dstack([GREY] * planes))
        yield ".jp2", path.read_bytes()
    for suffix, pixels in ((".j2k", GREY), (".jp2", COLOUR), (".jp2", GREY.astype(np.uint16))):
        named = folder / f"b{suffix}"
        glymur.Jp2k(str(named), data=pixels, numres=2)
        yield suffix, named.read_bytes()


def _tiff(folder: Path) -> Iterator[tuple[str, bytes]]:
    for chosen in ({}, {"compression": "tiff_lzw"}, {"compression": "jpeg"}):
        yield from _by_pillow(".tiff", chosen)(folder)
    one = partial(tiff, width=16, height=8)
    for bits in (1, 2, 4, 8, 12, 16):
        whole = packed(np.asarray(ramp() * ((1 << bits) - 1), np.int64), bits)
        yield ".tif", one(whole, bits=bits)
        yield ".tif", one(zlib.compress(whole), bits=bits, compression=8, order=">")
    floats = ramp().astype("<f4").tobytes()
    yield ".tif", one(floats, bits=32, sample_format=3)
    yield ".tif", one([bytes(128)] * 3, bits=8, samples=3, photometric=2, big=True)


def _heic(folder: Path) -> Iterator[tuple[str, bytes]]:
    path = folder / "a.heic"
    pixels = _CHANCE.integers(0, 256, (64, 64, 3), dtype=np.uint8)
    for turns in (0, 1):
        write_heic(path, pixels, quarter_turns=turns)
        yield ".heic", path.read_bytes()


def _raw(folder: Path) -> Iterator[tuple[str, bytes]]:
    path = folder / "a.dng"
    for orientation in (1, 6):
        write_dng(path, np.tile(COLOUR, (2, 2, 1)), orientation=orientation)
        yield ".dng", path.read_bytes()
    yield ".raf", b"FUJIFILMCCD-RAW 0201FF389501" + b"Pinhole\0" * 12 + path.read_bytes()


def _hdf5(folder: Path) -> Iterator[tuple[str, bytes]]:
    path = folder / "a.hdf5"
    frames: NDArray[np.uint8] = np.stack([GREY] * 4)
    ways: tuple[tuple[Any, dict[str, Any]], ...] = (
        (np.uint8, {}),
        (np.float32, {"compression": "gzip", "chunks": (1, 24, 40)}),
        (np.uint8, {"compression": "lzf", "shuffle": True, "fletcher32": True}),
        (np.bool_, {}),
    )
    for number, (dtype, chosen) in enumerate(ways):
        libver = "latest" if number == 1 else "earliest"
        with h5py.File(path, "w", libver=libver) as file:
            for start in (3, 20):
                group = file.create_group(f"{start}")
                group.create_dataset("masks", data=frames.astype(dtype), **chosen)
                group.attrs["start_frame"] = start
                group.attrs["end_frame"] = start + 3
        yield ".hdf5", path.read_bytes()


def _npz(_folder: Path) -> Iterator[tuple[str, bytes]]:
    for pixels in (GREY, GREY / 255, (GREY / 255).astype(np.float16), (GREY / 255).astype(">f4")):
        for save in (np.savez, np.savez_compressed):
            stream = io.BytesIO()
            save(stream, mask=pixels)
            yield ".npz", stream.getvalue()


def _video(folder: Path) -> Iterator[tuple[str, bytes]]:
    for film in FILMS:
        sound = film.name in ("h264.mp4", "h264.mkv")
        path = make(film, folder, sound=sound)
        yield path.suffix, path.read_bytes()


_MAKERS: dict[str, Callable[[Path], Iterator[tuple[str, bytes]]]] = {
    "png": _png,
    "jpeg": _jpeg,
    "jp2": _jp2,
    "tiff": _tiff,
    "bmp": _by_pillow(".bmp"),
    "gif": _by_pillow(".gif", {}, {"save_all": True, "append_images": [Image.fromarray(GREY)]}),
    "webp": _by_pillow(".webp", {"lossless": True}, {"quality": 50}),
    "heic": _heic,
    "avif": _by_pillow(".avif"),
    "raw": _raw,
    "hdf5": _hdf5,
    "npz": _npz,
    "video": _video,
}
