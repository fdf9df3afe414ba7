"""The verdicts of a review as one of its judges may see and add to them."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping
from pathlib import Path

from forensicviewer.app.judging.log_file import SUFFIX
from forensicviewer.app.judging.review import (
    Review,
    ReviewStatus,
    count_entries,
    known_entries,
    open_review,
    status_of,
    visible_to,
)
from forensicviewer.app.judging.signing import Signer, signer_of
from forensicviewer.app.judging.verdict_log import VerdictBook
from forensicviewer.app.language.words import to_translate
from forensicviewer.app.runtime.folders import state_folder
from forensicviewer.core.examination import Examination
from forensicviewer.core.measurement import Measurement
from forensicviewer.core.model import TrialId
from forensicviewer.core.problem import ForensicViewerError, UsageError
from forensicviewer.core.verdict import (
    Entry,
    Fate,
    Retraction,
    Ruling,
    Standing,
    Verdict,
    about_task,
    fold,
)

TO_JUDGE = to_translate("To judge")


class ReviewBook(VerdictBook):
    """A review's logs; each machine writes a separate log for each judge.

    Blind, a judge sees what others say, and what systems answer, only of trials judged already.
    """

    def __init__(self, review: Review, *, judge: str) -> None:
        self.review = review
        self._seen: tuple[object, object, Mapping[TrialId, Standing]] | None = None
        super().__init__(review.logs, judge=judge, settings=review.head)

    def read_again(self) -> ReviewBook:
        return ReviewBook(open_review(self.review.folder), judge=self.judge)

    @property
    def log_path(self) -> Path:
        judge = self.review.judge_named(self.judge)
        if judge is None:
            raise ForensicViewerError(
                f"{self.judge} is not a judge of this review",
                where=self.review.folder,
                hint="choose your name; the judges are "
                + ", ".join(one.name for one in self.review.judges),
                rule="review.foreign-judge",
            )
        return self.folder / f"{judge.id}-{machine_id()}{SUFFIX}"

    @property
    def signer(self) -> Signer | None:
        judge = self.review.judge_named(self.judge)
        return None if judge is None else signer_of(judge.id)

    @property
    def is_chair(self) -> bool:
        return bool(self.review.chair) and self.judge == self.review.chair

    @property
    def status(self) -> ReviewStatus:
        return status_of(self.review, self)

    # What may be seen

    def standings(self, task: str = "") -> Mapping[TrialId, Standing]:
        # The logs themselves, not their number: that of a replaced one may be given again.
        logs, key = self._logs, (task, self.judge)
        if self._seen is None or self._seen[0] is not logs or self._seen[1] != key:
            said = fold(about_task(known_entries(self.review, self.entries), task))
            seen = {
                trial: Standing(trial, verdicts)
                for trial, standing in said.items()
                if (verdicts := visible_to(self.review, self.judge, standing))
            }
            self._seen = (logs, key, seen)
        return self._seen[2]

    def own(self, trial_id: TrialId, task: str = "") -> Verdict | None:
        standing = self.standings(task).get(trial_id)
        mine = [one for one in standing.verdicts if one.judge == self.judge] if standing else []
        # Of a chair who judges, too, the decision is the last word.
        return max(mine, key=lambda one: one.is_decision, default=None)

    def history(self, trial_id: TrialId, task: str = "") -> tuple[tuple[Verdict, Fate], ...]:
        known = {one.name for one in self.review.judges}
        said = [pair for pair in super().history(trial_id, task) if pair[0].judge in known]
        if self.sees_all or trial_id in self.done(task):
            return tuple(said)
        return tuple(pair for pair in said if pair[0].judge == self.judge)

    @property
    def exported(self) -> tuple[Entry, ...]:
        """Without honeypots, and without what a blind judge may not see yet."""
        counted = count_entries(self.review, self)
        if self.sees_all:
            return counted
        done = self.done(self.review.task.name)
        return tuple(
            one
            for one in counted
            if one.judge == self.judge or isinstance(one, Retraction) or one.trial_id in done
        )

    @property
    def exported_logs(self) -> tuple[Path, ...]:
        """None: a log cannot be cut, and it tells which trials are honeypots."""
        return ()

    @property
    def sees_all(self) -> bool:
        """Whether nothing others said is hidden: the review is not blind, or this is its chair."""
        return not self.review.is_blind or self.is_chair

    # What is to be done

    def queue(self, task: str = "") -> frozenset[TrialId] | None:
        """What was assigned; for a chair who judges nothing, the conflicts."""
        if task != self.review.task.name:
            return frozenset()
        mine = self.review.trials_of(self.judge)
        if self.is_chair and not mine:
            return frozenset(t for t, one in self.standings(task).items() if one.is_contested)
        return mine

    def labels(self, task: str = "") -> dict[TrialId, str]:
        waiting = dict.fromkeys(self.review.trials_of(self.judge) - self.done(task), TO_JUDGE)
        return {**waiting, **super().labels(task)}

    def unveiled(self, task: str = "") -> frozenset[TrialId] | None:
        if self.sees_all or task != self.review.task.name:
            return None
        done, mine = self.done(task), self.review.trials_of(self.judge)
        return None if mine and mine <= done else done

    def decides(self, trial_id: TrialId, task: str = "") -> bool:
        """Whether what this judge says now is the chair's decision."""
        standing = self.standings(task).get(trial_id)
        is_open = standing is not None and (standing.is_contested or standing.decision is not None)
        return self.is_chair and (is_open or not self.review.trials_of(self.judge))

    def wants_reason(self, trial_id: TrialId, task: str = "") -> bool:
        return self.own(trial_id, task) is not None or self.decides(trial_id, task)

    # What is said

    def say(
        self,
        trial_id: TrialId,
        ruling: Ruling,
        *,
        note: str = "",
        facts: Mapping[str, str],
        task: str = "",
        measured: Iterable[Measurement] = (),
        row: str = "",
        reason: str = "",
        is_decision: bool = False,
        examined: Examination = Examination(),  # noqa: B008 - a frozen value
    ) -> None:
        is_decision = is_decision or self.decides(trial_id, task)
        if str(trial_id) not in self.review.task.rows or task != self.review.task.name:
            raise UsageError(f"The review does not contain the trial {trial_id}")
        if self.wants_reason(trial_id, task) and not reason.strip():
            words = "A decision needs a reason" if is_decision else "A change needs a reason"
            raise UsageError(
                words, where=str(trial_id), hint="state the reason", rule="review.reason"
            )
        super().say(
            trial_id,
            ruling,
            note=note,
            facts=facts,
            task=task,
            measured=measured,
            row=row,
            reason=reason,
            is_decision=is_decision,
            examined=examined,
        )

    def retract(self, trial_id: TrialId, task: str = "", *, reason: str = "") -> bool:
        if self.own(trial_id, task) is not None and not reason.strip():
            raise UsageError(
                "Retracting a verdict needs a reason",
                where=str(trial_id),
                hint="state the reason",
                rule="review.reason",
            )
        return super().retract(trial_id, task, reason=reason)


def decide(review: Review, trial: str, ruling: Ruling, *, reason: str) -> None:
    """Close a conflict as the chair, for a reason."""
    if not review.chair:
        raise UsageError("The review has no chair", hint="name one with: review init --chair")
    if not reason.strip():
        raise UsageError("A decision needs a reason", hint="state it with --reason")
    if trial not in review.task.rows:
        raise UsageError(f"The review does not contain the trial {trial}")
    ReviewBook(review, judge=review.chair).say(
        TrialId(trial), ruling, facts={}, task=review.task.name, reason=reason, is_decision=True
    )


def machine_id() -> str:
    """A random name of this machine, the same from the first review on."""
    path = state_folder() / "machine-id"
    try:
        known = path.read_text("ascii").strip()
        if known.isalnum():
            return known[:16]
    except (OSError, UnicodeDecodeError):
        pass
    made = secrets.token_hex(6)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(made, "ascii")
    return made
