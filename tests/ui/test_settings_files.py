"""Settings taken to another machine and back."""

from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog, QPushButton
from pytestqt.qtbot import QtBot

from forensicviewer.app.settings import FONT_SCALE, THEME, Settings
from forensicviewer.ui.settingsdialog import SettingsDialog
from forensicviewer.ui.window import MainWindow

pytestmark = pytest.mark.ui


def click(dialog: SettingsDialog, text: str) -> None:
    next(b for b in dialog.findChildren(QPushButton) if b.text() == text).click()


@pytest.fixture
def dialog(qtbot: QtBot) -> SettingsDialog:
    made = SettingsDialog(Settings())
    qtbot.addWidget(made)
    return made


def test_exported_settings_are_the_same_after_import(
    dialog: SettingsDialog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "mine.json"
    settings = dialog._settings
    settings.change(THEME, "dark")
    settings.change_shortcuts({"view.fit": ("Q",)})
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_a, **_k: (str(path), ""))
    click(dialog, "Export…")
    settings.change(THEME, "light")
    settings.change(FONT_SCALE, 120)
    settings.change_shortcuts({})
    heard: list[str] = []
    settings.subscribe(heard.append)

    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_a, **_k: (str(path), ""))
    click(dialog, "Import…")

    assert settings.of(THEME) == "dark"
    assert settings.of(FONT_SCALE) == 120
    assert settings.shortcuts == {"view.fit": ("Q",)}
    assert {THEME.key, "shortcuts"} <= set(heard)
    assert "Took over mine.json" in dialog.message.text()
    assert Settings().of(THEME) == "dark"


def test_a_file_that_holds_no_settings_changes_nothing(
    dialog: SettingsDialog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "broken.json"
    path.write_text("{", encoding="utf-8")
    dialog._settings.change(THEME, "dark")

    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_a, **_k: (str(path), ""))
    click(dialog, "Import…")

    assert dialog._settings.of(THEME) == "dark"
    assert path.exists()
    assert "Took over" not in dialog.message.text()


def test_imported_keys_count_at_once(window: MainWindow, tmp_path: Path) -> None:
    path = tmp_path / "keys.json"
    other = Settings(tmp_path / "other" / "settings.json")
    other.change_shortcuts({"help.about": ("Ctrl+Alt+A",)})
    other.export_to(path)

    window.desk.settings.import_from(path)

    assert window.commands["help.about"].shortcut().toString() == "Ctrl+Alt+A"
