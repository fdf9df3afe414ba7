"""What an asker and a decoder tell each other, and how it is written.

Questions are pickled: the decoder trusts the asker. Answers are JSON with arrays beside it: the
asker does not trust the decoder.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, TypeAlias

from forensicviewer.core import problem
from forensicviewer.core.problem import CodecError, ForensicViewerError
from forensicviewer.core.progress import Progress
from forensicviewer.sources.files.dataclass_json import from_json_value, to_json_value
from forensicviewer.sources.files.deadline import CalledOffError, Deadline

Channel: TypeAlias = "Connection[Any, Any]"

LARGEST_ANSWER = 64 << 20  # without its arrays

_ERRORS = {
    kind.__name__: kind
    for kind in (*vars(problem).values(), CalledOffError)
    if isinstance(kind, type) and issubclass(kind, ForensicViewerError)
}


@dataclass(frozen=True, slots=True)
class Failure:
    """An expected failure, as its parts.

    Never the error itself: other libraries change what pickling an error means.
    """

    kind: str
    message: str
    where: str
    hint: str
    rule: str

    @classmethod
    def of(cls, error: ForensicViewerError) -> Failure:
        return cls(type(error).__name__, error.message, error.where, error.hint, error.rule)

    def as_error(self) -> ForensicViewerError:
        kind = _ERRORS.get(self.kind, CodecError)
        return kind(self.message, where=self.where, hint=self.hint, rule=self.rule)


@dataclass(frozen=True, slots=True)
class CallMessage:
    """A call to make, or (``call`` is ``None``) nothing: what was asked is not wanted any more.

    ``of`` is the number of a kept object whose method is called; ``keep_as`` is the number its
    result is kept by; ``forget`` are kept objects to let go of.
    """

    call: bytes | None = None
    of: int | None = None
    keep_as: int | None = None
    forget: int | None = None
    # Paths in the call; where there is no failure, a descriptor follows.
    files: tuple[tuple[Path, Failure | None], ...] = ()


class CallPickler(pickle.Pickler):
    """Pickles a call; notes the paths in it, and leaves out what only the asker can do."""

    def __init__(self, stream: io.BytesIO) -> None:
        super().__init__(stream, protocol=pickle.HIGHEST_PROTOCOL)
        self.paths: dict[Path, None] = {}
        self.deadline: Deadline | None = None
        self.progress: Progress | None = None

    def persistent_id(self, value: Any) -> tuple[str, float] | None:
        if isinstance(value, Path):
            self.paths[value] = None
        elif isinstance(value, Deadline):
            self.deadline = value
            return "deadline", value.seconds
        elif isinstance(value, ProgressOf):
            self.progress = value.tell
            return "progress", 0.0
        return None


@dataclass(frozen=True, slots=True)
class ProgressOf:
    """Marks the argument that receives the progress of the work."""

    tell: Progress

    def __call__(self, done: int, total: int) -> None:
        self.tell(done, total)


class CallUnpickler(pickle.Unpickler):
    """Reads a call and puts the decoder's own deadline and progress where the asker's were."""

    def __init__(
        self, call: bytes, *, is_called_off: Callable[[], bool], progress: Progress
    ) -> None:
        super().__init__(io.BytesIO(call))
        self._is_called_off = is_called_off
        self._progress = progress

    def persistent_load(self, mark: Any) -> Any:
        what, seconds = mark
        if what == "deadline":
            return Deadline(seconds, is_called_off=self._is_called_off)
        return self._progress


def plain_failure(error: ForensicViewerError) -> Any:
    return to_json_value(Failure.of(error))


def read_failure(plain: object) -> ForensicViewerError:
    return from_json_value(Failure, plain).as_error()
