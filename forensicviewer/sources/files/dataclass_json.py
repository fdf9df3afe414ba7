"""Turns frozen dataclasses into plain JSON values and back, by their type hints.

Enumerations are written by name, sets sorted. Fields that a document does not name keep their
defaults, so files of older programs stay readable; a value of the wrong kind raises ValueError.
Values of kinds JSON does not know are up to the caller: :class:`Leaves` writes and reads them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, Protocol, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")


class Leaves(Protocol):
    """Writes and reads values of further kinds; ``NotImplemented`` for what is none of them."""

    def to_json_value(self, value: object) -> Any: ...

    def from_json_value(self, kind: Any, plain: object) -> Any: ...


class _NoLeaves:
    def to_json_value(self, _value: object) -> Any:
        return NotImplemented

    def from_json_value(self, _kind: Any, _plain: object) -> Any:
        return NotImplemented


_NO_LEAVES = _NoLeaves()


def to_json_value(value: object, leaves: Leaves = _NO_LEAVES) -> Any:
    """The value as JSON knows it."""
    leaf = leaves.to_json_value(value)
    if leaf is not NotImplemented:
        return leaf
    if isinstance(value, Enum):
        return value.name
    if is_dataclass(value) and not isinstance(value, type):
        return {
            field.name: to_json_value(getattr(value, field.name), leaves) for field in fields(value)
        }
    if isinstance(value, frozenset):
        return sorted((to_json_value(member, leaves) for member in value), key=str)
    if isinstance(value, tuple | list):
        return [to_json_value(member, leaves) for member in value]
    if isinstance(value, Mapping):
        return {str(key): to_json_value(member, leaves) for key, member in value.items()}
    return value


def from_json_value(kind: type[T], plain: object, leaves: Leaves = _NO_LEAVES) -> T:
    """The frozen value a document describes."""
    found: T = _Reader(leaves).read(kind, plain)
    return found


class _Reader:
    def __init__(self, leaves: Leaves) -> None:
        self._leaves = leaves

    def read(self, kind: Any, plain: object) -> Any:
        leaf = self._leaves.from_json_value(kind, plain)
        if leaf is not NotImplemented:
            return leaf
        origin = get_origin(kind)
        if origin in (Union, UnionType):
            return self._read_optional(kind, plain)
        if origin in (tuple, frozenset):
            return origin(self._read_members(get_args(kind), _listed(plain)))
        if origin is Mapping:
            inner = get_args(kind)[1]
            return {key: self.read(inner, member) for key, member in _mapped(plain).items()}
        if is_dataclass(kind):
            return self._read_dataclass(kind, plain)
        return _read_scalar(kind, plain)

    def _read_optional(self, kind: Any, plain: object) -> Any:
        if plain is None and NoneType in get_args(kind):
            return None
        inner = next(argument for argument in get_args(kind) if argument is not NoneType)
        return self.read(inner, plain)

    def _read_members(self, kinds: tuple[Any, ...], plain: list[Any]) -> list[Any]:
        """Members that are all of one kind, or each of its own."""
        if len(kinds) == 1 or kinds[1] is Ellipsis:
            return [self.read(kinds[0], member) for member in plain]
        if len(kinds) != len(plain):
            raise ValueError(f"{plain!r} does not have {len(kinds)} members")
        return [self.read(kind, member) for kind, member in zip(kinds, plain, strict=True)]

    def _read_dataclass(self, kind: Any, plain: object) -> Any:
        if not isinstance(plain, dict):
            raise ValueError(f"{plain!r} does not describe a {kind.__name__}")  # noqa: TRY004
        hints = _hints(kind)
        named = {
            field.name: self.read(hints[field.name], plain[field.name])
            for field in fields(kind)
            if field.name in plain
        }
        missing = [
            field.name
            for field in fields(kind)
            if field.name not in named
            and field.default is MISSING
            and field.default_factory is MISSING
        ]
        if missing:
            raise ValueError(f"{kind.__name__} needs {', '.join(missing)}")
        return kind(**named)


# Looked up once for each type: it takes longer than reading the value.
_hints = cache(get_type_hints)


def _read_scalar(kind: Any, plain: object) -> Any:
    if isinstance(kind, type) and issubclass(kind, Enum):
        return _read_member(kind, plain)
    if kind is float and isinstance(plain, int) and not isinstance(plain, bool):
        return float(plain)
    if type(plain) is not kind:
        raise ValueError(f"{plain!r} is not a valid {getattr(kind, '__name__', kind)}")
    return plain


def _read_member(kind: type[Enum], plain: object) -> Enum:
    try:
        return kind[str(plain)]
    except KeyError:
        raise ValueError(f"{plain!r} is not one of {', '.join(kind.__members__)}") from None


def _listed(plain: object) -> list[Any]:
    if not isinstance(plain, list):
        raise ValueError(f"{plain!r} is not a list")  # noqa: TRY004 - one error for every bad document
    return plain


def _mapped(plain: object) -> dict[str, Any]:
    if not isinstance(plain, dict):
        raise ValueError(f"{plain!r} is not a mapping")  # noqa: TRY004 - as above
    return plain
