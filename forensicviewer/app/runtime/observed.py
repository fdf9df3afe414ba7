"""State that listeners follow: replaced whole, and announced with what changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from enum import Flag
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

StateT = TypeVar("StateT", bound="DataclassInstance")
ChangeT = TypeVar("ChangeT", bound=Flag)


class Observed(Generic[StateT, ChangeT]):
    """Holds a frozen state; listeners get each new one with the flags of what changed."""

    def __init__(self, state: StateT) -> None:
        self._state = state
        self._listeners: list[Callable[[StateT, ChangeT], None]] = []

    @property
    def state(self) -> StateT:
        return self._state

    def subscribe(self, listener: Callable[[StateT, ChangeT], None]) -> Callable[[], None]:
        """Get every change from now on; call the result to stop."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def _set(self, change: ChangeT, state: StateT) -> None:
        """Replace the state, and announce it unless nothing changed."""
        if not _is_same(self._state, state):
            self._put(change, state)

    def _put(self, change: ChangeT, state: StateT) -> None:
        self._state = state
        if change:
            for listener in tuple(self._listeners):
                listener(self._state, change)


def _is_same(one: StateT, other: StateT) -> bool:
    # Most fields are the very same object, and comparing what they hold would take long.
    pairs = ((getattr(one, each.name), getattr(other, each.name)) for each in fields(one))
    return all(before is now or before == now for before, now in pairs)
