"""A cache with a limit in bytes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

KeyT = TypeVar("KeyT", bound=Hashable)
ValueT = TypeVar("ValueT")


class ByteBudgetCache(Generic[KeyT, ValueT]):
    """Keeps the most recently used values within a byte budget.

    A value larger than the whole budget is not kept: it would only push everything else out.
    """

    def __init__(self, budget_bytes: int) -> None:
        self.budget_bytes = budget_bytes
        self._held: OrderedDict[KeyT, tuple[ValueT, int]] = OrderedDict()
        self._bytes_held = 0

    @property
    def bytes_held(self) -> int:
        return self._bytes_held

    def __len__(self) -> int:
        return len(self._held)

    def __contains__(self, key: KeyT) -> bool:
        return key in self._held

    def get(self, key: KeyT) -> ValueT | None:
        """The value, now the most recently used one; ``None`` if it is not in the cache."""
        found = self._held.get(key)
        if found is None:
            return None
        self._held.move_to_end(key)
        return found[0]

    def put(self, key: KeyT, value: ValueT, *, size: int) -> None:
        """Keep a value of ``size`` bytes and let go of the least recently used ones."""
        before = self._held.pop(key, None)
        if before is not None:
            self._bytes_held -= before[1]
        if size > self.budget_bytes:
            return
        self._held[key] = value, size
        self._bytes_held += size
        while self._bytes_held > self.budget_bytes:
            _, (_, freed) = self._held.popitem(last=False)
            self._bytes_held -= freed

    def clear(self) -> Callable[[], None]:
        """Empty the cache; calling the result frees the memory, which may take a while."""
        held, self._held, self._bytes_held = self._held, OrderedDict(), 0
        return held.clear
