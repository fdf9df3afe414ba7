"""The window as a user meets it: real clicks and keys, jobs inline."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QContextMenuEvent, QDragEnterEvent, QDropEvent, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QFileDialog,
    QLineEdit,
    QMenu,
    QPushButton,
    QSpinBox,
    QTabBar,
    QWidget,
)
from pytestqt.qtbot import QtBot

from forensicviewer.app.commands.table import COMMANDS
from forensicviewer.app.commands.view_table import PANELS
from forensicviewer.app.runtime.jobs import inline_jobs
from forensicviewer.app.session.desk import Desk
from forensicviewer.app.settings import Settings
from forensicviewer.app.trials.score_columns import MCC
from forensicviewer.app.trials.trial_filter import Sort
from forensicviewer.app.workbench.scope import Scope
from forensicviewer.app.workbench.state import Change, Layer
from forensicviewer.core.problem import Problem, Severity
from forensicviewer.core.verdict import Ruling
from forensicviewer.ui.dialogs.key_sheet import KeySheet
from forensicviewer.ui.judging.adjudicator import AdjudicatorPanel
from forensicviewer.ui.shell.docks import LAYOUTS
from forensicviewer.ui.shell.problems import ProblemsPanel
from forensicviewer.ui.shell.welcome.offer import Offer
from forensicviewer.ui.shell.window import MainWindow
from forensicviewer.ui.trials.browser import TrialBrowser
from forensicviewer.ui.widgets.panel import Panel
from tests.build import Built, a_dataset, blurred, box, exact, nothing

pytestmark = pytest.mark.ui


@pytest.fixture
def built(tmp_path: Path) -> Built:
    return (
        a_dataset(tmp_path)
        .nist("NC2017")
        .with_trial("p1", manipulated=box(10, 10, 40, 40))
        .with_trial("p2", manipulated=box(5, 5, 30, 30))
        .with_trial("p3", manipulated=box(20, 8, 50, 40))
        .with_trial("p4")
        .with_answer("p1", blurred(5), confidence="0.9")
        .with_answer("p2", nothing(), confidence="0.2")
        .with_answer("p3", exact(), confidence="0.7")
        .with_answer("p4", nothing(), confidence="0.1")
        .write()
    )


def browser_of(window: MainWindow) -> TrialBrowser:
    found = window.docks.panel("trials")
    assert isinstance(found, TrialBrowser)
    return found


def current(window: MainWindow) -> str | None:
    return window.desk.workbench.state.trial_id


def all_menus(window: MainWindow) -> list[QMenu]:
    return list(window.commands.menus.values())


def test_an_empty_window_offers_what_can_be_opened(window: MainWindow) -> None:
    offers = [button.text() for button in window.start_page.findChildren(Offer)]

    samples = ["Open sample", "Open GenAI sample", "Open IMDL sample"]
    assert offers == ["Open dataset", "Open submission", *samples, "Open session"]
    assert window.page is None
    assert not window.commands.is_available("trial.next")


def test_every_command_stands_in_a_menu_and_does_something(opened: MainWindow) -> None:
    everywhere = {c.id for c in COMMANDS if c.scope in (Scope.WINDOW, Scope.STILLS)}

    shown = {action.objectName() for menu in all_menus(opened) for action in menu.actions()}

    assert shown >= {command.id for command in COMMANDS}
    assert everywhere - opened.commands.bound == set()


def test_every_action_has_a_tip_that_names_its_key(window: MainWindow) -> None:
    tips = {command.id: window.commands[command.id].toolTip() for command in COMMANDS}

    assert "(Ctrl+O)" in tips["file.open_dataset"]
    assert all(tips.values())


def test_an_opened_dataset_says_what_it_is(opened: MainWindow) -> None:
    assert opened.windowTitle().startswith("NC2017")
    assert opened.page is not None
    assert opened.status.place.text() == "Trial 1 of 4"
    assert opened.notice.text.startswith("NC2017: manipulation, 4 trials")


def test_clicking_a_row_opens_its_trial(opened: MainWindow) -> None:
    table = browser_of(opened).table
    middle = table.visualRect(browser_of(opened).model.index(2, 0)).center()

    QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=middle)

    assert current(opened) == "p3"
    assert opened.status.place.text() == "Trial 3 of 4"


def test_arrow_keys_walk_the_list(opened: MainWindow) -> None:
    table = browser_of(opened).table
    table.setFocus()

    for key in (Qt.Key.Key_Down, Qt.Key.Key_Right, Qt.Key.Key_Left):
        QTest.keyClick(table, key)

    assert current(opened) == "p2"


def test_n_and_p_walk_from_anywhere_and_w_goes_to_the_worst(opened: MainWindow) -> None:
    seen = []

    for key in (Qt.Key.Key_N, Qt.Key.Key_N, Qt.Key.Key_P, Qt.Key.Key_W):
        QTest.keyClick(opened, key)
        seen.append(current(opened))

    assert seen == ["p2", "p3", "p2", "p2"]


def test_clicking_a_header_sorts_worst_first_then_best_first_then_not(opened: MainWindow) -> None:
    browser = browser_of(opened)
    header = browser.table.horizontalHeader()
    at = header.sectionViewportPosition(browser.model.names.index(MCC)) + 20

    sorts = []
    for _ in range(3):
        QTest.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(at, 10))
        sorts.append(opened.desk.trials.sort)

    assert sorts == [Sort(MCC), Sort(MCC, descending=True), Sort()]


def test_typing_into_the_filter_box_filters_and_fires_no_shortcut(opened: MainWindow) -> None:
    box_ = browser_of(opened).filter_box
    QTest.keyClick(opened, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)

    QTest.keyClicks(box_, "IsTarget == 'N' and MCCn")
    assert current(opened) == "p1"
    for _ in range(9):
        QTest.keyClick(box_, Qt.Key.Key_Backspace)
    QTest.keyClick(box_, Qt.Key.Key_Return)

    assert box_.text() == "IsTarget == 'N'"
    assert opened.desk.trials.id_at(0) == "p4"
    assert len(opened.desk.trials) == 1
    assert opened.status.filter.isVisible()
    QTest.keyClick(opened, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClick(box_, Qt.Key.Key_Escape)
    assert len(opened.desk.trials) == 4


def test_a_filter_nobody_can_read_is_marked_and_explained(opened: MainWindow) -> None:
    browser = browser_of(opened)

    QTest.keyClicks(browser.filter_box, "Nonsense == 3")
    browser.apply_filter()

    assert browser.filter_box.property("wrong") is True
    assert "Nonsense" in browser._message.text()
    browser.clear_filter()
    assert browser.filter_box.property("wrong") is False


@pytest.mark.parametrize("field", [QLineEdit, QSpinBox])
def test_no_letter_fires_while_a_text_field_has_the_focus(
    opened: MainWindow, field: type[QWidget]
) -> None:
    typed = field(opened)
    typed.show()
    typed.setFocus()

    for key in (Qt.Key.Key_N, Qt.Key.Key_W, Qt.Key.Key_1, Qt.Key.Key_H):
        QTest.keyClick(typed, key)

    assert current(opened) == "p1"
    assert opened.desk.workbench.state.look.has_overlays
    assert opened.desk.workbench.state.arrangement.maximised is None


def test_ticking_a_facet_filters(opened: MainWindow, qtbot: QtBot) -> None:
    browser = browser_of(opened)
    tops = {top.text(0): top for top in browser.facets._tops()}
    value = tops["Target"].child(1)
    assert value is not None

    value.setCheckState(0, Qt.CheckState.Checked)
    qtbot.waitUntil(lambda: len(opened.desk.trials) == 1)

    assert opened.desk.trials.filter.chosen == {"Target": frozenset({"N"})}


def test_undo_names_what_it_takes_back(opened: MainWindow) -> None:
    opened.desk.workbench.set_threshold(10)
    opened.refresh()
    assert opened.commands["edit.undo"].text() == "Undo threshold"

    opened.commands.run("edit.undo")
    opened.refresh()

    assert opened.commands["edit.redo"].text() == "Redo threshold"
    assert not opened.commands.is_available("edit.undo")
    assert opened.notice.text == "Undone: threshold"


@pytest.mark.parametrize(
    ("layout", "shown", "second"),
    [
        ("inspect", {"trials", "score", "metrics"}, Layer.REFERENCE),
        ("annotate", {"operations", "legend", "adjudicator"}, Layer.REFERENCE),
        ("adjudicate", {"trials", "adjudicator", "problems"}, Layer.COMPARISON),
    ],
)
def test_a_layout_shows_its_panels_and_panes(
    opened: MainWindow, layout: str, shown: set[str], second: Layer
) -> None:
    opened.resize(1200, 1000)

    opened.commands.run(f"layout.{layout}")

    docks = opened.docks.docks
    assert {name for name in shown if docks[name].isHidden()} == set()
    assert opened.desk.workbench.state.arrangement.panes[1].layer is second
    assert opened.commands[f"layout.{layout}"].isChecked()


def test_resetting_a_layout_brings_closed_panels_back(opened: MainWindow) -> None:
    opened.docks.docks["trials"].close()

    opened.commands.run("layout.reset")

    assert not opened.docks.docks["trials"].isHidden()


def test_a_drop_is_announced_and_opened(
    window: MainWindow, built: Built, drop: Callable[[MainWindow, list[Path]], str]
) -> None:
    said = drop(window, [built.root, built.submission])

    assert said.startswith("Open NC2017 as dataset")
    assert window.desk.workbench.state.submission is not None
    assert not window._sheet.isVisible()


def test_a_lone_submission_is_told_what_it_needs(
    window: MainWindow, built: Built, drop: Callable[[MainWindow, list[Path]], str]
) -> None:
    said = drop(window, [built.submission])

    assert "needs its dataset" in said
    assert window.desk.workbench.state.dataset is None
    assert "needs its dataset" in window.notice.text


def test_a_dropped_picture_leads_to_its_trial(
    opened: MainWindow, built: Built, drop: Callable[[MainWindow, list[Path]], str]
) -> None:
    said = drop(opened, [next(built.root.rglob("probe/p2.*"))])

    assert (said, opened.desk.workbench.state.trial_id) == ("Go to trial p2", "p2")


def test_who_offers_files_to_be_moved_keeps_them(window: MainWindow, built: Built) -> None:
    dropped = QMimeData()
    dropped.setUrls([QUrl.fromLocalFile(str(built.root))])
    offered = Qt.DropAction.CopyAction | Qt.DropAction.MoveAction
    left, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(QPoint(50, 50), offered, dropped, left, none)
    let_go = QDropEvent(QPointF(50, 50), offered, dropped, left, none)
    for event in (enter, let_go):
        event.setDropAction(Qt.DropAction.MoveAction)

        QApplication.sendEvent(window, event)

        assert event.isAccepted()
        assert event.dropAction() is Qt.DropAction.CopyAction


@pytest.fixture
def drop() -> Callable[[MainWindow, list[Path]], str]:
    def drop_paths(window: MainWindow, paths: list[Path]) -> str:
        dropped = QMimeData()
        dropped.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
        action, button = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
        none = Qt.KeyboardModifier.NoModifier
        QApplication.sendEvent(
            window, QDragEnterEvent(QPoint(50, 50), action, dropped, button, none)
        )
        said = window._sheet.label.text()
        QApplication.sendEvent(window, QDropEvent(QPointF(50, 50), action, dropped, button, none))
        return said

    return drop_paths


def test_the_recent_list_opens_again_and_greys_what_is_gone(
    opened: MainWindow, tmp_path: Path, built: Built
) -> None:
    gone = tmp_path / "gone"
    from forensicviewer.app.session.recent import PlaceKind

    opened.desk.recent.add(gone, PlaceKind.DATASET)
    opened.commands.run("file.close_dataset")
    opened.refresh()
    page = opened.start_page

    flags = [page.list.item(i).flags() for i in range(page.list.count())]
    assert opened.stack.currentWidget() is page
    assert [bool(flag & Qt.ItemFlag.ItemIsEnabled) for flag in flags] == [False, True, True]
    page.list.itemActivated.emit(page.list.item(2))
    assert opened.desk.workbench.state.dataset is not None
    assert built.root.exists()


def test_a_double_click_on_a_problem_goes_to_its_trial(opened: MainWindow) -> None:
    opened.desk.workbench.report([Problem(Severity.WARNING, "odd", "mask/p3.png", "look")])
    panel = opened.docks.panel("problems")
    assert isinstance(panel, ProblemsPanel)

    item = panel.tree.topLevelItem(0)
    panel.tree.itemActivated.emit(item, 0)
    panel.copy()

    assert current(opened) == "p3"
    assert QGuiApplication.clipboard().text().splitlines()[1] == "warning\todd\tmask/p3.png\tlook"
    assert "1 warning" in opened.status.problems.text()


def test_an_error_stays_until_it_is_read(window: MainWindow) -> None:
    window.desk.workbench.report([Problem(Severity.ERROR, "broken", "x.csv:3", "mend it")])

    assert "broken" in window.notice.text
    assert "Mend it" in window.notice.text
    assert not window.notice._timer.isActive()


def test_the_details_of_an_error_can_be_copied(window: MainWindow) -> None:
    problem = Problem(Severity.ERROR, "broken", "x.csv:3", "mend it", "table-broken")
    window.desk.workbench.report([problem])
    (copy,) = (b for b in window.notice.findChildren(QPushButton) if b.text() == "Copy details")

    QTest.mouseClick(copy, Qt.MouseButton.LeftButton)

    copied = QGuiApplication.clipboard().text()
    assert "error: x.csv:3: broken (mend it) [table-broken]" in copied
    assert "forensicviewer" in copied


def test_a_lone_submission_opens_with_the_dataset_it_is_given(
    window: MainWindow, built: Built, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = lambda *_arguments, **_options: str(built.root)  # noqa: E731
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", given)
    window.desk.open_paths([built.submission])
    (choose,) = (b for b in window.notice.findChildren(QPushButton) if "dataset" in b.text())

    QTest.mouseClick(choose, Qt.MouseButton.LeftButton)

    assert window.desk.workbench.state.submission is not None


def test_a_verdict_is_given_by_key_and_shown(opened: MainWindow) -> None:
    panel = opened.docks.panel("adjudicator")
    assert isinstance(panel, AdjudicatorPanel)
    panel.note.setPlainText("mask is shifted")

    QTest.keyClick(opened, Qt.Key.Key_2, Qt.KeyboardModifier.ControlModifier)

    standing = opened.desk.judging.standing
    assert standing is not None
    assert standing.verdicts[0].note == "mask is shifted"
    assert panel.buttons[Ruling.REFERENCE_WRONG].isChecked()
    assert browser_of(opened).model.index(0, 7).data() == "Reference is wrong"


@pytest.mark.parametrize(("name", "begins"), [("a.png", b"\x89PNG"), ("a.svg", b"<?xml")])
def test_the_view_is_written_as_picture_or_drawing(
    opened: MainWindow, tmp_path: Path, name: str, begins: bytes
) -> None:
    opened.window_commands.files.export_view(tmp_path / name)

    assert (tmp_path / name).read_bytes().startswith(begins)
    assert name in opened.notice.text


def test_a_file_that_cannot_be_written_is_a_problem(opened: MainWindow, tmp_path: Path) -> None:
    opened.window_commands.files.export_trials(tmp_path / "trials.csv")
    opened.window_commands.files.export_view(tmp_path / "no such folder" / "a.png")

    assert (tmp_path / "trials.csv").read_text().startswith("Trial,Target,MCC,Confidence")
    assert "could not be written" in opened.desk.workbench.state.problems[-1].message


def test_the_key_sheet_finds_changes_and_refuses(opened: MainWindow) -> None:
    opened.commands.run("help.keys")
    sheet = next(w for w in QApplication.topLevelWidgets() if isinstance(w, KeySheet))
    following = next(command for command in COMMANDS if command.id == "trial.next")

    refused = sheet.change_keys(following, ("W",))
    told = sheet.message.text()
    done = sheet.change_keys(following, ("Ctrl+J",))

    assert (refused, done) == (False, True)
    assert "Next worst trial" in told
    assert opened.commands["trial.next"].shortcut().toString() == "Ctrl+J"
    sheet.box.setText("ctrl+j")
    found = sheet.tree.model().index(0, 0, sheet.tree.model().index(0, 0))
    assert found.data() == "Next trial"
    sheet.close()


def test_a_key_two_commands_were_given_is_told_and_all_keys_are_reset(opened: MainWindow) -> None:
    opened.desk.settings.change_shortcuts({"file.quit": ("N",)})
    opened.commands.run("help.keys")
    (sheet,) = opened.findChildren(KeySheet)

    told = sheet.message.text()
    keys = [opened.commands[name].shortcut().toString() for name in ("file.quit", "trial.next")]
    sheet.reset_keys()

    assert told == "N is assigned to both “Quit” and “Next trial”"
    assert keys == ["N", ""]
    assert opened.commands["trial.next"].shortcut().toString() == "N"
    assert opened.desk.settings.shortcuts == {}
    sheet.close()


def test_a_dialog_asked_for_twice_is_there_once(opened: MainWindow) -> None:
    for _ in range(2):
        for name in ("help.keys", "help.log", "help.performance"):
            opened.commands.run(name)

    dialogs = opened.findChildren(QDialog)
    assert sorted(type(one).__name__ for one in dialogs) == [
        "KeySheet",
        "LogDialog",
        "PerformanceDialog",
    ]
    for dialog in dialogs:
        dialog.close()


def test_a_button_that_cannot_be_pressed_says_why(window: MainWindow) -> None:
    tip = window.commands["file.export_view"].toolTip()

    assert tip.endswith("Not now: open a dataset first")


def test_a_question_mark_opens_the_key_sheet(opened: MainWindow, qtbot: QtBot) -> None:
    QTest.keyClick(opened, Qt.Key.Key_Question)

    (sheet,) = opened.findChildren(KeySheet)
    qtbot.waitUntil(sheet.isVisible)
    QTest.keyClicks(sheet.box, "next tr")
    QTest.keyClick(sheet.box, Qt.Key.Key_Down)

    assert sheet.tree.currentIndex().data() == "Next trial"
    assert sheet.focusWidget() is sheet.tree
    sheet.close()


def test_panels_are_listed_in_the_view_menu(opened: MainWindow) -> None:
    panels = next(
        action.menu()
        for action in opened.commands.menus["View"].actions()
        if action.text() == "Panels"
    )
    assert isinstance(panels, QMenu)

    titles = [action.text() for action in panels.actions()]

    assert titles == list(PANELS.values())


def test_a_right_click_on_a_picture_offers_what_can_be_done_there(
    opened: MainWindow, qtbot: QtBot
) -> None:
    page = opened.page
    assert page is not None
    middle = page.mapToGlobal(page.rect().center())

    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, QPoint(1, 1), middle)
    QApplication.sendEvent(opened, event)

    menu = next(m for m in opened.findChildren(QMenu) if m.isVisible())
    assert "Copy view" in [action.text() for action in menu.actions()]
    menu.close()
    qtbot.waitUntil(lambda: not any(m.isVisible() for m in opened.findChildren(QMenu)))


def test_changing_the_theme_redraws_the_window(opened: MainWindow, qtbot: QtBot) -> None:
    def lights() -> tuple[int, int]:
        drawn = opened.grab().toImage()
        corner = drawn.pixelColor(3, opened.height() - 3).lightness()
        button = opened.toolbar.widgetForAction(opened.commands["file.open_dataset"])
        inks = button.grab().toImage()
        found = [inks.pixelColor(x, 14).lightness() for x in range(inks.width())]
        return corner, max(found, key=lambda light: abs(light - corner))

    opened.commands.run("theme.dark")
    qtbot.waitUntil(lambda: lights()[0] < 60 and lights()[1] > 180)
    opened.commands.run("theme.light")
    qtbot.waitUntil(lambda: lights()[0] > 200 and lights()[1] < 80)


def test_saved_filters_come_back(opened: MainWindow) -> None:
    opened.desk.trials.set_text("IsTarget == 'N'")
    opened.desk.settings.save_filter("genuine", opened.desk.trials.filter.as_document())
    opened.commands.run("edit.clear_filter")
    browser = browser_of(opened)

    browser._saved_button.click()
    menu = next(m for m in browser.findChildren(QMenu) if m.isVisible())
    next(action for action in menu.actions() if action.text() == "genuine").trigger()
    menu.close()

    assert opened.desk.trials.id_at(0) == "p4"
    assert browser.filter_box.text() == "IsTarget == 'N'"


def test_everything_can_be_reached_with_the_keyboard(opened: MainWindow) -> None:
    browser = browser_of(opened)

    fields = (browser.filter_box, browser.table, browser.facets.tree)

    assert all(field.focusPolicy() & Qt.FocusPolicy.TabFocus for field in fields)
    assert all(field.accessibleName() for field in fields)


def test_a_closed_window_leaves_a_session_that_restores(opened: MainWindow, qtbot: QtBot) -> None:
    QTest.keyClick(opened, Qt.Key.Key_N)
    opened.commands.run("layout.adjudicate")
    opened.close()

    again = MainWindow(Desk(inline_jobs(), Settings()))
    qtbot.addWidget(again)
    again.desk.restore_last()

    assert current(again) == "p2"
    assert again.desk.layout == "adjudicate"


def test_changing_layouts_leaves_one_tab_bar_for_each_place_with_tabs(opened: MainWindow) -> None:
    direct = Qt.FindChildOption.FindDirectChildrenOnly

    def tabs() -> list[list[str]]:
        QApplication.processEvents()
        bars = [bar for bar in opened.findChildren(QTabBar, options=direct) if bar.isVisible()]
        shown = [[bar.tabText(i) for i in range(bar.count())] for bar in bars]
        return sorted(titles for titles in shown if titles)

    def wanted(name: str) -> list[list[str]]:
        places = [place for side in LAYOUTS[name].sides for place in side if len(place) > 1]
        return sorted([PANELS[panel] for panel in place] for place in places)

    for name in ("annotate", "inspect", "annotate", "inspect"):
        opened.commands.run(f"layout.{name}")
        assert tabs() == wanted(name)


def test_a_panel_nobody_sees_rests_until_it_is_shown(
    opened: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    panel = opened.docks.panel("legend")
    assert isinstance(panel, Panel)
    opened.commands.run("layout.annotate")
    opened.commands.run("layout.graph")
    seen: list[Change] = []
    monkeypatch.setattr(panel, "follow", lambda _state, change: seen.append(change))

    opened.desk.workbench.set_threshold(77)
    assert seen == []
    opened.docks.show("legend")

    assert Change.THRESHOLD in seen[0]
