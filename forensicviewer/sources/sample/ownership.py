"""Which files of a folder belong to the sample, so that nothing else is ever touched."""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path

from forensicviewer.core.problem import UsageError
from forensicviewer.sources.sample.locations import MARKER, owner_of
from forensicviewer.sources.sample.writing import Folder

_README = """\
Sample datasets of forensicviewer
=================================
The program painted these files from a fixed seed; no person, place or camera is real.
Open a dataset folder, then one or more submissions with the same name in theirs.
Masks of IMDL_Sample are white where manipulated; masks of the NIST samples are black there.
Folders ending in _Plan contain only the files and columns that NIST's evaluation plan of the
year describes; their submissions are in plan-submissions. Their filtering results name world
images that are not part of the sample, because the plans require 200 and 500 images.

The systems are made up, too:
  good      finds nearly everything
  noisy     finds most regions, with many false alarms
  inverted  confuses black and white, so its scores are low on purpose
  careful   opts out of some trials and pixels
  partial   omits trials on purpose, so "forensicviewer validate" rejects it
  floats    like good, but writes NPZ files of floats
All other files are valid.

You can delete this folder at any time: "forensicviewer sample FOLDER" writes it again.
"""


def clear(folder: Path, names: Collection[str]) -> list[str]:
    """Take away these datasets of an earlier sample, file by file; the files of it that stay."""
    marker = folder / MARKER
    if not marker.is_file():
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise UsageError(
                "The folder is neither empty nor a sample",
                where=folder,
                hint="name a new or empty folder",
                rule="sample.folder",
            )
        return []
    kept = []
    for name in _listed(marker):
        path = folder / name
        if owner_of(name) not in ("", *names):
            kept.append(name)
        elif path.is_file() and path.resolve().is_relative_to(folder.resolve()):
            path.unlink()
    return kept


def _listed(marker: Path) -> list[str]:
    try:
        content = json.loads(marker.read_text(encoding="utf-8"))
        return [str(name) for name in content["files"]]
    except (OSError, ValueError, KeyError, TypeError):
        return []


def claim(folder: Path, output: Folder, kept: Collection[str]) -> None:
    """Say that the folder is a sample and which files belong to it, so far."""
    folder.mkdir(parents=True, exist_ok=True)
    if not output.files:
        output.text("README.txt", _README)
    names = sorted({*kept, *(path.relative_to(folder).as_posix() for path in output.files)})
    content = json.dumps({"made-by": "forensicviewer sample", "files": names}, indent=1)
    (folder / MARKER).write_text(content + "\n", encoding="utf-8")
