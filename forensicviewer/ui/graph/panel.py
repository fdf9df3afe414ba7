"""Beside the graph: its scores, the confidence thresholds with their curves, and the selection."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QSignalBlocker, Qt, QTimer
from PySide6.QtGui import QColor, QMouseEvent
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QHeaderView,
    QSlider,
    QTableWidget,
    QVBoxLayout,
    QWidget,
)

from forensicviewer.app.graph.document import GraphDocument
from forensicviewer.app.graph.facts import facts_of
from forensicviewer.app.graph.review import GraphReview, explanation_of
from forensicviewer.app.graph.state import GraphChange, GraphState
from forensicviewer.app.language.words import in_english, to_translate, tr, tr_many, whole
from forensicviewer.app.provenance.filtering import ALL
from forensicviewer.app.provenance.scoring import MEASURES
from forensicviewer.app.provenance.settings import ProvenanceSettings
from forensicviewer.app.runtime.jobs import Lane
from forensicviewer.core.array import Floats
from forensicviewer.core.graph.provenance import MatchCounts
from forensicviewer.core.graph.sweep import EVERYTHING, SweepCurve
from forensicviewer.core.graph.variation import variation_of
from forensicviewer.core.model import Task, TaskKind
from forensicviewer.ui.graph.follower import GraphFollower
from forensicviewer.ui.graph.style import for_ground
from forensicviewer.ui.widgets.chart import Axis, Chart, ChartMark, Series
from forensicviewer.ui.widgets.heading import Heading, bold_font
from forensicviewer.ui.widgets.plain_text import PlainLabel
from forensicviewer.ui.widgets.table_copy import make_copyable, translated_cell

_REASON_LANE = Lane("graph-why")

_STEPS = 1000
_REST_MS = 60
_MOST_STEPS = 160
_LARGEST = 1e12
_CURVED_AT_ONCE = 1_500  # images whose curve is made on the spot
_MOST_SEARCHED = 1_000  # links that are searched on the spot for the reason of a mismatch
_CURVES = (
    ("SimNLO", "sim_nlo", QColor(29, 95, 209), False),
    ("SimNO", "sim_no", QColor(0, 128, 0), True),
    ("SimLO", "sim_lo", QColor(190, 90, 0), True),
)
# What each threshold is of: its title, and what its slider and its curve are called.
_CUTS = {
    "images": (
        to_translate("Images ≥"),
        to_translate("Minimum confidence of images"),
        to_translate("Scores over the confidence of images; drag to move"),
    ),
    "links": (
        to_translate("Links ≥"),
        to_translate("Minimum confidence of links"),
        to_translate("Scores over the confidence of links; drag to move"),
    ),
}
_SCORE_AXIS = Axis(0.0, 1.02, ((0.0, "0"), (0.5, "0.5"), (1.0, "1")))


class ScoreTable(QWidget):
    """The measures of a trial in large figures, and the counts behind them."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(14)
        self._grid.setVerticalSpacing(2)
        self.values: dict[str, PlainLabel] = {}
        self.counts = PlainLabel("")
        self.counts.setWordWrap(True)
        self.variation = PlainLabel("")
        self.variation.setObjectName("muted")
        self.variation.setWordWrap(True)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addLayout(self._grid)
        column.addWidget(self.counts)
        column.addWidget(self.variation)
        self._set_names([name for name, _ in MEASURES])

    def _set_names(self, names: Sequence[str]) -> None:
        if list(self.values) == list(names):
            return
        while (item := self._grid.takeAt(0)) is not None:
            label = item.widget()
            if label is not None:
                label.deleteLater()
        self.values = {}
        for column, name in enumerate(names):
            title = PlainLabel(name)
            title.setObjectName("muted")
            value = Heading()
            value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            self.values[name] = value
            self._grid.addWidget(title, 0, column)
            self._grid.addWidget(value, 1, column)

    def show_scores(self, state: GraphState) -> None:
        """The figures of ``score provenance``."""
        scores = None if state.comparison is None else state.comparison.scores
        self._show(
            {name: None if scores is None else measure(scores) for name, measure in MEASURES},
            state.settings,
        )
        self.counts.setText(
            ""
            if scores is None
            else tr(
                "Images: {images}\nLinks: {links}",
                images=_counted(scores.nodes),
                links=_counted(scores.links),
            )
        )

    def show_recalls(self, state: GraphState) -> None:
        """The figures of ``score filtering``."""
        ranking = None if state.document is None else state.document.ranking
        recalls = () if ranking is None else ranking.recalls[ALL]
        self._show({f"@{recall.n}": recall.value for recall in recalls}, state.settings)
        words = ""
        if ranking is not None and recalls:
            last = recalls[-1]
            words = tr(
                "Recall: {found} of {wanted} images found among the first {length}; "
                "{returned} returned",
                found=whole(last.wanted - last.missed),
                wanted=whole(last.wanted),
                length=whole(last.n),
                returned=whole(ranking.returned),
            )
        self.counts.setText(words)

    def show_variation(self, task: Task | None) -> None:
        """Which images the system chose from, in the words of the plans."""
        variation = None if task is None else variation_of(task)
        words = "" if variation is None else tr("Variation: {name}", name=variation.value)
        self.variation.setText(words)
        self.variation.setVisible(variation is not None)

    def _show(self, values: Mapping[str, float | None], settings: ProvenanceSettings) -> None:
        self._set_names(list(values))
        for name, value in values.items():
            self.values[name].setText(tr("none") if value is None else f"{value:.4f}")
            self.values[name].setToolTip("" if value is None else settings.printed(value))


def _counted(counts: MatchCounts) -> str:
    return tr_many(
        "{matched} correct, {missed} missing, {count} false alarm",
        "{matched} correct, {missed} missing, {count} false alarms",
        counts.invented,
        matched=whole(counts.matched),
        missed=whole(counts.missed),
    )


class CutSlider(QWidget):
    """One confidence threshold: slider, value and the curve of scores over it."""

    def __init__(self, review: GraphReview, what: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._review = review
        self._what = what
        self._lane = Lane("graph-curve")
        title, sliding, curve = (tr(words) for words in _CUTS[what])
        self._range = (0.0, 1.0)
        self._curve_of: tuple[object, ...] | None = None
        self._draw_later = QTimer(self)
        self._draw_later.setSingleShot(True)
        self._draw_later.setInterval(_REST_MS)
        self._draw_later.timeout.connect(self._draw_now)
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setRange(0, _STEPS)
        self.slider.setAccessibleName(sliding)
        self.slider.valueChanged.connect(self._slide)
        self.value = PlainLabel(tr("all"))
        self.value.setMinimumWidth(52)
        self.chart = _DragChart(self)
        self.chart.setAccessibleName(curve)
        self.chart.setMinimumHeight(104)
        self.chart.dragged = self._drag
        row = QHBoxLayout()
        label = PlainLabel(title)
        # Both sliders begin below each other, however long the words are.
        label.setMinimumWidth(
            max(label.fontMetrics().horizontalAdvance(tr(words[0])) for words in _CUTS.values())
        )
        row.addWidget(label)
        row.addWidget(self.slider, 1)
        row.addWidget(self.value)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addLayout(row)
        column.addWidget(self.chart)

    def follow(self, state: GraphState, change: GraphChange) -> None:
        document = state.document
        if document is None or not change & (GraphChange.MATCHES | GraphChange.DOCUMENT):
            return
        other = state.cut.links if self._what == "images" else state.cut.nodes
        key = (document, other, self.palette().cacheKey())
        if key != self._curve_of:
            is_new = self._curve_of is None or self._curve_of[0] is not document
            self._curve_of = key
            if is_new:
                self._draw_now()
            else:
                # Only the other threshold moved: this curve follows when that comes to rest.
                self._draw_later.start()
        self._show_value(self._at(state))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange:
            self._draw_later.start()

    def _draw_now(self) -> None:
        """Draw the curve; one that is not known yet is made in the background first."""
        state = self._review.state
        document = state.document
        if document is None:
            return
        if len(document.system.nodes) <= _CURVED_AT_ONCE or self._is_known(state):
            self._draw(self._curve(document, state))
            return
        key = self._curve_of
        self._review.jobs.submit(
            self._lane,
            lambda: self._curve(document, state),
            lambda curve: self._draw(curve) if key == self._curve_of else None,
            title=tr("Scoring the graph"),
        )

    def _is_known(self, state: GraphState) -> bool:
        other = state.cut.links if self._what == "images" else state.cut.nodes
        return other == EVERYTHING

    def let_go(self) -> None:
        self._draw_later.stop()

    def _curve(self, document: GraphDocument, state: GraphState) -> SweepCurve:
        if self._what == "images":
            return document.node_curve(state.cut)
        return document.link_curve(state.cut)

    def _at(self, state: GraphState) -> float:
        return state.cut.nodes if self._what == "images" else state.cut.links

    def _draw(self, curve: SweepCurve) -> None:
        # Beyond that a slider could not tell two numbers apart, nor add to one of them.
        x = np.clip(curve.confidences, -_LARGEST, _LARGEST)
        self.setEnabled(len(x) > 0)
        seen = _seen(len(x))
        low, high = (float(x[0]), float(x[-1])) if len(x) else (0.0, 1.0)
        room = max((high - low) * 0.04, abs(high) * 1e-6) or 0.5
        self._range = (low - room, high + room)
        axis = Axis(*self._range, ticks=((low, f"{low:.3g}"), (high, f"{high:.3g}")))
        series = [
            Series(
                name,
                *_stairs(x[seen], getattr(curve, attribute)[seen], low - room),
                for_ground(color, self.palette()),
                dashed=dashed,
            )
            for name, attribute, color, dashed in _CURVES
        ]
        self.chart.show_series(axis, _SCORE_AXIS, series)

    def _show_value(self, at: float) -> None:
        is_all = at == EVERYTHING
        self.value.setText(tr("all") if is_all else f"{at:.3g}")
        low, high = self._range
        share = 0.0 if is_all else (at - low) / (high - low)
        with QSignalBlocker(self.slider):
            self.slider.setValue(round(min(1.0, max(0.0, share)) * _STEPS))
        color = self.palette().color(self.foregroundRole())
        self.chart.show_marks([] if is_all else [ChartMark(at, color, f"{at:.3g}", width=1.6)])

    def _slide(self, step: int) -> None:
        low, high = self._range
        self._set(EVERYTHING if step == 0 else low + (high - low) * step / _STEPS)

    def _drag(self, at: float) -> None:
        self._set(EVERYTHING if at <= self._range[0] else min(at, self._range[1]))

    def _set(self, at: float) -> None:
        if self._what == "images":
            self._review.set_cut(nodes=at)
        else:
            self._review.set_cut(links=at)


def _seen(count: int) -> NDArray[np.intp]:
    """Positions that can be distinguished on the screen, first and last among them."""
    if count <= _MOST_STEPS:
        return np.arange(count)
    return np.unique(np.linspace(0, count - 1, _MOST_STEPS).round().astype(np.intp))


def _stairs(x: Floats, y: Floats, start: float) -> tuple[Floats, Floats]:
    """The points of a curve that holds its value until the next confidence is passed."""
    if not len(x):
        return x, y
    edges = np.concatenate([[start], np.repeat(x, 2)[:-1]])
    held = np.concatenate([y[:1], np.repeat(y, 2)[:1], np.repeat(y[1:], 2)])
    return edges, np.nan_to_num(held)


class _DragChart(Chart):
    """A chart that says where on its axis it is pressed or dragged."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.dragged: Callable[[float], None] = _ignore
        self.setCursor(Qt.CursorShape.SplitHCursor)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.dragged(self.value_at(event.position())[0])

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self.dragged(self.value_at(event.position())[0])


def _ignore(_at: float) -> None:
    """Ignore the change until a listener is set."""


class SelectionFacts(QWidget):
    """Why the selected node or link counts as it does, and all that is known of it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.explanation = PlainLabel("")
        self.explanation.setWordWrap(True)
        self.explanation.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.explanation.setAccessibleName(tr("Explanation"))
        self.table = QTableWidget(0, 2)
        self.table.setAccessibleName(tr("Facts about the selection"))
        self.table.horizontalHeader().setSectionResizeMode(
            0, QHeaderView.ResizeMode.ResizeToContents
        )
        self.table.horizontalHeader().setStretchLastSection(True)
        self.table.horizontalHeader().hide()
        self.table.verticalHeader().hide()
        self.table.verticalHeader().setDefaultSectionSize(22)
        self.table.setEditTriggers(QTableWidget.EditTrigger.NoEditTriggers)
        make_copyable(self.table)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.explanation)
        column.addWidget(self.table, 1)

    def show_selection(self, review: GraphReview) -> None:
        state = review.state
        match = review.selected_match()
        self._explain(review)
        facts, english = [], []
        if match is not None and state.document is not None:
            facts = facts_of(state.document, match)
            with in_english():
                english = facts_of(state.document, match)
        self.table.setRowCount(len(facts))
        for row, (fact, copied) in enumerate(zip(facts, english, strict=True)):
            for column, words in enumerate(fact):
                cell = translated_cell(words, copied[column])
                cell.setToolTip(words)
                self.table.setItem(row, column, cell)

    def _explain(self, review: GraphReview) -> None:
        """Say why; where that means searching a large graph, as soon as it is known."""
        state = review.state
        links = 0 if state.comparison is None else len(state.comparison.links)
        if state.selected is None or links <= _MOST_SEARCHED:
            self.explanation.setText(review.explanation() or self._invitation(state))
            return
        self.explanation.setText(tr("Looking for the reason…"))
        review.jobs.submit(
            _REASON_LANE,
            lambda: (state, explanation_of(state)),
            lambda found: self._say(review, *found),
            title=tr("Looking for the reason"),
        )

    def _say(self, review: GraphReview, state: GraphState, words: str) -> None:
        if state.selected == review.state.selected:
            self.explanation.setText(words or self._invitation(review.state))

    def _invitation(self, state: GraphState) -> str:
        if state.document is None:
            return ""
        if state.selected is not None:
            return tr(
                "Below the threshold: the system is not confident enough, and the reference "
                "does not contain it."
            )
        return tr("Select an image or a link to see how it is scored and why.")


class GraphPanel(QWidget):
    """The column beside the graph."""

    def __init__(self, review: GraphReview, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._review = review
        self.scores = ScoreTable()
        self.node_cut = CutSlider(review, "images")
        self.link_cut = CutSlider(review, "links")
        self.facts = SelectionFacts()
        column = QVBoxLayout(self)
        column.setContentsMargins(10, 8, 10, 8)
        column.setSpacing(8)
        column.addWidget(self.scores)
        column.addWidget(_heading(tr("Confidence")))
        column.addWidget(self.node_cut)
        column.addWidget(self.link_cut)
        column.addWidget(_heading(tr("Selection")))
        column.addWidget(self.facts, 1)
        follows = (self._follow, self.node_cut.follow, self.link_cut.follow)
        self._followers = [GraphFollower(review, follow) for follow in follows]

    def let_go(self) -> None:
        for follower in self._followers:
            follower.let_go()
        self.node_cut.let_go()
        self.link_cut.let_go()

    def _follow(self, state: GraphState, change: GraphChange) -> None:
        if change & (GraphChange.DOCUMENT | GraphChange.MATCHES):
            task = self._review.task
            is_filtering = task is not None and task.kind is TaskKind.FILTERING
            if is_filtering:
                self.scores.show_recalls(state)
            else:
                self.scores.show_scores(state)
            self.scores.show_variation(task)
            self.link_cut.setVisible(not is_filtering)
        if change & (GraphChange.DOCUMENT | GraphChange.MATCHES | GraphChange.SELECTION):
            self.facts.show_selection(self._review)


def _heading(words: str) -> PlainLabel:
    label = PlainLabel(words)
    label.setFont(bold_font())
    return label
