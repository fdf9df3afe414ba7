"""The places opened lately, newest first; pinned ones stay in front and are never dropped."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from functools import partial
from pathlib import Path

from forensicviewer.app.runtime.folders import state_folder
from forensicviewer.app.runtime.jobs import Jobs, Lane
from forensicviewer.app.runtime.json_file import JsonFile
from forensicviewer.app.runtime.late_writer import LateWriter
from forensicviewer.core.problem import Problem
from forensicviewer.sources.files.dataclass_json import from_json_value, to_json_value
from forensicviewer.sources.files.paths import cases_folder

_PLACES_LANE = Lane("places", is_far=True)

KEPT = 20


class PlaceKind(Enum):
    """What a place was opened as."""

    DATASET = "dataset"
    SUBMISSION = "submission"
    SESSION = "session"
    CASE = "case"


@dataclass(frozen=True, slots=True)
class Recent:
    """One place; ``partner`` is the dataset a submission was opened with."""

    path: str
    kind: PlaceKind
    partner: str = ""
    is_pinned: bool = False


class RecentPlaces:
    """Remembers places across runs.

    ``missing`` are the paths nothing was found at when :meth:`look` last answered; ``problem`` is
    why those of earlier runs are not known.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._file = JsonFile(path or state_folder() / "recent.json", "recent")
        self.writer = LateWriter(Lane("recent"))
        self.missing: frozenset[str] = frozenset()
        self.problem: Problem | None = None
        self._listeners: list[Callable[[], None]] = []
        self._places = self._load()

    @property
    def places(self) -> tuple[Recent, ...]:
        pinned = [place for place in self._places if place.is_pinned]
        return (*pinned, *(place for place in self._places if not place.is_pinned))

    def subscribe(self, listener: Callable[[], None]) -> None:
        """Tell ``listener`` whenever places come, go or are pinned."""
        self._listeners.append(listener)

    def look(self, jobs: Jobs, then: Callable[[], None]) -> None:
        """Find out which places are gone; in the background, for a disk may answer never."""
        paths = tuple(place.path for place in self._places)

        def take(missing: frozenset[str]) -> None:
            is_news, self.missing = missing != self.missing, missing
            if is_news:
                then()

        jobs.submit(_PLACES_LANE, partial(_missing, paths), take)

    def add(self, path: Path, kind: PlaceKind, *, partner: Path | None = None) -> None:
        if cases_folder() in path.absolute().parents:
            return  # an unpacked case is opened again by its file
        place = Recent(str(path.absolute()), kind, str(partner.absolute()) if partner else "")
        before = next((known for known in self._places if known.path == place.path), None)
        if before is not None:
            place = replace(place, is_pinned=before.is_pinned)
        others = [known for known in self._places if known.path != place.path]
        self._keep([place, *others])

    def toggle_pin(self, path: str) -> None:
        self._keep(
            [
                replace(place, is_pinned=not place.is_pinned) if place.path == path else place
                for place in self._places
            ]
        )

    def clear(self) -> None:
        """Forget every place that is not pinned."""
        self._keep([place for place in self._places if place.is_pinned])

    def _keep(self, places: list[Recent]) -> None:
        loose = [place for place in places if not place.is_pinned][:KEPT]
        self._places = [place for place in places if place.is_pinned or place in loose]
        self.writer.write(partial(self._file.keep, {"places": to_json_value(self._places)}))
        for listener in self._listeners:
            listener()

    def _load(self) -> list[Recent]:
        found = self._file.read()
        self.problem = found.problem
        try:
            return list(
                from_json_value(tuple[Recent, ...], (found.document or {}).get("places", []))
            )
        except ValueError as error:
            self.problem = self._file.set_aside(str(error)).problem
            return []


def _missing(paths: tuple[str, ...]) -> frozenset[str]:
    return frozenset(path for path in paths if not _is_there(path))


def _is_there(path: str) -> bool:
    from forensicviewer.sources.tables.packages import package_of

    try:
        return package_of(Path(path)).exists()
    except OSError:
        # Nobody may look there any more, or the name is longer than any can be.
        return False
