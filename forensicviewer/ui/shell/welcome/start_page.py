"""What an empty window shows: what can be opened, and what was opened before."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, QRect, QSize, Qt, QTimer
from PySide6.QtGui import QHideEvent, QPainter, QPalette, QShowEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QMenu,
    QPushButton,
    QSizePolicy,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from forensicviewer import __version__
from forensicviewer.app.datasets.sample import SAMPLES
from forensicviewer.app.language.words import to_translate, tr
from forensicviewer.app.runtime.jobs import Jobs, Lane
from forensicviewer.app.session.recent import PlaceKind, Recent, RecentPlaces
from forensicviewer.ui.shell.welcome.offer import Offer
from forensicviewer.ui.widgets.heading import Heading, Title
from forensicviewer.ui.widgets.job_line import JobLine
from forensicviewer.ui.widgets.plain_text import PlainLabel
from forensicviewer.ui.widgets.theme import icon

_ICONS = {
    PlaceKind.DATASET: "folder",
    PlaceKind.SUBMISSION: "inbox",
    PlaceKind.SESSION: "session",
    PlaceKind.CASE: "session",
}
_ABOUT = {
    PlaceKind.DATASET: to_translate("Dataset: {path}"),
    PlaceKind.SUBMISSION: to_translate("Submission: {path}"),
    PlaceKind.SESSION: to_translate("Session: {path}"),
    PlaceKind.CASE: to_translate("Case: {path}"),
}
_REFRESH_MS = 200
_NOTICEABLE_S = 0.3
_BESIDE_ICON_PX = 3
_OFFERS = (
    (
        "file.open_dataset",
        "folder",
        to_translate("Open dataset"),
        to_translate("A folder with index and reference"),
    ),
    (
        "file.open_submission",
        "inbox",
        to_translate("Open submission"),
        to_translate("The output of a system for a dataset"),
    ),
    (
        "file.open_sample",
        "sparkle",
        to_translate("Open sample"),
        to_translate("Try everything on a small dataset"),
    ),
    (
        "file.open_genai_sample",
        "sparkle",
        to_translate("Open GenAI sample"),
        to_translate("Photographs and AI-generated images"),
    ),
    (
        "file.open_imdl_sample",
        "sparkle",
        to_translate("Open IMDL sample"),
        to_translate("Images, masks and predictions of two models"),
    ),
    (
        "file.open_session",
        "session",
        to_translate("Open session"),
        to_translate("Continue saved work"),
    ),
)


class StartPage(QWidget):
    """What to open, the recent list, and a hint that dropping works everywhere."""

    def __init__(
        self,
        recent: RecentPlaces,
        jobs: Jobs,
        *,
        run: Callable[[str], None],
        open_recent: Callable[[Recent], None],
        open_sample: Callable[[str], None] | None = None,
    ) -> None:
        super().__init__()
        self._recent = recent
        self._jobs = jobs
        self._run = run
        self._open_recent = open_recent
        self._open_sample = open_sample
        self.list = QListWidget()
        self._empty = PlainLabel(
            tr("Nothing opened yet. Drop a folder, table, archive or session here.")
        )
        self._shown: Lane | None = None
        self.progress = JobLine(self._call_off)
        # It comes and goes: the columns keep their widths meanwhile.
        self.progress.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.progress.hide()
        self._asking = QTimer(self, interval=_REFRESH_MS)
        self._asking.timeout.connect(self._show_progress)
        self._lay_out()
        # The pages share one place: a wide start page must not keep the others from being narrow.
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        self.refresh()
        recent.subscribe(self._follow_places)

    def _follow_places(self) -> None:
        # Out of sight it is filled when it comes back.
        if self.isVisible():
            self.refresh()

    def refresh(self) -> None:
        """Show the recent list as it is now; what is gone is greyed, not forgotten."""
        self.list.clear()
        for place in self._recent.places:
            self.list.addItem(_entry(place, is_there=place.path not in self._recent.missing))
        self.list.setVisible(self.list.count() > 0)
        self._empty.setVisible(self.list.count() == 0)
        self._clear_button.setVisible(any(not place.is_pinned for place in self._recent.places))

    def showEvent(self, event: QShowEvent) -> None:
        self._asking.start()
        self._recent.look(self._jobs, self.refresh)
        super().showEvent(event)

    def hideEvent(self, event: QHideEvent) -> None:
        self._asking.stop()
        super().hideEvent(event)

    def _lay_out(self) -> None:
        card = QFrame()
        card.setProperty("role", "card")
        card.setMaximumSize(980, 620)
        card.setMinimumSize(620, 380)
        columns = QHBoxLayout(card)
        columns.setContentsMargins(36, 32, 36, 32)
        columns.setSpacing(36)
        columns.addLayout(self._left(), stretch=4)
        columns.addLayout(self._right(), stretch=5)
        row = QHBoxLayout()
        row.addStretch()
        row.addWidget(card, stretch=20)
        row.addStretch()
        layout = QVBoxLayout(self)
        layout.addStretch(2)
        layout.addLayout(row, stretch=10)
        layout.addStretch(3)

    def _left(self) -> QVBoxLayout:
        column = QVBoxLayout()
        column.setSpacing(6)
        column.addWidget(Title("forensicviewer"))
        column.addWidget(_aside(tr("Inspect, score and judge media-forensics results")))
        column.addSpacing(18)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        for command, name, title, about in _OFFERS:
            button = Offer(tr(title), tr(about))
            button.setObjectName(command)
            button.setIcon(icon(name))
            button.setIconSize(QSize(22, 22))
            button.setSizePolicy(policy)
            button.clicked.connect(partial(self._run, command))
            column.addWidget(button)
        if self._open_sample is not None:
            others = self._sample_button(self._open_sample)
            column.addWidget(others, alignment=Qt.AlignmentFlag.AlignLeft)
        column.addStretch()
        column.addWidget(self.progress)
        column.addSpacing(6)
        works = tr("Version {version} · works offline", version=__version__)
        column.addWidget(_aside(works))
        return column

    def _sample_button(self, open_sample: Callable[[str], None]) -> QPushButton:
        """The other samples; only the one that is chosen is written."""
        button = QPushButton(tr("Other samples"))
        button.setObjectName("samples")
        button.setFlat(True)
        button.setToolTip(tr("Write and open one of the sample datasets"))
        menu = QMenu(button)
        for name, sample in SAMPLES.items():
            size = tr("{megabytes} MB", megabytes=f"{sample.megabytes:g}")
            action = menu.addAction(f"{name}: {sample.about} ({size})")
            action.setObjectName(name)
            # The action also says whether it is ticked, which nobody asks.
            action.triggered.connect(lambda _on=False, name=name: open_sample(name))
        button.setMenu(menu)
        return button

    def _right(self) -> QVBoxLayout:
        column = QVBoxLayout()
        column.setSpacing(8)
        head = QHBoxLayout()
        head.addWidget(Heading(tr("Recent")))
        head.addStretch()
        self._clear_button = clear = QPushButton(tr("Clear"))
        clear.setFlat(True)
        clear.setToolTip(tr("Forget all places that are not pinned"))
        clear.clicked.connect(lambda: self._recent.clear())
        head.addWidget(clear)
        column.addLayout(head)
        self.list.setAccessibleName(tr("Recent places"))
        self.list.setIconSize(QSize(18, 18))
        self.list.setSpacing(1)
        self.list.setItemDelegate(_PlaceLines(self.list))
        self.list.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.list.customContextMenuRequested.connect(self._offer_pin)
        self.list.itemActivated.connect(self._activate)
        self.list.itemClicked.connect(self._activate)
        column.addWidget(self.list, stretch=1)
        self._empty.setProperty("role", "muted")
        self._empty.setWordWrap(True)
        self._empty.setAlignment(Qt.AlignmentFlag.AlignTop)
        column.addWidget(self._empty, stretch=1)
        column.addWidget(_aside(tr("Drop files or folders anywhere on this window to open them")))
        return column

    def _show_progress(self) -> None:
        """What is being opened; a first look at the sample takes some seconds."""
        lasting = [s for s in self._jobs.statuses() if s.title and s.elapsed_s > _NOTICEABLE_S]
        self.progress.setVisible(bool(lasting))
        if lasting:
            self._shown = lasting[0].lane
            self.progress.tell(lasting[0])

    def _call_off(self) -> None:
        if self._shown is not None:
            self._jobs.call_off(self._shown)

    def _activate(self, item: QListWidgetItem) -> None:
        place: Recent = item.data(Qt.ItemDataRole.UserRole)
        if place.path not in self._recent.missing:
            self._open_recent(place)

    def _offer_pin(self, at: QPoint) -> None:
        item = self.list.itemAt(at)
        if item is None:
            return
        place: Recent = item.data(Qt.ItemDataRole.UserRole)
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        pin = tr("Unpin") if place.is_pinned else tr("Pin")
        menu.addAction(pin, partial(self._recent.toggle_pin, place.path))
        menu.popup(self.list.mapToGlobal(at))


class _PlaceLines(QStyledItemDelegate):
    """A recent place: its name, and below it in fainter letters where it lies."""

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        self.initStyleOption(option, index)
        style = option.widget.style()
        lines = option.text.splitlines()
        room = style.subElementRect(
            QStyle.SubElement.SE_ItemViewItemText, option, option.widget
        ).adjusted(_BESIDE_ICON_PX, 0, -_BESIDE_ICON_PX, 0)
        option.text = ""
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, option, painter, option.widget)
        is_there = bool(option.state & QStyle.StateFlag.State_Enabled)
        group = QPalette.ColorGroup.Normal if is_there else QPalette.ColorGroup.Disabled
        roles = (QPalette.ColorRole.Text, QPalette.ColorRole.PlaceholderText)
        height = option.fontMetrics.height()
        top = room.center().y() + 1 - height * len(lines) // 2
        for row, (line, role) in enumerate(zip(lines, roles, strict=True)):
            painter.setPen(option.palette.color(group, role if is_there else roles[0]))
            area = QRect(room.left(), top + row * height, room.width(), height)
            shown = option.fontMetrics.elidedText(line, option.textElideMode, room.width())
            painter.drawText(area, Qt.AlignmentFlag.AlignVCenter, shown)


def _entry(place: Recent, *, is_there: bool) -> QListWidgetItem:
    path = Path(place.path)
    item = QListWidgetItem(f"{path.name}\n{path.parent}")
    item.setIcon(icon("pin" if place.is_pinned else _ICONS[place.kind]))
    item.setData(Qt.ItemDataRole.UserRole, place)
    item.setToolTip(tr(_ABOUT[place.kind], path=place.path))
    if not is_there:
        item.setFlags(item.flags() & ~Qt.ItemFlag.ItemIsEnabled)
        item.setToolTip(tr("No longer exists: {path}", path=place.path))
    return item


def _aside(text: str) -> PlainLabel:
    label = PlainLabel(text)
    label.setProperty("role", "muted")
    label.setWordWrap(True)
    return label
