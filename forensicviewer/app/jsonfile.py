"""A versioned JSON file that is written whole or not at all and never lost.

A file that cannot be read is set aside under a name that says so, and a file of an older version
is brought up step by step. A file of a newer version is left alone: the user may go back.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from forensicviewer.app.outputs import write_atomically
from forensicviewer.core.problem import Problem, Severity

Document: TypeAlias = dict[str, Any]
Migration: TypeAlias = Callable[[Document], Document]


@dataclass(frozen=True, slots=True)
class Reading:
    """What a file held; ``document`` is ``None`` when there was none that could be used."""

    document: Document | None = None
    problem: Problem | None = None


@dataclass(frozen=True, slots=True)
class JsonFile:
    """One file of one kind. ``migrations[n]`` turns version n + 1 into version n + 2."""

    path: Path
    kind: str
    migrations: Sequence[Migration] = ()

    @property
    def version(self) -> int:
        return len(self.migrations) + 1

    def read(self) -> Reading:
        try:
            text = self.path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return Reading()
        except (OSError, UnicodeDecodeError) as error:
            return self._set_aside(str(error))
        try:
            document = json.loads(text)
        except json.JSONDecodeError as error:
            return self._set_aside(f"line {error.lineno}: {error.msg}")
        return self._checked(document)

    def write(self, content: Mapping[str, Any]) -> None:
        document = {"kind": self.kind, "version": self.version, **content}
        write_atomically(self.path, json.dumps(document, indent=2, ensure_ascii=False) + "\n")

    def _checked(self, document: object) -> Reading:
        if not isinstance(document, dict) or document.get("kind") != self.kind:
            return self._set_aside(f"it is no {self.kind} file")
        version = document.get("version")
        if not isinstance(version, int) or version < 1:
            return self._set_aside("it does not say its version")
        if version > self.version:
            return Reading(problem=self._problem("It was written by a newer forensicviewer"))
        for migrate in self.migrations[version - 1 :]:
            document = migrate(document)
        return Reading(document=document)

    def _set_aside(self, reason: str) -> Reading:
        kept = self.path.with_name(self.path.name + ".broken")
        try:
            self.path.replace(kept)
        except OSError:
            return Reading(problem=self._problem(reason))
        return Reading(problem=self._problem(reason, hint=f"it was kept as {kept.name}"))

    def _problem(self, reason: str, *, hint: str = "") -> Problem:
        message = f"The {self.kind} file cannot be used: {reason}"
        return Problem(Severity.WARNING, message, str(self.path), hint, f"{self.kind}-file")
