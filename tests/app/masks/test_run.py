"""What a mask run does with trials and tables that are not as they should be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from forensicviewer.app.masks.image_count import CountAnswer, CountJob
from forensicviewer.app.masks.run import score_masks
from forensicviewer.app.masks.settings import MaskSettings
from forensicviewer.app.report.numbers import significant
from forensicviewer.core.problem import QueryError, ScoringError, Severity, UsageError
from forensicviewer.core.rules import RULE_SETS, VERBATIM, RuleSet
from forensicviewer.sources.media.jpeg2000 import write_components
from tests.mask_build import MaskCase, records

PLAIN = MaskSettings(erode_px=0, dilate_px=0, distraction_px=0)
HALF = ("aa..", "aa..")
FOUND = [[0, 0, 255, 255]] * 2
IMAGES = "mask_scores_perimage.csv"
AVERAGES = "mask_score.csv"


@pytest.fixture
def case(tmp_path: Path) -> MaskCase:
    return MaskCase(tmp_path)


def rules_of(case: MaskCase, settings: MaskSettings = PLAIN) -> list[str]:
    return [problem.rule for problem in case.score(settings).problems]


DEGENERATE: dict[str, tuple[Callable[[MaskCase], MaskCase], dict[str, str]]] = {
    "the region vanishes by erosion": (
        lambda case: case.trial("p", "....", ".a..").answer("p", FOUND),
        {"Scored": "Y", "OptimumThreshold": "-1", "OptimumMCC": "0.0", "OptimumNMM": ""}
        | {"OptimumBWL1": "0.0", "AUC": "0.0", "EER": "0.5"},
    ),
    "the mask is blank": (
        lambda case: case.trial("p", "aaaaaa", "aaaaaa", *["......"] * 6).answer("p"),
        {"Scored": "Y", "OptimumThreshold": "-1", "OptimumMCC": "0.0", "OptimumNMM": "-1.0"}
        | {"AUC": "0.5", "EER": "0.5"},
    ),
    "the region is the whole image": (
        lambda case: case.trial("p", "aaaa", "aaaa").answer("p", [[0] * 4] * 2),
        {"Scored": "Y", "OptimumThreshold": "-1", "OptimumMCC": "0.0", "OptimumNMM": "-1.0"}
        | {"OptimumBWL1": "1.0", "GWL1": "0.0", "AUC": "0.0", "EER": "0.5"},
    ),
    "no pixel is scored": (
        lambda case: case.trial("p", "aa..", "aa..").answer("p", [[7] * 4] * 2),
        {"Scored": "Y", "OptimumThreshold": "", "OptimumMCC": "", "GWL1": "", "AUC": ""}
        | {"PixelN": "0", "PixelPNS": "8", "OptimumPixelTP": "0"},
    ),
    "the reference shows no selected region": (
        lambda case: case.trial("p", "....", "....").answer("p", FOUND),
        {"Scored": "N", "OptimumThreshold": "", "OptimumMCC": "", "PixelN": ""},
    ),
    "the reference is blank": (
        lambda case: case.trial("p").answer("p", FOUND),
        {"Scored": "N", "OptimumMCC": ""},
    ),
    "validation failed": (
        lambda case: case.trial("p", *HALF).answer("p", FOUND, IsOptOut="FailedValidation"),
        {"Scored": "Y", "OptimumMCC": "0.0", "OutputProbeMaskFileName": ""},
    ),
}


@pytest.mark.parametrize("name", DEGENERATE)
def test_degenerate_trials_score_as_nist_scores_them(name: str, case: MaskCase) -> None:
    build, expected = DEGENERATE[name]
    settings = MaskSettings(erode_px=3, dilate_px=3, distraction_px=3, no_score_value=7)

    (row,) = records(build(case).score(settings), IMAGES)

    assert {column: row[column] for column in expected} == expected


def test_non_targets_count_in_the_totals_only(case: MaskCase) -> None:
    case.trial("p", *HALF).answer("p", FOUND).trial("q", *HALF, IsTarget="N")

    output = case.score(PLAIN)

    assert [row["ProbeFileID"] for row in records(output, IMAGES)] == ["p"]
    assert records(output, AVERAGES)[0]["totalTrials"] == "2"


def test_opted_out_trials_are_left_out_when_asked(case: MaskCase) -> None:
    case.trial("p", *HALF).answer("p", FOUND).trial("q", *HALF)
    case.answer("q", FOUND, IsOptOut="Localization")

    output = case.score(replace(PLAIN, opt_out=True))

    (average,) = records(output, AVERAGES)
    assert [row["ProbeFileID"] for row in records(output, IMAGES)] == ["p"]
    assert (average["TRR"], average["totalOptOut"], average["optOutScoring"]) == ("0.5", "1", "Y")


def test_only_trials_of_the_index_are_scored_when_asked(case: MaskCase) -> None:
    case.trial("p", *HALF).answer("p", FOUND).trial("q", *HALF).answer("q", FOUND)
    del case.index[0]

    output = case.score(replace(PLAIN, index_filter=True))

    assert [row["ProbeFileID"] for row in records(output, IMAGES)] == ["q"]
    assert [row["ProbeFileID"] for row in records(output, "journalResults.csv")] == ["q"]


def test_only_scored_trials_are_listed_when_asked(case: MaskCase) -> None:
    case.trial("p", "....").answer("p", [[0] * 4]).trial("q", *HALF).answer("q", FOUND)

    output = case.score(replace(PLAIN, scored_only=True))

    assert [row["ProbeFileID"] for row in records(output, IMAGES)] == ["q"]


def test_an_operation_outside_the_query_is_not_scored(case: MaskCase) -> None:
    case.trial("p", "aab.", "aab.").answer("p", FOUND)

    output = case.score(replace(PLAIN, manipulation_queries=("Operation=='a'",)))

    (row,) = records(output, IMAGES)
    assert (row["PixelSNS"], row["OptimumMCC"]) == ("2", "1.0")
    journal = records(output, "journalResults.csv")
    assert [(step["Operation"], step["Evaluated"]) for step in journal] == [("a", "Y"), ("b", "N")]


def test_several_queries_of_manipulations_get_a_folder_each(case: MaskCase) -> None:
    case.trial("p", "aab.", "aab.").answer("p", FOUND)
    queries = ("Operation=='a'", "Operation=='none'", "Operation=='b'")

    output = case.score(replace(PLAIN, manipulation_queries=queries))

    assert [table.name.split("/")[0] for table in output.tables[::3]] == ["query_0", "query_2"]
    assert "mask-query" in [problem.rule for problem in output.problems]


def test_a_query_of_an_unknown_column_is_refused(case: MaskCase) -> None:
    case.trial("p", *HALF).answer("p", FOUND)

    with pytest.raises(QueryError, match="Colour"):
        case.score(replace(PLAIN, queries=("Colour=='red'",)))


@pytest.mark.parametrize(
    ("cells", "rule"),
    [
        ({"ConfidenceScore": ""}, "mask-no-confidence"),
        ({"IsOptOut": "Maybe"}, "mask-unknown-status"),
        ({"OutputProbeMaskFileName": "../../etc/passwd"}, "path.climbs"),
    ],
)
def test_strange_answers_are_scored_and_reported(
    cells: dict[str, str], rule: str, case: MaskCase
) -> None:
    case.trial("p", *HALF).answer("p", FOUND).trial("q", *HALF).answer("q", FOUND)
    case.answers[0] |= cells

    output = case.score(PLAIN)

    assert rule in [problem.rule for problem in output.problems]
    assert [row["Scored"] for row in records(output, IMAGES)] == ["Y", "Y"]


def test_a_submission_without_a_status_column_is_scored_and_reported(case: MaskCase) -> None:
    case.trial("p", *HALF).answer("p", FOUND)
    del case.answers[0]["IsOptOut"]

    assert rules_of(case) == ["mask-no-status"]


def test_pixels_cannot_be_opted_out_of_without_their_column(case: MaskCase) -> None:
    case.trial("p", *HALF).answer("p", FOUND)

    assert rules_of(case, replace(PLAIN, opt_out_pixels=True)) == ["mask-no-opt-out-column"]


def test_a_kernel_of_even_width_is_widened_and_reported(case: MaskCase) -> None:
    case.trial("p", "." * 9, ".aaaaaaa.", "." * 9).answer("p", [[255] * 9] * 3)

    even = case.score(replace(PLAIN, dilate_px=2))
    odd = case.score(replace(PLAIN, dilate_px=3))

    assert [problem.rule for problem in even.problems] == ["mask-even-kernel"]
    assert records(even, IMAGES) == records(odd, IMAGES)


def test_without_a_journal_black_is_manipulated(case: MaskCase) -> None:
    case.trial("p", "kk..", "kk..").answer("p", FOUND)
    task, submission = case.open()

    output = score_masks(replace(task, probe_journals=None, journal_masks=None), submission, PLAIN)

    assert [problem.rule for problem in output.problems] == ["mask-no-journal"]
    assert records(output, IMAGES)[0]["OptimumMCC"] == "1.0"


def test_a_task_without_targets_cannot_be_scored(case: MaskCase) -> None:
    case.trial("p", *HALF, IsTarget="N").answer("p", FOUND)

    with pytest.raises(ScoringError, match="no target"):
        case.score(PLAIN)


def test_a_reference_that_does_not_say_which_trials_are_targets_is_told(case: MaskCase) -> None:
    case.trial("p", *HALF).answer("p", FOUND)
    del case.reference[0]["IsTarget"]

    with pytest.raises(ScoringError, match="The reference has no column IsTarget"):
        case.score(PLAIN)


def test_nists_program_would_have_stopped_and_the_run_says_so(case: MaskCase) -> None:
    for probe in ("p", "q"):
        case.trial(probe, *HALF).answer(probe, [[0]])

    assert "mask-two-failures" in rules_of(case, replace(PLAIN, rules=VERBATIM))


@pytest.mark.parametrize(
    "wrong",
    [
        {"threshold": 256},
        {"precision": 0},
        {"erode_px": -1},
        {"queries": ("a==1",), "partition": "a==['x']"},
    ],
)
def test_settings_that_make_no_sense_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        MaskSettings(**wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("value", "digits", "rounded"),
    [
        (0.125, 2, 0.13),
        (-0.125, 2, -0.13),
        (65, 1, 70),
        (0.0, 3, 0.0),
        (123456.0, 3, 123000.0),
        (0.00012345, 3, 0.000123),
        (2 / 3, 16, 0.6666666666666666),
        (0.5, 2000, 0.5),
    ],
)
def test_numbers_are_rounded_to_significant_digits_halves_away(
    value: float, digits: int, rounded: float
) -> None:
    assert significant(value, digits) == rounded


def test_the_masks_of_camera_trials_are_scored_by_the_journal_of_their_probe(
    case: MaskCase,
) -> None:
    for camera in ("c1", "c2"):
        case.trial("p", *HALF, TrainCamID=camera).answer("p", FOUND, TrainCamID=camera)
        case.index[-1]["TrainCamID"] = camera
    del case.joins[1:]

    output = score_masks(*case.open("camera"), PLAIN)

    shown = [(row["TrainCamID"], row["OptimumMCC"]) for row in records(output, IMAGES)]
    assert shown == [("c1", "1.0"), ("c2", "1.0")]


def test_a_splice_opted_out_of_on_one_side_keeps_the_other(tmp_path: Path) -> None:
    case = MaskCase(tmp_path, is_splice=True)
    case.trial("p", "kk..", donor="d", donor_rows=["k..."])
    mask, donor_mask = [[0, 0, 255, 255]], [[0, 255, 255, 255]]
    case.answer("p", mask, donor_mask=donor_mask, donor="d", ProbeStatus="OptOutAll")
    case.answers[0]["DonorStatus"] = "Processed"

    output = case.score(replace(PLAIN, opt_out=True))

    (row,) = records(output, IMAGES)
    assert (row["ProbeScored"], row["DonorScored"], row["dOptimumMCC"]) == ("N", "Y", "1.0")
    assert records(output, AVERAGES)[0]["ScoreableProbeTrials"] == "0"


def test_a_donor_that_failed_validation_is_scored_without_its_mask(tmp_path: Path) -> None:
    case = MaskCase(tmp_path, is_splice=True)
    case.trial("p", "kk..", donor="d", donor_rows=["k..."])
    mask = [[0, 0, 255, 255]]
    case.answer("p", mask, donor_mask=mask, donor="d", ProbeStatus="Processed")
    case.answers[0]["DonorStatus"] = "FailedValidation"

    (row,) = records(case.score(PLAIN), IMAGES)

    assert (row["OutputDonorMaskFileName"], row["dOptimumMCC"]) == ("", "0.0")
    assert row["pOptimumMCC"] == "1.0"


def test_threshold_tables_stay_inside_the_output_folder(case: MaskCase) -> None:
    case.trial("p", *HALF).answer("p", FOUND)
    for rows in (case.reference, case.index, case.joins, case.answers):
        rows[0]["ProbeFileID"] = "../p"

    output = case.score(replace(PLAIN, threshold_tables=True))

    (table,) = (table for table in output.tables if table.name.endswith("thresMets.csv"))
    assert table.name == "..%2Fp/thresMets.csv"
    assert [row["Threshold"] for row in table.records()] == ["-1", "0", "255"]


def test_terms_a_partition_does_not_know_are_told(case: MaskCase) -> None:
    case.trial("p", *HALF, Set="x").answer("p", FOUND)

    output = case.score(replace(PLAIN, partition="Set==['x'] & Set!='y'"))

    assert [problem.rule for problem in output.problems] == ["mask-partition"]
    assert records(output, AVERAGES)[0]["Set"] == "'x'"


def test_a_partition_without_trials_writes_no_averages(case: MaskCase) -> None:
    case.trial("p", *HALF, Set="x").answer("p", FOUND)

    output = case.score(replace(PLAIN, partition="Set==['z']"))

    assert records(output, AVERAGES) == []


def test_columns_of_both_tables_are_told_apart_in_queries(case: MaskCase) -> None:
    case.trial("p", "aab.", "aab.", Purpose="whole").answer("p", FOUND)
    case.steps["Jp", "a"]["Purpose"] = "step"
    query = "Purpose_x=='whole' and Purpose_y=='step'"

    output = case.score(replace(PLAIN, manipulation_queries=(query,)))

    journal = records(output, "journalResults.csv")
    assert [step["Evaluated"] for step in journal] == ["Y", "N"]


def test_manipulations_cannot_be_queried_without_a_journal(case: MaskCase) -> None:
    case.trial("p", *HALF).answer("p", FOUND)
    task, submission = case.open()
    settings = replace(PLAIN, manipulation_queries=("Operation=='a'",))

    with pytest.raises(ScoringError, match="journal"):
        score_masks(replace(task, journal_masks=None), submission, settings)


@pytest.mark.parametrize("plane", ["inf", "nan", "first"])
def test_an_operation_without_a_usable_bit_plane_is_told(case: MaskCase, plane: str) -> None:
    case.trial("p", *HALF, ProbeBitPlaneMaskFileName="reference/p.jp2").answer("p", FOUND)
    write_components(case.root / "reference/p.jp2", np.ones((2, 4, 1), np.uint8))
    case.steps["Jp", "a"]["BitPlane"] = plane

    output = case.score(replace(PLAIN, bit_planes=True))

    assert "has no usable mark" in output.problems[0].message


def test_bit_planes_need_their_column(case: MaskCase) -> None:
    case.trial("p", *HALF).answer("p", FOUND)

    with pytest.raises(ScoringError, match="bit-plane"):
        case.score(replace(PLAIN, bit_planes=True))


def test_a_reference_that_cannot_be_read_leaves_its_trial_unscored(case: MaskCase) -> None:
    case.trial("p", *HALF).answer("p", FOUND).trial("q", *HALF).answer("q", FOUND)
    case.reference[0]["ProbeMaskFileName"] = "reference/lost.png"

    output = case.score(PLAIN)

    assert [row["Scored"] for row in records(output, IMAGES)] == ["N", "Y"]
    assert ["the reference mask" in problem.message for problem in output.problems] == [True]


def test_a_task_that_nists_program_cannot_query_is_queried_and_noted(case: MaskCase) -> None:
    case.trial("p", *HALF, TaskID="Manipulation", Set="x").answer("p", FOUND)
    settings = replace(PLAIN, queries=("Set=='x'",))

    verbatim = case.score(replace(settings, rules=VERBATIM))

    assert len(records(verbatim, "mask_scores_0.csv")) == 1
    assert [problem.rule for problem in verbatim.problems] == ["mask-nist-stops"]
    assert rules_of(case, settings) == []


def test_splices_that_stop_nists_program_are_scored_and_noted(tmp_path: Path) -> None:
    case = MaskCase(tmp_path, is_splice=True)
    case.trial("p", "....", donor="d", donor_rows=["k..."])
    mask = [[0, 255, 255, 255]]
    case.answer("p", mask, donor_mask=mask, donor="d", ProbeStatus="Processed")
    case.answers[0]["DonorStatus"] = ""
    case.trial("q", "....", donor="e", donor_rows=["...."])
    case.answer("q", mask, donor_mask=mask, donor="e", ProbeStatus="Processed")
    case.answers[1]["DonorStatus"] = "Processed"

    output = case.score(replace(PLAIN, rules=VERBATIM, scored_only=True))

    stops = [problem.message for problem in output.problems if problem.rule == "mask-nist-stops"]
    assert ["DonorStatus" in stops[0], "--scored-only" in stops[1]] == [True, True]
    case.answers[0]["DonorStatus"] = "Processed"
    output = case.score(replace(PLAIN, rules=VERBATIM))
    assert "mask-nist-stops" not in [problem.rule for problem in output.problems]
    assert records(output, IMAGES)[0]["dOptimumMCC"] == "1.0"


def test_a_column_of_both_tables_is_printed_with_both_cells(case: MaskCase) -> None:
    case.trial("p", *HALF, Note="theirs").answer("p", FOUND, Note="ours")
    case.trial("q", *HALF, Note="theirs")

    shown = records(case.score(PLAIN), IMAGES)

    assert [(row["Note_x"], row["Note_y"]) for row in shown] == [("theirs", "ours"), ("theirs", "")]
    assert "Note" not in shown[0]


def test_the_columns_scoring_needs_are_always_the_references(case: MaskCase) -> None:
    case.trial("p", *HALF).answer("p", FOUND, IsTarget="N")

    assert records(case.score(PLAIN), IMAGES)[0]["IsTarget"] == "Y"


@pytest.mark.parametrize("rules", RULE_SETS, ids=lambda rules: rules.name)
def test_queries_know_every_number_of_a_splice(tmp_path: Path, rules: RuleSet) -> None:
    case = MaskCase(tmp_path, is_splice=True)
    case.trial("p", "kk..", donor="d", donor_rows=["k..."])
    case.trial("q", "....", donor="e", donor_rows=["k..."])
    for probe, donor in (("p", "d"), ("q", "e")):
        case.answer(probe, [[0, 0, 255, 255]], donor_mask=[[0, 255, 255, 255]], donor=donor)
    asked = ("pPixelN>3", "pOptimumPixelTP>1", "dPixelAverageAUC>0.5", "pMaskAverageAUC>2")

    output = case.score(replace(PLAIN, rules=rules, queries=asked))

    found = [records(output, f"mask_scores_{number}.csv") for number in range(len(asked))]
    assert [len(rows) for rows in found] == [1, 1, 1, 0]
    # A side without region has no number, so it is not among those above 3.
    assert [rows[0]["stddev_dOptimumMCC"] for rows in found[:3]] == ["", "", "0.0"]


def test_verbatim_says_which_queries_of_splices_stop_nists_program(tmp_path: Path) -> None:
    case = MaskCase(tmp_path, is_splice=True)
    case.trial("p", "kka.", donor="d", donor_rows=["k..."], Set="x")
    mask = [[0, 0, 255, 255]]
    case.answer("p", mask, donor_mask=mask, donor="d", Operation="Paste")
    verbatim = replace(PLAIN, rules=VERBATIM)

    def stops(settings: MaskSettings) -> list[str]:
        problems = case.score(settings).problems
        return [each.message for each in problems if each.rule == "mask-nist-stops"]

    assert "with a threshold" in stops(replace(verbatim, queries=("Set=='x'",), threshold=9))[0]
    assert "Operation" in stops(replace(verbatim, manipulation_queries=("Set=='x'",)))[0]
    assert "selects no splice" in stops(replace(verbatim, manipulation_queries=("Set=='y'",)))[1]
    assert stops(verbatim) == []


def test_verbatim_says_that_a_column_partitioned_twice_stops_nists_program(case: MaskCase) -> None:
    case.trial("p", *HALF).answer("p", FOUND)
    settings = replace(PLAIN, partition="0<ConfidenceScore & ConfidenceScore<9")

    assert "mask-nist-stops" in rules_of(case, replace(settings, rules=VERBATIM))
    assert "mask-nist-stops" not in rules_of(case, settings)


def test_verbatim_says_that_an_index_with_more_probes_stops_nists_filter(case: MaskCase) -> None:
    case.trial("p", *HALF).answer("p", FOUND).trial("q", *HALF).answer("q", FOUND)
    case.reference.pop()

    filtered = replace(PLAIN, rules=VERBATIM, index_filter=True)

    assert "mask-nist-stops" in rules_of(case, filtered)
    assert "mask-nist-stops" not in rules_of(case, replace(filtered, index_filter=False))


def test_a_problem_of_the_answer_names_its_row_in_the_submission(case: MaskCase) -> None:
    case.trial("p", *HALF).trial("q", *HALF)
    case.answer("q", FOUND, confidence="high").answer("p", "lost.png")

    output = case.score(PLAIN)

    told = [(problem.where, problem.rule) for problem in output.problems]
    assert ("system.csv:2", "mask-no-confidence") in told
    assert ("system.csv:3", "mask-unusable") in told


def test_a_target_whose_reference_is_empty_is_told(case: MaskCase) -> None:
    case.trial("p", *HALF).answer("p", FOUND).trial("q", "....", "....").answer("q", FOUND)

    output = case.score(PLAIN)

    assert [row["Scored"] for row in records(output, IMAGES)] == ["Y", "N"]
    assert [(problem.severity, problem.rule) for problem in output.problems] == [
        (Severity.NOTE, "mask-no-region")
    ]


@pytest.mark.parametrize("rules", RULE_SETS, ids=[rules.name for rules in RULE_SETS])
def test_a_mask_is_unpacked_once_however_many_queries_ask_for_it(
    case: MaskCase, rules: RuleSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    unpack, unpacked = CountJob.unpacked, list[CountJob]()

    def spy(job: CountJob, payload: bytes) -> CountAnswer | None:
        unpacked.append(job)
        return unpack(job, payload)

    monkeypatch.setattr(CountJob, "unpacked", spy)
    case.trial("p", *HALF).answer("p", FOUND).trial("q", *HALF).answer("q", FOUND)
    queries = ("Scored=='Y'", "IsTarget=='Y'", "OptimumMCC>0")
    case.score(replace(PLAIN, rules=rules, queries=queries, threshold_tables=True))

    assert len(unpacked) == len(set(unpacked)) == 2
