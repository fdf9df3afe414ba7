"""Brings logs of judges and machines into a review, without losing a line of any."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from forensicviewer.app.judging.anchor import read_anchor, write_anchor
from forensicviewer.app.judging.log_file import SUFFIX, LogFile, digest_of, log_bytes, parsed_log
from forensicviewer.app.judging.review import Review, open_review
from forensicviewer.app.runtime.atomic import write_bytes
from forensicviewer.core.problem import ForensicViewerError, Problem, ProblemLog, Severity

_FORK = ".fork"


class Came(Enum):
    """What became of a log that was brought."""

    NEW = "new"
    LONGER = "longer than the one here: added"
    KNOWN = "nothing new"
    FORK = "fork: both are kept"
    REJECTED = "not added"


@dataclass(frozen=True, slots=True)
class Merged:
    """One log that was brought, and how many lines it added."""

    source: Path
    came: Came
    lines: int = 0


def merge(review: Review, sources: Iterable[Path], problems: ProblemLog) -> tuple[Merged, ...]:
    """Take logs, folders of logs or copies of the review; what is wrong is a problem."""
    return tuple(
        _merged(review, path, problems) for source in sources for path in _logs_of(source, problems)
    )


def forks(review: Review) -> tuple[Path, ...]:
    """The other branches of logs that were brought, which do not count."""
    return tuple(sorted(review.logs.glob(f"*{_FORK}")))


def _logs_of(source: Path, problems: ProblemLog) -> list[Path]:
    if source.is_file():
        return [source]
    folder = source
    if (source / "review.json").exists():
        folder = open_review(source).logs
    found = sorted(folder.glob(f"*{SUFFIX}")) if folder.is_dir() else []
    if not found:
        problems.error(
            "There are no logs here",
            where=str(source),
            hint="name a log or a review",
            rule="review.no-logs",
        )
    return found


def _merged(review: Review, path: Path, problems: ProblemLog) -> Merged:
    try:
        written, anchors, found = log_bytes(path), read_anchor(path), ProblemLog()
    except ForensicViewerError as error:
        problems.add(error.as_problem())
        return Merged(path, Came.REJECTED)
    log = parsed_log(path, written, anchors, found)
    wrong = [one for one in found if anchors is not None or one.rule != "verdict.anchor"]
    problems.extend(wrong)
    if any(one.severity is Severity.ERROR for one in wrong):
        # A log that was changed stays where it is: here it would put a good one into doubt.
        return Merged(path, Came.REJECTED)
    if log.judge not in {one.name for one in review.judges}:
        problems.error(
            f"{log.judge or 'Nobody'} is not a judge of the review",
            where=path.name,
            hint="the judges are " + ", ".join(one.name for one in review.judges),
            rule="review.foreign-judge",
        )
        return Merged(path, Came.REJECTED)
    return _placed(review, log, written, problems)


def _placed(review: Review, log: LogFile, written: bytes, problems: ProblemLog) -> Merged:
    target = _place_of(review, log)
    if not target.exists():
        _keep(target, log, written)
        return Merged(log.path, Came.NEW, len(log.digests))
    here = parsed_log(target, log_bytes(target), read_anchor(target), ProblemLog())
    common = _common(here.digests, log.digests)
    if common == len(log.digests):
        return Merged(log.path, Came.KNOWN)
    if common == len(here.digests):
        _keep(target, log, written)
        return Merged(log.path, Came.LONGER, len(log.digests) - common)
    branch = target.with_name(f"{target.name}.{log.digests[-1][:12]}{_FORK}")
    if not branch.exists():
        write_bytes(branch, written)
    problems.add(
        Problem(
            Severity.ERROR,
            f"Two logs of {log.judge} differ from line {common + 1} on: {target.name} with "
            f"{len(here.digests)} lines is used, {branch.name} has {len(log.digests)}",
            f"{target.name}:{common + 1}",
            "ask the judge which one is right; both are kept",
            "review.fork",
        )
    )
    return Merged(log.path, Came.FORK)


def _place_of(review: Review, log: LogFile) -> Path:
    """Where a log belongs: judges have one for each machine, which its first line tells apart."""
    judge = next(one.id for one in review.judges if one.name == log.judge)
    # A log of this machine is named by the machine, here and in a copy of the review.
    for path in sorted(review.logs.glob(f"{judge}-*{SUFFIX}")):
        with path.open("rb") as stream:
            if digest_of(stream.readline().rstrip(b"\n")) == log.digests[0]:
                return path
    return review.logs / f"{judge}-{log.digests[0][:12]}{SUFFIX}"


def _keep(target: Path, log: LogFile, written: bytes) -> None:
    # The log first: a line without an anchor is kept and told, an anchor without its line is a
    # loss.
    write_bytes(target, written)
    write_anchor(target, log.digests)


def _common(one: tuple[str, ...], other: tuple[str, ...]) -> int:
    """How many lines two logs begin with alike."""
    pairs = zip(one, other, strict=False)
    return next((place for place, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))
