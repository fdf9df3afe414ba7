"""Reads the files of a trial, several at a time, into what the panes show."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from forensicviewer.app.language.words import to_translate
from forensicviewer.app.masks.image_count import (
    OVERFULL,
    CountJob,
    ReferenceKind,
    is_overfull,
    is_scored_by,
    read_reference,
    read_system,
    reference_mask,
    selected_in,
    shown_mask,
)
from forensicviewer.app.masks.one_trial import OneTrial
from forensicviewer.app.masks.question import Question, unusable_mask
from forensicviewer.app.workbench.drawn import Attempt, DrawnMask, DrawnPicture
from forensicviewer.app.workbench.imdl_trial import load_imdl_trial
from forensicviewer.app.workbench.loaded_trial import (
    HIDDEN,
    NO_IMAGE,
    OPENING_VIDEO,
    FileStamp,
    ImageBeside,
    LoadedSide,
    LoadedSystem,
    LoadedTrial,
    TrialRequest,
    empty_mask,
    side_scored,
    unread_trial,
)
from forensicviewer.core.array import PlaneImage, RgbImage
from forensicviewer.core.mask import ReferenceMask, Regions
from forensicviewer.core.model import Media, Side, Submission, TaskKind
from forensicviewer.core.problem import (
    DatasetError,
    ForensicViewerError,
    Problem,
    ProblemLog,
    Severity,
    UnsafePathError,
)
from forensicviewer.core.pyramid import Pyramid, Reduce
from forensicviewer.core.quality.change import bright_difference
from forensicviewer.sources.files.paths import resolve
from forensicviewer.sources.layouts.naming import VIDEO_SUFFIXES
from forensicviewer.sources.media.images import read_image
from forensicviewer.sources.video.frame_reader import video_thumbnail

# How large a still of a video beside a probe is at most.
_DIFFERENCE = "difference"  # the layer of |probe - base|
_STILL_PX = 2048


def load_trial(request: TrialRequest) -> LoadedTrial:
    """Read every file of a trial, two at a time, and score it.

    A video's frames are read one by one as its playhead moves, by ``app.video.frames``; here it has
    no image yet.
    """
    if request.task.kind is TaskKind.VIDEO:
        return unread_trial(request, OPENING_VIDEO)
    if request.task.kind is TaskKind.IMDL:
        return load_imdl_trial(request)
    with ThreadPoolExecutor(max_workers=2, thread_name_prefix="fv-read") as pool:
        asked, problems = _Asked.of(request), ProblemLog(trial=request.trial.id)
        sides = (Side.PROBE, Side.DONOR) if request.trial.donor else (Side.PROBE,)
        readers = [_SideReader(request, side, asked.on(side)) for side in sides]
        # Before they are read: a file that is written meanwhile is read once more.
        files = dict.fromkeys(file for reader in readers for file in reader.files())
        stamps = tuple(FileStamp.of(file) for file in files)
        parts = [part for reader in readers for part in reader.parts()]
        list(pool.map(lambda part: part(), parts))
    problems.extend(asked.log)
    probe, *donor = [reader.finish(problems) for reader in readers]
    return LoadedTrial(request, probe, donor[0] if donor else None, problems.freeze(), stamps)


def rescored(loaded: LoadedTrial, request: TrialRequest) -> LoadedTrial:
    """The same pixels scored as another request says; read anew where it is about other pixels."""
    if request.task.kind is TaskKind.IMDL:
        return replace(loaded, request=request)  # neither kernels nor rules change its scores
    asked = _Asked.of(request)
    sides = [loaded.probe, *([] if loaded.donor is None else [loaded.donor])]
    if not all(asked.on(side.side).reads_like(side) for side in sides):
        return load_trial(request)
    probe, *donor = [side_scored(asked.on(side.side).applied_to(side), request) for side in sides]
    return replace(loaded, request=request, probe=probe, donor=donor[0] if donor else None)


@dataclass(frozen=True, slots=True, eq=False)
class _AskedSide:
    """The questions of one side: about its reference alone, and about each system's mask."""

    reference: Question[CountJob]
    systems: tuple[Question[CountJob], ...]

    def reads_like(self, side: LoadedSide) -> bool:
        """Whether a side was read from the files that are asked about now."""
        before = (side.question, *(system.question for system in side.systems))
        now = (self.reference, *self.systems)
        return [_reads(question) for question in before] == [_reads(question) for question in now]

    def applied_to(self, side: LoadedSide) -> LoadedSide:
        job, scored = self.reference.job, side.scored
        selected = None if scored is None or job is None else selected_in(scored.operations, job)
        systems = zip(side.systems, self.systems, strict=True)
        return replace(
            side,
            question=self.reference,
            selected=selected,
            systems=tuple(replace(system, question=question) for system, question in systems),
        )


def _reads(question: Question[Any]) -> tuple[object, ...] | None:
    return question.job.reads if isinstance(question.job, CountJob) else None


def as_scored(request: TrialRequest, submission: Submission | None, log: ProblemLog) -> OneTrial:
    """The trial of a request as the batch scorer sees it."""
    return OneTrial.of(
        request.task,
        request.trial,
        submission,
        request.settings,
        selected=request.selected_steps,
        log=log,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Asked:
    """The questions of a trial, and what was found wrong while they were asked."""

    sides: Mapping[Side, _AskedSide]
    log: ProblemLog

    @classmethod
    def of(cls, request: TrialRequest) -> _Asked:
        log = ProblemLog()
        if request.task.kind.is_provenance or not request.task.kind.has_masks:
            nothing = _AskedSide(Question(), tuple(Question() for _ in request.systems))
            return cls({Side.PROBE: nothing}, log)

        systems = [
            as_scored(request, system.submission, log).images() for system in request.systems
        ]
        reference = systems[0] if systems else as_scored(request, None, log).images()
        sides = {
            side: _AskedSide(question, tuple(one[side] for one in systems))
            for side, question in reference.items()
        }
        return cls(sides, log)

    def on(self, side: Side) -> _AskedSide:
        return self.sides[side]


class _SideReader:
    """Reads one side's files in any order, then puts them together.

    Whatever can be made from one file alone is made where that file is read, side by side with the
    others.
    """

    def __init__(self, request: TrialRequest, side: Side, asked: _AskedSide) -> None:
        self._request = request
        self._side = side
        self._asked = asked
        self._picture: Attempt[DrawnPicture | None] = Attempt()
        self._reference: Attempt[ReferenceMask | None] = Attempt()
        self._scored: ReferenceMask | None = None
        self._planes: PlaneImage | None = None
        self._index: Pyramid | None = None
        self._regions: Regions | None = None
        self._broken = ""
        self._base: Attempt[Pyramid | None] = Attempt()
        named = request.beside if side is Side.PROBE else ()
        self._beside = {layer: (name, Attempt[Pyramid]()) for layer, name in named}
        self._masks: list[Attempt[DrawnMask | None]] = [Attempt() for _ in request.systems]

    def parts(self) -> list[Callable[[], None]]:
        """Independent pieces of work, those others wait for first."""
        masks = [
            lambda attempt=attempt, asked=asked: attempt.make(lambda: _read_mask(asked))
            for attempt, asked in zip(self._masks, self._asked.systems, strict=True)
        ]
        return [
            lambda: self._reference.make(self._indexed_reference),
            *masks,
            lambda: self._picture.make(self._read_picture),
            lambda: self._base.make(self._read_base),
            *(
                lambda layer=layer, attempt=attempt, name=name: attempt.make(
                    lambda: self._read_beside(layer, name)
                )
                for layer, (name, attempt) in self._beside.items()
            ),
        ]

    def files(self) -> Iterator[Path]:
        """The files a newer version of which would be shown differently."""
        for question in (self._asked.reference, *self._asked.systems):
            if question.job is not None:
                yield from (f for f in (question.job.reference, question.job.system) if f)
        with suppress(ForensicViewerError):
            yield resolve(self._root, self._media.name)

    def finish(self, problems: ProblemLog) -> LoadedSide:
        errors = [self._picture.error, self._reference.error, self._base.error]
        errors += [attempt.error for _, attempt in self._beside.values()]
        # Graphs are scored and drawn without the images of the world set, which few have at hand.
        is_extra = self._request.task.kind.is_provenance
        severity = Severity.NOTE if is_extra else Severity.ERROR
        problems.extend(error.as_problem(severity) for error in errors if error is not None)
        problems.extend(self._unusable_masks())
        reference = self._reference.found
        side = LoadedSide(
            side=self._side,
            media=self._media,
            reason=self._picture.reason or _without_image(self._media),
            question=self._asked.reference,
            reference=reference,
            scored=self._scored,
            selected=self._selected,
            broken=self._broken,
            planes=self._planes,
            operations=self._index,
            reference_reason=self._without_reference() if reference is None else "",
            systems=self._systems(reference),
            base=self._base.found,
            base_reason=self._base.reason
            or to_translate("The reference does not name a base image"),
            beside={
                layer: ImageBeside(name, attempt.found, attempt.reason)
                for layer, (name, attempt) in self._beside.items()
            },
        )
        return side_scored(self._with_picture(side), self._request, plain=self._regions)

    def _unusable_masks(self) -> Iterator[Problem]:
        trial = self._request.trial
        key = " and ".join(media.id for media in (trial.probe, trial.donor) if media is not None)
        for attempt, system in zip(self._masks, self._request.systems, strict=True):
            error, answer = attempt.error, system.answer
            if error is None or answer is None:
                continue
            where = system.submission.table.where(answer.row)
            if isinstance(error, UnsafePathError):
                yield replace(error.as_problem(), where=where)
            elif trial.is_target is False:
                yield error.as_problem(Severity.ERROR)
            else:
                mask = Path(error.where).name
                yield unusable_mask(key, mask, error.message, where=where, hint=error.hint)

    @property
    def _media(self) -> Media:
        trial = self._request.trial
        media = trial.donor if self._side is Side.DONOR else trial.probe
        assert media is not None
        return media

    @property
    def _root(self) -> Path:
        return Path(self._request.task.root)

    def _read_picture(self) -> DrawnPicture | None:
        if _without_image(self._media):
            return None
        picture = read_image(resolve(self._root, self._media.name))
        return DrawnPicture.of(picture, picture.pixels)

    def _read_base(self) -> Pyramid | None:
        name = self._request.trial.facts.get("BaseFileName", "").strip()
        if not self._request.wants_base or self._side is Side.DONOR or not name:
            return None
        return Pyramid.of(read_image(resolve(self._root, name)).pixels, Reduce.MEAN)

    def _read_beside(self, layer: str, name: str) -> Pyramid:
        path = resolve(self._root, name)
        if layer == _DIFFERENCE:
            probe = read_image(resolve(self._root, self._media.name)).pixels
            return Pyramid.of(_bright_difference(probe, path), Reduce.MEAN)
        if name.lower().endswith(VIDEO_SUFFIXES):
            pixels = video_thumbnail(path, edge_px=_STILL_PX)
        else:
            pixels = read_image(path).pixels
        return Pyramid.of(pixels, Reduce.MEAN)

    def _indexed_reference(self) -> ReferenceMask | None:
        job = self._asked.reference.job
        if job is None or job.reference is None:
            return None
        pixels = read_reference(job)
        if job.kind is ReferenceKind.BIT_PLANES:
            self._planes = pixels
        reference = shown_mask(job, pixels, self._request.trial.operations)
        self._scored = reference if is_scored_by(reference, job) else reference_mask(job, pixels)
        self._broken = OVERFULL if is_overfull(job, pixels) else ""
        self._regions = self._scored.regions(self._selected, self._request.kernels)
        self._index = Pyramid.of(reference.operation_index(), Reduce.MAX)
        return reference

    @property
    def _selected(self) -> Collection[int] | None:
        job = self._asked.reference.job
        if job is None or self._scored is None:
            return None
        return selected_in(self._scored.operations, job)

    def _without_reference(self) -> str:
        if self._reference.reason:
            return self._reference.reason
        if self._request.trial.is_target is False:
            return to_translate("Not manipulated, so there is no reference mask")
        job = self._asked.reference.job
        reads_planes = job is not None and job.kind is ReferenceKind.BIT_PLANES
        if self._request.trial.reference and reads_planes:
            return to_translate("The reference of this trial has colours, but no bit planes")
        return to_translate("The dataset has no reference mask for this trial")

    def _systems(self, reference: ReferenceMask | None) -> tuple[LoadedSystem, ...]:
        found = []
        asked = zip(self._masks, self._request.systems, self._asked.systems, strict=True)
        for attempt, system, question in asked:
            mask, stands_in = attempt.found, False
            failure = attempt.reason or question.failure
            if mask is None and not failure and reference is not None:
                # NIST scores an answer without a mask as an all-white, that is empty, one.
                mask, stands_in = DrawnMask.of(empty_mask(reference.size)), True
            found.append(
                LoadedSystem(
                    name=system.name,
                    answer=system.answer,
                    question=question,
                    scores=None if mask is None else mask.scores,
                    means=None if mask is None else mask.means,
                    peaks=None if mask is None else mask.peaks,
                    is_stand_in=stands_in,
                    failure=failure,
                    reason=failure,
                )
            )
        return tuple(found)

    def _with_picture(self, side: LoadedSide) -> LoadedSide:
        drawn = self._picture.found
        if drawn is None:
            return side
        masks = [side.reference.size] if side.reference is not None else []
        masks += [system.means.size for system in side.systems if system.means is not None]
        return drawn.under(side, masks[0] if masks else None)


def _bright_difference(probe: RgbImage, path: Path) -> RgbImage:
    base = read_image(path).pixels
    if base.shape != probe.shape:
        raise DatasetError(
            "The size of the base image differs from that of the probe",
            where=path,
            hint="show the base image in a separate pane",
        )
    return bright_difference(probe, base)


def _without_image(media: Media) -> str:
    """Why there is no image to read, where that is nobody's mistake."""
    if media.is_hidden:
        return HIDDEN
    return "" if media.name or not media.may_be_missing else NO_IMAGE


def _read_mask(asked: Question[CountJob]) -> DrawnMask | None:
    if asked.job is None or asked.job.system is None:
        return None
    return DrawnMask.of(read_system(asked.job, asked.job.system))
