"""Looks for the parts of an installation: shipped files, libraries, Qt's plug-ins."""

from __future__ import annotations

import ctypes
import importlib.util
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from forensicviewer.app.runtime.crash import versions
from forensicviewer.app.runtime.decoders import MISSING, describe_decoders
from forensicviewer.app.runtime.resources import resource
from forensicviewer.app.selftest.check import CheckFailedError, InstallationCheck

_SHIPPED = (
    "icons/app.svg",
    "languages",
    "licences.txt",
    "manual",
    "published",
    "style.qss",
    "templates",
)
_PLUGINS = {
    "linux": ("platforms/libqxcb.so", "platforms/libqoffscreen.so", "imageformats/libqsvg.so"),
    "win32": ("platforms/qwindows.dll", "platforms/qoffscreen.dll", "imageformats/qsvg.dll"),
    "darwin": ("platforms/libqcocoa.dylib", "platforms/libqoffscreen.dylib"),
}


def installation_checks() -> Iterator[InstallationCheck]:
    yield InstallationCheck("find shipped files", _find_shipped)
    yield InstallationCheck("find libraries", _find_libraries)
    yield InstallationCheck("find decoders", _find_decoders)
    yield InstallationCheck("load the window's plug-ins", _load_plugins)


def _find_shipped() -> str:
    missing = [name for name in _SHIPPED if not resource(name).exists()]
    if missing:
        raise CheckFailedError(f"Missing: {', '.join(missing)}: reinstall")
    return f"{len(_SHIPPED)} of {len(_SHIPPED)} found"


def _find_libraries() -> str:
    found = versions()
    missing = [name for name, version in found.items() if version == "not installed"]
    if missing:
        raise CheckFailedError(f"Not installed: {', '.join(missing)}")
    return ", ".join(f"{name} {version}" for name, version in found.items())


def _find_decoders() -> str:
    found = describe_decoders()
    missing = [kinds for kinds, library in found.items() if library == MISSING]
    if missing:
        raise CheckFailedError(f"No decoder for {', '.join(missing)}")
    return "; ".join(f"{kinds}: {library}" for kinds, library in found.items())


def _load_plugins() -> str:
    """Load them as Qt will: one that lacks a library of the system names it."""
    spec = importlib.util.find_spec("PySide6")
    if spec is None or spec.origin is None:
        raise CheckFailedError("PySide6 is not installed, so no window opens")
    package = Path(spec.origin).parent
    if sys.platform == "win32":
        # Windows looks for Qt's own libraries only in folders it was told of.
        os.add_dll_directory(str(package))
    names = _PLUGINS.get(sys.platform, ())
    for name in names:
        path = next(
            (folder / name for folder in _plugin_folders(package) if (folder / name).is_file()),
            None,
        )
        if path is None:
            raise CheckFailedError(f"The Qt plug-in {name} is missing: reinstall forensicviewer")
        try:
            ctypes.CDLL(str(path))
        except OSError as error:
            raise CheckFailedError(f"The Qt plug-in {name} cannot be loaded: {error}") from error
    return ", ".join(names)


def _plugin_folders(package: Path) -> tuple[Path, ...]:
    return package / "Qt" / "plugins", package / "plugins"
