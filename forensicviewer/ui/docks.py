"""The panels around the page and the named layouts that arrange them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDockWidget, QMainWindow, QWidget

from forensicviewer.app.desk import Desk
from forensicviewer.app.state import FOUR_PANES, Layer, Pane
from forensicviewer.ui.adjudicator import AdjudicatorPanel
from forensicviewer.ui.browser import TrialBrowser
from forensicviewer.ui.curves import ThresholdPanel
from forensicviewer.ui.inspector import FactsPanel
from forensicviewer.ui.jobspanel import JobsPanel
from forensicviewer.ui.legend import LegendPanel
from forensicviewer.ui.metrics import MetricsPanel
from forensicviewer.ui.operations import OperationsPanel
from forensicviewer.ui.problems import ProblemsPanel

LEFT = Qt.DockWidgetArea.LeftDockWidgetArea
RIGHT = Qt.DockWidgetArea.RightDockWidgetArea
BOTTOM = Qt.DockWidgetArea.BottomDockWidgetArea


@dataclass(frozen=True, slots=True)
class DockSpec:
    """One panel: where it stands by default and how it is made."""

    id: str
    title: str
    area: Qt.DockWidgetArea
    make: Callable[[Desk], QWidget]


@dataclass(frozen=True, slots=True)
class Layout:
    """What a layout shows. Each inner tuple is one place with tabs, from top to bottom.

    The first of the tabs is in front. ``panes`` are what the pictures' page shows.
    """

    id: str
    left: tuple[tuple[str, ...], ...] = (("trials",),)
    right: tuple[tuple[str, ...], ...] = ()
    bottom: tuple[tuple[str, ...], ...] = ()
    panes: tuple[Pane, ...] | None = None
    left_px: int = 400
    right_px: int = 390
    bottom_px: int = 170


LAYOUTS = {
    layout.id: layout
    for layout in (
        Layout(
            "inspect",
            right=(("score",), ("metrics", "operations", "legend", "picture")),
            panes=FOUR_PANES,
        ),
        Layout(
            "annotate",
            left=(("operations",), ("picture", "trials")),
            right=(("legend",), ("adjudicator", "score", "metrics")),
            panes=(Pane(Layer.PICTURE), Pane(Layer.REFERENCE)),
            left_px=340,
            right_px=300,
        ),
        Layout(
            "adjudicate",
            right=(("adjudicator",), ("metrics", "score", "legend", "operations")),
            bottom=(("problems", "jobs"),),
            panes=(Pane(Layer.REFERENCE), Pane(Layer.SYSTEM), Pane(Layer.COMPARISON)),
        ),
        Layout("video", right=(("adjudicator",),), bottom=(), left_px=320, right_px=300),
        Layout("graph", right=(("adjudicator", "problems"),), bottom=(), left_px=320, right_px=300),
    )
}


class Docks:
    """The dock widgets of a window; panels are made when the docks are."""

    def __init__(self, window: QMainWindow, desk: Desk) -> None:
        self._window = window
        self._desk = desk
        self.docks = {spec.id: self._dock(spec) for spec in SPECS}

    def panel(self, name: str) -> QWidget:
        return self.docks[name].widget()

    def show(self, name: str) -> None:
        """Bring a panel to the front and give it the keyboard."""
        dock = self.docks[name]
        dock.show()
        dock.raise_()
        dock.widget().setFocus(Qt.FocusReason.OtherFocusReason)

    def let_go(self) -> None:
        for dock in self.docks.values():
            for part in (dock.widget(), *dock.widget().findChildren(QWidget)):
                let_go = getattr(part, "let_go", None)
                if let_go is not None:
                    let_go()

    def hide(self) -> None:
        for dock in self.docks.values():
            dock.hide()

    def arrange(self, layout: Layout) -> None:
        """Put every panel where the layout wants it; the others are closed, not lost."""
        for dock in self.docks.values():
            dock.setFloating(False)
            self._window.removeDockWidget(dock)
        fronts: list[QDockWidget] = []
        for area, places in ((LEFT, layout.left), (RIGHT, layout.right), (BOTTOM, layout.bottom)):
            for place in places:
                fronts.append(self._stack(area, place))
        for dock in fronts:
            dock.raise_()
        self._resize(layout)

    def _stack(self, area: Qt.DockWidgetArea, place: tuple[str, ...]) -> QDockWidget:
        first = self.docks[place[0]]
        self._window.addDockWidget(area, first)
        first.show()
        for name in place[1:]:
            self._window.addDockWidget(area, self.docks[name])
            self._window.tabifyDockWidget(first, self.docks[name])
            self.docks[name].show()
        return first

    def _resize(self, layout: Layout) -> None:
        sides = ((layout.left, layout.left_px), (layout.right, layout.right_px))
        for places, width in sides:
            if places:
                front = [self.docks[places[0][0]]]
                self._window.resizeDocks(front, [width], Qt.Orientation.Horizontal)
            if len(places) > 1:
                stack = [self.docks[place[0]] for place in places]
                heights = [500] * len(stack)
                self._window.resizeDocks(stack, heights, Qt.Orientation.Vertical)
        if layout.bottom:
            front = [self.docks[layout.bottom[0][0]]]
            self._window.resizeDocks(front, [layout.bottom_px], Qt.Orientation.Vertical)

    def _dock(self, spec: DockSpec) -> QDockWidget:
        dock = QDockWidget(spec.title, self._window)
        dock.setObjectName(spec.id)
        dock.setWidget(spec.make(self._desk))
        dock.hide()
        return dock


SPECS: tuple[DockSpec, ...] = (
    DockSpec("trials", "Trials", LEFT, TrialBrowser),
    DockSpec("score", "Threshold", RIGHT, lambda desk: ThresholdPanel(desk.workbench)),
    DockSpec("metrics", "Metrics", RIGHT, lambda desk: MetricsPanel(desk.workbench)),
    DockSpec("operations", "Operations", RIGHT, lambda desk: OperationsPanel(desk.workbench)),
    DockSpec("legend", "Legend", RIGHT, lambda desk: LegendPanel(desk.workbench)),
    DockSpec("picture", "Picture", RIGHT, lambda desk: FactsPanel(desk.workbench)),
    DockSpec("adjudicator", "Verdict", RIGHT, AdjudicatorPanel),
    DockSpec("problems", "Problems", BOTTOM, lambda desk: ProblemsPanel(desk.workbench)),
    DockSpec("jobs", "Jobs", BOTTOM, lambda desk: JobsPanel(desk.jobs)),
)
