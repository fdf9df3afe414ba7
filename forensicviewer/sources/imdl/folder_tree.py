"""The files below a folder, listed once; links are never followed."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from forensicviewer.core.cached import cached_property
from forensicviewer.sources.imdl.pair import is_image

_DEEPEST = 6


@dataclass(frozen=True)
class FolderTree:
    """A folder and the names of all files below it, sorted as ``sorted(os.listdir())`` sorts."""

    root: Path
    files: tuple[str, ...]

    @classmethod
    def of(cls, root: Path) -> FolderTree:
        return cls(root, tuple(_walk(root, "", 0)))

    @cached_property
    def by_folder(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for name in self.files:
            folder, _, _ = name.rpartition("/")
            found.setdefault(folder, []).append(name)
        return found

    @cached_property
    def folders(self) -> tuple[str, ...]:
        """Every folder that holds files, and those above it."""
        names: dict[str, None] = {}
        for folder in self.by_folder:
            parts = folder.split("/")
            names |= dict.fromkeys("/".join(parts[: depth + 1]) for depth in range(len(parts)))
        return tuple(name for name in names if name)

    def named(self, *words: str) -> str | None:
        """The folder with one of these last names, whatever its case; the uppermost one."""
        wanted = {word.lower() for word in words}
        found = [each for each in self.folders if each.rpartition("/")[2].lower() in wanted]
        return min(found, key=lambda each: each.count("/"), default=None)

    def below(self, folder: str | None) -> list[str]:
        """The images below a folder, at any depth."""
        if folder is None:
            return []
        start = f"{folder}/" if folder else ""
        return [name for name in self.files if name.startswith(start) and is_image(name)]

    def directly_in(self, folder: str | None) -> list[str]:
        """The files that lie in a folder itself."""
        return [] if folder is None else self.by_folder.get(folder, [])


def _walk(folder: Path, prefix: str, depth: int) -> Iterator[str]:
    entries: Sequence[os.DirEntry[str]]
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        if entry.name.startswith(".") or entry.is_symlink():
            continue
        if entry.is_dir():
            if depth < _DEEPEST:
                yield from _walk(Path(entry.path), f"{prefix}{entry.name}/", depth + 1)
        elif entry.is_file():
            yield prefix + entry.name
