"""One trial as it is looked at: pixels, masks, regions and sweeps, scored by value.

Nothing here knows the window. A :class:`TrialRequest` says what to read and how to score it;
``load_trial`` of the module beside answers with a frozen :class:`LoadedTrial`; :func:`rescored`
makes another one from the same pixels when only the scoring changed. What cannot be read is a
problem of that trial, never an exception.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from forensicviewer.app.language.words import to_translate, tr
from forensicviewer.app.runtime.jobs import Ticket
from forensicviewer.core.array import BoolImage, PlaneImage, Size, U8Image
from forensicviewer.core.mask import UNKNOWN_OPERATION, Kernels, ReferenceMask, Regions
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
from forensicviewer.core.score import ThresholdSweep
from forensicviewer.sources.media.images import ImageFacts
from forensicviewer.sources.media.masks import (
    Polarity,
)

ALL_FALSE_ALARMS = to_translate(
    "Not manipulated, so not scored; every called pixel is a false alarm"
)
OPENING_VIDEO = to_translate("Opening the video…")
CANCELLED_VIDEO = to_translate("Cancelled: go to another trial and back to open the video")


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
        rules: RuleSet = MEDISCORE,
    ) -> TrialRequest:
        """The defaults are those of the command line; splices never widen other colours."""
        if task.kind.has_donor:
            kernels = replace(kernels, distraction_px=0)
        systems = tuple(SystemRequest(found, found.answers.get(trial.id)) for found in submissions)
        # Identities stay unique because the request holds on to what they are of.
        identity = tuple(id(found) for found in submissions)
        options = (kernels, selected, uses_bit_planes, honours_opt_out, wants_base, rules)
        return cls(task, trial, systems, *options, (id(task), trial.id, identity, *options))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TrialRequest) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def polarity(self) -> Polarity:
        """NIST's masks are black where manipulated; everybody else's are white."""
        return Polarity.BLACK if self.task.is_nist else Polarity.WHITE


@dataclass(frozen=True, slots=True, eq=False)
class LoadedSystem:
    """A system mask of one side. Without a sweep it cannot be scored, and ``reason`` says why.

    A mask ``is_scored_as_empty`` where it cannot be used, for the same ``reason``; ``why`` says
    both in the user's language. ``failure`` says why a mask could not be read. ``alarms`` are the
    pixels called at each threshold where all of them are wrong.
    """

    name: str
    answer: Answer | None
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
class LoadedSide:
    """The probe or the donor of a trial, with everything drawn over it.

    ``pictures`` may be absent where the file cannot be read; ``reason`` and ``reference_reason``
    then say why in the user's words. ``titles`` name layers (by their values) that are something
    else than usual; ``marked`` are the layers the operations' areas lie on.
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
    titles: Mapping[str, str] = field(default_factory=dict)
    marked: frozenset[str] = frozenset({"picture"})

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
        same_systems = [id(s.submission) for s in mine.systems] == [
            id(s.submission) for s in request.systems
        ]
        same_files = (mine.uses_bit_planes, mine.wants_base, mine.rules) == (
            request.uses_bit_planes,
            request.wants_base,
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


def rescored(loaded: LoadedTrial, request: TrialRequest) -> LoadedTrial:
    """The same pixels scored as another request says."""
    donor = None if loaded.donor is None else side_scored(loaded.donor, request)
    return replace(loaded, request=request, probe=side_scored(loaded.probe, request), donor=donor)


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
    scores = None if system is None else _scores_counted(system, shown, loaded.request)
    opt_out = None
    if system is not None and scores is system.scores:
        opt_out = _opted_out(system, side, loaded.request)
    found = []
    for number in range(len(reference.operations)):
        ticket.report(number, len(reference.operations))
        regions = reference.regions([number], loaded.request.kernels, opt_out=opt_out)
        sweep = None
        if scores is not None and regions.has_selected:
            sweep = _swept(scores, regions)
            _ = sweep.mcc  # worked out here, and not when it is shown
        found.append(OperationScore(int(np.count_nonzero(regions.selected)), sweep))
    return tuple(found)


def _scores_counted(
    system: LoadedSystem, side: LoadedSide, request: TrialRequest
) -> U8Image | None:
    """The mask that is scored, the system's own or an empty one; ``None`` leaves the trial out."""
    reference, scores = side.reference, system.scores
    if reference is None or request.trial.is_target is False:
        return None
    if scores is not None and Size.of(scores) == reference.size:
        return None if _stands_in_badly(system, side, request) else scores
    is_left_out = request.rules.chooses(switches.UnusableMask.UNSCORED)
    return None if is_left_out else empty_mask(reference)


def side_scored(
    side: LoadedSide, request: TrialRequest, *, plain: Regions | None = None
) -> LoadedSide:
    """A side's regions, sweeps and outcomes as the request wants them.

    ``plain`` are the regions without opted-out pixels, where they are known already.
    """
    is_clean = request.trial.is_target is False
    if side.reference is None or is_clean:
        # Only targets are scored, even where a clean picture has a reference mask.
        systems = tuple(_alarmed(s) for s in side.systems) if is_clean else side.systems
        return replace(side, systems=systems)
    if plain is None:
        plain = side.reference.regions(request.selected, request.kernels)
    systems = tuple(_scored(system, side, plain, request) for system in side.systems)
    return replace(side, regions=plain, systems=systems)


def _alarmed(system: LoadedSystem) -> LoadedSystem:
    """A mask over a picture nobody manipulated: not scored, but every called pixel is wrong."""
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
    reference = side.reference
    assert reference is not None
    if not plain.has_selected:
        return _unscored(system, plain, _NO_REGION)
    scores = system.scores
    if scores is None or Size.of(scores) != reference.size:
        if request.rules.chooses(switches.UnusableMask.UNSCORED):
            return _unscored(system, plain, _UNUSABLE, **_unusable(system, reference, request))
        return _scored_as_empty(system, reference, plain)
    if _stands_in_badly(system, side, request):
        parts = {"index": str(side.media.size), "reference": str(reference.size)}
        return _unscored(system, plain, _INDEX_SIZE, rules=request.rules.name, **parts)
    opt_out = _opted_out(system, side.side, request)
    regions = plain
    if opt_out is not None:
        regions = reference.regions(request.selected, request.kernels, opt_out=opt_out)
    return replace(
        system,
        regions=regions,
        sweep=_swept(scores, regions),
        outcomes=OutcomePyramid.of(regions.codes, scores),
        is_scored_as_empty=False,
        reason="",
        reason_parts={},
    )


_NO_REGION = to_translate("Not scored: the reference shows no selected region")
_UNUSABLE = to_translate("Not scored by the rule set {rules}: {problem}")
_INDEX_SIZE = to_translate(
    "Not scored by the rule set {rules}: there is no mask, the index says {index}, the reference "
    "is {reference}"
)
_OTHER_SIZE = to_translate("The system mask is {mask}, the reference {reference}")


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


def _unusable(
    system: LoadedSystem, reference: ReferenceMask, request: TrialRequest
) -> dict[str, str]:
    """Why a mask is of no use, for rule sets that leave such a trial out."""
    problem = tr(system.failure)
    if system.scores is not None:
        problem = tr(_OTHER_SIZE, mask=Size.of(system.scores), reference=reference.size)
    return {"rules": request.rules.name, "problem": problem}


def _stands_in_badly(system: LoadedSystem, side: LoadedSide, request: TrialRequest) -> bool:
    """Whether the empty mask has the index's size, and the reference another one."""
    assert side.reference is not None
    has_index_size = request.rules.chooses(switches.StandInSize.INDEX)
    size = side.media.size
    is_other = size is not None and size != side.reference.size
    return system.is_stand_in and has_index_size and is_other


def _opted_out(system: LoadedSystem, side: Side, request: TrialRequest) -> BoolImage | None:
    """The pixels the system opted out of; ``None`` where that is not asked."""
    value = system.opt_out_value(side) if request.honours_opt_out else None
    if value is None or system.scores is None:
        return None
    return np.asarray(system.scores == 255 - value)


def _scored_as_empty(
    system: LoadedSystem, reference: ReferenceMask, plain: Regions
) -> LoadedSystem:
    """A mask that cannot be used counts as one that marks nothing (rule ``mask-unusable``).

    Its outcomes are those of what was scored, as the legend counts them. A mask of another size is
    still shown as it is beside them, anchored and never stretched.
    """
    empty = empty_mask(reference)
    reason, parts = system.failure, {}
    if system.scores is not None:
        sizes = {"mask": str(Size.of(system.scores)), "reference": str(reference.size)}
        reason, parts = _OTHER_SIZE, sizes
    return replace(
        system,
        regions=plain,
        sweep=_swept(empty, plain),
        outcomes=OutcomePyramid.of(plain.codes, empty),
        is_scored_as_empty=True,
        reason=reason,
        reason_parts=parts,
    )


def _swept(scores: U8Image, regions: Regions) -> ThresholdSweep:
    sweep = ThresholdSweep.of(scores, regions)
    # Worked out when first asked for, which must not be when the window draws its curve.
    _ = sweep.optimum, sweep.auc, sweep.eer
    return sweep


def empty_mask(reference: ReferenceMask) -> U8Image:
    """A mask of the reference's size that marks nothing."""
    return np.zeros((reference.size.height, reference.size.width), np.uint8)
