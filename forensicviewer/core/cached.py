"""Values that an object computes on first use and keeps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

_Value = TypeVar("_Value")


class cached_property(Generic[_Value]):  # noqa: N801 - the name everybody knows
    """As ``functools.cached_property``, without its lock.

    Python 3.11 takes one lock per property and class, not per object: two threads that read tables
    wait for each other, and for ever where one property needs another of a second object (3.12
    dropped the lock). Here both threads work the value out and the first answer is kept.
    """

    def __init__(self, work_out: Callable[[Any], _Value]) -> None:
        self._work_out = work_out
        self._name = work_out.__name__
        self.__doc__ = work_out.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> cached_property[_Value]: ...
    @overload
    def __get__(self, instance: object, owner: type) -> _Value: ...
    def __get__(self, instance: object | None, owner: type) -> cached_property[_Value] | _Value:
        if instance is None:
            return self
        # Found there from now on: a descriptor that cannot be set gives way to the object's own.
        kept: _Value = instance.__dict__.setdefault(self._name, self._work_out(instance))
        return kept
