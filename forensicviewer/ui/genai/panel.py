"""The panel of a GenAI evaluation: every open system, and where the current image lies."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QByteArray, QEvent, QSize, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QTabWidget, QToolButton, QVBoxLayout

from forensicviewer.app.genai.charts import chart_sheet
from forensicviewer.app.genai.naming import DISCLAIMER, names_for, worst_heading
from forensicviewer.app.genai.review import GenAIReview, review_genai
from forensicviewer.app.language.words import tr
from forensicviewer.app.runtime.atomic import write_bytes
from forensicviewer.app.runtime.jobs import Lane, Priority
from forensicviewer.app.session.desk import Desk
from forensicviewer.app.trials.score_columns import DISPUTED
from forensicviewer.app.workbench.state import Change, ViewState
from forensicviewer.core.model import TaskKind
from forensicviewer.core.problem import ForensicViewerError
from forensicviewer.ui.genai.calibration import CalibrationView
from forensicviewer.ui.genai.curves import CurvesView
from forensicviewer.ui.genai.histogram import HistogramView
from forensicviewer.ui.genai.tables import AgreementView, GeneratorsView, SystemsTable
from forensicviewer.ui.genai.versions import VersionsView
from forensicviewer.ui.genai.worst import WorstView
from forensicviewer.ui.panes.export import save_picture
from forensicviewer.ui.widgets.panel import Panel
from forensicviewer.ui.widgets.plain_text import PlainLabel
from forensicviewer.ui.widgets.save_dialog import ask_where, opened_places, write_in_background

_GENAI_LANE = Lane("genai", Priority.DETAIL)
_SVG, _PNG, _PIXELS = "*.svg", "*.png", "*.png *.jpg"


class GenAIPanel(Panel):
    """Systems and their numbers above; below them curves, tables and images; last the histogram."""

    def __init__(self, desk: Desk) -> None:
        self.review: GenAIReview | None = None
        self._asked: object = None
        self._desk = desk
        super().__init__(desk.workbench)
        self.why = PlainLabel(parent=self)
        self.why.setWordWrap(True)
        self.why.setProperty("role", "muted")
        self.systems = SystemsTable(self._choose)
        self.curves = CurvesView(self)
        self.calibration = CalibrationView(self)
        self.generators = GeneratorsView(self)
        self.agreement = AgreementView(self._list_disputed, self)
        self.versions = VersionsView(self)
        self.worst = WorstView(desk.workbench, self._export_sheet, self)
        self.histogram = HistogramView(self)
        self.tabs = QTabWidget(self)
        self._fill_tabs()
        self.export = QPushButton(tr("Export charts…"))
        self.export.clicked.connect(self._export_charts)
        self.anonymous = QToolButton(self)
        self.anonymous.setText(tr("Anonymous teams"))
        self.anonymous.setToolTip(
            tr(
                "Charts are exported with numbers instead of team names: the plan does not "
                "publish names"
            )
        )
        self.anonymous.setCheckable(True)
        self.anonymous.setChecked(True)
        self.said = PlainLabel(parent=self)
        self.said.setProperty("role", "muted")
        self.said.setWordWrap(True)
        self.said.hide()
        self._lay_out()
        self.listen()

    def _fill_tabs(self) -> None:
        views = (
            (self.curves, tr("Curves"), tr("ROC and DET of all systems")),
            (self.worst, tr("Worst"), tr("The images on which the system is most wrong")),
            (self.agreement, tr("Agreement"), tr("The answer of each system to each image")),
            (self.generators, tr("Generators"), tr("Each generator (DatasetID) separately")),
            (
                self.calibration,
                tr("Calibration"),
                tr("Whether scores can be read as probabilities"),
            ),
            (self.versions, tr("Versions"), tr("Versions of one system")),
        )
        for view, title, tip in views:
            self.tabs.setTabToolTip(self.tabs.addTab(view, title), tip)
        self.tabs.setDocumentMode(True)
        self.tabs.setUsesScrollButtons(True)

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 8, 8, 8)
        column.setSpacing(6)
        column.addWidget(self.why)
        column.addWidget(self.systems)
        column.addWidget(self.tabs, 3)
        column.addWidget(self.histogram, 1)
        bottom = QHBoxLayout()
        bottom.addWidget(self.anonymous)
        bottom.addStretch(1)
        bottom.addWidget(self.export)
        column.addLayout(bottom)
        column.addWidget(self.said)
        column.addStretch(0)

    def sizeHint(self) -> QSize:
        return QSize(460, 640)

    def follow(self, state: ViewState, change: Change) -> None:
        if change & (Change.DATASET | Change.SUBMISSIONS):
            self._ask(state)
        if Change.LOOK in change:
            self._draw()
        elif Change.TRIAL in change:
            self._place_trial(state)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange and self._is_listening:
            self._draw()

    def _ask(self, state: ViewState) -> None:
        task, submissions = state.task, state.submissions
        asked = (task, submissions)
        if asked == self._asked:
            self._draw()
            return
        self._asked = asked
        if task is None or task.kind is not TaskKind.GENAI:
            self._show_nothing("")
            return
        if not submissions:
            self._show_nothing(tr("Open system outputs to see how well they detect"))
            return
        self._show_nothing(tr("Scoring…"))

        def show(found: GenAIReview) -> None:
            if self._asked == asked:
                self.review = found
                self._draw()

        self.workbench.jobs.submit_long(
            _GENAI_LANE,
            lambda ticket: review_genai(task, submissions, ticket),
            show,
            title=tr("Scoring systems"),
            on_error=self._fail,
            on_cancel=self._give_up,
        )

    def _fail(self, error: BaseException) -> None:
        if not isinstance(error, ForensicViewerError):
            raise error
        self._show_nothing(str(error))

    def _give_up(self) -> None:
        self._asked = None
        self._show_nothing(tr("Cancelled"))

    def _show_nothing(self, why: str) -> None:
        self.review = None
        self.why.setText(why)
        self._show_parts(is_scored=False)

    def _show_parts(self, *, is_scored: bool) -> None:
        self.why.setVisible(not is_scored)
        for widget in (self.systems, self.tabs, self.histogram, self.export, self.anonymous):
            widget.setVisible(is_scored)

    def _draw(self) -> None:
        review = self.review
        if review is None:
            return
        self._show_parts(is_scored=True)
        chosen = min(self.workbench.state.system, len(review.systems) - 1)
        self.systems.show_review(review, chosen)
        self.curves.show_review(review, chosen)
        self.calibration.show_review(review, chosen)
        self.generators.show_review(review, chosen)
        self.agreement.show_review(review)
        self.versions.show_review(review)
        self.worst.show_review(review, chosen)
        self.histogram.show_review(review, chosen)
        self._place_trial(self.workbench.state)

    def _place_trial(self, state: ViewState) -> None:
        if self.review is not None:
            chosen = min(state.system, len(self.review.systems) - 1)
            self.histogram.place(self.review, chosen, state.trial_id)
            self.agreement.place(self.review, state.trial_id)

    def _choose(self, system: int) -> None:
        self.workbench.choose_systems(system, None)

    def _list_disputed(self) -> None:
        self._desk.trials.set_text(DISPUTED)

    # Exports

    def _export_charts(self) -> None:
        kinds = f"{tr('Drawings')} ({_SVG});;{tr('Images')} ({_PNG})"
        path = self._ask_where(tr("Export charts"), "genai-charts.svg", kinds)
        if path is None or self.review is None:
            return
        systems = self.review.systems
        names = names_for(systems, is_anonymous=self.anonymous.isChecked())
        write = partial(_write_charts, path, partial(chart_sheet, systems, names))
        write_in_background(self.workbench, path, write, self._tell)

    def _export_sheet(self) -> None:
        kinds = f"{tr('Images')} ({_PIXELS})"
        path = self._ask_where(tr("Export contact sheet"), "genai-worst.png", kinds)
        if path is None or self.review is None:
            return
        systems = self.review.systems
        chosen = systems[min(self.workbench.state.system, len(systems) - 1)]
        names = names_for(systems, is_anonymous=self.anonymous.isChecked())
        image = self.worst.sheet(worst_heading(names[chosen.name]), DISCLAIMER)
        if image is not None:
            write_in_background(
                self.workbench, path, partial(save_picture, image, path), self._tell
            )

    def _ask_where(self, title: str, name: str, kinds: str) -> Path | None:
        inputs = opened_places(self.workbench.state)
        return ask_where(self, title, name, kinds, inputs=inputs)

    def _tell(self, words: str) -> None:
        self.said.setText(words)
        self.said.show()

    def let_go(self) -> None:
        super().let_go()
        self.worst.let_go()
        self.workbench.jobs.cancel(_GENAI_LANE)


def _write_charts(path: Path, make: partial[str]) -> None:
    """Write the charts as a drawing, or as pixels of twice its size."""
    content = make().encode()
    if path.suffix.lower() == ".svg":
        write_bytes(path, content)
        return
    renderer = QSvgRenderer(QByteArray(content))
    image = QImage(renderer.defaultSize() * 2, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    renderer.render(painter)
    painter.end()
    save_picture(image, path)
