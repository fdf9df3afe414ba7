"""Recognises a NIST table by file name and column names: role, task, evaluation."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from enum import Enum

from forensicviewer.core import genai
from forensicviewer.core.model import Edition, TaskKind


class Role(Enum):
    """What a table of a dataset is for."""

    INDEX = "index"
    REFERENCE = "reference"
    JOURNAL_MASKS = "journalmask"
    PROBE_JOURNALS = "probejournaljoin"
    NODES = "ref-node"
    WORLD = "world"
    TRAINING = "traindata"
    POOLS = "pool"


# Spellings of the kick-off data of 2016, still found in its tables.
OLD_NAMES = {
    "FileID": "ProbeFileID",
    "ImgFName": "ProbeFileName",
    "ImgWidth": "ProbeWidth",
    "ImgHeight": "ProbeHeight",
    "MaskFName": "ProbeMaskFileName",
    "isTarget": "IsTarget",
}

_IDS = {"ProbeFileID", "ProvenanceProbeFileID"}
KEY_COLUMNS = frozenset({*_IDS, "WorldFileID", "JournalName"})
_FILE_NAMES = {"ProbeFileName", "ProvenanceProbeFileName"}
_NODE_PAIR = {"JournalName", "StartNodeID", "EndNodeID"}
_SYSTEM_COLUMNS = {"ConfidenceScore", "ProvenanceOutputFileName"}
_REFERENCE_COLUMNS = {"IsTarget", "ProbeMaskFileName", "JournalFileName"}
_INDEX_COLUMNS = {"ProbeWidth", "ProbeHeight", "ProvenanceProbeWidth", "ProvenanceProbeHeight"}

# Longest words first: "provenancefiltering" also contains "provenance".
TASK_WORDS: dict[str, TaskKind] = {
    "manipulation-video": TaskKind.VIDEO,
    "manipulation-image": TaskKind.MANIPULATION,
    "videotemploc": TaskKind.VIDEO,
    "manipulation": TaskKind.MANIPULATION,
    "removal": TaskKind.REMOVAL,
    "splice": TaskKind.SPLICE,
    # NC2017's plan prints these so among the names of 3.6.
    "splace": TaskKind.SPLICE,
    "provenancefilgering": TaskKind.FILTERING,
    "provenancefiltering": TaskKind.FILTERING,
    "filtering": TaskKind.FILTERING,
    "provenancegraphbuilding": TaskKind.PROVENANCE,
    "provenance": TaskKind.PROVENANCE,
    "eventverification": TaskKind.EVENT,
    # NIST's own test data spell it so.
    "evenverification": TaskKind.EVENT,
    "event": TaskKind.EVENT,
    "cameraverification": TaskKind.CAMERA,
    "camera": TaskKind.CAMERA,
    "video": TaskKind.VIDEO,
}

_EDITIONS = {
    r"NC(20)?16": Edition.NC2016,
    r"NC(20)?17": Edition.NC2017,
    r"MFC(20)?18": Edition.MFC2018,
    r"MFC(20)?19": Edition.MFC2019,
}
VIDEO_SUFFIXES = (".mp4", ".avi", ".mov", ".mkv", ".wmv", ".mpg", ".mpeg", ".m4v", ".webm", ".mts")


def canonical(column: str) -> str:
    """The column's name as the later years spell it."""
    return OLD_NAMES.get(column, column)


def role_of(header: Collection[str]) -> Role | None:
    """What a table is for, by its columns; ``None`` where it is not a table of a dataset."""
    columns = {canonical(column) for column in header}
    if is_submission(columns) or genai.is_index(header, name=""):
        return None
    if columns >= _NODE_PAIR:
        return Role.PROBE_JOURNALS if columns & _IDS else Role.JOURNAL_MASKS
    if "WorldFileID" in columns:
        return _role_of_world_table(columns)
    if columns & {"TrainCamID", "EventName"} and "FileName" in columns and not columns & _IDS:
        return Role.TRAINING
    if not columns & _IDS:
        return None
    if columns & _REFERENCE_COLUMNS:
        return Role.REFERENCE
    # The examples of the kick-off data list tasks and file names, but no sizes.
    has_names = "TaskID" in columns and bool(columns & _FILE_NAMES)
    return Role.INDEX if has_names or columns & _INDEX_COLUMNS else None


def _role_of_world_table(columns: Collection[str]) -> Role:
    """The role of a table of world images: all, those of a journal, or a probe's pool."""
    if _IDS.isdisjoint(columns):
        return Role.WORLD
    is_pool = "WorldFileName" in columns and "JournalNodeID" not in columns
    return Role.POOLS if is_pool else Role.NODES


def is_submission(header: Iterable[str]) -> bool:
    """Whether a table is a system's output; such tables are often beside those of a dataset."""
    return not _SYSTEM_COLUMNS.isdisjoint(header)


def kind_of_name(stem: str) -> tuple[TaskKind, str] | None:
    """The task that a file name states, and the word that states it."""
    lowered = stem.lower()
    found = next((word for word in TASK_WORDS if word in lowered), None)
    return None if found is None else (TASK_WORDS[found], found)


def kind_of_columns(header: Iterable[str], *, task_id: str, media: str) -> TaskKind:
    """The task, by a table's columns, its first TaskID and the first media file it names."""
    columns = {canonical(column) for column in header}
    if "TrainCamID" in columns:
        return TaskKind.CAMERA
    if "EventName" in columns:
        return TaskKind.EVENT
    if "ProvenanceProbeFileID" in columns:
        return TaskKind.PROVENANCE
    if "FrameCount" in columns or media.lower().endswith(VIDEO_SUFFIXES):
        return TaskKind.VIDEO
    named = TASK_WORDS.get(task_id.strip().lower())
    if named is not None:
        return named
    return TaskKind.SPLICE if "DonorWidth" in columns else TaskKind.MANIPULATION


def edition_of_name(text: str) -> Edition:
    """The evaluation that a name states."""
    for pattern, edition in _EDITIONS.items():
        if re.search(rf"(?<![A-Za-z0-9]){pattern}(?![0-9])", text, flags=re.IGNORECASE):
            return edition
    return Edition.UNKNOWN


def edition_of_columns(columns: Collection[str]) -> tuple[Edition, str]:
    """The earliest evaluation whose tables have these columns, and the column that says so."""
    for edition, telling in _TELLING:
        found = next((column for column in telling if column in columns), None)
        if found is not None:
            return edition, found
    return Edition.UNKNOWN, ""


_TELLING: tuple[tuple[Edition, tuple[str, ...]], ...] = (
    (Edition.MFC2019, ("HPSensorID", "SubCategory", "AudioSample", "FrameTimeAdjustment")),
    (
        Edition.MFC2018,
        (
            "ProbeBitPlaneMaskFileName",
            "BitPlane",
            "FrameCount",
            "EventName",
            "TrainCamID",
            "ProbeFileSize",
        ),
    ),
    (Edition.NC2016, ("IsManipulationTypeSplice", "FileID", "ImgFName")),
    (Edition.NC2017, ("JournalName", "JournalID")),
)
