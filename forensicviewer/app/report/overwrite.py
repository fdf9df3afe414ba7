"""Ensures that results never replace a file of the user."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from forensicviewer.core.problem import ForensicViewerError, UsageError

SUMMARY_NAME = "summary.json"
PAGE_NAME = "report.html"
_RULE = "out-not-free"


def require_results_folder(folder: Path, *, inputs: Iterable[Path]) -> None:
    """Refuse datasets, submissions and their non-empty folders as the place for results."""
    if folder.exists() and not folder.is_dir():
        raise UsageError("This is a file, not a folder", where=folder, rule=_RULE)
    _require_writable(folder)
    place = folder.resolve()
    for root in (path.resolve() for path in inputs if path.is_dir()):
        if place == root or (root in place.parents and _holds_something_else(place)):
            raise UsageError(
                "Results cannot be written among the files that are scored",
                where=folder,
                hint="name a new folder",
                rule=_RULE,
            )


def _require_writable(folder: Path) -> None:
    there = next(place for place in (folder, *folder.absolute().parents) if place.exists())
    if not os.access(there, os.W_OK):
        raise ForensicViewerError("The folder is not writable", where=there, rule=_RULE)


def require_replaceable(folder: Path, *, tables: Sequence[str] = (), page: bool = False) -> None:
    """Refuse to replace files that no earlier run wrote: NIST's scorer uses the same names.

    Other files in the folder stay unchanged and do not prevent this.
    """
    if _has_our_summary(folder):
        return
    for name in (SUMMARY_NAME, *tables, *([PAGE_NAME] if page else [])):
        if (folder / name).exists():
            raise UsageError(
                "The file exists and was not written by forensicviewer",
                where=folder / name,
                hint="name another folder, or move the file",
                rule=_RULE,
            )


def require_free(path: Path) -> None:
    """Refuse to replace an existing file."""
    if path.exists():
        raise UsageError(
            "The file exists", where=path, hint="choose another name or delete it", rule=_RULE
        )


def folder_around(path: Path, *, inputs: Iterable[Path]) -> Path | None:
    """The input that a path is or is inside; ``None`` elsewhere."""
    place = path.resolve()
    return next((root for root in inputs if root.resolve() in (place, *place.parents)), None)


def require_no_input(path: Path, *, inputs: Iterable[Path]) -> None:
    """Refuse to replace a file of a dataset or a submission."""
    if path.exists() and folder_around(path, inputs=inputs) is not None:
        raise UsageError(
            "The file belongs to the dataset or the submission and is not replaced",
            where=path,
            hint="choose another name",
            rule=_RULE,
        )


def _holds_something_else(folder: Path) -> bool:
    return folder.is_dir() and any(folder.iterdir()) and not _has_our_summary(folder)


def _has_our_summary(folder: Path) -> bool:
    try:
        summary = json.loads((folder / SUMMARY_NAME).read_bytes())
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(summary, dict) and summary.get("program") == "forensicviewer"
