"""Which library reads which files on this machine, with the version that does the work."""

from __future__ import annotations

from collections.abc import Callable

from forensicviewer.sources.media.jpeg2000 import has_openjpeg

MISSING = "not available"


def decoders() -> dict[str, str]:
    """Kinds of files → the library that decodes them.

    Takes most of a second: it imports them all. A library that is there and cannot be loaded is as
    good as none.
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
