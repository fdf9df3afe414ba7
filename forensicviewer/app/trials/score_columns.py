"""Which numbers the trial list shows of a task, and those that are known so far."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from forensicviewer.app.language.words import to_translate, tr
from forensicviewer.core.array import Floats
from forensicviewer.core.graph.filtering import cuts
from forensicviewer.core.model import Task, TaskKind
from forensicviewer.core.rules import MEDISCORE

MCC, NMM, THRESHOLD = "MCC", "NMM", to_translate("Threshold")
DONOR_MCC, DONOR_NMM = to_translate("Donor MCC"), to_translate("Donor NMM")
DONOR_THRESHOLD = to_translate("Donor threshold")
IMAGE_SCORE = "ImageScore"
ERROR, AGREEMENT = to_translate("Error"), to_translate("Agreement")
# The query that lists what systems do not agree on.
DISPUTED = f"{AGREEMENT} < 1"


@dataclass(frozen=True, slots=True)
class ScoreColumn:
    """One number per trial; what it tells stands in the tool tip.

    Of an error the highest is the worst, of every other number the lowest. One that is ``aside``
    is filtered and sorted by like the others, and shown once it is asked for.
    """

    name: str
    meaning: str
    digits: int = 3
    of_donor: bool = False
    is_error: bool = False
    is_aside: bool = False
    metric: str = ""

    @property
    def translated(self) -> ScoreColumn:
        meaning = tr(self.meaning, metric=self.metric) if self.metric else tr(self.meaning)
        if self.of_donor:
            meaning = tr("For the donor's mask: {meaning}", meaning=meaning)
        return replace(self, meaning=meaning)


_MCC = to_translate("Matthews correlation at the optimum threshold; 1 is perfect, 0 is chance")
_NMM = to_translate("NIST mask metric at the optimum threshold; 1 is perfect, -1 the lowest")
_THRESHOLD = to_translate("The optimum threshold on the dataset's own scale")
_MASK = (
    ScoreColumn(MCC, _MCC),
    ScoreColumn(NMM, _NMM),
    ScoreColumn(THRESHOLD, _THRESHOLD, digits=0),
)
_DONOR = (
    ScoreColumn(DONOR_MCC, _MCC, of_donor=True),
    ScoreColumn(DONOR_NMM, _NMM, of_donor=True),
    ScoreColumn(DONOR_THRESHOLD, _THRESHOLD, digits=0, of_donor=True),
)
_VIDEO = (
    ScoreColumn(
        MCC, to_translate("Matthews correlation over the frames; 1 is perfect, 0 is chance")
    ),
)
_BOTH = to_translate("Agreement of the nodes and links of both graphs; 1 is perfect, 0 none")
_NODES = to_translate("Agreement of the nodes of both graphs; 1 is perfect, 0 none")
_LINKS = to_translate("Agreement of the links of both graphs; 1 is perfect, 0 none")
_GRAPH = (
    ScoreColumn("SimNLO", _BOTH, digits=4),
    ScoreColumn("SimNO", _NODES, digits=4),
    ScoreColumn("SimLO", _LINKS, digits=4),
)
_GENAI = (
    ScoreColumn(
        ERROR,
        to_translate(
            "How far the score is from the correct answer; 0 is right, 1 is as wrong as possible"
        ),
        is_error=True,
    ),
    ScoreColumn(
        AGREEMENT,
        to_translate("Share of the open systems that agree with the majority on this image"),
        digits=2,
    ),
)
_TURNED = to_translate("{metric} of the inverted prediction, as IMDL-BenCo computes it")
_BETTER = to_translate("The higher of {metric} and its value for the inverted prediction")


def _modes(metric: str, *, but: str = "") -> tuple[ScoreColumn, ...]:
    """The columns of IMDL-BenCo's other two modes of a metric."""
    modes = (("inverse", _TURNED), ("permute", _BETTER))
    return tuple(
        ScoreColumn(f"{metric}_{mode}", meaning, is_aside=True, metric=metric)
        for mode, meaning in modes
        if mode != but
    )


_IMDL = (
    ScoreColumn("F1", to_translate("Pixel F1 of IMDL-BenCo at 0.5; 1 is perfect")),
    ScoreColumn("IoU", to_translate("Pixel IoU of IMDL-BenCo at 0.5; 1 is perfect")),
    ScoreColumn("AUC", to_translate("Pixel AUC, ties counting half; 0.5 is chance")),
    ScoreColumn("F1_best", to_translate("Pixel F1 at the best threshold of the image")),
    ScoreColumn("F1_inverse", to_translate("Pixel F1 at 0.5 of the inverted prediction")),
    ScoreColumn("Accuracy", to_translate("Pixel accuracy at 0.5")),
    *_modes("F1", but="inverse"),
    *(column for metric in ("IoU", "AUC", "Accuracy") for column in _modes(metric)),
    ScoreColumn(
        "AUC_benco",
        to_translate("Pixel AUC as IMDL-BenCo computes it: with ties it depends on a sort"),
        is_aside=True,
    ),
    *_modes("AUC_benco"),
    ScoreColumn(
        "F1_best_threshold",
        to_translate("The threshold at which F1_best is reached"),
        is_aside=True,
    ),
    ScoreColumn(
        IMAGE_SCORE,
        to_translate(
            "The image-level score of the model; without an image-level head, a score derived from"
            " the map"
        ),
        is_aside=True,
    ),
)
# The pixel metrics among them.
IMDL_COLUMNS = tuple(column.name for column in _IMDL if column.name != IMAGE_SCORE)
_OF_KIND = {
    TaskKind.MANIPULATION: _MASK,
    TaskKind.REMOVAL: _MASK,
    TaskKind.CAMERA: _MASK,
    TaskKind.SPLICE: (*_MASK, *_DONOR),
    TaskKind.VIDEO: _VIDEO,
    TaskKind.PROVENANCE: _GRAPH,
    TaskKind.GENAI: _GENAI,
    TaskKind.IMDL: _IMDL,
}


def score_columns(task: Task) -> tuple[ScoreColumn, ...]:
    """The numbers of a task's trials; the first of them says which trial is worse."""
    if task.kind is not TaskKind.FILTERING:
        return tuple(column.translated for column in _OF_KIND.get(task.kind, ()))
    return tuple(
        ScoreColumn(
            recall_name(length),
            tr("Share of the related images found among the first {length}", length=length),
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
