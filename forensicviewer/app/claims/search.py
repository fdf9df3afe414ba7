"""Searches the settings that reproduce a claimed number: all of them, the simplest first.

Every setting is scored by the question and the counting of ``score mask``; a sweep answers for all
thresholds at once, so that only kernels, operations, rules and masks have to be tried.
"""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from forensicviewer.app.claims.claim import Claim, Measured
from forensicviewer.app.claims.departure import (
    KERNELS,
    Departure,
    Dimension,
    ScoringVariant,
    combined,
    departures,
)
from forensicviewer.app.language.words import tr, tr_many
from forensicviewer.app.masks.counting import CountOutcome
from forensicviewer.app.masks.image_count import CountAnswer, CountJob, count_alike
from forensicviewer.app.masks.one_trial import OneTrial
from forensicviewer.app.masks.question import Question
from forensicviewer.app.masks.question_maker import with_white_mask
from forensicviewer.app.masks.settings import evaluation_settings
from forensicviewer.app.report.numbers import printed
from forensicviewer.core.kernel import Kernels, KernelShape
from forensicviewer.core.model import Side, Submission, Task, TaskKind, Trial, TrialId
from forensicviewer.core.problem import ProblemLog, ScoringError
from forensicviewer.core.rules import MEDISCORE, RuleSet
from forensicviewer.core.rules import mask as switches
from forensicviewer.core.score import ThresholdSweep, nist_threshold
from forensicviewer.sources.files.paths import resolve_inside
from forensicviewer.sources.media.masks import Polarity

MANY = 5
_AT_ONCE = 24
ReportSearch = Callable[[int, int], None]
_SCORER_SWITCHES = (
    *(switches.Optimum, switches.Maximum, switches.GreyNmm, switches.Wl1Denominator),
    switches.OmittedMask,
)


@dataclass(frozen=True, slots=True)
class Dispute:
    """A claim to explain: whose mask, of which trial, and what is claimed.

    ``others`` are submissions whose masks may have been meant, ``masks`` further files.
    """

    task: Task
    submission: Submission
    trial_id: TrialId
    claims: tuple[Claim, ...]
    rules: RuleSet = MEDISCORE
    others: tuple[Submission, ...] = ()
    masks: tuple[Path, ...] = ()

    @property
    def trial(self) -> Trial:
        return self.task.require_trial(self.trial_id)

    @property
    def base(self) -> ScoringVariant:
        """What the evaluation scores."""
        return ScoringVariant(evaluation_settings(self.task, self.rules), self.submission)


@dataclass(frozen=True, slots=True, eq=False)
class Explanation:
    """Settings that reproduce the claim, at the optimum or at these thresholds (0 … 256).

    ``also`` are further differences that may come with these and leave the numbers as they are.
    """

    departures: tuple[Departure, ...]
    variant: ScoringVariant
    side: Side
    is_at_optimum: bool
    thresholds: tuple[int, ...]
    numbers: Mapping[str, float]
    also: tuple[tuple[Departure, ...], ...] = ()

    @property
    def steps(self) -> int:
        """How far it is from the evaluation's settings; a threshold of one's own is a step."""
        return len(self.departures) + (not self.is_at_optimum)

    @property
    def threshold(self) -> int | None:
        """The threshold in NIST's terms, where it is not the optimum."""
        return None if self.is_at_optimum else nist_threshold(self.thresholds[-1])

    def beyond(self, simpler: Explanation) -> tuple[Departure, ...]:
        """What this differs in beside a simpler one that gives the very same numbers, if it is."""
        mine, theirs = (
            (one.side, one.is_at_optimum, one.thresholds, dict(one.numbers))
            for one in (self, simpler)
        )
        if mine != theirs or not set(simpler.departures) < set(self.departures):
            return ()
        return tuple(one for one in self.departures if one not in simpler.departures)


@dataclass(frozen=True, slots=True, eq=False)
class ExplainedClaim:
    """What a search found. ``recomputed`` are the numbers at the evaluation's settings."""

    dispute: Dispute
    recomputed: Mapping[Side, Mapping[str, float]]
    found: tuple[Explanation, ...]
    tried: int
    depth: int
    unscored: str = ""

    @property
    def is_correct(self) -> bool:
        """Whether the evaluation's own settings give the claim."""
        return any(one.steps == 0 for one in self.found)

    @property
    def simplest(self) -> tuple[Explanation, ...]:
        fewest = min((one.steps for one in self.found), default=0)
        return tuple(one for one in self.found if one.steps == fewest)

    @property
    def wants_digits(self) -> bool:
        """Whether so many settings give the claim that more digits of it should be asked for."""
        return not self.is_correct and len(self.found) > MANY


def explain(
    dispute: Dispute, *, depth: int = 2, report: ReportSearch = lambda _d, _t: None
) -> ExplainedClaim:
    """Every setting within ``depth`` steps of the evaluation's that reproduces all claims.

    ``report`` hears of progress, and stops the search by raising.
    """
    if dispute.task.kind in (TaskKind.VIDEO, TaskKind.IMDL) or not dispute.task.kind.has_masks:
        raise ScoringError(
            f"The task {dispute.task.name} has no image masks, so there is no number to explain",
            where=dispute.task.root,
        )
    return _Search(dispute, depth, report).run()


@dataclass(slots=True)
class _Tried:
    """One variant on one side with its question, and what was counted."""

    departures: tuple[Departure, ...]
    variant: ScoringVariant
    side: Side
    question: Question[CountJob]
    answer: CountAnswer | None = None


@dataclass(slots=True)
class _Search:
    dispute: Dispute
    depth: int
    report: ReportSearch
    # Of the settings already asked: what their question was without kernels.
    asked: dict[object, Mapping[Side, Question[CountJob]]] = field(default_factory=dict)
    outcomes: dict[tuple[Side, frozenset[Departure]], bytes] = field(default_factory=dict)
    known: set[object] = field(default_factory=set)

    def run(self) -> ExplainedClaim:
        dispute, base = self.dispute, self.dispute.base
        trial = dispute.trial
        others = tuple(one for one in dispute.others if one is not dispute.submission)
        masks = (*dispute.masks, *self._beside(trial))
        choices = departures(dispute.task, trial, base, masks=masks, others=others)
        found: list[Explanation] = []
        tried: list[_Tried] = []
        for count in range(self.depth + 1):
            level = list(self._variants(choices, count))
            self._count(level)
            found += [one for each in level if (one := self._explanation(each)) is not None]
            tried += level
        found = _folded(sorted(found, key=lambda one: one.steps))
        recomputed = {
            each.side: {claim.metric: measured.at_optimum(claim.metric) for claim in dispute.claims}
            for each in tried
            if not each.departures and (measured := self._measured(each)) is not None
        }
        why = next((each.question.why for each in tried if not each.departures), "")
        return ExplainedClaim(dispute, recomputed, tuple(found), len(tried), self.depth, why)

    def _beside(self, trial: Trial) -> tuple[Path, ...]:
        """Mask files of the submission that carry the trial's name and are not the one named."""
        answer = self.dispute.submission.answers.get(trial.id)
        if answer is None or not answer.mask:
            return ()
        try:
            own = resolve_inside(Path(self.dispute.submission.root), answer.mask)
            beside = sorted(own.parent.iterdir())
        except (OSError, ScoringError):
            return ()
        return tuple(
            path
            for path in beside
            if path != own
            and path.suffix.lower() in (".png", ".tif", ".tiff", ".jp2", ".jpg")
            and path.is_file()
            and not path.is_symlink()
            and (trial.probe.id in path.stem or own.stem in path.stem)
        )

    def _variants(self, choices: Sequence[Departure], count: int) -> Iterator[_Tried]:
        """Every variant with so many departures whose question none before it asks."""
        inert = {one for one in choices if self._is_inert(one)}
        for some in combined(choices, count):
            if any(_stays_inert(one, some) for one in inert.intersection(some)):
                continue
            self.report(0, 0)
            variant = self.dispute.base
            for departure in some:
                variant = departure.change(variant)
            for side, question in self._questions(variant).items():
                asked = (side, question.job, question.opt_out_score, question.is_omitted)
                scorer = tuple(map(variant.settings.choice, _SCORER_SWITCHES))
                key = (asked, question.why, scorer)
                if key not in self.known:
                    self.known.add(key)
                    yield _Tried(some, variant, side, question)

    def _is_inert(self, departure: Departure) -> bool:
        """Whether a departure alone changes no count of a scored trial."""
        usual = {side: self.outcomes.get((side, frozenset())) for side in Side}
        return any(usual.values()) and all(
            self.outcomes.get((side, frozenset({departure})), own) == own
            for side, own in usual.items()
        )

    def _questions(self, variant: ScoringVariant) -> Mapping[Side, Question[CountJob]]:
        """What the variant scores; tables are read once for all kernels."""
        settings = variant.settings
        no_kernels = settings.erode_px == settings.dilate_px == 0
        plain = replace(
            settings,
            shape=KernelShape.BOX,
            erode_px=0 if no_kernels else 1,
            dilate_px=0 if no_kernels else 1,
            distraction_px=None,
        )
        key = (plain, variant.selected, id(variant.submission))
        if key not in self.asked:
            self.asked[key] = self._ask(replace(variant, settings=plain))
        kernels = settings.kernels(self.dispute.task.kind)
        return {
            side: self._with_mask(variant, question, kernels)
            for side, question in self.asked[key].items()
        }

    def _ask(self, variant: ScoringVariant) -> Mapping[Side, Question[CountJob]]:
        trial, selected = self.dispute.trial, variant.selected
        steps = None if selected is None else [trial.operations[i].key for i in sorted(selected)]
        one = OneTrial.of(
            self.dispute.task,
            trial,
            variant.submission,
            variant.settings,
            selected=steps,
            log=ProblemLog(),
        )
        return one.images()

    @staticmethod
    def _with_mask(
        variant: ScoringVariant, question: Question[CountJob], kernels: Kernels
    ) -> Question[CountJob]:
        job = question.job
        if job is None:
            return question
        job = replace(job, kernels=kernels)
        if variant.is_inverted and job.system is not None:
            other = Polarity.WHITE if job.manipulated_is is Polarity.BLACK else Polarity.BLACK
            job = replace(job, manipulated_is=other)
        if variant.mask is not None and job.system is not None:
            job = replace(job, system=variant.mask)
        return replace(question, job=job)

    def _count(self, tried: Sequence[_Tried]) -> None:
        """Count all of them, those that read the same pixels together."""
        groups: dict[object, list[_Tried]] = {}
        for each in tried:
            if each.question.is_scored and each.question.job is not None:
                groups.setdefault(each.question.job.reads, []).append(each)
        done, total = 0, sum(map(len, groups.values()))
        for group in groups.values():
            for start in range(0, len(group), _AT_ONCE):
                self.report(done, total)
                some = group[start : start + _AT_ONCE]
                self._count_some(some)
                done += len(some)

    def _count_some(self, some: Sequence[_Tried]) -> None:
        jobs = tuple(each.question.job for each in some if each.question.job is not None)
        for each, answer in zip(some, count_alike(jobs), strict=True):
            each.answer = answer
            is_unusable = answer.outcome in (CountOutcome.UNREADABLE, CountOutcome.WRONG_SIZE)
            if is_unusable and each.variant.settings.chooses(switches.UnusableMask.WHITE):
                each.question = with_white_mask(each.question)
                assert each.question.job is not None
                each.answer = count_alike((each.question.job,))[0]

    def _measured(self, each: _Tried) -> Measured | None:
        if each.answer is None or each.answer.counts is None:
            return None
        counts = each.question.without_opt_out(each.answer.counts)
        return Measured(
            ThresholdSweep(counts),
            each.variant.settings,
            self.dispute.task.edition,
            is_omitted=each.question.is_omitted,
        )

    def _explanation(self, each: _Tried) -> Explanation | None:
        measured = self._measured(each)
        if measured is None:
            return None
        claims = self.dispute.claims
        self.outcomes[each.side, frozenset(each.departures)] = _fingerprint(each, measured)
        if self._adds_nothing(each):
            return None
        at_optimum = all(claim.is_met_by(measured.at_optimum(claim.metric)) for claim in claims)
        thresholds: tuple[int, ...] = ()
        if not at_optimum and len(each.departures) < self.depth:
            thresholds = measured.thresholds_meeting(claims)
        if not at_optimum and not thresholds:
            return None
        numbers = {
            claim.metric: measured.at_optimum(claim.metric)
            if at_optimum
            else measured.at(claim.metric, thresholds[-1])
            for claim in claims
        }
        return Explanation(
            each.departures, each.variant, each.side, at_optimum, thresholds, numbers
        )

    def _adds_nothing(self, each: _Tried) -> bool:
        """Whether fewer of the same departures already give the very same counts."""
        own = self.outcomes[each.side, frozenset(each.departures)]
        fewer = (
            frozenset(some)
            for count in range(len(each.departures))
            for some in combined(each.departures, count)
        )
        return any(self.outcomes.get((each.side, some)) == own for some in fewer)


def _folded(found: Sequence[Explanation]) -> list[Explanation]:
    """Explanations without those that only add what leaves the claimed numbers as they are.

    Averages, say, do not matter to a claim about one mask.
    """
    kept: list[Explanation] = []
    for one in found:
        for place, simpler in enumerate(kept):
            if more := one.beyond(simpler):
                kept[place] = replace(simpler, also=(*simpler.also, more))
                break
        else:
            kept.append(one)
    return kept


def _stays_inert(one: Departure, some: Sequence[Departure]) -> bool:
    """Whether what changes nothing alone changes nothing beside these others either.

    Other kernels, and another polarity, leave what a mask marks as it is; fewer operations give
    a switch less to decide, but leave others to be dilated.
    """
    others = {other.dimension for other in some if other is not one}
    if one.dimension is Dimension.RULES:
        return others <= {*KERNELS, Dimension.POLARITY, Dimension.OPERATIONS} and bool(others)
    return others <= {*KERNELS, Dimension.POLARITY} and bool(others)


def _fingerprint(each: _Tried, measured: Measured) -> bytes:
    counts = measured.sweep.counts
    digest = hashlib.sha256(counts.table.tobytes())
    choices = [each.variant.settings.choice(switch).value for switch in _SCORER_SWITCHES]
    digest.update(repr((counts.boundary_px, counts.unselected_px, choices)).encode())
    return digest.digest()


def command_of(dispute: Dispute, one: Explanation, dataset: Path) -> str:
    """The command that computes an explanation; blank where no option of it says so."""
    words = ["forensicviewer", "score", "mask", str(dataset), str(dispute.submission.origin)]
    words += ["--task", dispute.task.name]
    names = {word for departure in one.departures for word in departure.option or ()}
    if "--rules" not in names:
        words += ["--rules", dispute.rules.name]
        words += [word for choice in dispute.rules.turned for word in ("--rule", str(choice))]
    for departure in one.departures:
        if departure.option is None:
            return ""
        words += departure.option
    if one.threshold is not None:
        words += ["--threshold", str(one.threshold)]
    return shlex.join([*words, "--out", "scores"])


def texts_of(one: Explanation) -> list[str]:
    """What differs from the evaluation, in words."""
    texts = [departure.text for departure in one.departures]
    if not one.is_at_optimum:
        ranges = ranges_of(one.thresholds)
        texts.append(tr("Threshold {value}, not the optimum", value=ranges))
    return texts or [tr("None: these are the evaluation's settings")]


def also_text(one: Explanation) -> str:
    """What may differ beside an explanation and changes nothing, in words; blank without any.

    Of what changes nothing by itself, combinations are counted, for they fill pages.
    """
    single = {more[0] for more in one.also if len(more) == 1}
    plain = [more for more in one.also if len(more) == 1 or not single.issuperset(more)]
    words = [" + ".join(each.text for each in more) for more in plain]
    left = len(one.also) - len(plain)
    if left:
        words.append(tr_many("{count} combination of these", "{count} combinations of these", left))
    return "; ".join(words)


def written(numbers: Mapping[str, float]) -> str:
    """Numbers with all digits that ``score mask`` writes."""
    return ", ".join(f"{name} {printed(number)}" for name, number in numbers.items())


def ranges_of(thresholds: Sequence[int]) -> str:
    """Thresholds 0 … 256 in NIST's terms, as few ranges as there are."""
    listed = sorted(nist_threshold(t) for t in thresholds)
    runs: list[list[int]] = []
    for t in listed:
        if runs and t == runs[-1][-1] + 1:
            runs[-1].append(t)
        else:
            runs.append([t])
    return ", ".join(
        str(run[0]) if len(run) == 1 else f"{run[0]}\N{EN DASH}{run[-1]}" for run in runs
    )
