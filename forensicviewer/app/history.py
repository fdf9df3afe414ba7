"""Undo and redo: of view edits, what they were before; of other deeds, how to take them back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from forensicviewer.app.snapping import followed
from forensicviewer.app.state import ViewEdits, ViewState

LONGEST = 10_000


@dataclass(frozen=True, slots=True)
class Deed:
    """Something done outside the view, such as a verdict."""

    undo: Callable[[], None]
    redo: Callable[[], None]


@dataclass(frozen=True, slots=True)
class Step:
    """One undoable edit: its name, and the edits as they were before it, or the deed it was."""

    label: str
    before: ViewEdits
    trial_id: str | None
    deed: Deed | None = None


class History:
    """Steps taken and taken back. Edits of one kind in a row are one step until a gesture ends."""

    def __init__(self) -> None:
        self._done: list[Step] = []
        self._undone: list[Step] = []
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
        continues = self._gesture == label and bool(self._done)
        changes = not continues or bool(self._undone)
        if not continues:
            self._done.append(Step(label, ViewEdits.of(state), state.trial_id))
            del self._done[:-LONGEST]
        self._undone.clear()
        self._gesture = label
        return changes

    def record_deed(self, label: str, deed: Deed, state: ViewState) -> None:
        """Remember something that was done and is taken back by doing something else."""
        self._done.append(Step(label, ViewEdits.of(state), state.trial_id, deed))
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

    def _travel(self, source: list[Step], target: list[Step], state: ViewState) -> ViewEdits | None:
        if not source:
            return None
        step = source.pop()
        target.append(Step(step.label, ViewEdits.of(state), state.trial_id))
        self._gesture = None
        goal = step.before
        if step.trial_id != state.trial_id:
            # Operations are numbered within a trial: another trial's choice means nothing here.
            goal = replace(goal, scoring=replace(goal.scoring, selected=state.scoring.selected))
        # Another trial, side or submission may be looked at by now, with an optimum of its own.
        return replace(goal, thresholds=followed(goal.thresholds, goal.applied_to(state)))
