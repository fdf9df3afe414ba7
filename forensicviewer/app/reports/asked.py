"""Which report of what is open is asked for, and the report itself."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from forensicviewer.app.claims.search import ExplainedClaim
from forensicviewer.app.judging.verdict_log import VerdictBook
from forensicviewer.app.reports.making import ReportHeading, trial_report
from forensicviewer.app.reports.model import Report
from forensicviewer.app.reports.reviews import review_report
from forensicviewer.app.reports.runs import submission_report
from forensicviewer.app.workbench.state import ViewState
from forensicviewer.core.problem import ScoringError
from forensicviewer.core.verdict import Verdict


class About(Enum):
    """What a report is about; the values are the words of the command line."""

    DISPUTE = "dispute"
    TRIAL = "trial"
    SUBMISSION = "submission"
    SET = "set"
    REVIEW = "review"


@dataclass(frozen=True, slots=True, eq=False)
class ReportRequest:
    """Everything a report of the window needs, by value."""

    about: About
    state: ViewState
    heading: ReportHeading
    verdicts: tuple[Verdict, ...] = ()
    explained: ExplainedClaim | None = None
    book: VerdictBook | None = None

    @property
    def name(self) -> str:
        """What the file is called unless the user says otherwise."""
        state = self.state
        if self.about in (About.DISPUTE, About.TRIAL):
            return f"{self.about.value}-{state.trial_id}"
        if self.about is About.SUBMISSION and state.submission is not None:
            return f"submission-{state.submission.name}"
        return str(self.about.value)


def report_of(request: ReportRequest) -> Report:
    """Make the report; reads files and scores, so not on the thread of a window."""
    state, heading = request.state, request.heading
    if state.task is None or state.dataset is None:
        raise ScoringError("Open a dataset before you write a report")
    dataset = Path(state.dataset.root)
    if request.about is About.REVIEW:
        if request.book is None:
            raise ScoringError("There are no verdicts to report")
        return review_report(request.book, heading, dataset=state.dataset.name)
    if request.about in (About.DISPUTE, About.TRIAL):
        origin = "" if state.submission is None else str(state.submission.origin)
        return trial_report(
            state,
            heading,
            verdicts=request.verdicts,
            places=(str(dataset), origin),
            explained=request.explained,
        )
    if state.submission is None:
        raise ScoringError("There is no submission to report")
    if state.listed_submission is None:
        raise ScoringError("Runs are hidden in a blind review until you have judged all trials")
    chosen = state.submissions if request.about is About.SET else (state.submission,)
    return submission_report(state.task, chosen, heading, dataset=dataset)
