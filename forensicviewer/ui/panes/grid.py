"""The panes of a trial: one to six canvases in a grid, moving together."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import partial

from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtGui import QAction, QActionGroup, QFontMetrics, QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QMenu,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from forensicviewer.app.language.words import decimal, labelled, tr
from forensicviewer.app.plugins.lenses import LENSES
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.app.workbench.explanation import explain_pane
from forensicviewer.app.workbench.loaded_trial import LoadedSystem
from forensicviewer.app.workbench.snapping import threshold_on
from forensicviewer.app.workbench.state import (
    FOUR_PANES,
    MOST_PANES,
    Change,
    CompareMode,
    Layer,
    Pane,
    SystemStyle,
    ViewState,
    usual_panes,
)
from forensicviewer.core.model import Status
from forensicviewer.core.palette import SCORED
from forensicviewer.ui.panes.canvas import PaneCanvas
from forensicviewer.ui.panes.drawing import (
    describe_further_image,
    describe_rotation,
    has_donor,
    offered_panes,
    title_of,
)
from forensicviewer.ui.panes.layers import describe_lens, layer_facts
from forensicviewer.ui.widgets.plain_text import PlainLabel

# Twice a second each way is well under the three flashes a second that can provoke a seizure.
BLINK_MS = 400
_PATIENCE_MS = 300  # what is read sooner needs no word about it
_LEAST_NAME_PX = 60
_LEAST_TITLE_PX, _MOST_TITLE = 90, 0.7  # of the width of a pane
_REDRAWN_BY = (
    Change.LOADED
    | Change.FRAME
    | Change.SCORES
    | Change.THRESHOLD
    | Change.LOOK
    | Change.PANES
    | Change.VIEWPOINT
    | Change.COMPARE
    | Change.CURSOR
    | Change.HIGHLIGHT
    | Change.SCORING
    | Change.TRIAL
    | Change.LENS
    | Change.MARKS
)

_NAMED_BY = (
    Change.PANES | Change.LOADED | Change.LOOK | Change.VIEWPOINT | Change.TRIAL | Change.LENS
)


class PaneGrid(QWidget):
    """Lays out the panes of the state and redraws the ones a change concerns.

    ``layers`` are those a pane can be made to show.
    """

    def __init__(
        self,
        workbench: Workbench,
        parent: QWidget | None = None,
        *,
        layers: Iterable[Layer] = Layer,
    ) -> None:
        super().__init__(parent)
        self._workbench = workbench
        self._layers = tuple(layers)
        self._frames: list[PaneFrame] = []
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(6)
        self._blinking = QTimer(self)
        self._blinking.setInterval(BLINK_MS)
        self._blinking.timeout.connect(workbench.blink)
        self._patience = QTimer(self)
        self._patience.setSingleShot(True)
        self._patience.setInterval(_PATIENCE_MS)
        self._patience.timeout.connect(workbench.clear_outdated)
        self._arranged: object = None
        self.setAccessibleName(tr("Images of the trial"))
        self._unsubscribe = workbench.subscribe(self._follow)
        self._follow(workbench.state, ~Change(0))

    @property
    def canvases(self) -> tuple[PaneCanvas, ...]:
        return tuple(frame.canvas for frame in self._frames)

    @property
    def active_canvas(self) -> PaneCanvas:
        return self._frames[self._workbench.state.arrangement.active].canvas

    @property
    def columns_shown(self) -> int:
        """The number of panes side by side."""
        arrangement = self._workbench.state.arrangement
        if arrangement.maximised is not None:
            return 1
        number = len(arrangement.panes)
        chosen = arrangement.columns or self._best_columns(number, self._workbench.state)
        return min(chosen, number)

    def let_go(self) -> None:
        """Stop listening; called before the window closes."""
        self._blinking.stop()
        self._patience.stop()
        self._unsubscribe()
        self._unsubscribe = _nothing

    def fit(self) -> None:
        """Show whole images."""
        for position in range(len(self._frames)):
            self._workbench.set_viewpoint(position, None)

    def zoom_to(self, scale: float) -> None:
        self.active_canvas.zoom_to(scale)

    def zoom_by(self, factor: float) -> None:
        """Zoom about the pixel pointed at, or the middle where none is in sight."""
        self.active_canvas.zoom_by(factor, about=self.active_canvas.cursor_point())

    def move_cursor(self, across: int, down: int) -> None:
        """Point at another pixel of the active pane."""
        self.active_canvas.move_cursor(across, down)

    def add_pane(self) -> None:
        """Show one pane more: the first layer not on the screen yet."""
        panes = self._workbench.state.arrangement.panes
        if len(panes) < MOST_PANES:
            wanted = [*FOUR_PANES, Pane(Layer.BASE)]
            if self._workbench.state.rival is not None:
                wanted += [Pane(layer, system=1) for layer in (Layer.SYSTEM, Layer.COMPARISON)]
            new = next((pane for pane in wanted if pane not in panes), Pane(Layer.COMPARISON))
            self._workbench.set_panes((*panes, new), columns=self._columns_chosen())

    def toggle_lens(self) -> None:
        """Show the active image through a lens in a pane beside the others, or end that."""
        state = self._workbench.state
        panes = state.arrangement.panes
        kept = [pane for pane in panes if pane.layer is not Layer.LENS]
        if len(kept) == len(panes):
            side = state.active_pane.side
            seen = state.lenses[-1].lens if state.lenses else next(iter(LENSES)).name
            kept = [*kept[: MOST_PANES - 1], Pane(Layer.LENS, side, lens=seen)]
        self._workbench.set_panes(kept or FOUR_PANES, columns=self._columns_chosen())

    @property
    def has_lens(self) -> bool:
        panes = self._workbench.state.arrangement.panes
        return any(pane.layer is Layer.LENS for pane in panes)

    def remove_pane(self) -> None:
        arrangement = self._workbench.state.arrangement
        if len(arrangement.panes) > 1:
            kept = [p for i, p in enumerate(arrangement.panes) if i != arrangement.active]
            self._workbench.set_panes(kept, columns=self._columns_chosen())

    def reset_panes(self) -> None:
        self._workbench.set_panes(usual_panes(FOUR_PANES, self._workbench.state.task))

    def set_columns(self, columns: int) -> None:
        """Arrange the panes in so many columns; 0 chooses by the shape of the window."""
        self._workbench.set_panes(self._workbench.state.arrangement.panes, columns=columns)

    def _columns_chosen(self) -> int:
        return self._workbench.state.arrangement.columns

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange(self._workbench.state)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._run_blink(self._workbench.state)

    def hideEvent(self, event: QHideEvent) -> None:
        self._blinking.stop()
        self._patience.stop()
        super().hideEvent(event)

    def _follow(self, state: ViewState, change: Change) -> None:
        if change & (Change.PANES | Change.LOADED):
            self._arrange(state)
        if change & (Change.TRIAL | Change.LOADED):
            self._follow_reading(state)
        if change & Change.COMPARE:
            self._run_blink(state)
        if change & _REDRAWN_BY:
            for frame in self._frames:
                frame.follow(state, change)

    def _follow_reading(self, state: ViewState) -> None:
        """Take the last trial away once the next one has been asked for and takes its time."""
        if state.is_loading and state.loaded is not None and not state.is_current:
            if self.isVisible() and not self._patience.isActive():
                self._patience.start()
            return
        self._patience.stop()

    def _run_blink(self, state: ViewState) -> None:
        should = state.compare.mode is CompareMode.BLINK and self.isVisible()
        if should and not self._blinking.isActive():
            self._blinking.start()
        elif not should:
            self._blinking.stop()

    def _arrange(self, state: ViewState) -> None:
        arrangement = state.arrangement
        columns = self.columns_shown
        wanted = (len(arrangement.panes), columns, arrangement.maximised)
        if wanted == self._arranged:
            return
        self._arranged = wanted
        self._match_number(len(arrangement.panes))
        for frame in self._frames:
            self._grid.removeWidget(frame)
        for column in range(MOST_PANES):
            self._grid.setColumnStretch(column, 1 if column < columns else 0)
        for position, frame in enumerate(self._frames):
            frame.setVisible(arrangement.maximised in (None, position))
            if arrangement.maximised is None:
                self._grid.addWidget(frame, position // columns, position % columns)
            elif position == arrangement.maximised:
                self._grid.addWidget(frame, 0, 0)
        # Canvases paint all of their own area, so Qt does not paint the gaps where one was before.
        self.update()

    def _match_number(self, number: int) -> None:
        while len(self._frames) > number:
            gone = self._frames.pop()
            gone.hide()
            gone.setParent(None)
            gone.deleteLater()
        while len(self._frames) < number:
            self._frames.append(PaneFrame(self._workbench, len(self._frames), self._layers, self))

    def _best_columns(self, number: int, state: ViewState) -> int:
        """The number of columns that shows images of this shape largest."""
        size = state.loaded.probe.size if state.loaded is not None else None
        aspect = size.width / max(1, size.height) if size is not None else 4 / 3
        width, height = max(1, self.width()), max(1, self.height())

        strip = self.fontMetrics().height() + 14

        def scale(columns: int) -> float:
            rows = math.ceil(number / columns)
            return min(width / columns / aspect, height / rows - strip)

        return max(range(1, number + 1), key=lambda columns: (round(scale(columns)), -columns))


class PaneFrame(QWidget):
    """A canvas under a strip that says, and lets the user choose, what it shows."""

    def __init__(
        self, workbench: Workbench, position: int, layers: tuple[Layer, ...], parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._workbench = workbench
        self._position = position
        self._layers = layers
        self.canvas = PaneCanvas(workbench, position, self)
        self._chooser = QToolButton(self)
        self.facts = PlainLabel(parent=self)
        self.caption = PlainLabel(parent=self)
        self._column = QVBoxLayout(self)
        self._named: tuple[object, ...] = ()
        self._build()

    def _build(self) -> None:
        self._chooser.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._chooser.setAutoRaise(True)
        self._chooser.setToolTip(tr("Choose what this pane shows"))
        self._chooser.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        # The drawn arrow overlaps bold text in several styles; the name carries its own.
        self._chooser.setStyleSheet("QToolButton::menu-indicator { image: none; }")
        menu = QMenu(self._chooser)
        menu.aboutToShow.connect(partial(self._fill_menu, menu))
        self._chooser.setMenu(menu)
        font = self._chooser.font()
        font.setBold(True)
        self._chooser.setFont(font)
        self.facts.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.facts.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.facts.setEnabled(False)
        strip = QHBoxLayout()
        strip.setContentsMargins(2, 0, 8, 0)
        strip.addWidget(self._chooser)
        strip.addWidget(self.facts, 1)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(2)
        self._column.addLayout(strip)
        self._column.addWidget(self.canvas, 1)
        self.caption.setWordWrap(True)
        self.caption.setProperty("role", "caption")
        self.caption.hide()
        self._column.addWidget(self.caption)

    def sizeHint(self) -> QSize:
        return QSize(480, 390)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._position < len(self._workbench.state.arrangement.panes):
            self._name(self._workbench.state)

    def follow(self, state: ViewState, change: Change) -> None:
        if self._position >= len(state.arrangement.panes):
            return
        if change & _NAMED_BY:
            self._name(state)
        if change & (Change.LOOK | Change.SUBMISSIONS | Change.THRESHOLD | Change.PANES):
            self._explain(state)
        if change & (Change.LOADED | Change.SCORES | Change.THRESHOLD | Change.PANES):
            self.canvas.setAccessibleDescription(pane_summary(state, self._position))
        if change & _REDRAWN_BY & ~Change.THRESHOLD:
            self.canvas.update()
        elif self._follows_threshold(state):
            self.canvas.update_picture()

    def _follows_threshold(self, state: ViewState) -> bool:
        """A threshold step need not redraw an image that does not know thresholds."""
        pane = state.arrangement.panes[self._position]
        is_active = self._position == state.arrangement.active
        is_compared = state.compare.mode is not CompareMode.OFF and is_active
        is_binary = state.look.system is SystemStyle.THRESHOLDED
        follows = pane.layer is Layer.COMPARISON or (pane.layer is Layer.SYSTEM and is_binary)
        return follows or is_compared

    def _name(self, state: ViewState) -> None:
        pane = state.arrangement.panes[self._position]
        title = title_of(state, pane, with_side=has_donor(state))
        # Names of images can be longer than their pane, and must not widen it.
        room = max(_LEAST_TITLE_PX, round(self.width() * _MOST_TITLE))
        metrics = self._chooser.fontMetrics()
        named = (title, room, metrics.horizontalAdvance(title))
        if (*named, *self._describe_here(state, pane)) == self._named:
            return
        shown = metrics.elidedText(title, Qt.TextElideMode.ElideMiddle, room)
        self._chooser.setText(f"{shown} ▾")
        about = tr("Choose what this pane shows")
        self._chooser.setToolTip(about if shown == title else f"{title}\n{about}")
        number = self._position + 1
        self._chooser.setAccessibleName(tr("Pane {number}: {title}", number=number, title=title))
        self.canvas.setAccessibleName(tr("{title} pane", title=title))
        # What the title leaves must be known before the facts are shortened to it.
        self._column.activate()
        facts, width = self._describe_here(state, pane)
        self._named = (*named, facts, width)
        self.facts.setText(shortened(facts, self.facts.fontMetrics(), width))
        self.facts.setToolTip(" · ".join(facts))

    def _describe_here(self, state: ViewState, pane: Pane) -> tuple[list[str], int]:
        """The facts of a pane and how wide they may stand."""
        return self._describe(state, pane), self.facts.contentsRect().width()

    def _explain(self, state: ViewState) -> None:
        self.caption.setVisible(state.look.has_captions)
        if state.look.has_captions:
            self.caption.setText(explain_pane(state, state.arrangement.panes[self._position]))

    def _describe(self, state: ViewState, pane: Pane) -> list[str]:
        facts = layer_facts(state, pane)
        if facts.size is None or state.loaded is None:
            return []
        side = state.loaded.on(pane.side)
        parts = [str(facts.size), f"{self._percent()} %"]
        if pane.layer is Layer.PICTURE and describe_rotation(side):
            parts.insert(0, describe_rotation(side))
        if pane.image_key in side.beside:
            parts.insert(0, describe_further_image(state, pane))
        if pane.layer is Layer.SYSTEM:
            system = state.loaded.system(pane.side, pane.system)
            if system is not None:
                parts.insert(0, _mask_name(system))
        if pane.layer is Layer.LENS:
            parts = [*describe_lens(state, pane), *parts]
        return parts

    def _percent(self) -> str:
        percent = 100 * self.canvas.window_shown().scale
        return decimal(percent, 0 if percent >= 10 else 1)

    def _fill_menu(self, menu: QMenu) -> None:
        menu.clear()
        group = QActionGroup(menu)
        for panes in offered_panes(self._workbench.state, self._layers):
            titles = {Layer.LENS: tr("Lens"), Layer.EXTRA: tr("Layer of the prediction")}
            title = titles.get(panes[0].layer)
            within = menu if title is None else menu.addMenu(title)
            for pane in panes:
                self._offer(within, group, pane)
            menu.addSeparator()

    def _offer(self, menu: QMenu, group: QActionGroup, pane: Pane) -> None:
        state = self._workbench.state
        action = QAction(title_of(state, pane, with_side=has_donor(state)), menu)
        action.setCheckable(True)
        action.setChecked(self.canvas.pane == pane)
        action.triggered.connect(lambda: self._workbench.set_pane(self._position, pane))
        group.addAction(action)
        menu.addAction(action)


def shortened(facts: Sequence[str], metrics: QFontMetrics, width_px: int) -> str:
    """As many facts as there is room for, the last ones first.

    A long name loses its middle: submissions differ by team at the front, by task at the end.
    """
    for first in range(len(facts)):
        text = " · ".join(facts[first:])
        if metrics.horizontalAdvance(text) <= width_px:
            return text
        kept = "".join(f" · {fact}" for fact in facts[first + 1 :])
        room_px = width_px - metrics.horizontalAdvance(kept)
        if kept and room_px >= _LEAST_NAME_PX:
            return metrics.elidedText(facts[first], Qt.TextElideMode.ElideMiddle, room_px) + kept
    return ""


def _mask_name(system: LoadedSystem) -> str:
    """Whose mask it is, and what the system says about it."""
    if system.answer is None:
        return tr("{system}: no answer", system=system.name)
    status = system.answer.status
    if status is not None and status is not Status.PROCESSED:
        return labelled(system.name, status.value)
    return tr("{system}: no mask", system=system.name) if system.is_stand_in else system.name


def pane_summary(state: ViewState, position: int) -> str:
    """What a pane shows, in words, for those who cannot see it."""
    pane = state.arrangement.panes[position]
    facts = layer_facts(state, pane)
    if facts.size is None or state.loaded is None:
        return facts.reason
    title = title_of(state, pane, with_side=True)
    width, height = facts.size.width, facts.size.height
    parts = [tr("{title}, {width} by {height} pixels", title=title, width=width, height=height)]
    sweep = state.loaded.sweep(pane.side, pane.system)
    if pane.layer is Layer.COMPARISON and sweep is not None:
        threshold = threshold_on(state, pane.side, system=pane.system)
        found = sweep.at(threshold)
        counts = (found.tp, found.fn, found.fp, found.tn)
        parts.append(tr("threshold {threshold}", threshold=state.shown_threshold(threshold)))
        parts += [
            f"{tr(outcome.value)} {decimal(100 * count / max(1, found.total), 1)} %"
            for outcome, count in zip(SCORED, counts, strict=True)
        ]
    return ", ".join(parts)


def _nothing() -> None:
    """What is left to do once everything was done."""
