"""Lays out the files of the mask scorer: one row per trial, averages, and the journal."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from forensicviewer.app.masks.journal import Journal
from forensicviewer.app.masks.metrics import CELLS, METRICS, SideMetrics
from forensicviewer.app.masks.settings import MaskSettings
from forensicviewer.app.masks.trials import TrialRow, TrialSet
from forensicviewer.app.report.numbers import printed, printed_count
from forensicviewer.app.report.score_output import OutputTable
from forensicviewer.core.model import Side

_NAMES = ("TaskID", "ProbeFileID", "ProbeFileName", "ProbeMaskFileName")
_DONOR_NAMES = ("DonorFileID", "DonorFileName", "DonorMaskFileName")
_SUMMARY = ("OptimumNMM", "OptimumMCC", "OptimumBWL1", "GWL1", "AUC", "EER")
_ZONES = ("PixelN", "PixelBNS", "PixelSNS", "PixelPNS")
_MISSING_TEXT = ""


@dataclass(frozen=True, slots=True)
class ScoredTrial:
    """A trial with the numbers of each of its sides."""

    row: TrialRow
    sides: Mapping[Side, SideMetrics]

    def number(self, column: str) -> float:
        """The number under one of NIST's column names."""
        side, name = self._split(column)
        return self.sides[side].get(name)

    def _split(self, column: str) -> tuple[Side, str]:
        if len(self.sides) == 1:
            return Side.PROBE, column
        return (Side.PROBE if column[0] == "p" else Side.DONOR), column[1:]

    @property
    def is_scored(self) -> bool:
        return any(side.is_scored for side in self.sides.values())

    @property
    def is_fully_scored(self) -> bool:
        """Whether every side has an MCC, which is what NIST calls scored when filtering."""
        return all(not math.isnan(side.get("OptimumMCC")) for side in self.sides.values())


def _named(prefix: str, group: str, names: Sequence[str]) -> list[str]:
    return [f"{prefix}{group}{name}" for name in names]


def number_columns(*, is_splice: bool) -> list[str]:
    """All columns of numbers of the per-image file in their order; ``Scored`` is not among them."""
    if not is_splice:
        return [
            "OptimumThreshold",
            *_SUMMARY,
            "PixelN",
            *_named("", "OptimumPixel", CELLS),
            *_ZONES[1:],
            *_group("", "Maximum"),
            *_group("", "Actual"),
        ]
    summaries = [f"{p}{name}" for p in "pd" for name in ("OptimumThreshold", *_SUMMARY)]
    groups = [name for group in ("Maximum", "Actual") for p in "pd" for name in _group(p, group)]
    return summaries + groups


def pixel_columns(side: Side) -> list[str]:
    """The columns of a splice's pixels that stand after all others in the per-image file."""
    return [*_named(side.prefix, "OptimumPixel", CELLS), *_named(side.prefix, "", _ZONES)]


def _group(prefix: str, group: str) -> list[str]:
    return [*_named(prefix, group, METRICS), *_named(prefix, f"{group}Pixel", CELLS)]


def averaged_columns(*, is_splice: bool) -> list[str]:
    """The columns that are averaged, in the order of the file of averages."""
    groups = ("Maximum", "Actual")
    if not is_splice:
        averaged = [name for group in groups for name in _named("", group, METRICS)]
        return ["OptimumThreshold", *_SUMMARY, *averaged]
    summaries = [f"{p}{name}" for p in "pd" for name in ("OptimumThreshold", *_SUMMARY)]
    return summaries + [name for g in groups for p in "pd" for name in _named(p, g, METRICS)]


def is_count(column: str) -> bool:
    """Whether a column holds whole numbers: thresholds and pixels."""
    return "Threshold" in column or "Pixel" in column


def per_image_table(
    scored: Sequence[ScoredTrial], trials: TrialSet, settings: MaskSettings, *, is_splice: bool
) -> OutputTable:
    """``mask_scores_perimage.csv``: names, numbers, then every other column of both tables."""
    columns = per_image_columns(trials, is_splice=is_splice)
    rows = [_image_row(trial, columns, settings) for trial in scored]
    return OutputTable("mask_scores_perimage.csv", tuple(columns), tuple(rows))


def per_image_columns(trials: TrialSet, *, is_splice: bool) -> list[str]:
    numbers = number_columns(is_splice=is_splice)
    if is_splice:
        first = [*_NAMES, *_DONOR_NAMES, "IsTarget", "OutputProbeMaskFileName"]
        first += ["OutputDonorMaskFileName", "ConfidenceScore", *numbers]
        last = [name for side in Side for name in _side_columns(side)]
    else:
        at = numbers.index("PixelN")
        first = [*_NAMES, "IsTarget", "OutputProbeMaskFileName", "ConfidenceScore"]
        first += [*numbers[:at], "Scored", *numbers[at:]]
        last = ["ColMaskFileName", "AggMaskFileName"]
    known = {*first, *last}
    others = [*trials.reference_columns, *trials.system_columns]
    return [*first, *(name for name in others if name not in known), *last]


def _side_columns(side: Side) -> list[str]:
    return [
        f"{side.value}Scored",
        *pixel_columns(side),
        f"{side.value}ColMaskFileName",
        f"{side.value}AggMaskFileName",
    ]


def image_cells(trial: ScoredTrial, settings: MaskSettings, *, precision: int) -> dict[str, str]:
    """Everything about a trial as printed, by column; absent columns are blank."""
    cells = dict(trial.row.cells)
    for side, metrics in trial.sides.items():
        prefix = side.prefix if len(trial.sides) > 1 else ""
        scored = f"{side.value}Scored" if len(trial.sides) > 1 else "Scored"
        cells[scored] = "Y" if metrics.is_scored else "N"
        for name, value in metrics.numbers.items():
            if settings.threshold is None and name.startswith(("Maximum", "Actual")):
                continue
            cells[prefix + name] = (
                printed_count(value) if is_count(name) else printed(value, precision=precision)
            )
    return cells


def _image_row(
    trial: ScoredTrial, columns: Sequence[str], settings: MaskSettings
) -> tuple[str, ...]:
    cells = image_cells(trial, settings, precision=settings.precision)
    return tuple(cells.get(name, _MISSING_TEXT) for name in columns)


def journal_table(
    journal: Journal, asked: Sequence[bool], absent: Mapping[Side, set[str]], *, is_splice: bool
) -> OutputTable:
    """``journalResults.csv``: every operation, and whether it was evaluated.

    ``absent`` are the files, by side, whose masks show no selected region.
    """
    sides = list(Side) if is_splice else [Side.PROBE]
    flags = [f"{side.value}Evaluated" for side in sides] if is_splice else ["Evaluated"]
    rows = []
    for row, is_asked in zip(journal.rows, asked, strict=True):
        cells = [row.cells[name] for name in journal.columns]
        for side in sides:
            is_absent = row.cells.get(f"{side.value}FileID", "") in absent[side]
            cells.append("Y" if is_asked and not is_absent else "N")
        rows.append(tuple(cells))
    return OutputTable("journalResults.csv", (*journal.columns, *flags), tuple(rows))
