"""How many pixels became what, as the legend tells it."""

from __future__ import annotations

from dataclasses import dataclass

from forensicviewer.app.state import ViewState
from forensicviewer.app.trialview import LoadedSystem, Side
from forensicviewer.app.words import decimal, whole
from forensicviewer.core.overlay import SCORED, Outcome


@dataclass(frozen=True, slots=True)
class Tally:
    """One line of the legend. ``share`` is of the scored pixels, for zones of all pixels."""

    outcome: Outcome
    pixels: int
    share: float

    @property
    def text(self) -> str:
        return f"{whole(self.pixels)} px · {percent(self.share)}"


def percent(share: float) -> str:
    """A share people read at a glance; what is there is never said to be nothing."""
    if 0 < share < 0.0005:
        return f"< {decimal(0.1, 1)} %"
    return f"{decimal(100 * share, 1)} %"


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
        Tally(outcome, count, count / max(1, confusion.total))
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
        Tally(outcome, count, count / pixels) for outcome, count in counts.items() if count
    )
