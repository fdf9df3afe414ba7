"""The numbers beside a trial are those ``score mask`` writes, by every rule set, digit by digit."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from forensicviewer.app.judging.evidence import seen
from forensicviewer.app.masks.run import score_masks
from forensicviewer.app.masks.settings import MaskSettings
from forensicviewer.app.report.score_output import ScoreOutput
from forensicviewer.app.runtime.jobs import Ticket, inline_jobs
from forensicviewer.app.trials.rule_comparison import compare_rules
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.app.workbench.explanation import explain_pane
from forensicviewer.app.workbench.loaded_trial import score_operations
from forensicviewer.app.workbench.metric_values import metric_values, ruled_curves
from forensicviewer.app.workbench.state import Layer, Pane
from forensicviewer.core.metric import METRIC_NOTES
from forensicviewer.core.model import Side, TrialId
from forensicviewer.core.rules import PLAN, RULE_SETS, VERBATIM, RuleSet
from forensicviewer.core.rules import mask as switches
from forensicviewer.core.score import ThresholdSweep
from tests.bench_build import put_dataset
from tests.build import write_png
from tests.mask_build import MaskCase, records

PLAIN = (*("." * 48,) * 12, *("." * 12 + "a" * 24 + "." * 12,) * 20, *("." * 48,) * 12)
MIXED = (*PLAIN[:34], *("." * 4 + "?" * 10 + "." * 34,) * 3, *("b" * 20 + "." * 28,) * 7)
OPTIMA = ("OptimumMCC", "OptimumNMM", "OptimumBWL1", "GWL1", "AUC", "EER")
PIXELS = ("PixelN", "PixelBNS", "PixelSNS", "PixelPNS")


def noisy(width: int = 48, height: int = 44) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    """Darker where most references are manipulated."""
    grey = np.random.default_rng(7).normal(170, 40, (height, width))
    grey[10:30, 14:40] -= 90
    return grey.clip(0, 255).astype(np.uint8)


def grey(case: MaskCase) -> None:
    case.trial("p", *MIXED).answer("p", noisy())


def all_boundary(case: MaskCase) -> None:
    case.trial("p", *("." * 9, "." * 4 + "a" + "." * 4, "." * 9)).answer("p", noisy(9, 3))


def of_another_size(case: MaskCase) -> None:
    case.trial("p", *PLAIN).answer("p", noisy(40))


def missing(case: MaskCase) -> None:
    case.trial("p", *PLAIN).answer("p", "gone.png")


def omitted(case: MaskCase) -> None:
    case.trial("p", *PLAIN).answer("p")


def omitted_with_another_index_size(case: MaskCase) -> None:
    case.trial("p", *PLAIN, index_size=(44, 48)).answer("p")


def coloured(case: MaskCase) -> None:
    case.trial("p", *PLAIN).answer("p", "m.png")
    write_png(case.system / "m.png", np.stack([noisy(), noisy() // 2, noisy()], axis=2))


def clean_with_reference(case: MaskCase) -> None:
    case.trial("p", *PLAIN, IsTarget="N").answer("p", noisy())
    case.trial("q", *PLAIN).answer("q", noisy())


def spliced(case: MaskCase) -> None:
    case.is_splice = True
    black = tuple(row.replace("a", "k") for row in MIXED)
    case.trial("p", *MIXED, donor="d", donor_rows=black)
    case.reference[-1]["BinaryProbeMaskFileName"] = case._paint("binary", black)
    case.answer("p", noisy(), donor="d", donor_mask=noisy())


CASES = (
    grey,
    all_boundary,
    of_another_size,
    missing,
    omitted,
    omitted_with_another_index_size,
    coloured,
    clean_with_reference,
    spliced,
)


def opened(case: MaskCase) -> Workbench:
    """The case on a workbench, its first trial looked at."""
    task, submission = case.open()
    bench = Workbench(inline_jobs())
    put_dataset(bench, case.root)
    assert bench.state.task is not None
    assert bench.state.task.name == task.name
    bench.add_submissions([submission])
    return bench


def live(bench: Workbench, side: Side, threshold: int | None) -> dict[str, str]:
    bench.choose_side(side)
    values = metric_values(bench.state, 0, threshold)
    return {note.name: value.full for note, value in zip(METRIC_NOTES, values, strict=True)}


def written(bench: Workbench, **settings: object) -> ScoreOutput:
    task, submission = bench.state.task, bench.state.submission
    assert task is not None
    assert submission is not None
    return score_masks(task, submission, MaskSettings(rules=bench.state.rules, **settings))  # type: ignore[arg-type]


def row_of(output: ScoreOutput) -> dict[str, str]:
    """The row of the first trial; blank where it is not listed."""
    rows = records(output, "mask_scores_perimage.csv")
    return next((row for row in rows if row["ProbeFileID"] == "p"), {})


@pytest.mark.parametrize("rules", RULE_SETS, ids=lambda rules: rules.name)
@pytest.mark.parametrize("edition", ["NC2016", "NC2017", "MFC19"])
@pytest.mark.parametrize("build", CASES, ids=lambda build: build.__name__)
def test_the_table_says_what_the_files_say(
    tmp_path: Path, build: Callable[[MaskCase], None], edition: str, rules: RuleSet
) -> None:
    case = MaskCase(tmp_path, edition=edition)
    build(case)
    bench = opened(case)

    bench.set_rules(rules)
    row = row_of(written(bench))

    for side in [Side.PROBE, Side.DONOR][: 1 + case.is_splice]:
        prefix = side.prefix if case.is_splice else ""
        found = live(bench, side, None)
        for column in (*OPTIMA, *PIXELS):
            name = column.removeprefix("Optimum")
            assert found[name] == row.get(f"{prefix}{column}", ""), (side, column)


@pytest.mark.parametrize("rules", RULE_SETS, ids=lambda rules: rules.name)
@pytest.mark.parametrize("build", [grey, omitted, spliced], ids=lambda build: build.__name__)
def test_at_a_threshold_it_says_what_the_actual_columns_say(
    tmp_path: Path, build: Callable[[MaskCase], None], rules: RuleSet
) -> None:
    case = MaskCase(tmp_path, edition="NC2016")
    build(case)
    bench = opened(case)
    bench.set_rules(rules)

    row = row_of(written(bench, threshold=100))

    found = live(bench, Side.PROBE, 155)
    prefix = "p" if case.is_splice else ""
    for name in ("MCC", "NMM", "BWL1", "PixelTP", "PixelTN", "PixelFP", "PixelFN"):
        cell = row[f"{prefix}Actual{name}"]
        assert float(found[name]) == pytest.approx(float(cell), abs=2e-15), name


@pytest.mark.parametrize("rules", RULE_SETS, ids=lambda rules: rules.name)
@pytest.mark.parametrize("build", [grey, omitted], ids=lambda build: build.__name__)
def test_the_curves_say_what_the_table_says_at_every_threshold(
    tmp_path: Path, build: Callable[[MaskCase], None], rules: RuleSet
) -> None:
    case = MaskCase(tmp_path)
    build(case)
    bench = opened(case)

    bench.set_rules(rules)

    curves = ruled_curves(bench.state, 0)
    assert curves is not None
    assert curves.other is not None
    for threshold in range(257):
        found = live(bench, Side.PROBE, threshold)
        assert curves.main[threshold] == pytest.approx(float(found["MCC"]), abs=1e-9)
        assert curves.other[threshold] == pytest.approx(float(found["NMM"]))


def test_a_rule_set_brings_its_kernels_unless_others_were_chosen(tmp_path: Path) -> None:
    case = MaskCase(tmp_path)
    grey(case)
    bench = opened(case)

    bench.set_rules(PLAN)
    usual = bench.state.scoring.kernels
    bench.set_kernels(type(usual)(distraction_px=3))
    bench.set_rules(VERBATIM)

    assert usual.distraction_px == 11
    assert bench.state.scoring.kernels.distraction_px == 3


def test_undoing_something_else_leaves_a_rule_set_its_kernels(tmp_path: Path) -> None:
    case = MaskCase(tmp_path)
    grey(case)
    bench = opened(case)
    bench.set_threshold(10)
    bench.set_rules(PLAN)
    shown = live(bench, Side.PROBE, None)

    bench.undo()

    assert bench.state.scoring.kernels.distraction_px == 11
    assert live(bench, Side.PROBE, None) == shown
    bench.set_rules(VERBATIM)
    bench.redo()
    assert bench.state.scoring.kernels.distraction_px == 15


def test_an_unscored_mask_says_by_which_rules(tmp_path: Path) -> None:
    case = MaskCase(tmp_path)
    of_another_size(case)
    bench = opened(case)

    bench.set_rules(VERBATIM)

    assert bench.state.loaded is not None
    system = bench.state.loaded.system(Side.PROBE, 0)
    assert system is not None
    assert system.why.startswith(
        "Not scored by the rule set mediscore-verbatim: The system mask is"
    )


def test_a_missing_mask_says_why_after_every_operation_was_unticked(tmp_path: Path) -> None:
    case = MaskCase(tmp_path)
    missing(case)
    bench = opened(case)
    before = bench.state.loaded

    bench.set_selected_operations([])
    bench.set_selected_operations([0])

    assert before is not None
    assert bench.state.loaded is not None
    systems = [trial.system(Side.PROBE, 0) for trial in (before, bench.state.loaded)]
    assert len({system.why for system in systems if system is not None}) == 1


def opted_out(case: MaskCase) -> None:
    case.trial("p", *MIXED)
    case.answer("p", noisy(), ProbeStatus="Processed", ProbeOptOutPixelValue="170")


@pytest.mark.parametrize("rules", RULE_SETS, ids=lambda rules: rules.name)
@pytest.mark.parametrize("build", [grey, opted_out, of_another_size, missing, omitted])
def test_an_operations_own_score_is_that_of_selecting_it_alone(
    tmp_path: Path, build: Callable[[MaskCase], None], rules: RuleSet
) -> None:
    case = MaskCase(tmp_path)
    build(case)
    bench = opened(case)
    bench.set_rules(rules)
    bench.set_scoring(honours_opt_out=True)
    assert bench.state.loaded is not None
    own = score_operations(bench.state.loaded, Side.PROBE, Ticket())

    for number, score in enumerate(own):
        bench.set_selected_operations([number])
        alone = bench.state.loaded.sweep(Side.PROBE, 0)
        assert counted(score.sweep) == counted(alone), number


def counted(sweep: ThresholdSweep | None) -> list[list[int]] | None:
    return None if sweep is None else sweep.counts.table.tolist()


def test_captions_and_verdicts_say_the_score_of_the_rule_set(tmp_path: Path) -> None:
    case = MaskCase(tmp_path)
    omitted(case)
    bench = opened(case)

    bench.set_rules(PLAN.with_choice(switches.OmittedMask.LOWEST))

    assert seen(bench.state, None)["MCC"] == "-1.0"
    assert "MCC -1.000" in explain_pane(bench.state, Pane(Layer.COMPARISON))


def test_rule_sets_compare_alike_whichever_is_in_use(tmp_path: Path) -> None:
    case = MaskCase(tmp_path)
    grey(case)
    bench = opened(case)
    compared = []

    for rules in RULE_SETS:
        bench.set_rules(rules)
        task, submission = bench.state.task, bench.state.submission
        assert task is not None
        assert submission is not None
        found = compare_rules(task, submission, bench.state.scoring, TrialId("p"), rules, Ticket())
        compared.append({number.name: number.values for number in found.numbers})

    assert compared[0] == compared[1] == compared[2]
    assert len(set(compared[0]["PixelSNS"])) == 2
