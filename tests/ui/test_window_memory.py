"""Where the window and its panels stood is remembered, each desk's by itself."""

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from forensicviewer.app.desk import Desk
from forensicviewer.app.folders import config_folder
from forensicviewer.app.jobs import inline_jobs
from forensicviewer.app.settings import Settings
from forensicviewer.ui.window import MainWindow

pytestmark = pytest.mark.ui


def test_where_panels_stood_is_kept_beside_the_settings(qtbot: QtBot, tmp_path: Path) -> None:
    """Drawing without a display has settings of its own, and must not meet the user's window."""
    window = MainWindow(Desk(inline_jobs(), Settings(tmp_path / "settings.json")))
    qtbot.addWidget(window)
    window.show()

    window.close()

    assert (tmp_path / "window.ini").exists()
    assert not (config_folder() / "window.ini").exists()
