"""Has masks counted once each, whatever kind they are: from the store, or else by the crew.

A job is everything a worker needs, as paths and options; its answer is a packed table of counts.
"""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from itertools import groupby
from pathlib import Path
from typing import Any, ClassVar, Generic, Self, TypeVar

from forensicviewer.app.masks.result_store import ResultStore, content_digest
from forensicviewer.app.runtime.batch import Crew, Done, run_batch
from forensicviewer.core.array import Size
from forensicviewer.core.problem import ForensicViewerError
from forensicviewer.core.progress import Progress
from forensicviewer.core.score import LevelCounts
from forensicviewer.sources.files.atomic import Stamp, stamp_of

_LOOKED_UP = 1000  # at a time: few enough to hold twice, many enough for one question
COUNT_SECONDS = 600.0  # for one picture, or one frame of a video
# Jobs a decoder gets at once: their files are open at the same time, on both sides.
_ASKED_TOGETHER = 64


class CountOutcome(Enum):
    """What became of a mask."""

    COUNTED = "counted"
    NO_REGION = "no region"
    UNREADABLE = "unreadable"
    WRONG_SIZE = "wrong size"
    BROKEN_REFERENCE = "broken reference"
    DIED = "died"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class CountedAnswer(ABC):
    """What was counted; ``digests`` are those of the files read, with their stamps."""

    outcome: CountOutcome
    counts: LevelCounts | None = None
    detail: str = ""
    hint: str = ""
    digests: tuple[tuple[Path, Stamp, str], ...] = ()

    @abstractmethod
    def packed(self) -> bytes:
        """The answer as few bytes, without its digests."""


AnswerT = TypeVar("AnswerT", bound=CountedAnswer)


@dataclass(frozen=True, slots=True, kw_only=True)
class CountingJob(ABC, Generic[AnswerT]):
    """A system mask to be counted against its reference: a value that hashes and pickles.

    ``system`` is ``None`` where a white mask stands in, of the size ``stand_in`` or, without one,
    of the reference's.
    """

    # Tells kinds of jobs apart in the store; changed whenever the same files and options would
    # give another answer.
    version: ClassVar[object]

    reference: Path | None
    system: Path | None
    stand_in: Size | None = None

    @property
    def files(self) -> tuple[Path, ...]:
        return tuple(path for path in (self.reference, self.system) if path is not None)

    @abstractmethod
    def options(self) -> list[object]:
        """What the answer depends on besides the files' content, as JSON holds it."""

    @abstractmethod
    def count(self) -> AnswerT:
        """Read the files and count. Never raises for a broken file."""

    @classmethod
    def count_together(cls, jobs: Sequence[Self]) -> Sequence[AnswerT]:
        """Count several jobs of this kind, where that costs less than one by one."""
        return [job.count() for job in jobs]

    @abstractmethod
    def failed(self, why: str) -> AnswerT:
        """The answer where the worker could not give one."""

    @abstractmethod
    def unpacked(self, payload: bytes) -> AnswerT | None:
        """The answer, or ``None`` for bytes that are none (an older or damaged store)."""

    def outcome_in(self, payload: bytes) -> CountOutcome | None:
        """What a packed answer came to; ``None`` as for :meth:`unpacked`."""
        answer = self.unpacked(payload)
        return None if answer is None else answer.outcome


JobT = TypeVar("JobT", bound=CountingJob[Any])


def count_in_bundles(
    jobs: Sequence[JobT], ask: Callable[[tuple[JobT, ...]], Sequence[AnswerT]]
) -> list[AnswerT]:
    """Ask a decoder for many answers at once; where that fails, for each of them.

    A tiny mask costs less to count than the way to a decoder and back. A decoder that ends, runs
    out of memory or has a mistake costs its bundle a second try.
    """
    answers: list[AnswerT] = []
    for start in range(0, len(jobs), _ASKED_TOGETHER):
        some = tuple(jobs[start : start + _ASKED_TOGETHER])
        try:
            # One that is alone has its own way to find out which of its files is to blame.
            answers += ask(some) if len(some) > 1 else [some[0].count()]
        except ForensicViewerError:
            answers += [job.count() for job in some]
    return answers


def count_all(jobs: Sequence[CountingJob[AnswerT]]) -> list[AnswerT]:
    """The jobs' answers with the digests of the files they are about."""
    digests = [_digests(job) for job in jobs]
    answers: list[AnswerT] = []
    for _, group in groupby(jobs, type):
        some = list(group)
        answers += some[0].count_together(some)
    return [
        # One that was replaced meanwhile may not be the one that was counted.
        replace(answer, digests=tuple(one for one in known if _is_still(one[0], one[1])))
        for answer, known in zip(answers, digests, strict=True)
    ]


@dataclass(frozen=True, slots=True)
class PackedAnswer:
    """An answer as it comes from a worker, which packs it: as few bytes as it is kept in.

    ``key`` is what it is kept under; empty where it must not be kept.
    """

    outcome: CountOutcome
    payload: bytes
    key: str = ""
    digests: tuple[tuple[Path, Stamp, str], ...] = ()

    @classmethod
    def of(cls, job: CountingJob[AnswerT], answer: AnswerT) -> PackedAnswer:
        digests = {path: digest for path, _, digest in answer.digests}
        key = None if answer.outcome is CountOutcome.DIED else _key(job, digests)
        return cls(answer.outcome, answer.packed(), key or "", answer.digests)


def count_and_pack(jobs: Sequence[CountingJob[Any]]) -> list[PackedAnswer]:
    """The work of a worker: see :func:`count_all`."""
    return [PackedAnswer.of(*pair) for pair in zip(jobs, count_all(jobs), strict=True)]


def _digests(job: CountingJob[Any]) -> tuple[tuple[Path, Stamp, str], ...]:
    try:
        found = ((path, *content_digest(path)) for path in job.files)
        return tuple((path, stamp, digest) for path, digest, stamp in found)
    except OSError:
        return ()


def _is_still(path: Path, stamp: Stamp) -> bool:
    try:
        return stamp_of(path) == stamp
    except OSError:
        return False


class CountingOffice:
    """Has jobs done once each: from the store where known, by the crew otherwise.

    Answers are held packed, so that ten thousand masks need a few megabytes.
    """

    def __init__(self, crew: Crew, store: ResultStore | None, progress: Progress | None) -> None:
        self._crew = crew
        self._store = store
        self._progress = progress
        self._answers: dict[CountingJob[Any], tuple[CountOutcome, bytes]] = {}

    def do(self, jobs: Iterable[CountingJob[AnswerT]]) -> None:
        """Make sure every job has an answer."""
        wanted = [job for job in dict.fromkeys(jobs) if job not in self._answers]
        self._look_up(wanted)
        missing = [job for job in wanted if job not in self._answers]
        done = len(wanted) - len(missing)

        def finish(some: Sequence[Done[CountingJob[AnswerT], PackedAnswer]]) -> None:
            nonlocal done
            done += len(some)
            self._keep([(one.job, one.answer or _failed(one)) for one in some])
            if self._progress is not None:
                self._progress(done, len(wanted))

        if missing:
            run_batch(count_and_pack, missing, self._crew, on_done=finish)

    def answer(self, job: CountingJob[AnswerT]) -> AnswerT:
        found = job.unpacked(self._answers[job][1])
        assert found is not None
        return found

    def outcome(self, job: CountingJob[Any]) -> CountOutcome:
        return self._answers[job][0]

    def _look_up(self, jobs: Sequence[CountingJob[Any]]) -> None:
        """Take what earlier runs counted in the same content; opens no mask."""
        if self._store is None:
            return
        for start in range(0, len(jobs), _LOOKED_UP):
            some = jobs[start : start + _LOOKED_UP]
            digests = self._store.known_digests({path for job in some for path in job.files})
            keys = {job: key for job in some if (key := _key(job, digests)) is not None}
            payloads = self._store.get(keys.values())
            for job, key in keys.items():
                payload = payloads.get(key)
                outcome = job.outcome_in(payload) if payload else None
                if outcome is not None and payload is not None:
                    self._answers[job] = outcome, payload

    def _keep(self, answers: Sequence[tuple[CountingJob[Any], PackedAnswer]]) -> None:
        """Keep answers, in the store those that depend on nothing but content and options."""
        for job, answer in answers:
            self._answers[job] = answer.outcome, answer.payload
        if self._store is not None:
            results = {answer.key: answer.payload for _, answer in answers if answer.key}
            self._store.put(results, [each for _, answer in answers for each in answer.digests])


def _failed(done: Done[CountingJob[AnswerT], PackedAnswer]) -> PackedAnswer:
    return PackedAnswer.of(done.job, done.job.failed(done.failure))


def _key(job: CountingJob[Any], digests: Mapping[Path, str]) -> str | None:
    """The key a result is kept under: content and options; ``None`` when a digest is unknown."""
    files = [digests.get(path) if path else "white" for path in (job.reference, job.system)]
    if None in files:
        return None
    options = [job.version, *files, *job.options()]
    return hashlib.sha256(json.dumps(options).encode()).hexdigest()
