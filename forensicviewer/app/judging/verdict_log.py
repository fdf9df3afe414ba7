"""Keeps verdicts in append-only logs, one file per judge, each line chained to the one before.

Nothing is ever rewritten: taking a verdict back appends a retraction. What counts and what was
changed, ``log_file`` finds out for each log; here the logs of all judges are compared.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path, PurePath
from typing import Any

from forensicviewer.app.judging.anchor import read_anchor, write_anchor
from forensicviewer.app.judging.log_file import (
    SUFFIX,
    Head,
    LogFile,
    log_bytes,
    parsed_log,
    read_log,
)
from forensicviewer.app.judging.signing import Signer, fingerprint
from forensicviewer.app.runtime.atomic import write_bytes
from forensicviewer.app.runtime.folders import state_folder
from forensicviewer.core.examination import Examination
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

    def __init__(
        self,
        folder: Path,
        *,
        judge: str,
        log_name: str = "",
        signer: Signer | None = None,
        settings: Head | None = None,
    ) -> None:
        """``log_name`` takes the place of a file name made of the judge's.

        ``settings`` are those that verdicts are given by, in a review: each line names them.
        """
        if not judge.strip():
            raise ForensicViewerError("A verdict needs the name of a judge", rule="verdict.judge")
        self.folder = folder
        self.judge = judge
        self._log_name = log_name
        self._signer = signer
        self._settings = settings
        self._problems = ProblemLog()
        self._logs = {log.path: log for log in self._read_all()}
        self._check_heads()
        self._folded: tuple[object, str, Mapping[TrialId, Standing]] | None = None

    @property
    def problems(self) -> tuple[Problem, ...]:
        return self._problems.freeze()

    @property
    def entries(self) -> tuple[Entry, ...]:
        """What counts of all logs; what one judge wrote on several machines, by its time."""
        logs = tuple(self._logs.values())
        found = [entry for log in logs for entry in log.entries]
        if len({log.judge for log in logs}) == len(logs):
            return tuple(found)
        return tuple(sorted(found, key=lambda entry: (entry.judge, entry.said_at)))

    @property
    def exported(self) -> tuple[Entry, ...]:
        """What is handed over of them."""
        return self.entries

    @property
    def exported_logs(self) -> tuple[Path, ...]:
        """The files that are handed over as they are."""
        return self.logs

    def done(self, task: str = "") -> frozenset[TrialId]:
        """The trials this judge has a verdict on."""
        found = self.standings(task)
        return frozenset(
            trial
            for trial, standing in found.items()
            if any(one.judge == self.judge for one in standing.opinions)
        )

    def queue(self, task: str = "") -> frozenset[TrialId] | None:
        """The trials this judge is to judge; ``None``: all."""
        del task
        return None

    def labels(self, task: str = "") -> dict[TrialId, str]:
        """What the list of trials shows."""
        return {trial: found.label for trial, found in self.standings(task).items()}

    def unveiled(self, task: str = "") -> frozenset[TrialId] | None:
        """The trials whose systems this judge may see; ``None``: all."""
        del task
        return None

    def wants_reason(self, trial_id: TrialId, task: str = "") -> bool:
        """Whether a verdict on the trial, or taking it back, must say why."""
        del trial_id, task
        return False

    @property
    def is_untouched(self) -> bool:
        """Whether every log is as it was written, as far as anchors, heads and keys tell."""
        return not any(one.severity is Severity.ERROR for one in self.problems)

    @property
    def proof(self) -> tuple[str, ...]:
        """In plain words what is shown about the logs, and what is not."""
        return proof_of(tuple(self._logs.values()), is_untouched=self.is_untouched)

    def read_again(self) -> VerdictBook:
        """The book as its files are now: an export vouches for what it hands over."""
        return VerdictBook(
            self.folder,
            judge=self.judge,
            log_name=self._log_name,
            signer=self._signer,
            settings=self._settings,
        )

    @property
    def logs(self) -> tuple[Path, ...]:
        """The files of all judges."""
        return tuple(self._logs)

    @property
    def log_path(self) -> Path:
        """The file of this judge; there from the first verdict on."""
        return self.folder / (self._log_name or f"{_as_file_name(self.judge)}{SUFFIX}")

    def standings(self, task: str = "") -> Mapping[TrialId, Standing]:
        """What stands about the trials of a task; made again only when something was said."""
        said, folded = self._logs, self._folded
        if folded is None or folded[0] is not said or folded[1] != task:
            folded = self._folded = (said, task, fold(about_task(self.entries, task)))
        return folded[2]

    def history(self, trial_id: TrialId, task: str = "") -> tuple[tuple[Verdict, Fate], ...]:
        """Every entry about a trial, with its state."""
        about = (
            entry
            for entry in about_task(self.entries, task)
            if isinstance(entry, Retraction) or entry.trial_id == trial_id
        )
        return fates(about)

    def own(self, trial_id: TrialId, task: str = "") -> Verdict | None:
        """What this judge's verdict on a trial is now."""
        standing = self.standings(task).get(trial_id)
        found = () if standing is None else standing.opinions
        return next((verdict for verdict in found if verdict.judge == self.judge), None)

    def add_log(self, path: Path) -> int:
        """Take over another judge's log; how many entries it brought.

        A longer copy of a log that is here already replaces it; nothing said is ever lost.
        """
        problems = ProblemLog()
        written, anchors = log_bytes(path), read_anchor(path)
        log = (
            parsed_log(path, written, anchors, problems)
            if anchors
            else _sent(path, written, problems)
        )
        broken = next((one for one in problems if one.severity is Severity.ERROR), None)
        if broken is not None or not log.entries:
            raise ForensicViewerError(
                broken.message if broken else "The file contains no verdicts",
                where=broken.where if broken else path,
                hint="ask the judge for the original file",
                rule="verdict.foreign",
            )
        target = self.folder / f"{_as_file_name(log.entries[0].judge)}{SUFFIX}"
        known = self._logs.get(target, LogFile(target)).entries
        if log.entries[: len(known)] != known:
            raise ForensicViewerError(
                f"A different log of {log.entries[0].judge} is already here",
                where=target,
                hint="the two differ; ask the judge which one counts",
                rule="verdict.foreign",
            )
        self.folder.mkdir(parents=True, exist_ok=True)
        write_bytes(target, written)
        write_anchor(target, log.digests)
        self._take(read_log(target, self._problems))
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
        row: str = "",
        reason: str = "",
        is_decision: bool = False,
        examined: Examination = Examination(),  # noqa: B008 - a frozen value
    ) -> None:
        """Append a verdict of this judge, or the chair's decision."""
        content = {
            "kind": "decision" if is_decision else "verdict",
            "task": task,
            "trial": trial_id,
            "ruling": ruling.value,
            "note": note,
            "facts": dict(facts),
            "measured": [one.as_json() for one in measured],
            "row": row,
            "reason": reason,
            **({"examined": examined.as_json()} if examined else {}),
        }
        self._append(content)

    def retract(self, trial_id: TrialId, task: str = "", *, reason: str = "") -> bool:
        """Take back this judge's standing verdict on a trial; say whether there was one."""
        own = self.own(trial_id, task)
        if own is not None:
            self._append({"kind": "retraction", "retracts": own.id, "reason": reason})
        return own is not None

    def countersign(self) -> int:
        """Write down how far every other log goes now; how many there are."""
        self._append({"kind": "heads"})
        return len([log for path, log in self._logs.items() if path != self.log_path])

    @property
    def signer(self) -> Signer | None:
        """Who signs this judge's lines on this machine."""
        return self._signer

    def _other_heads(self) -> list[list[object]]:
        logs = (log for path, log in sorted(self._logs.items()) if path != self.log_path)
        heads = [one.head for one in logs if one.digests]
        heads += [] if self._settings is None else [self._settings]
        return [[one.log, one.count, one.digest] for one in heads]

    def _append(self, content: dict[str, Any]) -> None:
        path = self.log_path
        log = self._logs.get(path, LogFile(path))
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        said = {"judge": self.judge, "said_at": now, "seen": self._other_heads()}
        self._take(log.appended({**content, **said}, signer=self.signer))

    def _check_heads(self) -> None:
        """Compare every log with what the lines of others say they saw of it."""
        # By digest: in a review logs have other names than where they were written.
        kept = {
            (number, digest)
            for log in self._logs.values()
            for number, digest in enumerate(log.digests, start=1)
        }
        settings = self._settings
        if settings is not None:
            kept.add((settings.count, settings.digest))
        reported: set[str] = set()
        for log in self._logs.values():
            for number, head in log.seen:
                if head.log in reported or (head.count, head.digest) in kept:
                    continue
                reported.add(head.log)
                is_log = settings is None or head.log != settings.log
                self._problems.error(
                    f"The log is not the one that {log.judge} saw: line {head.count} or an "
                    "earlier line was changed or removed"
                    if is_log
                    else f"The settings of the review are not those that {log.judge} saw",
                    where=f"{head.log}:{head.count}" if is_log else head.log,
                    hint=f"{log.path.name}:{number} contains the digest; ask for the original file",
                    rule="verdict.head",
                )

    def _take(self, log: LogFile) -> None:
        self._logs = {**self._logs, log.path: log}

    def _read_all(self) -> list[LogFile]:
        paths = sorted(self.folder.glob(f"*{SUFFIX}")) if self.folder.is_dir() else []
        for anchor in sorted(self.folder.glob(f"*{SUFFIX}.anchor")):
            log = anchor.with_name(anchor.name.removesuffix(".anchor"))
            # Without a line nothing was acknowledged yet.
            if not log.exists() and (lost := read_anchor(log)) is not None and lost.digests:
                self._problems.error(
                    f"The log is missing: {len(lost.digests)} lines were written to it",
                    where=log.name,
                    hint="ask the judge for the original file",
                    rule="verdict.missing",
                )
        found = []
        for path in paths:
            try:
                found.append(read_log(path, self._problems))
            except (OSError, ForensicViewerError) as error:
                reason = error.strerror if isinstance(error, OSError) else error.message
                self._problems.error(
                    f"The verdicts cannot be read: {reason}",
                    where=str(path),
                    hint="the verdicts of this judge are ignored",
                    rule="verdict.unreadable",
                )
        return found


def proof_of(logs: Iterable[LogFile], *, is_untouched: bool) -> tuple[str, ...]:
    """In plain words what is shown about logs, and what is not."""
    # By name: files of a review are named by random ids.
    logs = sorted((log for log in logs if log.digests), key=lambda log: log.judge)
    if not is_untouched:
        return ("A log was changed after it was written; the problems name the line.",)
    said = ["Checked: every line continues the chain and matches the digest in its anchor."]
    old = [log.judge for log in logs if not log.is_anchored]
    if old:
        said.append(
            f"Without an anchor (old logs): {', '.join(old)}. A truncated log or a change in "
            "the last line would not be detected."
        )
    late = [log.judge for log in logs if log.unanchored or log.late]
    if late:
        said.append(
            f"Chained, but not anchored when written: single lines of {', '.join(late)}. The "
            "program ended while writing, or the line was added later."
        )
    signed = [f"{log.judge} (key {fingerprint(log.key)})" for log in logs if log.key]
    if signed:
        said.append(
            f"Signed: {', '.join(signed)}. Only the holder of the key can write such lines; ask "
            "the judge whether the key is theirs."
        )
    unsigned = [log.judge for log in logs if not log.key]
    if unsigned:
        said.append(
            f"Not signed: {', '.join(unsigned)}. Anyone who can write the log, its anchor "
            "and every log that names its head can forge all of them together."
        )
    said.append("None of this shows that the clock of a judge's machine was right.")
    return tuple(said)


def _sent(path: Path, written: bytes, problems: ProblemLog) -> LogFile:
    """A log that came without its anchor: by its chain alone, as judges send single files."""
    quiet = ProblemLog()
    log = parsed_log(path, written, None, quiet)
    problems.extend(one for one in quiet if one.rule != "verdict.anchor")
    return log


def _as_file_name(name: str) -> str:
    """A file name that tells the judge, and never collides with that of another."""
    plain = re.sub(r"[^\w.-]+", "-", name).strip("-.") or "judge"
    return plain if plain == name else f"{plain}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"
