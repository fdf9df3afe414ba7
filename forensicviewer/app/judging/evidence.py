"""What a verdict rests on, as words for its log: what was seen, where, and of which files."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from forensicviewer import __version__
from forensicviewer.app.report.numbers import printed
from forensicviewer.app.workbench.metric_values import ruled_scores
from forensicviewer.app.workbench.state import Viewpoint, ViewState
from forensicviewer.core.model import Side, Task, TrialId
from forensicviewer.core.problem import ForensicViewerError
from forensicviewer.sources.files.paths import resolve
from forensicviewer.sources.media.images import digest

Pin = tuple[int, int]

SUBMISSION, PLACE, CENTRE, ZOOM = "Submission", "Place", "Centre of view", "Zoom"
PICTURE = "Image of the place"
# Whole videos would take minutes to read for a line of a log.
_MOST_BYTES = 1 << 28


def seen(state: ViewState, pin: Pin | None) -> dict[str, str]:
    """What is shown of the open trial; ``pin`` is the pixel the verdict is about."""
    found: dict[str, str] = {}
    if pin is not None:
        found[PLACE] = f"{pin[0]}, {pin[1]}"
        if state.cursor_side is Side.DONOR:
            found[PICTURE] = Side.DONOR.word
    viewpoint = state.viewpoint(state.arrangement.active)
    if viewpoint is not None:
        found[CENTRE] = f"{viewpoint.x:.1f}, {viewpoint.y:.1f}"
        found[ZOOM] = f"{100 * viewpoint.scale:.1f} %"
    return {**found, **seen_of_system(state)}


def seen_of_system(state: ViewState) -> dict[str, str]:
    """Which system a verdict is about, and its score where it is on screen."""
    found = {"Program": f"forensicviewer {__version__}"}
    if state.submission is None:
        return found
    threshold = state.thresholds.main
    found |= {SUBMISSION: state.submission.name, "Rules": state.rules.label}
    if state.moment is not None and state.moment.mcc is not None:
        found["Video MCC"] = printed(state.moment.mcc)
    scores = ruled_scores(state, state.side, 0, threshold) if state.is_current else {}
    if scores:
        found["Threshold"] = str(state.shown_threshold(threshold))
        found["MCC"] = printed(scores["MCC"])
    return found


def digests(task: Task, trial_id: TrialId) -> dict[str, str]:
    """SHA-256 of the trial's image and reference; of what cannot be read there is none."""
    trial = task.find_trial(trial_id)
    if trial is None:
        return {}
    named = {
        "Probe SHA-256": trial.probe.name,
        "Reference SHA-256": trial.reference or trial.bit_planes,
    }
    found = {}
    for label, name in named.items():
        try:
            path = resolve(Path(task.root), name) if name else None
            if path is not None and path.stat().st_size <= _MOST_BYTES:
                found[label] = digest(path)
        except (ForensicViewerError, OSError):
            continue
    return found


def place_of(facts: Mapping[str, str]) -> Pin | None:
    """The pixel a verdict is about, where it says so."""
    numbers = _numbers(facts.get(PLACE, ""))
    return (int(numbers[0]), int(numbers[1])) if len(numbers) == 2 else None


def side_of(facts: Mapping[str, str]) -> Side:
    """Whose pixel a verdict is about."""
    return Side.DONOR if facts.get(PICTURE) == Side.DONOR.word else Side.PROBE


def viewpoint_of(facts: Mapping[str, str]) -> Viewpoint | None:
    """How the trial was looked at when a verdict was given; ``None`` where all of it was."""
    centre, zoom = _numbers(facts.get(CENTRE, "")), _numbers(facts.get(ZOOM, ""))
    if len(centre) != 2 or len(zoom) != 1 or not 1 <= zoom[0] <= 6400:
        return None
    return Viewpoint(centre[0], centre[1], zoom[0] / 100)


def threshold_of(facts: Mapping[str, str]) -> int | None:
    """The threshold a verdict was given at, in the dataset's own terms."""
    numbers = _numbers(facts.get("Threshold", ""))
    return int(numbers[0]) if len(numbers) == 1 and numbers[0] <= 256 else None


def _numbers(text: str) -> list[float]:
    """The numbers of a text; logs of others may hold anything."""
    return [float(found) for found in re.findall(r"\d{1,9}(?:\.\d{1,9})?", text)]
