"""The numbers of a video: its temporal score, its intervals side by side, a marked stretch."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import (
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QHeaderView,
    QPushButton,
    QTableWidget,
    QTableWidgetItem,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from forensicviewer.app.language.units import TimeUnit
from forensicviewer.app.language.words import decimal, in_english, to_translate, tr, whole
from forensicviewer.app.video.lanes import FrameScale
from forensicviewer.app.video.player import VideoChange, VideoPlayer, VideoState
from forensicviewer.app.video.review import IntervalPair, StreamReview, VideoReview
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.app.workbench.state import Change, ViewState
from forensicviewer.core.rules import RULE_SETS
from forensicviewer.core.rules import temporal as switches
from forensicviewer.core.score import ThresholdSweep
from forensicviewer.core.temporal import IntervalOutcome
from forensicviewer.ui.widgets.elided import ElidedLabel
from forensicviewer.ui.widgets.flow import FlowRow, together
from forensicviewer.ui.widgets.heading import Heading, Title, align_titles, digits_font
from forensicviewer.ui.widgets.number_box import NumberBox
from forensicviewer.ui.widgets.plain_text import PlainLabel
from forensicviewer.ui.widgets.table_copy import COPIED, make_copyable

_AMOUNTS = (
    ("TP", IntervalOutcome.HIT, to_translate("Manipulated and found")),
    ("FP", IntervalOutcome.FALSE_ALARM, to_translate("Called manipulated, but not manipulated")),
    ("FN", IntervalOutcome.MISS, to_translate("Manipulated, but not found")),
    ("TN", IntervalOutcome.CORRECT_REJECTION, to_translate("Correct rejection")),
    (
        to_translate("Collar"),
        IntervalOutcome.COLLAR,
        to_translate("Not scored: near a boundary of the reference"),
    ),
    (
        to_translate("Unselected"),
        IntervalOutcome.UNSELECTED,
        to_translate("Not scored: unselected operations"),
    ),
    (
        to_translate("Opted out"),
        IntervalOutcome.OPT_OUT,
        to_translate("Not scored: the system opted out"),
    ),
)
_PAIRING_COLUMNS = (
    (to_translate("Verdict"), to_translate("Outcome of the interval")),
    (to_translate("Reference"), to_translate("First and last frame of the reference interval")),
    (
        to_translate("System"),
        to_translate("First and last frame of the system interval with the largest overlap"),
    ),
    (to_translate("Start Δ"), to_translate("System minus reference, in frames: negative is early")),
    ("ms", to_translate("System minus reference, in milliseconds")),
    (to_translate("End Δ"), to_translate("System minus reference, in frames: positive is late")),
    ("ms ", to_translate("System minus reference, in milliseconds")),
    (to_translate("Time"), to_translate("Time, in the unit of Settings ▸ Appearance ▸ Times in")),
)
_WHEN = len(_PAIRING_COLUMNS) - 1
_AMOUNT_COLUMNS = (
    to_translate("Amount"),
    to_translate("Frames"),
    to_translate("Samples"),
    to_translate("Second"),
)
_STRETCH_COLUMNS = (
    to_translate("Metric"),
    to_translate("At threshold"),
    to_translate("At optimum"),
)
_THRESHOLD = to_translate("Threshold")

_NARROW_PX = 330


class VideoPanel(QTabWidget):
    """Tabs: the score and how it is made, the intervals, the marked stretch.

    They are made one by one, in this order: by the constructor, :meth:`make_intervals` and
    :meth:`make_stretch`.
    """

    intervals: IntervalTable
    stretch: StretchTab

    def __init__(
        self, workbench: Workbench, player: VideoPlayer, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._workbench, self._player = workbench, player
        self.setDocumentMode(True)
        self._unit = workbench.state.units.times
        self._stop: list[Callable[[], None]] = []
        self.score = ScoreTab(workbench, player)
        self.addTab(self.score, tr("Score"))
        tip = tr("How well the system found the manipulated frames and samples")
        self.setTabToolTip(0, tip)

    def make_intervals(self) -> None:
        self.intervals = IntervalTable(self._player)
        self.addTab(self.intervals, tr("Intervals"))
        self.setTabToolTip(1, tr("Reference and system intervals side by side"))

    def make_stretch(self) -> None:
        """The last tab; from now on all of them follow what is shown."""
        self.stretch = StretchTab(self._workbench, self._player)
        self.addTab(self.stretch, tr("Masks"))
        tip = tr("Spatial masks of all frames in the marked interval together")
        self.setTabToolTip(2, tip)
        self.currentChanged.connect(lambda _tab: self._show_stretch(self._player.state))
        self._stop += [
            self._player.subscribe(self._follow),
            self._workbench.subscribe(self._follow_bench),
        ]
        self._follow(self._player.state, ~VideoChange(0))

    def let_go(self) -> None:
        while self._stop:
            self._stop.pop()()

    def _follow(self, state: VideoState, change: VideoChange) -> None:
        if change & (VideoChange.REVIEW | VideoChange.MEDIA):
            self.score.show_review(state.review, self._detection())
            self._show_intervals(state)
        if change & (VideoChange.STRIP | VideoChange.TRANSPORT | VideoChange.MEDIA):
            self._show_stretch(state)

    def _follow_bench(self, state: ViewState, change: Change) -> None:
        if change & Change.THRESHOLD:
            self._show_stretch(self._player.state)
        if change & Change.LOOK and state.units.times is not self._unit:
            self._show_intervals(self._player.state)

    def _show_intervals(self, state: VideoState) -> None:
        self._unit = self._workbench.state.units.times
        self.intervals.show_state(state, self._unit)

    def _show_stretch(self, state: VideoState) -> None:
        self.setTabVisible(self.indexOf(self.stretch), state.has_masks)
        # While a video plays, numbers nobody sees are not worth their time.
        if self.currentWidget() is self.stretch:
            self.stretch.show_state(state)

    def _detection(self) -> str:
        state = self._workbench.state
        trial_id, submission = state.trial_id, state.submission
        if trial_id is None or submission is None:
            return tr("No submission is open")
        answer = submission.answers.get(trial_id)
        if answer is None:
            return tr("{name} has no answer", name=submission.name)
        said = answer.confidence
        confidence = tr("no confidence") if said is None else f"{said:.6g}"
        status = answer.facts.get("ProbeStatus", "") or tr("no status")
        trial = None if state.task is None else state.task.find_trial(trial_id)
        truth = {
            True: tr("the video is manipulated"),
            False: tr("the video is not manipulated"),
            None: tr("it is unknown whether the video is manipulated"),
        }[None if trial is None else trial.is_target]
        return tr(
            "Detection: {confidence}, {status}; {truth}",
            confidence=confidence,
            status=status,
            truth=truth,
        )


class ScoreTab(QWidget):
    """MCC and the amounts behind it, for frames and for sound."""

    def __init__(
        self, workbench: Workbench, player: VideoPlayer, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.mcc = Title()
        self.mcc.setToolTip(tr("Matthews correlation of reference and system over time; best is 1"))
        self.why = PlainLabel()
        self.why.setProperty("role", "muted")
        self.why.setWordWrap(True)
        self.detection = ElidedLabel()
        self.collar = NumberBox()
        self.collar.setRange(0, 100_000)
        self.collar.setSuffix(tr(" frames"))
        self.collar.setMaximumWidth(130)
        self.collar.setAccessibleName(tr("Collar"))
        self.collar.setToolTip(
            tr(
                "Frames on each side of every reference boundary that are not scored;\ndrag "
                "the edge in the outcome lane to change it"
            )
        )
        self.collar.valueChanged.connect(player.set_collar)
        self.rules = QComboBox()
        self.rules.setAccessibleName(tr("Rules"))
        for rules in RULE_SETS:
            self.rules.addItem(rules.name, rules)
        self.rules.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.rules.setMinimumContentsLength(9)
        self.rules.activated.connect(lambda i: workbench.set_rules(RULE_SETS[i]))
        self.table = _number_table(_AMOUNT_COLUMNS)
        self.table.setAccessibleName(tr("Score"))
        self._build()

    def show_review(self, review: VideoReview | None, detection: str) -> None:
        video = None if review is None else review.video
        score = None if video is None else video.mcc
        self.mcc.setText("MCC –" if score is None else f"MCC {score:.4f}")  # noqa: RUF001
        exact = "" if score is None else f"{score!r}\n"
        self.mcc.setToolTip(f"{exact}{detection}")
        self.why.setText("" if video is None else _why_text(video))
        self.why.setVisible(bool(self.why.text()))
        self.detection.setText(detection)
        if review is None:
            return
        self.collar.blockSignals(True)  # noqa: FBT003
        self.collar.setValue(review.settings.collar)
        self.collar.blockSignals(False)  # noqa: FBT003
        self.rules.setCurrentText(review.settings.rules.name)
        self.rules.setToolTip(tr(review.settings.rules.explain(switches.IntervalMeasure)))
        self._fill(review)

    def _fill(self, review: VideoReview) -> None:
        streams = (review.video, review.audio, review.rival)
        exact = [
            "" if stream is None or stream.mcc is None else repr(stream.mcc) for stream in streams
        ]
        shown = [_mcc_text(stream) for stream in streams]
        _set_row(self.table, 0, ["MCC", *shown], copied=["MCC", *exact])
        for column, number in enumerate(exact, start=1):
            _explain(self.table.item(0, column), number)
        for row, (name, outcome, _) in enumerate(_AMOUNTS, start=1):
            amounts = [_amount(stream, outcome) for stream in streams]
            _set_row(self.table, row, [tr(name), *amounts], copied=[name, *amounts])
        self.table.setColumnHidden(2, review.audio is None)
        self.table.setColumnHidden(3, review.rival is None)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        # In a small window its line is needed for the choices; the score's tooltip says it, too.
        self.detection.setVisible(event.size().width() >= _NARROW_PX)

    def _build(self) -> None:
        self.table.setRowCount(len(_AMOUNTS) + 1)
        _set_row(self.table, 0, ["MCC", "", "", ""])
        for row, (name, _, tip) in enumerate(_AMOUNTS, start=1):
            _set_row(self.table, row, [tr(name), "", "", ""])
            _explain(self.table.item(row, 0), tr(tip))
        collar = PlainLabel(tr("Collar"))
        collar.setBuddy(self.collar)
        # Narrow where it must be: the lanes beside it need the width more.
        choices = FlowRow()
        choices.setSpacing(6)
        choices.addWidget(together(collar, self.collar))
        choices.spring()
        choices.addWidget(self.rules)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 6, 8, 6)
        column.addWidget(self.mcc)
        column.addWidget(self.why)
        column.addWidget(self.detection)
        column.addLayout(choices)
        column.addWidget(self.table, 1)


class IntervalTable(QTableWidget):
    """Reference and system intervals side by side; a row chosen moves the playhead there."""

    def __init__(self, player: VideoPlayer, parent: QWidget | None = None) -> None:
        super().__init__(0, len(_PAIRING_COLUMNS), parent)
        self._player = player
        self._rows: tuple[IntervalPair, ...] = ()
        _dress(self, [tr(name) for name, _ in _PAIRING_COLUMNS])
        for column, (_, tip) in enumerate(_PAIRING_COLUMNS):
            _explain(self.horizontalHeaderItem(column), tr(tip))
        self.setAccessibleName(tr("Intervals of reference and system"))
        self.setProperty("role", "narrow")
        header = self.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setMinimumSectionSize(36)
        make_copyable(self, self.as_text)
        self.cellClicked.connect(lambda row, _column: self._go(row))
        self.cellActivated.connect(lambda row, _column: self._go(row))

    def show_state(self, state: VideoState, unit: TimeUnit) -> None:
        self._rows = () if state.review is None else state.review.video.pairings
        self.setRowCount(len(self._rows))
        self.setColumnHidden(_WHEN, unit is TimeUnit.FRAMES)
        scale = FrameScale(state)
        for row, pairing in enumerate(self._rows):
            whens = [
                "" if each is None else scale.format_interval(each.first, each.last, unit)
                for each in (pairing.reference, pairing.system)
            ]
            _set_row(self, row, [*_pairing_cells(pairing), whens[0] or whens[1]])
            for column, when in enumerate(whens, start=1):
                _explain(self.item(row, column), when)

    def _go(self, row: int) -> None:
        pairing = self._rows[row]
        interval = pairing.reference or pairing.system
        assert interval is not None
        self._player.mark(interval.first, interval.last)
        self._player.seek(pairing.first)

    @in_english()
    def as_text(self) -> str:
        """The whole table, tab-separated."""
        titles = [name for name, _ in _PAIRING_COLUMNS[:_WHEN]]
        lines = [titles, *map(_pairing_cells, self._rows)]
        return "\n".join("\t".join(line) for line in lines)


class StretchTab(QWidget):
    """Spatial masks of all frames of the marked stretch taken together."""

    def __init__(
        self, workbench: Workbench, player: VideoPlayer, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._workbench, self._player = workbench, player
        self._swept_for: object = None
        self._swept: ThresholdSweep | None = None
        self.title = Heading()
        self.table = _number_table(_STRETCH_COLUMNS)
        self.table.setAccessibleName(tr("Masks"))
        self.use = QPushButton(tr("Use the best threshold of this interval"))
        self.use.clicked.connect(self.use_best)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 6, 8, 6)
        column.addWidget(self.title)
        column.addWidget(self.table, 1)
        column.addWidget(self.use)

    def use_best(self) -> None:
        stretch = self._player.state.playback.stretch
        self._player.snap_to_interval(stretch.first, stretch.last)

    def _sweep(self, state: VideoState) -> ThresholdSweep | None:
        """The stretch's sweep, counted anew only when strip or stretch are others."""
        key = (state.strip, state.playback.stretch)
        if key != self._swept_for:
            stretch = state.playback.stretch
            self._swept_for = key
            self._swept = state.strip.over(stretch.first, stretch.last)
        return self._swept

    def show_state(self, state: VideoState) -> None:
        stretch = state.playback.stretch
        sweep = self._sweep(state)
        title = tr("Frames {first} to {last}", first=stretch.first, last=stretch.last)
        if not state.strip.is_complete:
            done = whole(len(state.strip.frames))
            title = tr("{stretch}, {count} scored so far", stretch=title, count=done)
        self.title.setText(title)
        best = None if sweep is None else sweep.optimum
        self.use.setEnabled(best is not None)
        if sweep is None or best is None:
            self.table.setRowCount(0)
            return
        bench = self._workbench.state
        now = bench.threshold()
        thresholds = [str(bench.shown_threshold(t)) for t in (now, best)]
        numbers = [
            (name, [float(values[now]), float(values[best])])
            for name, values in (
                ("MCC", sweep.mcc),
                ("NMM", sweep.nmm),
                ("BWL1", sweep.bwl1),
                ("F1", sweep.f1),
                ("IoU", sweep.iou),
            )
        ]
        numbers.append(("AUC", [sweep.auc]))
        self.table.setRowCount(1 + len(numbers))
        _set_row(self.table, 0, [tr(_THRESHOLD), *thresholds], copied=[_THRESHOLD, *thresholds])
        for row, (name, values) in enumerate(numbers, start=1):
            _set_numbers(self.table, row, name, values)


def _explain(item: QTableWidgetItem | None, tip: str) -> None:
    if item is not None:
        item.setToolTip(tip)


def _number_table(columns: Sequence[str]) -> QTableWidget:
    table = QTableWidget(0, len(columns))
    _dress(table, [tr(name) for name in columns])
    for column, name in enumerate(columns):
        heading = table.horizontalHeaderItem(column)
        assert heading is not None
        heading.setData(COPIED, name)
    make_copyable(table)
    # The names have the room they need in any language; the numbers share the rest.
    table.horizontalHeader().setSectionResizeMode(0, QHeaderView.ResizeMode.ResizeToContents)
    return table


def _dress(table: QTableWidget, columns: list[str]) -> None:
    table.setHorizontalHeaderLabels(columns)
    align_titles(table, range(1, len(columns)))
    table.verticalHeader().hide()
    table.setTabKeyNavigation(False)
    table.setShowGrid(False)
    table.setAlternatingRowColors(True)
    table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
    table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
    table.horizontalHeader().setMinimumSectionSize(58)
    table.verticalHeader().setMinimumSectionSize(0)
    table.verticalHeader().setDefaultSectionSize(table.fontMetrics().height() + 4)


def _set_numbers(table: QTableWidget, row: int, name: str, numbers: Sequence[float]) -> None:
    """Four digits to read, and every digit to take along."""
    shown, exact = [f"{number:.4f}" for number in numbers], [repr(number) for number in numbers]
    _set_row(table, row, [name, *shown], copied=[name, *exact])


def _set_row(
    table: QTableWidget, row: int, cells: Sequence[str], *, copied: Sequence[str] = ()
) -> None:
    digits = digits_font()
    for column, text in enumerate(cells):
        item = table.item(row, column)
        if item is None:
            item = QTableWidgetItem()
            if column:
                item.setFont(digits)
                right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
                item.setTextAlignment(right)
            table.setItem(row, column, item)
        item.setText(text)
        if copied:
            item.setData(COPIED, copied[column])


def _pairing_cells(pairing: IntervalPair) -> list[str]:
    return [
        tr(pairing.verdict),
        _bounds(pairing.reference),
        _bounds(pairing.system),
        "" if pairing.start_frames is None else f"{pairing.start_frames:+d}",
        _signed_ms(pairing.start_ms),
        "" if pairing.end_frames is None else f"{pairing.end_frames:+d}",
        _signed_ms(pairing.end_ms),
    ]


def _bounds(interval: object) -> str:
    return "" if interval is None else str(interval).strip("[]").replace(", ", "–")  # noqa: RUF001


def _signed_ms(value: float | None) -> str:
    if value is None:
        return ""
    said = decimal(value, 1)
    return said if said.startswith("-") else f"+{said}"


def _mcc_text(stream: StreamReview | None) -> str:
    return "" if stream is None or stream.mcc is None else f"{stream.mcc:.4f}"


def _amount(stream: StreamReview | None, outcome: IntervalOutcome) -> str:
    if stream is None or stream.confusion is None:
        return ""
    return f"{stream.confusion.amount(outcome)}"


def _why_text(stream: StreamReview) -> str:
    """Why there is no score, or what is not in it."""
    if stream.why_unscored:
        return tr(stream.why_unscored)
    if not stream.beyond:
        return ""
    return tr(
        "⚠ {intervals} beyond the video's {frames} frames",
        intervals=", ".join(str(each) for each in stream.beyond[:3]),
        frames=stream.length,
    )
