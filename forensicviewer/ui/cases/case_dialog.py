"""What a case file says about itself, and what checking it found: same, different, not checked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QColor, QDesktopServices
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHeaderView,
    QPushButton,
    QTableWidget,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from forensicviewer.app.cases.manifest import SUFFIX
from forensicviewer.app.cases.opening import OpenedCase
from forensicviewer.app.cases.writing import hand_on
from forensicviewer.app.language.words import to_translate, tr, whole
from forensicviewer.app.session.desk import Desk
from forensicviewer.core.verdict import Ruling
from forensicviewer.ui.widgets.dialog_size import open_in
from forensicviewer.ui.widgets.heading import Heading
from forensicviewer.ui.widgets.plain_text import PlainInputDialog, PlainLabel
from forensicviewer.ui.widgets.save_dialog import ask_where, kinds_of, write_in_background
from forensicviewer.ui.widgets.table_copy import dress_for_reading, translated_cell
from forensicviewer.ui.widgets.theme import current_theme

to_translate("Same"), to_translate("Differs"), to_translate("Recorded, not checked")


class CaseDialog(QDialog):
    """Stays beside the window that shows the case."""

    def __init__(
        self,
        opened: OpenedCase,
        desk: Desk,
        tell: Callable[[str], None],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Case {name}", name=opened.origin.name))
        self._opened, self._desk, self._tell = opened, desk, tell
        content = opened.manifest.content
        self.title = Heading(f"{content['case'] or tr('Case')}: {opened.manifest.trial}")
        self.summary = PlainLabel(_summary(opened))
        self.summary.setWordWrap(True)
        self.about = PlainLabel(_about(opened))
        self.about.setWordWrap(True)
        self.about.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.pages = QTabWidget()
        self.pages.setDocumentMode(True)
        self.checked = self._checked()
        self.pages.addTab(self.checked, tr("Checked"))
        self._add_verdicts()
        self.custody = _table(
            (to_translate("When"), to_translate("Who"), to_translate("What"), "SHA-256"),
            [(one.when, one.who, one.what, one.content) for one in opened.manifest.custody],
            wide=3,
        )
        self.pages.addTab(self.custody, tr("Custody"))
        self._lay_out()
        open_in(self, 820, 520)

    def _checked(self) -> QTableWidget:
        rows = [(one.what, one.status, one.words) for one in self._opened.findings]
        titles = (to_translate("What"), to_translate("Check"), to_translate("Finding"))
        table = _table(titles, rows, wide=2)
        theme = current_theme()
        for row, one in enumerate(self._opened.findings):
            cell = table.item(row, 1)
            assert cell is not None
            cell.setText(tr(one.status))
            if not one.is_same:
                color = theme.error if one.is_different else theme.warning
                cell.setForeground(QColor(color))
        return table

    def _add_verdicts(self) -> None:
        listed: list[dict[str, Any]] = self._opened.manifest.content["verdicts"]
        labels = {ruling.value: ruling.label for ruling in Ruling}
        rows = [
            (
                *(str(one.get("said_at", "")), str(one.get("judge", ""))),
                labels.get(str(one.get("ruling")), str(one.get("ruling"))),
                str(one.get("note", "")),
            )
            for one in listed
        ]
        titles = (to_translate("When"), to_translate("Judge"), to_translate("Verdict"))
        self.verdicts = _table((*titles, to_translate("Note")), rows, wide=3)
        self.pages.addTab(self.verdicts, tr("Verdicts"))

    def _lay_out(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(18, 18, 18, 18)
        layout.setSpacing(10)
        for widget in (self.title, self.summary, self.about):
            layout.addWidget(widget)
        layout.addWidget(self.pages, stretch=1)
        box = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        self.report_button = QPushButton(tr("Show report"))
        self.report_button.setEnabled(self._opened.report is not None)
        self.hand_button = QPushButton(tr("Hand on…"))
        self.hand_button.setToolTip(tr("Write the case again with a new custody entry"))
        for button, act in (
            (self.report_button, self.show_report),
            (self.hand_button, self.hand_on),
        ):
            button.setAutoDefault(False)
            button.clicked.connect(act)
            box.addButton(button, QDialogButtonBox.ButtonRole.ActionRole)
        box.rejected.connect(self.close)
        layout.addWidget(box)

    def show_report(self) -> None:
        """Open the report of the case in the browser; it fetches nothing and runs nothing."""
        if self._opened.report is not None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._opened.report)))

    def hand_on(self) -> None:
        """Ask who gets it, and write the case with that line of custody."""
        asking = PlainInputDialog(self)
        asking.setWindowTitle(tr("Hand on"))
        asking.setLabelText(tr("Recipient and reason"))
        is_meant, what = asking.exec(), asking.textValue().strip()
        asking.deleteLater()
        if not is_meant or not what:
            return
        origin, bench = self._opened.origin, self._desk.workbench
        kinds = kinds_of((tr("Case files"), f"*{SUFFIX}"))
        path = ask_where(self, tr("Hand on"), f"{origin.stem}-handed-on{SUFFIX}", kinds)
        if path is None:
            return
        work = partial(
            hand_on,
            origin,
            path,
            who=self._desk.judge,
            what=what,
            manifest=self._opened.manifest,
            folder=self._opened.folder,
        )
        write_in_background(bench, path, work, self._tell)


def _summary(opened: OpenedCase) -> str:
    findings = opened.findings
    different = sum(one.is_different for one in findings)
    unchecked = sum(not one.is_same and not one.is_different for one in findings)
    lines = []
    if different:
        lines.append(tr("Different from the recorded values: {count}", count=whole(different)))
    if unchecked:
        lines.append(tr("Recorded, but not checked: {count}", count=whole(unchecked)))
    return ". ".join(lines) or tr("All files and numbers match the record")


def _about(opened: OpenedCase) -> str:
    content = opened.manifest.content
    claim = content.get("claim")
    claimed = claim.get("claimed") if isinstance(claim, dict) else None
    shown = ", ".join(f"{k} {v}" for k, v in claimed.items()) if isinstance(claimed, dict) else ""
    named = (
        (tr("Licence"), content["licence"]),
        (tr("Note"), content["note"]),
        (tr("Claimed"), shown),
        (tr("Made"), f"{content['made_at']}, {content.get('program', '')}"),
        (tr("Digest of the content"), opened.manifest.digest),
    )
    return "\n".join(f"{name}: {value}" for name, value in named if value)


def _table(titles: Sequence[str], rows: Sequence[Sequence[str]], *, wide: int) -> QTableWidget:
    table = QTableWidget(len(rows), len(titles))
    dress_for_reading(table, titles)
    for number, row in enumerate(rows):
        for column, text in enumerate(row):
            table.setItem(number, column, translated_cell(text, text))
    table.setWordWrap(True)
    header = table.horizontalHeader()
    header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
    header.setSectionResizeMode(wide, QHeaderView.ResizeMode.Stretch)
    table.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
    return table
