"""The training-testing condition (MFC2019 plan, 2.1.6) of a camera task and of each trial.

No file states it: a TrainCamID ends with the kind of training data (3.5.5:
``PAR_1234_primary_image``), and the probe is an image or a video.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import PurePosixPath

from forensicviewer.core.model import Medium, TaskKind, TrainTest
from forensicviewer.core.table.text_table import Column, Table
from forensicviewer.sources.layouts.naming import VIDEO_SUFFIXES

# A column like those of the tables: to list, filter, query and partition by.
CONDITION = "TrainTestCondition"
_CAMERA, _PROBE = "TrainCamID", "ProbeFileName"
_MEDIA = {medium.value: medium for medium in Medium}


def condition_of(kind: TaskKind, table: Table) -> TrainTest | None:
    """The condition of a whole task; ``None`` where the ids do not end in a modality."""
    if kind is not TaskKind.CAMERA or not _is_known(table) or not len(table):
        return None
    trained = {_trained_on(cell) for cell in table[_CAMERA].dictionary[1]}
    if None in trained:
        return None
    return TrainTest(_together(trained), _together(map(_medium_of, _probes(table))))


def names_with_conditions(names: Collection[str]) -> tuple[str, ...]:
    """The columns of a table once it has the condition of each trial."""
    return (*names, CONDITION) if _is_known(names) and CONDITION not in names else (*names,)


def with_conditions(table: Table) -> Table:
    """The table with the condition of each camera trial, blank where the id does not say it."""
    if not _is_known(table) or CONDITION in table:
        return table
    cells = [
        _condition(camera, probe)
        for camera, probe in zip(table[_CAMERA], _probes(table), strict=True)
    ]
    return table.with_columns({CONDITION: Column.of(cells)})


def _is_known(names: Table | Collection[str]) -> bool:
    return _CAMERA in names and _PROBE in names


def _condition(camera: str, probe: str) -> str:
    trained = _trained_on(camera)
    return "" if trained is None else str(TrainTest(trained, _medium_of(probe)))


def _trained_on(camera: str) -> Medium | None:
    return _MEDIA.get(camera.strip().rpartition("_")[2].lower())


def _probes(table: Table) -> Iterable[str]:
    """Names that show whether a probe is an image or a video; MFC2018 uses another column."""
    browsed = "ProbeBrowserFileName"
    if browsed not in table:
        return table[_PROBE]
    return (
        name if PurePosixPath(name).suffix else other
        for name, other in zip(table[_PROBE], table[browsed], strict=True)
    )


def _medium_of(name: str) -> Medium:
    return Medium.VIDEO if name.strip().lower().endswith(VIDEO_SUFFIXES) else Medium.IMAGE


def _together(media: Iterable[Medium | None]) -> Medium:
    kinds = {medium for medium in media if medium is not None}
    return kinds.pop() if len(kinds) == 1 else Medium.MULTIMEDIA
