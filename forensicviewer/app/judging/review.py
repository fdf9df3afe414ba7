"""A review: a folder with the dataset's identity, the judges, who judges what, and all logs.

``review.json`` is written once. Verdicts come in as logs, which are only ever added to.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from forensicviewer.app.judging.agreement import (
    Unit,
    cohens_kappa,
    krippendorffs_alpha,
    raw_agreement,
)
from forensicviewer.app.judging.identity import TaskIdentity, identity_of
from forensicviewer.app.judging.log_file import Head
from forensicviewer.app.judging.verdict_log import VerdictBook
from forensicviewer.app.runtime.atomic import write_bytes
from forensicviewer.core.model import Dataset, TrialId
from forensicviewer.core.problem import ForensicViewerError, UsageError
from forensicviewer.core.verdict import Entry, Ruling, Standing, Verdict, about_task, fold

SETTINGS, _SEAL, _LOGS, _VERSION = "review.json", "review.sha256", "logs", 1
_MOST_BYTES = 256 << 20


@dataclass(frozen=True, slots=True)
class Judge:
    """Who judges: a random id that no name can collide with."""

    id: str
    name: str


@dataclass(frozen=True, slots=True)
class Honeypot:
    """A trial whose right verdict is known."""

    trial: str
    ruling: Ruling


@dataclass(frozen=True, slots=True)
class Review:
    """A review as set up; ``assigned`` are the trials of each judge, by the judge's id."""

    folder: Path
    id: str
    dataset: str
    task: TaskIdentity
    judges: tuple[Judge, ...]
    chair: str = ""
    is_blind: bool = False
    assigned: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    honeypots: tuple[Honeypot, ...] = ()
    digest: str = ""

    @property
    def logs(self) -> Path:
        return self.folder / _LOGS

    @property
    def head(self) -> Head:
        """The settings as lines of logs name them."""
        return Head(SETTINGS, 1, self.digest)

    def judge_named(self, name: str) -> Judge | None:
        return next((one for one in self.judges if one.name == name), None)

    def trials_of(self, name: str) -> frozenset[TrialId]:
        """What a judge is to judge; nothing for those who only decide."""
        judge = self.judge_named(name)
        return frozenset(map(TrialId, () if judge is None else self.assigned.get(judge.id, ())))

    def book(self, judge: str = "review") -> VerdictBook:
        """All verdicts of the review, as the logs hold them now."""
        return VerdictBook(self.logs, judge=judge, settings=self.head)

    def as_json(self) -> dict[str, Any]:
        return {
            "version": _VERSION,
            "id": self.id,
            "dataset": self.dataset,
            "task": self.task.as_json(),
            "judges": [{"id": one.id, "name": one.name} for one in self.judges],
            "chair": self.chair,
            "blind": self.is_blind,
            "assigned": {judge: list(trials) for judge, trials in self.assigned.items()},
            "honeypots": [[one.trial, one.ruling.value] for one in self.honeypots],
        }


@dataclass(frozen=True, slots=True)
class ReviewPlan:
    """What a new review is to be; ``second_share`` of the trials (0 to 1) get a second judge."""

    judges: Sequence[str]
    chair: str = ""
    is_blind: bool = False
    second_share: float = 0.0
    honeypots: tuple[Honeypot, ...] = ()
    is_full: bool = False


def begin_review(folder: Path, dataset: Dataset, task_name: str, plan: ReviewPlan) -> Review:
    """Make the folder of a new review, outside the dataset."""
    _check_place(folder, Path(dataset.root))
    _check_plan(plan)
    task = next(one for one in dataset.tasks if one.name == task_name)
    identity = identity_of(task, full=plan.is_full)
    unknown = [one.trial for one in plan.honeypots if one.trial not in identity.rows]
    if unknown:
        raise UsageError(f"The task {task_name} does not contain the trial {unknown[0]}")
    names = dict.fromkeys((*plan.judges, *([plan.chair] if plan.chair else [])))
    judges = tuple(Judge(secrets.token_hex(8), name) for name in names)
    judging = [one.id for one in judges if one.name in plan.judges]
    review = Review(
        folder,
        secrets.token_hex(8),
        dataset.name,
        identity,
        judges,
        plan.chair,
        plan.is_blind,
        assign(list(identity.rows), judging, plan.second_share, plan.honeypots),
        plan.honeypots,
    )
    review.logs.mkdir(parents=True)
    written = json.dumps(review.as_json(), ensure_ascii=False, indent=1).encode(
        "utf-8", errors="backslashreplace"
    )
    write_bytes(folder / SETTINGS, written)
    write_bytes(folder / _SEAL, _digest_of(written).encode())
    return replace(review, digest=_digest_of(written))


def open_review(folder: Path) -> Review:
    """Read a review's folder."""
    try:
        written = _checked(folder)
        content = json.loads(written)
        if content["version"] != _VERSION:
            raise ForensicViewerError(
                f"The review was made by a different version ({content['version']})",
                where=folder,
                hint="open it with the version of forensicviewer that made it",
                rule="review.version",
            )
        return Review(
            folder,
            str(content["id"]),
            str(content["dataset"]),
            TaskIdentity.from_json(content["task"]),
            tuple(Judge(_id(one["id"]), str(one["name"])) for one in content["judges"]),
            str(content["chair"]),
            content["blind"] is True,
            {str(judge): tuple(map(str, ids)) for judge, ids in content["assigned"].items()},
            tuple(Honeypot(str(trial), Ruling(ruling)) for trial, ruling in content["honeypots"]),
            _digest_of(written),
        )
    except FileNotFoundError as error:
        raise ForensicViewerError(
            "This folder is not a review",
            where=folder,
            hint="create one with: forensicviewer review init",
            rule="review.missing",
        ) from error
    except (
        ArithmeticError,
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
        RecursionError,
    ) as error:
        raise ForensicViewerError(
            "The review cannot be read: review.json or review.sha256 was changed or is missing",
            where=folder / SETTINGS,
            hint="copy the original file from another copy of the review",
            rule="review.broken",
        ) from error


def _read(path: Path) -> bytes:
    """The file of a review, which may come from anybody."""
    is_there = False
    with contextlib.suppress(OSError):  # a name longer than any name can be
        is_there = path.exists()
    if not is_there:
        raise FileNotFoundError(path)
    if not (path.is_file() and path.stat().st_size <= _MOST_BYTES):
        raise ForensicViewerError(
            f"The review is not a file of at most {_MOST_BYTES >> 20} MB",
            where=path,
            hint="copy the original file from another copy of the review",
            rule="review.broken",
        )
    return path.read_bytes()


def _id(written: object) -> str:
    """The id of a judge, which names files: nothing that leads elsewhere."""
    if not isinstance(written, str) or not re.fullmatch(r"[0-9A-Za-z]{1,64}", written):
        raise ValueError(written)
    return written


def _checked(folder: Path) -> bytes:
    """The settings as written, with the digest that lies beside them."""
    written = _read(folder / SETTINGS)
    if not (folder / _SEAL).exists() or _read(folder / _SEAL) != _digest_of(written).encode():
        raise ValueError(_SEAL)
    return written


def _digest_of(written: bytes) -> str:
    return hashlib.sha256(written).hexdigest()


def assign(
    trials: Sequence[str],
    judges: Sequence[str],
    second_share: float,
    honeypots: Sequence[Honeypot] = (),
) -> dict[str, tuple[str, ...]]:
    """Deal the trials out evenly; a share of them goes to a second judge, honeypots to everyone."""
    known = {one.trial for one in honeypots}
    dealt: dict[str, list[str]] = {judge: [] for judge in judges}
    plain = [trial for trial in trials if trial not in known]
    seconds = set(sorted(plain, key=_shuffled)[: round(second_share * len(plain))])
    for number, trial in enumerate(plain):
        dealt[judges[number % len(judges)]].append(trial)
        if trial in seconds and len(judges) > 1:
            # Not always the same pair: the second judge changes with each round.
            step = 1 + (number // len(judges)) % (len(judges) - 1)
            dealt[judges[(number + step) % len(judges)]].append(trial)
    for trial in trials:
        if trial in known:
            for judge in judges:
                dealt[judge].append(trial)
    return {judge: tuple(sorted(found, key=_shuffled)) for judge, found in dealt.items()}


@dataclass(frozen=True, slots=True)
class JudgeProgress:
    """How far one judge is; ``caught`` of ``honeypots`` judged were found out."""

    judge: str
    assigned: int
    judged: int
    honeypots: int = 0
    caught: int = 0


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far the judges agree, honeypots and decisions aside; ``None``: not defined."""

    trials: int
    raw: float | None
    kappas: tuple[tuple[str, str, float | None], ...]
    alpha: float | None


@dataclass(frozen=True, slots=True)
class ReviewStatus:
    """Where a review stands; ``conflicts`` are trials that judges disagree on, undecided."""

    progress: tuple[JudgeProgress, ...]
    agreement: Agreement
    conflicts: tuple[Standing, ...]
    decided: int


def status_of(review: Review, book: VerdictBook) -> ReviewStatus:
    """Count what was judged, and compare."""
    said = fold(about_task(known_entries(review, book.entries), review.task.name))
    hidden = {one.trial: one.ruling for one in review.honeypots}
    real = {trial: one for trial, one in said.items() if str(trial) not in hidden}
    return ReviewStatus(
        tuple(_progress(review, judge, said) for judge in review.judges),
        _agreement([_unit(one) for one in real.values()]),
        tuple(one for one in real.values() if one.is_contested),
        sum(one.decision is not None for one in real.values()),
    )


def count_entries(review: Review, book: VerdictBook) -> tuple[Entry, ...]:
    """What counts of a review: of its judges, without honeypots, decisions by the chair alone."""
    hidden = {one.trial for one in review.honeypots}
    return tuple(
        one
        for one in known_entries(review, book.entries)
        if not isinstance(one, Verdict) or str(one.trial_id) not in hidden
    )


def visible_to(review: Review, judge: str, standing: Standing) -> tuple[Verdict, ...]:
    """What a judge may see about a trial: blind, only the own verdict until there is one.

    The chair, who closes conflicts, sees all.
    """
    own = tuple(one for one in standing.verdicts if one.judge == judge)
    if not review.is_blind or own or judge == review.chair:
        return standing.verdicts
    return own


def known_entries(review: Review, entries: Sequence[Entry]) -> list[Entry]:
    """The entries of a review's judges; only the chair decides."""
    names = {one.name for one in review.judges}
    return [
        one
        for one in entries
        if one.judge in names
        and not (isinstance(one, Verdict) and one.is_decision and one.judge != review.chair)
    ]


def _progress(review: Review, judge: Judge, said: Mapping[TrialId, Standing]) -> JudgeProgress:
    mine = {
        str(trial): one.ruling
        for trial, standing in said.items()
        for one in standing.opinions
        if one.judge == judge.name
    }
    wanted = review.assigned.get(judge.id, ())
    tried = [one for one in review.honeypots if one.trial in mine]
    caught = sum(mine[one.trial] is one.ruling for one in tried)
    judged = sum(trial in mine for trial in wanted)
    return JudgeProgress(judge.name, len(wanted), judged, len(tried), caught)


def _unit(standing: Standing) -> Unit:
    return {one.judge: one.ruling.value for one in standing.opinions}


def _agreement(units: Sequence[Unit]) -> Agreement:
    compared = [unit for unit in units if len(unit) > 1]
    judges = sorted({judge for unit in compared for judge in unit})
    pairs = [(a, b) for place, a in enumerate(judges) for b in judges[place + 1 :]]
    kappas = tuple((a, b, cohens_kappa(compared, a, b)) for a, b in pairs)
    return Agreement(len(compared), raw_agreement(compared), kappas, krippendorffs_alpha(compared))


def _check_place(folder: Path, root: Path) -> None:
    if folder.resolve().is_relative_to(root.resolve()):
        raise UsageError(
            "A review cannot be inside the dataset", where=folder, hint="choose another folder"
        )
    if folder.exists() and any(folder.iterdir()):
        raise UsageError("The folder is not empty", where=folder, hint="choose a new folder")


def _check_plan(plan: ReviewPlan) -> None:
    if not plan.judges or any(not name.strip() for name in plan.judges):
        raise UsageError("A review needs judges with names", hint="name each judge with --judge")
    if not 0 <= plan.second_share <= 1:
        raise UsageError(f"{plan.second_share} is not a valid share of trials (0 to 1)")


def _shuffled(trial: str) -> str:
    """An order that mixes trials, the same on every machine: honeypots do not stand out."""
    return hashlib.sha256(trial.encode("utf-8", errors="backslashreplace")).hexdigest()
