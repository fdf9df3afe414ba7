"""A line in the verdict panel: which review is open, and how far it is."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from forensicviewer.app.judging.review_book import ReviewBook
from forensicviewer.app.language.words import tr
from forensicviewer.app.session.desk import Desk
from forensicviewer.ui.widgets.plain_text import PlainLabel


class ReviewLine(PlainLabel):
    """Progress, mine and all, and what is hidden; nothing without a review."""

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__("", parent)
        self._desk = desk
        self.setWordWrap(True)
        self.setProperty("role", "muted")

    def show_progress(self) -> None:
        book, state = self._desk.judging.book, self._desk.workbench.state
        self.setVisible(isinstance(book, ReviewBook))
        if not isinstance(book, ReviewBook):
            return
        if book.review.judge_named(book.judge) is None:
            names = ", ".join(one.name for one in book.review.judges)
            self.setText(
                tr("You are not a judge of this review. Change to one of: {names}", names=names)
            )
            return
        progress = book.status.progress
        mine = next(one for one in progress if one.judge == book.judge)
        done, wanted = sum(one.judged for one in progress), sum(one.assigned for one in progress)
        words = [tr("Review {name}", name=book.review.folder.name)]
        if mine.assigned:
            words.append(tr("mine {done} of {all}", done=mine.judged, all=mine.assigned))
        words.append(tr("all {done} of {all}", done=done, all=wanted))
        if state.trial_id is not None and book.decides(state.trial_id, book.review.task.name):
            words.append(tr("you decide as the chair"))
        if state.submissions and state.is_veiled(state.trial_id):
            words.append(tr("systems are hidden until you have judged"))
        self.setText(", ".join(words))
