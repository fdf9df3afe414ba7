"""The large buttons of the start page: as large as their words need, in the size of the window."""

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from forensicviewer.ui.shell.welcome.offer import Offer

pytestmark = pytest.mark.ui


@pytest.fixture
def offer(qtbot: QtBot) -> Offer:
    made = Offer("Datensatz öffnen", "Ein Ordner mit Index und Referenz einer Evaluation")
    qtbot.addWidget(made)
    return made


def test_words_that_do_not_fit_one_line_make_it_higher(offer: Offer) -> None:
    wide = offer.sizeHint()

    assert offer.heightForWidth(wide.width()) == wide.height()
    assert offer.heightForWidth(wide.width() // 2) > wide.height()


def test_it_is_written_in_the_size_that_was_chosen(offer: Offer) -> None:
    before = offer.sizeHint()
    font = QApplication.font()
    font.setPointSizeF(2 * font.pointSizeF())

    offer.setFont(font)

    assert offer.sizeHint().width() > 1.5 * before.width()
    assert offer.sizeHint().height() > before.height()


def test_its_words_are_drawn(offer: Offer) -> None:
    offer.resize(offer.sizeHint())
    drawn = offer.grab().toImage()

    offer.setText("")
    offer.setDescription("")

    assert offer.grab().toImage() != drawn
