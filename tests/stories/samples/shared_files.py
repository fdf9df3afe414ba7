"""Files that are not part of the project: tests that use them are skipped where they are not."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

_SHARED = Path(__file__).resolve().parents[4] / "shared"
REAL_MEDIA = Path(os.environ.get("FV_REAL_MEDIA", _SHARED / "real-media"))
HOSTILE = Path(os.environ.get("FV_HOSTILE", _SHARED / "hostile"))


def shared_file(folder: Path, name: str) -> Path:
    if not (folder / name).is_file():
        pytest.skip(f"{name} is not on this machine ({folder})")
    return folder / name


def names_in(folder: Path) -> set[str]:
    if not folder.is_dir():
        pytest.skip(f"these files are not on this machine ({folder})")
    return {path.name for path in folder.iterdir()}
