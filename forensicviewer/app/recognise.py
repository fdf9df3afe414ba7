"""Says what a dropped or named file is before it is opened: from names and first lines only."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from forensicviewer.app.recent import PlaceKind
from forensicviewer.app.session import SUFFIX
from forensicviewer.app.words import to_translate, tr

_SENTENCES = {
    PlaceKind.DATASET: to_translate("Open {name} as dataset"),
    PlaceKind.SUBMISSION: to_translate("Open {name} as submission"),
    PlaceKind.SESSION: to_translate("Open {name} as session"),
}
_ARCHIVES = (".tgz", ".tar.gz", ".tar.bz2", ".tar.xz", ".tar", ".zip")
_ANSWER_COLUMNS = (
    "ConfidenceScore",
    "OutputProbeMaskFileName",
    "ProvenanceOutputFileName",
    "VideoFrameSegments",
)
_DATASET_FOLDERS = {"indexes", "reference", "probe", "world"}
# Enough to see what a folder is; a drop must be answered while the mouse moves.
_LOOKED_AT = 500


@dataclass(frozen=True, slots=True)
class Intent:
    """What opening a path would do."""

    path: Path
    kind: PlaceKind

    @property
    def sentence(self) -> str:
        return tr(_SENTENCES[self.kind], name=self.path.name)


def recognise(path: Path) -> Intent | None:
    """What the path is; ``None`` when it is nothing that can be opened."""
    kind = _kind_of_folder(path) if path.is_dir() else _kind_of_file(path)
    return None if kind is None else Intent(path, kind)


def _kind_of_file(path: Path) -> PlaceKind | None:
    name = path.name.lower()
    if not path.is_file():
        return None
    if name.endswith(SUFFIX):
        return PlaceKind.SESSION
    if name.endswith(_ARCHIVES):
        return PlaceKind.SUBMISSION
    if name.endswith(".csv"):
        return PlaceKind.SUBMISSION if _holds_answers(path) else PlaceKind.DATASET
    return None


def _kind_of_folder(path: Path) -> PlaceKind:
    entries = list(_entries(path))
    if any(entry.name.lower() in _DATASET_FOLDERS for entry in entries):
        return PlaceKind.DATASET
    tables = [entry for entry in entries if entry.name.lower().endswith(".csv")]
    if any("index" in table.stem.lower() or "-ref" in table.stem.lower() for table in tables):
        return PlaceKind.DATASET
    has_answers = any(_holds_answers(table) for table in tables[:5])
    return PlaceKind.SUBMISSION if has_answers else PlaceKind.DATASET


def _entries(folder: Path) -> Iterator[Path]:
    try:
        yield from islice(folder.iterdir(), _LOOKED_AT)
    except OSError:
        # A folder nobody may list is told when it is opened.
        return


def _holds_answers(table: Path) -> bool:
    try:
        with table.open("rb") as stream:
            header = stream.readline(8192).decode(errors="replace")
    except OSError:
        return False
    return any(column in header for column in _ANSWER_COLUMNS)
