"""The files below a folder, listed once; links are followed where they are trusted."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from forensicviewer.core.cached import cached_property
from forensicviewer.sources.files.paths import is_file_entry, is_folder_entry
from forensicviewer.sources.imdl.pair import is_image

_DEEPEST = 6


@dataclass(frozen=True)
class FolderTree:
    """A folder and the names of all files below it, sorted as ``sorted(os.listdir())`` sorts."""

    root: Path
    files: tuple[str, ...]
    skipped_links: tuple[str, ...] = ()

    @classmethod
    def of(cls, root: Path, *, follows_links: bool = False) -> FolderTree:
        """List a folder; links are entered where they are followed, and told otherwise."""
        skipped: list[str] = []
        way = (os.path.realpath(root),)
        found = tuple(_walk(root, "", way, None if follows_links else skipped))
        return cls(root, found, tuple(skipped))

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
        """The files directly in a folder."""
        return [] if folder is None else self.by_folder.get(folder, [])


def _walk(
    folder: Path, prefix: str, way: tuple[str, ...], skipped: list[str] | None
) -> Iterator[str]:
    """The files below a folder; ``way`` are the true places of the folders above them."""
    entries: Sequence[os.DirEntry[str]]
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        if entry.name.startswith("."):
            continue
        if entry.is_symlink() and skipped is not None:
            skipped.append(prefix + entry.name)
        elif is_folder_entry(entry):
            real = os.path.realpath(entry.path)
            # A link to a folder above it would be walked round and round.
            if len(way) <= _DEEPEST and real not in way:
                yield from _walk(Path(entry.path), f"{prefix}{entry.name}/", (*way, real), skipped)
        elif is_file_entry(entry):
            yield prefix + entry.name
