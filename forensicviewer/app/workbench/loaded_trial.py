"""One trial as it is shown: pixels, masks, regions and sweeps, scored by value.

Nothing here knows the window. A :class:`TrialRequest` says what to read and how to score it;
``load_trial`` of the module beside answers with a frozen :class:`LoadedTrial`, and ``rescored``
makes another one from the same pixels when only the scoring changed. What cannot be read is a
problem of that trial, never an exception.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from forensicviewer.app.language.words import to_translate, tr
from forensicviewer.app.masks.question import Question
from forensicviewer.app.masks.settings import MaskSettings
from forensicviewer.app.runtime.jobs import Ticket
from forensicviewer.core.array import PlaneImage, Size, U8Image
from forensicviewer.core.kernel import Kernels
from forensicviewer.core.mask import UNKNOWN_OPERATION, ReferenceMask, Regions
from forensicviewer.core.model import (
    Answer,
    Media,
    Side,
    Submission,
    Task,
    Trial,
)
from forensicviewer.core.overlay import OutcomePyramid
from forensicviewer.core.problem import Problem
from forensicviewer.core.pyramid import Pyramid
from forensicviewer.core.rules import MEDISCORE, RuleSet
from forensicviewer.core.rules import mask as switches
from forensicviewer.core.score import LevelCounts, ThresholdSweep
from forensicviewer.sources.decoders.process import PASSING
from forensicviewer.sources.files.atomic import Stamp, stamp_of
from forensicviewer.sources.media.images import ImageFacts

ALL_FALSE_ALARMS = to_translate(
    "Not manipulated, so not scored; every called pixel is a false alarm"
)
# GenAI's plan, section 2.2: participants do not look at the test media.
HIDDEN = to_translate("Hidden: participants must not look at the images of a test set")
NO_IMAGE = to_translate("The dataset has no image for this trial")
OPENING_VIDEO = to_translate("Opening the video…")
CANCELLED_VIDEO = to_translate("Cancelled: to open the video, go to another trial and back")


@dataclass(frozen=True, slots=True, eq=False)
class SystemRequest:
    """One system's answer to the trial, and the folder its file names are relative to."""

    submission: Submission
    answer: Answer | None

    @property
    def name(self) -> str:
        return self.submission.name

    @property
    def root(self) -> Path:
        return Path(self.submission.root)


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
    beside: tuple[tuple[str, str], ...]
    rules: RuleSet
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
        beside: tuple[tuple[str, str], ...] = (),
        rules: RuleSet = MEDISCORE,
    ) -> TrialRequest:
        """The defaults are those of the command line; splices never widen other colours.

        ``beside`` are further images to read: (layer by its value, file).
        """
        if task.kind.has_donor:
            kernels = replace(kernels, distraction_px=0)
        systems = tuple(SystemRequest(found, found.answers.get(trial.id)) for found in submissions)
        # Identities stay unique because the request holds on to what they are of.
        identity = tuple(id(found) for found in submissions)
        options = (kernels, selected, uses_bit_planes, honours_opt_out, wants_base, beside, rules)
        return cls(task, trial, systems, *options, (id(task), trial.id, identity, *options))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TrialRequest) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def settings(self) -> MaskSettings:
        """What ``score mask`` would be asked for."""
        return MaskSettings.as_shown(
            self.task,
            self.kernels,
            self.rules,
            uses_bit_planes=self.uses_bit_planes,
            honours_opt_out=self.honours_opt_out,
        )

    @property
    def selected_steps(self) -> frozenset[tuple[str, ...]] | None:
        """The selected operations by their keys; ``None`` for all of them."""
        if self.selected is None:
            return None
        return frozenset(self.trial.operations[number].key for number in self.selected)


@dataclass(frozen=True, slots=True, eq=False)
class LoadedSystem:
    """A system mask of one side. Without a sweep it cannot be scored, and ``reason`` says why.

    ``question`` is what the batch scorer would compare. A mask ``is_scored_as_empty`` where it
    cannot be used, for the same ``reason``; ``why`` says both in the user's language. ``failure``
    says why a mask could not be read. ``alarms`` are the pixels called at each threshold where all
    of them are wrong. ``layers`` names the further maps that came with the prediction, and
    ``beyond_band`` counts its pixels outside TruFor's band along the border of the reference.
    """

    name: str
    answer: Answer | None
    question: Question[Any] = field(default_factory=Question)
    scores: U8Image | None = None
    means: Pyramid | None = None
    peaks: Pyramid | None = None
    regions: Regions | None = None
    sweep: ThresholdSweep | None = None
    outcomes: OutcomePyramid | None = None
    alarms: tuple[int, ...] = ()
    is_stand_in: bool = False
    is_scored_as_empty: bool = False
    failure: str = ""
    reason: str = ""
    reason_parts: Mapping[str, str] = field(default_factory=dict)
    layers: tuple[str, ...] = ()
    beyond_band: LevelCounts | None = None

    @property
    def is_omitted(self) -> bool:
        """Whether an empty mask is scored in place of one that is missing or of no use."""
        return self.is_stand_in or self.is_scored_as_empty

    @property
    def why(self) -> str:
        reason = tr(self.reason, **self.reason_parts) if self.reason else ""
        if self.is_scored_as_empty:
            return tr("Scored as an empty mask: {reason}", reason=reason)
        return reason

    def opt_out_value(self, side: Side) -> int | None:
        """The grey level of pixels the system does not want to be scored on."""
        if self.answer is None:
            return None
        is_donor = side is Side.DONOR
        return self.answer.donor_opt_out_value if is_donor else self.answer.opt_out_value

    @property
    def bytes_held(self) -> int:
        held = sum(p.bytes_held for p in (self.means, self.peaks, self.outcomes) if p is not None)
        if self.regions is not None:
            held += self.regions.codes.nbytes + self.regions.selected.nbytes
        return held


@dataclass(frozen=True, slots=True, eq=False)
class ImageBeside:
    """A further image to compare a probe with; ``reason`` says why there is none.

    ``note`` says how its values are shown.
    """

    file: str
    pixels: Pyramid | None = None
    reason: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class LoadedSide:
    """The probe or the donor of a trial, with everything drawn over it.

    ``pictures`` may be absent where the file cannot be read; ``reason`` and ``reference_reason``
    then say why in the user's words. ``reference`` knows the operations a reader knows; ``scored``
    is what is compared with the masks, mostly the same one, with the numbers of its ``selected``
    operations. ``broken`` says why a reference that can be shown is not scored. ``titles`` name
    layers (by their values) that are something else than usual; ``beside`` are the images of such
    layers that are neither probe nor donor; ``marked`` are the layers the
    operations' areas lie on.
    """

    side: Side
    media: Media
    facts: ImageFacts | None = None
    pictures: Pyramid | None = None
    greys: Pyramid | None = None
    reason: str = ""
    question: Question[Any] = field(default_factory=Question)
    reference: ReferenceMask | None = None
    scored: ReferenceMask | None = None
    selected: Collection[int] | None = None
    broken: str = ""
    planes: PlaneImage | None = None
    operations: Pyramid | None = None
    reference_reason: str = ""
    regions: Regions | None = None
    systems: tuple[LoadedSystem, ...] = ()
    is_as_stored: bool = False
    base: Pyramid | None = None
    base_reason: str = ""
    beside: Mapping[str, ImageBeside] = field(default_factory=dict)
    titles: Mapping[str, str] = field(default_factory=dict)
    marked: frozenset[str] = frozenset({"picture"})

    def image_of(self, layer: str) -> Pyramid | None:
        """The image that a layer shows as it is, by the layer's value."""
        beside = self.beside.get(layer)
        own = {"picture": self.pictures, "base": self.base}
        return own.get(layer) if beside is None else beside.pixels

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
    def has_unexplained(self) -> bool:
        """Whether the reference marks something that no operation of the journal did."""
        # The highest number is kept at every step of the pyramid, and this is the highest of all.
        return self.operations is not None and UNKNOWN_OPERATION in self.operations.levels[-1]

    @property
    def bytes_held(self) -> int:
        beside = (image.pixels for image in self.beside.values())
        pyramids = (self.pictures, self.greys, self.operations, self.base, *beside)
        held = sum(pyramid.bytes_held for pyramid in pyramids if pyramid is not None)
        return held + sum(system.bytes_held for system in self.systems)


@dataclass(frozen=True, slots=True)
class FileStamp:
    """A file as it was when it was read; one that was not there has no stamp."""

    path: Path
    stamp: Stamp | None

    @classmethod
    def of(cls, path: Path) -> FileStamp:
        try:
            return cls(path, stamp_of(path))
        except OSError:
            return cls(path, None)


@dataclass(frozen=True, slots=True, eq=False)
class LoadedTrial:
    """A trial ready to be shown; ``stamps`` tell whether its files have changed since."""

    request: TrialRequest
    probe: LoadedSide
    donor: LoadedSide | None = None
    problems: tuple[Problem, ...] = ()
    stamps: tuple[FileStamp, ...] = ()

    @property
    def trial(self) -> Trial:
        return self.request.trial

    @property
    def bytes_held(self) -> int:
        return self.probe.bytes_held + (self.donor.bytes_held if self.donor else 0)

    @property
    def is_worth_keeping(self) -> bool:
        """Whether reading it once more would find the same: not where a decoder ended."""
        return not any(problem.rule in PASSING for problem in self.problems)

    def has_pixels_for(self, request: TrialRequest) -> bool:
        """Whether a request only wants the same files scored in another way."""
        mine = self.request
        same_systems = [id(s.submission) for s in mine.systems] == [
            id(s.submission) for s in request.systems
        ]
        wanted = (mine.uses_bit_planes, mine.wants_base, mine.beside, mine.rules)
        same_files = wanted == (
            request.uses_bit_planes,
            request.wants_base,
            request.beside,
            request.rules,
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
    system = shown.systems[0] if shown.systems else None
    found = []
    for number in range(len(reference.operations)):
        ticket.report(number, len(reference.operations))
        alone = replace(shown, scored=reference, selected=[number])
        regions = reference.regions([number], loaded.request.kernels)
        sweep = None if system is None else _scored(system, alone, regions, loaded.request).sweep
        found.append(OperationScore(int(np.count_nonzero(regions.selected)), sweep))
    return tuple(found)


def side_scored(
    side: LoadedSide, request: TrialRequest, *, plain: Regions | None = None
) -> LoadedSide:
    """A side's regions, sweeps and outcomes as the request wants them.

    ``plain`` are the regions without opted-out pixels, where they are known already.
    """
    # A trial that is listed as a target as well is scored as one.
    is_clean = request.trial.is_target is False and not side.question.is_scored
    if side.scored is None or is_clean:
        # Only targets are scored, even where a clean image has a reference mask.
        systems = tuple(_alarmed(s) for s in side.systems) if is_clean else side.systems
        return replace(side, systems=systems)
    if plain is None:
        plain = side.scored.regions(side.selected, request.kernels)
    systems = tuple(_scored(system, side, plain, request) for system in side.systems)
    return replace(side, regions=plain, systems=systems)


def _alarmed(system: LoadedSystem) -> LoadedSystem:
    """A mask over an image nobody manipulated: not scored, but every called pixel is wrong."""
    if system.scores is None:
        return system
    background = np.zeros(system.scores.shape, np.uint8)
    outcomes = OutcomePyramid.of(background, system.scores)
    levels = np.bincount(system.scores.ravel(), minlength=256)
    alarms = (*levels[::-1].cumsum()[::-1].tolist(), 0)
    return replace(system, outcomes=outcomes, alarms=alarms, reason=ALL_FALSE_ALARMS)


def _scored(
    system: LoadedSystem, side: LoadedSide, plain: Regions, request: TrialRequest
) -> LoadedSystem:
    """A system's mask scored by the rules, in the order the batch scorer asks them."""
    question, size, rules = system.question, plain.size, request.rules.name
    if question.why:
        return _unscored(system, plain, question.why, **question.why_parts)
    if not plain.has_selected:
        return _unscored(system, plain, _NO_REGION)
    if side.broken:
        return _unscored(system, plain, _BROKEN, problem=side.broken)
    scores, is_empty = system.scores, False
    reason, parts = "", dict[str, str]()
    if scores is None or Size.of(scores) != size:
        reason, parts = _failure(system, size)
        if request.rules.chooses(switches.UnusableMask.UNSCORED):
            return _unscored(system, plain, _UNUSABLE, rules=rules, problem=tr(reason, **parts))
        is_empty = True
    white = None if question.job is None else question.job.stand_in
    if (is_empty or system.is_stand_in) and white not in (None, size):
        sizes = {"index": str(white), "reference": str(size)}
        return _unscored(system, plain, _INDEX_SIZE, rules=rules, **sizes)
    counted = empty_mask(size) if is_empty or scores is None else scores
    regions = _without_opt_out(side, plain, counted, system.question, request)
    return replace(
        system,
        regions=regions,
        sweep=_swept(counted, plain, system.question),
        outcomes=OutcomePyramid.of(regions.codes, counted),
        is_scored_as_empty=is_empty,
        reason=reason,
        reason_parts=parts,
    )


_NO_REGION = to_translate("Not scored: the reference shows no selected region")
_UNUSABLE = to_translate("Not scored by the rule set {rules}: {problem}")
_INDEX_SIZE = to_translate(
    "Not scored by the rule set {rules}: there is no mask, and the sizes differ (index "
    "{index}, reference {reference})"
)
_BROKEN = to_translate("Not scored: {problem}")
_OTHER_SIZE = to_translate("The system mask is {mask}, but the reference is {reference}")


def _unscored(system: LoadedSystem, plain: Regions, reason: str, **parts: str) -> LoadedSystem:
    return replace(
        system,
        regions=plain,
        sweep=None,
        outcomes=None,
        is_scored_as_empty=False,
        reason=reason,
        reason_parts=parts,
    )


def _failure(system: LoadedSystem, size: Size) -> tuple[str, dict[str, str]]:
    """Why a mask cannot be compared with a reference of that size.

    A mask of another size is still shown as it is, anchored and never stretched.
    """
    if system.scores is None:
        return system.failure, {}
    return _OTHER_SIZE, {"mask": str(Size.of(system.scores)), "reference": str(size)}


def _without_opt_out(
    side: LoadedSide,
    plain: Regions,
    counted: U8Image,
    question: Question[Any],
    request: TrialRequest,
) -> Regions:
    """The regions as they are drawn, with the pixels the system opted out of."""
    if question.opt_out_score is None or side.scored is None:
        return plain
    opt_out = np.asarray(counted == question.opt_out_score)
    return side.scored.regions(side.selected, request.kernels, opt_out=opt_out)


def _swept(counted: U8Image, plain: Regions, question: Question[Any]) -> ThresholdSweep:
    sweep = ThresholdSweep(question.without_opt_out(LevelCounts.of(counted, plain)))
    # Worked out when first asked for, which must not be when the window draws its curve.
    _ = sweep.optimum, sweep.auc, sweep.eer
    return sweep


def empty_mask(size: Size) -> U8Image:
    """A mask that marks nothing."""
    return np.zeros((size.height, size.width), np.uint8)


def unread_trial(request: TrialRequest, why: str) -> LoadedTrial:
    """A trial without any pixels: they are still to come, or cannot be read."""
    probe, *donor = [
        LoadedSide(
            side,
            media,
            reason=why,
            reference_reason=why,
            systems=tuple(
                LoadedSystem(system.name, system.answer, reason=why) for system in request.systems
            ),
        )
        for side, media in ((Side.PROBE, request.trial.probe), (Side.DONOR, request.trial.donor))
        if media is not None
    ]
    return LoadedTrial(request, probe, donor[0] if donor else None)
