"""Scores a whole run as the command line does and puts its results side by side."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from forensicviewer.app.datasets.answered_task import scorers_for
from forensicviewer.app.language.words import to_translate
from forensicviewer.app.results.counts import TrialCounter, TrialCounts
from forensicviewer.app.results.request import RunRequest, Variant
from forensicviewer.app.results.scorers import SCORERS, Ran, Scorer
from forensicviewer.app.runtime.jobs import CancelledError
from forensicviewer.core.problem import ForensicViewerError, Problem
from forensicviewer.core.progress import Progress

_STEPS = 1000
COUNT_TITLES = {
    "Trials": to_translate("Trials in the evaluation"),
    "Scored": to_translate("Trials scored"),
    "OptedOut": to_translate("Trials opted out"),
    "Missing": to_translate("Trials not answered"),
    "Failed": to_translate("Trials failed"),
}
COUNT_TIPS = {
    "Trials": to_translate("Trials the scorer covers; for masks, the manipulated ones"),
    "Scored": to_translate("Trials with a number in these averages"),
    "OptedOut": to_translate("Trials whose status says that the system opted out"),
    "Missing": to_translate("Trials without a row in the submission"),
    "Failed": to_translate("Trials whose answer failed validation or cannot be read"),
}
COUNTS = tuple(COUNT_TITLES)


@dataclass(frozen=True, slots=True)
class Figures:
    """What one variant says about one line: cells as its files print them, and counts."""

    cells: Mapping[str, str]
    counts: TrialCounts | None

    def counted(self) -> dict[str, str]:
        counts = self.counts
        if counts is None:
            return {}
        found = counts.trials, counts.scored, counts.opted_out, counts.missing, counts.failed
        return dict(zip(COUNTS, map(str, found), strict=True))


@dataclass(frozen=True, slots=True)
class VariantResults:
    """The lines of one variant by their labels; the whole run has none.

    ``commands`` make the same numbers; ``failure`` says why there are none.
    """

    variant: Variant
    commands: tuple[str, ...]
    lines: Mapping[str, Figures]
    failure: str = ""
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class ScorerResults:
    """Everything one scorer says about a run, variant by variant."""

    scorer: str
    variants: tuple[VariantResults, ...]

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of the lines of any variant, the whole run's (blank) first."""
        return tuple(dict.fromkeys(label for v in self.variants for label in v.lines))

    @property
    def measures(self) -> tuple[str, ...]:
        """The names of the results that some variant has a number for, the main ones first."""
        figures = [found for v in self.variants for found in v.lines.values()]
        named = dict.fromkeys(
            name for found in figures for name, cell in found.cells.items() if cell
        )
        return tuple(named)


_GROUPS, _METRICS = ("Optimum", "Maximum", "Actual"), ("MCC", "NMM", "BWL1", "Threshold")
_GROUPED = re.compile(f"([pd]?)({'|'.join(_GROUPS)})({'|'.join(_METRICS)})")


def _order(name: str) -> tuple[int, bool, int, int]:
    """Where a result of masks stands: by group and metric; others keep their order behind them."""
    found = _GROUPED.fullmatch(name)
    if found is None:
        return 1, False, 0, 0
    side, group, metric = found.groups()
    # The probe's before the donor's.
    return 0, side != "p", _GROUPS.index(group), _METRICS.index(metric)


@dataclass(frozen=True, slots=True)
class RunResults:
    """The results of a run, scorer by scorer."""

    name: str
    task: str
    rules: str
    scorers: tuple[ScorerResults, ...]

    @property
    def commands(self) -> tuple[str, ...]:
        found = (c for scorer in self.scorers for v in scorer.variants for c in v.commands)
        return tuple(dict.fromkeys(found))


def score_run(request: RunRequest, *, workers: int = 1, progress: Progress) -> RunResults:
    """Score the run by every scorer it has answers for, whole and divided, in every variant."""
    words = scorers_for(request.task, request.submission)
    scorers = [SCORERS[word] for word in words if word in SCORERS]
    parts = [(scorer, variant) for scorer in scorers for variant in scorer.variants]
    found: dict[str, list[VariantResults]] = {scorer.word: [] for scorer in scorers}
    for number, (scorer, variant) in enumerate(parts):
        step = _part_of(progress, number, len(parts))
        found[scorer.word].append(_score_variant(request, scorer, variant, workers, step))
    return RunResults(
        request.submission.name,
        request.task.name,
        request.rules.name,
        tuple(ScorerResults(word, tuple(variants)) for word, variants in found.items()),
    )


def _score_variant(
    request: RunRequest, scorer: Scorer, variant: Variant, workers: int, progress: Progress
) -> VariantResults:
    counter = TrialCounter(request, scorer.word)
    lines: dict[str, Figures] = {}
    commands: list[str] = []
    problems: dict[Problem, None] = {}
    divided = (False, True) if request.is_divided and scorer.word != "genai" else (False,)
    try:
        for is_divided in divided:
            options = scorer.options(request, variant, divided=is_divided)
            out = f"scores-{scorer.word}{variant.word}{'-divided' if is_divided else ''}"
            commands.append(request.command(scorer.word, options, scorer.make, out))
            ran = scorer.run(request, scorer.settings(options), workers, progress)
            problems |= dict.fromkeys(ran.output.problems)
            lines |= _lines(scorer, ran, counter, is_divided=is_divided)
    except CancelledError:
        raise
    except ForensicViewerError as error:
        return VariantResults(variant, tuple(commands), lines, str(error), tuple(problems))
    return VariantResults(variant, tuple(commands), lines, problems=tuple(problems))


def _lines(
    scorer: Scorer, ran: Ran, counter: TrialCounter, *, is_divided: bool
) -> dict[str, Figures]:
    found = scorer.lines(ran.output)
    if not is_divided and scorer.word != "genai":
        cells = found[0][1] if found else {}
        return {"": Figures(cells, counter.count(ran.output, ran.scored, {}))}
    lines = {}
    for number, (labels, cells) in enumerate(found):
        is_whole = not is_divided and number == 0
        counts = counter.count(ran.output, ran.scored, {} if is_whole else labels)
        lines["" if is_whole else _label(labels)] = Figures(cells, counts)
    return lines


def _label(labels: Mapping[str, str]) -> str:
    """What a line is about: its query, or its cell under every factor."""
    if len(labels) == 1 and next(iter(labels)).lower() == "query":
        return next(iter(labels.values()))
    return ", ".join(f"{name} {cell}" for name, cell in labels.items())


def _part_of(progress: Progress, number: int, count: int) -> Callable[[int, int], None]:
    def report(done: int, total: int) -> None:
        share = done * _STEPS // total if total else 0
        progress(number * _STEPS + share, count * _STEPS)

    report(0, 1)
    return report


def table_rows(results: RunResults) -> Iterable[Sequence[str]]:
    """Every number of the results with every digit, a row each (see ``TABLE_COLUMNS``)."""
    for scorer in results.scorers:
        for found in scorer.variants:
            for label, figures in found.lines.items():
                for name, cell in (figures.counted() | dict(figures.cells)).items():
                    yield scorer.scorer, found.variant.title, label, name, cell


TABLE_COLUMNS = ("scorer", "averaged over", "query", "measure", "value")
