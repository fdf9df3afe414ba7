"""Submissions of the sample's systems: tables and masks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from forensicviewer.core.array import BoolImage
from forensicviewer.sources.sample.probes import SampleProbe, SpliceProbe
from forensicviewer.sources.sample.systems import OPT_OUT_LEVEL, Quality, System
from forensicviewer.sources.sample.writing import Folder, Row


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a year's submissions spell things."""

    mask: str = "OutputProbeMaskFileName"
    status: str = "ProbeStatus"
    processed: str = "Processed"
    opted_out: str = "OptOutLocalization"
    has_opt_out_level: bool = True


NC2016 = Dialect("ProbeOutputMaskFileName", "", "", "", has_opt_out_level=False)
NC2017 = Dialect(
    "OutputProbeMaskFileName", "IsOptOut", "N", "Localization", has_opt_out_level=False
)
MFC = Dialect()


@dataclass(frozen=True, slots=True)
class Answerer:
    """One system writing one submission."""

    folder: Folder
    submission: str
    system: System
    dialect: Dialect

    def answer_probes(self, probes: Sequence[SampleProbe]) -> None:
        """Answers about manipulated probes, with a mask for each."""
        columns = ["ProbeFileID", "ConfidenceScore", self.dialect.mask]
        rows = [
            self._row(probe, number) for number, probe in enumerate(probes) if self._answers(number)
        ]
        self.table([*columns, *self._status_columns("Probe")], rows)

    def answer_pairs(self, pairs: Sequence[SpliceProbe]) -> None:
        """Answers about splices, with a mask for each side."""
        donor_mask = self.dialect.mask.replace("Probe", "Donor")
        columns = ["ProbeFileID", "DonorFileID", "ConfidenceScore", self.dialect.mask, donor_mask]
        columns += [name for name in (self.dialect.status,) if name]
        if self.dialect.has_opt_out_level:
            columns += ["DonorStatus", "ProbeOptOutPixelValue", "DonorOptOutPixelValue"]
        rows = [
            self._pair_row(pair, number)
            for number, pair in enumerate(pairs)
            if self._answers(number)
        ]
        self.table(columns, rows)

    def table(self, columns: Sequence[str], rows: Sequence[Row]) -> None:
        """The submission's table."""
        self.folder.table(f"{self.submission}/{self.submission}.csv", columns, rows)

    def _status_columns(self, who: str) -> list[str]:
        names = [self.dialect.status] if self.dialect.status else []
        return [*names, f"{who}OptOutPixelValue"] if self.dialect.has_opt_out_level else names

    def _answers(self, number: int) -> bool:
        return self.system.quality is not Quality.PARTIAL or number % 3 != 1

    def _row(self, probe: SampleProbe, number: int) -> Row:
        cells = {"ProbeFileID": probe.media.id}
        if self._opts_out(number):
            return {**cells, "ConfidenceScore": "0", self.dialect.status: self.dialect.opted_out}
        confidence = self.system.confidence(is_target=probe.is_target, seed=number)
        mask = self._mask(f"{probe.media.id}-mask", probe.area, number)
        return {
            **cells,
            "ConfidenceScore": f"{confidence:g}",
            self.dialect.mask: mask,
            self.dialect.status: self.dialect.processed,
            "ProbeOptOutPixelValue": self._opt_out_level(),
        }

    def _pair_row(self, pair: SpliceProbe, number: int) -> Row:
        name = f"{pair.probe.media.id}-{pair.donor.id}"
        confidence = self.system.confidence(is_target=pair.is_target, seed=number)
        return {
            "ProbeFileID": pair.probe.media.id,
            "DonorFileID": pair.donor.id,
            "ConfidenceScore": f"{confidence:g}",
            self.dialect.mask: self._mask(f"{name}-probe", pair.probe_area, number),
            self.dialect.mask.replace("Probe", "Donor"): self._mask(
                f"{name}-donor", pair.donor_area, number + 50
            ),
            self.dialect.status: self.dialect.processed,
            "DonorStatus": "Processed",
            "ProbeOptOutPixelValue": self._opt_out_level(),
            "DonorOptOutPixelValue": self._opt_out_level(),
        }

    def _opts_out(self, number: int) -> bool:
        return self.system.quality is Quality.CAREFUL and number % 4 == 2

    def _opt_out_level(self) -> str:
        return str(OPT_OUT_LEVEL) if self.system.quality is Quality.CAREFUL else ""

    def _mask(self, name: str, area: BoolImage, seed: int) -> str:
        """Write a mask; the partial system names no mask where it found nothing."""
        if self.system.quality is Quality.PARTIAL and not np.any(area):
            return ""
        relative = f"mask/{name}.png"
        levels = self.system.levels(area, seed=seed)
        self.folder.grey(f"{self.submission}/{relative}", levels)
        return relative
