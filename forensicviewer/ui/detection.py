"""How well the submission tells manipulated trials from others, and where this trial stands."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import QColor, QMouseEvent, QPalette
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QLabel, QToolButton, QVBoxLayout, QWidget

from forensicviewer.app.detection_review import LEVEL, DetectionReview, deviates, review_detection
from forensicviewer.app.state import Change, ViewState
from forensicviewer.app.words import tr, tr_many
from forensicviewer.app.workbench import Workbench
from forensicviewer.core.array import Floats
from forensicviewer.core.model import TrialId
from forensicviewer.core.overlay import Outcome, palette
from forensicviewer.core.problem import ForensicViewerError
from forensicviewer.ui.chart import Axis, Chart, Mark, Series, Shape
from forensicviewer.ui.panel import Panel

_RATES = tuple((value, f"{value:g}") for value in (0, 0.2, 0.4, 0.6, 0.8, 1))
_DET_RATES = (0.001, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99)
_CLICK_WITHIN_PX = 40.0
_LOW_PX = 100


class DetectionPanel(Panel):
    """ROC or DET with its band, a histogram of the scores by class, and the opt-outs."""

    def __init__(self, workbench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(workbench, parent)
        self.summary, self._why = QLabel(self), QLabel(self)
        self.summary.setWordWrap(True)
        self._why.setWordWrap(True)
        self._why.setProperty("role", "muted")
        self.curve = ClickableChart(self._open_near, self)
        self.curve.has_key_below = True
        self.curve.setAccessibleName(tr("Detection curve; click a point to open its trial"))
        self.curve.setToolTip(tr("Click a point to open the trial it begins to call"))
        self.histogram = ClickableChart(self._open_by_score, self)
        self.histogram.setAccessibleName(tr("Confidence scores by class; click to open a trial"))
        self.histogram.setToolTip(tr("Click to open the trial with the nearest confidence"))
        self.roc = self._kind_button("ROC", tr("Detection rate over false alarm rate"))
        self.det = self._kind_button("DET", tr("Miss rate over false alarm rate, normal deviates"))
        self.roc.setChecked(True)
        self.without = QToolButton(self)
        self.without.setText(tr("Without opt-outs"))
        self.without.setToolTip(tr("Leave out the trials the system opted out of (--opt-out)"))
        self.without.setCheckable(True)
        self.without.clicked.connect(lambda: self._ask(self.workbench.state))
        self._review: DetectionReview | None = None
        self._asked: object = None
        self._build()
        self.listen()

    def _kind_button(self, text: str, tip: str) -> QToolButton:
        button = QToolButton(self)
        button.setText(text)
        button.setToolTip(tip)
        button.setCheckable(True)
        button.clicked.connect(self._draw)
        return button

    def _build(self) -> None:
        group = QButtonGroup(self)
        top = QHBoxLayout()
        top.setSpacing(4)
        for button in (self.roc, self.det):
            group.addButton(button)
            top.addWidget(button)
        top.addWidget(self.without)
        top.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 8, 8, 8)
        column.setSpacing(6)
        column.addLayout(top)
        column.addWidget(self.summary)
        column.addWidget(self._why)
        column.addWidget(self.curve, 3)
        column.addWidget(self.histogram, 2)
        # Below the charts while they are there; alone it keeps the message at the top.
        column.addStretch(0)

    @property
    def review(self) -> DetectionReview | None:
        return self._review

    def follow(self, state: ViewState, change: Change) -> None:
        if change & (Change.DATASET | Change.SUBMISSIONS):
            self._ask(state)
        if change & (Change.TRIAL | Change.LOOK) and self._review is not None:
            self._place_trial(state)

    def _ask(self, state: ViewState) -> None:
        task, submission = state.task, state.submission
        leaves_out = self.without.isChecked()
        asked = (task, submission, leaves_out)
        if asked == self._asked:
            return
        self._asked = asked
        if task is None or submission is None:
            self._show_nothing(tr("Open a submission to see how well it detects"))
            return
        self._show_nothing(tr("Scoring…"))

        def show(found: DetectionReview) -> None:
            if self._asked != asked:
                return
            if not len(found.trials.scores):
                self._show_nothing(tr("None of the trials that have a score is in the index"))
                return
            self._review = found
            self._draw()

        self.workbench.jobs.submit_long(
            "detection",
            lambda ticket: review_detection(task, submission, ticket, leaves_out=leaves_out),
            show,
            title=tr("Scoring detection"),
            on_error=self._fail,
        )

    def _fail(self, _lane: str, error: BaseException) -> None:
        if not isinstance(error, ForensicViewerError):
            raise error
        self._show_nothing(str(error))

    def _show_nothing(self, why: str) -> None:
        self._review = None
        self._why.setText(why)
        self._why.show()
        for widget in (self.summary, self.curve, self.histogram, self.roc, self.det, self.without):
            widget.hide()

    def _draw(self) -> None:
        review = self._review
        if review is None:
            return
        self._why.hide()
        for widget in (self.summary, self.curve, self.histogram, self.roc, self.det):
            widget.show()
        self.without.setVisible(bool(review.opted_out.any()) or review.leaves_out)
        self.summary.setText(summary_of(review))
        accent = self.palette().color(QPalette.ColorRole.Highlight)
        if self.det.isChecked():
            self._draw_det(review, accent)
        else:
            self._draw_roc(review, accent)
        self._draw_histogram(review)
        self._place_trial(self.workbench.state)

    def _draw_roc(self, review: DetectionReview, accent: QColor) -> None:
        curve, kept = review.curve, review.shown
        far, cdr = curve.far[kept], curve.cdr[kept]
        low, high = (edge[kept] for edge in review.band())
        muted = QColor(self.palette().color(QPalette.ColorRole.WindowText))
        muted.setAlpha(70)
        chance = np.array([0.0, 1.0])
        series = [
            Series(_band(), far, high, _faint(accent), Shape.BAND, other=low),
            Series("", chance, chance, muted, width=1, dashed=True),
            Series("ROC", far, cdr, accent),
        ]
        across = Axis(-0.01, 1.01, _RATES, tr("False alarm rate"))
        self.curve.show_series(across, Axis(-0.01, 1.03, _RATES, tr("Detection rate")), series)

    def _draw_det(self, review: DetectionReview, accent: QColor) -> None:
        curve, kept = review.curve, review.shown
        far = deviates(curve.far[kept])
        low, high = (deviates(1 - edge[kept]) for edge in review.band())
        series = [
            Series(_band(), far, high, _faint(accent), Shape.BAND, other=low),
            Series("DET", far, deviates(curve.miss[kept]), accent),
        ]
        places = deviates(np.array(_DET_RATES)).tolist()
        ticks = tuple((x, f"{rate:g}") for x, rate in zip(places, _DET_RATES, strict=True))
        ends = places[0] - 0.3, places[-1] + 0.3
        across = Axis(*ends, ticks, tr("False alarm rate"))
        self.curve.show_series(across, Axis(*ends, ticks, tr("Miss rate")), series)

    def _draw_histogram(self, review: DetectionReview) -> None:
        edges, targets, others = review.histograms()
        colors = palette(self.workbench.state.look.palette)
        series = [
            Series(tr("Others"), *_bars(edges, others), _shade(colors[Outcome.MISS]), Shape.AREA),
            Series(tr("Targets"), *_bars(edges, targets), _shade(colors[Outcome.HIT]), Shape.AREA),
        ]
        highest = max(float(targets.max()), float(others.max()), 1e-9)
        first, last = float(edges[0]), float(edges[-1])
        ticks = tuple((x, f"{x:.3g}") for x in (first, (first + last) / 2, last))
        axis = Axis(first, last if last > first else first + 1, ticks, tr("Confidence score"))
        self.histogram.show_series(axis, Axis(0, 1.15 * highest), series)

    def _place_trial(self, state: ViewState) -> None:
        review = self._review
        score = None if review is None else review.score_of(state.trial_id)
        if review is None or score is None or math.isnan(score):
            self.curve.show_marks(())
            self.histogram.show_marks(())
            return
        ink = self.palette().color(QPalette.ColorRole.WindowText)
        x, y = self._on_axes(*review.point_at(score))
        self.curve.show_marks([Mark(x, ink, y=y)])
        self.histogram.show_marks([Mark(score, ink, tr("this trial"), width=2)])

    def _on_axes(self, far: float, cdr: float) -> tuple[float, float]:
        if not self.det.isChecked():
            return far, cdr
        x, y = deviates(np.array([far, 1 - cdr])).tolist()
        return x, y

    def _open_near(self, point: QPointF) -> None:
        """Open the trial that the closest vertex of the curve begins to call."""
        review = self._review
        if review is None or not len(review.curve.thresholds):
            return
        far, cdr = review.curve.far[review.shown], review.curve.cdr[review.shown]
        xs, ys = (deviates(far), deviates(1 - cdr)) if self.det.isChecked() else (far, cdr)
        across, down = self.curve.points_of(xs, ys)
        distances = np.hypot(across - point.x(), down - point.y())
        best = int(np.argmin(distances))
        if distances[best] <= _CLICK_WITHIN_PX:
            vertex = int(review.shown[best])
            self._open(review.trial_at(float(review.curve.thresholds[vertex])))

    def _open_by_score(self, point: QPointF) -> None:
        if self._review is not None:
            self._open(self._review.trial_at(self.histogram.value_at(point)[0]))

    def _open(self, wanted: TrialId) -> None:
        self.workbench.select_trial(wanted)

    def let_go(self) -> None:
        super().let_go()
        self.workbench.jobs.cancel("detection")


class ClickableChart(Chart):
    """A chart whose points are places to go to."""

    def __init__(self, clicked: Callable[[QPointF], None], parent: QWidget) -> None:
        super().__init__(parent)
        self._clicked = clicked
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def sizeHint(self) -> QSize:
        """Low: beside a text that wraps Qt grants no less, and the other chart would be cut off."""
        return QSize(320, _LOW_PX)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._clicked(event.position())


def summary_of(review: DetectionReview) -> str:
    """The numbers of a detection report, in two lines."""
    trials, curve = review.trials, review.curve
    auc = f"AUC {_number(curve.auc)}"
    if review.intervals is not None:
        interval = review.intervals.auc
        auc += f" [{_number(interval.lower)}, {_number(interval.upper)}]"
    rate = _number(curve.cdr_at(review.far_stop))
    rates = tr("CDR {rate} at FAR {far}", rate=rate, far=f"{review.far_stop:g}")
    targets = tr_many("{count} target", "{count} targets", trials.target_count)
    others = tr_many("{count} other", "{count} others", trials.nontarget_count)
    out = int(np.count_nonzero(review.opted_out))
    opted_out = tr_many("{count} opted out", "{count} opted out", out)
    if review.leaves_out:
        trr = f"{review.response_rate:g}"
        opted_out = tr("{count}, left out: TRR {trr}", count=opted_out, trr=trr)
    counts = tr("{targets}, {others}; {opted}", targets=targets, others=others, opted=opted_out)
    return f"{auc} · EER {_number(curve.eer)} · {rates}\n{counts}"


def _band() -> str:
    return tr("{level} % interval", level=f"{LEVEL * 100:.0f}")


def _number(value: float) -> str:
    return tr("none") if math.isnan(value) else f"{value:.3f}"


def _bars(edges: Floats, shares: Floats) -> tuple[Floats, Floats]:
    return np.repeat(edges, 2)[1:-1], np.repeat(shares, 2)


def _faint(color: QColor) -> QColor:
    shade = QColor(color)
    shade.setAlpha(45)
    return shade


def _shade(color: tuple[int, int, int]) -> QColor:
    return QColor(*color, 150)
