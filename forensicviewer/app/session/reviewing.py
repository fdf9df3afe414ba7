"""Begins and opens reviews at the desk: their verdicts take the place of the program's own."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

from forensicviewer.app.judging.identity import foreign_reason
from forensicviewer.app.judging.review import Review, ReviewPlan, begin_review, open_review
from forensicviewer.app.language.words import tr
from forensicviewer.app.runtime.jobs import Lane
from forensicviewer.app.session.desk import Desk
from forensicviewer.app.session.open_request import OpenRequest

_LANE = Lane("review", is_far=True)


def new_review(desk: Desk, folder: Path, plan: ReviewPlan) -> None:
    """Make a review of the open dataset in the background, and judge in it from then on."""
    state = desk.workbench.state
    if state.dataset is None or state.task is None:
        return
    desk.jobs.submit(
        _LANE,
        partial(begin_review, folder, state.dataset, state.task.name, plan),
        lambda review: judge_in(desk, review.folder),
        title=tr("Creating the review {name}", name=folder.name),
        on_error=desk.fail,
    )


def fits(review: Review, desk: Desk) -> bool:
    """Whether a review is about the dataset that is open."""
    dataset = desk.workbench.state.dataset
    return dataset is not None and not foreign_reason(review.task, dataset)


def judge_in(desk: Desk, folder: Path, dataset: Path | None = None) -> None:
    """Open a review, with the dataset that is open or the one at a path."""
    if dataset is not None:
        task = open_review(folder).task.name
        desk.open(OpenRequest(dataset, task=task, review=folder))
        return
    session = replace(desk.session(), review=folder)
    if session.dataset is not None:
        desk.open(OpenRequest.resuming(session))
