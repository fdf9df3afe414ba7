"""What the outcomes of pixels are called and mean, and how many pixels became which."""

from __future__ import annotations

from dataclasses import dataclass

from forensicviewer.app.language.units import AreaUnit, format_area
from forensicviewer.app.language.words import to_translate, tr
from forensicviewer.app.workbench.loaded_trial import LoadedSystem
from forensicviewer.app.workbench.snapping import threshold_on
from forensicviewer.app.workbench.state import Layer, ViewState
from forensicviewer.core.model import Side, TaskKind
from forensicviewer.core.palette import SCORED, Outcome, PaletteName

OUTCOME_NAMES = {
    Outcome.HIT: to_translate("Hit"),
    Outcome.MISS: to_translate("Miss"),
    Outcome.FALSE_ALARM: to_translate("False alarm"),
    Outcome.CORRECT_REJECTION: to_translate("Correct rejection"),
    Outcome.BOUNDARY: to_translate("Boundary zone"),
    Outcome.UNSELECTED: to_translate("Unselected zone"),
    Outcome.OPT_OUT: to_translate("Opted out"),
}
OUTCOME_MEANINGS = {
    Outcome.HIT: to_translate("Called manipulated, and manipulated"),
    Outcome.MISS: to_translate("Manipulated, but not called manipulated"),
    Outcome.FALSE_ALARM: to_translate("Called manipulated, but not manipulated"),
    Outcome.CORRECT_REJECTION: to_translate("Neither called manipulated nor manipulated"),
    Outcome.BOUNDARY: to_translate("Not scored: too close to the boundary of a selected region"),
    Outcome.UNSELECTED: to_translate("Not scored: changed by unselected operations"),
    Outcome.OPT_OUT: to_translate("Not scored: the system opted out"),
}
_MARGIN = (
    to_translate("Unscored margin"),
    to_translate("Not scored: the prediction does not cover these pixels"),
)
_ANSWERS = (Layer.SYSTEM, Layer.COMPARISON)


def outcome_words(state: ViewState, outcome: Outcome) -> tuple[str, str]:
    """What an outcome is called and means in the open dataset."""
    if is_margin(state, outcome):
        return tr(_MARGIN[0]), tr(_MARGIN[1])
    return tr(OUTCOME_NAMES[outcome]), tr(OUTCOME_MEANINGS[outcome])


def is_margin(state: ViewState, outcome: Outcome) -> bool:
    """Whether these pixels lie beyond the prediction: nobody opts out of such datasets."""
    is_imdl = state.task is not None and state.task.kind is TaskKind.IMDL
    return outcome is Outcome.OPT_OUT and is_imdl


def is_zone_of_others(state: ViewState, outcome: Outcome) -> bool:
    """Whether images and masks know no such zone, unless a prediction has a margin."""
    is_imdl = state.task is not None and state.task.kind is TaskKind.IMDL
    return outcome not in SCORED and is_imdl


@dataclass(frozen=True, slots=True)
class LegendCount:
    """One line of the legend. ``share`` is of the scored pixels, for zones of all pixels."""

    outcome: Outcome
    pixels: int
    share: float
    of_pixels: int

    def format(self, unit: AreaUnit) -> str:
        return format_area(self.pixels, self.of_pixels, unit, share=self.share)


@dataclass(frozen=True, slots=True)
class Counted:
    """Whose pixels are counted: those of a system on a side."""

    side: Side
    system: int


def current_counted(state: ViewState) -> Counted:
    """What the active pane shows the answer of, or else the first system."""
    pane = state.active_pane
    is_answer = pane.layer in _ANSWERS and state.rival is not None
    return Counted(state.side, pane.system if is_answer else 0)


def printed_counted(state: ViewState) -> tuple[Counted, ...]:
    """Every comparison on the screen: nobody can point at another one."""
    panes = (pane for pane in state.shown_panes if pane.layer is Layer.COMPARISON)
    found = tuple(dict.fromkeys(Counted(pane.side, pane.system) for pane in panes))
    return found or (current_counted(state),)


def describe_counted(state: ViewState, counted: Counted) -> str:
    """The system and the side; nothing where there is only one of each."""
    parts = []
    submission = state.submission_of(counted.system)
    if submission is not None and state.rival is not None:
        parts.append(submission.name)
    if state.loaded is not None and state.loaded.donor is not None:
        parts.append(tr("Donor side") if counted.side is Side.DONOR else tr("Probe side"))
    return " · ".join(parts)


def describe_colors(state: ViewState) -> str:
    """Whose colours these are: red is a miss in the plans and a false alarm in NIST's program."""
    colors = state.colors
    if colors.source is not None:
        return tr("Colours of the {edition} plan, section 6.2.1", edition=colors.source.value)
    if colors.name is PaletteName.NIST:
        return tr("Colours of NIST's scorer")
    return tr("Colours: {name}", name=tr(colors.name.value))


def legend_counts(state: ViewState, counted: Counted | None = None) -> tuple[LegendCount, ...]:
    """The legend of a system at its threshold; zones the trial does not have are left out."""
    counted = counted or current_counted(state)
    if state.loaded is None:
        return ()
    found = state.loaded.system(counted.side, counted.system)
    if found is not None and found.alarms:
        return _alarmed(found.alarms, threshold_on(state, counted.side, system=counted.system))
    if found is None or found.sweep is None or found.regions is None:
        return ()
    confusion = found.sweep.at(threshold_on(state, counted.side, system=counted.system))
    counts = (confusion.tp, confusion.fn, confusion.fp, confusion.tn)
    scored = tuple(
        LegendCount(outcome, count, count / max(1, confusion.total), found.regions.codes.size)
        for outcome, count in zip(SCORED, counts, strict=True)
    )
    return scored + _zones(found)


def _alarmed(alarms: tuple[int, ...], threshold: int) -> tuple[LegendCount, ...]:
    """The parts of an image that was not manipulated."""
    pixels, called = alarms[0], alarms[threshold]
    counts = {Outcome.FALSE_ALARM: called, Outcome.CORRECT_REJECTION: pixels - called}
    return tuple(
        LegendCount(outcome, count, count / max(1, pixels), pixels)
        for outcome, count in counts.items()
    )


def _zones(system: LoadedSystem) -> tuple[LegendCount, ...]:
    regions = system.regions
    assert regions is not None
    counts = {
        Outcome.BOUNDARY: regions.boundary_px,
        Outcome.UNSELECTED: regions.unselected_px,
        Outcome.OPT_OUT: regions.opt_out_px,
    }
    pixels = max(1, regions.codes.size)
    return tuple(
        LegendCount(outcome, count, count / pixels, pixels)
        for outcome, count in counts.items()
        if count
    )
