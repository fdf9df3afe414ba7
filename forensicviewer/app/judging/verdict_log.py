"""Keeps verdicts in append-only logs, one file per judge, each line chained to the one before.

A line is JSON and carries the digest of the line before it, so that a removed or changed line
shows. Nothing is ever rewritten: taking a verdict back appends a retraction. A torn last line
(power cut in mid-write) is set aside beside the log; everything before it counts.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePath
from typing import IO, Any

from forensicviewer.app.runtime.atomic import write_bytes
from forensicviewer.app.runtime.folders import state_folder
from forensicviewer.core.measurement import Measurement
from forensicviewer.core.model import Dataset, TrialId
from forensicviewer.core.problem import ForensicViewerError, Problem, ProblemLog, Severity
from forensicviewer.core.verdict import (
    Entry,
    Fate,
    Retraction,
    Ruling,
    Standing,
    Verdict,
    about_task,
    fates,
    fold,
)

SUFFIX = ".verdicts.jsonl"


def verdict_folder(dataset: Dataset) -> Path:
    """Where the verdicts on a dataset are kept: by its name and place, beside the sessions."""
    return _every_folder() / f"{_as_file_name(dataset.name)}-{_place(dataset.root)}"


def logs_left_at(root: Path) -> tuple[Path, ...]:
    """The logs about a dataset that was there, whatever it was called."""
    return tuple(sorted(_every_folder().glob(f"*-{_place(root)}/*{SUFFIX}")))


def _every_folder() -> Path:
    return state_folder() / "verdicts"


def _place(root: PurePath) -> str:
    return hashlib.sha256(str(root).encode()).hexdigest()[:12]


class VerdictBook:
    """Every judge's verdicts on one dataset; this judge's can be added to and taken back.

    One thread at a time may write while another reads: what is read is never changed, only
    replaced.
    """

    def __init__(self, folder: Path, *, judge: str) -> None:
        if not judge.strip():
            raise ForensicViewerError("A verdict needs the name of a judge", rule="verdict.judge")
        self.folder = folder
        self.judge = judge
        self._problems = ProblemLog()
        self._logs = {log.path: log for log in self._read_all()}
        self._folded: tuple[object, str, Mapping[TrialId, Standing]] | None = None

    @property
    def problems(self) -> tuple[Problem, ...]:
        return self._problems.freeze()

    @property
    def entries(self) -> tuple[Entry, ...]:
        return tuple(entry for log in self._logs.values() for entry in log.entries)

    @property
    def logs(self) -> tuple[Path, ...]:
        """The files of all judges."""
        return tuple(self._logs)

    @property
    def log_path(self) -> Path:
        """The file of this judge; there from the first verdict on."""
        return self.folder / f"{_as_file_name(self.judge)}{SUFFIX}"

    def standings(self, task: str = "") -> Mapping[TrialId, Standing]:
        """What stands about the trials of a task; made again only when something was said."""
        said, folded = self._logs, self._folded
        if folded is None or folded[0] is not said or folded[1] != task:
            folded = self._folded = (said, task, fold(about_task(self.entries, task)))
        return folded[2]

    def history(self, trial_id: TrialId, task: str = "") -> tuple[tuple[Verdict, Fate], ...]:
        """Everything ever said about a trial, and what became of it."""
        about = (
            entry
            for entry in about_task(self.entries, task)
            if isinstance(entry, Retraction) or entry.trial_id == trial_id
        )
        return fates(about)

    def own(self, trial_id: TrialId, task: str = "") -> Verdict | None:
        """What this judge's verdict on a trial is now."""
        standing = self.standings(task).get(trial_id)
        found = () if standing is None else standing.verdicts
        return next((verdict for verdict in found if verdict.judge == self.judge), None)

    def add_log(self, path: Path) -> int:
        """Take over another judge's log; how many entries it brought.

        A longer copy of a log that is here already replaces it; nothing said is ever lost.
        """
        problems = ProblemLog()
        log = _parsed(path, path.read_bytes(), problems)
        broken = next((one for one in problems if one.severity is Severity.ERROR), None)
        if broken is not None or not log.entries:
            raise ForensicViewerError(
                broken.message if broken else "The file holds no verdicts",
                where=broken.where if broken else path,
                hint="ask the judge for the original file",
                rule="verdict.foreign",
            )
        target = self.folder / f"{_as_file_name(log.entries[0].judge)}{SUFFIX}"
        known = self._logs.get(target, _Log(target)).entries
        if log.entries[: len(known)] != known:
            raise ForensicViewerError(
                f"Another log of {log.entries[0].judge} is here already",
                where=target,
                hint="the two differ; ask the judge which one counts",
                rule="verdict.foreign",
            )
        self.folder.mkdir(parents=True, exist_ok=True)
        write_bytes(target, path.read_bytes())
        self._take(_read_log(target, self._problems))
        return len(log.entries) - len(known)

    def move_in(self, logs: Iterable[Path]) -> None:
        """Go on with the logs of a dataset that was elsewhere; they are left where they are.

        Only where nothing is said yet: two logs of one judge cannot be made one.
        """
        if self._logs:
            return
        for path in logs:
            try:
                self.add_log(path)
            except ForensicViewerError as error:
                self._problems.add(error.as_problem(Severity.WARNING))

    def say(
        self,
        trial_id: TrialId,
        ruling: Ruling,
        *,
        note: str = "",
        facts: Mapping[str, str],
        task: str = "",
        measured: Iterable[Measurement] = (),
    ) -> None:
        """Append a verdict of this judge."""
        content = {
            "kind": "verdict",
            "task": task,
            "trial": trial_id,
            "ruling": ruling.value,
            "note": note,
            "facts": dict(facts),
            "measured": [one.as_json() for one in measured],
        }
        self._append(content)

    def retract(self, trial_id: TrialId, task: str = "") -> bool:
        """Take back this judge's standing verdict on a trial; say whether there was one."""
        own = self.own(trial_id, task)
        if own is not None:
            self._append({"kind": "retraction", "retracts": own.id})
        return own is not None

    def _append(self, content: dict[str, Any]) -> None:
        path = self.log_path
        log = self._logs.get(path, _Log(path))
        said = {"judge": self.judge, "said_at": datetime.now(UTC).isoformat(timespec="seconds")}
        self._take(log.appended({**content, **said}))

    def _take(self, log: _Log) -> None:
        self._logs = {**self._logs, log.path: log}

    def _read_all(self) -> list[_Log]:
        paths = sorted(self.folder.glob(f"*{SUFFIX}")) if self.folder.is_dir() else []
        found = []
        for path in paths:
            try:
                found.append(_read_log(path, self._problems))
            except OSError as error:
                self._problems.error(
                    f"The verdicts cannot be read: {error.strerror}",
                    where=str(path),
                    hint="what this judge said is left out",
                    rule="verdict.unreadable",
                )
        return found


@dataclass(frozen=True, slots=True)
class _Log:
    """One judge's log as last seen; ``size`` in bytes tells whether it has grown since."""

    path: Path
    entries: tuple[Entry, ...] = ()
    last_digest: str = ""
    size: int = 0

    def appended(self, content: dict[str, Any]) -> _Log:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("ab") as stream:
            _lock(stream)
            log = self if stream.seek(0, os.SEEK_END) == self.size else self._read_again()
            line = json.dumps({**content, "previous": log.last_digest}, ensure_ascii=False).encode()
            stream.write(line + b"\n")
            stream.flush()
            os.fsync(stream.fileno())
        digest = _digest(line)
        entries = (*log.entries, _entry(json.loads(line), digest))
        return _Log(self.path, entries, digest, log.size + len(line) + 1)

    def _read_again(self) -> _Log:
        """Another window of the same judge wrote meanwhile: its lines belong before ours."""
        return _read_log(self.path, ProblemLog())


def _lock(stream: IO[bytes]) -> None:
    """Hold others off until the stream is closed, where the system knows how."""
    if sys.platform != "win32":
        import fcntl  # not on Windows, where a second window waits for no one

        fcntl.flock(stream, fcntl.LOCK_EX)


def _read_log(path: Path, problems: ProblemLog) -> _Log:
    whole, torn = _whole_lines(path)
    if torn:
        _set_torn_line_aside(path, whole, torn, problems)
    return _parsed(path, whole, problems)


def _parsed(path: Path, whole: bytes, problems: ProblemLog) -> _Log:
    entries: list[Entry] = []
    previous = ""
    for number, line in enumerate(whole.splitlines(), start=1):
        where = f"{path.name}:{number}"
        try:
            content = json.loads(line)
            entry = _entry(content, _digest(line))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            problems.error("The line is no verdict", where=where, rule="verdict.line")
        else:
            if content.get("previous") != previous:
                problems.add(_broken_chain(where))
            entries.append(entry)
        previous = _digest(line)
    return _Log(path, tuple(entries), previous, len(whole))


def _whole_lines(path: Path) -> tuple[bytes, bytes]:
    written = path.read_bytes()
    end = written.rfind(b"\n") + 1
    return written[:end], written[end:]


def _set_torn_line_aside(path: Path, whole: bytes, torn: bytes, problems: ProblemLog) -> None:
    aside = path.with_name(path.name + ".torn")
    hint = f"what there was of it is kept in {aside.name}"
    try:
        with aside.open("ab") as stream:
            stream.write(torn + b"\n")
        with path.open("r+b") as stream:
            stream.truncate(len(whole))
    except OSError as error:
        hint = f"it is left where it is: {error.strerror}"
    problems.warn(
        "The last verdict was not written to its end",
        where=path.name,
        hint=hint,
        rule="verdict.torn",
    )


def _broken_chain(where: str) -> Problem:
    return Problem(
        Severity.ERROR,
        "The line does not follow the one before it: the log was changed",
        where,
        "ask the judge for the original file",
        "verdict.chain",
    )


def _entry(content: Mapping[str, Any], digest: str) -> Entry:
    judge, said_at = str(content["judge"]), str(content["said_at"])
    if content["kind"] == "retraction":
        return Retraction(digest, judge, str(content["retracts"]), said_at)
    return Verdict(
        id=digest,
        judge=judge,
        trial_id=TrialId(str(content["trial"])),
        ruling=Ruling(content["ruling"]),
        said_at=said_at,
        note=str(content.get("note", "")),
        facts={str(name): str(value) for name, value in content.get("facts", {}).items()},
        task=str(content.get("task", "")),
        measured=tuple(Measurement.from_json(one) for one in content.get("measured", ())),
    )


def _digest(line: bytes) -> str:
    return hashlib.sha256(line).hexdigest()


def _as_file_name(name: str) -> str:
    """A file name that tells the judge, and never collides with that of another."""
    plain = re.sub(r"[^\w.-]+", "-", name).strip("-.") or "judge"
    return plain if plain == name else f"{plain}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"
