"""Registries: the parts of one kind by their names, built in or added by another package.

A package adds a part with an entry point of the group ``forensicviewer.<kind>``. What it names is a
part, or a function without arguments that returns a part or several. One that cannot be used
becomes a problem; the others, and the program, are not touched by it.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Iterator
from importlib.metadata import EntryPoint, entry_points
from typing import Generic, Protocol, TypeVar

from forensicviewer.core.problem import ForensicViewerError, Problem, ProblemLog, Severity, Topic


class Named(Protocol):
    """What every part has."""

    @property
    def name(self) -> str: ...


PartT = TypeVar("PartT", bound=Named)

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,39}")


class Registry(Generic[PartT]):
    """The parts of one kind. Those of other packages are loaded when one is first asked for."""

    def __init__(
        self, kind: str, part: type[PartT], built_in: Callable[[], Iterable[PartT]]
    ) -> None:
        self.kind = kind
        self._part = part
        self._built_in = built_in
        self._found: dict[str, PartT] | None = None
        self._own_parts: dict[str, PartT] | None = None
        self._log = ProblemLog(topic=Topic.PROGRAM)
        self._loading = threading.RLock()

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What other packages wanted to add and could not."""
        self._load()
        return self._log.freeze()

    def __iter__(self) -> Iterator[PartT]:
        return iter(tuple(self._load().values()))

    @property
    def built_in(self) -> tuple[PartT, ...]:
        """Those that come with the program; no other package is loaded for them."""
        return tuple(self._load_own().values())

    def get(self, name: str) -> PartT | None:
        return self._load().get(name)

    def is_built_in(self, name: str) -> bool:
        return name in self._load_own()

    def report(self, name: str, why: str) -> None:
        """Remember that a part failed while it was used."""
        self._log.add(_problem(self.kind, name, why, name))

    def register(self, part: PartT) -> None:
        """Add a part; the door for built-in ones and those of other packages alike."""
        with self._loading:
            self._add(self._load(), part)

    def _add(self, found: dict[str, PartT], part: object) -> None:
        if not isinstance(part, self._part):
            raise ForensicViewerError(
                f"It is a {type(part).__name__}, not a "
                f"{self._part.__module__}.{self._part.__name__}"
            )
        if not isinstance(part.name, str) or not _NAME.fullmatch(part.name):
            raise ForensicViewerError(
                f"{part.name!r} is not a valid name (letters, digits, '.', '-' and '_', up to 40)"
            )
        if part.name in found:
            raise ForensicViewerError(f"The name {part.name} is already in use")
        found[part.name] = part

    def _load(self) -> dict[str, PartT]:
        with self._loading:
            if self._found is None:
                self._found = dict(self._load_own())
                for entry in sorted(entry_points(group=f"forensicviewer.{self.kind}")):
                    self._take(entry, self._found)
            return self._found

    def _load_own(self) -> dict[str, PartT]:
        with self._loading:
            if self._own_parts is None:
                self._own_parts = {}
                for part in self._built_in():
                    self._add(self._own_parts, part)
            return self._own_parts

    def _take(self, entry: EntryPoint, found: dict[str, PartT]) -> None:
        try:
            for part in self._parts_of(entry):
                self._add(found, part)
        except Exception as error:  # noqa: BLE001 - the code of others raises whatever it likes
            self._log.add(_failure(self.kind, entry, error))

    def _parts_of(self, entry: EntryPoint) -> list[object]:
        loaded = entry.load()
        if not isinstance(loaded, self._part) and callable(loaded):
            loaded = loaded()
        is_several = isinstance(loaded, Iterable) and not isinstance(loaded, self._part)
        return list(loaded) if is_several else [loaded]


def _failure(kind: str, entry: EntryPoint, error: Exception) -> Problem:
    """What to tell about a plug-in that cannot be loaded."""
    package = "" if entry.dist is None else f"{entry.dist.name} {entry.dist.version}"
    said = error.message if isinstance(error, ForensicViewerError) else describe(error)
    return _problem(kind, entry.name, said, package or entry.value)


def _problem(kind: str, name: str, why: str, where: str) -> Problem:
    return Problem(
        Severity.ERROR,
        f"The plug-in {name} ({kind}) cannot be used: {why}",
        where,
        "update or uninstall the package",
        "plugin.failed",
        topic=Topic.PROGRAM,
    )


def describe(error: Exception) -> str:
    """An error of other people's code in one line."""
    text = str(error).strip().split("\n")[0][:200]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
