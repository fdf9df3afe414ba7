"""What a decoder answers, as text and arrays.

Read by the type the asker expects: a decoder that was taken over by a hostile file cannot make the
asker build anything else. Never pickled, for the same reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, TypeVar, get_args, get_origin

import numpy as np
from numpy.typing import NDArray

from forensicviewer.sources.files.dataclass_json import from_json_value, to_json_value

T = TypeVar("T")
AnyArray = NDArray[Any]
_KINDS_OF_NUMBERS = "biuf"


class _Writing:
    """Sets arrays and bytes aside and writes their numbers in their places."""

    def __init__(self) -> None:
        self.arrays: list[AnyArray] = []

    def to_json_value(self, value: object) -> Any:
        if isinstance(value, bytes):
            value = np.frombuffer(value, np.uint8)
        if isinstance(value, np.ndarray):
            if value.dtype.kind not in _KINDS_OF_NUMBERS:
                raise TypeError(f"An array of {value.dtype} cannot be answered")
            self.arrays.append(value)
            return len(self.arrays) - 1
        if isinstance(value, Fraction):
            return [value.numerator, value.denominator]
        return NotImplemented

    def from_json_value(self, _kind: Any, _plain: object) -> Any:
        raise NotImplementedError


class _Reading:
    def __init__(self, arrays: Sequence[AnyArray]) -> None:
        self._arrays = arrays

    def to_json_value(self, _value: object) -> Any:
        raise NotImplementedError

    def from_json_value(self, kind: Any, plain: object) -> Any:
        if kind is bytes:
            return self._array(plain).tobytes()
        if get_origin(kind) is np.ndarray:
            found = self._array(plain)
            wanted = get_args(get_args(kind)[1])[0]
            if wanted is not Any and not np.issubdtype(found.dtype, get_origin(wanted) or wanted):
                raise ValueError(f"an array of {found.dtype} instead of {wanted}")
            return found
        if kind is Fraction:
            numerator, denominator = from_json_value(tuple[int, int], plain)
            if not denominator:
                raise ValueError("a fraction of nothing")
            return Fraction(numerator, denominator)
        return NotImplemented

    def _array(self, plain: object) -> AnyArray:
        if type(plain) is not int or not 0 <= plain < len(self._arrays):
            raise ValueError(f"{plain!r} is not one of {len(self._arrays)} arrays")
        return self._arrays[plain]


def write_answer(value: object) -> tuple[Any, list[AnyArray]]:
    """The value as JSON knows it, and the arrays in it."""
    writing = _Writing()
    return to_json_value(value, writing), writing.arrays


def read_answer(kind: type[T], plain: object, arrays: Sequence[AnyArray]) -> T:
    """The value of a known type; ValueError for anything else."""
    return from_json_value(kind, plain, _Reading(arrays))
