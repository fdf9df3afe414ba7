"""A number somebody claims for a mask, with just the digits that were printed."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation

import numpy as np

from forensicviewer.app.masks.metrics import MaskScorer, SideMetrics
from forensicviewer.app.masks.settings import MaskSettings
from forensicviewer.core.array import Flags, Floats
from forensicviewer.core.model import Edition
from forensicviewer.core.problem import UsageError
from forensicviewer.core.score import ThresholdSweep, nist_threshold

RULED = ("MCC", "NMM", "BWL1")  # the rule set says how, and each has an optimum
WHOLE = ("AUC", "EER", "GWL1", "PixelN", "PixelBNS", "PixelSNS", "PixelPNS")
AT_THRESHOLD = {
    "F1": "f1",
    "IoU": "iou",
    "Precision": "precision",
    "Recall": "recall",
    "Accuracy": "accuracy",
    "PixelTP": "tp",
    "PixelFP": "fp",
    "PixelFN": "fn",
    "PixelTN": "tn",
}
METRICS = (*RULED, *WHOLE, *AT_THRESHOLD)
_NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d{1,2})?\Z")
_MOST_DIGITS = 40
_SLACK = 1e-12  # of what is compared in doubles before the exact number is asked for


@dataclass(frozen=True, slots=True)
class Claim:
    """One claimed number. ``text`` is as printed, and says how many digits are meant."""

    metric: str
    text: str

    @classmethod
    def of(cls, metric: str, text: str) -> Claim:
        """Read what a user wrote; metrics have NIST's names, with or without a prefix."""
        names = {name.casefold(): name for name in METRICS}
        plain = re.sub(r"\A(optimum|maximum|actual)", "", metric.strip().casefold())
        if plain not in names:
            raise UsageError(
                f"{metric!r} is not a metric", hint=f"choose one of {', '.join(METRICS)}"
            )
        number = text.strip().replace("\u2212", "-").replace(",", ".")
        if not _NUMBER.match(number) or len(number) > _MOST_DIGITS:
            raise UsageError(
                f"{text!r} is not a number", hint="write it as printed, for example 0.577"
            )
        return cls(names[plain], number)

    @property
    def value(self) -> Decimal:
        try:
            return Decimal(self.text)
        except InvalidOperation as error:
            raise UsageError(f"{self.text!r} is not a number") from error

    @property
    def decimals(self) -> int:
        """Digits after the point."""
        exponent = self.value.as_tuple().exponent
        return max(0, -exponent) if isinstance(exponent, int) else 0

    @property
    def half_unit(self) -> Decimal:
        """Half of the last printed digit: a number this close is printed so."""
        exponent = self.value.as_tuple().exponent
        return Decimal(5).scaleb((exponent if isinstance(exponent, int) else 0) - 1)

    def is_met_by(self, number: float) -> bool:
        """Whether a number, rounded to the printed digits, is the claim; halves go either way."""
        if not math.isfinite(number):
            return False
        return abs(Decimal(repr(float(number))) - self.value) <= self.half_unit

    def near(self, numbers: Floats) -> Flags:
        """Where numbers in doubles may meet the claim."""
        reach = float(self.half_unit) + _SLACK
        with np.errstate(invalid="ignore"):
            return np.asarray(np.abs(numbers - float(self.value)) <= reach)


def parse_claims(text: str) -> tuple[Claim, ...]:
    """The claims of a line such as ``MCC 0.577, NMM = 0.31``; a bare number is an MCC."""
    found = re.findall(r"(?:([A-Za-z][A-Za-z0-9]*)\s*[:=\s]\s*)?([^\s;]+)", text)
    if not found:
        raise UsageError("No number is claimed", hint="write the number as MCC 0.577")
    return tuple(Claim.of(metric or "MCC", number.rstrip(",")) for metric, number in found)


@dataclass(frozen=True, slots=True)
class Measured:
    """Every number of one side of a trial under one set of settings, at all thresholds."""

    sweep: ThresholdSweep
    settings: MaskSettings
    edition: Edition
    is_omitted: bool = False

    def at_optimum(self, metric: str) -> float:
        """The number at the threshold of the largest MCC, as ``score mask`` writes it."""
        if metric in RULED:
            return self._written(None).get(f"Optimum{metric}")
        if metric in WHOLE:
            return self._written(None).get(metric)
        optimum = self.sweep.optimum
        return math.nan if optimum is None else float(self._array(metric)[optimum])

    def at(self, metric: str, t: int) -> float:
        """The number at a threshold; the same everywhere where it has none."""
        if metric in WHOLE:
            return self.at_optimum(metric)
        if metric in RULED:
            return self._written(nist_threshold(t)).get(f"Actual{metric}")
        return float(self._array(metric)[t])

    def _written(self, threshold: int | None) -> SideMetrics:
        """What ``score mask`` writes with such a threshold."""
        settings = replace(self.settings, threshold=threshold)
        return MaskScorer(settings, self.edition).metrics(self.sweep, is_omitted=self.is_omitted)

    def thresholds_meeting(self, claims: tuple[Claim, ...]) -> tuple[int, ...]:
        """The thresholds 0 … 256 at which all claims are met."""
        if self.sweep.scored == 0:
            return ()
        near = np.ones(len(self.sweep.tp), np.bool_)
        for claim in claims:
            if claim.metric in WHOLE:
                if not claim.is_met_by(self.at_optimum(claim.metric)):
                    return ()
            elif self._follows_sweep(claim.metric):
                near &= claim.near(self._array(claim.metric))
        return tuple(
            int(t)
            for t in np.flatnonzero(near)
            if all(claim.is_met_by(self.at(claim.metric, int(t))) for claim in claims)
        )

    def _follows_sweep(self, metric: str) -> bool:
        """Whether the array of the sweep is the number; some rules change it afterwards."""
        return metric not in RULED or (metric != "BWL1" and not self.is_omitted)

    def _array(self, metric: str) -> Floats:
        if metric == "MCC":
            return self.sweep.rough_mcc
        name = AT_THRESHOLD.get(metric, metric.lower())
        return np.asarray(getattr(self.sweep, name), np.float64)
