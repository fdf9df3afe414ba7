"""What identifies a trial of each task, and how that reads as one word."""

from __future__ import annotations

from collections.abc import Iterable

from forensicviewer.core.model import TaskKind, TrialId

# "+" is easy to read and to type in a shell, and no id of NIST's holds it.
SEPARATOR = "+"

_PROBE = ("ProbeFileID",)
_PROVENANCE = ("ProvenanceProbeFileID",)
_KEYS: dict[TaskKind, tuple[str, ...]] = {
    TaskKind.SPLICE: ("ProbeFileID", "DonorFileID"),
    TaskKind.EVENT: ("ProbeFileID", "EventName"),
    TaskKind.CAMERA: ("ProbeFileID", "TrainCamID"),
    TaskKind.PROVENANCE: _PROVENANCE,
    TaskKind.FILTERING: _PROVENANCE,
}


def key_columns(kind: TaskKind) -> tuple[str, ...]:
    """The columns whose cells together identify a trial, in every table of the task."""
    return _KEYS.get(kind, _PROBE)


def trial_id(parts: Iterable[str]) -> TrialId:
    """The trial's id: the cells of its key columns joined by ``+``."""
    return TrialId(SEPARATOR.join(parts))
