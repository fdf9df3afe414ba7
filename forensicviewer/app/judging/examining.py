"""The checklist of the open trial and the marks drawn on it, until a verdict takes them along."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from forensicviewer.app.language.words import to_translate, tr
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.app.workbench.history import Deed
from forensicviewer.app.workbench.state import Change, Layer, ViewState
from forensicviewer.core.examination import (
    ChecklistAnswer,
    ChecklistQuestion,
    Examination,
    Mark,
    MarkShape,
    Reply,
    questions_about,
)
from forensicviewer.core.model import TrialId
from forensicviewer.core.verdict import Ruling, Verdict

WHOLE = to_translate("Whole reference")


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question of the checklist; ``position`` is that of the operation in the trial."""

    key: tuple[str, ...]
    name: str
    question: ChecklistQuestion
    position: int | None = None


class Examining:
    """Keeps what is answered and drawn for each trial; nothing is lost by going elsewhere."""

    def __init__(self, workbench: Workbench, own: Callable[[], Verdict | None]) -> None:
        self.drafts: dict[TrialId, Examination] = {}
        self._workbench = workbench
        self._own = own
        workbench.subscribe(self._follow)

    @property
    def examined(self) -> Examination:
        """What is answered and drawn about the open trial: begun, or of the judge's verdict."""
        trial, own = self._workbench.state.trial_id, self._own()
        said = Examination() if own is None else own.examined
        return said if trial is None else self.drafts.get(trial, said)

    @property
    def asked(self) -> tuple[AskedQuestion, ...]:
        """Every question about the open trial, in the order of its journal."""
        state = self._workbench.state
        loaded, task = state.loaded, state.task
        if loaded is None or task is None or not state.is_current:
            return ()
        trial, kind = loaded.trial, task.kind
        if not trial.operations:
            return tuple(
                AskedQuestion((), WHOLE, one) for one in questions_about(kind, trial, None)
            )
        steps = sorted(enumerate(trial.operations), key=lambda pair: (pair[1].sequence or 0,))
        return tuple(
            AskedQuestion(step.key, step.name or tr("unnamed"), question, position)
            for position, step in steps
            for question in questions_about(kind, trial, step)
        )

    def reply(self, asked: AskedQuestion, reply: Reply | None) -> None:
        """Answer a question, or with ``None`` take the answer back."""
        before = self.examined
        if reply is None:
            after = before.without_check(asked.key, asked.question)
        else:
            check = ChecklistAnswer(asked.key, asked.name, asked.question, reply)
            after = before.with_check(check)
        self._put(tr("answer"), after)

    def proposed(self) -> Ruling | None:
        """The verdict that follows from the answers; ``None`` while a question is open."""
        examined = self.examined
        replies = [examined.reply_to(one.key, one.question) for one in self.asked]
        if Reply.WRONG in replies:
            return Ruling.REFERENCE_WRONG
        if not replies or None in replies:
            return None
        return Ruling.UNCLEAR if Reply.UNCLEAR in replies else Ruling.SOUND

    # Marks

    def begin(self, shape: MarkShape) -> None:
        """Begin a mark at the pixel pointed at, or go on with one: another corner of it."""
        state, point = self._workbench.state, self._point()
        if state.loaded is None or state.active_pane.layer is Layer.EXAMPLE:
            return
        drawn = state.drawn
        side = state.active_pane.side
        if drawn is None or drawn.shape is not shape or drawn.side is not side:
            drawn = Mark(shape, side=side, frames=_frames(state))
        self._workbench.draw_mark(drawn)
        self._workbench.place_corner(point)

    def begin_stretch(self) -> bool:
        """Take the stretch marked in the video; whether there is one."""
        moment = self._workbench.state.moment
        if moment is None:
            return False
        frames = moment.stretch or (moment.frame, moment.frame)
        self._workbench.draw_mark(Mark(MarkShape.STRETCH, frames=frames))
        self._workbench.finish_mark()
        return True

    def keep(self, text: str) -> None:
        """Keep the mark that is drawn, with its text."""
        drawn = self._workbench.state.drawn
        if drawn is not None and drawn.is_complete:
            self._workbench.draw_mark(None)
            kept = replace(drawn, text=text)
            self._put(tr("mark"), self.examined.with_marks((*self.examined.marks, kept)))

    def change_text(self, number: int, text: str) -> None:
        marks = list(self.examined.marks)
        marks[number] = replace(marks[number], text=text)
        self._put(tr("mark"), self.examined.with_marks(marks))

    def remove(self, number: int) -> None:
        marks = [one for place, one in enumerate(self.examined.marks) if place != number]
        self._put(tr("mark"), self.examined.with_marks(marks))

    def _point(self) -> tuple[int, int]:
        """The pixel pointed at, or the middle of what the active pane shows."""
        state = self._workbench.state
        pane = state.active_pane
        if state.cursor is not None and state.cursor_side is pane.side:
            return state.cursor
        viewpoint = state.viewpoint(state.arrangement.active)
        assert state.loaded is not None
        size = state.loaded.on(pane.side).size
        if viewpoint is None:
            return size.width // 2, size.height // 2
        across, down = int(viewpoint.x), int(viewpoint.y)
        return min(max(0, across), size.width - 1), min(max(0, down), size.height - 1)

    # Keeping

    def show(self) -> None:
        """Show the marks of the open trial."""
        self._workbench.show_marks(self.examined.marks)

    def forget(self, trial: TrialId, examined: Examination) -> None:
        """A verdict has taken this along; what was added since stays begun."""
        if self.drafts.get(trial) == examined:
            del self.drafts[trial]
            self.show()

    def _put(self, label: str, after: Examination) -> None:
        trial, before = self._workbench.state.trial_id, self.examined
        if trial is None or after == before:
            return
        self._take(trial, after)
        deed = Deed(lambda: self._reach(trial, before), lambda: self._reach(trial, after))
        self._workbench.record_deed(tr("{what} on {trial}", what=label, trial=trial), deed)

    def _reach(self, trial: TrialId, examined: Examination) -> None:
        self._workbench.select_trial(trial)
        self._take(trial, examined)

    def _take(self, trial: TrialId, examined: Examination) -> None:
        self.drafts[trial] = examined
        self.show()

    def _follow(self, _state: ViewState, change: Change) -> None:
        if change & (Change.TRIAL | Change.DATASET):
            self.show()


def examinations(kept: Mapping[str, Mapping[str, Any]]) -> dict[TrialId, Examination]:
    """What a session kept, by trial; what is odd in it is passed over."""
    found = {}
    for trial, content in kept.items():
        with contextlib.suppress(KeyError, TypeError, ValueError):
            found[TrialId(trial)] = Examination.from_json(content)
    return found


def _frames(state: ViewState) -> tuple[int, int] | None:
    return None if state.moment is None else (state.moment.frame, state.moment.frame)
