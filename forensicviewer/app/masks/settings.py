"""What a run of the mask scorer is asked for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from forensicviewer.core.kernel import Kernels, KernelShape
from forensicviewer.core.model import Task, TaskKind
from forensicviewer.core.problem import UsageError
from forensicviewer.core.rules import MEDISCORE, ChoiceT, RuleSet, Switch, rule_set

DEFAULT_PRECISION = 16
# Wider ones cover any image, and do not fit into memory as squares.
MAX_KERNEL_PX = 9999


def usual_kernels(rules: RuleSet) -> Kernels:
    """The kernels a rule set scores with unless told."""
    from forensicviewer.core.rules import mask as switches

    return Kernels(distraction_px=int(rules.choice(switches.Distraction).value))


def kernels_after(kernels: Kernels, before: RuleSet, rules: RuleSet) -> Kernels:
    """The kernels once another rule set scores: its own in place of those of the one before."""
    width = usual_kernels(before).distraction_px
    if kernels.distraction_px != width:
        return kernels
    return replace(kernels, distraction_px=usual_kernels(rules).distraction_px)


@dataclass(frozen=True, slots=True)
class MaskSettings:
    """Options of a run; thresholds and grey values are NIST's (0 is black and manipulated).

    ``distraction_px`` is the rule set's when not given; ``threshold`` is the system's own, the
    "Actual" one, and turns the Actual columns on (with most rule sets the Maximum ones, too).
    """

    shape: KernelShape = KernelShape.BOX
    erode_px: int = 15
    dilate_px: int = 11
    distraction_px: int | None = None
    threshold: int | None = None
    no_score_value: int | None = None
    opt_out_pixels: bool = False
    bit_planes: bool = False
    scored_only: bool = False
    index_filter: bool = False
    opt_out: bool = False
    precision: int = DEFAULT_PRECISION
    queries: tuple[str, ...] = ()
    partition: str | None = None
    manipulation_queries: tuple[str, ...] = ()
    threshold_tables: bool = False
    rules: RuleSet = MEDISCORE

    @classmethod
    def from_options(
        cls,
        *,
        rules: str = MEDISCORE.name,
        rule: Iterable[Switch] = (),
        query: str | Iterable[str] | None = None,  # Queries; the API reads this while running
        query_partition: str | None = None,
        query_manipulation: str | Iterable[str] | None = None,
        opt_out: bool = False,
        precision: int | None = None,
        kernel: str = KernelShape.BOX.value,
        erode: int = 15,
        dilate: int = 11,
        distraction: int | None = None,
        threshold: int | None = None,
        no_score_value: int | None = None,
        opt_out_pixels: bool = False,
        bit_planes: bool = False,
        scored_only: bool = False,
        index_filter: bool = False,
        threshold_tables: bool = False,
    ) -> MaskSettings:
        """The settings that options of the command line and the Python API mean, by their names."""
        from forensicviewer.core.query.grammar import queries_of

        return cls(
            shape=KernelShape.named(kernel),
            erode_px=erode,
            dilate_px=dilate,
            distraction_px=distraction,
            threshold=threshold,
            no_score_value=no_score_value,
            opt_out_pixels=opt_out_pixels,
            bit_planes=bit_planes,
            scored_only=scored_only,
            index_filter=index_filter,
            opt_out=opt_out,
            precision=DEFAULT_PRECISION if precision is None else precision,
            queries=queries_of(query),
            partition=query_partition,
            manipulation_queries=queries_of(query_manipulation),
            threshold_tables=threshold_tables,
            rules=rule_set(rules, rule),
        )

    def __post_init__(self) -> None:
        kinds = [bool(self.queries), self.partition is not None, bool(self.manipulation_queries)]
        if sum(kinds) > 1:
            raise UsageError(
                "--query, --query-partition and --query-manipulation cannot be combined",
                hint="run the scorer once for each",
            )
        if self.threshold is not None and not -1 <= self.threshold <= 255:
            raise UsageError(f"{self.threshold} is not a valid threshold (-1 to 255)")
        if self.precision < 1:
            raise UsageError(f"{self.precision} is not a valid precision (at least 1 digit)")
        if self.no_score_value is not None and not 0 <= self.no_score_value <= 255:
            raise UsageError(f"{self.no_score_value} is not a valid grey value (0 to 255)")
        for width in (self.erode_px, self.dilate_px, self.distraction_px or 0):
            if not 0 <= width <= MAX_KERNEL_PX:
                raise UsageError(f"{width} is not a valid kernel width (0 to {MAX_KERNEL_PX})")

    @classmethod
    def as_shown(
        cls,
        task: Task,
        kernels: Kernels,
        rules: RuleSet,
        *,
        uses_bit_planes: bool,
        honours_opt_out: bool,
    ) -> MaskSettings:
        """What ``score mask`` would be asked for to give what the window shows."""
        return cls(
            shape=kernels.shape,
            erode_px=kernels.erode_px,
            dilate_px=kernels.dilate_px,
            distraction_px=kernels.distraction_px,
            bit_planes=task.scores_planes(wanted=uses_bit_planes),
            opt_out_pixels=honours_opt_out,
            rules=rules,
        )

    def kernels(self, kind: TaskKind) -> Kernels:
        """The kernels of a task; splices never widen their other colours."""
        distraction = self.distraction_px
        if distraction is None:
            distraction = usual_kernels(self.rules).distraction_px
        if kind.has_donor:
            distraction = 0
        return Kernels(self.shape, self.erode_px, self.dilate_px, distraction)

    @property
    def leaves_out_pixels(self) -> bool:
        """Whether pixels with the opt-out value of their answer are left out."""
        from forensicviewer.core.rules import mask as switches

        return self.opt_out_pixels or self.chooses(switches.OptOutPixels.LEFT_OUT)

    @property
    def has_maximum(self) -> bool:
        """Whether the Maximum columns are filled."""
        from forensicviewer.core.rules import mask as switches

        return self.threshold is not None or self.chooses(switches.Maximum.OWN)

    def choice(self, switch: type[ChoiceT]) -> ChoiceT:
        return self.rules.choice(switch)

    def chooses(self, choice: Switch) -> bool:
        return self.rules.chooses(choice)


def evaluation_settings(task: Task, rules: RuleSet = MEDISCORE) -> MaskSettings:
    """What the evaluation scores the task with: ``score mask`` without further options."""
    return MaskSettings(bit_planes=task.scores_planes(wanted=False), rules=rules)
