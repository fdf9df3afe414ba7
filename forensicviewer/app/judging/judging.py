"""What judges say about the trials of the open dataset, and taking it back.

Verdicts are written in the background, one after the other and each to the disk: a slow one must
not hold up the window, and none may be lost. Nothing is ever removed from the log: undo writes a
line of its own.
"""

from __future__ import annotations

import getpass
import threading
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

from forensicviewer.app.judging.examining import Examining, examinations
from forensicviewer.app.language.words import to_translate, tr
from forensicviewer.app.runtime.jobs import Lane
from forensicviewer.app.trials.trial_list import TrialList
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.app.workbench.history import Deed
from forensicviewer.app.workbench.state import ViewState
from forensicviewer.core.examination import Examination
from forensicviewer.core.model import Submission, Task, TrialId
from forensicviewer.core.problem import ForensicViewerError, Problem, Severity
from forensicviewer.core.verdict import Fate, Ruling, Standing, Verdict

if TYPE_CHECKING:
    from forensicviewer.app.judging.evidence import Pin
    from forensicviewer.app.judging.verdict_log import VerdictBook
    from forensicviewer.core.measurement import Measurement


LANE = Lane("verdicts")
SKIPPED = to_translate("Skipped")
_UNDONE = "Undo or redo"


class Begun(TypedDict):
    """What was begun for verdicts that are not given yet, by trial, as a session keeps it.

    ``judge`` began it, blank in old sessions; ``aside`` is what judges began who stepped aside.
    """

    judge: str
    notes: Mapping[str, str]
    examined: Mapping[str, Mapping[str, Any]]
    aside: Mapping[str, Mapping[str, Any]]


class Queued(Enum):
    """What the queue came to: another trial, one skipped before, or its end."""

    NEXT = auto()
    SKIPPED = auto()
    EMPTY = auto()


@dataclass(frozen=True, slots=True)
class _Wish:
    """Something to be written, what follows, and what to say when it cannot be written."""

    write: Callable[[], object]
    then: Callable[[], None]
    failure: str


@dataclass(frozen=True, slots=True)
class _Taken:
    """A measurement without digests, and whose mask it is about."""

    measured: Measurement
    submission: Submission | None

    def finished(self, task: Task) -> Measurement:
        from forensicviewer.app.judging.measuring import with_digests

        return with_digests(self.measured, task, self.submission)


@dataclass(frozen=True, slots=True)
class _Subject:
    """A trial that is judged, and in whose book."""

    book: VerdictBook
    task: Task
    trial_id: TrialId

    @property
    def own(self) -> Verdict | None:
        return self.book.own(self.trial_id, self.task.name)

    def say(
        self,
        ruling: Ruling,
        note: str,
        facts: Mapping[str, str],
        take: Callable[[], Sequence[_Taken]] = tuple,
        reason: str = "",
        examined: Examination = Examination(),  # noqa: B008 - a frozen value
    ) -> None:
        from forensicviewer.app.judging.evidence import digests
        from forensicviewer.app.judging.identity import row_digest

        files = digests(self.task, self.trial_id)
        row = row_digest(self.task, self.trial_id)
        measured = [one.finished(self.task) for one in take()]
        self._write(ruling, note, {**facts, **files}, measured, row, reason, examined)

    def say_again(self, verdict: Verdict) -> None:
        """Let an earlier verdict stand again as it was given: nothing is looked at anew."""
        self._write(
            verdict.ruling,
            verdict.note,
            verdict.facts,
            verdict.measured,
            verdict.row,
            _UNDONE,
            verdict.examined,
        )

    def _write(
        self,
        ruling: Ruling,
        note: str,
        facts: Mapping[str, str],
        measured: Iterable[Measurement],
        row: str,
        reason: str,
        examined: Examination,
    ) -> None:
        self.book.say(
            self.trial_id,
            ruling,
            note=note,
            facts=facts,
            task=self.task.name,
            measured=measured,
            row=row,
            reason=reason,
            examined=examined,
        )

    def retract(self, reason: str = _UNDONE) -> None:
        self.book.retract(self.trial_id, self.task.name, reason=reason)


class Judging:
    """The verdicts on the open dataset; methods act on the open trial of the open task."""

    def __init__(self, workbench: Workbench, trials: TrialList) -> None:
        self.book: VerdictBook | None = None
        self.examining = Examining(workbench, lambda: self.own)
        # Notes begun for verdicts that are not given yet.
        self.drafts: dict[TrialId, str] = {}
        # The same of judges who stepped aside.
        self._begun: dict[str, tuple[dict[TrialId, str], dict[TrialId, Examination]]] = {}
        # Trials to come back to, in the order they were skipped.
        self.skipped: dict[TrialId, None] = {}
        self._workbench = workbench
        self._trials = trials
        self._wishes: deque[_Wish] = deque()
        self._is_writing = False
        # The end of the program may come while a worker writes.
        self._pen = threading.Lock()

    def begin(self, book: VerdictBook) -> None:
        """Turn to the dataset that is opened."""
        self.book = book
        self.drafts.clear()
        self.examining.drafts.clear()
        self._begun.clear()
        self.skipped.clear()

    def become(self, judge: str) -> None:
        """Go on as another judge, who finds the own notes and marks, and nothing of others.

        What was done so far is not undone any more: it would be said in the new judge's name.
        """
        if self.book is None or judge == self.book.judge:
            return
        self._begun[self.book.judge] = dict(self.drafts), dict(self.examining.drafts)
        notes, examined = self._begun.pop(judge, ({}, {}))
        self.drafts.clear()
        self.drafts.update(notes)
        self.examining.drafts.clear()
        self.examining.drafts.update(examined)
        self.skipped.clear()
        self.book.judge = judge
        self._workbench.forget_history()
        self.show()

    def take_drafts(self, begun: Begun) -> None:
        """Go on with the notes, answers and marks of a session; those of others wait for them."""
        me = "" if self.book is None else self.book.judge
        for judge, kept in ((begun["judge"], begun), *begun["aside"].items()):
            notes = {TrialId(trial): note for trial, note in kept.get("notes", {}).items()}
            examined = examinations(kept.get("examined", {}))
            if judge in ("", me):
                self.drafts.update(notes)
                self.examining.drafts.update(examined)
            elif notes or examined:
                self._begun[judge] = notes, examined
        self.show()

    def begun(self) -> Begun:
        """What a session is to keep."""
        aside = {
            judge: _kept(notes, examined)
            for judge, (notes, examined) in self._begun.items()
            if notes or examined
        }
        me = "" if self.book is None else self.book.judge
        mine = _kept(self.drafts, self.examining.drafts)
        return {"judge": me, "aside": aside, "notes": mine["notes"], "examined": mine["examined"]}

    def unveiled_in(self, task: str) -> frozenset[TrialId] | None:
        """The trials of a task whose systems the judge may see; ``None``: all."""
        return None if self.book is None else self.book.unveiled(task)

    def show(self) -> None:
        """Show the current verdicts in the list of trials."""
        from forensicviewer.app.judging.review_book import TO_JUDGE

        task = self._workbench.state.task
        if self.book is not None and task is not None:
            labels = self.book.labels(task.name)
            labels |= {
                one: SKIPPED for one in self.skipped if labels.get(one, TO_JUDGE) == TO_JUDGE
            }
            self._workbench.unveil(self.book.unveiled(task.name))
            self._trials.put_verdicts(labels)
            self.examining.show()

    # The queue

    def next_unreviewed(self) -> Queued:
        """Go to the next listed trial that waits for this judge; skipped ones come last."""
        task = self._workbench.state.task
        if self.book is None or task is None:
            return Queued.EMPTY
        done, mine = self.book.done(task.name), self.book.queue(task.name)
        if self._trials.next_among(done=(*done, *self.skipped), only=mine):
            return Queued.NEXT
        skipped = [one for one in self.skipped if mine is None or one in mine]
        is_back = self._trials.next_among(done=done, only=skipped)
        return Queued.SKIPPED if is_back else Queued.EMPTY

    def skip(self) -> Queued:
        """Leave the open trial for later, and go on."""
        trial = self._workbench.state.trial_id
        if trial is not None:
            self.skipped.pop(trial, None)
            self.skipped[trial] = None
            self.show()
        return self.next_unreviewed()

    # What stands

    def history(self) -> tuple[tuple[Verdict, Fate], ...]:
        """Every entry about the open trial."""
        subject = self._subject
        if subject is None:
            return ()
        return subject.book.history(subject.trial_id, subject.task.name)

    @property
    def standing(self) -> Standing | None:
        """The current verdicts on the open trial."""
        subject = self._subject
        if subject is None:
            return None
        return subject.book.standings(subject.task.name).get(subject.trial_id)

    @property
    def own(self) -> Verdict | None:
        """What the judge's own verdict on the open trial is now."""
        subject = self._subject
        return None if subject is None else subject.own

    @property
    def _subject(self) -> _Subject | None:
        state = self._workbench.state
        if self.book is None or state.task is None or state.trial_id is None:
            return None
        return _Subject(self.book, state.task, state.trial_id)

    # What is said

    def say(
        self,
        ruling: Ruling,
        *,
        note: str = "",
        pin: Pin | None = None,
        reason: str = "",
        then: Callable[[], None] = lambda: None,
    ) -> None:
        """Give the open trial a verdict; what was seen goes into the log with it.

        ``then`` is called once it is kept, and only then.
        """
        from forensicviewer.app.judging.evidence import seen
        from forensicviewer.app.judging.measuring import measure

        subject = self._subject
        if subject is not None:
            state = self._workbench.state
            examined, facts = self.examining.examined, seen(state, pin)
            taken = [
                _Taken(measured, state.submission_of(system))
                for system in (0, 1)
                if (measured := measure(state, system=system)) is not None
            ]
            write = partial(subject.say, ruling, note, facts, lambda: taken, reason, examined)
            self.skipped.pop(subject.trial_id, None)

            def kept() -> None:
                self.examining.forget(subject.trial_id, examined)
                then()

            self._change(subject, write, then=kept)

    def say_each(
        self,
        trials: Sequence[TrialId],
        ruling: Ruling,
        *,
        note: str = "",
        reason: str = "",
        then: Callable[[], None] = lambda: None,
    ) -> None:
        """Give each of several trials a separate verdict; ``then`` once the last is kept.

        What is not on screen is read for its numbers, and has no place in view.
        """
        from forensicviewer.app.judging.evidence import seen_of_system

        state = self._workbench.state
        if self.book is None or state.task is None:
            return
        for trial in trials:
            subject = _Subject(self.book, state.task, trial)
            unseen = replace(state, trial_id=trial)
            take = partial(_taken_unseen, state, trial)
            write = partial(subject.say, ruling, note, seen_of_system(unseen), take, reason)
            self.skipped.pop(trial, None)
            self._change(subject, write, then=then if trial == trials[-1] else lambda: None)

    @property
    def wants_reason(self) -> bool:
        """Whether a verdict on the open trial, or taking it back, must say why."""
        subject = self._subject
        return subject is not None and subject.book.wants_reason(
            subject.trial_id, subject.task.name
        )

    def retract(self, reason: str = "") -> None:
        """Take back the judge's own verdict on the open trial."""
        subject = self._subject
        if subject is not None:
            write = partial(subject.retract, reason)
            self._change(subject, write, failure="The verdict was not retracted")

    def countersign(self, then: Callable[[int], None]) -> None:
        """Record how long the logs of the others are now; ``then`` gets how many there are."""
        before = self.book
        if before is None:
            return
        read: list[tuple[VerdictBook, int]] = []

        def write() -> None:
            book = before.read_again()
            read.append((book, book.countersign()))

        def kept() -> None:
            book, count = read[-1]
            if self.book is before:
                self.book = book
                self.show()
            self._workbench.report(book.problems)
            then(count)

        self._wish(_Wish(write, kept, "The logs were not countersigned"))

    def add_log(self, path: Path) -> None:
        """Take over the log of another judge."""
        if self.book is not None:
            write = partial(self.book.add_log, path)
            self._wish(_Wish(write, self.show, "The verdicts were not added"))

    def _change(
        self,
        subject: _Subject,
        write: Callable[[], None],
        *,
        failure: str = "The verdict was not saved",
        then: Callable[[], None] = lambda: None,
    ) -> None:
        """Write something about a trial that undo can take back."""
        before: list[Verdict | None] = []

        def look_and_write() -> None:
            # Here, not when it was asked for: what was said just now may not be written yet.
            before.append(subject.own)
            write()

        def remember() -> None:
            self.show()
            after = subject.own
            if after != before[0] and self.book is subject.book:
                undo, redo = (partial(self._make_stand, subject, one) for one in (*before, after))
                label = tr("verdict on {trial}", trial=subject.trial_id)
                self._workbench.record_deed(label, Deed(undo, redo))
            then()

        self._wish(_Wish(look_and_write, remember, failure))

    def _make_stand(self, subject: _Subject, verdict: Verdict | None) -> None:
        """Let a verdict stand again, or none; the trial is shown, for that is what changes."""
        self._workbench.select_trial(subject.trial_id)
        if verdict is None:
            wish = _Wish(subject.retract, self.show, "The verdict was not retracted")
        else:
            write = partial(subject.say_again, verdict)
            wish = _Wish(write, self.show, "The verdict was not saved")
        self._wish(wish)

    # Writing

    def finish(self) -> None:
        """Write now what is not written yet; called before the program ends."""
        with self._pen:
            while self._wishes:
                self._tell(*_fulfilled(self._wishes.popleft()))

    def _wish(self, wish: _Wish) -> None:
        self._wishes.append(wish)
        self._go_on()

    def _go_on(self) -> None:
        if self._wishes and not self._is_writing:
            self._is_writing = True
            # Without a title, for nobody is to cancel it: what was said is kept.
            self._workbench.jobs.submit(LANE, self._write_next, self._written)

    def _write_next(self) -> tuple[_Wish, Exception | None] | None:
        with self._pen:
            return _fulfilled(self._wishes.popleft()) if self._wishes else None

    def _written(self, done: tuple[_Wish, Exception | None] | None) -> None:
        self._is_writing = False
        if done is not None:
            self._tell(*done)
            if done[1] is None:
                done[0].then()
        self._go_on()

    def _tell(self, wish: _Wish, error: Exception | None) -> None:
        if isinstance(error, OSError):
            where = str(error.filename or "")
            message = f"{wish.failure}: {error.strerror}"
            problem = Problem(Severity.ERROR, message, where, rule="verdict.unwritten")
            self._workbench.report([problem])
        elif isinstance(error, ForensicViewerError):
            self._workbench.report([error.as_problem()])


def _kept(
    notes: Mapping[TrialId, str], examined: Mapping[TrialId, Examination]
) -> dict[str, Mapping[str, Any]]:
    return {
        "notes": {str(trial): note for trial, note in notes.items()},
        "examined": {str(trial): one.as_json() for trial, one in examined.items()},
    }


def _taken_unseen(state: ViewState, trial: TrialId) -> list[_Taken]:
    from forensicviewer.app.judging.measuring import measure_unseen

    found = measure_unseen(state, trial)
    shown = replace(state, trial_id=trial).submission
    return [] if found is None else [_Taken(found, shown)]


def _fulfilled(wish: _Wish) -> tuple[_Wish, Exception | None]:
    try:
        wish.write()
    except (OSError, ForensicViewerError) as error:
        return wish, error
    return wish, None


@cache
def user_name() -> str:
    """The name of the judge if the settings have none."""
    try:
        # It asks the environment or the system's files.
        return getpass.getuser()
    except (KeyError, OSError):
        # In a container a user may have a number only.
        return "judge"
