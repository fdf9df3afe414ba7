"""One trial as it is looked at: pixels, masks, regions and sweeps, read and scored by value.

Nothing here knows the window. A :class:`TrialRequest` says what to read and how to score it;
:func:`load_trial` answers with a frozen :class:`LoadedTrial`; :func:`rescored` makes another one
from the same pixels when only the scoring changed. What cannot be read is a problem of that trial,
never an exception.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from typing import Generic, TypeVar

import cv2
import numpy as np

from forensicviewer.app.jobs import Ticket
from forensicviewer.core.array import BoolImage, PlaneImage, RgbImage, Size, U8Image
from forensicviewer.core.mask import Kernels, ReferenceMask, Regions
from forensicviewer.core.model import (
    Answer,
    Edition,
    Media,
    Status,
    Submission,
    Task,
    TaskKind,
    Trial,
)
from forensicviewer.core.overlay import OUTSIDE_CODE, OutcomePyramid
from forensicviewer.core.problem import ForensicViewerError, Problem, ProblemLog
from forensicviewer.core.pyramid import Pyramid, Reduce
from forensicviewer.core.score import ThresholdSweep
from forensicviewer.sources.files import resolve
from forensicviewer.sources.images import ImageFacts, Picture, read_image
from forensicviewer.sources.masks import (
    Polarity,
    read_bit_planes,
    read_colour_reference,
    read_system_mask,
)

Read = TypeVar("Read")


class Side(Enum):
    """Which picture of a trial; only splices have a donor."""

    PROBE = "probe"
    DONOR = "donor"


SCORED_AS_EMPTY = "Scored as an empty mask"
UNKNOWN_OPERATION = 255  # in an index of operations: marked, but by no operation of the journal


@dataclass(frozen=True, slots=True, eq=False)
class SystemRequest:
    """One system's answer to the trial, and the folder its file names are relative to."""

    name: str
    root: Path
    answer: Answer | None


@dataclass(frozen=True, slots=True, eq=False)
class TrialRequest:
    """What to read and how to score it. Two requests are equal when their answers would be."""

    task: Task
    trial: Trial
    systems: tuple[SystemRequest, ...]
    kernels: Kernels
    selected: frozenset[int] | None
    uses_bit_planes: bool
    honours_opt_out: bool
    wants_base: bool
    _key: tuple[object, ...]

    @classmethod
    def of(
        cls,
        task: Task,
        trial: Trial,
        submissions: tuple[Submission, ...],
        *,
        kernels: Kernels,
        selected: frozenset[int] | None = None,
        uses_bit_planes: bool = False,
        honours_opt_out: bool = False,
        wants_base: bool = False,
    ) -> TrialRequest:
        """The defaults are those of the command line; splices never widen other colours."""
        if task.kind.has_donor:
            kernels = replace(kernels, distraction_px=0)
        systems = tuple(
            SystemRequest(found.name, Path(found.root), found.answers.get(trial.id))
            for found in submissions
        )
        identity = tuple(id(found) for found in submissions)
        options = (kernels, selected, uses_bit_planes, honours_opt_out, wants_base)
        return cls(task, trial, systems, *options, (id(task), trial.id, identity, *options))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TrialRequest) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def polarity(self) -> Polarity:
        """NIST's masks are black where manipulated; everybody else's are white."""
        return Polarity.BLACK if self.is_nist else Polarity.WHITE

    @property
    def is_nist(self) -> bool:
        """Only NIST's datasets have reference tables; their year may still be unknown."""
        return self.task.edition is not Edition.UNKNOWN or self.task.reference is not None


@dataclass(frozen=True, slots=True, eq=False)
class LoadedSystem:
    """A system mask of one side. Without a sweep it cannot be scored, and ``reason`` says why."""

    name: str
    answer: Answer | None
    scores: U8Image | None = None
    means: Pyramid | None = None
    peaks: Pyramid | None = None
    regions: Regions | None = None
    sweep: ThresholdSweep | None = None
    outcomes: OutcomePyramid | None = None
    is_stand_in: bool = False
    reason: str = ""

    @property
    def bytes_held(self) -> int:
        held = sum(p.bytes_held for p in (self.means, self.peaks, self.outcomes) if p is not None)
        if self.regions is not None:
            held += self.regions.codes.nbytes + self.regions.selected.nbytes
        return held


@dataclass(frozen=True, slots=True, eq=False)
class LoadedSide:
    """The probe or the donor of a trial, with everything drawn over it.

    ``pictures`` may be absent where the file cannot be read; ``reason`` and ``reference_reason``
    then say why in the user's words.
    """

    side: Side
    media: Media
    facts: ImageFacts | None = None
    pictures: Pyramid | None = None
    greys: Pyramid | None = None
    reason: str = ""
    reference: ReferenceMask | None = None
    planes: PlaneImage | None = None
    operations: Pyramid | None = None
    reference_reason: str = ""
    regions: Regions | None = None
    systems: tuple[LoadedSystem, ...] = ()
    is_as_stored: bool = False
    base: Pyramid | None = None
    base_reason: str = ""

    @property
    def size(self) -> Size:
        """The smallest size everything fits into, anchored at the upper left corner."""
        sizes = [p.size for p in (self.pictures, self.operations, self.base) if p is not None]
        sizes += [system.means.size for system in self.systems if system.means is not None]
        declared = self.media.size or Size(640, 480)
        return Size(
            max((size.width for size in sizes), default=declared.width),
            max((size.height for size in sizes), default=declared.height),
        )

    @property
    def bytes_held(self) -> int:
        pyramids = (self.pictures, self.greys, self.operations, self.base)
        held = sum(pyramid.bytes_held for pyramid in pyramids if pyramid is not None)
        return held + sum(system.bytes_held for system in self.systems)


@dataclass(frozen=True, slots=True, eq=False)
class LoadedTrial:
    """A trial ready to be shown."""

    request: TrialRequest
    probe: LoadedSide
    donor: LoadedSide | None = None
    problems: tuple[Problem, ...] = ()

    @property
    def trial(self) -> Trial:
        return self.request.trial

    @property
    def bytes_held(self) -> int:
        return self.probe.bytes_held + (self.donor.bytes_held if self.donor else 0)

    def has_pixels_for(self, request: TrialRequest) -> bool:
        """Whether a request only wants the same files scored in another way."""
        mine = self.request
        same_systems = [s.answer for s in mine.systems] == [s.answer for s in request.systems]
        same_files = (mine.uses_bit_planes, mine.wants_base) == (
            request.uses_bit_planes,
            request.wants_base,
        )
        return self.trial.id == request.trial.id and same_systems and same_files

    def on(self, side: Side) -> LoadedSide:
        return self.donor if side is Side.DONOR and self.donor is not None else self.probe

    def system(self, side: Side, system: int) -> LoadedSystem | None:
        systems = self.on(side).systems
        return systems[system] if system < len(systems) else None

    def sweep(self, side: Side, system: int) -> ThresholdSweep | None:
        found = self.system(side, system)
        return None if found is None else found.sweep


def load_trial(request: TrialRequest) -> LoadedTrial:
    """Read every file of a trial, two at a time, and score it.

    A video's frames are read one by one as its playhead moves, by ``video_frames``; here it has no
    picture yet.
    """
    if request.task.kind is TaskKind.VIDEO:
        return LoadedTrial(request, LoadedSide(Side.PROBE, request.trial.probe))
    with ThreadPoolExecutor(max_workers=2, thread_name_prefix="fv-read") as pool:
        probe = _SideReader(request, Side.PROBE)
        donor = _SideReader(request, Side.DONOR) if request.trial.donor else None
        readers = [reader for reader in (probe, donor) if reader is not None]
        parts = [part for reader in readers for part in reader.parts()]
        list(pool.map(lambda part: part(), parts))
    problems = ProblemLog()
    sides = [reader.finish(problems) for reader in readers]
    return LoadedTrial(request, sides[0], sides[1] if donor else None, problems.freeze())


def rescored(loaded: LoadedTrial, request: TrialRequest) -> LoadedTrial:
    """The same pixels scored as another request says."""
    donor = None if loaded.donor is None else _side_scored(loaded.donor, request)
    return replace(loaded, request=request, probe=_side_scored(loaded.probe, request), donor=donor)


@dataclass(frozen=True, slots=True, eq=False)
class OperationScore:
    """One operation scored alone, all others being a no-score zone; no sweep, no mask."""

    area_px: int
    sweep: ThresholdSweep | None


def score_operations(loaded: LoadedTrial, side: Side, ticket: Ticket) -> tuple[OperationScore, ...]:
    """Every operation of a side scored alone."""
    shown = loaded.on(side)
    reference = shown.reference
    if reference is None:
        return ()
    scores = shown.systems[0].scores if shown.systems else None
    if scores is not None and Size.of(scores) != reference.size:
        scores = None
    found = []
    for number in range(len(reference.operations)):
        ticket.report(number, len(reference.operations))
        regions = reference.regions([number], loaded.request.kernels)
        is_scored = scores is not None and regions.has_selected
        sweep = _swept(scores, regions) if is_scored and scores is not None else None
        found.append(OperationScore(int(np.count_nonzero(regions.selected)), sweep))
    return tuple(found)


@dataclass(frozen=True, slots=True, eq=False)
class _DrawnPicture:
    """A picture, ready to be drawn."""

    picture: Picture
    pictures: Pyramid
    greys: Pyramid

    @classmethod
    def of(cls, picture: Picture, pixels: RgbImage) -> _DrawnPicture:
        grey = np.asarray(cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY), np.uint8)
        return cls(picture, Pyramid.of(pixels, Reduce.MEAN), Pyramid.of(grey, Reduce.MEAN))


@dataclass(frozen=True, slots=True, eq=False)
class _DrawnMask:
    """A system mask, ready to be drawn."""

    scores: U8Image
    means: Pyramid
    peaks: Pyramid

    @classmethod
    def of(cls, scores: U8Image) -> _DrawnMask:
        return cls(scores, Pyramid.of(scores, Reduce.MEAN), Pyramid.of(scores, Reduce.MAX))


class _SideReader:
    """Reads one side's files in any order, then puts them together.

    Whatever can be made from one file alone is made where that file is read, side by side with the
    others.
    """

    def __init__(self, request: TrialRequest, side: Side) -> None:
        self._request = request
        self._side = side
        self._picture: _Attempt[_DrawnPicture] = _Attempt()
        self._reference: _Attempt[ReferenceMask | None] = _Attempt()
        self._planes: PlaneImage | None = None
        self._index: Pyramid | None = None
        self._base: _Attempt[Pyramid | None] = _Attempt()
        self._masks: list[_Attempt[_DrawnMask | None]] = [_Attempt() for _ in request.systems]

    def parts(self) -> list[Callable[[], None]]:
        """Independent pieces of work, the longest first."""
        masks = [
            lambda attempt=attempt, system=system: attempt.make(lambda: self._read_mask(system))
            for attempt, system in zip(self._masks, self._request.systems, strict=True)
        ]
        return [
            lambda: self._picture.make(self._read_picture),
            lambda: self._reference.make(self._indexed_reference),
            *masks,
            lambda: self._base.make(self._read_base),
        ]

    def finish(self, problems: ProblemLog) -> LoadedSide:
        errors = [self._picture.error, self._reference.error, self._base.error]
        errors += [attempt.error for attempt in self._masks]
        problems.extend(error.as_problem() for error in errors if error is not None)
        reference = self._reference.found
        side = LoadedSide(
            side=self._side,
            media=self._media,
            reason=self._picture.reason,
            reference=reference,
            planes=self._planes,
            operations=self._index,
            reference_reason=self._without_reference() if reference is None else "",
            systems=self._systems(reference),
            base=self._base.found,
            base_reason=self._base.reason or "The reference names no base picture",
        )
        return _side_scored(self._with_picture(side), self._request)

    @property
    def _media(self) -> Media:
        trial = self._request.trial
        media = trial.donor if self._side is Side.DONOR else trial.probe
        assert media is not None
        return media

    @property
    def _root(self) -> Path:
        return Path(self._request.task.root)

    def _read_picture(self) -> _DrawnPicture:
        picture = read_image(resolve(self._root, self._media.name))
        return _DrawnPicture.of(picture, picture.pixels)

    def _read_base(self) -> Pyramid | None:
        name = self._request.trial.facts.get("BaseFileName", "").strip()
        if not self._request.wants_base or self._side is Side.DONOR or not name:
            return None
        return Pyramid.of(read_image(resolve(self._root, name)).pixels, Reduce.MEAN)

    def _indexed_reference(self) -> ReferenceMask | None:
        reference = self._read_reference()
        if reference is not None:
            self._index = Pyramid.of(operation_index(reference), Reduce.MAX)
        return reference

    def _read_reference(self) -> ReferenceMask | None:
        trial = self._request.trial
        if self._side is Side.DONOR:
            name = trial.donor_reference
            return None if not name else ReferenceMask.from_black(self._colours(name))
        if trial.donor is not None and trial.reference:
            return ReferenceMask.from_black(self._colours(trial.reference), others_scored=True)
        if trial.bit_planes and (self._request.uses_bit_planes or not trial.reference):
            self._planes = read_bit_planes(resolve(self._root, trial.bit_planes))
            return ReferenceMask.from_planes(self._planes, trial.operations)
        if not trial.reference:
            return None
        colours = self._colours(trial.reference)
        task = self._request.task
        if not self._request.is_nist:
            return ReferenceMask.from_area(np.asarray((colours != 0).any(axis=2)))
        if task.probe_journals is None or task.journal_masks is None:
            return ReferenceMask.from_black(colours)
        return ReferenceMask.from_colours(colours, trial.operations)

    def _colours(self, name: str) -> RgbImage:
        return read_colour_reference(resolve(self._root, name))

    def _without_reference(self) -> str:
        if self._reference.reason:
            return self._reference.reason
        if self._request.trial.is_target is False:
            return "Not manipulated, so there is no reference mask"
        return "The dataset has no reference mask for this trial"

    def _read_mask(self, system: SystemRequest) -> _DrawnMask | None:
        answer = system.answer
        name = answer and (answer.donor_mask if self._side is Side.DONOR else answer.mask)
        if not name or self._has_failed(system):
            return None
        path = resolve(system.root, name)
        return _DrawnMask.of(read_system_mask(path, manipulated_is=self._request.polarity))

    def _has_failed(self, system: SystemRequest) -> bool:
        """Whether validation failed, which empties the mask."""
        answer = system.answer
        status = answer and (answer.donor_status if self._side is Side.DONOR else answer.status)
        return status is Status.FAILED_VALIDATION

    def _systems(self, reference: ReferenceMask | None) -> tuple[LoadedSystem, ...]:
        found = []
        for attempt, system in zip(self._masks, self._request.systems, strict=True):
            mask, stands_in = attempt.found, False
            if mask is None and not attempt.reason and reference is not None:
                # NIST scores an answer without a mask as an all-white, that is empty, one.
                mask, stands_in = _DrawnMask.of(_empty(reference)), True
            found.append(
                LoadedSystem(
                    name=system.name,
                    answer=system.answer,
                    scores=None if mask is None else mask.scores,
                    means=None if mask is None else mask.means,
                    peaks=None if mask is None else mask.peaks,
                    is_stand_in=stands_in,
                    reason=attempt.reason,
                )
            )
        return tuple(found)

    def _with_picture(self, side: LoadedSide) -> LoadedSide:
        drawn = self._picture.found
        if drawn is None:
            return side
        masks = [side.reference.size] if side.reference is not None else []
        masks += [system.means.size for system in side.systems if system.means is not None]
        upright = drawn.picture.pixels
        pixels = drawn.picture.fitting(masks[0]) if masks else upright
        if pixels is not upright:
            drawn = _DrawnPicture.of(drawn.picture, pixels)
        return replace(
            side,
            facts=drawn.picture.facts,
            pictures=drawn.pictures,
            greys=drawn.greys,
            is_as_stored=pixels is not upright,
        )


class _Attempt(Generic[Read]):
    """Something that is read, or the reason why it was not."""

    def __init__(self) -> None:
        self.found: Read | None = None
        self.error: ForensicViewerError | None = None

    def make(self, read: Callable[[], Read]) -> None:
        try:
            self.found = read()
        except ForensicViewerError as error:
            self.error = error

    @property
    def reason(self) -> str:
        return "" if self.error is None else str(self.error)


def _side_scored(side: LoadedSide, request: TrialRequest) -> LoadedSide:
    if side.reference is None:
        return side
    plain = side.reference.regions(request.selected, request.kernels)
    systems = tuple(_scored(system, side.reference, plain, request) for system in side.systems)
    return replace(side, regions=plain, systems=systems)


def _scored(
    system: LoadedSystem, reference: ReferenceMask, plain: Regions, request: TrialRequest
) -> LoadedSystem:
    if not plain.has_selected:
        reason = "Not scored: the reference shows no selected region"
        return replace(system, regions=plain, sweep=None, outcomes=None, reason=reason)
    scores = system.scores
    if scores is None or Size.of(scores) != reference.size:
        return _scored_as_empty(system, reference, plain)
    opt_out = _opted_out(system, scores) if request.honours_opt_out else None
    regions = plain
    if opt_out is not None:
        regions = reference.regions(request.selected, request.kernels, opt_out=opt_out)
    return replace(
        system,
        regions=regions,
        sweep=_swept(scores, regions),
        outcomes=OutcomePyramid.of(regions.codes, scores),
        reason="",
    )


def _scored_as_empty(
    system: LoadedSystem, reference: ReferenceMask, plain: Regions
) -> LoadedSystem:
    """A mask that cannot be used counts as one that marks nothing (rule ``mask-unusable``).

    A mask of another size is still shown as it is, anchored and never stretched.
    """
    empty = _empty(reference)
    scores = system.scores
    if scores is None:
        reason = system.reason
        shown = OutcomePyramid.of(plain.codes, empty)
    else:
        reason = f"The system mask is {Size.of(scores)}, the reference {reference.size}"
        shown = OutcomePyramid.of(*_on_one_canvas(plain.codes, scores))
    if not reason.startswith(SCORED_AS_EMPTY):
        reason = f"{SCORED_AS_EMPTY}: {reason}"
    sweep = _swept(empty, plain)
    return replace(system, regions=plain, sweep=sweep, outcomes=shown, reason=reason)


def _swept(scores: U8Image, regions: Regions) -> ThresholdSweep:
    sweep = ThresholdSweep.of(scores, regions)
    # Worked out when first asked for, which must not be when the window draws its curve.
    _ = sweep.optimum, sweep.auc, sweep.eer
    return sweep


def _empty(reference: ReferenceMask) -> U8Image:
    return np.zeros((reference.size.height, reference.size.width), np.uint8)


def _opted_out(system: LoadedSystem, scores: U8Image) -> BoolImage | None:
    value = None if system.answer is None else system.answer.opt_out_value
    return None if value is None else np.asarray(scores == 255 - value)


def _on_one_canvas(codes: U8Image, scores: U8Image) -> tuple[U8Image, U8Image]:
    """Both anchored at the upper left; what only one of them has is outside the mask."""
    height = max(codes.shape[0], scores.shape[0])
    width = max(codes.shape[1], scores.shape[1])
    rows, columns = min(codes.shape[0], scores.shape[0]), min(codes.shape[1], scores.shape[1])
    regions = np.full((height, width), OUTSIDE_CODE, np.uint8)
    regions[:rows, :columns] = codes[:rows, :columns]
    padded = np.zeros((height, width), np.uint8)
    padded[:rows, :columns] = scores[:rows, :columns]
    return regions, padded


def operation_index(reference: ReferenceMask) -> U8Image:
    """For each pixel the last operation that changed it, counted from 1; 0 where none did."""
    chosen, _ = reference.split(None)
    index = np.zeros(chosen.shape, np.uint8)
    index[reference.unknown] = UNKNOWN_OPERATION
    if not reference.operations:
        index[chosen] = 1
    for number in range(min(len(reference.operations), UNKNOWN_OPERATION - 1)):
        index[reference.area(number)] = number + 1
    return index
