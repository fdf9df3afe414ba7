from collections.abc import Iterator

import pytest
from PySide6.QtCore import QLocale, QTranslator
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QApplication, QDialogButtonBox, QDoubleSpinBox
from pytestqt.qtbot import QtBot

from forensicviewer.app.commandtable import COMMANDS
from forensicviewer.app.desk import Desk
from forensicviewer.app.jobs import inline_jobs
from forensicviewer.app.settings import LANGUAGE, Settings
from forensicviewer.app.words import decimal, use_language
from forensicviewer.ui.commandpalette import command_palette
from forensicviewer.ui.language import language_among, speak
from forensicviewer.ui.settingsdialog import SettingsDialog
from forensicviewer.ui.window import MainWindow


@pytest.fixture
def german(qapp: QApplication) -> Iterator[Settings]:
    """Settings of somebody who chose German, which the program already speaks."""
    before = QLocale()
    settings = Settings()
    settings.change(LANGUAGE, "de")
    assert speak(settings, qapp) == ()
    yield settings
    for translator in qapp.findChildren(QTranslator):
        qapp.removeTranslator(translator)
        translator.deleteLater()
    QLocale.setDefault(before)
    use_language("en")


@pytest.fixture
def window(german: Settings, qtbot: QtBot) -> MainWindow:
    made = MainWindow(Desk(inline_jobs(), german))
    qtbot.addWidget(made)
    return made


def test_menus_and_commands_speak_german(window: MainWindow) -> None:
    menus = [action.text().replace("&", "") for action in window.menuBar().actions()]

    assert menus[:4] == ["Datei", "Bearbeiten", "Ansicht", "Fall"]
    assert window.commands["file.open_dataset"].text() == "Datensatz öffnen…"
    assert "Strg+O" in window.commands["file.open_dataset"].toolTip()


def test_keys_are_the_same_in_every_language(window: MainWindow) -> None:
    for command in COMMANDS:
        shown = [key.toString() for key in window.commands[command.id].shortcuts()]
        told = QKeySequence.SequenceFormat.PortableText
        assert shown == [QKeySequence.fromString(key, told).toString() for key in command.keys]


def test_commands_are_found_by_what_the_user_reads_and_in_english(window: MainWindow) -> None:
    palette = command_palette(window, window.commands)

    for typed in ("datensatz öffnen", "open dataset"):
        palette.box.setText(typed)
        best = palette.list.topLevelItem(0)
        assert best is not None
        assert best.text(0) == "Datei: Datensatz öffnen"
    palette.close()


def test_settings_are_found_and_reset_by_their_german_names(german: Settings, qtbot: QtBot) -> None:
    dialog = SettingsDialog(german)
    qtbot.addWidget(dialog)

    assert dialog.pages.item(0).text() == "Aussehen"
    dialog.box.setText("sprache")
    assert set(dialog.fields) == {LANGUAGE.key}
    dialog.box.clear()
    dialog._reset()

    assert german.of(LANGUAGE) == "system"


def test_qts_own_buttons_speak_german(german: Settings, qtbot: QtBot) -> None:
    box = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
    qtbot.addWidget(box)

    assert german.of(LANGUAGE) == "de"
    assert box.buttons()[0].text() == "Abbrechen"


def test_fields_for_numbers_write_them_as_labels_do(german: Settings, qtbot: QtBot) -> None:
    box = QDoubleSpinBox()
    qtbot.addWidget(box)
    box.setValue(12.5)

    assert german.of(LANGUAGE) == "de"
    assert box.text() == decimal(12.5, 2)


@pytest.mark.parametrize(
    ("wanted", "spoken"),
    [
        (["de-AT", "de-Latn-AT", "de"], "de"),
        (["fr_CA"], "fr"),
        (["es-ES", "es", "fr"], "fr"),
        (["C"], "en"),
        ([], "en"),
    ],
)
def test_the_systems_language_is_followed_where_it_is_known(wanted: list[str], spoken: str) -> None:
    assert language_among(wanted) == spoken
