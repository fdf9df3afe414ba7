"""Outcomes of single pixels and the colours they are shown in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum
from types import MappingProxyType
from typing import TypeAlias

from forensicviewer.core.model import Edition

Rgb: TypeAlias = tuple[int, int, int]


class Outcome(Enum):
    """The outcome of a pixel; the last four are reasons why it is not scored."""

    HIT = "hit"
    MISS = "miss"
    FALSE_ALARM = "false alarm"
    CORRECT_REJECTION = "correct rejection"
    BOUNDARY = "boundary no-score zone"
    UNSELECTED = "unselected no-score zone"
    OPT_OUT = "opted out"
    OUTSIDE = "outside the mask"

    @property
    def is_scored(self) -> bool:
        return self in SCORED

    @property
    def is_error(self) -> bool:
        return self in (Outcome.MISS, Outcome.FALSE_ALARM)

    @property
    def short(self) -> str:
        """The short name for tables and legends; NIST's if there is one."""
        return _SHORT[self]


_SHORT = {
    Outcome.HIT: "TP",
    Outcome.MISS: "FN",
    Outcome.FALSE_ALARM: "FP",
    Outcome.CORRECT_REJECTION: "TN",
    Outcome.BOUNDARY: "BNS",
    Outcome.UNSELECTED: "SNS",
    Outcome.OPT_OUT: "PNS",
    Outcome.OUTSIDE: "–",  # noqa: RUF001 - a dash to read, not a minus to compute with
}
SCORED = (Outcome.HIT, Outcome.MISS, Outcome.FALSE_ALARM, Outcome.CORRECT_REJECTION)
NO_SCORE = (Outcome.BOUNDARY, Outcome.UNSELECTED, Outcome.OPT_OUT, Outcome.OUTSIDE)


class PaletteName(Enum):
    """The palettes a user can choose from."""

    NIST = "NIST"
    OKABE_ITO = "Okabe–Ito"  # noqa: RUF001 - two people's names are joined by a dash
    HIGH_CONTRAST = "High contrast"
    PLAN = "Evaluation plan"


@dataclass(frozen=True, slots=True)
class Palette:
    """A colour for each outcome; ``is_crossed`` hatches the boundary zone in both directions.

    ``source`` is the evaluation whose plan names the colours; of other palettes there is none.
    """

    name: PaletteName
    colors: Mapping[Outcome, Rgb]
    is_crossed: bool = False
    source: Edition | None = None

    def __getitem__(self, outcome: Outcome) -> Rgb:
        return self.colors[outcome]


def palette(name: PaletteName, edition: Edition = Edition.UNKNOWN) -> Palette:
    """The colours of a name; those of the plans differ by year.

    MFC2018 had no plan of its own; it and what is not NIST's get those of MFC2019.
    """
    if name is not PaletteName.PLAN:
        return _PALETTES[name]
    return _PLANS.get(edition, _PLANS[Edition.MFC2019])


def _made(name: PaletteName, *colors: Rgb) -> Palette:
    return Palette(name, MappingProxyType(dict(zip(Outcome, colors, strict=True))))


# Of the plans, section 6.2.1 of each. NC2016: "green", "red", "blue", "white", and the beige of its
# figure 6; NC2017 and MFC2019: "solid orange" for false alarms, "cross-hatched purple" for what is
# not scored. The plans know one no-score zone; lighter and darker shades tell the others apart.
def _plan(edition: Edition) -> Palette:
    is_first = edition is Edition.NC2016
    zones = (
        ((245, 222, 179), (210, 190, 150), (160, 140, 105))
        if is_first
        else ((148, 60, 190), (205, 160, 225), (90, 20, 120))
    )
    colors = (
        (0, 170, 60),
        (220, 0, 0),
        (40, 70, 255) if is_first else (255, 150, 0),
        (255, 255, 255),
        *zones,
        (128, 128, 128),
    )
    made = _made(PaletteName.PLAN, *colors)
    return replace(made, is_crossed=not is_first, source=edition)


_PLANS = {edition: _plan(edition) for edition in (Edition.NC2016, Edition.NC2017, Edition.MFC2019)}
# In the order of Outcome. NIST's are the constants of its scorer's overlay images; Okabe and Ito's
# are told apart with every common kind of colour blindness; the third keeps a luminance order, so
# that it survives a black-and-white printer.
_PALETTES = {
    PaletteName.NIST: _made(
        PaletteName.NIST,
        (0, 207, 0),
        (51, 51, 255),
        (255, 0, 0),
        (255, 255, 255),
        (255, 255, 0),
        (255, 182, 193),
        (148, 0, 211),
        (128, 128, 128),
    ),
    PaletteName.OKABE_ITO: _made(
        PaletteName.OKABE_ITO,
        (0, 158, 115),
        (0, 114, 178),
        (213, 94, 0),
        (255, 255, 255),
        (240, 228, 66),
        (86, 180, 233),
        (204, 121, 167),
        (128, 128, 128),
    ),
    PaletteName.HIGH_CONTRAST: _made(
        PaletteName.HIGH_CONTRAST,
        (0, 255, 255),
        (255, 0, 255),
        (255, 64, 0),
        (255, 255, 255),
        (255, 255, 0),
        (170, 170, 255),
        (90, 0, 140),
        (96, 96, 96),
    ),
}
