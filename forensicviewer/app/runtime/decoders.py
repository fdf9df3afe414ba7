"""The processes that decode files: how many, within which limits, and with which libraries."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from forensicviewer.sources.decoders import pool
from forensicviewer.sources.decoders.door import decoded_apart
from forensicviewer.sources.decoders.limits import Limits
from forensicviewer.sources.decoders.lock import Lock
from forensicviewer.sources.files.limits import FileLimits
from forensicviewer.sources.media.jpeg2000 import has_openjpeg

MISSING = "not available"
_NICENESS = 10  # the window goes first
_MOST = 4

close_decoders = pool.close_decoders


def open_decoders(*, memory_mb: int, seconds: float) -> None:
    """Give the window decoders: as many as can work at once, and one for long work."""
    limits = Limits(memory_mb, seconds)
    limits.pass_on()
    size = min(os.cpu_count() or 1, _MOST) + 1
    pool.use_decoders(pool.DecoderPool(size, limits=limits, niceness=_NICENESS))


def limit_decoders(*, memory_mb: int, seconds: float) -> None:
    """Change the limits for decoding files that are opened from now on."""
    limits = Limits(memory_mb, seconds)
    limits.pass_on()
    pool.decoders().limits = limits


def limit_files(*, unpacked_gb: int, document_mb: int) -> None:
    """Change the limits for archives and documents that are opened from now on."""
    FileLimits(unpacked_gb, document_mb).pass_on()


def start_decoder() -> None:
    """Start a decoder ahead of time; returns at once."""
    pool.decoders().start()


def describe_decoders() -> dict[str, str]:
    """The decoders on this machine: their limits, and the library for each kind of file.

    May take a second, until a decoder has begun.
    """
    limits, lock = pool.decoders().limits, pool.decoders().lock()
    return {
        "decoder processes": f"{limits.memory_mb} MB and {limits.seconds:g} s per file",
        "lock of decoders": "not active" if lock is Lock.NONE else f"active ({lock.value})",
        **decoder_libraries(),
    }


@decoded_apart
def decoder_libraries() -> Mapping[str, str]:
    """Kinds of files → the library that decodes them.

    A library that is there and cannot be loaded is as good as none.
    """
    return {kinds: _asked(ask) for kinds, ask in _ASKED.items()}


def _asked(ask: Callable[[], str]) -> str:
    try:
        return ask()
    except (ImportError, OSError, RuntimeError, AttributeError):
        return MISSING


def _opencv() -> str:
    import cv2

    return f"OpenCV {cv2.__version__}"


def _pillow() -> str:
    from PIL import __version__

    return f"Pillow {__version__}"


def _heif() -> str:
    import pi_heif

    return f"libheif {pi_heif.libheif_version()}"


def _raw() -> str:
    import rawpy

    return f"LibRaw {'.'.join(map(str, rawpy.libraw_version))}"


def _openjpeg() -> str:
    if has_openjpeg():
        import glymur

        return f"OpenJPEG {glymur.version.openjpeg_version}"
    # It brings its own.
    import imagecodecs

    return str(imagecodecs.jpeg2k_version()).replace("openjpeg", "OpenJPEG")


def _hdf5() -> str:
    import h5py

    return f"HDF5 {h5py.version.hdf5_version}"


def _ffmpeg() -> str:
    import av

    version = ".".join(map(str, av.library_versions["libavcodec"]))
    return f"FFmpeg, libavcodec {version}"


_ASKED: dict[str, Callable[[], str]] = {
    "JPEG, PNG, TIFF, WebP": _opencv,
    "BMP, GIF, AVIF, EXIF": _pillow,
    "HEIC": _heif,
    "camera RAW": _raw,
    "JPEG 2000": _openjpeg,
    "HDF5 masks": _hdf5,
    "video, sound": _ffmpeg,
}
