"""Turns frozen dataclasses into plain JSON values and back, by their type hints.

Enumerations are written by name, sets sorted. Fields that a document does not name keep their
defaults, so files of older programs stay readable; a value of the wrong kind raises ValueError.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")


def to_json_value(value: object) -> Any:
    """The value as JSON knows it."""
    if isinstance(value, Enum):
        return value.name
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: to_json_value(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, frozenset):
        return sorted((to_json_value(member) for member in value), key=str)
    if isinstance(value, tuple | list):
        return [to_json_value(member) for member in value]
    if isinstance(value, Mapping):
        return {str(key): to_json_value(member) for key, member in value.items()}
    return value


def from_json_value(kind: type[T], plain: object) -> T:
    """The frozen value a document describes."""
    found: T = _read(kind, plain)
    return found


def _read(kind: Any, plain: object) -> Any:
    origin = get_origin(kind)
    if origin in (Union, UnionType):
        return _read_optional(kind, plain)
    if origin in (tuple, frozenset):
        return origin(_read(get_args(kind)[0], member) for member in _listed(plain))
    if origin is Mapping:
        return {key: _read(get_args(kind)[1], member) for key, member in _mapped(plain).items()}
    if is_dataclass(kind):
        return _read_dataclass(kind, plain)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return _read_member(kind, plain)
    if kind is float and isinstance(plain, int) and not isinstance(plain, bool):
        return float(plain)
    if type(plain) is not kind:
        raise ValueError(f"{plain!r} is no {getattr(kind, '__name__', kind)}")
    return plain


def _read_optional(kind: Any, plain: object) -> Any:
    if plain is None and NoneType in get_args(kind):
        return None
    inner = next(argument for argument in get_args(kind) if argument is not NoneType)
    return _read(inner, plain)


def _read_member(kind: type[Enum], plain: object) -> Enum:
    try:
        return kind[str(plain)]
    except KeyError:
        raise ValueError(f"{plain!r} is none of {', '.join(kind.__members__)}") from None


def _read_dataclass(kind: Any, plain: object) -> Any:
    if not isinstance(plain, dict):
        raise ValueError(f"{plain!r} does not describe a {kind.__name__}")  # noqa: TRY004
    hints = get_type_hints(kind)
    named = {
        field.name: _read(hints[field.name], plain[field.name])
        for field in fields(kind)
        if field.name in plain
    }
    missing = [
        field.name
        for field in fields(kind)
        if field.name not in named and field.default is MISSING and field.default_factory is MISSING
    ]
    if missing:
        raise ValueError(f"{kind.__name__} needs {', '.join(missing)}")
    return kind(**named)


def _listed(plain: object) -> list[Any]:
    if not isinstance(plain, list):
        raise ValueError(f"{plain!r} is no list")  # noqa: TRY004 - one error for every bad document
    return plain


def _mapped(plain: object) -> dict[str, Any]:
    if not isinstance(plain, dict):
        raise ValueError(f"{plain!r} is no mapping")  # noqa: TRY004 - as above
    return plain
