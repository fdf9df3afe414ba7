"""The page for image trials: the panes, the inspector strip, and the commands they answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QSize
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QVBoxLayout, QWidget

from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.app.workbench.scope import Scope
from forensicviewer.app.workbench.state import MOST_PANES, CompareMode, Layer, Pane, ViewState
from forensicviewer.core.model import Side
from forensicviewer.ui.panes.commands import PaneCommands
from forensicviewer.ui.panes.compare_bar import CompareBar
from forensicviewer.ui.panes.export import picture_of, sheet_for, svg_of
from forensicviewer.ui.panes.grid import PaneGrid
from forensicviewer.ui.panes.inspector import InspectorStrip
from forensicviewer.ui.panes.lens_bar import LensBar
from forensicviewer.ui.widgets.explanation_strip import ExplanationStrip
from forensicviewer.ui.widgets.page import Handler, Page

_FADE_STEP = 0.05
_ANSWERS = frozenset({Layer.SYSTEM, Layer.COMPARISON})


class StillsPage(Page):
    """Images of a trial side by side."""

    def __init__(self, workbench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.workbench = workbench
        self.panes = PaneGrid(workbench, self)
        self.compare_bar = CompareBar(workbench, self)
        self.lens_bar = LensBar(workbench, self)
        self.inspector = InspectorStrip(workbench, self)
        self.explanation = ExplanationStrip(workbench, Scope.STILLS, self.show_manual, self)
        column = QVBoxLayout(self)
        column.setContentsMargins(6, 6, 6, 2)
        column.setSpacing(2)
        column.addWidget(self.explanation)
        column.addWidget(self.panes, 1)
        column.addWidget(self.compare_bar)
        column.addWidget(self.lens_bar)
        column.addWidget(self.inspector)

    def picture(self, size: QSize | None = None) -> QImage:
        return picture_of(*self._sheet() if size is None else (self.workbench.state, size))

    def content(self, ending: str) -> bytes | None:
        return svg_of(*self._sheet()) if ending == ".svg" else None

    def _sheet(self) -> tuple[ViewState, QSize]:
        """A sheet that shows as much of each pane as the screen does."""
        shown = self.panes.active_canvas.screen_size()
        size = QSize(shown.width, shown.height)
        return sheet_for(self.workbench.state, size, columns=self.panes.columns_shown)

    def copy_pixel(self) -> None:
        self.inspector.copy()

    def let_go(self) -> None:
        self.panes.let_go()
        self.compare_bar.let_go()
        self.lens_bar.let_go()
        self.inspector.let_go()
        self.explanation.let_go()

    def show_keys(self) -> None:
        self.compare_bar.show_keys(self.keys)

    def handlers(self) -> Mapping[str, Handler]:
        bench = self.workbench
        return {
            **PaneCommands(bench, self.panes).handlers(),
            **self._compare_handlers(),
            "trial.donor": Handler(self.toggle_side, lambda: bench.state.side is Side.DONOR),
        }

    def _compare_handlers(self) -> Mapping[str, Handler]:
        modes = {
            f"compare.{mode.value}": Handler(
                partial(self.toggle_compare, mode), partial(self._compares, mode)
            )
            for mode in (CompareMode.BLINK, CompareMode.SWIPE, CompareMode.LENS, CompareMode.FADE)
        }
        partners = {
            f"compare.with_{n}": Handler(partial(self.compare_with, n - 1))
            for n in range(1, MOST_PANES + 1)
        }
        return {
            **modes,
            **partners,
            "compare.off": Handler(lambda: self.workbench.set_compare(mode=CompareMode.OFF)),
            "compare.more": Handler(lambda: self._move_compare(_FADE_STEP)),
            "compare.less": Handler(lambda: self._move_compare(-_FADE_STEP)),
        }

    def toggle_side(self) -> None:
        """Score and show the other image of a splice."""
        bench = self.workbench
        loaded = bench.state.loaded
        if loaded is None or loaded.donor is None:
            return
        other = Side.PROBE if bench.state.side is Side.DONOR else Side.DONOR
        panes = bench.state.arrangement.panes
        place = next((i for i, pane in enumerate(panes) if pane.side is other), None)
        if place is not None:
            bench.activate_pane(place)
            return
        columns = bench.state.arrangement.columns
        bench.set_panes([replace(pane, side=other) for pane in panes], columns=columns)
        bench.choose_side(other)

    def toggle_compare(self, mode: CompareMode) -> None:
        state = self.workbench.state
        if state.compare.mode is mode:
            self.workbench.set_compare(mode=CompareMode.OFF)
        elif state.submission is None and _ANSWERS & {
            state.compare.first.layer,
            state.compare.second.layer,
        }:
            # Without answers there is one thing to compare.
            first, second = (Pane(layer) for layer in (Layer.PICTURE, Layer.REFERENCE))
            self.workbench.set_compare(mode=mode, first=first, second=second)
        else:
            self.workbench.set_compare(mode=mode)

    def compare_with(self, position: int) -> None:
        """Compare the active pane with what another one shows."""
        state = self.workbench.state
        panes = state.arrangement.panes
        if position >= len(panes):
            return
        mode = state.compare.mode
        self.workbench.set_compare(
            first=state.active_pane,
            second=panes[position],
            mode=CompareMode.SWIPE if mode is CompareMode.OFF else mode,
        )

    def _compares(self, mode: CompareMode) -> bool:
        return self.workbench.state.compare.mode is mode

    def _move_compare(self, step: float) -> None:
        self.workbench.move_comparison(self.workbench.state.compare.amount + step)
