"""Shows folders in the system's file manager."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QApplication

from forensicviewer.app.language.words import tr
from forensicviewer.ui.widgets.plain_text import PlainMessageBox


def show_folder(folder: Path) -> None:
    """Open a folder in the file manager; where there is none, say where the folder is."""
    if QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder))):
        return
    box = PlainMessageBox(QApplication.activeWindow())
    # Also keeps it while it is shown: without an active window nobody else does.
    box.finished.connect(lambda: box.deleteLater())
    box.setIcon(PlainMessageBox.Icon.Information)
    box.setWindowTitle(tr("No file manager"))
    box.setText(tr("The system cannot open a file manager. The folder is:"))
    box.setInformativeText(str(folder))
    box.setTextInteractionFlags(
        Qt.TextInteractionFlag.TextSelectableByMouse
        | Qt.TextInteractionFlag.TextSelectableByKeyboard
    )
    box.open()
