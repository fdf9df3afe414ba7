"""The rules that references are checked by, and what they find."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import cv2
import numpy as np

from forensicviewer.core.array import BoolImage
from forensicviewer.core.model import TrialId
from forensicviewer.core.problem import Severity

Rectangle = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of fault.

    ``rate`` is how many trials it suspects although nobody damaged them: 164 of the samples, 8 of a
    folder of images and masks and 17 of NIST's test suite, without those whose file or row is
    missing, or is there twice. Those it names are the suite's; looked at, they are faults, and no
    rule suspects any other (``python -m tests.plant_faults``).
    """

    name: str
    title: str
    severity: Severity
    remedy: str
    rate: str = "0 of 189"


_E, _W, _N = Severity.ERROR, Severity.WARNING, Severity.NOTE
RULES: tuple[Rule, ...] = (
    Rule("unreadable", "The mask is missing or cannot be read", _E, "Restore the mask file"),
    Rule("cut", "The mask file is truncated", _E, "Copy the mask file again"),
    Rule("empty", "The mask marks nothing", _E, "Draw the mask, or make the trial a non-target"),
    Rule("full", "The mask marks the whole image", _E, "Check the mask and its colours"),
    Rule("inverted", "The mask is inverted", _E, "Invert the mask"),
    Rule("orientation", "The mask is rotated by 90 degrees", _E, "Rotate the mask"),
    Rule(
        "size",
        "The size of the mask differs from that of the probe",
        _E,
        "Create the mask again at this size",
    ),
    Rule(
        "declared-size",
        "The index declares a different size than the probe has",
        _W,
        "Correct width and height in the index",
        "1 of 189",
    ),
    Rule(
        "transform",
        "The mask is moved, scaled, rotated, flipped or differs in thickness",
        _E,
        "Apply the transform to the mask",
    ),
    Rule(
        "other-trial",
        "The mask belongs to another trial",
        _E,
        "Enter the mask of this trial in the reference table",
    ),
    Rule(
        "unlike-change",
        "The mask does not cover the change",
        _W,
        "Compare the mask with the difference",
    ),
    Rule(
        "unmarked-change",
        "The probe changed outside the mask",
        _W,
        "Mark the area, or add the operation that changed it",
    ),
    Rule(
        "unchanged-part",
        "Part of the mask covers unchanged pixels",
        _W,
        "Remove this part from the mask",
    ),
    Rule(
        "too-large",
        "The mask covers many unchanged pixels",
        _W,
        "Redraw the mask along the change",
    ),
    Rule(
        "boundary",
        "The boundary of the mask is not where the change ends",
        _W,
        "Redraw the mask along the change",
    ),
    Rule(
        "no-change",
        "The probe looks like its base image",
        _W,
        "Check whether the probe is the manipulated image",
        "1 of 189",
    ),
    Rule(
        "operation-without-area",
        "An operation has no area in the mask",
        _E,
        "Draw its area, or correct its colour or bit plane",
    ),
    Rule(
        "mark-without-operation",
        "A colour or bit plane does not belong to any operation",
        _E,
        "Add the operation, or correct the mask",
    ),
    Rule(
        "colours-unlike-planes",
        "The colour mask and the bit planes differ",
        _E,
        "Create both from the same regions",
    ),
    Rule("specks", "The mask has specks", _W, "Remove the specks", "1 of 189"),
    Rule("holes", "The mask has small holes", _W, "Fill the holes", "2 of 189"),
    Rule(
        "torn", "The mask consists of thin lines or dots", _W, "Create the mask again", "1 of 189"
    ),
    Rule("frame", "The mask marks the border of the image", _E, "Remove the border from the mask"),
    Rule(
        "levels",
        "The grey levels of the mask differ from those of the dataset",
        _W,
        "Save the mask again with two levels and lossless compression",
    ),
    Rule(
        "pixel-size",
        "CompositePixelSize differs from the area of the mask",
        _W,
        "Correct CompositePixelSize",
        "1 of 189",
    ),
    Rule("journal", "Rows are missing from the journal", _E, "Restore the rows"),
    Rule("interval", "An interval exceeds the video", _E, "Correct the interval"),
    Rule("target", "A non-target trial has a marked mask", _W, "Correct IsTarget"),
    Rule("duplicate", "Two probes are the same file", _E, "Remove one of the trials"),
    Rule("same-mask", "Two probes have the same mask", _W, "Enter the correct mask for each probe"),
    Rule("near-duplicate", "Two probes are nearly the same", _W, "Remove one of the trials"),
    Rule("unchecked", "Not checked", _N, "Restore the file so that it can be checked"),
)
RULE_OF = {rule.name: rule for rule in RULES}


@dataclass(frozen=True, slots=True, eq=False)
class Suspect:
    """What a rule found about a trial. ``score`` from 0 to 1 ranks within a severity.

    ``spot`` are the pixels it is about, where they can be shown; ``place`` is the largest piece of
    them: left, top, width, height. ``mended`` is the correlation with the change that the remedy
    would bring about, where the rule knows it; ``other`` the row of another trial it is about;
    ``is_by_systems`` where only what systems agree on contradicts the mask.
    """

    rule: str
    evidence: str
    score: float = 0.5
    remedy: str = ""
    severity: Severity | None = None
    spot: BoolImage | None = field(default=None, repr=False)
    place: Rectangle | None = None
    mended: float = 0.0
    other: int | None = None
    is_by_systems: bool = False

    @property
    def level(self) -> Severity:
        return self.severity or RULE_OF[self.rule].severity

    def located(self) -> Suspect:
        """The suspect without its pixels, only with their place."""
        if self.spot is None or not self.spot.any():
            return self if self.spot is None else replace(self, spot=None)
        _, _, stats, _ = cv2.connectedComponentsWithStats(self.spot.astype(np.uint8))
        boxes = np.asarray(stats)[1:]
        largest = boxes[int(boxes[:, cv2.CC_STAT_AREA].argmax())].tolist()
        return replace(self, spot=None, place=(largest[0], largest[1], largest[2], largest[3]))

    @property
    def mending(self) -> str:
        return self.remedy or RULE_OF[self.rule].remedy


@dataclass(frozen=True, slots=True, eq=False)
class TrialSuspect:
    """A suspect trial of a task."""

    task: str
    trial: TrialId
    row: int
    suspect: Suspect


_RANK = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.NOTE: 2}


def ranked(suspects: Iterable[TrialSuspect]) -> tuple[TrialSuspect, ...]:
    """The most severe and certain first; equal ones in the order of the dataset."""
    return tuple(
        sorted(suspects, key=lambda one: (_RANK[one.suspect.level], -one.suspect.score, one.row))
    )
