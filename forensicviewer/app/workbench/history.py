"""Undo and redo: of view edits, what they were before; of other deeds, how to take them back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass, replace

from forensicviewer.app.workbench.snapping import followed
from forensicviewer.app.workbench.state import Thresholds, ViewEdits, ViewState
from forensicviewer.core.rules import RuleSet

LONGEST = 10_000


@dataclass(frozen=True, slots=True)
class Deed:
    """Something done outside the view, such as a verdict."""

    undo: Callable[[], None]
    redo: Callable[[], None]


@dataclass(frozen=True, slots=True)
class UndoStep:
    """One undoable edit: its name, and the edits as they were before it, or the deed it was."""

    label: str
    before: ViewEdits
    trial_id: str | None
    rules: RuleSet
    deed: Deed | None = None

    @classmethod
    def of(cls, label: str, state: ViewState, deed: Deed | None = None) -> UndoStep:
        return cls(label, ViewEdits.of(state), state.trial_id, state.rules, deed)

    def goal(self, state: ViewState) -> ViewEdits:
        """The edits as they were, as far as they mean something in what is looked at now."""
        # A rule set is not undone, and keeps the kernels it brought along.
        goal = self.before.by_rules(state.rules, before=self.rules)
        if self.trial_id != state.trial_id:
            # Operations are numbered within a trial: another trial's choice means nothing here.
            goal = replace(goal, scoring=replace(goal.scoring, selected=state.scoring.selected))
        # Another trial, side or submission may be looked at by now, with an optimum of its own.
        return replace(goal, thresholds=followed(goal.applied_to(state)))


class History:
    """Steps taken and taken back.

    What is dragged (a number, in edits of one kind in a row) is one step until the gesture ends;
    each choice is a separate step.
    """

    def __init__(self) -> None:
        self._done: list[UndoStep] = []
        self._undone: list[UndoStep] = []
        self._gesture: str | None = None

    @property
    def undo_label(self) -> str | None:
        """What undo would take back."""
        return self._done[-1].label if self._done else None

    @property
    def redo_label(self) -> str | None:
        return self._undone[-1].label if self._undone else None

    def clear(self) -> None:
        self._done.clear()
        self._undone.clear()
        self._gesture = None

    def end_gesture(self) -> None:
        self._gesture = None

    def record(self, label: str, state: ViewState) -> bool:
        """Remember the state before an edit; whether undo or redo now mean something else."""
        continues = self._gesture == label and bool(self._done) and self._is_dragged(state)
        changes = not continues or bool(self._undone)
        if not continues:
            self._done.append(UndoStep.of(label, state))
            del self._done[:-LONGEST]
        self._undone.clear()
        self._gesture = label
        return changes

    def _is_dragged(self, state: ViewState) -> bool:
        """Whether a number has been moved since the last step, on the current trial."""
        step, after = self._done[-1], ViewEdits.of(state)
        if step.trial_id != state.trial_id:
            return False
        return _is_another(step.before.thresholds, after.thresholds) or any(
            _has_moved(getattr(step.before, part), getattr(after, part))
            for part in ("look", "scoring", "compare")
        )

    def record_deed(self, label: str, deed: Deed, state: ViewState) -> None:
        """Remember something that was done and is taken back by doing something else."""
        self._done.append(UndoStep.of(label, state, deed))
        del self._done[:-LONGEST]
        self._undone.clear()
        self._gesture = None

    def undo(self, state: ViewState) -> ViewEdits | None:
        """The edits to go back to; ``None`` when they stay as they are."""
        step = self._done[-1] if self._done else None
        if step is not None and step.deed is not None:
            self._undone.append(self._done.pop())
            step.deed.undo()
            return None
        return self._travel(self._done, self._undone, state)

    def redo(self, state: ViewState) -> ViewEdits | None:
        step = self._undone[-1] if self._undone else None
        if step is not None and step.deed is not None:
            self._done.append(self._undone.pop())
            step.deed.redo()
            return None
        return self._travel(self._undone, self._done, state)

    def _travel(
        self, source: list[UndoStep], target: list[UndoStep], state: ViewState
    ) -> ViewEdits | None:
        if not source:
            return None
        step = source.pop()
        target.append(UndoStep.of(step.label, state))
        self._gesture = None
        return step.goal(state)


def _has_moved(before: object, after: object) -> bool:
    """Whether a number in one of them, however deep, is another in the other."""
    if is_dataclass(before) and type(before) is type(after):
        return any(
            _has_moved(getattr(before, part.name), getattr(after, part.name))
            for part in fields(before)
        )
    is_number = isinstance(before, int | float) and not isinstance(before, bool)
    return is_number and before != after


def _is_another(before: Thresholds, after: Thresholds) -> bool:
    """Whether a threshold was moved by hand: one that is snapped moves by itself.

    Taking hold of one where it is snapped moves it as well, though it stands where it stood.
    """
    main = after.snap is None and (after.main, None) != (before.main, before.snap)
    rival = after.rival_snap is None and (after.rival, None) != (before.rival, before.rival_snap)
    return main or rival or after.actual != before.actual
