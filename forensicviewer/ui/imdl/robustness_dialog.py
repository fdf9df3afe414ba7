"""The robustness page: F1 over blur, noise and JPEG by run, and one image at all levels."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QIcon, QImage, QPainter, QPixmap
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QHBoxLayout,
    QListView,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from forensicviewer.app.imdl.robustness import (
    PANELS,
    UNATTACKED,
    LevelView,
    RobustRun,
    points_of,
    read_runs,
    robustness_csv,
    view_levels,
)
from forensicviewer.app.language.words import NO_NUMBER, tr
from forensicviewer.app.runtime.atomic import write_atomically
from forensicviewer.app.runtime.jobs import Lane
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.app.workbench.state import Change, ViewState
from forensicviewer.core.array import RgbImage
from forensicviewer.core.layer_pixels import operation_color
from forensicviewer.core.model import TaskKind
from forensicviewer.core.problem import Problem, ProblemLog
from forensicviewer.ui.widgets.chart import Axis, Chart, ChartMark, Series
from forensicviewer.ui.widgets.dialog_size import open_in
from forensicviewer.ui.widgets.heading import Heading
from forensicviewer.ui.widgets.plain_text import PlainLabel
from forensicviewer.ui.widgets.save_dialog import (
    ask_where,
    kinds_of,
    opened_places,
    write_in_background,
)

_LANE, _SHEET_LANE = Lane("robustness", is_far=True), Lane("robustness-sheet", is_far=True)
_THUMB_PX, _SHEET_PX = 96, 168
_SHARES = tuple((share, f"{share:g}") for share in (0.0, 0.25, 0.5, 0.75, 1.0))


class RobustnessDialog(QDialog):
    """Three panels of one line a run; below them the image of the window at every level."""

    def __init__(
        self, workbench: Workbench, tell: Callable[[str], None], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Robustness"))
        self._bench, self._tell = workbench, tell
        self._folders: list[Path] = []
        self.runs: list[RobustRun] = []
        self.views: list[LevelView] = []
        self.charts = {attack: Chart(self) for attack in PANELS}
        self.about = PlainLabel()
        self.about.setWordWrap(True)
        self.about.setProperty("role", "muted")
        self.looked_at = PlainLabel()
        self.sheet = _make_sheet()
        self._lay_out()
        open_in(self, 1060, 660)
        self._draw()
        self._show_views([])
        self._stop = workbench.subscribe(self._follow)
        self.finished.connect(lambda _: self._stop())

    def _lay_out(self) -> None:
        panels = QHBoxLayout()
        for attack, title in zip(PANELS, _titles(), strict=True):
            panel = QVBoxLayout()
            panel.addWidget(PlainLabel(title))
            self.charts[attack].setAccessibleName(title)
            panel.addWidget(self.charts[attack], 1)
            panels.addLayout(panel, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(18, 18, 18, 18)
        column.setSpacing(10)
        column.addWidget(Heading(tr("Robustness")))
        column.addLayout(panels, 1)
        column.addWidget(self.looked_at)
        column.addWidget(self.sheet)
        column.addWidget(self.about)
        column.addWidget(self._button_box())

    def _button_box(self) -> QDialogButtonBox:
        box = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        for text, act in (
            (tr("Add run…"), self._ask_run),
            (tr("Export…"), self._ask_export),
        ):
            button = QPushButton(text)
            button.setAutoDefault(False)
            button.clicked.connect(act)
            box.addButton(button, QDialogButtonBox.ButtonRole.ActionRole)
        box.rejected.connect(self.close)
        return box

    def _ask_run(self) -> None:
        folder = QFileDialog.getExistingDirectory(self, tr("Folder of a robustness test"))
        if folder:
            self.add_run(Path(folder))

    def add_run(self, folder: Path) -> None:
        """Read one robustness test more, from its folder."""
        if folder not in self._folders:
            self._folders.append(folder)
        folders = tuple(self._folders)

        def read() -> tuple[list[RobustRun], tuple[Problem, ...]]:
            log = ProblemLog()
            return read_runs(folders, log), log.freeze()

        self._bench.jobs.submit(_LANE, read, self._show_runs)

    def _show_runs(self, found: tuple[list[RobustRun], tuple[Problem, ...]]) -> None:
        self.runs, problems = found
        self._bench.report(problems)
        self._draw()
        self._read_views()
        if problems:
            self.about.setText("\n".join(map(str, problems)))

    def _draw(self) -> None:
        for attack, chart in self.charts.items():
            levels = _levels(attack, self.runs)
            across = _axis_of(attack, levels)
            drawn = (_series(run, attack, at, levels) for at, run in enumerate(self.runs))
            lines = [series for series in drawn if series is not None]
            chart.show_series(across, Axis(0, 1, _SHARES, ""), lines)
            # A dot a level: a run that knows one level only is seen, too.
            dots = ((x, y, line) for line in lines for x, y in zip(line.x, line.y, strict=True))
            chart.show_marks([ChartMark(float(x), line.color, y=float(y)) for x, y, line in dots])
        self.about.setText(
            ""
            if self.runs
            else tr(
                "Add the log folder of IMDL-BenCo's robustness test, or a folder with one "
                "subfolder for each attack and level."
            )
        )

    def _follow(self, _state: ViewState, change: Change) -> None:
        if change & (Change.LOADED | Change.DATASET):
            self._read_views()

    def _read_views(self) -> None:
        """Read the image of the window at every level, in the background."""
        state, runs = self._bench.state, tuple(self.runs)
        task, loaded = state.task, state.loaded
        if task is None or loaded is None or task.kind is not TaskKind.IMDL or not runs:
            self._show_views([])
            return
        trial = loaded.trial
        self._bench.jobs.submit(
            _SHEET_LANE,
            lambda: view_levels(task, trial, runs, edge_px=_THUMB_PX),
            self._show_views,
        )

    def _show_views(self, views: list[LevelView]) -> None:
        self.views = views
        self.sheet.clear()
        for view in views:
            self.sheet.addItem(_item(view, with_run=len(self.runs) > 1))
        self.sheet.setVisible(bool(views))
        self.looked_at.setVisible(bool(views))
        if views:
            self.looked_at.setText(tr("{image} at all levels", image=views[0].image))

    def _ask_export(self) -> None:
        inputs = opened_places(self._bench.state)
        kinds = kinds_of(("CSV", "*.csv"))
        path = ask_where(self, tr("Export the points"), "robustness.csv", kinds, inputs=inputs)
        if path is not None:
            self.export_to(path)

    def export_to(self, path: Path) -> None:
        """Write every scored point as CSV."""
        text = robustness_csv(self.runs)
        write_in_background(self._bench, path, lambda: write_atomically(path, text), self._tell)


def _titles() -> tuple[str, str, str]:
    return (
        tr("F1 under Gaussian blur"),
        tr("F1 under Gaussian noise"),
        tr("F1 under JPEG compression"),
    )


def _labels() -> dict[str, str]:
    return {
        "blur": tr("Kernel size, pixels"),
        "noise": tr("Variance of 8-bit levels"),
        "JPEG": tr("Quality"),
    }


def _make_sheet() -> QListWidget:
    sheet = QListWidget()
    sheet.setAccessibleName(tr("Predictions of one image at all levels"))
    sheet.setViewMode(QListView.ViewMode.IconMode)
    sheet.setResizeMode(QListView.ResizeMode.Adjust)
    sheet.setMovement(QListView.Movement.Static)
    sheet.setWrapping(False)
    sheet.setIconSize(QSize(_THUMB_PX, _THUMB_PX))
    sheet.setFixedHeight(_SHEET_PX)
    return sheet


def _axis_of(attack: str, levels: Sequence[float]) -> Axis:
    """Every level there is, evenly from weak to strong, after "none"."""
    ticks = ((0.0, tr("none")), *((at + 1.0, f"{level:g}") for at, level in enumerate(levels)))
    return Axis(0, len(levels) + 0.2, ticks, _labels()[attack])


def _levels(attack: str, runs: Sequence[RobustRun]) -> list[float]:
    found = {point.level for run in runs for point in run.points if point.attack == attack}
    return sorted({float(level) for level in PANELS[attack]} | found, reverse=attack == "JPEG")


def _series(run: RobustRun, attack: str, number: int, levels: Sequence[float]) -> Series | None:
    points = points_of(run, attack)
    if not points:
        return None
    places = [0 if p.attack == UNATTACKED else 1 + levels.index(p.level) for p in points]
    color = QColor(*operation_color(number, None))
    f1 = np.array([point.f1 for point in points], np.float64)
    return Series(run.name, np.array(places, np.float64), f1, color)


def _item(view: LevelView, *, with_run: bool) -> QListWidgetItem:
    level = tr("none") if view.attack == UNATTACKED else f"{view.attack} {view.level:g}"
    number = NO_NUMBER if math.isnan(view.f1) else f"{view.f1:.3f}"
    lines = [view.run] if with_run else []
    item = QListWidgetItem("\n".join([*lines, level, f"F1 {number}"]))
    item.setToolTip(view.reason)
    item.setTextAlignment(Qt.AlignmentFlag.AlignHCenter)
    if view.map is not None:
        item.setIcon(QIcon(_pixmap(view.map)))
    return item


def _pixmap(pixels: RgbImage) -> QPixmap:
    """The map in the middle of a square, so that the lines below all maps stand level."""
    height, width = pixels.shape[:2]
    image = QImage(pixels.data, width, height, 3 * width, QImage.Format.Format_RGB888).copy()
    square = QPixmap(_THUMB_PX, _THUMB_PX)
    square.fill(Qt.GlobalColor.transparent)
    painter = QPainter(square)
    painter.drawImage((_THUMB_PX - width) // 2, (_THUMB_PX - height) // 2, image)
    painter.end()
    return square
