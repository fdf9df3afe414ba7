"""The manual's window: contents and search at the left, the page at the right, back and forward."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, QTimer, QUrl
from PySide6.QtGui import (
    QImage,
    QKeySequence,
    QPainter,
    QResizeEvent,
    QShortcut,
    QShowEvent,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
)
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QLineEdit,
    QSplitter,
    QTextBrowser,
    QToolButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from forensicviewer.app.commands.manual import CHAPTERS, SWATCH, Manual
from forensicviewer.app.language.words import tr, tr_many
from forensicviewer.app.runtime.resources import resource
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.app.workbench.legend_counts import OUTCOME_MEANINGS, OUTCOME_NAMES
from forensicviewer.core.palette import Outcome
from forensicviewer.ui.dialogs.actions import Actions
from forensicviewer.ui.widgets.dialog_size import open_in
from forensicviewer.ui.widgets.plain_text import PlainLabel
from forensicviewer.ui.widgets.swatch import draw_swatch, outcome_hatch
from forensicviewer.ui.widgets.theme import current_theme, icon

_PLACE = Qt.ItemDataRole.UserRole
_SEARCH_MS = 120
_MARGIN_PX, _BAR_PX = 48, 16
_HEADING_TOP_PX, _HEADING_BOTTOM_PX = 18, 5
_TURN_S = 0.012  # of adding to a long page before the window gets its turn
_SHEET = """
body {{ line-height: 140%; }}
h1 {{ font-size: xx-large; margin-bottom: 6px; }}
h2 {{ font-size: x-large; margin-top: 22px; margin-bottom: 4px; }}
h3 {{ font-size: large; margin-top: 16px; margin-bottom: 2px; }}
h4 {{ margin-top: 12px; margin-bottom: 2px; }}
a {{ color: {accent}; text-decoration: none; }}
th {{ text-align: left; background-color: {hover}; }}
td {{ border-bottom: 1px solid {border}; }}
kbd, code {{ background-color: {hover}; }}
li {{ margin-bottom: 4px; }}
p {{ margin-top: 4px; margin-bottom: 8px; }}
"""


@dataclass(frozen=True, slots=True)
class Passage:
    """A page of the manual, and a heading on it."""

    page: str
    anchor: str = ""

    @classmethod
    def of(cls, link: str) -> Passage:
        """Where a link leads: ``video#lanes``."""
        page, _, anchor = link.partition("#")
        return cls(page, anchor)


class PageView(QTextBrowser):
    """Shows a page; its images are as wide as there is room, in the colours of the theme."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setOpenLinks(False)
        self.setFrameShape(QTextBrowser.Shape.NoFrame)
        self.document().setDocumentMargin(_MARGIN_PX / 2)
        self.setAccessibleName(tr("Page of the manual"))

    def loadResource(self, kind: int, name: QUrl | str) -> object:
        if kind != QTextDocument.ResourceType.ImageResource.value:
            return super().loadResource(kind, name)
        stem = QUrl(name).path()
        if QUrl(name).scheme() == SWATCH:
            return self._swatch(*stem.split("/"))
        picture = QImage(str(resource(f"manual/{stem}-{current_theme().name}.jpg")))
        density, room_px = self.devicePixelRatioF(), self.viewport().width() - _MARGIN_PX - _BAR_PX
        width = min(picture.width(), round(room_px * density))
        if width <= 0 or picture.isNull():
            return picture
        mode = Qt.TransformationMode.SmoothTransformation
        shown = picture if width == picture.width() else picture.scaledToWidth(width, mode)
        shown.setDevicePixelRatio(max(1.0, min(density, shown.width() / max(1, room_px))))
        return shown

    def _swatch(self, short: str, color: str) -> QImage:
        """The square an outcome has in the legend, boundary and hatching included."""
        outcome = next(outcome for outcome in Outcome if outcome.short == short)
        red, green, blue = bytes.fromhex(color)
        edge_px, density = self.fontMetrics().height(), self.devicePixelRatioF()
        square = QImage(QSize(edge_px, edge_px) * density, QImage.Format.Format_ARGB32)
        square.setDevicePixelRatio(density)
        square.fill(Qt.GlobalColor.transparent)
        painter = QPainter(square)
        area = QRectF(1, 1, edge_px - 2, edge_px - 2)
        draw_swatch(painter, area, (red, green, blue), hatch=outcome_hatch(outcome))
        painter.end()
        return square


class ManualWindow(QDialog):
    """The manual, beside the window it explains."""

    def __init__(self, actions: Actions, workbench: Workbench, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Manual"))
        self.setWindowFlag(Qt.WindowType.WindowMaximizeButtonHint)
        self._actions = actions
        self._workbench = workbench
        self.manual = self._fresh_manual()
        self._past: list[Passage] = []
        self._future: list[Passage] = []
        self.place: Passage | None = None
        self._rest: deque[str] = deque()
        self.box = QLineEdit(self)
        self.contents = QTreeWidget(self)
        self.view = PageView(self)
        self.found = PlainLabel(parent=self)
        self.back = self._button("previous", tr("Back"), self.go_back, "Alt+Left")
        self.forward = self._button("next", tr("Forward"), self.go_forward, "Alt+Right")
        self._searching = QTimer(self, interval=_SEARCH_MS, singleShot=True)
        self._searching.timeout.connect(self._search)
        self._adding = QTimer(self, interval=0)
        self._adding.timeout.connect(self._add_more)
        self._lay_out()
        open_in(self, 1080, 720)

    # Going places

    def open_at(self, link: str) -> None:
        """Show a page, or a heading on it, and remember where one came from."""
        if self.place is not None:
            self._past.append(self.place)
        self._future.clear()
        self.place = Passage.of(link)
        if self.isVisible():
            self._show(self.place)

    def polish(self) -> None:
        """Style every part now: all at once they would take their time when the window comes."""
        for part in self.findChildren(QWidget):
            part.ensurePolished()

    def come_up(self) -> None:
        self.show()
        self.raise_()
        self.activateWindow()

    def go_back(self) -> None:
        if self._past and self.place is not None:
            self._future.append(self.place)
            self._show(self._past.pop())

    def go_forward(self) -> None:
        if self._future and self.place is not None:
            self._past.append(self.place)
            self._show(self._future.pop())

    def _show(self, place: Passage) -> None:
        self.place = place
        page = self.manual.page(place.page)
        colors = current_theme()
        sheet = _SHEET.format(accent=colors.accent, hover=colors.hover, border=colors.border)
        self.view.document().setDefaultStyleSheet(sheet)
        first, *rest = (section.html for section in page.sections)
        self.view.setHtml(f"<body>{first}</body>")
        self._rest = deque(rest)
        self._adding.start()
        self.setWindowTitle(f"{page.title} – {tr('Manual')}")  # noqa: RUF001 - a dash
        self.back.setEnabled(bool(self._past))
        self.forward.setEnabled(bool(self._future))
        self._mark(place)

    def _add_more(self) -> None:
        """Add to a page part by part; all of a long one would keep the window waiting."""
        end, started_s = QTextCursor(self.view.document()), time.monotonic()
        while self._rest and time.monotonic() - started_s < _TURN_S:
            end.movePosition(QTextCursor.MoveOperation.End)
            # What is inserted takes its first line's margins from the line it is inserted into.
            end.insertBlock(_above_heading(), QTextCharFormat())
            end.insertHtml(f"<body>{self._rest.popleft()}</body>")
        if not self._rest:
            self._adding.stop()
            if self.place is not None and self.place.anchor:
                self.view.scrollToAnchor(self.place.anchor)

    def _mark(self, place: Passage) -> None:
        """Select in the contents what is shown."""
        if self.box.text().strip():
            return
        index = CHAPTERS.index(place.page) if place.page in CHAPTERS else -1
        chapter = self.contents.topLevelItem(index)
        if chapter is None:
            return
        self.contents.collapseAll()
        chapter.setExpanded(True)
        for i in range(chapter.childCount()):
            child = chapter.child(i)
            if child is not None and child.data(0, _PLACE) == place:
                self.contents.setCurrentItem(child)
                return
        self.contents.setCurrentItem(chapter)

    # Contents and search

    def _show_contents(self) -> None:
        self.contents.clear()
        self.found.hide()
        for name in CHAPTERS:
            first, *others = self.manual.outline(name)
            chapter = QTreeWidgetItem([first.title])
            chapter.setData(0, _PLACE, Passage(name))
            for section in others:
                if section.level == 2:
                    item = QTreeWidgetItem([section.title])
                    item.setData(0, _PLACE, Passage(name, section.anchor))
                    chapter.addChild(item)
            self.contents.addTopLevelItem(chapter)

    def _search(self) -> None:
        words = self.box.text().strip()
        if not words:
            self._show_contents()
            if self.place is not None:
                self._mark(self.place)
            return
        findings = self.manual.find(words)
        self.contents.clear()
        for finding in findings:
            title = finding.section.title
            heading = title if title == finding.page.title else f"{finding.page.title} ▸ {title}"
            item = QTreeWidgetItem([heading])
            item.setToolTip(0, finding.excerpt)
            item.setData(0, _PLACE, Passage(finding.page.id, finding.section.anchor))
            self.contents.addTopLevelItem(item)
        self.found.setText(
            tr_many("{count} section found", "{count} sections found", len(findings))
        )
        self.found.show()

    def _open_item(self, item: QTreeWidgetItem) -> None:
        place = item.data(0, _PLACE)
        if isinstance(place, Passage) and place != self.place:
            self.open_at(f"{place.page}#{place.anchor}" if place.anchor else place.page)
        elif isinstance(place, Passage):
            self.view.scrollToAnchor(place.anchor)

    def _open_first(self) -> None:
        self._searching.stop()
        self._search()
        first = self.contents.topLevelItem(0)
        if first is not None and self.box.text().strip():
            self._open_item(first)

    def _follow_link(self, link: QUrl) -> None:
        self.open_at(link.toString())

    # Building

    def _fresh_manual(self) -> Manual:
        return Manual(
            keys=lambda command: [
                QKeySequence(key).toString(QKeySequence.SequenceFormat.NativeText)
                for key in self._actions.keys(command)
            ],
            colors=self._workbench.state.colors,
            outcomes={
                each: (tr(name), tr(OUTCOME_MEANINGS[each])) for each, name in OUTCOME_NAMES.items()
            },
        )

    def _lay_out(self) -> None:
        self.box.setPlaceholderText(tr("Search the manual"))
        self.box.setAccessibleName(tr("Search the manual"))
        self.box.setClearButtonEnabled(True)
        self.box.textChanged.connect(lambda: self._searching.start())
        self.box.returnPressed.connect(self._open_first)
        self.contents.setHeaderHidden(True)
        self.contents.setAccessibleName(tr("Contents"))
        self.contents.itemClicked.connect(self._open_item)
        self.contents.itemActivated.connect(self._open_item)
        self.found.setProperty("role", "muted")
        self.view.anchorClicked.connect(self._follow_link)
        QShortcut(QKeySequence(QKeySequence.StandardKey.Find), self, self.box.setFocus)
        row = QHBoxLayout()
        for widget in (self.back, self.forward, self.box):
            row.addWidget(widget)
        side = QWidget(self)
        left = QVBoxLayout(side)
        left.setContentsMargins(0, 0, 0, 0)
        left.addLayout(row)
        left.addWidget(self.found)
        left.addWidget(self.contents, 1)
        split = QSplitter(Qt.Orientation.Horizontal, self)
        split.addWidget(side)
        split.addWidget(self.view)
        split.setStretchFactor(1, 1)
        split.setSizes([300, 780])
        whole = QVBoxLayout(self)
        whole.setContentsMargins(12, 12, 12, 12)
        whole.addWidget(split)

    def _button(self, picture: str, title: str, run: Callable[[], None], key: str) -> QToolButton:
        button = QToolButton(self)
        button.setIcon(icon(picture))
        button.setToolTip(f"{title} ({key})")
        button.setAccessibleName(title)
        button.setShortcut(QKeySequence(key))
        button.clicked.connect(run)
        return button

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange and self.isVisible():
            QTimer.singleShot(0, self, self._show_again)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not event.spontaneous():
            # In a turn of its own, once the frame is on the screen.
            QTimer.singleShot(0, self, self._fill)

    def _fill(self) -> None:
        """Show contents and page with the keys and colours there are now."""
        self.manual = self._fresh_manual()
        self._search()
        QTimer.singleShot(0, self, self._show_again)
        QTimer.singleShot(0, self, partial(self._read_ahead, iter(CHAPTERS)))

    def _read_ahead(self, names: Iterator[str]) -> None:
        """Read a page in each turn: all at once would keep the first search waiting."""
        for name in islice(names, 1):
            self.manual.page(name)
            QTimer.singleShot(0, self, partial(self._read_ahead, names))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.isVisible() and event.size().width() != event.oldSize().width():
            QTimer.singleShot(0, self, self._show_again)

    def _show_again(self) -> None:
        """Draw the page as wide and in the colours the window has now."""
        if self.place is not None:
            self._show(self.place)


def _above_heading() -> QTextBlockFormat:
    line = QTextBlockFormat()
    line.setTopMargin(_HEADING_TOP_PX)
    line.setBottomMargin(_HEADING_BOTTOM_PX)
    return line
