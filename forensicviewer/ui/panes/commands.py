"""The commands of everything that shows panes: zoom, arrangement, colours, thresholds."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Literal, TypeAlias

from forensicviewer.app.commands.view_table import CURSOR_STEPS
from forensicviewer.app.language.words import tr
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.app.workbench.evaluation import back_to_evaluation
from forensicviewer.app.workbench.state import (
    MOST_PANES,
    Look,
    LookChanges,
    OverlayStyle,
    Snap,
    SystemStyle,
)
from forensicviewer.core.palette import NO_SCORE
from forensicviewer.ui.panes.grid import PaneGrid
from forensicviewer.ui.panes.threshold_question import ask_threshold, snap_or_ask
from forensicviewer.ui.widgets.page import Handler

_ZOOM_STEP = 1.5
_OPACITY_STEP = 0.1
_Switchable: TypeAlias = Literal[
    "has_overlays", "has_hatching", "has_minimap", "has_crosshair", "has_pixel_grid", "has_marks"
]


class PaneCommands:
    """What the commands do to the panes of one page."""

    def __init__(self, workbench: Workbench, panes: PaneGrid) -> None:
        self.workbench = workbench
        self.panes = panes

    def handlers(self) -> Mapping[str, Handler]:
        return {
            **self._view_handlers(),
            **self._pane_handlers(),
            **self._threshold_handlers(),
            "trial.evaluation": Handler(partial(back_to_evaluation, self.workbench)),
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
            "view.overlays": self._switch(tr("overlays"), "has_overlays"),
            "view.hatching": self._switch(tr("hatching"), "has_hatching"),
            "view.minimap": self._switch(tr("minimap"), "has_minimap"),
            "view.crosshair": self._switch(tr("crosshair"), "has_crosshair"),
            "view.pixel_grid": self._switch(tr("pixel grid"), "has_pixel_grid"),
            "view.contour": Handler(
                self.toggle_contours, lambda: self._look.overlay is OverlayStyle.CONTOUR
            ),
            "view.no_score": Handler(
                self.toggle_no_score, lambda: not self._look.hidden & frozenset(NO_SCORE)
            ),
            "view.opacity_up": Handler(lambda: self._change_opacity(_OPACITY_STEP)),
            "view.opacity_down": Handler(lambda: self._change_opacity(-_OPACITY_STEP)),
            "view.system_style": Handler(self.next_system_style),
            "view.marks": self._switch(tr("reference over the probe"), "has_marks"),
            **{
                f"view.cursor_{name}{suffix}": Handler(
                    partial(panes.move_cursor, across * step, down * step)
                )
                for name, (across, down) in CURSOR_STEPS.items()
                for suffix, step in (("", 1), ("_10", 10))
            },
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
            "view.lens": Handler(panes.toggle_lens, lambda: panes.has_lens),
            "view.next_example": Handler(partial(bench.step_example, 1)),
            "view.previous_example": Handler(partial(bench.step_example, -1)),
            "view.remove_pane": Handler(panes.remove_pane),
            "view.reset_panes": Handler(panes.reset_panes),
        }

    def _threshold_handlers(self) -> Mapping[str, Handler]:
        bench, asked = self.workbench, self.panes
        snaps = {
            f"threshold.{snap.value}": Handler(
                partial(snap_or_ask, asked, bench, snap), partial(self._follows, snap)
            )
            for snap in Snap
        }
        return {
            **snaps,
            "threshold.set_actual": Handler(partial(ask_threshold, asked, bench, Snap.ACTUAL)),
            "threshold.set_submission": Handler(
                partial(ask_threshold, asked, bench, Snap.SUBMISSION)
            ),
            "threshold.down": Handler(lambda: bench.nudge_threshold(-1)),
            "threshold.up": Handler(lambda: bench.nudge_threshold(1)),
            "threshold.down_10": Handler(lambda: bench.nudge_threshold(-10)),
            "threshold.up_10": Handler(lambda: bench.nudge_threshold(10)),
            "threshold.cycle": Handler(bench.cycle_snap),
        }

    @property
    def _look(self) -> Look:
        return self.workbench.state.look

    def _switch(self, label: str, name: _Switchable) -> Handler:
        """A handler that turns one yes-or-no field of the look round."""

        def is_on() -> bool:
            return bool(getattr(self._look, name))

        def turn() -> None:
            changes = LookChanges()
            changes[name] = not is_on()
            self.workbench.set_look(label, **changes)

        return Handler(turn, is_on)

    def toggle_contours(self) -> None:
        is_fill = self._look.overlay is OverlayStyle.FILL
        style = OverlayStyle.CONTOUR if is_fill else OverlayStyle.FILL
        self.workbench.set_look(tr("contours"), overlay=style)

    def toggle_no_score(self) -> None:
        zones, hidden = frozenset(NO_SCORE), self._look.hidden
        self.workbench.set_look(
            tr("no-score zones"), hidden=hidden - zones if hidden & zones else hidden | zones
        )

    def next_system_style(self) -> None:
        styles = list(SystemStyle)
        following = (styles.index(self._look.system) + 1) % len(styles)
        self.workbench.set_look(tr("system mask"), system=styles[following])

    def solo(self, position: int) -> None:
        """Show one pane alone; again shows all."""
        maximised = self.workbench.state.arrangement.maximised
        self.workbench.maximise_pane(None if maximised == position else position)

    def _follows(self, snap: Snap) -> bool:
        return self.workbench.state.thresholds.snap is snap

    def _has_columns(self, columns: int) -> bool:
        return self.workbench.state.arrangement.columns == columns

    def _change_opacity(self, step: float) -> None:
        opacity = round(min(1.0, max(0.0, self._look.opacity + step)), 2)
        self.workbench.set_look(tr("opacity"), opacity=opacity)
