"""Draws trials into files without a display, with the same code that draws the window."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEvent, QEventLoop, QSize, Qt, QTimer
from PySide6.QtGui import QFont, QFontMetricsF, QImage
from PySide6.QtWidgets import QApplication

from forensicviewer.app.datasets.opening import kind_named
from forensicviewer.app.plugins.lenses import lens_named
from forensicviewer.app.runtime.atomic import write_bytes
from forensicviewer.app.runtime.jobs import inline_jobs
from forensicviewer.app.session.desk import Desk
from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.app.session.recent import RecentPlaces
from forensicviewer.app.settings import SCORE_IN_BACKGROUND, THEME, Settings
from forensicviewer.app.workbench.scope import Scope, scope_of
from forensicviewer.app.workbench.state import (
    FOUR_PANES,
    MOST_PANES,
    TWO_SYSTEM_PANES,
    Layer,
    Look,
    Pane,
    ViewState,
    usual_panes,
)
from forensicviewer.core.model import Side, Task
from forensicviewer.core.problem import ForensicViewerError, Problem, Severity, UsageError
from forensicviewer.ui.panes.export import (
    DARK_SHEET,
    LIGHT_SHEET,
    full_picture,
    picture_of,
    save_picture,
    svg_of,
)
from forensicviewer.ui.shell.docks import LAYOUTS
from forensicviewer.ui.shell.parts import make_page
from forensicviewer.ui.shell.start import make_application, make_window
from forensicviewer.ui.widgets.watch import WatchedApplication

# As long as the longest pause the window makes before it fills something in.
_RESTED_MS = 400
_PANES = {
    "probe": Pane(Layer.PICTURE),
    "reference": Pane(Layer.REFERENCE),
    "system": Pane(Layer.SYSTEM),
    "comparison": Pane(Layer.COMPARISON),
    "base": Pane(Layer.BASE),
    "difference": Pane(Layer.DIFFERENCE),
    "control": Pane(Layer.CONTROL),
    "example": Pane(Layer.EXAMPLE),
    "donor": Pane(Layer.PICTURE, Side.DONOR),
    "donor-reference": Pane(Layer.REFERENCE, Side.DONOR),
    "donor-system": Pane(Layer.SYSTEM, Side.DONOR),
    "donor-comparison": Pane(Layer.COMPARISON, Side.DONOR),
    "second-system": Pane(Layer.SYSTEM, system=1),
    "second-comparison": Pane(Layer.COMPARISON, system=1),
}
_LENS = "lens:"
_EXTRA = "layer:"
_PIXEL_ENDINGS = (".png", ".jpg", ".jpeg")
_GRAPH_ENDINGS = (".pdf", ".graphml", ".csv")
_OF_SYSTEMS = (Layer.SYSTEM, Layer.COMPARISON)
_SCOPE_OF = {"video": Scope.VIDEO, "graph": Scope.GRAPH}


@dataclass(frozen=True, slots=True)
class RenderOptions:
    """How a trial is drawn. ``threshold`` is in the dataset's terms; ``None`` is the optimum.

    ``has_scores`` scores every trial first, for the window's list. ``frame`` is that of a video;
    without one a manipulated frame is drawn. One that ``is_full`` has as many pixels as its only
    pane, whatever width and height say.
    """

    layout: str = "inspect"
    width: int = 1600
    height: int = 1000
    theme: str = "light"
    threshold: int | None = None
    has_window: bool = False
    has_scores: bool = False
    frame: int | None = None
    is_full: bool = False
    look: Look = field(default_factory=Look)


def draw(request: OpenRequest, drawing: RenderOptions, path: Path) -> tuple[Problem, ...]:
    """Draw one trial and write it; what was odd about the files is the answer."""
    panes_of(drawing.layout)
    list(_lens_values(drawing.layout))
    if request.task is not None:
        kind_named(request.task)
    application = QApplication.instance() or make_application()
    assert isinstance(application, WatchedApplication)
    _require_font(application.font())
    with tempfile.TemporaryDirectory(prefix="forensicviewer-") as scratch:
        desk = _private_desk(Path(scratch), drawing)
        desk.open(request)
        state = desk.workbench.state
        if state.task is None:
            raise _not_opened(state, request)
        if request.trial is not None and state.trial_id != request.trial:
            raise UsageError(
                f"{request.trial!r} is not a trial of this task",
                where=request.dataset,
                hint=f"“forensicviewer trials --task {state.task.name}” lists them",
            )
        _require_drawable(drawing, state, path)
        _save(desk, application, drawing, path)
        desk.jobs.close()
        return desk.workbench.state.problems


def _require_font(font: QFont) -> None:
    """A server may have none at all: every letter would be an empty box."""
    if not QFontMetricsF(font).inFontUcs4(ord("A")):
        raise ForensicViewerError(
            "No font is installed", hint="install a font, on Debian fonts-dejavu-core"
        )


def panes_of(layout: str) -> tuple[Pane, ...] | None:
    """The panes a layout's name, or a list of pane names, means."""
    if layout in LAYOUTS:
        return LAYOUTS[layout].panes
    names = [name.strip() for name in layout.split(",")]
    named = (_LENS, _EXTRA)
    unknown = [n for n in names if n not in _PANES and not any(kind in n for kind in named)]
    if unknown:
        offered = ", ".join([*LAYOUTS, *_PANES, f"{_LENS}NAME", f"{_EXTRA}NAME"])
        raise UsageError(f"{unknown[0]!r} is not a layout or pane", hint=f"choose one of {offered}")
    if len(names) > MOST_PANES:
        raise UsageError(f"{len(names)} panes exceed the limit", hint=f"name up to {MOST_PANES}")
    return tuple(_PANES[name] if name in _PANES else _named_pane(name) for name in names)


def _named_pane(name: str) -> Pane:
    """The pane of a lens, or of ``layer:NAME`` or ``second-layer:NAME`` of a prediction."""
    kind, colon, extra = name.partition(_EXTRA)
    if colon and extra and kind in ("", "second-"):
        return Pane(Layer.EXTRA, system=1 if kind else 0, extra=extra)
    return _lens_pane(name)


def _lens_pane(name: str) -> Pane:
    """The pane of ``lens:NAME``, or ``donor-lens:NAME``; values follow it as ``lens:ela:gain=20``.

    The values are those of the whole drawing: see :func:`_lens_values`.
    """
    kind, _, rest = name.partition(_LENS)
    if kind not in ("", "donor-"):
        raise UsageError(f"{name!r} is not a pane", hint=f"write {_LENS}NAME")
    side = Side.DONOR if kind else Side.PROBE
    lens = lens_named(rest.partition(":")[0])
    return Pane(Layer.LENS, side, lens=lens.name)


def _lens_values(layout: str) -> Iterator[tuple[str, dict[str, int]]]:
    """The values a layout names for its lenses."""
    for name in layout.split(",") if layout not in LAYOUTS else ():
        lens, _, said = name.partition(_LENS)[2].strip().partition(":")
        if not said:
            continue
        known = {each.name: each for each in lens_named(lens).parameters}
        values = {}
        for part in said.split(":"):
            key, _, value = part.partition("=")
            if key not in known or not value.removeprefix("-").isdigit():
                offered = ", ".join(f"{n}={each.default}" for n, each in known.items())
                raise UsageError(
                    f"The lens {lens} has no parameter {part!r}", hint=f"write them as {offered}"
                )
            if known[key].nearest(int(value)) != int(value):
                least, most = known[key].least, known[key].most
                raise UsageError(
                    f"{value} is not a valid {key} of the lens {lens}",
                    hint=f"choose a value from {least} to {most}",
                )
            values[key] = int(value)
        yield lens, values


def _not_opened(state: ViewState, request: OpenRequest) -> ForensicViewerError:
    """Why there is nothing to draw, as far as opening found out."""
    for problem in state.problems:
        if problem.severity is Severity.ERROR:
            where = problem.where or request.dataset
            return ForensicViewerError(problem.message, where=where, hint=problem.hint)
    return ForensicViewerError("The dataset cannot be opened", where=request.dataset)


def _require_drawable(drawing: RenderOptions, state: ViewState, path: Path) -> None:
    """Refuse what a figure would show something else for."""
    assert state.task is not None
    _require_layout(drawing, state, state.task)
    _require_options(drawing, state, state.task)
    _require_format(drawing, state.task, path)


def _require_layout(drawing: RenderOptions, state: ViewState, task: Task) -> None:
    named = () if drawing.layout in LAYOUTS else panes_of(drawing.layout) or ()
    wanted = _SCOPE_OF.get(drawing.layout)
    if wanted not in (None, scope_of(task.kind)):
        raise UsageError(
            f"The trials of {task.name} have no {drawing.layout} layout",
            hint="--task selects the task to draw; inspect, annotate and adjudicate show images",
        )
    if not task.kind.has_donor and any(pane.side is Side.DONOR for pane in named):
        raise UsageError(f"The trials of {task.name} have no donor", hint="name other panes")
    if len(state.submissions) < 2 and any(pane.system == 1 for pane in named):
        raise UsageError(
            "There is no second submission to draw", hint="name it after the first one"
        )
    if drawing.is_full and len(named) != 1:
        raise UsageError("Only one pane can be drawn in full", hint="name the pane with --layout")


def _require_options(drawing: RenderOptions, state: ViewState, task: Task) -> None:
    scope, threshold = scope_of(task.kind), drawing.threshold
    if drawing.frame is not None and scope is not Scope.VIDEO:
        raise UsageError(f"The trials of {task.name} have no frames", hint="omit --frame")
    if threshold is not None and (scope is Scope.GRAPH or not state.submissions):
        raise UsageError(
            "There is no system mask to apply the threshold to", hint="omit --threshold"
        )
    if threshold is not None and not 0 <= state.shown_threshold(threshold) <= 256:
        least, most = sorted((state.shown_threshold(0), state.shown_threshold(256)))
        raise UsageError(
            f"{threshold} is not a valid threshold ({least} to {most})",
            hint=f"choose a value from {least} to {most}",
        )


def _require_format(drawing: RenderOptions, task: Task, path: Path) -> None:
    scope, ending = scope_of(task.kind), path.suffix.lower()
    is_pixels = drawing.has_window or drawing.is_full or scope is Scope.VIDEO
    if ending not in _PIXEL_ENDINGS and is_pixels:
        raise UsageError(
            "This can be written only as PNG", where=path, hint="use a name ending in .png"
        )
    if ending in _GRAPH_ENDINGS and scope is not Scope.GRAPH:
        raise UsageError(
            f"Only provenance graphs can be written as {ending}",
            where=path,
            hint="use a name ending in .svg",
        )
    if drawing.has_scores and not drawing.has_window:
        raise UsageError(
            "Scores are shown only in the window", hint="add --window, or omit --scores"
        )
    if drawing.is_full and (drawing.has_window or scope is not Scope.STILLS):
        raise UsageError("Only images can be drawn in full", hint="omit --full")


def _private_desk(scratch: Path, drawing: RenderOptions) -> Desk:
    """A desk that neither reads nor changes what belongs to the user, and no trial but one."""
    settings = Settings(scratch / "settings.json")
    settings.change(THEME, drawing.theme)
    settings.change(SCORE_IN_BACKGROUND, drawing.has_scores)
    recent = RecentPlaces(scratch / "recent.json")
    return Desk(inline_jobs(), settings, recent=recent, cache_bytes=0)


def _save(desk: Desk, application: WatchedApplication, drawing: RenderOptions, path: Path) -> None:
    bench = desk.workbench
    _arrange(desk, drawing)
    path.parent.mkdir(parents=True, exist_ok=True)
    size = QSize(drawing.width, drawing.height)
    sheet = DARK_SHEET if drawing.theme == "dark" else LIGHT_SHEET
    ending = path.suffix.lower()
    is_stills = scope_of(bench.state.task.kind if bench.state.task else None) is Scope.STILLS
    content = None
    if drawing.has_window:
        picture = _window_picture(desk, application, drawing)
    elif drawing.is_full:
        picture = full_picture(bench.state, sheet=sheet)
    elif is_stills and ending == ".svg":
        content = svg_of(bench.state, size, sheet=sheet)
    elif is_stills:
        picture = picture_of(bench.state, size, sheet=sheet)
    else:
        picture, content = _page_picture(desk, application, drawing, ending)
    if content is not None:
        write_bytes(path, content)
    elif ending in _PIXEL_ENDINGS:
        save_picture(picture, path)
    else:
        raise ForensicViewerError("There is no graph to write", where=path)


def _arrange(desk: Desk, drawing: RenderOptions) -> None:
    """Panes, look and threshold as they are to be drawn."""
    bench = desk.workbench
    panes = panes_of(drawing.layout)
    if panes is not None:
        is_named = drawing.layout in LAYOUTS
        usual = usual_panes(panes, bench.state.task) if is_named else panes
        if is_named and not drawing.has_window:
            usual = _on_paper(usual, bench.state)
        has_second = drawing.layout == "inspect" and len(bench.state.submissions) > 1
        bench.set_panes(TWO_SYSTEM_PANES if has_second and usual == FOUR_PANES else usual)
    for lens, values in _lens_values(drawing.layout):
        bench.set_lens(lens, values)
    look = drawing.look
    bench.set_look(
        "drawing",
        palette=look.palette,
        overlay=look.overlay,
        opacity=look.opacity,
        system=look.system,
    )
    if drawing.threshold is not None:
        bench.set_threshold(bench.state.shown_threshold(drawing.threshold))


def _on_paper(panes: tuple[Pane, ...], state: ViewState) -> tuple[Pane, ...]:
    """Without the panes that have nothing to show and could only say so."""
    if state.submissions:
        return panes
    return tuple(pane for pane in panes if pane.layer not in _OF_SYSTEMS) or panes


def _window_picture(desk: Desk, application: WatchedApplication, drawing: RenderOptions) -> QImage:
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
    desk: Desk, application: WatchedApplication, drawing: RenderOptions, ending: str
) -> tuple[QImage, bytes | None]:
    """The page in pixels, and as a file of that ending where that is not one of pixels."""
    state = desk.workbench.state
    scope = scope_of(None if state.task is None else state.task.kind)
    window = make_window(desk, application)
    page = make_page(scope, desk.workbench, window)
    page.resize(drawing.width, drawing.height)
    page.show_place(drawing.frame)
    _settle(application)
    picture = page.picture(QSize(drawing.width, drawing.height))
    content = page.content(ending)
    page.let_go()
    window.let_go()
    window.deleteLater()
    return picture, content


def _settle(application: QApplication) -> None:
    """Let layouts and short timers do their work, and let go what Qt put away."""
    # Thumbnails are asked for when the list has rested, and panels take a turn each.
    resting = QEventLoop()
    QTimer.singleShot(_RESTED_MS, resting.quit)
    resting.exec()
    application.processEvents()
    # Qt deletes these only in the loop they were put away in.
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
