"""Makes the report of a review: every verdict, what became of it, and how far judges agree."""

from __future__ import annotations

from collections.abc import Sequence

from forensicviewer.app.judging.review import Review, count_entries, status_of
from forensicviewer.app.judging.review_book import ReviewBook
from forensicviewer.app.judging.review_export import agreement_rows
from forensicviewer.app.judging.verdict_log import VerdictBook
from forensicviewer.app.reports.making import LIMITS, ReportHeading, examined_grid, spoken_time
from forensicviewer.app.reports.model import Report, ReportTable, Section
from forensicviewer.core.verdict import Entry, Verdict, fates
from forensicviewer.sources.media.images import digest

_COLUMNS = ("Trial", "Judge", "Verdict", "Status", "Note and reason", "When (UTC)", "MCC")


def review_report(book: VerdictBook, heading: ReportHeading, *, dataset: str) -> Report:
    """Every verdict that may be handed over, and what became of it.

    Of a review, a blind judge hands over no more than they may see; honeypots stay out of it.
    """
    if isinstance(book, ReviewBook) and book.sees_all:
        return project_report(book.review, heading)
    sections = (_verdicts(book.exported), *_closing(book))
    return Report("Review", (*heading.facts(), ("Dataset", dataset)), sections)


def project_report(review: Review, heading: ReportHeading) -> Report:
    """A review with judges and assignment; honeypots stay out of it."""
    book = review.book()
    status = status_of(review, book)
    progress = tuple((one.judge, str(one.judged), str(one.assigned)) for one in status.progress)
    conflicts = tuple(
        (str(one.trial_id), "; ".join(f"{v.judge}: {v.ruling.label}" for v in one.verdicts))
        for one in status.conflicts
    )
    agreement = tuple(agreement_rows(status.agreement))
    sections = [
        Section("Progress", grids=(ReportTable(("Judge", "Judged", "Assigned"), progress),)),
        Section("Agreement", grids=(ReportTable(("What", "Value"), agreement),)),
    ]
    if conflicts:
        sections.append(
            Section("Open conflicts", grids=(ReportTable(("Trial", "Verdicts"), conflicts),))
        )
    sections += [_verdicts(count_entries(review, book)), *_closing(book)]
    sections.append(
        Section(
            "Reproduce",
            ("The first command checks every log; the second computes agreement again.",),
            commands=(
                f"forensicviewer review verify {review.folder}",
                f"forensicviewer review status {review.folder}",
            ),
        )
    )
    facts = (*heading.facts(), ("Dataset", review.dataset), ("Task", review.task.name))
    facts = (*facts, ("Review", review.id), ("Chair", review.chair or "none"))
    return Report("Review", facts, tuple(sections))


def _verdicts(entries: Sequence[Entry]) -> Section:
    """The entries about each trial, in their order."""
    said = sorted(fates(entries), key=lambda one: (one[0].task, one[0].trial_id, one[0].said_at))
    rows = tuple(
        (
            *(str(v.trial_id), v.judge),
            f"{v.ruling.label} (decision)" if v.is_decision else v.ruling.label,
            *(fate.value, "; ".join(filter(None, (v.note, v.reason))), spoken_time(v.said_at)),
            v.facts.get("MCC", ""),
        )
        for v, fate in said
    )
    verdicts = [one for one in entries if isinstance(one, Verdict)]
    return Section(
        "Verdicts",
        grids=(ReportTable(_COLUMNS, rows).without_blank_columns(), *examined_grid(verdicts)),
    )


def _closing(book: VerdictBook) -> tuple[Section, ...]:
    troubles = tuple(str(problem) for problem in book.problems)
    logs = tuple((log.name, digest(log)) for log in book.logs if log.is_file())
    wrong = (Section("Problems of the logs", troubles),) if troubles else ()
    return (
        *wrong,
        Section("Logs", tuple(book.proof), grids=(ReportTable(("File", "SHA-256"), logs),)),
        Section("Limitations", LIMITS[2:]),
    )
