"""Keeps what counting masks found, by content, so that nothing is ever counted twice.

One SQLite file in the user's cache folder. It is safe to delete; a broken one is set aside.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from types import TracebackType

from forensicviewer.core.problem import ProblemLog, Topic
from forensicviewer.sources.files.atomic import Stamp, stamp_of
from forensicviewer.sources.files.paths import private_cache

DEFAULT_BYTES = 512 * 2**20
_MAX_FILES = 2_000_000
_VERSION = 2
_READ_AT_ONCE = 1 << 16
_SCHEMA = """
CREATE TABLE IF NOT EXISTS files (
    path TEXT PRIMARY KEY, stamp TEXT NOT NULL, digest TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS results (
    key TEXT PRIMARY KEY, payload BLOB NOT NULL, checksum BLOB NOT NULL, used INTEGER NOT NULL
) WITHOUT ROWID;
"""


# What reading a store raises; names and values in a broken one are not of the types they have.
_FAULTS = (sqlite3.Error, TypeError, ValueError, OverflowError)


class ResultStore:
    """Results by key with their checksums, and the digests of files that have not changed.

    Safe to use from several processes at once; only one of them should write at a time, the others
    wait. Failing to write does not fail the work: results are merely counted again next time.
    """

    def __init__(self, path: Path, *, max_bytes: int = DEFAULT_BYTES) -> None:
        self.path = path
        self.problems = ProblemLog(topic=Topic.PROGRAM)
        self._max_bytes = max_bytes
        self._used: set[str] = set()
        self._is_damaged = False
        self._connection = self._open()

    @classmethod
    def of_user(cls) -> ResultStore:
        """The store in the user's own cache folder."""
        return cls(private_cache() / "scores.sqlite")

    def __enter__(self) -> ResultStore:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def get(self, keys: Iterable[str]) -> dict[str, bytes]:
        """The results that are kept under some of these keys."""
        found: dict[str, bytes] = {}
        with self._forgiving():
            for some in _portions(keys):
                rows = self._connection.execute(
                    f"SELECT key, payload, checksum FROM results WHERE key IN ({_marks(some)})",
                    some,
                )
                for key, payload, checksum in rows:
                    # One that is not what was put is counted again.
                    if _checksum(str(key), bytes(payload)) == checksum:
                        found[str(key)] = bytes(payload)
        self._used.update(found)
        return found

    def put(
        self, results: Mapping[str, bytes], digests: Iterable[tuple[Path, Stamp, str]] = ()
    ) -> None:
        """Keep results at once, so that a killed run loses nothing it has counted.

        With them the digests of files, each with the stamp it had before it was read.
        """
        now = time.time_ns()
        files = [(_name(path), _written(stamp), digest) for path, stamp, digest in digests]
        with self._forgiving(), self._together():
            self._connection.executemany("INSERT OR REPLACE INTO files VALUES (?, ?, ?)", files)
            self._connection.executemany(
                "INSERT OR REPLACE INTO results VALUES (?, ?, ?, ?)",
                [(key, kept, _checksum(key, kept), now) for key, kept in results.items()],
            )

    def known_digests(self, paths: Iterable[Path]) -> dict[Path, str]:
        """The digests of the files that have not changed since they were stored."""
        stamps: dict[Path, tuple[str, str]] = {}
        for path in paths:
            with contextlib.suppress(OSError):
                stamps[path] = _name(path), _written(stamp_of(path))
        digests: dict[tuple[str, str], str] = {}
        with self._forgiving():
            for some in _portions({name for name, _ in stamps.values()}):
                rows = self._connection.execute(
                    f"SELECT path, stamp, digest FROM files WHERE path IN ({_marks(some)})", some
                )
                digests.update(((str(name), stamp), str(digest)) for name, stamp, digest in rows)
        return {path: digests[stamp] for path, stamp in stamps.items() if stamp in digests}

    def close(self) -> None:
        with self._forgiving():
            self._touch(self._used)
            self._prune()
        self._connection.close()
        if self._is_damaged:
            # Found only when that part of it was read; the next run begins anew.
            with contextlib.suppress(OSError):
                self.path.replace(self.path.with_name(f"{self.path.name}.broken"))

    def _touch(self, keys: Iterable[str]) -> None:
        now = time.time_ns()
        with self._together():
            self._connection.executemany(
                "UPDATE results SET used = ? WHERE key = ?", [(now, key) for key in keys]
            )

    @contextlib.contextmanager
    def _together(self) -> Iterator[None]:
        """Several statements that the disk waits for once."""
        self._connection.execute("BEGIN")
        try:
            yield
        except BaseException:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")

    def _prune(self) -> None:
        """Forget the results longest unused until the rest fits the bound."""
        (files,) = self._connection.execute("SELECT count(*) FROM files").fetchone()
        if files > _MAX_FILES:
            self._connection.execute("DELETE FROM files")
        (size,) = self._connection.execute(
            "SELECT coalesce(sum(length(payload) + length(key)), 0) FROM results"
        ).fetchone()
        if size <= self._max_bytes:
            return
        excess = size - self._max_bytes * 9 // 10
        dropped: list[tuple[str]] = []
        for key, length in self._connection.execute(
            "SELECT key, length(payload) + length(key) FROM results ORDER BY used"
        ):
            if excess <= 0:
                break
            dropped.append((key,))
            excess -= length
        self._connection.executemany("DELETE FROM results WHERE key = ?", dropped)
        self._connection.execute("DELETE FROM files")
        self._connection.execute("VACUUM")

    def _open(self) -> sqlite3.Connection:
        try:
            return _connected(self.path)
        except (*_FAULTS, OSError) as error:
            return self._set_aside(error)

    def _set_aside(self, error: Exception) -> sqlite3.Connection:
        aside = self.path.with_name(f"{self.path.name}.broken")
        try:
            if not _is_damage(error):
                # Busy in another process, or the disk is full: nothing is wrong with the file.
                raise error
            self.path.replace(aside)
            self.problems.note(
                "The store of earlier scores was damaged and has been reset",
                where=str(aside),
                rule="store-broken",
            )
            return _connected(self.path)
        except (*_FAULTS, OSError):
            self.problems.note(
                f"Scores cannot be saved for the next run: {error}",
                where=str(self.path),
                rule="store-unusable",
            )
            return _connected(None)

    @contextlib.contextmanager
    def _forgiving(self) -> Iterator[None]:
        try:
            yield
        except _FAULTS as error:
            self._is_damaged = self._is_damaged or _is_damage(error)
            self.problems.note(
                f"Scores cannot be saved for the next run: {error}",
                where=str(self.path),
                rule="store-unusable",
            )


def _is_damage(error: Exception) -> bool:
    """Whether an error is the file's own: no store of ours, or its content does not hold."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_NOTADB)
    own = (sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
    return isinstance(error, _FAULTS) and code & 0xFF in own


def _portions(texts: Iterable[str]) -> Iterator[list[str]]:
    """Few enough for one statement, whichever SQLite it is."""
    waiting = iter(texts)
    while some := list(islice(waiting, 500)):
        yield some


def _marks(values: Sequence[str]) -> str:
    return ",".join("?" * len(values))


def _name(path: Path) -> str:
    return os.path.abspath(path)  # noqa: PTH100 - links stay links


def content_digest(path: Path) -> tuple[str, Stamp]:
    """The digest of a file's bytes and the stamp it had before reading."""
    stamp = stamp_of(path)
    with path.open("rb") as stream:
        if stamp[0] < _READ_AT_ONCE:
            # file_digest takes a quarter of a megabyte of fresh memory, whatever it is to read.
            found = hashlib.sha256(stream.read(_READ_AT_ONCE))
            while more := stream.read(_READ_AT_ONCE):
                found.update(more)
        else:
            found = hashlib.file_digest(stream, "sha256")
    return found.hexdigest(), stamp


def _checksum(key: str, payload: bytes) -> bytes:
    """Of both: a result that was moved to another key is as wrong as a changed one."""
    return hashlib.sha256(key.encode() + b"\0" + payload).digest()


def _written(stamp: Stamp) -> str:
    # As text: the number of an entry can be larger than SQLite's integers.
    return " ".join(map(str, stamp))


def _connected(path: Path | None) -> sqlite3.Connection:
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(path or ":memory:", timeout=30, isolation_level=None)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version not in (0, _VERSION):
            connection.execute("DROP TABLE IF EXISTS files")
            connection.execute("DROP TABLE IF EXISTS results")
        connection.executescript(_SCHEMA)
        connection.execute(f"PRAGMA user_version = {_VERSION}")
        connection.execute("SELECT path, stamp, digest FROM files LIMIT 1").fetchone()
        connection.execute("SELECT key, payload, checksum, used FROM results LIMIT 1").fetchone()
    except BaseException:
        connection.close()
        raise
    return connection
