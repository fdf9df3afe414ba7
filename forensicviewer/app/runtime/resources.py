"""Finds the files that come with the program: icons, languages and licences."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path

import forensicviewer


@cache
def resource_folder() -> Path:
    """The folder of the shipped files, in a frozen program, an installed wheel or a source tree."""
    package = Path(forensicviewer.__file__).resolve().parent
    frozen = getattr(sys, "_MEIPASS", None)
    candidates = [package / "resources", package.parent / "resources"]
    if frozen is not None:
        candidates.insert(0, Path(frozen) / "forensicviewer" / "resources")
    return next((folder for folder in candidates if folder.is_dir()), candidates[0])


def resource(name: str) -> Path:
    """A shipped file by its name relative to the resources folder."""
    return resource_folder() / name
