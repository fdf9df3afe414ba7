"""Tool tips name the keys that are bound now, not those the program came with."""

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.core.verdict import Ruling
from forensicviewer.ui.panes.page import StillsPage
from forensicviewer.ui.shell.window import MainWindow
from forensicviewer.ui.video.page import VideoPage
from forensicviewer.ui.widgets.key_names import as_menu_text, usual_keys, with_keys
from tests.build import two_answered_trials
from tests.video_build import a_video_dataset

pytestmark = pytest.mark.ui


def tips_of(window: MainWindow) -> list[str]:
    page = window.page
    assert isinstance(page, VideoPage)
    bar = page.transport
    return [bar.play.toolTip(), bar.back.toolTip(), bar.first.toolTip()]


def open_video(window: MainWindow, folder: Path, qtbot: QtBot) -> None:
    built = a_video_dataset(folder)
    window.desk.open(OpenRequest(built.root, (built.submission,)))
    qtbot.waitUntil(lambda: isinstance(window.page, VideoPage))


def test_a_command_says_its_first_two_keys() -> None:
    assert with_keys("Next frame", usual_keys("video.frame_forward")) == "Next frame (. or Right)"
    assert with_keys("Play", ("P",)) == "Play (P)"
    assert with_keys("Play", ()) == "Play"


def test_the_transport_follows_keys_that_are_bound_while_it_is_shown(
    window: MainWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    open_video(window, tmp_path, qtbot)
    before = tips_of(window)

    window.desk.settings.change_shortcuts({"video.play": ("P",), "video.frame_back": ()})

    assert before == ["Play or pause (Space)", "Previous frame (, or Left)", "First frame (Home)"]
    assert tips_of(window) == ["Play or pause (P)", "Previous frame", "First frame (Home)"]
    page = window.page
    assert isinstance(page, VideoPage)
    assert page.transport.play.accessibleName() == "Play or pause"


def test_the_transport_names_keys_that_were_bound_before_it_was_made(
    window: MainWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    window.desk.settings.change_shortcuts({"video.play": ("P",)})

    open_video(window, tmp_path, qtbot)

    assert tips_of(window)[0] == "Play or pause (P)"


def test_verdicts_and_the_empty_list_name_the_users_keys(
    window: MainWindow, tmp_path: Path
) -> None:
    window.desk.open(OpenRequest(two_answered_trials(tmp_path).root))
    sound = window.docks.adjudicator.buttons[Ruling.SOUND]
    before = sound.toolTip()

    window.desk.settings.change_shortcuts(
        {f"verdict.{Ruling.SOUND.value}": ("Alt+1",), "edit.clear_filter": ("Ctrl+Shift+U",)}
    )
    window.desk.trials.set_text("nothing like it")

    assert before.endswith("(Ctrl+1)")
    assert sound.toolTip().endswith("(Alt+1)")
    assert "Ctrl+Shift+U" in window.docks.browser.table.says_if_empty


def test_the_bar_of_a_comparison_names_the_key_that_ends_it(
    window: MainWindow, tmp_path: Path
) -> None:
    window.desk.open(OpenRequest(two_answered_trials(tmp_path).root))
    page = window.page
    assert isinstance(page, StillsPage)
    before = page.compare_bar._close.toolTip()

    window.desk.settings.change_shortcuts({"compare.off": ("Ctrl+Q",)})

    assert (before, page.compare_bar._close.toolTip()) == (
        "Stop comparing (Esc)",
        "Stop comparing (Ctrl+Q)",
    )


def test_a_users_words_make_one_line_of_a_menu() -> None:
    assert as_menu_text("faces & hands") == "faces && hands"
    assert as_menu_text("two\nlines\tand a tab") == "two lines and a tab"
    assert as_menu_text("a" * 500 + "end") == "a" * 30 + "…" + "a" * 17 + "end"
