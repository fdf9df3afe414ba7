"""What callers of the Python API give, checked at its door.

What has the wrong type raises a ``TypeError`` that says what was expected, as in Python itself.
"""

from __future__ import annotations

import inspect
import operator
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import UnionType
from typing import Any, TypeAlias, TypeVar, Union, get_args, get_origin

import numpy as np

from forensicviewer.core.problem import UsageError
from forensicviewer.core.rules import Switch
from forensicviewer.core.rules.catalog import choice_named

StrPath: TypeAlias = str | os.PathLike[str]
ValueT = TypeVar("ValueT")


def path_of(path: StrPath) -> Path:
    """A path as a user gives it; ``~`` is their home."""
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"expected a path, as text or pathlib.Path, not {type(path).__name__}")
    if not os.fspath(path):
        raise UsageError("The path is empty", hint="name a file or a folder")
    try:
        found = Path(path).expanduser()
        found.exists()
    except OSError as error:
        raise UsageError(f"The path is not valid: {error.strerror}", where=str(path)) from error
    except RuntimeError as error:
        raise UsageError("The path names an unknown user's home", where=str(path)) from error
    return found


def paths_of(paths: StrPath | Iterable[StrPath]) -> list[Path]:
    """One path, or several."""
    if isinstance(paths, (str, os.PathLike)):
        return [path_of(paths)]
    several: Iterable[Any] = paths if _is_several(paths) else [paths]
    return [path_of(path) for path in several]


def choices_of(rule: str | Iterable[str], *, scorer: str) -> list[Switch]:
    """The choices that ``"SWITCH=CHOICE"``, or several of them, mean to a scorer."""
    return [choice_named(text, scorer=scorer) for text in texts_of("rule", rule)]


def texts_of(name: str, value: Any) -> list[str]:
    """One text, or several."""
    return [_text(name, each) for each in (value if _is_several(value) else [value])]


def _is_several(value: object) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, (str, bytes))


def require(value: object, kind: type[ValueT], *, hint: str) -> ValueT:
    """The value, if it is what is expected; ``hint`` says where callers get one."""
    if isinstance(value, kind):
        return value
    raise TypeError(f"expected a {kind.__name__} ({hint}), not {type(value).__name__}")


def make_settings(maker: Callable[..., ValueT], options: Mapping[str, Any]) -> ValueT:
    """Settings from options by name, each converted to the type its parameter declares."""
    declared = inspect.signature(maker, eval_str=True).parameters
    return maker(**{name: _taken(name, declared[name], options[name]) for name in options})


def whole(name: str, value: Any) -> int:
    """A whole number, numpy's included; ``True`` is none."""
    if isinstance(value, (bool, np.bool_)) or not hasattr(value, "__index__"):
        raise TypeError(f"{name} must be a whole number, not {value!r}")
    return operator.index(value)


def _taken(name: str, parameter: inspect.Parameter, value: Any) -> Any:
    declared = parameter.annotation
    kinds = {*get_args(declared)} if get_origin(declared) in (Union, UnionType) else {declared}
    if value is None and type(None) in kinds:
        return None
    if any(get_origin(kind) is Iterable and get_args(kind) == (str,) for kind in kinds):
        return texts_of(name, value)
    check = next((_CHECKS[kind] for kind in _CHECKS if kinds <= {kind, type(None)}), None)
    return value if check is None else check(name, value)


def _number(name: str, value: Any) -> float:
    if isinstance(value, (str, bytes)) or not hasattr(value, "__float__"):
        raise TypeError(f"{name} must be a number, not {value!r}")
    return float(value)


def truth(name: str, value: Any) -> bool:
    """``True`` or ``False``, numpy's included."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} must be True or False, not {value!r}")
    return bool(value)


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{name} must be text, not {value!r}")
    return value


_CHECKS: Mapping[type, Callable[[str, Any], Any]] = {
    int: whole,
    float: _number,
    bool: truth,
    str: _text,
}
