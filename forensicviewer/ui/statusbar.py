"""The status bar: the pixel on the left, the trial in the middle, view and work on the right."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QLabel, QStatusBar, QToolButton

from forensicviewer.app.commands import Scope, scope_of
from forensicviewer.app.desk import Desk
from forensicviewer.app.memory import resident_bytes
from forensicviewer.app.state import Change, ViewState
from forensicviewer.app.triallist import ListChange
from forensicviewer.core.problem import Severity
from forensicviewer.ui.theme import current_theme, icon

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
        self.place = _label("Place in the list")
        self.filter = _button("Filter", "Filter of the trial list", lambda: run("edit.filter"))
        self.link = _button("", "Link panes", lambda: run("view.link"))
        self.zoom = _label("Zoom")
        self.threshold = _label("Threshold")
        self.problems = _button("", "Problems", lambda: show("problems"))
        self.jobs = _button("", "Jobs", lambda: show("jobs"))
        self.cancel = _button("Cancel", "Cancel this work", self._cancel_job)
        self.memory = _label("Memory")
        self.memory.setToolTip("Memory the program holds")
        self._shown_lane = ""
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
        if change & (Change.THRESHOLD | Change.SUBMISSIONS | Change.DATASET):
            self._show_threshold(state)
        if change & Change.PROBLEMS:
            self._show_problems(state)

    def _show_view(self, state: ViewState) -> None:
        has_dataset = state.dataset is not None and _has_panes(state)
        word = "Linked" if state.is_linked else "Unlinked"
        self.link.setIcon(icon("link" if state.is_linked else "unlink"))
        self.link.setText(word)
        self.link.setAccessibleName(f"Panes are {word.lower()}")
        self.link.setVisible(has_dataset)
        view = state.viewpoint(state.arrangement.active) if has_dataset else None
        self.zoom.setText("" if not has_dataset else _percent(None if view is None else view.scale))

    def _show_threshold(self, state: ViewState) -> None:
        if state.submission is None or not _has_panes(state):
            self.threshold.setText("")
            return
        snap = state.thresholds.snap
        following = f" ({snap.value})" if snap is not None else ""
        shown = state.shown_threshold(state.thresholds.main)
        self.threshold.setText(f"Threshold {shown}{following}")

    def _show_problems(self, state: ViewState) -> None:
        counted = {
            severity: sum(problem.severity is severity for problem in state.problems)
            for severity in Severity
        }
        worst = next((severity for severity in Severity if counted[severity]), None)
        theme = current_theme()
        colors = {Severity.ERROR: theme.error, Severity.WARNING: theme.warning}
        name = "check" if worst is None else worst.value
        self.problems.setIcon(icon(name, color=colors.get(worst or Severity.NOTE, theme.muted)))
        parts = [_plural(n, severity.value) for severity, n in counted.items() if n]
        text = ", ".join(parts) or "No problems"
        self.problems.setText(text)
        self.problems.setAccessibleName(f"Problems: {text}")

    def _show_memory(self) -> None:
        held = resident_bytes()
        self.memory.setText("" if held is None else f"{held / 1_000_000:.0f} MB")

    def _cancel_job(self) -> None:
        self._desk.jobs.cancel(self._shown_lane)

    def _follow_list(self, change: ListChange) -> None:
        trials = self._desk.trials
        if change & (ListChange.ROWS | ListChange.CURRENT | ListChange.COLUMNS):
            place = trials.place
            number = "–" if place is None else f"{place + 1:n}"  # noqa: RUF001 - no number
            has_list = trials.library is not None
            self.place.setText(f"Trial {number} of {len(trials):n}" if has_list else "")
        if change & (ListChange.FILTER | ListChange.COLUMNS | ListChange.ROWS):
            is_on = trials.library is not None and not trials.filter.is_empty
            self.filter.setVisible(is_on)
            self.filter.setText("Filtered")
            self.filter.setToolTip(f"Only trials with: {trials.filter.text or 'chosen facets'}")

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
            self.cancel.setToolTip(f"Cancel: {job.title}")
            share = f" {100 * job.done // job.total} %" if job.total else "…"
            more = f" +{len(lasting) - 1}" if len(lasting) > 1 else ""
            self.jobs.setText(f"{job.title}{share}{more}")


def _has_panes(state: ViewState) -> bool:
    return state.task is None or scope_of(state.task.kind) is not Scope.GRAPH


def _percent(scale: float | None) -> str:
    if scale is None:
        return "Fit"
    return f"{scale * 100:.0f} %" if scale >= 0.1 else f"{scale * 100:.1f} %"


def _plural(number: int, word: str) -> str:
    return f"{number:n} {word}" + ("" if number == 1 else "s")


def _label(name: str) -> QLabel:
    label = QLabel()
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
