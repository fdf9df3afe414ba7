"""Finds the files a list names, and only below its own folder and the folders a user names.

Lists are mostly written on another machine: ``/mnt/data0/public/IML/CASIA/Tp/a.jpg``. A named
folder may hold the same tree under another prefix, or the user says which prefix became which.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from forensicviewer.core.problem import UsageError
from forensicviewer.sources.files.links import follows_links

_MOST_BYTES, _LONGEST_PART = 4096, 255  # of a path, and of a name in it, on all systems
_LEAST_PARTS = 2  # a file name alone would find the image in place of its mask


@dataclass(frozen=True, slots=True)
class Roots:
    """Folders a user names besides the list's own, and prefixes to be replaced."""

    folders: tuple[Path, ...] = ()
    maps: tuple[tuple[str, Path], ...] = ()

    @classmethod
    def of(cls, folders: tuple[Path, ...] = (), maps: tuple[str, ...] = ()) -> Roots:
        """``maps`` are written OLD=NEW, as on the command line."""
        replaced = []
        for text in maps:
            old, sign, new = text.partition("=")
            if not (old and sign and new):
                raise UsageError(
                    f"{text!r} does not say which folder replaces which", hint="write OLD=NEW"
                )
            replaced.append((old.rstrip("/\\").replace("\\", "/"), Path(new).absolute()))
        return cls(tuple(folder.absolute() for folder in folders), tuple(replaced))

    def allowed(self, own: Path) -> tuple[Path, ...]:
        return (own.absolute(), *self.folders, *(new for _, new in self.maps))


@dataclass(slots=True)
class Finder:
    """Finds files of one list; what lies elsewhere is refused without being looked at."""

    own: Path
    roots: Roots
    _skipped: dict[int, int] = field(default_factory=dict)
    _real: dict[Path, Path] = field(default_factory=dict)

    def find(self, name: str) -> Path | None:
        """The path of a listed file; ``None`` where it lies outside of every allowed folder.

        Names that no file can have lie nowhere.
        """
        text = name.strip().replace("\\", "/")
        if not _is_possible(text):
            return None
        for old, new in self.roots.maps:
            if text == old or text.startswith(old + "/"):
                return self._inside(new / text[len(old) :].lstrip("/"))
        allowed = self.roots.allowed(self.own)
        parts = [part for part in PurePosixPath(text).parts if part not in ("/", ".")]
        if not parts:
            return None
        if ".." not in parts and not _is_absolute(text):
            near = [folder.joinpath(*parts) for folder in allowed]
            existing = next((path for path in near if os.path.exists(path)), None)  # noqa: PTH110 - of paths that are too long this says no
            found = None if existing else self._by_tail(parts)
            return found or self._inside(existing or near[0])
        # The dots are followed by their names alone: nothing outside is looked at.
        direct = Path(os.path.normpath(self.own.absolute() / text))
        if (Path(text).is_absolute() or not _is_absolute(text)) and self._is_below(direct):
            return self._inside(direct)
        return self._by_tail([part for part in direct.parts[1:] if part != ".."])

    def folder_of(self, name: str) -> str:
        """The folder a list means, written out: what a user can name to have it read."""
        text = name.strip().replace("\\", "/")
        folder = text.rpartition("/")[0]
        if _is_absolute(text):
            return folder
        return Path(os.path.normpath(self.own.absolute() / folder)).as_posix()

    def _is_below(self, path: Path) -> bool:
        """Whether a path lies in an allowed folder by its name."""
        return any(
            path.is_relative_to(folder) or path.is_relative_to(self._real_of(folder))
            for folder in self.roots.allowed(self.own)
        )

    def _real_of(self, folder: Path) -> Path:
        if folder not in self._real:
            self._real[folder] = Path(os.path.realpath(folder))
        return self._real[folder]

    def _by_tail(self, parts: Sequence[str]) -> Path | None:
        """The same tree below another prefix; what was left off once is tried first."""
        allowed = self.roots.allowed(self.own)
        for number, folder in enumerate(allowed):
            tried = range(1, len(parts) - _LEAST_PARTS + 1)
            usual = self._skipped.get(number)
            for skipped in (*(() if usual is None else (usual,)), *tried):
                path = folder.joinpath(*parts[skipped:])
                if len(parts) - skipped >= _LEAST_PARTS and os.path.exists(path):  # noqa: PTH110 - of paths that are too long this says no
                    self._skipped[number] = skipped
                    return self._inside(path)
        return None

    def _inside(self, path: Path) -> Path | None:
        """The path, where it leads into an allowed folder through no link to elsewhere.

        Links to elsewhere are followed where the user trusts those of the list's folder.
        """
        real = Path(os.path.realpath(path))
        for folder in self.roots.allowed(self.own):
            if real.is_relative_to(self._real_of(folder)):
                return path
            is_below = Path(os.path.abspath(path)).is_relative_to(folder)  # noqa: PTH100 - links stay links
            if is_below and follows_links(self.own):
                return path
        return None


def _is_possible(name: str) -> bool:
    """Whether a file can be called so: a list may hold any characters, and any number of them."""
    try:
        coded = os.fsencode(name)
    except UnicodeEncodeError:
        return False
    parts = coded.split(b"/")
    return b"\0" not in coded and len(coded) < _MOST_BYTES and max(map(len, parts)) <= _LONGEST_PART


def _is_absolute(text: str) -> bool:
    return text.startswith("/") or (len(text) > 1 and text[1] == ":")
