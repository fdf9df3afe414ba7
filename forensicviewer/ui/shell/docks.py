"""The panels around the page and the named layouts that arrange them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import (
    QDockWidget,
    QFrame,
    QMainWindow,
    QScrollArea,
    QStackedWidget,
    QTabBar,
    QWidget,
)

from forensicviewer.app.commands.view_table import PANELS
from forensicviewer.app.language.words import tr
from forensicviewer.app.session.desk import Desk
from forensicviewer.app.settings import FONT_SCALE
from forensicviewer.app.workbench.state import FOUR_PANES, Change, Layer, Pane, ViewState
from forensicviewer.core.model import TaskKind
from forensicviewer.ui.genai.panel import GenAIPanel
from forensicviewer.ui.imdl.panel import DefinitionsPanel
from forensicviewer.ui.judging.adjudicator import AdjudicatorPanel
from forensicviewer.ui.judging.checklist import ChecklistPanel
from forensicviewer.ui.panes.inspector import FactsPanel
from forensicviewer.ui.quality.panel import SuspectsPanel
from forensicviewer.ui.score.detection import DetectionPanel
from forensicviewer.ui.score.legend import LegendPanel
from forensicviewer.ui.score.metrics import MetricsPanel
from forensicviewer.ui.score.operations import OperationsPanel
from forensicviewer.ui.score.threshold import ThresholdPanel
from forensicviewer.ui.shell.jobs_panel import JobsPanel
from forensicviewer.ui.shell.problems import ProblemsPanel
from forensicviewer.ui.trials.browser import TrialBrowser
from forensicviewer.ui.widgets.panel import Panel

LEFT = Qt.DockWidgetArea.LeftDockWidgetArea
RIGHT = Qt.DockWidgetArea.RightDockWidgetArea
BOTTOM = Qt.DockWidgetArea.BottomDockWidgetArea
_SCROLL_THEMSELVES = ("trials", "checklist", "suspects", "problems", "jobs")
_WIDE = ("suspects", "problems", "jobs")
_TALL = frozenset({"score", "adjudicator"})
_NARROWEST_PX = 260
# Panels beside the page give way before the page has less than this share of the window.
_MIDDLE_SHARE = 0.36
_LOW_PX = 780
# Below the page is room for a panel only where verdicts and metrics are still seen beside it.
_ROOM_BELOW_PX = 960
_SLACK_PX = 24
_LINES_PX = 170
# Of panels at the bottom that show images, too.
_TALLER_PX = {"suspects": 250}


@dataclass(frozen=True, slots=True)
class Layout:
    """What a layout shows. Each inner tuple is one place with tabs, from top to bottom.

    The first of the tabs is in front. ``panes`` are what the images' page shows.
    """

    id: str
    left: tuple[tuple[str, ...], ...] = (("trials",),)
    right: tuple[tuple[str, ...], ...] = ()
    bottom: tuple[tuple[str, ...], ...] = ()
    panes: tuple[Pane, ...] | None = None
    left_px: int = 425
    right_px: int = 390
    bottom_px: int = _LINES_PX

    @property
    def sides(self) -> tuple[tuple[tuple[str, ...], ...], ...]:
        return self.left, self.right, self.bottom


LAYOUTS = {
    layout.id: layout
    for layout in (
        Layout(
            "inspect",
            right=(("score", "detection"), ("metrics", "operations", "legend", "picture")),
            panes=FOUR_PANES,
        ),
        Layout(
            "annotate",
            left=(("operations",), ("trials", "picture")),
            right=(("checklist", "legend"), ("adjudicator", "score", "metrics")),
            panes=(Pane(Layer.PICTURE), Pane(Layer.REFERENCE)),
            left_px=410,
            right_px=395,
        ),
        Layout(
            "adjudicate",
            right=(("adjudicator", "checklist"), ("metrics", "score", "legend", "operations")),
            bottom=(("problems", "jobs"),),
            panes=(
                Pane(Layer.PICTURE),
                Pane(Layer.COMPARISON),
                Pane(Layer.REFERENCE),
                Pane(Layer.SYSTEM),
            ),
            bottom_px=140,
        ),
        Layout(
            "video",
            left=(
                ("trials",),
                ("score", "metrics", "operations", "legend", "adjudicator"),
            ),
            panes=FOUR_PANES,
            left_px=425,
        ),
        Layout("detect", right=(("detection", "adjudicator", "picture"),), right_px=520),
        Layout("graph", left=(("trials",), ("adjudicator", "problems")), left_px=336),
    )
}


class Docks:
    """The dock widgets of a window. Panels are made one at a time: nobody waits for all."""

    def __init__(self, window: QMainWindow, desk: Desk) -> None:
        self._window = window
        self._desk = desk
        self._to_make = list(PANELS)
        self._half_made: tuple[str, DetectionStack] | None = None
        self._panels: dict[str, QWidget] = {}
        self._listeners: dict[str, list[Panel]] = {}
        self.docks: dict[str, QDockWidget] = {}

    def make_next(self) -> bool:
        """Make one panel more, or a part of a large one; whether any may be left to make."""
        if self._half_made is not None:
            name, stack = self._half_made
            if not stack.make_next():
                self._half_made = None
                self._add(name, stack)
            return True
        if not self._to_make:
            return False
        name = self._to_make.pop(0)
        panel = _MAKERS[name](self._desk)
        if isinstance(panel, DetectionStack):
            self._half_made = name, panel
        else:
            self._add(name, panel)
        return True

    def _add(self, name: str, panel: QWidget) -> None:
        self._panels[name] = panel
        # Once: looking for them has Python meet every widget inside.
        parts: list[Panel] = panel.findChildren(Panel)
        self._listeners[name] = [panel, *parts] if isinstance(panel, Panel) else parts
        self.docks[name] = self._dock(name, panel)
        if isinstance(panel, AdjudicatorPanel):
            self.checklist.say = panel.say
        self._seen(name, is_visible=False)
        self.docks[name].visibilityChanged.connect(partial(self._seen, name))

    @property
    def browser(self) -> TrialBrowser:
        panel = self.panel("trials")
        assert isinstance(panel, TrialBrowser)
        return panel

    @property
    def metrics(self) -> MetricsPanel:
        panel = self.panel("metrics")
        assert isinstance(panel, MetricsPanel)
        return panel

    @property
    def operations(self) -> OperationsPanel:
        panel = self.panel("operations")
        assert isinstance(panel, OperationsPanel)
        return panel

    @property
    def checklist(self) -> ChecklistPanel:
        panel = self.panel("checklist")
        assert isinstance(panel, ChecklistPanel)
        return panel

    @property
    def adjudicator(self) -> AdjudicatorPanel:
        panel = self.panel("adjudicator")
        assert isinstance(panel, AdjudicatorPanel)
        return panel

    def panel(self, name: str) -> QWidget:
        """A panel, up to date even where nobody sees it."""
        for part in self._listeners[name]:
            part.wake()
        return self._panels[name]

    def _seen(self, name: str, is_visible: bool) -> None:  # noqa: FBT001 - Qt calls it so
        if is_visible:
            self._desk.jobs.soon(partial(self._wake, name))
        else:
            for part in self._listeners[name]:
                part.rest()

    def _wake(self, name: str) -> None:
        if self.docks[name].isVisible():
            for part in self._listeners[name]:
                part.wake()

    def show(self, name: str) -> None:
        """Bring a panel to the front and give it the keyboard."""
        dock = self.docks[name]
        comes_up = dock.isHidden()
        dock.show()
        dock.raise_()
        if comes_up and self._window.dockWidgetArea(dock) == BOTTOM:
            # A list of lines: the images above need the height more.
            height = _TALLER_PX.get(name, _LINES_PX)
            self._window.resizeDocks([dock], [height], Qt.Orientation.Vertical)
        self._panels[name].setFocus(Qt.FocusReason.OtherFocusReason)

    def let_go(self) -> None:
        """Stop every panel from listening; a panel sees to its own parts."""
        half_made = [] if self._half_made is None else [self._half_made[1]]
        for panel in (*self._panels.values(), *half_made):
            let_go = getattr(panel, "let_go", None)
            if let_go is not None:
                let_go()

    def hide(self) -> None:
        for dock in self.docks.values():
            dock.hide()

    def arrange(self, layout: Layout) -> None:
        """Put every panel where the layout wants it; the others are closed, not lost."""
        if self._window.height() < _ROOM_BELOW_PX:
            # What would stand below the page is a tab away, or a click on the status bar.
            layout = replace(layout, bottom=())
        wanted = {name for side in layout.sides for place in side for name in place}
        for name, dock in self.docks.items():
            if dock.isFloating():
                dock.setFloating(False)
            # Not removed: Qt would leave its tab bars behind in the window's corner.
            dock.setVisible(name in wanted)
        fronts: list[QDockWidget] = []
        for area, places in zip((LEFT, RIGHT, BOTTOM), layout.sides, strict=True):
            for place in places:
                fronts.append(self._stack(area, place))
        self._give_places([name for name in self.docks if name not in wanted], layout)
        for dock in fronts:
            dock.raise_()
        self._resize(layout)

    def _give_places(self, closed: list[str], layout: Layout) -> None:
        """Say where a closed panel comes up: among tabs, for a separate place would take room.

        A panel without a place would be missing in what is kept of an arrangement, and open there.
        """
        beside = self.docks[(layout.right or layout.left)[-1][0]]
        wide = layout.bottom[-1][0] if layout.bottom else None
        for name in closed:
            dock = self.docks[name]
            if name not in _WIDE:
                self._window.tabifyDockWidget(beside, dock)
            elif wide is not None:
                self._window.tabifyDockWidget(self.docks[wide], dock)
            else:
                self._window.addDockWidget(BOTTOM, dock)
                wide = name
            dock.hide()

    def hide_stale_tabs(self) -> None:
        """Hide the tab bars of earlier arrangements.

        Qt (seen with 6.11) makes new tab bars whenever docks are arranged and forgets to hide the
        old ones, which then lie across the window. Only hidden ones does it use again.
        """
        groups = {self._tabs_with(dock) for dock in self.docks.values() if dock.isVisible()}
        children = Qt.FindChildOption.FindDirectChildrenOnly
        for bar in reversed(self._window.findChildren(QTabBar, options=children)):
            tabs = frozenset(bar.tabText(i) for i in range(bar.count()))
            if tabs in groups:
                groups.remove(tabs)
            else:
                bar.hide()

    def _tabs_with(self, dock: QDockWidget) -> frozenset[str]:
        others = [one for one in self._window.tabifiedDockWidgets(dock) if not one.isHidden()]
        return frozenset(one.windowTitle() for one in (dock, *others)) if others else frozenset()

    def _stack(self, area: Qt.DockWidgetArea, place: tuple[str, ...]) -> QDockWidget:
        first = self.docks[place[0]]
        self._window.addDockWidget(area, first)
        first.show()
        for name in place[1:]:
            self._window.addDockWidget(area, self.docks[name])
            self._window.tabifyDockWidget(first, self.docks[name])
            self.docks[name].show()
        return first

    def make_room(self, layout: Layout) -> None:
        """Let the panels beside the page give way where the window has become too narrow."""
        beside = [
            dock
            for dock in self.docks.values()
            if dock.isVisible()
            and not dock.isFloating()
            and self._window.dockWidgetArea(dock) in (LEFT, RIGHT)
        ]
        middle = self._window.centralWidget()
        least_px = self._window.width() * _MIDDLE_SHARE - _SLACK_PX
        if beside and middle is not None and middle.width() < least_px:
            self._resize_sides(layout)

    def scale_sides(self, ratio: float) -> None:
        """Give the panels beside the page the room of a text so many times as large."""
        sides: dict[Qt.DockWidgetArea, QDockWidget] = {}
        for dock in sorted(self.docks.values(), key=QDockWidget.width):
            area = self._window.dockWidgetArea(dock)
            if dock.isVisible() and not dock.isFloating() and area in (LEFT, RIGHT):
                # The widest: those behind it keep the width they had when they were seen last.
                sides[area] = dock
        room = self._window.width() * (1 - _MIDDLE_SHARE)
        wanted = sum(dock.width() for dock in sides.values()) * ratio
        share = ratio * min(1.0, room / max(1.0, wanted))
        widths = [round(dock.width() * share) for dock in sides.values()]
        self._window.resizeDocks(list(sides.values()), widths, Qt.Orientation.Horizontal)

    def _resize(self, layout: Layout) -> None:
        self._resize_sides(layout)
        is_low = self._window.height() < _LOW_PX
        for places in (layout.left, layout.right):
            if len(places) > 1:
                stack = [self.docks[place[0]] for place in places]
                # In a low window the trials and what stands first keep more of their height; curves
                # and what judges said about a trial are to be seen in any.
                keeps = places[0] if places is layout.right else places[-1]
                is_short = is_low or not _TALL.isdisjoint(keeps)
                heights = [600 if is_short and place is keeps else 450 for place in places]
                self._window.resizeDocks(stack, heights, Qt.Orientation.Vertical)
        if layout.bottom:
            front = [self.docks[layout.bottom[0][0]]]
            self._window.resizeDocks(front, [layout.bottom_px], Qt.Orientation.Vertical)

    def _resize_sides(self, layout: Layout) -> None:
        sides = [
            (self.docks[places[0][0]], width)
            for places, width in ((layout.left, layout.left_px), (layout.right, layout.right_px))
            if places
        ]
        wanted = sum(width for _, width in sides)
        room = self._window.width() * (1 - _MIDDLE_SHARE)
        # Words take as much more room as their letters are larger.
        text_scale = max(1.0, self._desk.settings.of(FONT_SCALE) / 100)
        share = min(text_scale, room / max(1, wanted))
        widths = [round(width * share) for _, width in sides]
        if sides:
            self._window.resizeDocks([dock for dock, _ in sides], widths, Qt.Orientation.Horizontal)

    def _dock(self, name: str, panel: QWidget) -> QDockWidget:
        dock = QDockWidget(tr(PANELS[name]), self._window)
        dock.setObjectName(name)
        dock.setWidget(panel if name in _SCROLL_THEMSELVES else _scrolling(panel))
        if isinstance(panel, DetectionStack):
            panel.name_dock()
        dock.hide()
        return dock


class DetectionStack(QStackedWidget):
    """What is said of whole images: by GenAI, by NIST's other tasks, or by every definition.

    Its panels are made one at a time too; together they would keep the window for 50 ms.
    """

    genai: GenAIPanel
    definitions: DefinitionsPanel

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self._to_make = [self._make_genai, self._make_definitions]
        self._stop: Callable[[], None] = lambda: None
        self.detection = DetectionPanel(desk.workbench)
        self.addWidget(self.detection)

    def make_next(self) -> bool:
        """Make one panel more; ``False`` when all were there."""
        if not self._to_make:
            return False
        self._to_make.pop(0)()
        return True

    def _make_genai(self) -> None:
        self.genai = GenAIPanel(self._desk)
        self.addWidget(self.genai)

    def _make_definitions(self) -> None:
        self.definitions = DefinitionsPanel(self._desk)
        self.addWidget(self.definitions)
        bench = self._desk.workbench
        self._stop = bench.subscribe(self._follow)
        self._follow(bench.state, Change.DATASET)

    def _follow(self, state: ViewState, change: Change) -> None:
        if Change.DATASET in change:
            kind = None if state.task is None else state.task.kind
            others: dict[TaskKind | None, QWidget] = {
                TaskKind.GENAI: self.genai,
                TaskKind.IMDL: self.definitions,
            }
            self.setCurrentWidget(others.get(kind, self.detection))
            self.name_dock()

    def name_dock(self) -> None:
        """Say in the title of the dock what the panel shows."""
        is_imdl = self.currentWidget() is self.definitions
        place: QObject | None = self
        while place is not None and not isinstance(place, QDockWidget):
            place = place.parent()
        if isinstance(place, QDockWidget):
            place.setWindowTitle(tr("Definitions") if is_imdl else tr(PANELS["detection"]))

    def let_go(self) -> None:
        self._stop()
        for panel in (self.widget(i) for i in range(self.count())):
            assert isinstance(panel, Panel)
            panel.let_go()


_MAKERS: dict[str, Callable[[Desk], QWidget]] = {
    "trials": TrialBrowser,
    "score": lambda desk: ThresholdPanel(desk.workbench),
    "metrics": lambda desk: MetricsPanel(desk.workbench),
    "operations": lambda desk: OperationsPanel(desk.workbench),
    "legend": lambda desk: LegendPanel(desk.workbench),
    "detection": DetectionStack,
    "picture": lambda desk: FactsPanel(desk.workbench),
    "checklist": ChecklistPanel,
    "adjudicator": AdjudicatorPanel,
    "suspects": SuspectsPanel,
    "problems": lambda desk: ProblemsPanel(desk.workbench, trust_links=desk.trust_links),
    "jobs": lambda desk: JobsPanel(desk.jobs),
}


def _scrolling(panel: QWidget) -> QScrollArea:
    """Lets a low window be low: what does not fit is scrolled to."""
    area = QScrollArea()
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setWidget(panel)
    area.setMinimumWidth(min(_NARROWEST_PX, panel.minimumSizeHint().width() + 12))
    return area
