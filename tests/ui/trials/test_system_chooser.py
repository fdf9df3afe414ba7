"""Submissions are chosen by name."""

from pathlib import Path

import pytest

from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.ui.shell.window import MainWindow
from forensicviewer.ui.trials.system_chooser import SystemChooser
from tests.build import Built, two_answered_trials
from tests.ui.conftest import open_trial

pytestmark = pytest.mark.ui


@pytest.fixture
def built(tmp_path: Path) -> Built:
    return two_answered_trials(tmp_path)


@pytest.fixture
def chooser(opened: MainWindow, built: Built, tmp_path: Path) -> SystemChooser:
    opened.desk.open_submissions([built.copied_submission(tmp_path / "second")])
    return opened.docks.browser.systems


def chosen(bench: Workbench) -> tuple[int, int | None]:
    return bench.state.system, bench.state.rival


def test_one_submission_is_named_and_has_nothing_beside_it(
    opened: MainWindow, built: Built
) -> None:
    chooser = opened.docks.browser.systems

    assert chooser.main.currentText() == built.submission.name
    assert not chooser.rival.isVisibleTo(opened)
    assert "condition ImgOnly" in chooser.main.toolTip()


def test_the_second_submission_is_chosen_and_put_away(
    opened: MainWindow, chooser: SystemChooser
) -> None:
    bench = opened.desk.workbench
    before = chosen(bench)

    chooser.rival.activated.emit(0)
    alone = chosen(bench)
    chooser.rival.activated.emit(1)

    assert (before, alone, chosen(bench)) == ((1, 0), (1, None), (1, 0))
    assert chooser.rival.currentIndex() == 1


def test_looking_at_the_second_one_puts_the_first_beside_it(
    opened: MainWindow, chooser: SystemChooser
) -> None:
    chooser.main.activated.emit(0)

    assert chosen(opened.desk.workbench) == (0, 1)
    assert (chooser.main.currentIndex(), chooser.rival.currentIndex()) == (0, 2)


def test_the_same_submission_is_not_compared_with_itself(
    opened: MainWindow, chooser: SystemChooser
) -> None:
    chooser.rival.activated.emit(2)

    assert chosen(opened.desk.workbench) == (0, 1)


def test_without_a_submission_there_is_nothing_to_choose(
    bench: Workbench, built: Built, qtbot: object
) -> None:
    open_trial(bench, built)
    chooser = SystemChooser(bench)
    bench.remove_submission(0)

    chooser.show_state(bench.state)

    assert chooser.isHidden()
    assert qtbot is not None


def test_names_that_begin_alike_are_told_apart_by_their_ends(chooser: SystemChooser) -> None:
    box = chooser.main
    pictures = []
    for ending in ("one", "two"):
        box.setItemText(box.currentIndex(), f"{'a-long-name-of-a-team-' * 4}{ending}")
        pictures.append(box.grab().toImage())

    assert pictures[0] != pictures[1]
