"""The page for image trials: the panes, the inspector strip, and the commands they answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QSize
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QVBoxLayout, QWidget

from forensicviewer.app.state import CompareMode, Layer, Look, OverlayStyle, Pane, Snap, SystemStyle
from forensicviewer.app.trialview import Side
from forensicviewer.app.viewcommands import CURSOR_STEPS
from forensicviewer.app.workbench import MOST_PANES, Workbench
from forensicviewer.core.overlay import NO_SCORE
from forensicviewer.ui.comparebar import CompareBar
from forensicviewer.ui.export import picture_of, svg_of
from forensicviewer.ui.inspector import InspectorStrip
from forensicviewer.ui.pages import Handler, Page
from forensicviewer.ui.panes import PaneGrid
from forensicviewer.ui.thresholdquestion import ask_threshold, snap_or_ask

_ZOOM_STEP = 1.5
_OPACITY_STEP = 0.1
_FADE_STEP = 0.05
_ANSWERS = frozenset({Layer.SYSTEM, Layer.COMPARISON})


class StillsPage(Page):
    """Pictures of a trial side by side."""

    def __init__(self, workbench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.workbench = workbench
        self.panes = PaneGrid(workbench, self)
        self.compare_bar = CompareBar(workbench, self)
        self.inspector = InspectorStrip(workbench, self)
        column = QVBoxLayout(self)
        column.setContentsMargins(6, 6, 6, 2)
        column.setSpacing(2)
        column.addWidget(self.panes, 1)
        column.addWidget(self.compare_bar)
        column.addWidget(self.inspector)

    def picture(self, size: QSize | None = None) -> QImage:
        return picture_of(
            self.workbench.state, size or self.panes.size() * self.devicePixelRatioF()
        )

    def svg(self) -> bytes:
        return svg_of(self.workbench.state, self.panes.size())

    def copy_pixel(self) -> None:
        self.inspector.copy()

    def let_go(self) -> None:
        self.panes.let_go()
        self.compare_bar.let_go()
        self.inspector.let_go()

    def handlers(self) -> Mapping[str, Handler]:
        return {
            **self._view_handlers(),
            **self._pane_handlers(),
            **self._threshold_handlers(),
            **self._compare_handlers(),
        }

    def _view_handlers(self) -> Mapping[str, Handler]:
        bench, panes = self.workbench, self.panes
        return {
            "view.fit": Handler(panes.fit),
            "view.actual_size": Handler(lambda: panes.zoom_to(1.0)),
            "view.zoom_in": Handler(lambda: panes.zoom_by(_ZOOM_STEP)),
            "view.zoom_out": Handler(lambda: panes.zoom_by(1 / _ZOOM_STEP)),
            "view.link": Handler(
                lambda: bench.set_linked(linked=not bench.state.is_linked),
                lambda: bench.state.is_linked,
            ),
            "view.overlays": self._switch("overlays", "has_overlays"),
            "view.hatching": self._switch("hatching", "has_hatching"),
            "view.minimap": self._switch("minimap", "has_minimap"),
            "view.crosshair": self._switch("crosshair", "has_crosshair"),
            "view.pixel_grid": self._switch("pixel grid", "has_pixel_grid"),
            "view.contour": Handler(
                self.toggle_contours, lambda: self._look.overlay is OverlayStyle.CONTOUR
            ),
            "view.no_score": Handler(
                self.toggle_no_score, lambda: not self._look.hidden & frozenset(NO_SCORE)
            ),
            "view.opacity_up": Handler(lambda: self._change_opacity(_OPACITY_STEP)),
            "view.opacity_down": Handler(lambda: self._change_opacity(-_OPACITY_STEP)),
            "view.system_style": Handler(self.next_system_style),
            "view.marks": self._switch("reference over the probe", "has_marks"),
            **{
                f"view.cursor_{name}{suffix}": Handler(
                    partial(panes.move_cursor, across * step, down * step)
                )
                for name, (across, down) in CURSOR_STEPS.items()
                for suffix, step in (("", 1), ("_10", 10))
            },
            "trial.donor": Handler(self.toggle_side, lambda: bench.state.side is Side.DONOR),
        }

    def _pane_handlers(self) -> Mapping[str, Handler]:
        bench, panes = self.workbench, self.panes
        solo = {
            f"view.solo_{n}": Handler(partial(self.solo, n - 1)) for n in range(1, MOST_PANES + 1)
        }
        columns = {
            f"view.columns_{n}": Handler(
                partial(panes.set_columns, n), partial(self._has_columns, n)
            )
            for n in range(5)
        }
        return {
            **solo,
            **columns,
            "view.maximise_pane": Handler(
                lambda: self.solo(bench.state.arrangement.active),
                lambda: bench.state.arrangement.maximised is not None,
            ),
            "view.add_pane": Handler(panes.add_pane),
            "view.remove_pane": Handler(panes.remove_pane),
            "view.reset_panes": Handler(panes.reset_panes),
        }

    def _threshold_handlers(self) -> Mapping[str, Handler]:
        bench = self.workbench
        snaps = {
            f"threshold.{snap.value}": Handler(
                partial(snap_or_ask, self, bench, snap), partial(self._follows, snap)
            )
            for snap in Snap
        }
        return {
            **snaps,
            "threshold.set_actual": Handler(partial(ask_threshold, self, bench, Snap.ACTUAL)),
            "threshold.set_submission": Handler(
                partial(ask_threshold, self, bench, Snap.SUBMISSION)
            ),
            "threshold.down": Handler(lambda: bench.nudge_threshold(-1)),
            "threshold.up": Handler(lambda: bench.nudge_threshold(1)),
            "threshold.down_10": Handler(lambda: bench.nudge_threshold(-10)),
            "threshold.up_10": Handler(lambda: bench.nudge_threshold(10)),
            "threshold.cycle": Handler(bench.cycle_snap),
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

    @property
    def _look(self) -> Look:
        return self.workbench.state.look

    def _switch(self, label: str, name: str) -> Handler:
        """A handler that turns one yes-or-no field of the look round."""

        def turn() -> None:
            self.workbench.set_look(label, **{name: not getattr(self._look, name)})

        is_on: Callable[[], bool] = lambda: bool(getattr(self._look, name))  # noqa: E731
        return Handler(turn, is_on)

    def toggle_contours(self) -> None:
        is_fill = self._look.overlay is OverlayStyle.FILL
        style = OverlayStyle.CONTOUR if is_fill else OverlayStyle.FILL
        self.workbench.set_look("contours", overlay=style)

    def toggle_no_score(self) -> None:
        zones, hidden = frozenset(NO_SCORE), self._look.hidden
        self.workbench.set_look(
            "no-score zones", hidden=hidden - zones if hidden & zones else hidden | zones
        )

    def next_system_style(self) -> None:
        styles = list(SystemStyle)
        following = (styles.index(self._look.system) + 1) % len(styles)
        self.workbench.set_look("system mask", system=styles[following])

    def toggle_side(self) -> None:
        """Score and show the other picture of a splice."""
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

    def solo(self, position: int) -> None:
        """Show one pane alone; again shows all."""
        maximised = self.workbench.state.arrangement.maximised
        self.workbench.maximise_pane(None if maximised == position else position)

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

    def _follows(self, snap: Snap) -> bool:
        return self.workbench.state.thresholds.snap is snap

    def _has_columns(self, columns: int) -> bool:
        return self.workbench.state.arrangement.columns == columns

    def _change_opacity(self, step: float) -> None:
        opacity = round(min(1.0, max(0.0, self._look.opacity + step)), 2)
        self.workbench.set_look("opacity", opacity=opacity)

    def _move_compare(self, step: float) -> None:
        self.workbench.move_comparison(self.workbench.state.compare.amount + step)
