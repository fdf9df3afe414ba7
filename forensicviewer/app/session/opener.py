"""Opens what belongs together in one go: a dataset, its task and submissions to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from forensicviewer.app.datasets.answered_task import task_answered_by
from forensicviewer.app.datasets.opening import (
    choose_task,
    experiments_of,
    megabytes_of,
    open_dataset,
    open_submission,
)
from forensicviewer.app.genai.opening import system_outputs
from forensicviewer.app.judging.identity import foreign_reason
from forensicviewer.app.judging.review import open_review
from forensicviewer.app.judging.review_book import ReviewBook
from forensicviewer.app.judging.verdict_log import VerdictBook, logs_left_at, verdict_folder
from forensicviewer.app.runtime.jobs import CancelledError, Ticket
from forensicviewer.app.session.announcement import STRANGER
from forensicviewer.app.session.locate import trial_of_file
from forensicviewer.app.session.open_request import Answering, Opened, OpenRequest
from forensicviewer.app.session.session_file import Place, digest_of
from forensicviewer.app.session.trusted_links import with_trust
from forensicviewer.app.trials.library import Library
from forensicviewer.app.trials.trial_filter import SHORT_LIST, TrialFilter
from forensicviewer.core.model import Dataset, Edition, Submission, Task, TaskKind, TrialId
from forensicviewer.core.problem import (
    DatasetError,
    ForensicViewerError,
    Problem,
    ProblemLog,
    Severity,
    Topic,
    UsageError,
)
from forensicviewer.core.progress import Progress


def open_all(
    request: OpenRequest,
    open_before: tuple[Dataset, Task] | None,
    judge: str,
    ticket: Ticket,
    *,
    trusted: Sequence[str] = (),
) -> tuple[Opened, ...]:
    """Open every dataset of a request, each with the submissions that answer it."""
    if request.dataset is None or not request.others:
        return (open_together(with_trust(request, trusted), open_before, judge, ticket),)
    paths = (request.dataset, *request.others)
    log = ProblemLog(request.refused)
    found: list[tuple[Path, Dataset]] = []
    for path in paths:
        with _telling(path, log):
            found.append(
                (path, _read(with_trust(replace(request, dataset=path), trusted), ticket.report))
            )
    if not found:
        first = next(problem for problem in log if problem not in request.refused)
        raise DatasetError(first.message, where=first.where, hint=first.hint, rule=first.rule)
    shares = _share_out(request.submissions, [dataset for _, dataset in found])
    opened: list[Opened] = []
    for (path, dataset), share in zip(found, shares, strict=True):
        own = replace(request, dataset=path, submissions=share, others=(), refused=log.freeze())
        log = ProblemLog()
        if opened:
            # The task and the trial that are named are the first one's.
            own = replace(own, task=None, trial=None, file=None)
        opened.append(open_together(own, None, judge, ticket, dataset))
    return tuple(opened)


def _share_out(packages: Sequence[Path], datasets: Sequence[Dataset]) -> list[tuple[Path, ...]]:
    """For each dataset the submissions that answer most of their trials there."""
    shares: list[list[Path]] = [[] for _ in datasets]
    for package in packages:
        counts = [_count_answers(package, dataset) for dataset in datasets]
        shares[counts.index(max(counts))].append(package)
    return [tuple(share) for share in shares]


def _count_answers(package: Path, dataset: Dataset) -> int:
    """How many trials of a dataset a package answers; its problems are reported later."""
    most, unheard = 0, ProblemLog()
    packages = system_outputs([package]) if dataset.edition is Edition.GENAI else [package]
    with _telling(package, unheard):
        for path in (each for one in packages for each in experiments_of(one)):
            for task in dataset.tasks:
                is_imdl = task.kind is TaskKind.IMDL
                submission = open_submission(path, task=task if is_imdl else None)
                rows = submission.answers.rows_for(task.trials.ids())
                most = max(most, int((rows >= 0).sum()))
    return most


def _read(request: OpenRequest, progress: Progress) -> Dataset:
    assert request.dataset is not None
    return open_dataset(
        request.dataset,
        choices=None if request.settled is None else request.settled.choices(),
        follow_links=request.follows_links,
        progress=progress,
    )


def _read_first(request: OpenRequest, ticket: Ticket, beside: int) -> tuple[Dataset, int]:
    """The dataset of a request and its megabytes; those ``beside`` it are read afterwards."""
    read = 0

    def count(done: int, total: int) -> None:
        nonlocal read
        read = total
        ticket.report(done, total + beside)

    return _read(request, count), read


def open_together(
    request: OpenRequest,
    open_before: tuple[Dataset, Task] | None,
    judge: str,
    ticket: Ticket,
    opened: Dataset | None = None,
) -> Opened:
    """Open everything of a request; without a dataset in it, as answers to the one open before.

    ``judge`` is who will add to the verdicts on the dataset, ``opened`` the dataset of the request
    where it was read already.

    Where the user names no task, what the submissions answer decides.
    """
    log = ProblemLog(request.refused)
    before, beside = 0, sum(_size(path) for path in request.submissions)  # megabytes
    ticket.report(0, beside)
    if request.dataset is not None and opened is None:
        opened, before = _read_first(request, ticket, beside)
    dataset = opened or _of(open_before)
    if dataset.edition is Edition.GENAI:
        outputs = system_outputs(request.submissions)
        request = replace(request, submissions=tuple(outputs))
    task = _task_named(request, dataset, log)
    part = _Part(ticket, before, before + beside)
    # Folders of maps are read as answers of any of their tasks, and later of the one they answer.
    is_imdl = bool(dataset.tasks) and dataset.tasks[0].kind is TaskKind.IMDL
    reading = task or (dataset.tasks[0] if is_imdl else None)
    read = list(_submissions(request, dataset, reading, part, log))
    if task is None:
        found = [submission for _, submission in read]
        task = _task_meant(dataset, found, request, None if opened else open_before)
    _make_ready(task, [submission for _, submission in read])
    request = replace(request, trial=_trial_meant(request, task, log))
    # What answers the task comes first: it is what the window begins with.
    read.sort(key=lambda one: not _answers(one[1], task))
    by_task = _by_task(read, dataset, task, request, log)
    shown = by_task.pop(task.name, Answering())
    places = (_place(request.dataset, request, log),) if request.dataset else ()
    book = None if opened is None else _book(opened, request, judge)
    return Opened(
        request,
        opened,
        task,
        shown.submissions,
        (*places, *shown.places),
        log.freeze(),
        book,
        by_task,
    )


def _by_task(
    read: Sequence[tuple[Path, Submission]],
    dataset: Dataset,
    shown: Task,
    request: OpenRequest,
    log: ProblemLog,
) -> dict[str, Answering]:
    """The submissions by the name of the task each is looked at with: masks of images and of
    videos are not compared with one another. One that answers none of them is not opened unasked.
    """
    found: dict[str, Answering] = {}
    for path, submission in read:
        task = _task_of(submission, dataset, shown)
        if task is None and not (request.accepts_strangers or request.session is not None):
            log.add(_stranger(path, Severity.ERROR))
            continue
        if task is not None and task is not shown:
            log.note(
                f"{submission.name} belongs to the task {task.name} and is shown there",
                where=str(path),
                hint=f"choose the task {task.name} to see it",
                rule="submission-elsewhere",
            )
        task = task or shown
        if task.kind is TaskKind.IMDL:
            submission = open_submission(path, task=task)
        else:
            submission = _remarked(submission, task)
        one = Answering((submission,), (_place(path, request, log),))
        known = found.get(task.name, Answering())
        found[task.name] = Answering(known.submissions + one.submissions, known.places + one.places)
    return found


def _task_of(submission: Submission, dataset: Dataset, shown: Task) -> Task | None:
    """The task a submission is looked at with; ``None`` where it answers none of the dataset."""
    if _answers(submission, shown) or not len(submission.answers):
        return shown
    # The columns do not always say what it answers; then its trials do.
    answered = task_answered_by(dataset, [submission])
    having = (task for task in (shown, *dataset.tasks) if _is_about_trials(submission, task))
    return answered or next(having, None)


def _book(dataset: Dataset, request: OpenRequest, judge: str) -> VerdictBook:
    """The verdicts on a dataset, also those given where a session had it before."""
    if request.review is not None:
        review = open_review(request.review)
        reason = foreign_reason(review.task, dataset)
        if reason:
            raise ForensicViewerError(
                f"This dataset does not belong to the review: {reason}",
                where=request.review,
                hint="open the dataset of the review",
                rule="review.foreign-dataset",
            )
        return ReviewBook(review, judge=judge)
    book = VerdictBook(verdict_folder(dataset), judge=judge)
    before = None if request.session is None else request.session.moved_from
    if before is not None:
        book.move_in(logs_left_at(before))
    return book


def preferred_task(dataset: Dataset) -> Task:
    """The task a user most likely means without saying so: a main one, images first."""
    if not dataset.tasks:
        return choose_task(dataset, None)
    main = [task for task in dataset.tasks if not task.is_variant] or list(dataset.tasks)
    order = list(TaskKind)
    return min(main, key=lambda task: order.index(task.kind))


def _task_named(request: OpenRequest, dataset: Dataset, log: ProblemLog) -> Task | None:
    """The task asked for by name; a session may name one that has gone since."""
    if request.task is None:
        return None
    try:
        return choose_task(dataset, request.task)
    except UsageError as error:
        if request.session is None:
            raise
        log.add(error.as_problem(Severity.WARNING))
        return None


def _make_ready(task: Task, submissions: Sequence[Submission]) -> None:
    """Compute here, not in the window, what the first question needs."""
    if not len(task.trials):
        return
    # Where each trial stands, which operations each has, and what the columns of a list hold.
    first = task.trials.ids()[0]
    task.trials.row_of(first)
    task.trials[0]
    for submission in submissions:
        submission.answers.get(first)
    if len(task.trials) <= SHORT_LIST:
        Library(task).facets(TrialFilter())


@dataclass(frozen=True, slots=True)
class _Part:
    """One of several things that are opened in turn: progress in it is progress of all."""

    ticket: Ticket
    before: int
    total: int

    def report(self, done: int, _total: int) -> None:
        self.ticket.report(self.before + done, self.total)


def _size(submission: Path) -> int:
    """How much of all work one is; something for each, so that small ones count as well."""
    return 1 + megabytes_of(submission)


def _submissions(
    request: OpenRequest, dataset: Dataset, task: Task | None, part: _Part, log: ProblemLog
) -> Iterator[tuple[Path, Submission]]:
    """Those that can be opened, and where they came from."""
    for package in request.submissions:
        experiments = _experiments(package, part, log)
        part = replace(part, before=part.before + _size(package))
        for path in experiments:
            found = _submission(path, dataset, task, part, log)
            if found is not None:
                yield path, found


def _experiments(package: Path, part: _Part, log: ProblemLog) -> tuple[Path, ...]:
    """What lies in a package: mostly one submission, itself."""
    with _telling(package, log):
        return experiments_of(package, progress=part.report)
    return ()


@contextmanager
def _telling(path: Path, problems: ProblemLog) -> Iterator[None]:
    """What cannot be opened is reported; everything else opens."""
    try:
        yield
    except CancelledError:
        raise
    except ForensicViewerError as error:
        problems.add(error.as_problem())
    except OSError as error:
        where = str(error.filename or path)
        problems.error(f"The file cannot be used: {error.strerror}", where=where)


def _submission(
    path: Path, dataset: Dataset, task: Task | None, part: _Part, problems: ProblemLog
) -> Submission | None:
    def go_on(_done: int, _total: int) -> None:
        # Unpacking was counted before; here it only ends where nobody waits any more.
        part.report(0, 0)

    go_on(0, 0)
    with _telling(path, problems):
        if task is None or task.kind is TaskKind.IMDL:
            return open_submission(path, task=task, progress=go_on)
        return _open_as_asked(path, dataset, task, go_on)
    return None


def _open_as_asked(path: Path, dataset: Dataset, task: Task, progress: Progress) -> Submission:
    """A submission as answer to the task that is asked for, or to the one it was written for.

    A package holds experiments of several tasks (NC2017, Appendix A-b).
    """
    found: Submission | ForensicViewerError
    try:
        found = open_submission(path, task=task, progress=progress)
        if _answers(found, task):
            return found
    except ForensicViewerError as error:
        found = error
    other = open_submission(path, progress=progress)
    if task_answered_by(dataset, [other]) is not None:
        return other
    if isinstance(found, ForensicViewerError):
        raise found
    return found


def _of(open_before: tuple[Dataset, Task] | None) -> Dataset:
    assert open_before is not None, "submissions need a dataset"
    return open_before[0]


def _task_meant(
    dataset: Dataset,
    submissions: list[Submission],
    request: OpenRequest,
    open_before: tuple[Dataset, Task] | None,
) -> Task:
    """The task looked at, as long as the submissions answer any of it; else the one they do.

    Without answers, it is the one that has the trial asked for.
    """
    if open_before is not None:
        shown = open_before[1]
        if any(_answers(submission, shown) for submission in submissions):
            return shown
    answered = task_answered_by(dataset, submissions)
    if answered is not None:
        return answered
    if open_before is not None:
        return open_before[1]
    preferred = preferred_task(dataset)
    having = (task for task in (preferred, *dataset.tasks) if _trial_in(task, request) is not None)
    return next(having, preferred)


def _trial_in(task: Task, request: OpenRequest) -> TrialId | None:
    """The trial of a task that is asked for."""
    if request.trial is not None:
        named = TrialId(request.trial)
        return named if task.trials.row_of(named) is not None else None
    return None if request.file is None else trial_of_file(request.file, task)


def _trial_meant(request: OpenRequest, task: Task, log: ProblemLog) -> TrialId | None:
    found, named = _trial_in(task, request), request.trial or request.file
    if named is not None and found is None:
        log.warn("This is not a trial of the task", where=str(named), rule="trial-unknown")
    return found


def _answers(submission: Submission, task: Task) -> bool:
    """Whether it answers any trial of a task."""
    return submission.kind in (None, task.kind) and _is_about_trials(submission, task)


def _is_about_trials(submission: Submission, task: Task) -> bool:
    return bool((submission.answers.rows_for(task.trials.ids()) >= 0).any())


def _remarked(submission: Submission, task: Task) -> Submission:
    """The submission with what is odd about it as an answer to the task."""
    ids = task.trials.ids()
    missing = (submission.answers.rows_for(ids) < 0).nonzero()[0]
    if not len(missing) or not len(submission.answers):
        return submission
    if len(missing) == len(ids):
        remark = _stranger(Path(submission.origin), Severity.WARNING)
    else:
        remark = _unanswered(submission, ids[int(missing[0])], len(missing), len(ids))
    return replace(submission, problems=(*submission.problems, remark))


def _stranger(path: Path, severity: Severity) -> Problem:
    return Problem(
        severity,
        "None of its answers belongs to a trial of this dataset",
        str(path),
        "check whether it belongs to another dataset",
        STRANGER,
    )


def _unanswered(submission: Submission, first: TrialId, missing: int, trials: int) -> Problem:
    more = f" and {missing - 1} more" if missing > 1 else ""
    return Problem(
        Severity.WARNING,
        f"{first}{more} not answered: the submission has no row for {missing} of {trials} trials",
        submission.table.name,
        "filter by Status == 'not answered' to list them; scoring counts each as an empty answer",
        "submission-unanswered",
        times=missing,
        trial=first,
    )


def _place(path: Path, request: OpenRequest, log: ProblemLog) -> Place:
    place = Place(path, digest_of(path))
    session = request.session
    known = [] if session is None else [session.dataset, *session.submissions]
    for before in known:
        if before is not None and before.path == path and before.digest not in ("", place.digest):
            log.add(
                Problem(
                    Severity.WARNING,
                    "The file has changed since the session was saved",
                    str(path),
                    rule="session-changed",
                    topic=Topic.PROGRAM,
                )
            )
    return place
