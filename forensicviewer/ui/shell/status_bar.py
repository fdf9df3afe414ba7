"""The status bar: the pixel on the left, the trial in the middle, view and work on the right."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QStatusBar, QToolButton

from forensicviewer.app.language.words import NO_NUMBER, decimal, tr, whole
from forensicviewer.app.runtime.jobs import Lane
from forensicviewer.app.runtime.memory import resident_bytes
from forensicviewer.app.session.announcement import count_problems
from forensicviewer.app.session.desk import Desk
from forensicviewer.app.trials.trial_list import ListChange
from forensicviewer.app.workbench.scope import Scope, scope_of
from forensicviewer.app.workbench.snapping import in_effect
from forensicviewer.app.workbench.state import Change, ViewState
from forensicviewer.core.problem import Severity
from forensicviewer.ui.widgets.plain_text import PlainLabel
from forensicviewer.ui.widgets.theme import current_theme, icon

_JOB_REFRESH_MS = 300
_MEMORY_REFRESH_MS = 2_000


class StatusLine:
    """Fills a window's status bar; ``run`` runs commands, ``show`` brings a panel to the front."""

    def __init__(
        self,
        bar: QStatusBar,
        desk: Desk,
        *,
        run: Callable[[str], None],
        show: Callable[[str], None],
    ) -> None:
        self._desk = desk
        self._is_zoomed = False
        self.place = _label(tr("Place in the list"))
        self.filter = _button(
            tr("Filtered"), tr("Filter of the trial list"), lambda: run("edit.filter")
        )
        self.link = _button("", tr("Link panes"), lambda: run("view.link"))
        self.place.clicked = lambda: run("trial.go_to")
        self.place.setToolTip(tr("Click to go to a trial"))
        self.zoom = _label(tr("Zoom"))
        self.zoom.clicked = lambda: run("view.fit" if self._is_zoomed else "view.actual_size")
        self.zoom.setToolTip(tr("Click to show the whole image, or 100 %"))
        self.threshold = _label(tr("Threshold"))
        self.threshold.clicked = lambda: show("score")
        self.threshold.setToolTip(tr("Click to show its curves"))
        self.problems = _button("", tr("Problems"), lambda: show("problems"))
        self.jobs = _button("", tr("Jobs"), lambda: show("jobs"))
        self.cancel = _button(tr("Cancel"), tr("Cancel this work"), self._cancel_job)
        self.memory = _label(tr("Memory"))
        self.memory.setToolTip(tr("Memory used by the program"))
        self._shown_lane: Lane | None = None
        bar.setSizeGripEnabled(False)
        for widget in (self.place, self.filter, self.link, self.zoom, self.threshold):
            bar.addPermanentWidget(widget)
        for widget in (self.problems, self.jobs, self.cancel, self.memory):
            bar.addPermanentWidget(widget)
        self._timer = QTimer(bar, interval=_JOB_REFRESH_MS)
        self._timer.timeout.connect(self._show_jobs)
        self._memory_timer = QTimer(bar, interval=_MEMORY_REFRESH_MS)
        self._memory_timer.timeout.connect(self._show_memory)
        self._memory_timer.start()
        self._unsubscribe = (
            desk.workbench.subscribe(self._follow),
            desk.trials.subscribe(self._follow_list),
            desk.jobs.watch(self._watch_jobs),
        )
        self._follow(desk.workbench.state, ~Change(0))
        self._follow_list(~ListChange(0))
        self._watch_jobs()
        self._show_memory()

    def let_go(self) -> None:
        self._timer.stop()
        self._memory_timer.stop()
        for unsubscribe in self._unsubscribe[:2]:
            unsubscribe()

    def _follow(self, state: ViewState, change: Change) -> None:
        if change & (Change.VIEWPOINT | Change.DATASET | Change.PANES):
            self._show_view(state)
        if change & (Change.THRESHOLD | Change.LOADED | Change.SUBMISSIONS | Change.DATASET):
            self._show_threshold(state)
        if change & Change.PROBLEMS:
            self._show_problems(state)

    def _show_view(self, state: ViewState) -> None:
        has_dataset = state.dataset is not None and _has_panes(state)
        self.link.setIcon(icon("link" if state.is_linked else "unlink"))
        self.link.setText(tr("Linked") if state.is_linked else tr("Unlinked"))
        self.link.setAccessibleName(
            tr("Panes are linked") if state.is_linked else tr("Panes are unlinked")
        )
        self.link.setVisible(has_dataset)
        view = state.viewpoint(state.arrangement.active) if has_dataset else None
        self._is_zoomed = view is not None
        self.zoom.setText("" if not has_dataset else _percent(None if view is None else view.scale))

    def _show_threshold(self, state: ViewState) -> None:
        has_masks = state.task is not None and state.task.kind.has_masks
        if state.submission is None or not _has_panes(state) or not has_masks:
            self.threshold.setText("")
            return
        followed = in_effect(state)
        following = "" if followed is None else f" ({tr(followed[0].value)})"
        shown = state.shown_threshold(state.thresholds.main)
        self.threshold.setText(tr("Threshold {threshold}", threshold=shown) + following)

    def _show_problems(self, state: ViewState) -> None:
        found = {problem.severity for problem in state.problems}
        worst = next((severity for severity in Severity if severity in found), None)
        theme = current_theme()
        colors = {Severity.ERROR: theme.error, Severity.WARNING: theme.warning}
        name = "check" if worst is None else worst.value
        text = count_problems(state.problems)
        if worst is None and self._desk.trials.error is not None:
            name, text = Severity.ERROR.value, tr("The filter cannot be read")
        self.problems.setIcon(icon(name, color=colors.get(worst or Severity.NOTE, theme.muted)))
        self.problems.setText(text)
        self.problems.setAccessibleName(tr("Problems: {counted}", counted=text))

    def _show_memory(self) -> None:
        held = resident_bytes()
        self.memory.setText("" if held is None else f"{decimal(held / 1_000_000, 0)} MB")

    def _cancel_job(self) -> None:
        if self._shown_lane is not None:
            self._desk.jobs.call_off(self._shown_lane)

    def _follow_list(self, change: ListChange) -> None:
        trials = self._desk.trials
        if change & (ListChange.ROWS | ListChange.CURRENT | ListChange.COLUMNS):
            self.place.setText("" if trials.library is None else _place(trials.place, len(trials)))
        if change & (ListChange.FILTER | ListChange.COLUMNS | ListChange.ROWS):
            is_on = trials.library is not None and not trials.filter.is_empty
            self.filter.setVisible(is_on)
            wanted = trials.filter.text or tr("chosen facets")
            self.filter.setToolTip(tr("Only trials with: {wanted}", wanted=wanted))
            self._show_problems(self._desk.workbench.state)

    def _watch_jobs(self) -> None:
        self._show_jobs()
        if self._desk.jobs.is_busy():
            self._timer.start()

    def _show_jobs(self) -> None:
        titled = [status for status in self._desk.jobs.statuses() if status.title]
        lasting = [status for status in titled if status.elapsed_s > 0.3]
        if not titled:
            self._timer.stop()
        self.jobs.setVisible(bool(lasting))
        self.cancel.setVisible(bool(lasting))
        if lasting:
            job = lasting[0]
            self._shown_lane = job.lane
            self.cancel.setToolTip(tr("Cancel: {job}", job=job.title))
            share = f" {100 * job.done // job.total} %" if job.total else "…"
            more = f" +{len(lasting) - 1}" if len(lasting) > 1 else ""
            self.jobs.setText(f"{job.title}{share}{more}")


def _has_panes(state: ViewState) -> bool:
    return state.task is None or scope_of(state.task.kind) is not Scope.GRAPH


def _percent(scale: float | None) -> str:
    if scale is None:
        return tr("Fit")
    return f"{decimal(scale * 100, 0 if scale >= 0.1 else 1)} %"


def _place(place: int | None, total: int) -> str:
    number = NO_NUMBER if place is None else whole(place + 1)
    return tr("Trial {number} of {total}", number=number, total=whole(total))


class _Label(PlainLabel):
    """Says something, and does something when it is clicked; the keyboard has commands for that.

    No button: it is written anew at every step of a threshold, and a label is sooner done.
    """

    clicked: Callable[[], None] | None = None

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        is_left = event.button() is Qt.MouseButton.LeftButton
        is_meant = is_left and self.rect().contains(event.position().toPoint())
        if self.clicked is not None and is_meant and self.text():
            self.clicked()
        event.accept()


def _label(name: str) -> _Label:
    label = _Label()
    label.setAccessibleName(name)
    label.setContentsMargins(8, 0, 8, 0)
    return label


def _button(text: str, name: str, run: Callable[[], None]) -> QToolButton:
    button = QToolButton()
    button.setText(text)
    button.setAccessibleName(name)
    button.setToolTip(name)
    button.setAutoRaise(True)
    # Text and icon: a colour alone tells nothing to some people.
    button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
    button.clicked.connect(lambda: run())
    return button
