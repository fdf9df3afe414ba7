"""Turns names from tables into paths that stay inside their folder, and knows the cache folder."""

from __future__ import annotations

import contextlib
import os
import re
import stat
import sys
import tempfile
from pathlib import Path, PurePosixPath, PureWindowsPath

from forensicviewer.core.problem import LINKS, UnsafePathError
from forensicviewer.sources.files.links import follows_links

_OUTSIDE = "path.link"
_KEEP_INSIDE = "names must lead to a file inside the folder"
# Names that no check of their spelling refuses; all others are looked at more closely.
_PLAIN_NAME = re.compile(r"(?:\w[\w. -]*/)*\w[\w. -]*", re.ASCII)


def resolve(root: Path, name: str) -> Path:
    """The path of ``name`` in the dataset at ``root``; the file itself need not exist.

    As :func:`resolve_inside`, but links may lead elsewhere where the user trusts them.
    """
    try:
        return resolve_inside(root, name)
    except UnsafePathError as error:
        if error.rule != _OUTSIDE:
            raise
        if follows_links(root):
            return _checked_kind(root, name)
        # The same words for every file: one problem of the dataset, not one for each.
        raise UnsafePathError(
            "Links of this dataset lead outside its folder and are not followed",
            where=root,
            hint="trust the links if you know where they lead; on the command line: --follow-links",
            rule=LINKS,
        ) from error


def resolve_inside(root: Path, name: str) -> Path:
    """The path of ``name`` inside ``root``, as submissions and archives must stay.

    Refused with :class:`UnsafePathError`, without opening anything: names that are blank, absolute
    on any system, climb with ``..``, hold control characters, lead through a link to somewhere
    outside, or name something that is neither file nor folder (a pipe would never end).
    """
    check_name(name)
    path = root / name
    try:
        inside = Path(os.path.realpath(path)).is_relative_to(os.path.realpath(root))
    except (OSError, ValueError) as error:
        raise _unusable(root, name, error) from error
    if not inside:
        raise UnsafePathError(
            f"The file name {_shown(name)} leads outside the folder through a link",
            where=root,
            hint=_KEEP_INSIDE,
            rule=_OUTSIDE,
        )
    return _checked_kind(root, name)


class NamesInside:
    """Resolves very many names in one folder as :func:`resolve_inside` does, and quicker.

    Every folder among them is looked at once, so that one which is replaced by a link meanwhile is
    not noticed: to be used for one run.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._folders: dict[str, str | None] = {}

    def find(self, name: str) -> Path | None:
        """The path of a plain name that is not a link; ``None`` for all that need care."""
        if _PLAIN_NAME.fullmatch(name) is None:
            return None
        before, _, last = name.rpartition("/")
        if before not in self._folders:
            self._folders[before] = self._safe_folder(before)
        folder = self._folders[before]
        if folder is None:
            return None
        try:
            # A link is no regular file here, whatever it leads to.
            is_file = stat.S_ISREG(os.lstat(f"{folder}/{last}").st_mode)
        except FileNotFoundError:
            # What is not there leads nowhere; whoever opens it says so.
            return self._root / name
        except OSError:
            return None
        return self._root / name if is_file else None

    def _safe_folder(self, name: str) -> str | None:
        folder = os.path.realpath(self._root / name)
        return folder if Path(folder).is_relative_to(os.path.realpath(self._root)) else None


def _checked_kind(root: Path, name: str) -> Path:
    path = root / name
    try:
        special = _is_special(path)
    except (OSError, ValueError) as error:
        raise _unusable(root, name, error) from error
    if special:
        raise UnsafePathError(
            f"{_shown(name)} is neither a file nor a folder",
            where=root,
            hint="pipes and devices are not read",
            rule="path.special",
        )
    return path


def _unusable(root: Path, name: str, error: OSError | ValueError) -> UnsafePathError:
    return UnsafePathError(
        f"The file name {_shown(name)} cannot be used",
        where=root,
        hint=getattr(error, "strerror", "") or "it does not name a file",
        rule="path.unusable",
    )


def check_name(name: str) -> None:
    """Refuse a name by its spelling alone; links are only seen by :func:`resolve`."""
    if not name.strip():
        raise UnsafePathError(
            "The file name is blank", hint="write the name of the file", rule="path.blank"
        )
    if re.search(r"[\x00-\x1f\x7f]", name):
        raise UnsafePathError(
            f"The file name {_shown(name)} contains control characters",
            hint="rename the file and correct the table",
            rule="path.control",
        )
    windows = PureWindowsPath(name)
    if PurePosixPath(name).is_absolute() or windows.drive or windows.root:
        raise UnsafePathError(
            f"The file name {_shown(name)} is absolute", hint=_KEEP_INSIDE, rule="path.absolute"
        )
    # Windows' parts split at both kinds of slashes, so that "..\\" does not slip through anywhere.
    if ".." in windows.parts:
        raise UnsafePathError(
            f"The file name {_shown(name)} leaves its folder",
            hint=_KEEP_INSIDE,
            rule="path.climbs",
        )


def private_cache() -> Path:
    """The folder of this user for files that can be made again; made when missing.

    Errors are left to those who write there: most of its files only save time.
    """
    folder = _cache_home() / "forensicviewer"
    with contextlib.suppress(OSError):
        # Others on the machine must not read or swap what archives were unpacked to.
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return folder


def cases_folder() -> Path:
    """Where case files are unpacked to be looked at."""
    return private_cache() / "cases"


def home() -> Path:
    """The user's home folder; for users without one, a folder of theirs among temporary files."""
    try:
        return Path.home()
    except RuntimeError:
        return Path(tempfile.gettempdir()) / f"home-{os.getuid()}"


def _is_special(path: Path) -> bool:
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def is_own_file(path: Path, folder: Path) -> bool:
    """Whether a path is an ordinary file that lies in the folder, not elsewhere by a link."""
    return path.is_file() and _lies_in(path, folder)


def is_folder_entry(entry: os.DirEntry[str]) -> bool:
    """Whether an entry is a folder or leads to one; a link may also lead round in a circle."""
    with contextlib.suppress(OSError):
        return entry.is_dir()
    return False


def is_file_entry(entry: os.DirEntry[str]) -> bool:
    """Whether an entry is a file or leads to one; a link may also lead round in a circle."""
    with contextlib.suppress(OSError):
        return entry.is_file()
    return False


def is_own_folder(path: Path, folder: Path) -> bool:
    """Whether a path is a folder that lies in another, not elsewhere by a link."""
    return path.is_dir() and _lies_in(path, folder)


def _lies_in(path: Path, folder: Path) -> bool:
    try:
        return path.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError):
        return False


def _shown(name: str) -> str:
    return repr(name if len(name) <= 120 else name[:117] + "…")


def _cache_home() -> Path:
    named = os.environ.get("XDG_CACHE_HOME", "")
    if Path(named).is_absolute():
        return Path(named)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return home() / "Library" / "Caches"
    return home() / ".cache"
