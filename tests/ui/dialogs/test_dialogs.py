"""Settings, performance, about, crash, jobs and the start page, each by itself."""

import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QLabel,
    QLineEdit,
    QMainWindow,
    QPlainTextEdit,
    QProgressBar,
    QPushButton,
    QSpinBox,
    QWidget,
)
from pytestqt.qtbot import QtBot

from forensicviewer.app.datasets.sample import SAMPLES
from forensicviewer.app.runtime.crash import report_folder
from forensicviewer.app.runtime.jobs import Jobs, JobStatus, Lane, Ticket, inline_jobs
from forensicviewer.app.session.recent import PlaceKind, Recent, RecentPlaces
from forensicviewer.app.settings import (
    FONT_SCALE,
    JUDGE,
    PALETTE,
    SETTINGS,
    THEME,
    THUMBNAILS,
    Settings,
)
from forensicviewer.core.problem import Problem, Severity
from forensicviewer.ui.dialogs.help import AboutDialog, CrashDialog, LogDialog, PerformanceDialog
from forensicviewer.ui.dialogs.settings import SettingsDialog
from forensicviewer.ui.shell.bridge import MainThreadBridge
from forensicviewer.ui.shell.jobs_panel import JobsPanel
from forensicviewer.ui.shell.start import crash_hook
from forensicviewer.ui.shell.welcome.offer import Offer
from forensicviewer.ui.shell.welcome.start_page import StartPage
from forensicviewer.ui.shell.window import MainWindow
from forensicviewer.ui.widgets.job_line import JobLine, time_left
from forensicviewer.ui.widgets.watch import WAITING, Watch

pytestmark = pytest.mark.ui
Show = Callable[..., QWidget]


def test_every_setting_has_a_field_and_a_change_counts_at_once(show: Show) -> None:
    settings = Settings()
    dialog = SettingsDialog(settings, inline_jobs())
    show(dialog)
    shown = set(dialog.fields)
    for row in range(1, dialog.pages.count()):
        dialog.pages.setCurrentRow(row)
        shown |= set(dialog.fields)
    dialog.pages.setCurrentRow(0)

    theme = dialog.fields[THEME.key]
    assert isinstance(theme, QComboBox)
    QTest.keyClick(theme, Qt.Key.Key_Down)
    scale = dialog.fields[FONT_SCALE.key]
    assert isinstance(scale, QSpinBox)
    QTest.keyClick(scale, Qt.Key.Key_Up)

    assert shown == {setting.key for setting in SETTINGS}
    assert (settings.of(THEME), settings.of(FONT_SCALE)) == ("light", 101)
    assert Settings().of(FONT_SCALE) == 101


def test_settings_are_found_by_a_word_and_reset_by_page(show: Show) -> None:
    settings = Settings()
    dialog = SettingsDialog(settings, inline_jobs())
    show(dialog)

    dialog.box.setText("thumbnails")
    check = dialog.fields[THUMBNAILS.key]
    assert isinstance(check, QCheckBox)
    check.click()
    dialog.box.setText("judge")
    line = dialog.fields[JUDGE.key]
    assert isinstance(line, QLineEdit)
    QTest.keyClicks(line, "Ada")

    assert (settings.of(THUMBNAILS), settings.of(JUDGE)) == (False, "Ada")
    dialog.box.clear()
    dialog.pages.setCurrentRow(1)
    next(b for b in dialog.findChildren(QPushButton) if "Reset" in b.text()).click()
    assert (settings.of(THUMBNAILS), settings.of(JUDGE)) == (True, "Ada")


def test_settings_are_found_by_several_words_and_by_what_can_be_chosen(show: Show) -> None:
    dialog = SettingsDialog(Settings(), inline_jobs())
    show(dialog)

    dialog.box.setText("size text")
    by_words = set(dialog.fields)
    dialog.box.setText("okabe")

    assert by_words == {FONT_SCALE.key}
    assert set(dialog.fields) == {PALETTE.key}


def test_what_was_found_is_reset_and_nothing_else_and_a_page_ends_the_search(show: Show) -> None:
    settings = Settings()
    settings.change(FONT_SCALE, 120)
    settings.change(THUMBNAILS, value=False)
    dialog = SettingsDialog(settings, inline_jobs())
    show(dialog)
    dialog.pages.setCurrentRow(1)

    dialog.box.setText("text size")
    chosen = dialog.pages.currentRow()
    next(b for b in dialog.findChildren(QPushButton) if b.text() == "Reset these").click()
    dialog.pages.setCurrentRow(1)

    assert chosen == -1
    assert (settings.of(FONT_SCALE), settings.of(THUMBNAILS)) == (100, False)
    assert dialog.box.text() == ""
    assert THUMBNAILS.key in dialog.fields


def test_performance_lists_what_was_measured_worst_first(show: Show, qtbot: QtBot) -> None:
    watch = Watch()
    for elapsed_ms in (1.0, 3.0, 2.0):
        watch.record("Frame", elapsed_ms)
    watch.record("Key", 9.0)
    assert watch.longest_ms == 9.0
    parent = QWidget()
    qtbot.addWidget(parent)
    dialog = PerformanceDialog(watch, parent)
    show(dialog)

    cells = [[dialog.table.item(r, c).text() for c in range(5)] for r in range(2)]  # type: ignore[union-attr]

    assert cells == [["Key", "1", "9.0", "9.0", "9.0"], ["Frame", "3", "2.0", "3.0", "2.0"]]
    dialog.close()


def test_while_performance_is_open_waiting_is_measured(show: Show, qtbot: QtBot) -> None:
    watch = Watch()
    parent = QWidget()
    qtbot.addWidget(parent)
    dialog = PerformanceDialog(watch, parent)
    show(dialog)

    qtbot.waitUntil(lambda: watch.timings() != [])

    assert [timing.name for timing in watch.timings()] == [WAITING]
    dialog.close()


def test_about_tells_versions_and_licences(show: Show, qtbot: QtBot) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    dialog = AboutDialog(inline_jobs(), parent)
    show(dialog)

    next(b for b in dialog.findChildren(QPushButton) if "Copy" in b.text()).click()

    copied = QGuiApplication.clipboard().text()
    assert "numpy: 2" in copied
    assert "video, sound: FFmpeg" in copied
    lock = "active (" if sys.platform == "linux" else "not active"
    assert f"lock of decoders: {lock}" in dialog._decoders.toPlainText()
    assert dialog._decoders.toPlainText() in copied
    dialog.close()


def test_a_bug_becomes_a_report_to_copy(qtbot: QtBot, capsys: pytest.CaptureFixture[str]) -> None:
    window = QMainWindow()
    qtbot.addWidget(window)
    with pytest.raises(ZeroDivisionError) as caught:
        int("1") / int("0")

    crash_hook(window)(caught.type, caught.value, caught.tb)

    (dialog,) = window.findChildren(CrashDialog)
    next(b for b in dialog.findChildren(QPushButton) if "Copy" in b.text()).click()
    assert "ZeroDivisionError" in QGuiApplication.clipboard().text()
    assert "ZeroDivisionError" in capsys.readouterr().err
    assert sys.excepthook is not None
    dialog.close()


def test_a_bug_that_comes_with_every_frame_is_told_once(
    qtbot: QtBot, capsys: pytest.CaptureFixture[str]
) -> None:
    window = QMainWindow()
    qtbot.addWidget(window)
    window.show()
    hook = crash_hook(window)

    def divide(by: str) -> None:
        with pytest.raises(ArithmeticError) as caught:
            int("1") / int(by)
        hook(caught.type, caught.value, caught.tb)

    def look_up() -> None:
        with pytest.raises(KeyError) as caught:
            dict[str, str]()["nothing"]
        hook(caught.type, caught.value, caught.tb)

    for _ in range(3):
        divide("0")
        look_up()

    (dialog,) = window.findChildren(CrashDialog)
    (field,) = dialog.findChildren(QPlainTextEdit)
    reports = field.toPlainText()
    assert (reports.count("ZeroDivisionError"), reports.count("KeyError")) == (1, 1)
    assert len(list(report_folder().glob("crash-*.txt"))) == 2
    assert "same bug" in window.statusBar().currentMessage()
    assert "ZeroDivisionError" in capsys.readouterr().err
    dialog.close()


def test_the_log_is_read_and_copied_while_it_grows(window: MainWindow) -> None:
    window.commands.run("help.log")
    (dialog,) = window.findChildren(LogDialog)

    window.desk.workbench.report([Problem(Severity.ERROR, "broken", "x.csv:3")])
    dialog.refresh()
    next(b for b in dialog.findChildren(QPushButton) if b.text() == "Copy").click()

    assert "x.csv:3: broken" in dialog.field.toPlainText()
    assert QGuiApplication.clipboard().text() == window.logbook.text
    dialog.close()


def test_a_running_job_shows_its_progress_and_can_be_cancelled(show: Show, qtbot: QtBot) -> None:
    started = threading.Event()
    bridge = MainThreadBridge()
    jobs = Jobs(ThreadPoolExecutor(1), bridge.post, lambda _error: None)

    def work(ticket: Ticket) -> None:
        ticket.report(3, 10)
        started.set()
        while True:
            ticket.check()

    jobs.submit_long(Lane("open"), work, lambda _: None, title="Opening NC2017")
    assert started.wait(5)
    panel = JobsPanel(jobs)
    show(panel)
    page = StartPage(RecentPlaces(), jobs, run=lambda _: None, open_recent=lambda _: None)
    show(page)
    qtbot.waitUntil(page.progress.isVisible)

    (bar,) = panel.findChildren(QProgressBar)
    assert (bar.value(), bar.maximum(), bar.accessibleName()) == (3, 10, "Opening NC2017")
    panel.findChildren(QPushButton)[0].click()
    qtbot.waitUntil(lambda: not jobs.is_busy())
    panel.refresh()
    assert panel._lines == {}
    jobs.close()


@pytest.mark.parametrize(
    ("done", "elapsed_s", "told"),
    [
        (0, 3.0, "3 s"),
        (10, 20.0, "10 of 40, about 60 s left"),
        (1, 20.0, "1 of 40, about 13 min left"),
    ],
)
def test_long_jobs_say_how_long_they_will_take(done: int, elapsed_s: float, told: str) -> None:
    status = JobStatus(Lane("open"), "x", done, 40, is_running=True, elapsed_s=elapsed_s)

    assert time_left(status) == told


def test_a_job_in_a_narrow_place_keeps_its_name_and_time_apart(
    show: Callable[..., QWidget],
) -> None:
    line = JobLine(lambda: None)
    line.tell(
        JobStatus(Lane("open"), "Preparing the sample", 20, 24, is_running=True, elapsed_s=15)
    )

    show(line, 380, 60)

    title, time = line.findChildren(QLabel)
    bar = line.findChildren(QProgressBar)[0]
    assert title.width() >= title.sizeHint().width()
    assert time.width() >= time.sizeHint().width()
    assert bar.y() > title.geometry().bottom()


def test_other_samples_are_opened_one_by_one(qtbot: QtBot) -> None:
    opened: list[str] = []
    page = StartPage(
        *(RecentPlaces(), inline_jobs()),
        run=lambda _: None,
        open_recent=lambda _: None,
        open_sample=opened.append,
    )
    qtbot.addWidget(page)
    button = page.findChild(QPushButton, "samples")
    assert button is not None

    menu = button.menu()
    assert [action.objectName() for action in menu.actions()] == list(SAMPLES)
    menu.actions()[-1].trigger()

    assert opened == ["MFC2019_Plan"]
    assert "MB" in menu.actions()[0].text()


def test_the_start_page_runs_commands_and_opens_recent_places(show: Show, tmp_path: Path) -> None:
    recent = RecentPlaces()
    for n in range(12):
        (tmp_path / f"d{n}").mkdir()
        recent.add(tmp_path / f"d{n}", PlaceKind.DATASET)
    ran: list[str] = []
    chosen: list[Recent] = []
    page = StartPage(recent, inline_jobs(), run=ran.append, open_recent=chosen.append)
    show(page)

    page.findChildren(Offer)[2].click()
    first = page.list.visualItemRect(page.list.item(0)).center()
    QTest.mouseClick(page.list.viewport(), Qt.MouseButton.LeftButton, pos=first)

    assert page.list.count() == 12
    assert ran == ["file.open_sample"]
    assert chosen[0].path == str(tmp_path / "d11")


def test_where_a_recent_place_lies_is_fainter_than_its_name(show: Show, tmp_path: Path) -> None:
    recent = RecentPlaces()
    recent.add(tmp_path, PlaceKind.DATASET)
    page = StartPage(recent, inline_jobs(), run=lambda _: None, open_recent=lambda _: None)
    show(page)

    drawn = page.list.grab(page.list.visualItemRect(page.list.item(0))).toImage()

    darkest = [
        min(
            drawn.pixelColor(x, y).lightness()
            for x in range(40, drawn.width())
            for y in range(top, top + drawn.height() // 2)
        )
        for top in (0, drawn.height() // 2)
    ]
    assert darkest[0] < darkest[1] < 200


def test_the_start_page_offers_to_forget_only_what_it_can(show: Show, tmp_path: Path) -> None:
    recent = RecentPlaces()
    recent.add(tmp_path, PlaceKind.DATASET)
    page = StartPage(recent, inline_jobs(), run=lambda _: None, open_recent=lambda _: None)
    show(page)
    (clear,) = [button for button in page.findChildren(QPushButton) if button.text() == "Clear"]

    assert clear.isVisible()
    QTest.mouseClick(clear, Qt.MouseButton.LeftButton)

    assert (page.list.count(), clear.isVisible()) == (0, False)
