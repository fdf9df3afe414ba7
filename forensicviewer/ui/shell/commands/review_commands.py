"""What the commands of reviews do: make one, open one, look how far it is."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFileDialog

from forensicviewer.app.judging.judging import Queued
from forensicviewer.app.language.words import tr
from forensicviewer.app.runtime.jobs import Lane
from forensicviewer.ui.shell.window_frame import Frame
from forensicviewer.ui.widgets.page import Handler

if TYPE_CHECKING:
    from forensicviewer.app.judging.review import Review


_LANE = Lane("open-review", is_far=True)


class ReviewCommands:
    """The handlers of one window; each dialog is imported when it is first opened."""

    def __init__(self, window: Frame) -> None:
        self._window = window
        self._desk = window.desk

    def handlers(self) -> dict[str, Handler]:
        return {
            "file.new_review": Handler(self._new),
            "file.open_review": Handler(self._open),
            "trial.review": Handler(self._show),
            "trial.sign": Handler(self._sign),
            "trial.next_unreviewed": Handler(
                lambda: self._tell(self._desk.judging.next_unreviewed())
            ),
            "trial.skip": Handler(lambda: self._tell(self._desk.judging.skip())),
        }

    def _new(self) -> None:
        from forensicviewer.app.session.reviewing import new_review
        from forensicviewer.ui.judging.new_review import NewReviewDialog

        dataset, shown = self._desk.workbench.state.dataset, self._desk.shown_path
        if dataset is None or shown is None:
            return
        proposed = shown.parent / f"{dataset.name}-review"
        NewReviewDialog(proposed, partial(new_review, self._desk), self._window).open()

    def _open(self) -> None:
        chosen = QFileDialog.getExistingDirectory(self._window, tr("Open review"))
        if chosen:
            self.open_review(Path(chosen))

    def open_review(self, folder: Path) -> None:
        """Judge in a review; where another dataset is open, ask for the review's own."""
        from forensicviewer.app.judging.review import open_review

        self._desk.jobs.submit(
            _LANE, partial(open_review, folder), self._take, on_error=self._desk.fail
        )

    def _take(self, review: Review) -> None:
        from forensicviewer.app.session.reviewing import fits, judge_in

        if fits(review, self._desk):
            judge_in(self._desk, review.folder)
            return
        title = tr("Where is the dataset {name} of the review?", name=review.dataset)
        chosen = QFileDialog.getExistingDirectory(self._window, title)
        if chosen:
            judge_in(self._desk, review.folder, Path(chosen))

    def _show(self) -> None:
        from forensicviewer.ui.judging.review_dialog import ReviewDialog

        window = self._window
        window.show_once(ReviewDialog, lambda: ReviewDialog(window.desk, window))

    def _sign(self) -> None:
        from forensicviewer.ui.judging.signing_dialog import SigningDialog

        window, tell = self._window, self._window.notice.tell
        window.show_once(SigningDialog, lambda: SigningDialog(window.desk, tell, window))

    def _tell(self, queued: Queued) -> None:
        if queued is Queued.EMPTY:
            self._window.notice.tell(tr("You have judged every listed trial"))
        elif queued is Queued.SKIPPED:
            self._window.notice.tell(tr("This is a trial you skipped"))
