"""One judge's log on the disk: appending, anchoring, and finding what was changed in it.

Each line is JSON and carries the digest of the line before it. Beside the log lies its anchor,
with the digest of every line: what is written counts once both are on the disk. A changed, removed,
added or moved line then shows at its own place, the last one included.

Anyone who can write both files can make them agree. That is what heads in other judges' lines
(``seen``) and signatures are for: those are found wrong as soon as one copy of them is elsewhere.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from pathlib import Path
from typing import IO, Any

from forensicviewer.app.judging.anchor import (
    Anchors,
    add_to_anchor,
    anchor_path,
    read_anchor,
    write_anchor,
    write_through,
)
from forensicviewer.app.judging.signing import Signer, fingerprint, signature_fault
from forensicviewer.core.examination import Examination
from forensicviewer.core.measurement import Measurement
from forensicviewer.core.model import TrialId
from forensicviewer.core.problem import ForensicViewerError, Problem, ProblemLog, Severity
from forensicviewer.core.verdict import Entry, Retraction, Ruling, Verdict

SUFFIX = ".verdicts.jsonl"
_MOST_BYTES = 256 << 20
# What is missing is no fault of the line that is named.
_OF_GAPS = ("verdict.anchor", "verdict.cut")
_ORIGINAL = "ask the judge for the original file"


@dataclass(frozen=True, slots=True)
class Head:
    """A log by its name as far as somebody has seen it: how many lines, and the last digest."""

    log: str
    count: int
    digest: str


@dataclass(frozen=True, slots=True)
class LogFile:
    """One judge's log as last seen; ``size`` in bytes tells whether it has grown since.

    ``entries`` are what counts. ``digests`` are those of all lines; ``seen`` are the heads of other
    logs that its lines name, each with the number of the line. ``unanchored`` lines at the end have
    no digest in the anchor; of ``late`` ones it was written down afterwards.
    """

    path: Path
    entries: tuple[Entry, ...] = ()
    digests: tuple[str, ...] = ()
    size: int = 0
    seen: tuple[tuple[int, Head], ...] = ()
    key: str = ""
    is_anchored: bool = False
    judge: str = ""
    unanchored: int = 0
    late: int = 0

    @property
    def head(self) -> Head:
        return Head(self.path.name, len(self.digests), self.digests[-1] if self.digests else "")

    def appended(self, content: Mapping[str, Any], *, signer: Signer | None = None) -> LogFile:
        """Write a line, then its anchor; both are on the disk when this returns."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a+b") as stream:
            lock(stream)
            size = stream.seek(0, os.SEEK_END)
            log = self if size == self.size else self._read_again()
            _require_key(log, signer)
            previous = log.digests[-1] if log.digests else ""
            line = _line({**content, "previous": previous, "anchored": True}, signer)
            # The end of the line before may have been cut off: it stays a line of its own.
            ended = b"" if _is_ended(stream) else b"\n"
            write_through(stream, ended + line + b"\n")
            digest = digest_of(line)
            _anchor(log, digest)
        entry = parsed_entry(json.loads(line), digest)
        return replace(
            log,
            entries=log.entries if entry is None else (*log.entries, entry),
            digests=(*log.digests, digest),
            size=log.size + len(ended) + len(line) + 1,
            key=log.key or (signer.public if signer is not None else ""),
            is_anchored=True,
            judge=log.judge or str(content["judge"]),
            unanchored=0,
            late=log.late + log.unanchored if log.is_anchored else log.late,
        )

    def _read_again(self) -> LogFile:
        """Another window of the same judge wrote meanwhile: its lines belong before ours."""
        return _parsed_file(self.path, ProblemLog())


def _require_key(log: LogFile, signer: Signer | None) -> None:
    """An unsigned line after signed ones would not count: it is refused while it can be mended."""
    if log.key and (signer is None or signer.public != log.key):
        raise ForensicViewerError(
            f"The log is signed with key {fingerprint(log.key)}, which is not on this machine",
            where=log.path,
            hint="copy your key file back to the folder keys in your settings folder",
            rule="verdict.key",
        )


def log_bytes(path: Path) -> bytes:
    """What is written in a log, which may come from anybody."""
    if path.is_file() and path.stat().st_size <= _MOST_BYTES:
        return path.read_bytes()
    raise ForensicViewerError(
        f"The log of verdicts is not a file of at most {_MOST_BYTES >> 20} MB",
        where=path,
        hint=_ORIGINAL,
        rule="verdict.foreign",
    )


def read_log(path: Path, problems: ProblemLog) -> LogFile:
    """Read and verify a log; a line that was not written to its end is set aside beside it."""
    try:
        with path.open("r+b") as stream:
            # A line that is just being written must not be taken for a torn one.
            lock(stream)
            return _parsed_file(path, problems)
    except PermissionError:
        return _parsed_file(path, problems)


def _parsed_file(path: Path, problems: ProblemLog) -> LogFile:
    written, anchors = log_bytes(path), read_anchor(path)
    end = written.rfind(b"\n") + 1
    whole, torn = written[:end], written[end:]
    if torn and _was_kept(torn, whole, anchors):
        return parsed_log(path, written, anchors, problems)
    if torn:
        _set_torn_line_aside(path, whole, torn, problems)
    return parsed_log(path, whole, anchors, problems)


def _was_kept(torn: bytes, whole: bytes, anchors: Anchors | None) -> bool:
    """Whether a last line without its end was written once: nothing acknowledged is set aside."""
    lines = whole.split(b"\n")[:-1]
    is_anchored = anchors is not None and len(anchors.digests) > len(lines)
    return is_anchored or _Line.of(torn).previous == (digest_of(lines[-1]) if lines else "")


def parsed_log(
    path: Path, written: bytes, anchors: Anchors | None, problems: ProblemLog
) -> LogFile:
    """A log by its bytes, verified; what is wrong with a line is a problem of that line."""
    lines = tuple(_Line.of(line) for line in written.removesuffix(b"\n").split(b"\n") if written)
    if written and not written.endswith(b"\n"):
        problems.error(
            "The end of the line is missing",
            where=f"{path.name}:{len(lines)}",
            hint="the line counts if it is unchanged",
            rule="verdict.end",
        )
    unanchored = _count_unanchored(lines, anchors)
    checked = lines[: len(lines) - unanchored]
    faults = _chain_faults(lines) if anchors is None else _anchor_faults(checked, anchors)
    # A line that is no verdict is told as such, wherever it came from.
    broken = {number for number, line in enumerate(lines, start=1) if line.fault}
    faults = [fault for fault in faults if fault[0] not in broken or fault[2] == "verdict.cut"]
    _tell_anchor(path, lines, anchors, unanchored, problems)
    judge = next((str(one.content["judge"]) for one in lines if not one.fault), "")
    key = next((str(one.content["key"]) for one in lines if one.content.get("key")), "")
    known = {number for number, _, rule in faults if rule not in _OF_GAPS}
    faults = [*faults, *_line_faults(lines, judge, key, known)]
    for number, message, rule in sorted(faults):
        where = f"{path.name}:{number}" if rule != "verdict.anchor" else anchor_path(path).name
        problems.add(Problem(Severity.ERROR, message, where, _ORIGINAL, rule))
    bad = {number for number, _, rule in faults if rule not in _OF_GAPS}
    good = [(n, one) for n, one in enumerate(lines, start=1) if n not in bad]
    return LogFile(
        path,
        tuple(one.entry for _, one in good if one.entry is not None),
        tuple(line.digest for line in lines),
        len(written),
        tuple((n, head) for n, one in good for head in one.seen),
        key,
        is_anchored=anchors is not None,
        judge=judge,
        unanchored=unanchored,
        late=0 if anchors is None else len(anchors.late),
    )


def _count_unanchored(lines: Sequence[_Line], anchors: Anchors | None) -> int:
    """How many lines at the end follow each other and the last anchored one, without anchors."""
    if anchors is None or len(lines) <= len(anchors.digests):
        return 0
    known = len(anchors.digests)
    is_same = tuple(line.digest for line in lines[:known][-1:]) == anchors.digests[-1:]
    return len(lines) - known if is_same and _is_chained(lines, known, len(lines)) else 0


def _tell_anchor(
    path: Path,
    lines: Sequence[_Line],
    anchors: Anchors | None,
    unanchored: int,
    problems: ProblemLog,
) -> None:
    """Say what the anchor lacks; the lines themselves count."""
    if anchors is None:
        if any(line.content.get("anchored") for line in lines):
            problems.error(
                "The anchor of the log is missing: a truncated log or a change in the last "
                "line cannot be detected",
                where=anchor_path(path).name,
                hint=_ORIGINAL,
                rule="verdict.anchor",
            )
        return
    runs = [late for late in anchors.late if late + 1 in anchors.late]
    if runs or unanchored > 1:
        number = runs[0] + 1 if runs else len(lines) - unanchored + 1
        problems.error(
            f"The anchor ends before line {number}: it was truncated, or lines were added to "
            "the log. They continue the chain and count",
            where=f"{path.name}:{number}",
            hint=_ORIGINAL,
            rule="verdict.anchor-end",
        )
    elif unanchored:
        problems.warn(
            "The line is not in the anchor: the program ended while writing, the anchor was "
            "truncated, or the line was added. It continues the chain and counts",
            where=f"{path.name}:{len(lines)}",
            hint="ask the judge whether they wrote the line",
            rule="verdict.anchor-end",
        )


# A fault: the line's number, what is wrong, and the rule.
Fault = tuple[int, str, str]


def _chain_faults(lines: Sequence[_Line]) -> list[Fault]:
    """Without an anchor: lines that the chain says were changed, each once."""
    before = ("", *(line.digest for line in lines))
    breaks = [n for n, line in enumerate(lines, start=1) if line.previous != before[n - 1]]
    found, is_known = [], 0
    for number in breaks:
        if number - 1 == is_known and is_known:
            continue
        # A changed line no longer has the digest that the next one names; one whose own link was
        # changed fits neither side.
        is_own = number + 1 in breaks or number == 1
        is_known = number if is_own else number - 1
        found.append(is_known)
        if number == len(lines) and not is_own:
            found.append(number)
    message = "The line was changed, or lines next to it were removed: the log was changed"
    return [(number, message, "verdict.chain") for number in dict.fromkeys(found)]


def _anchor_faults(lines: Sequence[_Line], anchors: Anchors) -> list[Fault]:
    """Lines that are not what was anchored, at their own places."""
    digests = [line.digest for line in lines]
    found: list[Fault] = []
    if anchors.begun_again:
        found.append(
            (
                0,
                f"The anchor was lost and restarted at line {anchors.begun_again}",
                "verdict.anchor",
            )
        )
    matcher = SequenceMatcher(None, anchors.digests, digests, autojunk=False)
    for kind, a1, a2, d1, d2 in matcher.get_opcodes():
        if kind == "equal":
            continue
        is_whole = _is_chained(lines, d1, d2) and d2 < len(lines) and a2 - a1 <= d2 - d1
        if is_whole:
            # The line after them, which is anchored, names them: it is the anchor that is wrong.
            found.append((a1 + 1, f"The anchor of line {a1 + 1} was changed", "verdict.anchor"))
            continue
        for number in range(d1 + 1, d2 + 1):
            word = "changed" if number - d1 <= a2 - a1 else "added"
            found.append(
                (
                    number,
                    f"The line was {word} after it was written: the log was changed",
                    "verdict.chain",
                )
            )
        if a2 - a1 > d2 - d1:
            missing = (a2 - a1) - (d2 - d1)
            words = f"{missing} line{'s' if missing > 1 else ''} after line {d2} missing"
            found.append((d2 + 1, f"{words}: the log was changed", "verdict.cut"))
    return found


def _is_chained(lines: Sequence[_Line], first: int, after: int) -> bool:
    """Whether lines (by positions) and the one after them follow each other."""
    before = lines[first - 1].digest if first else ""
    for line in lines[first : after + 1]:
        if line.previous != before:
            return False
        before = line.digest
    return True


def _line_faults(lines: Sequence[_Line], judge: str, key: str, known: set[int]) -> list[Fault]:
    """Lines that are not verdicts, are another judge's, or are not signed like the others."""
    found: list[Fault] = []
    is_signed = False
    for number, line in enumerate(lines, start=1):
        if number in known:
            continue
        if line.fault:
            found.append((number, line.fault, "verdict.line"))
        elif str(line.content.get("judge")) != judge:
            words = f"The line names a different judge than the rest of the log ({judge})"
            found.append((number, words, "verdict.foreign-line"))
        elif (is_signed or line.content.get("key")) and (
            fault := signature_fault(line.content, key)
        ):
            found.append((number, fault, "verdict.signature"))
        is_signed = is_signed or bool(line.content.get("key"))
    return found


@dataclass(frozen=True, slots=True)
class _Line:
    """A line as it stands in the file; ``entry`` is missing where it says nothing about a trial."""

    digest: str
    content: Mapping[str, Any] = field(default_factory=dict)
    entry: Entry | None = None
    seen: tuple[Head, ...] = ()
    fault: str = ""

    @classmethod
    def of(cls, written: bytes) -> _Line:
        digest = digest_of(written)
        try:
            content = json.loads(written)
            seen = tuple(
                Head(str(log), int(count), str(head))
                for log, count, head in content.get("seen", ())
            )
            return cls(digest, content, parsed_entry(content, digest), seen)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return cls(digest, fault="The line is not a verdict")

    @property
    def previous(self) -> object:
        return self.content.get("previous")


def _anchor(log: LogFile, digest: str) -> None:
    if log.is_anchored:
        late = log.digests[len(log.digests) - log.unanchored :]
        add_to_anchor(log.path, (*late, digest))
        return
    # Lines of old logs have no anchor; that one was lost stays to be seen.
    digests = (*log.digests, digest)
    write_anchor(log.path, digests, begun_again=len(digests) if _was_anchored(log.path) else 0)


def _was_anchored(log: Path) -> bool:
    """Whether a line before the last says that it was anchored."""
    return b'"anchored": true' in log.read_bytes().rstrip(b"\n").rpartition(b"\n")[0]


def lock(stream: IO[bytes]) -> None:
    """Hold others off until the stream is closed, where the system knows how."""
    if sys.platform != "win32":
        import fcntl  # not on Windows, where a second window waits for no one

        fcntl.flock(stream, fcntl.LOCK_EX)


def _line(content: Mapping[str, Any], signer: Signer | None) -> bytes:
    signed = content if signer is None else signer.signed(content)
    return json.dumps(signed, ensure_ascii=False).encode("utf-8", errors="backslashreplace")


def _is_ended(stream: IO[bytes]) -> bool:
    """Whether a file is empty or ends with the end of a line."""
    if stream.seek(0, os.SEEK_END) == 0:
        return True
    stream.seek(-1, os.SEEK_END)
    return stream.read(1) == b"\n"


def _set_torn_line_aside(path: Path, whole: bytes, torn: bytes, problems: ProblemLog) -> None:
    aside = path.with_name(path.name + ".torn")
    hint = f"the incomplete line is kept in {aside.name}"
    try:
        with aside.open("ab") as stream:
            stream.write(torn + b"\n")
        with path.open("r+b") as stream:
            stream.truncate(len(whole))
    except OSError as error:
        hint = f"it was not moved: {error.strerror}"
    problems.warn(
        "The last verdict was not written completely",
        where=path.name,
        hint=hint,
        rule="verdict.torn",
    )


def parsed_entry(content: Mapping[str, Any], digest: str) -> Entry | None:
    """What a line says about a trial; ``None`` for lines that only name heads of logs."""
    judge, said_at = str(content["judge"]), str(content["said_at"])
    reason = str(content.get("reason", ""))
    if content["kind"] == "heads":
        return None
    if content["kind"] == "retraction":
        return Retraction(digest, judge, str(content["retracts"]), said_at, reason)
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
        row=str(content.get("row", "")),
        reason=reason,
        is_decision=content["kind"] == "decision",
        examined=Examination.from_json(content["examined"])
        if "examined" in content
        else Examination(),
    )


def digest_of(line: bytes) -> str:
    return hashlib.sha256(line).hexdigest()
