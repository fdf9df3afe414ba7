"""Where the program keeps what belongs to its user."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from forensicviewer.sources.files.paths import home

NAME = "forensicviewer"


def config_folder() -> Path:
    """The folder of settings; deleting it resets the program."""
    return _folder("XDG_CONFIG_HOME", ".config", windows="APPDATA", mac="Preferences")


def state_folder() -> Path:
    """The folder of sessions, recent places and crash reports."""
    return _folder(
        "XDG_STATE_HOME", ".local/state", windows="LOCALAPPDATA", mac="Application Support"
    )


def _folder(variable: str, default: str, *, windows: str, mac: str) -> Path:
    named = os.environ.get(variable, "")
    if Path(named).is_absolute():
        return Path(named) / NAME
    if sys.platform == "win32":
        return Path(os.environ.get(windows, str(home()))) / NAME
    if sys.platform == "darwin":
        return home() / "Library" / mac / NAME
    return home() / default / NAME
