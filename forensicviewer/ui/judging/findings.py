"""Draws what verdicts are about, each as its judge looked at it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from PySide6.QtCore import QBuffer, QSize
from PySide6.QtGui import QImageWriter

from forensicviewer.app.judging.evidence import (
    SUBMISSION,
    place_of,
    side_of,
    threshold_of,
    viewpoint_of,
)
from forensicviewer.app.judging.findings import ReportedVerdict, report_verdicts, write_findings
from forensicviewer.app.judging.measuring import check
from forensicviewer.app.judging.verdict_log import VerdictBook
from forensicviewer.app.runtime.jobs import Ticket
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.app.workbench.loaded_trial import TrialRequest
from forensicviewer.app.workbench.read_ahead import load_trial
from forensicviewer.app.workbench.scope import Scope, scope_of
from forensicviewer.app.workbench.state import (
    FOUR_PANES,
    Arrangement,
    Compare,
    Layer,
    Pane,
    ViewState,
    usual_panes,
)
from forensicviewer.core.model import Side, Submission, Task
from forensicviewer.core.problem import ForensicViewerError
from forensicviewer.core.verdict import Verdict
from forensicviewer.ui.panes.export import LIGHT_SHEET, Sheet, picture_of
from forensicviewer.ui.widgets.save_dialog import write_long_in_background

_SIZE_PX = QSize(1280, 760)
_TWO_PANES = (Pane(Layer.PICTURE), Pane(Layer.REFERENCE))


def export_findings(
    workbench: Workbench, book: VerdictBook, path: Path, tell: Callable[[str], None]
) -> None:
    """Write verdicts with images, in the background: each trial has to be read and drawn."""
    state = workbench.state
    title = f"Verdicts on {'' if state.dataset is None else state.dataset.name}"

    def work(ticket: Ticket) -> None:
        now = book.read_again()
        drawn = with_pictures(report_verdicts(now), state, LIGHT_SHEET, ticket)
        write_findings(path, drawn, now, title=title)

    write_long_in_background(workbench, path, work, tell)


def with_pictures(
    findings: Sequence[ReportedVerdict], state: ViewState, sheet: Sheet, ticket: Ticket
) -> list[ReportedVerdict]:
    """Draw every finding there is an image for; on any thread, from files and the state alone."""
    drawn = []
    for number, finding in enumerate(findings):
        ticket.report(number, len(findings))
        drawn.append(_drawn(finding, state, sheet))
    return drawn


def _drawn(finding: ReportedVerdict, state: ViewState, sheet: Sheet) -> ReportedVerdict:
    """A verdict that records its settings is drawn with them, and its numbers are checked."""
    verdict = finding.verdict
    if not verdict.measured:
        return replace(finding, picture=_picture(verdict, state, sheet))
    measured, task = verdict.measured[0], _task(verdict, state)
    checked = check(measured, task, state.submissions)
    if checked.state is None:
        # Nobody may take an image with other settings for the one the number belongs to.
        return replace(finding, check=checked.words)
    picture = None
    if task is not None and scope_of(task.kind) is Scope.STILLS:
        shown = replace(checked.state, dataset=state.dataset, look=state.look, units=state.units)
        picture = _png(_looked_at(verdict, shown), verdict, sheet)
    return replace(finding, picture=picture, check=checked.words)


def _picture(verdict: Verdict, state: ViewState, sheet: Sheet) -> bytes | None:
    task = _task(verdict, state)
    trial = None if task is None else task.find_trial(verdict.trial_id)
    if task is None or trial is None or scope_of(task.kind) is not Scope.STILLS:
        return None
    name = verdict.facts.get(SUBMISSION)
    judged = tuple(found for found in state.submissions if found.name == name)[:1]
    request = TrialRequest.of(task, trial, judged, kernels=state.scoring.kernels)
    try:
        loaded = load_trial(request)
    except ForensicViewerError:
        # The table still says what was found; a file that is gone cannot be drawn.
        return None
    return _png(_seen(verdict, replace(state, task=task, loaded=loaded), judged), verdict, sheet)


def _png(seen: ViewState, verdict: Verdict, sheet: Sheet) -> bytes | None:
    buffer = QBuffer()
    picture = picture_of(seen, _SIZE_PX, sheet=sheet, pin=place_of(verdict.facts))
    return bytes(buffer.data().data()) if QImageWriter(buffer, b"png").write(picture) else None


def _task(verdict: Verdict, state: ViewState) -> Task | None:
    tasks = () if state.dataset is None else state.dataset.tasks
    named = next((task for task in tasks if task.name == verdict.task), None)
    return state.task if not verdict.task else named


def _seen(verdict: Verdict, state: ViewState, judged: tuple[Submission, ...]) -> ViewState:
    """The state in which a verdict of an old log was given, as far as it says."""
    threshold = threshold_of(verdict.facts)
    thresholds = state.thresholds
    if threshold is not None:
        thresholds = replace(thresholds, main=state.shown_threshold(threshold))
    shown = replace(
        state,
        trial_id=verdict.trial_id,
        submissions=judged,
        side=Side.PROBE,
        thresholds=thresholds,
        scoring=replace(state.scoring, selected=None),
    )
    return _looked_at(verdict, shown)


def _looked_at(verdict: Verdict, state: ViewState) -> ViewState:
    """The usual panes, where the judge looked."""
    viewpoint, panes = viewpoint_of(verdict.facts), FOUR_PANES if state.submissions else _TWO_PANES
    return replace(
        state,
        system=0,
        rival=None,
        marks=verdict.examined.marks,
        arrangement=Arrangement(panes=usual_panes(panes, state.task)),
        compare=Compare(),
        is_linked=True,
        viewpoints=MappingProxyType({} if viewpoint is None else {Side.PROBE: viewpoint}),
        cursor_side=side_of(verdict.facts),
    )
