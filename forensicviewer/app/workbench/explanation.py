"""What the window shows, explained in a sentence or two to somebody who sees it first."""

from __future__ import annotations

from forensicviewer.app.language.words import to_translate, tr
from forensicviewer.app.workbench.lens_work import lens_of
from forensicviewer.app.workbench.metric_values import ruled_scores
from forensicviewer.app.workbench.scope import Scope
from forensicviewer.app.workbench.snapping import threshold_on
from forensicviewer.app.workbench.state import Layer, Pane, SystemStyle, ViewState
from forensicviewer.core.model import Edition, Side
from forensicviewer.core.overlay import PaletteName

NOTHING_OPEN = to_translate(
    "Nothing is open: open a dataset and a submission, or the sample to look around"
)
PAGES = {
    Scope.STILLS: to_translate(
        "Every pane shows one layer of the trial, and below it stands which. All of them show the "
        "same place: the wheel zooms, dragging moves, and the strip below tells the pixel under "
        "the mouse. The threshold decides which pixels the system is taken to call manipulated."
    ),
    Scope.VIDEO: to_translate(
        "Above, the frame under the playhead. Below, one axis of frames and times with a lane "
        "each: operations of the journal, where the reference says the video is manipulated, where "
        "the system says so, and the outcome: hits, misses, false alarms and, hatched, what is not "
        "scored. Frame MCC is the score of each frame's mask. Press or drag to move the playhead; "
        "the big number is the score of all frames."
    ),
    Scope.GRAPH: to_translate(
        "Each card is an image, each arrow leads from an image to what was made of it. The "
        "reference and the system's answer are drawn as one: green with a tick is in both, grey "
        "with a bar is missing from the answer, red with a cross is a false alarm. The numbers at "
        "the right say how alike both graphs are, 1 being the same; the sliders leave out what the "
        "system is less sure of. The image you click is shown below, beside the probe."
    ),
}
_PICTURES = {
    Side.PROBE: to_translate("The probe: the picture this trial asks about"),
    Side.DONOR: to_translate("The donor: the picture something in the probe may come from"),
}
_IN_NIST_GREY = {
    SystemStyle.GREY: to_translate(
        "What {name} answers: black is surely manipulated, white surely not"
    ),
    SystemStyle.HEAT: to_translate(
        "What {name} answers: the warmer a pixel, the surer it is manipulated"
    ),
    SystemStyle.THRESHOLDED: to_translate(
        "What {name} answers: black is called manipulated at threshold {threshold}"
    ),
}
_IN_PLAIN_GREY = {
    SystemStyle.GREY: to_translate(
        "What {name} answers: white is surely manipulated, black surely not"
    ),
    SystemStyle.HEAT: _IN_NIST_GREY[SystemStyle.HEAT],
    SystemStyle.THRESHOLDED: to_translate(
        "What {name} answers: white is called manipulated at threshold {threshold}"
    ),
}


_BESIDE = {
    Layer.BASE: to_translate("The picture the probe was made from, before it was manipulated"),
    Layer.DIFFERENCE: to_translate(
        "How far the probe is from its base, four times as bright: black was left alone"
    ),
    Layer.CONTROL: to_translate("An image made and treated like the probe, but not manipulated"),
    Layer.EXAMPLE: to_translate(
        "An image known to be of the camera or event that the trial asks about"
    ),
}


def explain_pane(state: ViewState, pane: Pane) -> str:
    """What a pane shows and how to read it."""
    if pane.layer in _BESIDE:
        return tr(_BESIDE[pane.layer])
    match pane.layer:
        case Layer.PICTURE:
            return tr(_PICTURES[pane.side])
        case Layer.LENS:
            lens = lens_of(pane)
            return "" if lens is None else tr(lens.about)
        case Layer.EXTRA:
            return tr(
                "A further map that came with the prediction of {name}: {layer}",
                name=_name(state, pane),
                layer=pane.extra,
            )
        case Layer.REFERENCE if not state.speaks_nist:
            return tr(
                "Where the dataset says the picture is manipulated: white is manipulated, "
                "black was left alone"
            )
        case Layer.REFERENCE:
            return tr(
                "Where the dataset says the picture is manipulated: each colour is an operation "
                "of its journal, white was left alone"
            )
        case Layer.SYSTEM:
            return _system(state, pane)
        case _:
            return _comparison(state, pane)


def why_unscored(state: ViewState) -> str:
    """Why the trial looked at has no score; nothing where it has one."""
    loaded = state.loaded
    if loaded is None:
        return ""
    system = loaded.system(state.side, 0)
    if system is None:
        return tr("Open a submission to see how its score depends on the threshold")
    if system.sweep is None:
        return system.why or tr(loaded.on(state.side).reference_reason)
    if system.sweep.optimum is None:
        return tr("Not scored: every pixel lies in a no-score zone; smaller kernels leave some")
    return ""


def _name(state: ViewState, pane: Pane) -> str:
    found = state.rival_submission if pane.system else state.submission
    return tr("a submission") if found is None else found.name


def _system(state: ViewState, pane: Pane) -> str:
    readings = _IN_NIST_GREY if state.speaks_nist else _IN_PLAIN_GREY
    shown = state.shown_threshold(threshold_on(state, pane.side, system=pane.system))
    return tr(readings[state.look.system], name=_name(state, pane), threshold=shown)


def _comparison(state: ViewState, pane: Pane) -> str:
    threshold = threshold_on(state, pane.side, system=pane.system)
    colors = tr("the legend names the colours")
    if state.look.palette is PaletteName.NIST:
        colors = tr("green is a hit, blue a miss, red a false alarm, hatched is not scored")
    elif state.colors.source is Edition.NC2016:
        colors = tr("green is a hit, red a miss, blue a false alarm, beige is not scored")
    elif state.colors.source is not None:
        colors = tr("green is a hit, red a miss, orange a false alarm, purple is not scored")
    told = tr(
        "The answer against the reference at threshold {threshold}: {colors}",
        threshold=state.shown_threshold(threshold),
        colors=colors,
    )
    scores = ruled_scores(state, pane.side, pane.system, threshold)
    if not scores:
        return told
    mcc = f"{scores['MCC']:.3f}"
    return f"{told}. {tr('MCC {mcc}, where 1 is perfect and 0 is chance', mcc=mcc)}"
