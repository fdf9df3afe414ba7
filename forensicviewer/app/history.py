"""Undo and redo of view edits: what was changed, and what it was before."""

from __future__ import annotations

from dataclasses import dataclass, replace

from forensicviewer.app.state import ViewEdits, ViewState

LONGEST = 200


@dataclass(frozen=True, slots=True)
class Step:
    """One undoable edit: its name, and the edits as they were before it."""

    label: str
    before: ViewEdits
    trial_id: str | None


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

    def undo(self, state: ViewState) -> ViewEdits | None:
        """The edits to go back to; ``None`` when there is nothing to undo."""
        return self._travel(self._done, self._undone, state)

    def redo(self, state: ViewState) -> ViewEdits | None:
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
        return goal
