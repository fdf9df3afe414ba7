"""The program of a decoder process: imports every codec there is, then serves.

Everything must be imported here: once the process is locked in, it opens no more files.
"""

from __future__ import annotations

import contextlib
import encodings.ascii
import encodings.cp437
import encodings.cp1252
import encodings.latin_1
import encodings.utf_16
import encodings.utf_32  # noqa: F401 - text in headers comes in any of them
import importlib
from collections.abc import Sequence

import cv2

from forensicviewer.app.imdl import pair_job  # noqa: F401 - called by name
from forensicviewer.app.masks import image_count, video_count  # noqa: F401 - called by name
from forensicviewer.app.runtime import decoders  # noqa: F401 - called by name
from forensicviewer.sources.decoders.worker import run
from forensicviewer.sources.media import images, masks  # noqa: F401 - called by name
from forensicviewer.sources.media.codecs import CODECS
from forensicviewer.sources.media.jpeg2000 import has_openjpeg
from forensicviewer.sources.video import audio, frame_reader  # noqa: F401 - as above

_LIBRARIES = (
    "PIL.AvifImagePlugin",
    "PIL.BmpImagePlugin",
    "PIL.ExifTags",
    "PIL.GifImagePlugin",
    "PIL.Jpeg2KImagePlugin",
    "PIL.TiffImagePlugin",
    "PIL.features",
    "av.subtitles.codeccontext",  # PyAV loads these when a file has such a stream
    "av.subtitles.stream",
    "h5py",
    "numpy.ma",
    "pi_heif",
    "rawpy",
)
_CODECS = ("deflate_decode", "jpeg2k_decode", "jpeg8_decode", "tiff_decode")


def main(arguments: Sequence[str]) -> None:
    """Serve the process that started this one; ``arguments`` are what :mod:`.process` gives."""
    *numbers, modules = arguments
    handle, memory_mb, niceness = map(int, numbers)
    cv2.setNumThreads(1)  # processes are the parallelism
    for library in _LIBRARIES:
        # One that is missing is told when a file needs it.
        with contextlib.suppress(ImportError, OSError):
            importlib.import_module(library)
    with contextlib.suppress(ImportError, OSError):
        import imagecodecs

        for codec in _CODECS:
            # Each is loaded when it is first named.
            getattr(imagecodecs, codec)
    with contextlib.suppress(ImportError, OSError):
        has_openjpeg()
    list(CODECS)  # those of other packages
    for module in filter(None, modules.split(",")):
        importlib.import_module(module)
    run(handle, memory_mb=memory_mb, niceness=niceness)
