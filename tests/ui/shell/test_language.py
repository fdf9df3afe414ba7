from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QLocale, QSize, Qt, QTranslator
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QApplication, QDialogButtonBox, QDoubleSpinBox, QTreeWidget
from pytestqt.qtbot import QtBot

from forensicviewer.app.commands.table import COMMANDS
from forensicviewer.app.commands.view_table import PANELS
from forensicviewer.app.language.words import decimal, use_language
from forensicviewer.app.runtime.jobs import JobStatus, Lane, inline_jobs
from forensicviewer.app.session.desk import Desk
from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.app.session.recognise import what_will_happen
from forensicviewer.app.settings import LANGUAGE, Settings
from forensicviewer.app.trials.library import VERDICT
from forensicviewer.app.workbench.inspection import inspect
from forensicviewer.core.verdict import Ruling
from forensicviewer.ui.dialogs.command_palette import command_palette
from forensicviewer.ui.dialogs.settings import SettingsDialog
from forensicviewer.ui.panes.export import svg_of
from forensicviewer.ui.shell.language import language_among, speak
from forensicviewer.ui.shell.window import MainWindow
from forensicviewer.ui.widgets.job_line import time_left
from forensicviewer.ui.widgets.table_copy import table_of
from tests.build import a_dataset, blurred, box, two_answered_trials


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
    palette = command_palette(window, window.commands, [])

    for typed in ("datensatz öffnen", "open dataset"):
        palette.box.setText(typed)
        best = palette.list.topLevelItem(0)
        assert best is not None
        assert best.text(0) == "Datei: Datensatz öffnen"
    palette.close()


def test_settings_are_found_and_reset_by_their_german_names(german: Settings, qtbot: QtBot) -> None:
    dialog = SettingsDialog(german, inline_jobs())
    qtbot.addWidget(dialog)

    assert dialog.pages.item(0).text() == "Aussehen"
    dialog.box.setText("sprache")
    assert set(dialog.fields) == {LANGUAGE.key}
    dialog.box.clear()
    dialog._reset()

    assert german.of(LANGUAGE) == "system"


def test_trials_are_listed_in_german_and_found_by_both_languages(
    window: MainWindow, tmp_path: Path
) -> None:
    _open_two(window, tmp_path)
    window.desk.judging.say(Ruling.SOUND)
    browser = window.docks.browser

    across, tip = Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole
    section = browser.model.names.index(VERDICT)
    assert browser.model.headerData(section, across) == "Urteil"
    assert "In Abfragen: Verdict" in browser.model.headerData(section, across, tip)
    assert browser.model.text(0, section) == "Referenz ist richtig"
    for typed in ("richtig", "is correct", "Verdict == 'Reference is correct'"):
        browser.filter_box.setText(typed)
        browser.apply_filter()
        assert [str(window.desk.trials.id_at(0))] == ["p1"], typed
        assert len(window.desk.trials) == 1


def test_german_panels_fit_a_small_screen(window: MainWindow, tmp_path: Path) -> None:
    built = two_answered_trials(tmp_path)
    window.desk.open(OpenRequest(built.root, (built.submission,)))
    window.show()

    widths = {name: window.docks.panel(name).minimumSizeHint().width() for name in PANELS}

    assert {name: width for name, width in widths.items() if width > 320} == {}


def test_what_is_copied_from_a_german_window_is_english(window: MainWindow, tmp_path: Path) -> None:
    _open_two(window, tmp_path)
    operations = window.docks.panel("operations").findChildren(QTreeWidget)[0]
    window.desk.workbench.set_cursor((8, 8))

    copied = table_of(operations)

    assert operations.headerItem().text(3) == "Fläche"
    assert operations.model().index(0, 0).data() == "Alle Operationen"
    assert copied.splitlines()[0].endswith("Area\tOwn MCC")
    assert "All operations" in copied
    report = inspect(window.desk.workbench.state)
    assert report is not None
    assert "reference manipulated" in report.as_text()
    for name in ("hit", "false alarm"):
        assert name in svg_of(window.desk.workbench.state, QSize(900, 700)).decode()


def test_status_notices_and_undo_are_german_and_the_log_is_english(
    window: MainWindow, tmp_path: Path
) -> None:
    _open_two(window, tmp_path)
    window.desk.workbench.set_threshold(20)
    window.refresh()

    status = window.status
    assert status.place.text() == "Fall 1 von 2"
    assert status.link.text() == "Gekoppelt"
    assert status.problems.text() == "Keine Probleme"
    assert status.threshold.text().startswith("Schwelle ")
    assert "2 Fälle" in window.notice.text
    assert window.commands["edit.undo"].text() == "Rückgängig: Schwelle"
    window.commands.run("edit.undo")
    window.refresh()
    assert window.commands["edit.redo"].text() == "Wiederholen: Schwelle"
    assert "NC2017: manipulation, 2 trials" in window.logbook.text


def test_work_and_drops_are_told_in_german(window: MainWindow, tmp_path: Path) -> None:
    nothing = tmp_path / "notes.txt"
    nothing.touch()
    status = JobStatus(Lane("score"), "Wertung", 1_000, 4_000, elapsed_s=100, is_running=True)

    assert time_left(status) == "1\u202f000 von 4\u202f000, noch etwa 5 min"
    assert what_will_happen([nothing], window.desk.workbench.state) == (
        "Das kann forensicviewer nicht öffnen"
    )


def _open_two(window: MainWindow, folder: Path) -> None:
    made = a_dataset(folder).nist("NC2017").with_trial("p1", manipulated=box(4, 4, 34, 34))
    made = made.with_trial("p2", manipulated=box(10, 10, 40, 40))
    built = made.with_answer("p1", blurred()).with_answer("p2", blurred()).write()
    window.desk.open(OpenRequest(built.root, (built.submission,)))
    window.refresh()


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
