"""What one may have done otherwise than the evaluation: one setting, switch, mask or choice."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import TypedDict, Unpack

from forensicviewer.app.language.words import tr
from forensicviewer.app.masks.settings import MaskSettings
from forensicviewer.app.workbench.score_command import query_for
from forensicviewer.core.kernel import KernelShape, odd_width
from forensicviewer.core.model import Operation, Submission, Task, Trial
from forensicviewer.core.rules import RULE_SETS, RuleSet, Switch
from forensicviewer.core.rules import mask as switches

WIDTHS = (0, *range(3, 33, 2))


class Dimension(Enum):
    """What can differ; a setting differs in each of them at most once."""

    ERODE = "erode"
    DILATE = "dilate"
    DISTRACTION = "distraction"
    SHAPE = "kernel"
    RULES = "rules"
    OPERATIONS = "operations"
    BIT_PLANES = "bit planes"
    OPT_OUT = "opt-out"
    POLARITY = "polarity"
    MASK = "mask"


KERNELS = (Dimension.ERODE, Dimension.DILATE, Dimension.DISTRACTION, Dimension.SHAPE)


@dataclass(frozen=True, slots=True, eq=False)
class ScoringVariant:
    """One way to score the trial: settings, operations, and which mask in which polarity.

    ``submission`` answers for the trial; ``mask`` is a file in place of the one it names.
    """

    settings: MaskSettings
    submission: Submission
    selected: frozenset[int] | None = None
    is_inverted: bool = False
    mask: Path | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Departure:
    """One difference from the evaluation's settings. ``option`` gives it to ``score mask``."""

    dimension: Dimension
    text: str
    change: Callable[[ScoringVariant], ScoringVariant]
    option: tuple[str, ...] | None = None


def departures(
    task: Task,
    trial: Trial,
    base: ScoringVariant,
    *,
    masks: Sequence[Path],
    others: Sequence[Submission],
) -> tuple[Departure, ...]:
    """Everything that one could have done otherwise, one at a time.

    ``masks`` are other files that may have been meant, ``others`` further submissions.
    """
    return (
        *_kernels(task, base.settings),
        *_operations(trial.operations),
        *_switches(base.settings),
        *_flags(task, base.settings),
        *_masks(masks, others, trial),
    )


def combined(found: Sequence[Departure], count: int) -> Iterator[tuple[Departure, ...]]:
    """Every combination of so many departures, no two of the same dimension."""
    for some in combinations(found, count):
        if len({one.dimension for one in some}) == count:
            yield some


def _kernels(task: Task, settings: MaskSettings) -> Iterator[Departure]:
    usual = settings.kernels(task.kind)
    sizes = (
        (Dimension.ERODE, _erode, usual.erode_px, tr("Erosion")),
        (Dimension.DILATE, _dilate, usual.dilate_px, tr("Dilation")),
        (Dimension.DISTRACTION, _distract, usual.distraction_px, tr("Distraction")),
    )
    # Splices never widen their other colours.
    for dimension, change, own, label in sizes[: 2 if task.kind.has_donor else 3]:
        for width in WIDTHS:
            if width != odd_width(own):
                text = tr("{what} {value} px, not {usual}", what=label, value=width, usual=own)
                option = (f"--{dimension.value}", str(width))
                yield Departure(dimension, text, partial(change, width=width), option)
    for shape in KernelShape:
        if shape is not usual.shape:
            text = tr("Kernel {value}, not {usual}", value=shape.value, usual=usual.shape.value)
            option = ("--kernel", shape.value)
            yield Departure(Dimension.SHAPE, text, partial(_set, shape=shape), option)


class _Changes(TypedDict, total=False):
    shape: KernelShape
    erode_px: int
    dilate_px: int
    distraction_px: int
    rules: RuleSet
    bit_planes: bool
    opt_out_pixels: bool


def _set(variant: ScoringVariant, **changes: Unpack[_Changes]) -> ScoringVariant:
    return replace(variant, settings=replace(variant.settings, **changes))


def _erode(variant: ScoringVariant, *, width: int) -> ScoringVariant:
    return _set(variant, erode_px=width)


def _dilate(variant: ScoringVariant, *, width: int) -> ScoringVariant:
    return _set(variant, dilate_px=width)


def _distract(variant: ScoringVariant, *, width: int) -> ScoringVariant:
    return _set(variant, distraction_px=width)


def _operations(operations: Sequence[Operation]) -> Iterator[Departure]:
    """Each operation alone, all but one, and all of one name or purpose."""
    everything = range(len(operations))
    groups: dict[frozenset[int], None] = {}
    for values in ([one.name for one in operations], [one.purpose for one in operations]):
        for value in dict.fromkeys(values):
            groups[frozenset(i for i in everything if values[i] == value)] = None
    for one in everything:
        groups[frozenset({one})] = None
        groups[frozenset(everything) - {one}] = None
    for group in groups:
        if not group or len(group) == len(operations):
            continue
        text = _named(operations, group)
        option = ("--query-manipulation", query_for(operations, group))
        change = partial(_select, selected=group)
        yield Departure(Dimension.OPERATIONS, text, change, option)


def _named(operations: Sequence[Operation], group: frozenset[int]) -> str:
    """A group by the names of its operations, or of the others where these are fewer."""
    others = frozenset(range(len(operations))) - group
    fewer = group if len(group) <= len(others) else others
    names = ", ".join(f"{operations[i].name} ({i + 1})" for i in sorted(fewer))
    if fewer is group:
        return tr("Only the operations {names}", names=names)
    return tr("Without the operations {names}", names=names)


def _select(variant: ScoringVariant, *, selected: frozenset[int]) -> ScoringVariant:
    return replace(variant, selected=selected)


def _switches(settings: MaskSettings) -> Iterator[Departure]:
    own = settings.rules
    for rules in RULE_SETS:
        if rules.name != own.name:
            text = tr("Rule set {value}, not {usual}", value=rules.name, usual=own.label)
            change = partial(_set, rules=rules)
            yield Departure(Dimension.RULES, text, change, ("--rules", rules.name))
    for switch in switches.SWITCHES:
        for choice in switch:
            if not own.chooses(choice):
                yield _switch(settings, choice)


def _switch(settings: MaskSettings, choice: Switch) -> Departure:
    usual = settings.rules.choice(type(choice)).value
    what = tr(
        "Switch {switch}: {value}, not {usual}", switch=choice.key, value=choice.value, usual=usual
    )
    change = partial(_set, rules=settings.rules.with_choice(choice))
    return Departure(Dimension.RULES, what, change, ("--rule", str(choice)))


def _flags(task: Task, settings: MaskSettings) -> Iterator[Departure]:
    if task.scores_planes(wanted=True) and not settings.bit_planes:
        text = tr("Bit planes, not the colour mask")
        change = partial(_set, bit_planes=True)
        yield Departure(Dimension.BIT_PLANES, text, change, ("--bit-planes",))
    if not settings.opt_out_pixels:
        text = tr("Opted-out pixels excluded")
        change = partial(_set, opt_out_pixels=True)
        yield Departure(Dimension.OPT_OUT, text, change, ("--opt-out-pixels",))
    yield Departure(Dimension.POLARITY, tr("System mask inverted"), _invert)


def _invert(variant: ScoringVariant) -> ScoringVariant:
    return replace(variant, is_inverted=True)


def _masks(
    masks: Sequence[Path], others: Sequence[Submission], trial: Trial
) -> Iterator[Departure]:
    for path in masks:
        text = tr("Different mask file: {name}", name=path.name)
        yield Departure(Dimension.MASK, text, partial(_with_mask, mask=path))
    for other in others:
        answer = other.answers.get(trial.id)
        if answer is not None and answer.mask:
            text = tr("The mask of the submission {name}", name=other.name)
            yield Departure(Dimension.MASK, text, partial(_answered_by, submission=other))


def _with_mask(variant: ScoringVariant, *, mask: Path) -> ScoringVariant:
    return replace(variant, mask=mask)


def _answered_by(variant: ScoringVariant, *, submission: Submission) -> ScoringVariant:
    return replace(variant, submission=submission)
