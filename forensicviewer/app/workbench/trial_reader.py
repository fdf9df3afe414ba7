"""Reads the files of a trial, several at a time, into what the panes show."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Generic, TypeVar

import cv2
import numpy as np

from forensicviewer.app.language.words import to_translate
from forensicviewer.app.masks.image_count import refuse_colours
from forensicviewer.app.masks.unusable import unusable_mask
from forensicviewer.app.workbench.loaded_trial import (
    OPENING_VIDEO,
    LoadedSide,
    LoadedSystem,
    LoadedTrial,
    SystemRequest,
    TrialRequest,
    empty_mask,
    side_scored,
)
from forensicviewer.core.array import PlaneImage, RgbImage, U8Image
from forensicviewer.core.mask import ReferenceMask, Regions
from forensicviewer.core.model import Edition, Media, Side, Status, TaskKind
from forensicviewer.core.problem import (
    ForensicViewerError,
    Problem,
    ProblemLog,
    Severity,
    UnsafePathError,
)
from forensicviewer.core.pyramid import Pyramid, Reduce
from forensicviewer.core.rules import mask as switches
from forensicviewer.sources.files.paths import resolve
from forensicviewer.sources.media.images import Picture, read_image
from forensicviewer.sources.media.masks import (
    read_bit_planes,
    read_colour_reference,
    read_system_mask,
)

Read = TypeVar("Read")


def load_trial(request: TrialRequest) -> LoadedTrial:
    """Read every file of a trial, two at a time, and score it.

    A video's frames are read one by one as its playhead moves, by ``video_frames``; here it has no
    picture yet.
    """
    if request.task.kind is TaskKind.VIDEO:
        return unopened_video(request, OPENING_VIDEO)
    with ThreadPoolExecutor(max_workers=2, thread_name_prefix="fv-read") as pool:
        probe = _SideReader(request, Side.PROBE)
        donor = _SideReader(request, Side.DONOR) if request.trial.donor else None
        readers = [reader for reader in (probe, donor) if reader is not None]
        parts = [part for reader in readers for part in reader.parts()]
        list(pool.map(lambda part: part(), parts))
    problems = ProblemLog()
    sides = [reader.finish(problems) for reader in readers]
    return LoadedTrial(request, sides[0], sides[1] if donor else None, problems.freeze())


def unopened_video(request: TrialRequest, why: str) -> LoadedTrial:
    """A video whose first frame is still to come, or does not."""
    side = LoadedSide(
        Side.PROBE,
        request.trial.probe,
        reason=why,
        reference_reason=why,
        systems=tuple(
            LoadedSystem(system.name, system.answer, reason=why) for system in request.systems
        ),
    )
    return LoadedTrial(request, side)


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
        self._regions: Regions | None = None
        self._base: _Attempt[Pyramid | None] = _Attempt()
        self._masks: list[_Attempt[_DrawnMask | None]] = [_Attempt() for _ in request.systems]

    def parts(self) -> list[Callable[[], None]]:
        """Independent pieces of work, those others wait for first."""
        masks = [
            lambda attempt=attempt, system=system: attempt.make(lambda: self._read_mask(system))
            for attempt, system in zip(self._masks, self._request.systems, strict=True)
        ]
        return [
            lambda: self._reference.make(self._indexed_reference),
            *masks,
            lambda: self._picture.make(self._read_picture),
            lambda: self._base.make(self._read_base),
        ]

    def finish(self, problems: ProblemLog) -> LoadedSide:
        errors = [self._picture.error, self._reference.error, self._base.error]
        # Graphs are scored and drawn without the images of the world set, which few have at hand.
        is_extra = self._request.task.kind.is_provenance
        severity = Severity.NOTE if is_extra else Severity.ERROR
        problems.extend(error.as_problem(severity) for error in errors if error is not None)
        problems.extend(self._unusable_masks())
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
            base_reason=self._base.reason or to_translate("The reference names no base picture"),
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
            self._regions = reference.regions(self._request.selected, self._request.kernels)
            self._index = Pyramid.of(reference.operation_index(), Reduce.MAX)
        return reference

    def _read_reference(self) -> ReferenceMask | None:
        trial = self._request.trial
        if self._side is Side.DONOR:
            name = trial.donor_reference
            return None if not name else ReferenceMask.from_black(self._colours(name))
        if trial.donor is not None and self._has_coloured_splice:
            return self._coloured_splice()
        if trial.donor is not None and trial.reference:
            return ReferenceMask.from_black(self._colours(trial.reference), others_scored=True)
        if self._reads_planes:
            return None if not trial.bit_planes else self._from_planes(trial.bit_planes)
        if not trial.reference:
            return None
        colours = self._colours(trial.reference)
        task = self._request.task
        if not task.is_nist:
            return ReferenceMask.from_area(np.asarray((colours != 0).any(axis=2)))
        if task.probe_journals is None or task.journal_masks is None:
            return ReferenceMask.from_black(colours)
        return ReferenceMask.from_colours(colours, trial.operations)

    @property
    def _has_coloured_splice(self) -> bool:
        """Whether the plans' reference of a splice is asked for, and there is one."""
        request, planes = self._request, self._reads_planes
        if request.rules.chooses(switches.SpliceReference.BINARY):
            return False
        operations = request.trial.operations
        has_marks = any(step.bit_plane if planes else step.color for step in operations)
        is_named = bool(request.trial.facts.get(_mask_column(planes=planes), "").strip())
        return request.task.edition is not Edition.NC2016 and has_marks and is_named

    def _coloured_splice(self) -> ReferenceMask:
        """The splice's own operations in the mask of the probe; all else is background."""
        trial, planes = self._request.trial, self._reads_planes
        name = trial.facts[_mask_column(planes=planes)].strip()
        if planes:
            return self._from_planes(name)
        mask = ReferenceMask.from_colours(self._colours(name), trial.operations)
        return ReferenceMask.from_area(mask.split(None)[0])

    @property
    def _reads_planes(self) -> bool:
        request = self._request
        return request.task.scores_planes(wanted=request.uses_bit_planes)

    def _from_planes(self, name: str) -> ReferenceMask:
        self._planes = read_bit_planes(resolve(self._root, name))
        return ReferenceMask.from_planes(self._planes, self._request.trial.operations)

    def _colours(self, name: str) -> RgbImage:
        return read_colour_reference(resolve(self._root, name))

    def _without_reference(self) -> str:
        if self._reference.reason:
            return self._reference.reason
        if self._request.trial.is_target is False:
            return to_translate("Not manipulated, so there is no reference mask")
        if self._request.trial.reference and self._reads_planes:
            return to_translate("This trial has colours only, no bit planes")
        return to_translate("The dataset has no reference mask for this trial")

    def _read_mask(self, system: SystemRequest) -> _DrawnMask | None:
        answer = system.answer
        name = answer and (answer.donor_mask if self._side is Side.DONOR else answer.mask)
        if not name or self._has_failed(system):
            return None
        path = resolve(system.root, name)
        if self._request.rules.chooses(switches.ColourMasks.REFUSED):
            refuse_colours(path)
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
                mask, stands_in = _DrawnMask.of(empty_mask(reference)), True
            found.append(
                LoadedSystem(
                    name=system.name,
                    answer=system.answer,
                    scores=None if mask is None else mask.scores,
                    means=None if mask is None else mask.means,
                    peaks=None if mask is None else mask.peaks,
                    is_stand_in=stands_in,
                    failure=attempt.reason,
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


def _mask_column(*, planes: bool) -> str:
    return "ProbeBitPlaneMaskFileName" if planes else "ProbeMaskFileName"


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
