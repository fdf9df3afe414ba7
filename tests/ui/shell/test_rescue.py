"""The offer after a crash: it covers nothing, and makes way for work."""

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from forensicviewer.app.runtime.jobs import inline_jobs
from forensicviewer.app.session.desk import Desk
from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.app.session.recent import PlaceKind
from forensicviewer.app.session.session_file import autosave_path, write_session
from forensicviewer.app.settings import Settings
from forensicviewer.ui.shell.rescue import RescueOffer
from forensicviewer.ui.shell.window import MainWindow
from tests.build import Built, two_answered_trials

pytestmark = pytest.mark.ui


@pytest.fixture
def built(tmp_path: Path) -> Built:
    return two_answered_trials(tmp_path)


@pytest.fixture
def offer(opened: MainWindow) -> RescueOffer:
    """What a run that was cut off left is offered to somebody who opened something else."""
    write_session(opened.desk.session(), autosave_path())
    opened.offer_rescued()
    assert opened.offer is not None
    opened.notice.dismiss()
    return opened.offer


@pytest.mark.parametrize("width", [820, 1280])
def test_the_offer_covers_nothing_and_is_within_reach(
    opened: MainWindow, offer: RescueOffer, qtbot: QtBot, width: int
) -> None:
    opened.resize(width, 700)
    qtbot.waitUntil(lambda: opened.toolbar.width() == width)

    place = QRect(offer.mapTo(opened, QPoint()), offer.size())
    assert offer.isVisible()
    assert opened.toolbar.geometry().contains(place)
    buttons = (opened.toolbar.widgetForAction(one) for one in opened.toolbar.actions())
    others = [one for one in buttons if one is not None and one is not offer and one.isVisible()]
    assert not any(one.geometry().intersects(offer.geometry()) for one in others)


def test_escape_closes_the_offer(opened: MainWindow, offer: RescueOffer) -> None:
    QTest.keyClick(opened, Qt.Key.Key_Escape)

    assert not offer.isVisible()


def test_the_offer_makes_way_for_work_and_says_where_to_find_it(
    opened: MainWindow, offer: RescueOffer
) -> None:
    opened.commands.run("trial.next")

    assert not offer.isVisible()
    assert "Recent" in opened.statusBar().currentMessage()
    newest = opened.desk.recent.places[0]
    assert (Path(newest.path).stem, newest.kind) == ("rescued", PlaceKind.SESSION)


def test_changing_the_view_is_work_too(opened: MainWindow, offer: RescueOffer) -> None:
    opened.desk.workbench.set_threshold(17)

    assert not offer.isVisible()


def test_opening_what_was_asked_for_is_no_reason_to_withdraw_the_offer(
    window: MainWindow, built: Built, qtbot: QtBot
) -> None:
    earlier = Desk(inline_jobs(), Settings())
    earlier.open(OpenRequest(built.root))
    write_session(earlier.session(), autosave_path())
    window.offer_rescued()

    window.desk.open(OpenRequest(built.root, (built.submission,)))

    offer = window.offer
    assert offer is not None
    qtbot.waitUntil(offer.isVisible)
    assert offer.dismiss() is True


def test_closing_the_window_ends_the_offer(opened: MainWindow, offer: RescueOffer) -> None:
    opened.close()

    assert offer.dismiss() is False
