"""What the status columns of a submission mean for masks: who opted out, and what failed."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from forensicviewer.app.masks.settings import MaskSettings
from forensicviewer.core.model import Edition, Side, TaskKind
from forensicviewer.core.problem import ProblemLog
from forensicviewer.core.rules import mask as switches

_OLD_COLUMN = "IsOptOut"
_NEW_COLUMN = "ProbeStatus"
_DONOR_COLUMN = "DonorStatus"
_OUT = {
    _OLD_COLUMN: frozenset({"Y", "Localization"}),
    _NEW_COLUMN: frozenset({"OptOutAll", "OptOutLocalization"}),
    _DONOR_COLUMN: frozenset({"OptOutLocalization"}),
}
_KNOWN = {
    _OLD_COLUMN: _OUT[_OLD_COLUMN] | {"N", "Detection", "FailedValidation"},
    _NEW_COLUMN: _OUT[_NEW_COLUMN]
    | {"Processed", "NonProcessed", "OptOutDetection", "FailedValidation"},
    _DONOR_COLUMN: _OUT[_DONOR_COLUMN] | {"Processed", "NonProcessed", "FailedValidation"},
}
_UNPROCESSED = ("", "NonProcessed", "FailedValidation")
# Words of videos: NIST's mask scorer knows neither them nor videos.
_VIDEO_OUT = frozenset({"OptOutSpatial"})
_VIDEO_KNOWN = _VIDEO_OUT | {"OptOutTemporal"}


@dataclass(frozen=True, slots=True)
class Statuses:
    """Reads the status of a trial from its cells.

    ``column`` decides; ``counting_words`` are the words that count as opted out of in the response
    rate, which NIST's program takes from the wrong column when it finds both.
    """

    column: str | None
    counting_words: Collection[str]
    is_splice: bool
    settings: MaskSettings
    is_video: bool = False

    @classmethod
    def of(
        cls,
        columns: Collection[str],
        *,
        kind: TaskKind,
        edition: Edition,
        settings: MaskSettings,
        log: ProblemLog,
    ) -> Statuses:
        """Choose among the columns the system wrote; in 2016 nobody could opt out."""
        is_splice, is_video = kind.has_donor, kind is TaskKind.VIDEO
        has_both = _OLD_COLUMN in columns and _NEW_COLUMN in columns
        if has_both and settings.chooses(switches.BothStatusColumns.CONFUSED):
            return cls(_OLD_COLUMN, _OUT[_NEW_COLUMN], is_splice, settings)
        if has_both:
            log.warn(
                "The submission has both IsOptOut and ProbeStatus; ProbeStatus decides",
                rule=switches.BothStatusColumns.key,
            )
        column = next((name for name in (_NEW_COLUMN, _OLD_COLUMN) if name in columns), None)
        if column is None and columns and edition is not Edition.NC2016:
            log.warn(
                "The submission has neither ProbeStatus nor IsOptOut; all its answers count",
                hint="NIST's program stops here",
                rule="mask-no-status",
            )
        words = _OUT.get(column or "", frozenset()) | (_VIDEO_OUT if is_video else frozenset())
        return cls(column, words, is_splice, settings, is_video)

    def is_opted_out(self, cells: Mapping[str, str]) -> bool:
        """Whether the whole trial is opted out of: a splice only when both of its sides are."""
        if self.column is None or cells.get(self.column, "") not in self.counting_words:
            return False
        if self.is_splice and self.column == _NEW_COLUMN:
            return cells.get(_DONOR_COLUMN, "") in self.counting_words
        return True

    def is_side_opted_out(self, cells: Mapping[str, str], side: Side) -> bool:
        column = self._column_of(side)
        if column is None:
            return False
        word = cells.get(column, "")
        return word in _OUT[column] or (self.is_video and word in _VIDEO_OUT)

    def has_failed(self, cells: Mapping[str, str], side: Side) -> bool:
        """Whether validation failed, which empties the mask."""
        column = self._column_of(side)
        return column is not None and cells.get(column, "") == "FailedValidation"

    def is_reported(self, cells: Mapping[str, str]) -> bool:
        """Whether NIST's program still reports the trial after leaving opted-out ones out."""
        if self.column is None:
            return True
        columns = [self.column]
        if self.is_splice and self.column == _NEW_COLUMN:
            columns.append(_DONOR_COLUMN)
        return any(cells.get(name, "") in self._known(name) - _OUT[name] for name in columns)

    def is_processed(self, cells: Mapping[str, str]) -> bool:
        """Whether the plans would count the trial as processed, opting out apart."""
        return self.column is None or cells.get(self.column, "") not in _UNPROCESSED

    def unknown_words(self, cells: Mapping[str, str]) -> list[str]:
        names = [name for name in (self.column, _DONOR_COLUMN) if name in cells]
        return [
            cells[name]
            for name in names
            if name is not None and cells[name] and cells[name] not in self._known(name)
        ]

    def _known(self, column: str) -> frozenset[str]:
        return _KNOWN[column] | (_VIDEO_KNOWN if self.is_video else frozenset())

    def _column_of(self, side: Side) -> str | None:
        if side is Side.DONOR and self.column == _NEW_COLUMN:
            return _DONOR_COLUMN
        return self.column
