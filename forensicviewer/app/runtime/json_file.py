"""A versioned JSON file that is written whole or not at all and never lost.

A file that cannot be read is set aside under a name that says so, and a file of an older version
is brought up step by step. Of a file of a newer version a copy is kept: the user may go back.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

from forensicviewer.app.runtime.atomic import write_atomically
from forensicviewer.core.problem import Problem, Severity, Topic

Document: TypeAlias = dict[str, Any]
Migration: TypeAlias = Callable[[Document], Document]

# Far more than any of these files grows to; more would only block the window.
_MAX_BYTES = 64 * 2**20
# How a file writes half of a character that takes two codes.
_ESCAPED_HALF = "\\ud"


@dataclass(frozen=True, slots=True)
class Reading:
    """The content of a file; ``document`` is ``None`` if it was missing or unusable."""

    document: Document | None = None
    problem: Problem | None = None


@dataclass(frozen=True, slots=True)
class JsonFile:
    """One file of one kind. ``migrations[n]`` turns version n + 1 into version n + 2.

    ``is_ours`` is false for a file the user named: whatever is wrong with it, it stays in place.
    """

    path: Path
    kind: str
    migrations: Sequence[Migration] = ()
    is_ours: bool = True

    @property
    def version(self) -> int:
        return len(self.migrations) + 1

    def read(self) -> Reading:
        try:
            if not self.path.exists():
                return Reading()
            text = self._text()
            document = json.loads(text)
            if _ESCAPED_HALF in text.lower():
                _refuse_halves(document)
        except json.JSONDecodeError as error:
            return self.set_aside(f"line {error.lineno}: {error.msg}")
        except RecursionError:
            return self.set_aside("it is nested too deeply")
        except OSError as error:
            return self.set_aside(error.strerror or str(error))
        except ValueError as error:
            # No UTF-8, half a character, or a number of thousands of digits.
            return self.set_aside(str(error))
        return self._checked(document)

    def read_own(self) -> Reading:
        """Read the last file of this version, even if an older version has written since.

        Two versions in turns then keep what is their own.
        """
        kept = self._copy_of(self.version)
        if kept.is_file():
            written = replace(self, path=kept, is_ours=False).read()
            if written.document is not None and self._is_older():
                return written
        return self.read()

    def _is_older(self) -> bool:
        """Whether the file was written by an older version."""
        try:
            version = json.loads(self._text()).get("version")
        except (OSError, ValueError, AttributeError, RecursionError):
            return False
        return isinstance(version, int) and version < self.version

    def write(self, content: Mapping[str, Any]) -> None:
        document = {"kind": self.kind, "version": self.version, **content}
        write_atomically(self.path, json.dumps(document, indent=2, ensure_ascii=False) + "\n")

    def keep(self, content: Mapping[str, Any]) -> Problem | None:
        """Write optional data for the next start; return the problem if that fails."""
        try:
            self.write(content)
        except OSError as error:
            message = f"The {self.kind} file cannot be written: {error.strerror}"
            hint = "the settings stay in use until the program ends"
            return Problem(
                Severity.WARNING,
                message,
                str(self.path),
                hint,
                f"{self.kind}-unwritten",
                topic=Topic.PROGRAM,
            )
        return None

    def _text(self) -> str:
        if not self.path.is_file():
            raise ValueError("it is not a file")
        if self.path.stat().st_size > _MAX_BYTES:
            raise ValueError(f"it exceeds {_MAX_BYTES >> 20} MB")
        return self.path.read_text(encoding="utf-8")

    def _checked(self, document: object) -> Reading:
        if not isinstance(document, dict) or document.get("kind") != self.kind:
            return self.set_aside(f"it is not a {self.kind} file")
        version = document.get("version")
        if not isinstance(version, int) or version < 1:
            return self.set_aside("it does not state its version")
        if version > self.version:
            return self._keep_newer(version)
        for migrate in self.migrations[version - 1 :]:
            document = migrate(document)
        return Reading(document=document)

    def _keep_newer(self, version: int) -> Reading:
        """Keep a copy of the file of a newer version, because this version replaces it."""
        kept = self._copy_of(version)
        try:
            if self.is_ours:
                shutil.copyfile(self.path, kept)
        except OSError:
            return Reading(problem=self._problem("it was written by a newer forensicviewer"))
        hint = f"it was saved as {kept.name}" if self.is_ours else "open it with the newer version"
        return Reading(problem=self._problem("it was written by a newer forensicviewer", hint=hint))

    def _copy_of(self, version: int) -> Path:
        return self.path.with_name(f"{self.path.name}.version-{version}")

    def set_aside(self, reason: str) -> Reading:
        """Report an unusable file and rename it, so that it is not overwritten."""
        if not self.is_ours:
            return Reading(problem=self._problem(reason))
        kept = self.path.with_name(self.path.name + ".broken")
        try:
            self.path.replace(kept)
        except OSError:
            return Reading(problem=self._problem(reason))
        return Reading(problem=self._problem(reason, hint=f"it was saved as {kept.name}"))

    def _problem(self, reason: str, *, hint: str = "") -> Problem:
        message = f"The {self.kind} file cannot be used: {reason}"
        rule, where = f"{self.kind}-file", str(self.path)
        return Problem(Severity.WARNING, message, where, hint, rule, topic=Topic.PROGRAM)


def _refuse_halves(document: object) -> None:
    """Raise if a text contains a lone surrogate: it could not be shown or written again."""
    try:
        json.dumps(document, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        raise ValueError("it contains an incomplete character") from None
