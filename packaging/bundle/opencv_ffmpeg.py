"""Takes FFmpeg and OpenSSL 1.1.1 out of a bundled OpenCV, which links them for video.

The program reads video through PyAV and never through OpenCV. The libraries are replaced by
small ones that export the same names and end the program when one is called: OpenCV cannot be
loaded without them, OpenSSL 1.1.1 is past its end of life and may not be combined with GPL parts.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections import defaultdict
from pathlib import Path

_REPLACED = ("avcodec", "avformat", "avutil", "swscale")
_REMOVED = ("swresample", "ssl", "crypto", "vpx", "drm")
_REMOVED_PACKAGES = ("openssl-libs", "libdrm")
_SYMBOL = re.compile(r"UND (\w+)@(LIB\w+)")


def replace_ffmpeg(internal: Path) -> None:
    """Replace the libraries in the folder of a bundle that holds ``cv2``."""
    libraries = internal / "opencv_python_headless.libs"
    wanted = _imported_symbols(next((internal / "cv2").glob("cv2*.so")))
    for name in _REPLACED:
        for path in libraries.glob(f"lib{name}-*.so*"):
            versions = {v: s for v, s in wanted.items() if v.startswith(f"LIB{name.upper()}_")}
            _write_stand_in(path, versions)
    for name in _REMOVED:
        for path in libraries.glob(f"lib{name}-*.so*"):
            path.unlink()
            # PyInstaller links every library into the folder that is searched first.
            (internal / path.name).unlink(missing_ok=True)


def is_stand_in(inside: str) -> bool:
    """Whether a file of the bundle is one of the small libraries, and no FFmpeg."""
    folder, _, name = inside.rpartition("/")
    stems = tuple(f"lib{name}-" for name in _REPLACED)
    return folder == "opencv_python_headless.libs" and name.startswith(stems)


def is_taken_out(wheel: str, package: str) -> bool:
    """Whether a system package that the wheel says it contains is not in the bundle any more."""
    return wheel == "opencv-python-headless" and package in _REMOVED_PACKAGES


def _imported_symbols(module: Path) -> dict[str, list[str]]:
    """Version of a library → the names that are imported from it."""
    listed = subprocess.run(
        ["readelf", "--dyn-syms", "--wide", str(module)], capture_output=True, text=True, check=True
    ).stdout
    found: dict[str, list[str]] = defaultdict(list)
    for name, version in _SYMBOL.findall(listed):
        found[version].append(name)
    return found


def _write_stand_in(path: Path, versions: dict[str, list[str]]) -> None:
    names = sorted(name for symbols in versions.values() for name in symbols)
    code = "#include <stdlib.h>\n" + "".join(
        f"void {name}(void) {{ abort(); }}\n" for name in names
    )
    script = "".join(
        f"{version} {{ global: {' '.join(f'{name};' for name in sorted(symbols))} }};\n"
        for version, symbols in sorted(versions.items())
    )
    with tempfile.TemporaryDirectory() as folder:
        source, map_file = Path(folder, "stand_in.c"), Path(folder, "versions.map")
        source.write_text(code)
        map_file.write_text(script)
        path.unlink()
        # The folder's name must not end up in the file: two builds are the same to the byte.
        subprocess.run(
            [
                *("gcc", "-shared", "-fPIC", "-O2", "-s", "-fno-ident", "-Wl,--build-id=none"),
                *(f"-Wl,-soname,{path.name}", f"-Wl,--version-script={map_file}"),
                *("-o", str(path), str(source)),
            ],
            check=True,
        )
