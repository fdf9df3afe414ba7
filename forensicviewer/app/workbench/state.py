"""What the window shows, as one frozen value, and what may change in it.

Only the :class:`Workbench` makes a new :class:`ViewState`; listeners
get it together with the :class:`Change` flags that say what is different.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, Flag, auto
from types import MappingProxyType
from typing import TYPE_CHECKING, TypedDict

from forensicviewer.app.language.units import Units
from forensicviewer.app.masks.settings import kernels_after
from forensicviewer.core.examination import Mark
from forensicviewer.core.kernel import Kernels
from forensicviewer.core.lens.setting import LensSetting
from forensicviewer.core.model import Dataset, Edition, Side, Submission, Task, TaskKind, TrialId
from forensicviewer.core.palette import Outcome, Palette, PaletteName, palette
from forensicviewer.core.problem import Problem
from forensicviewer.core.rules import MEDISCORE, RuleSet

if TYPE_CHECKING:
    from forensicviewer.app.workbench.drawn_lens import DrawnLens
    from forensicviewer.app.workbench.highlight import Highlight
    from forensicviewer.app.workbench.loaded_trial import LoadedTrial


class Change(Flag):
    """What differs between two states; a listener redraws no more than it must."""

    DATASET = auto()  # another dataset or task
    SUBMISSIONS = auto()  # submissions came or went, or another one is looked at
    TRIAL = auto()  # another trial was asked for; ``loaded`` may still be the old one
    LOADED = auto()  # pixels and scores of the asked-for trial arrived, or failed to
    SCORES = auto()  # regions and sweeps are new (kernels, operations); comes with LOADED, too
    THRESHOLD = auto()  # either threshold, or what it is snapped to
    SCORING = auto()  # kernels or selected operations were asked for; SCORES follows
    LOOK = auto()  # palette, opacity, styles, hidden outcomes
    PANES = auto()  # which panes, their arrangement, the active or maximised one
    VIEWPOINT = auto()  # zoom, position, link
    COMPARE = auto()  # blink, swipe, lens, fade
    CURSOR = auto()  # the pixel under the mouse
    HIGHLIGHT = auto()  # the operation pointed at
    PROBLEMS = auto()  # something to tell the user
    MARKS = auto()  # the marks of the open trial, or the one that is drawn
    ASIDE = auto()  # the problems came up in the background: they are listed, nobody is interrupted
    HISTORY = auto()  # what undo and redo would do
    RULES = auto()  # another rule set scores
    LENS = auto()  # values of lenses, or what they show
    FRAME = auto()  # the next picture of a playing video; numbers beside it may wait for LOADED
    # What a session keeps.
    SAVED = (
        DATASET
        | SUBMISSIONS
        | TRIAL
        | THRESHOLD
        | SCORING
        | LOOK
        | PANES
        | VIEWPOINT
        | COMPARE
        | MARKS
        | HISTORY
    )
    OPENED = DATASET | SUBMISSIONS | TRIAL | LOADED | HISTORY | PROBLEMS | PANES


class Layer(Enum):
    """What a pane can show of one side of a trial."""

    PICTURE = "picture"
    REFERENCE = "reference"
    SYSTEM = "system"
    COMPARISON = "comparison"
    BASE = "base"  # the picture before it was manipulated, where the reference names one
    DIFFERENCE = "difference"  # |probe - base|, brightened
    LENS = "lens"  # the picture through a filter; the pane says which
    CONTROL = "control"  # NC2016's picture that was treated alike and not manipulated
    EXAMPLE = "example"  # one known to be of the camera or event; it moves by itself
    EXTRA = "extra"  # a further map of a prediction; the pane says which


class SystemStyle(Enum):
    """How a system mask is drawn."""

    GREY = "grey"
    HEAT = "heat"
    THRESHOLDED = "thresholded"


class OverlayStyle(Enum):
    """How outcome areas are drawn."""

    FILL = "fill"
    CONTOUR = "contour"


class CompareMode(Enum):
    """How the active pane mixes two layers."""

    OFF = "off"
    BLINK = "blink"
    SWIPE = "swipe"
    LENS = "lens"
    FADE = "fade"


class Snap(Enum):
    """A threshold that follows the trial instead of standing still."""

    OPTIMUM = "optimum"
    MAXIMUM = "maximum"
    ACTUAL = "actual"
    SUBMISSION = "submission"


@dataclass(frozen=True, slots=True)
class Pane:
    """One image on the screen. ``system`` counts: 0 is the submission, 1 the rival.

    ``lens`` is the name of the lens where the layer is one, ``extra`` that of a further map.
    """

    layer: Layer
    side: Side = Side.PROBE
    system: int = 0
    lens: str = ""
    extra: str = ""

    @property
    def image_key(self) -> str:
        """The key of its image among those beside the probe."""
        return f"extra {self.system} {self.extra}" if self.extra else self.layer.value


FOUR_PANES = (
    Pane(Layer.PICTURE),
    Pane(Layer.REFERENCE),
    Pane(Layer.SYSTEM),
    Pane(Layer.COMPARISON),
)
TWO_SYSTEM_PANES = (
    *FOUR_PANES,
    *(Pane(layer, system=1) for layer in (Layer.SYSTEM, Layer.COMPARISON)),
)
MOST_PANES = 6
PROBE_ALONE = (Pane(Layer.PICTURE),)
EXAMPLE = Pane(Layer.EXAMPLE)


def usual_panes(panes: tuple[Pane, ...], task: Task | None) -> tuple[Pane, ...]:
    """The panes of a layout with the donor's added for splices, and left out elsewhere.

    Where nobody is asked for a mask there is only the probe to see, and what it is compared with.
    """
    beside = (EXAMPLE,) if task is not None and task.has_galleries else ()
    if task is not None and not task.kind.has_masks:
        return (*PROBE_ALONE, *beside)
    probe_panes = tuple(p for p in panes if p.side is Side.PROBE and p != EXAMPLE) or FOUR_PANES
    if beside:
        return (*probe_panes[: MOST_PANES - 1], *beside)
    if task is None or not task.kind.has_donor:
        return probe_panes
    if panes != probe_panes or len(panes) > len(FOUR_PANES):
        return panes
    is_compared = any(pane.layer is Layer.COMPARISON for pane in panes)
    layer = Layer.COMPARISON if is_compared else Layer.REFERENCE
    return (*panes, Pane(Layer.PICTURE, Side.DONOR), Pane(layer, Side.DONOR))


@dataclass(frozen=True, slots=True)
class Arrangement:
    """The panes in reading order; ``columns`` = 0 lets the window choose.

    ``active`` is the pane that keys and comparison modes act on.
    """

    panes: tuple[Pane, ...] = FOUR_PANES
    columns: int = 0
    active: int = 0
    maximised: int | None = None

    def with_panes(self, panes: tuple[Pane, ...], *, columns: int) -> Arrangement:
        """Other panes, all of them in sight."""
        return Arrangement(panes, columns, active=min(self.active, len(panes) - 1))

    def suited_to(self, task: Task | None) -> Arrangement:
        """The same for another task: without panes of a donor or of masks where there are none."""
        is_bare = self.panes in (PROBE_ALONE, (*PROBE_ALONE, EXAMPLE))
        kept = tuple(pane for pane in self.panes if pane != EXAMPLE)
        before = FOUR_PANES if is_bare else kept or FOUR_PANES
        is_chosen = before != FOUR_PANES and task is not None and task.kind.has_donor
        panes = before if is_chosen else usual_panes(before, task)
        return self if panes == self.panes else Arrangement(panes=panes)


@dataclass(frozen=True, slots=True)
class Viewpoint:
    """Where a pane looks: the image point at its middle, and screen pixels per image pixel."""

    x: float
    y: float
    scale: float


@dataclass(frozen=True, slots=True)
class Compare:
    """A comparison of two layers inside the active pane; each is what a pane could show.

    ``amount`` is the place of the swipe edge or the share of ``second`` in a fade, 0..1.
    ``shows_second`` is the phase of a blink.
    """

    mode: CompareMode = CompareMode.OFF
    first: Pane = Pane(Layer.REFERENCE)
    second: Pane = Pane(Layer.SYSTEM)
    amount: float = 0.5
    shows_second: bool = False
    lens_radius_px: int = 90

    def in_pane(self, pane: Pane) -> tuple[Pane, Pane]:
        """Both layers as that pane shows them.

        Layers of one side are those of the pane's own side, whichever was looked at when they were
        chosen; a comparison of probe and donor stays one everywhere.
        """
        if self.first.side is not self.second.side:
            return self.first, self.second
        return replace(self.first, side=pane.side), replace(self.second, side=pane.side)


@dataclass(frozen=True, slots=True)
class Look:
    """How layers are coloured. ``opacity`` is that of the outcome overlay over the grey probe.

    ``has_marks`` lays the operations' areas over the images they were done to, ``has_captions``
    explains every pane below it.
    """

    palette: PaletteName = PaletteName.NIST
    opacity: float = 0.7
    overlay: OverlayStyle = OverlayStyle.FILL
    system: SystemStyle = SystemStyle.GREY
    hidden: frozenset[Outcome] = frozenset()
    has_overlays: bool = True
    has_hatching: bool = True
    has_minimap: bool = True
    has_crosshair: bool = True
    has_pixel_grid: bool = True
    has_marks: bool = False
    has_captions: bool = False


class LookChanges(TypedDict, total=False):
    """Some fields of :class:`Look`."""

    palette: PaletteName
    opacity: float
    overlay: OverlayStyle
    system: SystemStyle
    hidden: frozenset[Outcome]
    has_overlays: bool
    has_hatching: bool
    has_minimap: bool
    has_crosshair: bool
    has_pixel_grid: bool
    has_marks: bool
    has_captions: bool


@dataclass(frozen=True, slots=True)
class Scoring:
    """What is scored and how. ``selected`` are positions in the trial's operations.

    ``None`` selects all, which is how the command line scores without a query.
    """

    kernels: Kernels = field(default_factory=Kernels)
    selected: frozenset[int] | None = None
    uses_bit_planes: bool = False
    honours_opt_out: bool = False


@dataclass(frozen=True, slots=True)
class Moment:
    """Where a video stands: its frame, and the first and last one of the stretch marked in it.

    ``mcc`` is the temporal one of the whole video.
    """

    frame: int
    stretch: tuple[int, int] | None = None
    mcc: float | None = None


@dataclass(frozen=True, slots=True)
class NamedThreshold:
    """A threshold that belongs to one submission."""

    name: str
    threshold: int


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Scores from which a pixel is called manipulated, 0..256, for the submission and its rival.

    ``actual`` is the one the evaluation is run with; ``own`` are those users said submissions are
    made for, ``maxima`` those with the highest mean MCC over all trials: found, so undo keeps them.
    """

    main: int = 128
    rival: int = 128
    snap: Snap | None = Snap.OPTIMUM
    rival_snap: Snap | None = Snap.OPTIMUM
    actual: int | None = None
    own: tuple[NamedThreshold, ...] = ()
    maxima: tuple[NamedThreshold, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class ViewState:
    """Everything the window shows."""

    dataset: Dataset | None = None
    task: Task | None = None
    submissions: tuple[Submission, ...] = ()
    # In a blind review, the trials whose systems may be seen; ``None`` hides nothing.
    unveiled: frozenset[TrialId] | None = None
    system: int = 0
    rival: int | None = None
    trial_id: TrialId | None = None
    loaded: LoadedTrial | None = None
    is_loading: bool = False
    side: Side = Side.PROBE
    thresholds: Thresholds = field(default_factory=Thresholds)
    scoring: Scoring = field(default_factory=Scoring)
    rules: RuleSet = MEDISCORE
    look: Look = field(default_factory=Look)
    arrangement: Arrangement = field(default_factory=Arrangement)
    is_linked: bool = True
    viewpoints: Mapping[Side | int, Viewpoint] = field(default_factory=lambda: MappingProxyType({}))
    compare: Compare = field(default_factory=Compare)
    lenses: tuple[LensSetting, ...] = ()
    drawn_lenses: tuple[DrawnLens, ...] = ()
    cursor: tuple[int, int] | None = None
    cursor_side: Side = Side.PROBE
    example: int = 0  # which of the trial's gallery is shown
    highlighted: int | None = None
    highlight: Highlight | None = None  # of it, once it is found
    marks: tuple[Mark, ...] = ()
    drawn: Mark | None = None  # the mark that is being drawn
    is_drawn: bool = False  # that mark is complete and wants its text
    moment: Moment | None = None
    problems: tuple[Problem, ...] = ()
    units: Units = field(default_factory=Units)

    def with_dataset(
        self, dataset: Dataset, task: Task, submissions: tuple[Submission, ...]
    ) -> ViewState:
        """The state once a dataset is opened, before a trial of it is looked at."""
        return replace(
            self,
            dataset=dataset,
            task=task,
            submissions=submissions,
            unveiled=None,
            system=0,
            rival=1 if len(submissions) > 1 else None,
            trial_id=None,
            loaded=None,
            is_loading=False,
            side=Side.PROBE,
            arrangement=self.arrangement.suited_to(task),
            viewpoints=MappingProxyType({}),
            scoring=replace(self.scoring, selected=None),
            thresholds=_thresholds_for(task, replace(self.thresholds, maxima=())),
        )

    def without_dataset(self) -> ViewState:
        """The state once nothing is open any more: what is set for all datasets stays."""
        return ViewState(
            look=self.look, rules=self.rules, arrangement=self.arrangement, units=self.units
        )

    def with_trial(self, trial_id: TrialId) -> ViewState:
        """The state once another trial is asked for: nothing of the last one is pointed at."""
        return replace(
            self,
            trial_id=trial_id,
            scoring=replace(self.scoring, selected=None),
            example=0,
            cursor=None,
            highlighted=None,
            highlight=None,
            marks=(),
            drawn=None,
            is_drawn=False,
            moment=None,
        )

    def with_submissions(self, added: Sequence[Submission]) -> ViewState:
        """The state with further submissions: the last is looked at, beside the one before.

        One that was open already is replaced where it stands.
        """
        read = {one.origin: one for one in added}
        known = {one.origin for one in self.submissions}
        every = (
            *(read.get(one.origin, one) for one in self.submissions),
            *(one for one in read.values() if one.origin not in known),
        )
        newest = next(n for n, one in enumerate(every) if one is read[added[-1].origin])
        rival = self.rival if newest == self.system else self.system
        if rival is not None and (rival == newest or len(every) < 2):
            rival = None
        return replace(self, submissions=every, system=newest, rival=rival)

    def is_veiled(self, trial_id: TrialId | None) -> bool:
        """Whether a blind review hides the systems' answers to a trial."""
        return self.unveiled is not None and trial_id not in self.unveiled

    @property
    def submission(self) -> Submission | None:
        is_known = self.system < len(self.submissions) and not self.is_veiled(self.trial_id)
        return self.submissions[self.system] if is_known else None

    @property
    def listed_submission(self) -> Submission | None:
        """The submission whose answers the list shows; none while some of them are hidden."""
        return self.submission if self.unveiled is None else None

    @property
    def run_submissions(self) -> tuple[Submission, ...]:
        """The submissions whose answers to all trials may be used; none while some are hidden."""
        return self.submissions if self.unveiled is None else ()

    @property
    def rival_submission(self) -> Submission | None:
        is_hidden = self.rival is None or self.is_veiled(self.trial_id)
        return None if is_hidden or self.rival is None else self.submissions[self.rival]

    def submission_of(self, system: int) -> Submission | None:
        """The submission looked at (0) or its rival (1)."""
        return self.submission if system == 0 else self.rival_submission

    @property
    def is_current(self) -> bool:
        """Whether the loaded trial is the one asked for."""
        return self.loaded is not None and self.loaded.trial.id == self.trial_id

    @property
    def colors(self) -> Palette:
        """The colours of outcomes: of the chosen palette and, by the plans, of the year."""
        edition = Edition.UNKNOWN if self.task is None else self.task.edition
        return palette(self.look.palette, edition)

    @property
    def speaks_nist(self) -> bool:
        """Whether thresholds are said as NIST does (black = manipulated, called when <= t)."""
        return self.task is not None and self.task.is_nist

    def threshold(self, system: int = 0) -> int:
        return self.thresholds.main if system == 0 else self.thresholds.rival

    def shown_threshold(self, threshold: int) -> int:
        """A threshold in the dataset's own terms; its own inverse, so it reads input as well."""
        return 255 - threshold if self.speaks_nist else threshold

    @property
    def active_pane(self) -> Pane:
        return self.arrangement.panes[self.arrangement.active]

    @property
    def shown_panes(self) -> tuple[Pane, ...]:
        """What the panes show now, and the layers that a comparison mixes in one of them."""
        alone, panes = self.arrangement.maximised, self.arrangement.panes
        shown = panes if alone is None else panes[alone : alone + 1]
        if self.compare.mode is CompareMode.OFF:
            return shown
        return (*shown, *self.compare.in_pane(self.active_pane))

    def viewpoint(self, pane: int) -> Viewpoint | None:
        """Where a pane looks; ``None`` fits the image into it."""
        return self.viewpoints.get(self._viewpoint_key(pane))

    def viewpoints_with(
        self, pane: int, viewpoint: Viewpoint | None
    ) -> Mapping[Side | int, Viewpoint]:
        """Where the panes look once one of them, and those linked to it, look elsewhere."""
        key = self._viewpoint_key(pane)
        others = {k: v for k, v in self.viewpoints.items() if k != key}
        return MappingProxyType(others if viewpoint is None else {**others, key: viewpoint})

    def _viewpoint_key(self, pane: int) -> Side | int:
        shown = self.arrangement.panes[pane]
        return shown.side if self.is_linked and shown != EXAMPLE else pane

    def has_map(self, pane: int) -> bool:
        """Whether a pane that is zoomed has a map of its image.

        Panes that move together show the same part of it: one map is enough, in the active pane.
        """
        if not self.look.has_minimap or self.loaded is None:
            return False
        active, alone = self.arrangement.active, self.arrangement.maximised
        every = range(len(self.arrangement.panes)) if alone is None else (alone,)
        key = self._viewpoint_key(pane)
        together = [other for other in every if self._viewpoint_key(other) == key]
        return pane == (active if active in together else next(iter(together), pane))

    def viewpoints_if(self, *, linked: bool) -> Mapping[Side | int, Viewpoint]:
        """Where the panes look if they move together or each for itself: nothing moves by it."""
        moved = {
            (pane.side if linked and pane != EXAMPLE else i): self.viewpoint(i)
            for i, pane in reversed(list(enumerate(self.arrangement.panes)))
        }
        kept = {key: found for key, found in moved.items() if found is not None}
        return MappingProxyType(kept)


@dataclass(frozen=True, slots=True)
class ViewEdits:
    """The part of the state that undo brings back."""

    thresholds: Thresholds
    scoring: Scoring
    look: Look
    arrangement: Arrangement
    compare: Compare
    lenses: tuple[LensSetting, ...] = ()

    @classmethod
    def of(cls, state: ViewState) -> ViewEdits:
        return cls(
            thresholds=state.thresholds,
            scoring=state.scoring,
            look=state.look,
            arrangement=state.arrangement,
            compare=state.compare,
            lenses=state.lenses,
        )

    def applied_to(self, state: ViewState) -> ViewState:
        return replace(
            state,
            thresholds=replace(self.thresholds, maxima=state.thresholds.maxima),
            scoring=self.scoring,
            look=self.look,
            arrangement=self.arrangement,
            compare=self.compare,
            lenses=self.lenses,
        )

    def by_rules(self, rules: RuleSet, *, before: RuleSet) -> ViewEdits:
        """The same once another rule set scores: with its kernels, unless others were chosen."""
        kernels = kernels_after(self.scoring.kernels, before, rules)
        return replace(self, scoring=replace(self.scoring, kernels=kernels))

    def difference(self, other: ViewEdits) -> Change:
        """What a listener must redraw when one becomes the other."""
        changed = Change(0)
        for name, flag in _FLAG_OF.items():
            if getattr(self, name) != getattr(other, name):
                changed |= flag
        return changed


_FLAG_OF = {
    "thresholds": Change.THRESHOLD,
    "scoring": Change.SCORING,
    "look": Change.LOOK,
    "arrangement": Change.PANES,
    "compare": Change.COMPARE,
    "lenses": Change.LENS,
}


def _thresholds_for(task: Task, before: Thresholds) -> Thresholds:
    """Images and masks are looked at where they are scored, at 0.5, until the user moves it."""
    usual, own = Snap.OPTIMUM, Snap.ACTUAL
    if task.kind is TaskKind.IMDL:
        return replace(before, snap=own, rival_snap=own) if before.snap is usual else before
    is_left_over = before.snap is own and before.actual is None
    return replace(before, snap=usual, rival_snap=usual) if is_left_over else before
