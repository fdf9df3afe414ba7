"""Settings taken to another machine and back."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest
import shiboken6
from PySide6.QtWidgets import QApplication, QFileDialog, QPushButton
from pytestqt.qtbot import QtBot

from forensicviewer.app.runtime.jobs import InlineExecutor, Jobs, inline_jobs
from forensicviewer.app.settings import FONT_SCALE, THEME, Settings, read_settings
from forensicviewer.ui.dialogs.settings import SettingsDialog
from forensicviewer.ui.shell.window import MainWindow

pytestmark = pytest.mark.ui


def click(dialog: SettingsDialog, text: str) -> None:
    next(b for b in dialog.findChildren(QPushButton) if b.text() == text).click()


@pytest.fixture
def dialog(qtbot: QtBot) -> SettingsDialog:
    made = SettingsDialog(Settings(), inline_jobs())
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
    assert "Imported mine.json" in dialog.message.text()
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
    assert "Imported" not in dialog.message.text()


def test_imported_keys_count_at_once(window: MainWindow, tmp_path: Path) -> None:
    path = tmp_path / "keys.json"
    other = Settings(tmp_path / "other" / "settings.json")
    other.change_shortcuts({"help.about": ("Ctrl+Alt+A",)})
    other.exporting(path)()

    window.desk.settings.take_over(read_settings(path), path)

    assert window.commands["help.about"].shortcut().toString() == "Ctrl+Alt+A"


class _Busy(InlineExecutor):
    """Starts nothing until it is told to, as threads do that wait for a slow disk."""

    def __init__(self) -> None:
        self.waiting: list[Callable[[], None]] = []

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()

        def work() -> None:
            done = InlineExecutor.submit(self, fn, *args, **kwargs)
            error = done.exception()
            if error is None:
                future.set_result(done.result())
            else:
                future.set_exception(error)

        self.waiting.append(work)
        return future


@pytest.fixture
def slow(qapp: QApplication) -> Iterator[tuple[SettingsDialog, _Busy, list[str]]]:
    """A dialog before a disk that answers late, and what the window is told."""
    disk, told = _Busy(), list[str]()
    jobs = Jobs(disk, lambda thunk: thunk(), lambda *_: None)
    dialog = SettingsDialog(Settings(), jobs, tell=told.append)
    yield dialog, disk, told
    if shiboken6.isValid(dialog):
        dialog.close()
    qapp.processEvents()


def test_settings_are_written_in_the_background_as_they_were_when_asked(
    slow: tuple[SettingsDialog, _Busy, list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dialog, disk, _ = slow
    path = tmp_path / "mine.json"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_a, **_k: (str(path), ""))
    dialog._settings.change(THEME, "dark")
    click(dialog, "Export…")
    dialog._settings.change(THEME, "light")
    was_there = path.exists()

    disk.waiting.pop()()

    assert not was_there
    assert dialog.message.text() == "Wrote mine.json"
    assert '"dark"' in path.read_text(encoding="utf-8")


def test_a_folder_that_takes_no_settings_is_told(
    slow: tuple[SettingsDialog, _Busy, list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dialog, disk, _ = slow
    folder = tmp_path / "file"
    folder.write_text("")
    path = folder / "mine.json"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_a, **_k: (str(path), ""))
    click(dialog, "Export…")

    disk.waiting.pop()()

    assert "mine.json cannot be written" in dialog.message.text()


def test_settings_read_after_the_dialog_was_closed_count_and_are_told(
    slow: tuple[SettingsDialog, _Busy, list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dialog, disk, told = slow
    path, settings = tmp_path / "theirs.json", dialog._settings
    settings.change(THEME, "dark")
    settings.exporting(path)()
    settings.change(THEME, "light")
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_a, **_k: (str(path), ""))
    click(dialog, "Import…")
    before = settings.of(THEME)
    shiboken6.delete(dialog)

    disk.waiting.pop()()

    assert (before, settings.of(THEME)) == ("light", "dark")
    assert told == ["Imported theirs.json"]
