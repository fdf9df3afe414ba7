"""Which numbers the trial list shows of a task, and those that are known so far."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from forensicviewer.core.array import Floats
from forensicviewer.core.filtering import cuts
from forensicviewer.core.model import Task, TaskKind
from forensicviewer.core.rules import MEDISCORE

MCC, NMM, THRESHOLD = "MCC", "NMM", "Threshold"
DONOR_MCC, DONOR_NMM, DONOR_THRESHOLD = "Donor MCC", "Donor NMM", "Donor threshold"


@dataclass(frozen=True, slots=True)
class ScoreColumn:
    """One number per trial; what it tells stands in the tool tip."""

    name: str
    meaning: str
    digits: int = 3


_MCC = "Matthews correlation at the optimum threshold; 1 is perfect, 0 is chance"
_NMM = "NIST mask metric at the optimum threshold; 1 is perfect, -1 the lowest"
_THRESHOLD = "The optimum threshold in the dataset's own terms"
_MASK = (
    ScoreColumn(MCC, _MCC),
    ScoreColumn(NMM, _NMM),
    ScoreColumn(THRESHOLD, _THRESHOLD, digits=0),
)
_DONOR = (
    ScoreColumn(DONOR_MCC, f"Of the donor's mask: {_MCC}"),
    ScoreColumn(DONOR_NMM, f"Of the donor's mask: {_NMM}"),
    ScoreColumn(DONOR_THRESHOLD, f"Of the donor's mask: {_THRESHOLD}", digits=0),
)
_VIDEO = (ScoreColumn(MCC, "Matthews correlation over the frames; 1 is perfect, 0 is chance"),)
_GRAPH = (
    ScoreColumn("SimNLO", "Nodes and links of both graphs that agree; 1 is perfect, 0 none", 4),
    ScoreColumn("SimNO", "Nodes of both graphs that agree; 1 is perfect, 0 none", 4),
    ScoreColumn("SimLO", "Links of both graphs that agree; 1 is perfect, 0 none", 4),
)
_OF_KIND = {
    TaskKind.MANIPULATION: _MASK,
    TaskKind.REMOVAL: _MASK,
    TaskKind.CAMERA: _MASK,
    TaskKind.SPLICE: (*_MASK, *_DONOR),
    TaskKind.VIDEO: _VIDEO,
    TaskKind.PROVENANCE: _GRAPH,
}


def score_columns(task: Task) -> tuple[ScoreColumn, ...]:
    """The numbers of a task's trials; the first of them says which trial is worse."""
    if task.kind is not TaskKind.FILTERING:
        return _OF_KIND.get(task.kind, ())
    return tuple(
        ScoreColumn(
            recall_name(length),
            f"The share of the images to find that are among the first {length}",
        )
        for length in recall_lengths(task)
    )


def recall_lengths(task: Task) -> tuple[int, ...]:
    """The list lengths recall is shown at, whatever rules are chosen for scoring."""
    return cuts(MEDISCORE, task.edition)


def recall_name(length: int) -> str:
    return f"Recall@{length}"


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """What scoring found so far, by column, one entry per trial; NaN where nothing is known.

    Once it ``is_complete``, a trial without a number has none.
    """

    trials: int
    values: Mapping[str, Floats]
    is_complete: bool = False

    @classmethod
    def unknown(cls, trials: int, columns: Sequence[ScoreColumn] = _MASK) -> Scores:
        return cls(trials, {column.name: np.full(trials, np.nan) for column in columns})

    def __getitem__(self, name: str) -> Floats:
        return self.values[name]

    def copy(self, *, is_complete: bool = False) -> Scores:
        values = {name: found.copy() for name, found in self.values.items()}
        return Scores(self.trials, values, is_complete)

    def put(self, row: int, numbers: Mapping[str, float | None]) -> None:
        """Write what is known of one trial."""
        for name, number in numbers.items():
            self.values[name][row] = np.nan if number is None else number
