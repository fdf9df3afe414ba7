"""How well the submission tells manipulated trials from others, and where this trial stands."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QColor, QMouseEvent, QPalette
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QToolButton, QVBoxLayout, QWidget

from forensicviewer.app.detection.curves import NamedCurve, curves_of
from forensicviewer.app.detection.report import DECIMALS
from forensicviewer.app.detection.review import LEVEL, DetectionReview, review_detection
from forensicviewer.app.language.words import tr, tr_many
from forensicviewer.app.runtime.jobs import Lane, Priority
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.app.workbench.state import Change, ViewState
from forensicviewer.core.array import Floats
from forensicviewer.core.detection import ConfidenceInterval, deviates
from forensicviewer.core.model import TaskKind
from forensicviewer.core.palette import Outcome
from forensicviewer.core.problem import ForensicViewerError
from forensicviewer.ui.score.curve_comparison import CurveComparison, curve_color
from forensicviewer.ui.widgets.chart import Axis, ChartMark, LowChart, Series, SeriesShape
from forensicviewer.ui.widgets.panel import Panel
from forensicviewer.ui.widgets.plain_text import PlainLabel

_DETECTION_LANE = Lane("detection", Priority.DETAIL)
_CURVES_LANE = Lane("curves", Priority.DETAIL)

_RATES = tuple((value, f"{value:g}") for value in (0, 0.2, 0.4, 0.6, 0.8, 1))
_DET_RATES = (0.001, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99)
_DET_ENDS = (-3.4, 2.63)  # a little beyond the first and last of these rates
_CLICK_WITHIN_PX = 40.0


class DetectionPanel(Panel):
    """ROC or DET with its band, a histogram of the scores by class, and the opt-outs."""

    def __init__(self, workbench: Workbench, parent: QWidget | None = None) -> None:
        # First of all: colours change while the panel is still being made.
        self._review: DetectionReview | None = None
        super().__init__(workbench, parent)
        self.summary, self.here, self.why = (PlainLabel(parent=self) for _ in range(3))
        for label in (self.summary, self.here, self.why):
            label.setWordWrap(True)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.here.setProperty("role", "muted")
        self.here.setToolTip(
            tr(
                "The confidence of this trial, and both rates if every trial\nwith at least "
                "this confidence is called manipulated"
            )
        )
        self.why.setProperty("role", "muted")
        self.curve = ClickableChart(self._open_near, self)
        self.curve.has_key_below = True
        self.curve.setAccessibleName(tr("Detection curve; click a point to open its trial"))
        again = tr("Click again for the next trial with the same confidence")
        at_point = tr("Click a point to open its trial")
        self.curve.setToolTip(f"{at_point}\n{again}")
        self.histogram = ClickableChart(self._open_by_score, self)
        self.histogram.setAccessibleName(tr("Confidence scores by class; click to open a trial"))
        at_score = tr("Click to open the trial with the nearest confidence")
        self.histogram.setToolTip(f"{at_score}\n{again}")
        self.roc = self._kind_button("ROC", tr("Detection rate over false alarm rate"))
        self.det = self._kind_button("DET", tr("Miss rate over false alarm rate (normal deviates)"))
        self.roc.setChecked(True)
        self.without = QToolButton(self)
        self.without.setText(tr("Without opt-outs"))
        self.without.setToolTip(tr("Exclude the trials the system opted out of (--opt-out)"))
        self.without.setCheckable(True)
        self.without.clicked.connect(self._ask)
        self.comparison = CurveComparison(self._ask_curves, self)
        self.curves: tuple[NamedCurve, ...] = ()
        self._asked: object = None
        self._asked_curves: object = None
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
        column.addWidget(self.comparison)
        column.addWidget(self.summary)
        column.addWidget(self.here)
        column.addWidget(self.why)
        column.addWidget(self.curve, 3)
        column.addWidget(self.histogram, 2)
        # Below the charts while they are there; alone it keeps the message at the top.
        column.addStretch(0)

    @property
    def review(self) -> DetectionReview | None:
        return self._review

    def follow(self, state: ViewState, change: Change) -> None:
        if change & (Change.DATASET | Change.SUBMISSIONS | Change.RULES):
            self.comparison.every.setVisible(len(state.submissions) > 1)
            self._ask()
        if Change.LOOK in change:
            # Another palette or theme: the charts keep the colours they were drawn with.
            self._draw()
        elif Change.TRIAL in change and self._review is not None:
            self._place_trial(state)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        # A panel that is closed gets the colours of another theme only when it opens again.
        if event.type() is QEvent.Type.PaletteChange:
            self._draw()

    def _ask(self) -> None:
        state = self.workbench.state
        task, submission, rules = state.task, state.listed_submission, state.rules
        leaves_out = self.without.isChecked()
        self._ask_curves()
        asked = (task, submission, rules, leaves_out)
        if asked == self._asked:
            return
        self._asked = asked
        if task is None or submission is None or task.kind is TaskKind.GENAI:
            self._show_nothing(tr("Open a submission to see how well it detects"))
            return
        self._show_nothing(tr("Scoring…"))

        def show(found: DetectionReview) -> None:
            if self._asked == asked:
                self._review = found
                self._draw()

        self.workbench.jobs.submit_long(
            _DETECTION_LANE,
            lambda ticket: review_detection(
                task, submission, ticket, rules=rules, leaves_out=leaves_out
            ),
            show,
            title=tr("Scoring detection"),
            on_error=self._fail,
            on_cancel=self._give_up,
        )

    def _ask_curves(self) -> None:
        """Score what is compared; nothing where one curve is enough."""
        state, wanted = self.workbench.state, self.comparison
        task, every = state.task, wanted.every.isChecked()
        shown = () if state.listed_submission is None else (state.listed_submission,)
        submissions = state.run_submissions if every else shown
        request = wanted.request(leaves_out=self.without.isChecked())
        asked = (task, submissions, state.rules, request) if wanted.is_asked else None
        if asked == self._asked_curves:
            return
        self._asked_curves = asked
        self._take_curves(asked, ())
        if task is None or asked is None or not submissions:
            return
        self.workbench.jobs.submit_long(
            _CURVES_LANE,
            lambda ticket: curves_of(task, submissions, request, ticket, rules=state.rules),
            lambda found: self._take_curves(asked, found),
            title=tr("Scoring detection"),
            on_cancel=self._forget_curves,
        )

    def _forget_curves(self) -> None:
        self._asked_curves = None  # so that asking for the same scores it

    def _take_curves(self, asked: object, found: tuple[NamedCurve, ...]) -> None:
        if self._asked_curves == asked:
            self.curves = found
            self.comparison.show_curves(found)
            self._draw()

    def _fail(self, error: BaseException) -> None:
        if not isinstance(error, ForensicViewerError):
            raise error
        self._show_nothing(str(error))

    def _give_up(self) -> None:
        self._asked = None  # so that reading it again asks again
        self._show_nothing(tr("Cancelled"))

    def _show_nothing(self, why: str) -> None:
        self._review = None
        self._show(charts=False, curve=False, why=why)
        # Who left out every trial can have them back.
        self.without.setVisible(self.without.isChecked())

    def _show(self, *, charts: bool, curve: bool, why: str) -> None:
        self.why.setText(why)
        self.why.setVisible(bool(why))
        shown: dict[QWidget, bool] = dict.fromkeys(
            (self.summary, self.here, self.histogram), charts
        )
        shown |= dict.fromkeys((self.curve, self.roc, self.det, self.comparison), curve)
        for widget, is_shown in shown.items():
            widget.setVisible(is_shown)

    def _draw(self) -> None:
        review = self._review
        if review is None:
            return
        if not len(review.trials):
            self._show_nothing(
                tr("The system opted out of every trial")
                if review.leaves_out
                else tr("None of the trials with a score is in the index")
            )
            return
        has_curve = review.trials.has_both_classes
        self._show(charts=True, curve=has_curve, why="" if has_curve else _one_class(review))
        self.without.setVisible(review.opted_out > 0 or review.leaves_out)
        self.summary.setText(summary_of(review))
        self.summary.setToolTip(exactly(review))
        accent = self.palette().color(QPalette.ColorRole.Highlight)
        if has_curve and self.det.isChecked():
            self._draw_det(review, accent)
        elif has_curve:
            self._draw_roc(review, accent)
        self._draw_histogram(review)
        self._place_trial(self.workbench.state)

    def _draw_roc(self, review: DetectionReview, accent: QColor) -> None:
        far, cdr = review.drawn
        low, high = review.band
        muted = QColor(self.palette().color(QPalette.ColorRole.WindowText))
        muted.setAlpha(70)
        chance = np.array([0.0, 1.0])
        series = [
            Series(_band(), far, high, _faint(accent), SeriesShape.BAND, other=low),
            Series("", chance, chance, muted, width=1, dashed=True),
            Series("ROC", far, cdr, accent),
            *self._compared(),
        ]
        across = Axis(-0.01, 1.01, _RATES, tr("False alarm rate"))
        self.curve.show_series(across, Axis(-0.01, 1.03, _RATES, tr("Detection rate")), series)

    def _draw_det(self, review: DetectionReview, accent: QColor) -> None:
        far, miss = _on_det(*review.drawn)
        low, high = (_on_det(edge, edge)[1] for edge in review.band)
        series = [
            Series(_band(), far, high, _faint(accent), SeriesShape.BAND, other=low),
            Series("DET", far, miss, accent),
            *self._compared(),
        ]
        places = deviates(np.array(_DET_RATES)).tolist()
        ticks = tuple((x, f"{rate:g}") for x, rate in zip(places, _DET_RATES, strict=True))
        across = Axis(*_DET_ENDS, ticks, tr("False alarm rate"))
        self.curve.show_series(across, Axis(*_DET_ENDS, ticks, tr("Miss rate")), series)

    def _compared(self) -> list[Series]:
        """The curves of the comparison; the table names them."""
        return [
            Series("", *self._on_axes(curve.far, curve.cdr), curve_color(number))
            for number, curve in enumerate(self.curves)
            if curve.far is not None and curve.cdr is not None
        ]

    def _draw_histogram(self, review: DetectionReview) -> None:
        edges, targets, others = review.histograms
        colors = self.workbench.state.colors
        series = [
            Series(
                tr("Others"), *_bars(edges, others), _shade(colors[Outcome.MISS]), SeriesShape.AREA
            ),
            Series(
                tr("Targets"), *_bars(edges, targets), _shade(colors[Outcome.HIT]), SeriesShape.AREA
            ),
        ]
        highest = max(float(targets.max()), float(others.max()), 1e-9)
        first, last = float(edges[0]), float(edges[-1])
        ticks = tuple((x, f"{x:.3g}") for x in (first, (first + last) / 2, last))
        axis = Axis(first, last if last > first else first + 1, ticks, tr("Confidence score"))
        self.histogram.show_series(axis, Axis(0, 1.15 * highest), series)

    def _place_trial(self, state: ViewState) -> None:
        review = self._review
        score = None if review is None else review.score_of(state.trial_id)
        self.here.setVisible(review is not None and state.trial_id is not None)
        if review is None or score is None:
            self.here.setText(tr("This trial is not scored here"))
            self.curve.show_marks(())
            self.histogram.show_marks(())
            return
        ink = self.palette().color(QPalette.ColorRole.WindowText)
        far, cdr = review.point_at(score)
        self.here.setText(_describe_trial(review, score, far, cdr))
        if review.trials.has_both_classes:
            x, y = self._on_axes(np.array([far]), np.array([cdr]))
            self.curve.show_marks([ChartMark(float(x[0]), ink, y=float(y[0]))])
        first, *_, last = review.histograms[0].tolist()
        shown = min(max(score, first), last)
        self.histogram.show_marks([ChartMark(shown, ink, tr("this trial"), width=2)])

    def _on_axes(self, far: Floats, cdr: Floats) -> tuple[Floats, Floats]:
        return _on_det(far, cdr) if self.det.isChecked() else (far, cdr)

    def _open_near(self, point: QPointF) -> None:
        """Open the trial that the closest point of the curve begins to call."""
        review = self._review
        if review is None:
            return
        far, cdr, scores = review.steps
        across, down = self.curve.points_of(*self._on_axes(far, cdr))
        distances = np.hypot(across - point.x(), down - point.y())
        best = int(np.argmin(distances))
        if distances[best] <= _CLICK_WITHIN_PX:
            self._open(float(scores[best]))

    def _open_by_score(self, point: QPointF) -> None:
        self._open(self.histogram.value_at(point)[0])

    def _open(self, score: float) -> None:
        if self._review is not None:
            here = self.workbench.state.trial_id
            self.workbench.select_trial(self._review.trial_at(score, after=here))

    def let_go(self) -> None:
        super().let_go()
        self.workbench.jobs.cancel(_DETECTION_LANE)
        self.workbench.jobs.cancel(_CURVES_LANE)


class ClickableChart(LowChart):
    """A chart whose points are places to go to."""

    def __init__(self, clicked: Callable[[QPointF], None], parent: QWidget) -> None:
        super().__init__(parent)
        self._clicked = clicked
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._clicked(event.position())


def summary_of(review: DetectionReview) -> str:
    """The numbers of a detection report, in two lines; one without a curve."""
    trials, known = review.trials, review.intervals
    counts = [
        tr_many("{count} target", "{count} targets", trials.target_count),
        tr_many("{count} other", "{count} others", trials.nontarget_count),
    ]
    opted_out = tr_many("{count} opted out", "{count} opted out", review.opted_out)
    if review.leaves_out:
        trr = f"{review.response_rate:g}"
        opted_out = tr("{count}, left out: TRR {trr}", count=opted_out, trr=trr)
    counted = tr(
        "{targets}, {others}; {opted}", targets=counts[0], others=counts[1], opted=opted_out
    )
    if review.unanswered:
        counted += "; " + tr_many(
            "{count} without an answer", "{count} without an answer", review.unanswered
        )
    if not trials.has_both_classes:
        return counted
    found = review.numbers
    auc = f"AUC {_ranged(found.auc, None if known is None else known.auc)}"
    rate, far = _number(found.cdr), f"{review.far_stop:g}"
    rates = tr("CDR {rate} at FAR {far}", rate=rate, far=far)
    return f"{auc} · EER {_number(found.eer)} · {rates}\n{counted}"


def exactly(review: DetectionReview) -> str:
    """The numbers with the digits and names of NIST's report; nothing without a curve."""
    found, stop, known = review.numbers, review.far_stop, review.intervals
    if not review.trials.has_both_classes:
        return ""
    auc, partial, cdr = (None,) * 3 if known is None else (known.auc, known.partial_auc, known.cdr)
    numbers = (
        ("AUC", found.auc, auc),
        ("EER", found.eer, None),
        (f"AUC@FAR {stop:g}", found.partial_auc, partial),
        (f"CDR@FAR {stop:g}", found.cdr, cdr),
    )
    return "\n".join(f"{name} {_ranged(value, of, DECIMALS)}" for name, value, of in numbers)


def _one_class(review: DetectionReview) -> str:
    if review.trials.target_count:
        return tr("Every scored trial is a target, so there is no curve")
    return tr("No scored trial is a target, so there is no curve")


def _describe_trial(review: DetectionReview, score: float, far: float, cdr: float) -> str:
    """Where the current trial stands, in words."""
    text = tr("This trial: {confidence}", confidence=f"{score:.4g}")
    if not review.trials.has_both_classes:
        return text
    return f"{text} · FAR {_number(far)} · CDR {_number(cdr)}"


def _on_det(far: Floats, cdr: Floats) -> tuple[Floats, Floats]:
    """Where rates lie on the axes of a DET plot; those beyond its ends lie at its ends."""
    return np.clip(deviates(far), *_DET_ENDS), np.clip(deviates(1 - cdr), *_DET_ENDS)


def _band() -> str:
    return tr("{level} % interval", level=f"{LEVEL * 100:.0f}")


def _number(value: float, digits: int = 3) -> str:
    return tr("none") if math.isnan(value) else f"{value:.{digits}f}"


def _ranged(value: float, interval: ConfidenceInterval | None, digits: int = 3) -> str:
    """A number with its interval where that is known."""
    number = _number(value, digits)
    if interval is None:
        return number
    return f"{number} [{_number(interval.lower, digits)}, {_number(interval.upper, digits)}]"


def _bars(edges: Floats, shares: Floats) -> tuple[Floats, Floats]:
    return np.repeat(edges, 2)[1:-1], np.repeat(shares, 2)


def _faint(color: QColor) -> QColor:
    shade = QColor(color)
    shade.setAlpha(45)
    return shade


def _shade(color: tuple[int, int, int]) -> QColor:
    return QColor(*color, 150)
