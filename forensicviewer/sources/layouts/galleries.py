"""Finds known examples of a camera or event: training data, a folder, or other probes.

MFC2019's plan lists the training data of a camera in a table (4.1.6) and speaks of the collection
of an event (2.1.5) without saying where it lies.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from itertools import islice
from pathlib import Path, PurePosixPath

from forensicviewer.core.cached import cached_property
from forensicviewer.core.model import Gallery, TaskKind
from forensicviewer.core.problem import UnsafePathError
from forensicviewer.core.table.text_table import Table
from forensicviewer.sources.files.paths import is_file_entry, resolve

# Where paths of a training table begin: the plan's example, 12368/Images/…, does not say.
_FOLDERS = ("", "training", "traindata", "train", "world", "camera", "cameras", "event", "events")
_MOST_FILES = 2_000
_KEYS = {TaskKind.CAMERA: "TrainCamID", TaskKind.EVENT: "EventName"}


class Galleries:
    """Finds the gallery of each camera or event of a task, when one is first asked for."""

    def __init__(self, kind: TaskKind, table: Table, training: Table | None, *, root: Path) -> None:
        self._key = _KEYS.get(kind, "")
        self._table = table
        self._training = training if training is not None and self._key in training else None
        self._root = root
        self._found: dict[str, Gallery | None] = {}

    def of(self, facts: Mapping[str, str]) -> Gallery | None:
        """Known examples of the trial's camera or event; ``None`` if the dataset has none."""
        name = facts.get(self._key, "") if self._key else ""
        if not name.strip():
            return None
        if name not in self._found:
            self._found[name] = self._find(name)
        return self._found[name]

    def _find(self, name: str) -> Gallery | None:
        listed = self._listed.get(name, ())
        if listed and self._training is not None:
            return Gallery(name, tuple(listed), self._training.name)
        for folder in _FOLDERS:
            place = (PurePosixPath(folder) / name).as_posix()
            files = self._files_in(place)
            if files:
                return Gallery(name, files, f"{place}/")
        probes = self._known_probes.get(name, ())
        return Gallery(name, tuple(probes), f"{self._table.name}, IsTarget Y") if probes else None

    @cached_property
    def _listed(self) -> dict[str, list[str]]:
        """The files that the training table lists, by camera or event."""
        table = self._training
        if table is None or "FileName" not in table:
            return {}
        folders: Iterable[str] = table["FilePath"] if "FilePath" in table else [""] * len(table)
        places = [
            (PurePosixPath(folder) / file).as_posix()
            for folder, file in zip(folders, table["FileName"], strict=True)
        ]
        start = self._start_of(places[:20])
        found: dict[str, list[str]] = {}
        for name, place in zip(table[self._key], places, strict=True):
            found.setdefault(name, []).append((start / place).as_posix())
        return found

    def _start_of(self, places: Iterable[str]) -> PurePosixPath:
        """The folder that paths of the table begin at: the first one that holds any of them."""
        starts = [PurePosixPath(folder) for folder in _FOLDERS]
        for start in starts:
            if any(self._is_file((start / place).as_posix()) for place in places):
                return start
        return starts[0]

    @cached_property
    def _known_probes(self) -> dict[str, list[str]]:
        """The probes that the reference says are of each camera or event."""
        needed = (self._key, "IsTarget", "ProbeFileName")
        if any(column not in self._table for column in needed):
            return {}
        found: dict[str, list[str]] = {}
        rows = zip(*(self._table[column] for column in needed), strict=True)
        for name, is_target, file in rows:
            if is_target.strip().upper() == "Y" and file.strip():
                found.setdefault(name, []).append(file)
        return found

    def _is_file(self, place: str) -> bool:
        try:
            return resolve(self._root, place).is_file()
        except UnsafePathError:
            return False

    def _files_in(self, place: str) -> tuple[str, ...]:
        try:
            with os.scandir(resolve(self._root, place)) as entries:
                files = filter(is_file_entry, islice(entries, _MOST_FILES))
                names = sorted(entry.name for entry in files)
        except (OSError, UnsafePathError):
            return ()
        return tuple(f"{place}/{name}" for name in names)
