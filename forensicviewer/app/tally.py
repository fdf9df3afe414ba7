"""How many pixels became what, as the legend tells it."""

from __future__ import annotations

from dataclasses import dataclass

from forensicviewer.app.state import ViewState
from forensicviewer.app.trialview import LoadedSystem, Side
from forensicviewer.app.units import AreaUnit, said_area
from forensicviewer.core.overlay import SCORED, Outcome


@dataclass(frozen=True, slots=True)
class Tally:
    """One line of the legend. ``share`` is of the scored pixels, for zones of all pixels."""

    outcome: Outcome
    pixels: int
    share: float
    of_pixels: int

    def said(self, unit: AreaUnit) -> str:
        return said_area(self.pixels, self.of_pixels, unit, share=self.share)


def tallies(state: ViewState, *, side: Side | None = None, system: int = 0) -> tuple[Tally, ...]:
    """The legend of a system at its threshold; zones the trial does not have are left out."""
    loaded = state.loaded
    if loaded is None:
        return ()
    found = loaded.system(side or state.side, system)
    if found is None or found.sweep is None or found.regions is None:
        return ()
    confusion = found.sweep.at(state.threshold(system))
    counts = (confusion.tp, confusion.fn, confusion.fp, confusion.tn)
    scored = tuple(
        Tally(outcome, count, count / max(1, confusion.total), found.regions.codes.size)
        for outcome, count in zip(SCORED, counts, strict=True)
    )
    return scored + _zones(found)


def _zones(system: LoadedSystem) -> tuple[Tally, ...]:
    regions = system.regions
    assert regions is not None
    counts = {
        Outcome.BOUNDARY: regions.boundary_px,
        Outcome.UNSELECTED: regions.unselected_px,
        Outcome.OPT_OUT: regions.opt_out_px,
    }
    pixels = max(1, regions.codes.size)
    return tuple(
        Tally(outcome, count, count / pixels, pixels) for outcome, count in counts.items() if count
    )
