"""Asks before the window is closed while something runs that the user may be waiting for."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox

from forensicviewer.app.language.words import tr
from forensicviewer.app.settings import ASK_BEFORE_CLOSING
from forensicviewer.ui.shell.window_frame import Frame
from forensicviewer.ui.widgets.plain_text import PlainMessageBox

# Shorter work is over before the question is read.
_LASTING_S = 2.0


def asks_before_closing(window: Frame, close: Callable[[], None]) -> bool:
    """Ask whether to close all the same; whether there was anything to ask about."""
    desk = window.desk
    lasting = [s.title for s in desk.jobs.statuses() if s.title and s.elapsed_s > _LASTING_S]
    if not lasting or not desk.settings.of(ASK_BEFORE_CLOSING):
        return False
    if window.findChild(PlainMessageBox, "closing") is None:
        _question(window, lasting, close).open()
    return True


def _question(window: Frame, lasting: list[str], close: Callable[[], None]) -> PlainMessageBox:
    box = PlainMessageBox(window)
    box.setObjectName("closing")
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.setIcon(PlainMessageBox.Icon.Question)
    box.setWindowTitle(tr("Close forensicviewer?"))
    box.setText("\n".join([tr("Still running:"), *(f"• {t}" for t in lasting)]))
    box.setInformativeText(tr("Scores computed so far are kept."))
    again = QCheckBox(tr("Do not ask again"), box)
    box.setCheckBox(again)
    leave = box.addButton(tr("Close"), PlainMessageBox.ButtonRole.AcceptRole)
    stay = box.addButton(tr("Keep working"), PlainMessageBox.ButtonRole.RejectRole)
    box.setDefaultButton(stay)
    box.setEscapeButton(stay)

    def answer() -> None:
        if again.isChecked():
            window.desk.settings.change(ASK_BEFORE_CLOSING, value=False)
        if box.clickedButton() is leave:
            close()

    box.finished.connect(lambda _code: answer())
    return box
