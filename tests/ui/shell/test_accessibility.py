"""Everything in the window has a key to reach it, a name to be read out, and a visible focus."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractScrollArea,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QTabBar,
    QTextEdit,
    QWidget,
)
from pytestqt.qtbot import QtBot

from forensicviewer.app.commands.view_table import PANELS
from forensicviewer.ui.dialogs.help import PerformanceDialog
from forensicviewer.ui.dialogs.settings import SettingsDialog
from forensicviewer.ui.shell.window import MainWindow
from forensicviewer.ui.widgets.theme import DARK, LIGHT, Theme, apply_theme
from tests.build import Built, a_dataset, blurred, box

pytestmark = pytest.mark.ui
TWO = {"PasteSplice": box(4, 4, 34, 34), "Heal": box(44, 10, 60, 40)}
INTERACTIVE = (
    QAbstractButton,
    QAbstractSlider,
    QAbstractSpinBox,
    QComboBox,
    QLineEdit,
    QAbstractScrollArea,
)


@pytest.fixture
def built(tmp_path: Path) -> Built:
    made = a_dataset(tmp_path).nist("NC2017").with_trial("p1", manipulated=TWO).with_trial("p2")
    return made.with_answer("p1", blurred()).with_answer("p2", blurred()).write()


def everywhere(window: MainWindow) -> Iterator[QWidget]:
    """Every widget a user can use, panel by panel."""
    seen: set[int] = set()
    for name in PANELS:
        window.show_panel(name)
        QApplication.processEvents()
        for widget in window.findChildren(QWidget):
            is_new = id(widget) not in seen
            if is_new and widget.isVisible() and widget.isEnabled():
                seen.add(id(widget))
                yield widget


def is_used_directly(widget: QWidget) -> bool:
    """Not the parts Qt makes widgets of: scroll bars, buttons in fields, corners of tables."""
    inner = widget.objectName().startswith("qt_") or isinstance(
        widget.parent(), QAbstractSpinBox | QComboBox | QLineEdit
    )
    is_scroll_bar = type(widget).__name__ == "QScrollBar"
    in_table = type(widget).__name__ == "QHeaderView" or (
        isinstance(widget, QAbstractButton) and isinstance(widget.parent(), QAbstractScrollArea)
    )
    in_tabs = isinstance(widget.parent(), QTabBar)
    return not (inner or is_scroll_bar or in_table or in_tabs)


def path_of(widget: QWidget) -> str:
    parts = []
    at: QWidget | None = widget
    while at is not None:
        parts.append(f"{type(at).__name__}:{at.objectName() or at.accessibleName()}")
        at = at.parentWidget()
    return " < ".join(parts[:4])


def spoken(widget: QWidget) -> str:
    interface = QAccessible.queryAccessibleInterface(widget)
    name = "" if interface is None else interface.text(QAccessible.Text.Name)
    return name.strip()


def test_everything_that_can_be_used_has_a_name(opened: MainWindow) -> None:
    nameless = [
        path_of(widget)
        for widget in everywhere(opened)
        if isinstance(widget, INTERACTIVE)
        and widget.focusPolicy() != Qt.FocusPolicy.NoFocus
        and is_used_directly(widget)
        and not spoken(widget)
    ]

    assert nameless == []


def test_every_picture_only_button_has_a_tip(opened: MainWindow) -> None:
    silent = [
        path_of(widget)
        for widget in everywhere(opened)
        if isinstance(widget, QAbstractButton)
        and is_used_directly(widget)
        and not widget.text()
        and not widget.toolTip()
    ]

    assert silent == []


def test_everything_the_mouse_can_use_takes_the_keyboard_too(opened: MainWindow) -> None:
    # Buttons of the toolbar and the status bar do what menus do, which have keys.
    unreachable = [
        path_of(widget)
        for widget in everywhere(opened)
        if isinstance(widget, QAbstractButton | QAbstractSlider | QComboBox)
        and is_used_directly(widget)
        and widget.focusPolicy() == Qt.FocusPolicy.NoFocus
        and not opened.toolbar.isAncestorOf(widget)
    ]

    assert unreachable == []


def picture(widget: QWidget) -> QImage:
    return widget.grab().toImage()


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_what_has_the_focus_looks_different(
    opened: MainWindow, qapp: QApplication, theme: Theme
) -> None:
    apply_theme(qapp, theme, font_scale=100)
    looks_the_same = []
    for widget in list(everywhere(opened)):
        can_focus = widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        if not (can_focus and is_used_directly(widget) and widget.isVisible()):
            continue
        opened.menuBar().setFocus()
        QApplication.processEvents()
        before = picture(widget)
        widget.setFocus(Qt.FocusReason.TabFocusReason)
        QApplication.processEvents()
        if widget.hasFocus() and picture(widget) == before:
            looks_the_same.append(path_of(widget))

    assert looks_the_same == []


def test_tab_walks_through_the_window_and_comes_back(opened: MainWindow) -> None:
    walked: list[QWidget] = []
    for _ in range(400):
        opened.focusNextChild()
        now = QApplication.focusWidget()
        assert now is not None
        if walked and now is walked[0]:
            break
        walked.append(now)

    assert len(walked) > 10
    assert QApplication.focusWidget() is walked[0]


def tab_through(window: QWidget) -> list[QWidget]:
    """Whom the Tab key leads to, in this order, until it is where it began.

    A text is the one place where Tab may mean something else than to go on.
    """
    walked: list[QWidget] = []
    for _ in range(100):
        before = QApplication.focusWidget() or window
        QTest.keyClick(before, Qt.Key.Key_Tab)
        now = QApplication.focusWidget()
        assert now is not None
        assert now is not before or isinstance(now, QPlainTextEdit | QTextEdit), path_of(now)
        if now in walked:
            return walked
        walked.append(now)
    raise AssertionError("Tab leads nowhere")


@pytest.mark.parametrize("layout", ["inspect", "annotate", "adjudicate"])
def test_the_tab_key_leaves_every_table_and_comes_round(opened: MainWindow, layout: str) -> None:
    opened.choose_layout(layout)
    opened.refresh()
    QApplication.processEvents()

    walked = tab_through(opened)

    names = {spoken(widget) for widget in walked}
    assert {"Filter trials", "Trials", "Probe pane"} <= names
    assert "" not in names
    assert len(walked) > 12


def test_the_tab_key_passes_panels_behind_other_tabs(opened: MainWindow) -> None:
    opened.choose_layout("inspect")
    opened.refresh()
    QApplication.processEvents()

    walked = tab_through(opened)

    panels = {
        name for name in PANELS for one in walked if opened.docks.docks[name].isAncestorOf(one)
    }
    assert panels == {"trials", "score", "metrics"}
    opened.show_panel("legend")
    legend = opened.docks.panel("legend")
    assert any(legend.isAncestorOf(one) for one in tab_through(opened))


def test_the_tab_key_leaves_the_table_of_timings(opened: MainWindow, qtbot: QtBot) -> None:
    opened.watch.record("Frame", 1.0)
    opened.commands.run("help.performance")
    (dialog,) = opened.findChildren(PerformanceDialog)
    dialog.activateWindow()
    qtbot.waitUntil(dialog.isActiveWindow)

    walked = tab_through(dialog)

    buttons = {one.text() for one in walked if isinstance(one, QAbstractButton)}
    assert buttons == {"Reset", "Close"}
    assert dialog.table in walked
    dialog.close()


def test_settings_are_reached_before_the_buttons_below_them(
    opened: MainWindow, qtbot: QtBot
) -> None:
    opened.commands.run("edit.settings")
    (dialog,) = opened.findChildren(SettingsDialog)
    dialog.activateWindow()
    qtbot.waitUntil(dialog.isActiveWindow)
    dialog.box.setFocus()

    walked = tab_through(dialog)

    fields = list(dialog.fields.values())
    assert walked[: len(fields) + 1] == [dialog.pages, *fields]
    dialog.close()
