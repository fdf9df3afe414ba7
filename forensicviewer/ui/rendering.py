"""Draws trials into files without a display, with the same code that draws the window."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEvent, QEventLoop, QSize, Qt, QTimer
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from forensicviewer.app.commands import Scope, scope_of
from forensicviewer.app.desk import Desk
from forensicviewer.app.jobs import inline_jobs
from forensicviewer.app.openrequest import OpenRequest
from forensicviewer.app.outputs import write_bytes
from forensicviewer.app.recent import RecentPlaces
from forensicviewer.app.settings import SCORE_IN_BACKGROUND, THEME, Settings
from forensicviewer.app.state import (
    FOUR_PANES,
    TWO_SYSTEM_PANES,
    Layer,
    Pane,
    ViewState,
    usual_panes,
)
from forensicviewer.app.trialview import Side
from forensicviewer.core.problem import ForensicViewerError, Problem, UsageError
from forensicviewer.ui.docks import LAYOUTS
from forensicviewer.ui.export import DARK_SHEET, LIGHT_SHEET, picture_of, save_picture, svg_of
from forensicviewer.ui.pages import make_page
from forensicviewer.ui.start import make_application, make_window
from forensicviewer.ui.watch import WatchedApplication

# As long as the longest pause the window makes before it fills something in.
_RESTED_MS = 400
_PANES = {
    "probe": Pane(Layer.PICTURE),
    "reference": Pane(Layer.REFERENCE),
    "system": Pane(Layer.SYSTEM),
    "comparison": Pane(Layer.COMPARISON),
    "donor": Pane(Layer.PICTURE, Side.DONOR),
    "donor-reference": Pane(Layer.REFERENCE, Side.DONOR),
    "donor-system": Pane(Layer.SYSTEM, Side.DONOR),
    "donor-comparison": Pane(Layer.COMPARISON, Side.DONOR),
    "second-system": Pane(Layer.SYSTEM, system=1),
    "second-comparison": Pane(Layer.COMPARISON, system=1),
}
_OF_SYSTEMS = (Layer.SYSTEM, Layer.COMPARISON)
_SCOPE_OF = {"video": Scope.VIDEO, "graph": Scope.GRAPH}


@dataclass(frozen=True, slots=True)
class Drawing:
    """How a trial is drawn. ``threshold`` is in the dataset's terms; ``None`` is the optimum.

    ``has_scores`` scores every trial first, for the window's list. ``frame`` is that of a video;
    without one a manipulated frame is drawn.
    """

    layout: str = "inspect"
    width: int = 1600
    height: int = 1000
    theme: str = "light"
    threshold: int | None = None
    has_window: bool = False
    has_scores: bool = False
    frame: int | None = None


def draw(request: OpenRequest, drawing: Drawing, path: Path) -> tuple[Problem, ...]:
    """Draw one trial and write it; what was odd about the files is the answer."""
    panes_of(drawing.layout)
    application = QApplication.instance() or make_application()
    assert isinstance(application, WatchedApplication)
    with tempfile.TemporaryDirectory(prefix="forensicviewer-") as scratch:
        desk = _private_desk(Path(scratch), drawing)
        desk.open(request)
        state = desk.workbench.state
        if state.task is None:
            raise ForensicViewerError("The dataset cannot be opened", where=request.dataset)
        if request.trial is not None and state.trial_id != request.trial:
            raise UsageError(
                f"There is no trial {request.trial!r}",
                where=request.dataset,
                hint=f"“forensicviewer trials --task {state.task.name}” lists them",
            )
        _require_drawable(drawing, state)
        _save(desk, application, drawing, path)
        desk.jobs.close()
        return desk.workbench.state.problems


def panes_of(layout: str) -> tuple[Pane, ...] | None:
    """The panes a layout's name, or a list of pane names, means."""
    if layout in LAYOUTS:
        return LAYOUTS[layout].panes
    names = [name.strip() for name in layout.split(",")]
    unknown = [name for name in names if name not in _PANES]
    if unknown:
        offered = ", ".join([*LAYOUTS, *_PANES])
        raise UsageError(
            f"There is no layout or pane {unknown[0]!r}", hint=f"choose from {offered}"
        )
    return tuple(_PANES[name] for name in names)


def _require_drawable(drawing: Drawing, state: ViewState) -> None:
    """Refuse what a figure would show something else for."""
    named = () if drawing.layout in LAYOUTS else panes_of(drawing.layout) or ()
    task = state.task
    wanted = _SCOPE_OF.get(drawing.layout)
    if task is not None and wanted not in (None, scope_of(task.kind)):
        raise UsageError(
            f"The trials of {task.name} have no {drawing.layout} layout",
            hint="--task names the task to draw; inspect, annotate and adjudicate show pictures",
        )
    if task is not None and not task.kind.has_donor and any(p.side is Side.DONOR for p in named):
        raise UsageError(f"The trials of {task.name} have no donor", hint="name other panes")
    if len(state.submissions) < 2 and any(pane.system == 1 for pane in named):
        raise UsageError(
            "There is no second submission to draw", hint="name it after the first one"
        )
    threshold = drawing.threshold
    if threshold is not None and not 0 <= state.shown_threshold(threshold) <= 256:
        least, most = sorted((state.shown_threshold(0), state.shown_threshold(256)))
        raise UsageError(f"{threshold} is no threshold", hint=f"choose one from {least} to {most}")


def _private_desk(scratch: Path, drawing: Drawing) -> Desk:
    """A desk that neither reads nor changes what belongs to the user, and no trial but one."""
    settings = Settings(scratch / "settings.json")
    settings.change(THEME, drawing.theme)
    settings.change(SCORE_IN_BACKGROUND, drawing.has_scores)
    recent = RecentPlaces(scratch / "recent.json")
    return Desk(inline_jobs(), settings, recent=recent, cache_bytes=0)


def _save(desk: Desk, application: WatchedApplication, drawing: Drawing, path: Path) -> None:
    bench = desk.workbench
    panes = panes_of(drawing.layout)
    if panes is not None:
        is_named = drawing.layout in LAYOUTS
        usual = usual_panes(panes, bench.state.task) if is_named else panes
        if is_named and not bench.state.submissions and not drawing.has_window:
            # On paper nobody can be invited to open a submission.
            usual = tuple(pane for pane in usual if pane.layer not in _OF_SYSTEMS) or usual
        has_second = drawing.layout == "inspect" and len(bench.state.submissions) > 1
        bench.set_panes(TWO_SYSTEM_PANES if has_second and usual == FOUR_PANES else usual)
    if drawing.threshold is not None:
        bench.set_threshold(bench.state.shown_threshold(drawing.threshold))
    path.parent.mkdir(parents=True, exist_ok=True)
    size = QSize(drawing.width, drawing.height)
    sheet = DARK_SHEET if drawing.theme == "dark" else LIGHT_SHEET
    is_stills = scope_of(bench.state.task.kind if bench.state.task else None) is Scope.STILLS
    if path.suffix.lower() == ".svg" and is_stills and not drawing.has_window:
        write_bytes(path, svg_of(bench.state, size, sheet=sheet))
        return
    if is_stills and not drawing.has_window:
        picture = picture_of(bench.state, size, sheet=sheet)
    elif drawing.has_window:
        picture = _window_picture(desk, application, drawing)
    else:
        picture, lines = _page_picture(desk, application, drawing)
        if lines is not None and path.suffix.lower() == ".svg":
            write_bytes(path, lines)
            return
    save_picture(picture, path)


def _window_picture(desk: Desk, application: WatchedApplication, drawing: Drawing) -> QImage:
    window = make_window(desk, application)
    # On a small screen it would fill that, but a drawing has the size it was asked for.
    window.setWindowState(Qt.WindowState.WindowNoState)
    window.setMinimumSize(1, 1)  # as small as it is asked for
    window.resize(drawing.width, drawing.height)
    if drawing.layout in LAYOUTS:
        desk.choose_layout(drawing.layout)
    window.show_opened()
    window.show()
    if window.page is not None:
        window.page.show_place(drawing.frame)
    _settle(application)
    window.notice.hide()
    picture = window.grab().toImage()
    window.let_go()
    window.hide()
    window.deleteLater()
    return picture


def _page_picture(
    desk: Desk, application: WatchedApplication, drawing: Drawing
) -> tuple[QImage, bytes | None]:
    """The page in pixels, and as SVG where it can be drawn so."""
    state = desk.workbench.state
    scope = scope_of(None if state.task is None else state.task.kind)
    window = make_window(desk, application)
    page = make_page(scope, desk.workbench, window)
    page.resize(drawing.width, drawing.height)
    page.show_place(drawing.frame)
    _settle(application)
    picture, lines = page.picture(QSize(drawing.width, drawing.height)), page.svg()
    page.let_go()
    window.let_go()
    window.deleteLater()
    return picture, lines


def _settle(application: QApplication) -> None:
    """Let layouts and short timers do their work, and let go what Qt put away."""
    # Thumbnails are asked for when the list has rested, and panels take a turn each.
    resting = QEventLoop()
    QTimer.singleShot(_RESTED_MS, resting.quit)
    resting.exec()
    application.processEvents()
    # Qt deletes these only in the loop they were put away in.
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
