"""What the window shows, explained in a sentence or two to somebody who sees it first."""

from __future__ import annotations

from forensicviewer.app.language.words import to_translate, tr
from forensicviewer.app.workbench.lens_work import lens_of
from forensicviewer.app.workbench.metric_values import ruled_scores
from forensicviewer.app.workbench.scope import Scope
from forensicviewer.app.workbench.snapping import threshold_on
from forensicviewer.app.workbench.state import Layer, Pane, SystemStyle, ViewState
from forensicviewer.core.model import Edition, Side
from forensicviewer.core.palette import PaletteName

NOTHING_OPEN = to_translate("Nothing is open: open a dataset and a submission, or open the sample")
PAGES = {
    Scope.STILLS: to_translate(
        "Each pane shows one layer of the trial, named below the pane. All panes show the "
        "same place: use the wheel to zoom and drag to move; the strip at the bottom shows "
        "the pixel under the mouse. The threshold decides which pixels count as called "
        "manipulated."
    ),
    Scope.VIDEO: to_translate(
        "The upper part shows the current frame. Below it, all lanes share one axis of "
        "frames and times: the operations of the journal, the manipulated intervals of the "
        "reference and of the system, and the outcome: hits, misses, false alarms and, "
        "hatched, what is not scored. Frame MCC is the score of each frame's mask. Click or "
        "drag to move the playhead; the large number is the score of all frames."
    ),
    Scope.GRAPH: to_translate(
        "Each card is an image; each arrow leads from an image to one made from it. The "
        "graphs of the reference and the system are drawn as one: green with a tick is in "
        "both, grey with a bar is missing from the answer, red with a cross is a false "
        "alarm. The numbers on the right measure how similar the graphs are (1: identical); "
        "the sliders hide images and links of low confidence. The image you click is shown "
        "below, beside the probe."
    ),
}
_PICTURES = {
    Side.PROBE: to_translate("The probe: the image this trial asks about"),
    Side.DONOR: to_translate("The donor: the image from which part of the probe may come"),
}
_IN_NIST_GREY = {
    SystemStyle.GREY: to_translate(
        "Output of {name}: black is certainly manipulated, white certainly not"
    ),
    SystemStyle.HEAT: to_translate(
        "Output of {name}: the warmer the colour, the more certain the manipulation"
    ),
    SystemStyle.THRESHOLDED: to_translate(
        "Output of {name}: black is called manipulated at threshold {threshold}"
    ),
}
_IN_PLAIN_GREY = {
    SystemStyle.GREY: to_translate(
        "Output of {name}: white is certainly manipulated, black certainly not"
    ),
    SystemStyle.HEAT: _IN_NIST_GREY[SystemStyle.HEAT],
    SystemStyle.THRESHOLDED: to_translate(
        "Output of {name}: white is called manipulated at threshold {threshold}"
    ),
}


_BESIDE = {
    Layer.BASE: to_translate("The base image: the probe before its manipulation"),
    Layer.DIFFERENCE: to_translate(
        "The difference between the probe and its base image, amplified four times: black is "
        "unchanged"
    ),
    Layer.CONTROL: to_translate("An image made and processed like the probe, but not manipulated"),
    Layer.EXAMPLE: to_translate(
        "An image known to come from the camera or event that the trial asks about"
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
                "An additional map from the prediction of {name}: {layer}",
                name=_name(state, pane),
                layer=pane.extra,
            )
        case Layer.REFERENCE if not state.speaks_nist:
            return tr("The reference mask: white is manipulated, black is unchanged")
        case Layer.REFERENCE:
            return tr(
                "The reference mask: each colour is an operation of the journal, white is unchanged"
            )
        case Layer.SYSTEM:
            return _system(state, pane)
        case _:
            return _comparison(state, pane)


def why_unscored(state: ViewState) -> str:
    """Why the current trial has no score; nothing where it has one."""
    loaded = state.loaded
    if loaded is None:
        return ""
    system = loaded.system(state.side, 0)
    if system is None:
        return tr("Open a submission to see how its score depends on the threshold")
    if system.sweep is None:
        return system.why or tr(loaded.on(state.side).reference_reason)
    if system.sweep.optimum is None:
        return tr(
            "Not scored: every pixel is in a no-score zone; smaller kernels would leave "
            "pixels to score"
        )
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
    colors = tr("see the legend for the colours")
    if state.look.palette is PaletteName.NIST:
        colors = tr("green is a hit, blue a miss, red a false alarm, hatched is not scored")
    elif state.colors.source is Edition.NC2016:
        colors = tr("green is a hit, red a miss, blue a false alarm, beige is not scored")
    elif state.colors.source is not None:
        colors = tr("green is a hit, red a miss, orange a false alarm, purple is not scored")
    text = tr(
        "The system mask compared with the reference at threshold {threshold}: {colors}",
        threshold=state.shown_threshold(threshold),
        colors=colors,
    )
    scores = ruled_scores(state, pane.side, pane.system, threshold)
    if not scores:
        return text
    mcc = f"{scores['MCC']:.3f}"
    return f"{text}. {tr('MCC {mcc}, where 1 is perfect and 0 is chance', mcc=mcc)}"
