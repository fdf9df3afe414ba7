"""Detection scoring: joins, opt-outs, queries, files, and every switch of the rule sets."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from forensicviewer.app.datasets.opening import open_submission, open_task
from forensicviewer.app.detection.report import (
    detection_figures,
    detection_output,
    headlines_by_rules,
    score_detection,
)
from forensicviewer.app.detection.scoring import DetectionRun, DetectionSettings, run_detection
from forensicviewer.core.model import Edition, Submission, Task
from forensicviewer.core.problem import ForensicViewerError, QueryError, ScoringError, UsageError
from forensicviewer.core.rules import MEDISCORE, PLAN, VERBATIM, RuleSet, Switch
from forensicviewer.core.rules import detection as switches

INDEX = """\
TaskID|ProbeFileID|ProbeFileName|ProbeWidth|ProbeHeight
manipulation|p1|probe/p1.jpg|10|10
manipulation|p2|probe/p2.jpg|20|10
manipulation|p3|probe/p3.jpg|30|10
manipulation|p4|probe/p4.jpg|40|10
"""
REFERENCE = """\
TaskID|ProbeFileID|ProbeFileName|IsTarget|ProbeMaskFileName|Collection|JournalName|Year
manipulation|p1|probe/p1.jpg|Y|m1.png|A|j1|2016
manipulation|p2|probe/p2.jpg|Y|m2.png|B|j2|2017
manipulation|p3|probe/p3.jpg|N||A||
manipulation|p4|probe/p4.jpg|N||B||2016
"""
JOINS = """\
ProbeFileID|JournalName|StartNodeID|EndNodeID
p1|j1|s1|e1
p1|j1|s2|e2
p2|j2|s1|e1
"""
MASKS = """\
JournalName|StartNodeID|EndNodeID|Operation|Sequence
j1|s1|e1|Fill|1
j1|s2|e2|Paste|2
j2|s1|e1|Paste|1
"""
SYSTEM = """\
ProbeFileID|ConfidenceScore|OutputProbeMaskFileName|ProbeStatus
p1|0.9|m1.png|Processed
p2|0.4|m2.png|Processed
p3|0.6||Processed
p4|0.2||OptOutAll
"""


class Case:
    """A tiny dataset and submission on disk, opened as a user's would be."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.index = INDEX
        self.reference = REFERENCE
        self.system = SYSTEM
        self.journals_named = "x-manipulation-ref"

    def open(self) -> tuple[Task, Submission]:
        data = self.folder / "data"
        files = {
            data / "indexes" / "x-manipulation-index.csv": self.index,
            data / "reference" / "x-manipulation-ref.csv": self.reference,
            data / "reference" / f"{self.journals_named}-probejournaljoin.csv": JOINS,
            data / "reference" / f"{self.journals_named}-journalmask.csv": MASKS,
            self.folder / "system" / "system.csv": self.system,
        }
        for path, text in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        _, task = open_task(data, name="manipulation")
        return task, open_submission(self.folder / "system" / "system.csv", task=task)

    def run(self, settings: DetectionSettings | None = None) -> DetectionRun:
        return run_detection(*self.open(), settings or DetectionSettings())

    def report(self, settings: DetectionSettings | None = None) -> dict[str, str]:
        return detection_output(self.run(settings)).tables[0].records()[0]


@pytest.fixture
def case(tmp_path: Path) -> Case:
    return Case(tmp_path)


def rules_told(run: DetectionRun) -> set[str]:
    return {problem.rule for problem in run.log}


def test_a_report_has_nists_columns_and_numbers(case: Case) -> None:
    report = case.report()

    assert list(report)[:7] == [
        "TRR",
        "SYS_RESPONSE",
        "AUC",
        "EER",
        "FAR_STOP",
        "AUC@FAR",
        "CDR@FAR",
    ]
    assert report["TRR"] == "1.0"
    assert report["SYS_RESPONSE"] == "all"
    assert report["AUC"] == "0.75"
    assert report["CI_LEVEL"] == "0.9"
    assert report["AUC_CI_LOWER"] == "0"


def test_significant_digits_can_be_asked_for(case: Case) -> None:
    assert case.report(DetectionSettings(precision=1))["AUC"] == "0.8"


def test_opted_out_trials_are_left_out_when_asked_for(case: Case) -> None:
    report = case.report(DetectionSettings(opt_out=True))

    assert (report["TRR"], report["SYS_RESPONSE"], report["AUC"]) == ("0.75", "tr", "0.5")


def test_opting_out_needs_a_status_and_says_so(case: Case) -> None:
    case.system = "ProbeFileID|ConfidenceScore\np1|1\np2|2\np3|0\np4|0\n"

    run = case.run(DetectionSettings(opt_out=True))

    assert "detection-no-status" in rules_told(run)
    assert len(run.results[0].trials) == 4


def test_a_query_selects_targets_and_nontargets(case: Case) -> None:
    run = case.run(DetectionSettings(queries=("Collection=='A'", "ProbeWidth>=20")))

    assert [len(result.trials) for result in run.results] == [2, 3]
    assert [table.name for table in detection_output(run).tables[:2]] == [
        "query_0_report.csv",
        "query_1_report.csv",
    ]


def test_a_query_for_manipulations_keeps_all_nontargets(case: Case) -> None:
    run = case.run(
        DetectionSettings(manipulation_queries=("Operation==['Paste']", "Operation==['Fill']"))
    )

    assert [len(result.trials) for result in run.results] == [4, 3]
    assert run.results[0].query == "Operation==['Paste']"


def test_a_partition_has_one_line_per_part(case: Case) -> None:
    run = case.run(DetectionSettings(partition="Collection==['A','B'] & ProbeWidth<100 & Year!=3"))
    table = detection_output(run).tables[0]

    assert table.columns[:3] == ("Collection", "ProbeWidth", "TRR")
    assert [row[:2] for row in table.rows] == [("'A'", "ProbeWidth<100"), ("'B'", "ProbeWidth<100")]
    assert "detection-partition-ignored" in rules_told(run)


def test_verbatim_says_where_nists_program_would_have_stopped(case: Case) -> None:
    run = case.run(DetectionSettings(rules=VERBATIM, partition="Collection==['A']"))

    assert "detection-partition-abort" in rules_told(run)


def test_an_empty_selection_is_a_blank_line_and_a_warning(case: Case) -> None:
    run = case.run(DetectionSettings(queries=("Collection=='nowhere'",)))
    report = detection_output(run).tables[0].records()[0]

    assert (report["TRR"], report["AUC"], report["EER"]) == ("", "", "")
    assert "detection-empty" in rules_told(run)
    assert detection_figures(run) == ()


def test_targets_alone_are_reported(case: Case) -> None:
    run = case.run(DetectionSettings(queries=("IsTarget=='Y'",)))

    assert detection_output(run).tables[0].records()[0]["AUC"] == "0.0"
    assert "detection-one-class" in rules_told(run)


def test_the_joined_tables_can_be_dumped(case: Case) -> None:
    output = score_detection(*case.open(), DetectionSettings(dumps_meta=True))
    tables = {table.name: table for table in output.tables}

    assert list(tables) == ["report.csv", "more_metrics.csv", "allmeta.csv", "meta_scored.csv"]
    assert len(tables["allmeta.csv"].rows) == 5
    assert tables["meta_scored.csv"].records()[1]["Year"] == "2017.0"
    assert tables["meta_scored.csv"].records()[2]["Year"] == ""
    assert tables["meta_scored.csv"].records()[0]["ProbeWidth"] == "10"


def test_the_joined_tables_of_queries_can_be_dumped(case: Case) -> None:
    settings = DetectionSettings(dumps_meta=True, queries=("Operation=='Paste'",))
    tables = {table.name: table for table in score_detection(*case.open(), settings).tables}

    assert [row["ProbeFileID"] for row in tables["query_0_allmeta.csv"].records()] == ["p1", "p2"]


def test_brier_scores_and_d_prime_stand_beside_nists_report(case: Case) -> None:
    output = score_detection(*case.open(), DetectionSettings())

    more = output.tables[1].records()[0]
    assert (more["TARGETS"], more["NONTARGETS"]) == ("2", "2")
    assert (more["BRIER_T"], more["BRIER_N"]) == ("0.185", "0.2")
    assert output.headline["BrierT"] == "0.185"


def test_curves_are_drawn_for_every_line(case: Case) -> None:
    one = detection_figures(case.run())
    two = detection_figures(
        case.run(DetectionSettings(queries=("Collection=='A'", "Collection=='B'")))
    )

    assert [figure.title for figure in one] == ["ROC", "DET"]
    assert len(one[0].marks) == 1
    assert len(two[0].curves) == 3
    assert two[0].marks == ()


def test_curves_of_answered_trials_are_called_so(case: Case) -> None:
    roc, det = detection_figures(case.run(DetectionSettings(opt_out=True)))

    assert roc.curves[0].label == "all trials (trAUC 0.500)"
    assert det.curves[0].label.startswith("all trials (trEER ")


def test_the_headline_under_every_rule_set_can_be_told(case: Case) -> None:
    found = headlines_by_rules(*case.open(), DetectionSettings())

    assert found["mediscore"]["AUC"] == "0.75"
    assert found["plan"]["CDR at FAR 100 %"] == "1.0"


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        (DetectionSettings(queries=("Year==1",), partition="A==['x']"), "one kind of query"),
        (DetectionSettings(far_stop=1.5), "not a valid false alarm stop"),
        (DetectionSettings(level=0.99), r"not a valid confidence level \(between 0.8 and 0.99\)"),
        (DetectionSettings(precision=0), "at least 1 digit"),
    ],
)
def test_settings_that_make_no_sense_are_refused(
    settings: DetectionSettings, told: str, case: Case
) -> None:
    with pytest.raises(UsageError, match=told):
        case.run(settings)


def test_a_misspelt_column_is_named(case: Case) -> None:
    with pytest.raises(QueryError, match="did you mean Collection"):
        case.run(DetectionSettings(queries=("Colection=='A'",)))


@pytest.mark.parametrize(
    ("system", "told"),
    [
        ("ProbeFileID|Score\np1|1\n", "ConfidenceScore"),
        ("Other|ConfidenceScore\np1|1\n", "ProbeFileID|no common column"),
    ],
)
def test_a_submission_that_cannot_be_joined_is_refused(system: str, told: str, case: Case) -> None:
    case.system = system

    with pytest.raises(ForensicViewerError, match=told):
        case.run()


def test_a_dataset_without_a_reference_cannot_be_scored(tmp_path: Path) -> None:
    path = tmp_path / "x-manipulation-index.csv"
    path.write_text(INDEX, encoding="utf-8")
    (tmp_path / "system.csv").write_text(SYSTEM, encoding="utf-8")
    _, task = open_task(tmp_path, name="manipulation")

    with pytest.raises(ScoringError, match="IsTarget"):
        run_detection(
            task, open_submission(tmp_path / "system.csv", task=task), DetectionSettings()
        )


def with_choices(switch: type[Switch]) -> dict[str, RuleSet]:
    """The default rules with each choice of one switch."""
    return {choice.value: MEDISCORE.with_choice(choice) for choice in switch}


def numbers(
    case: Case, switch: type[Switch], column: str, settings: DetectionSettings | None = None
) -> dict[str, str]:
    """One cell of the report under each choice of a switch."""
    base = settings or DetectionSettings()
    found = {}
    for choice, rules in with_choices(switch).items():
        found[choice] = case.report(replace(base, rules=rules))[column]
    return found


def test_switch_join(case: Case) -> None:
    case.system = SYSTEM.replace("|ProbeStatus", "|ProbeStatus|IsTarget").replace("sed", "sed|N")
    case.system = case.system.replace("OptOutAll", "OptOutAll|N")

    assert numbers(case, switches.Join, "AUC") == {"key": "0.75", "common": "0.25"}


@pytest.mark.parametrize("column", ["TaskID", "ProbeFileName", "Collection", "Year", "Operation"])
def test_columns_of_the_dataset_in_a_submission_change_nothing(column: str, case: Case) -> None:
    settings = DetectionSettings(queries=("Operation=='Paste' or IsTarget=='N'",))
    expected = case.report(settings)
    header, *rows = SYSTEM.splitlines()

    case.system = "\n".join([f"{header}|{column}", *(f"{row}|wrong" for row in rows), ""])

    assert case.report(settings) == expected


def test_the_task_may_be_spelt_otherwise_in_the_index(case: Case) -> None:
    """The plans write "manipulation" in the reference (3.5.1), "Manipulation" in the index."""
    expected = case.report()

    case.index = INDEX.replace("\nmanipulation", "\nManipulation")

    assert case.report() == expected


def test_switch_opt_out_trials(case: Case) -> None:
    case.system = SYSTEM.replace("p3|0.6||Processed", "p3|0.6||NonProcessed")
    found = {
        choice: len(case.run(DetectionSettings(rules=rules, opt_out=True)).results[0].trials)
        for choice, rules in with_choices(switches.OptOutTrials).items()
    }

    assert found == {"opted-in": 3, "processed": 2}


def test_switch_both_status_columns(case: Case) -> None:
    case.system = SYSTEM.replace("|ProbeStatus", "|ProbeStatus|IsOptOut").replace("sed", "sed|N")
    case.system = case.system.replace("OptOutAll", "OptOutAll|N")
    settings = DetectionSettings(opt_out=True)

    assert numbers(case, switches.BothStatusColumns, "TRR", settings) == {
        "probe-status": "0.75",
        "is-opt-out": "1.0",
    }


def test_switch_missing_score(case: Case) -> None:
    case.system = SYSTEM.replace("p2|0.4|", "p2||")

    assert numbers(case, switches.MissingScore, "AUC") == {
        "minimum": "0.625",
        "dropped": "1.0",
        "lowest": "0.5",
    }


def test_switch_status_score(case: Case) -> None:
    case.system = SYSTEM.replace("p4|0.2||OptOutAll", "p4|0.5||FailedValidation")

    assert numbers(case, switches.StatusScore, "AUC") == {"as-written": "0.5", "lowest": "0.75"}


def test_switch_status_score_where_opting_out_is_nc2017s(case: Case) -> None:
    case.system = SYSTEM.replace("ProbeStatus", "IsOptOut").replace("Processed", "N")
    case.system = case.system.replace("p4|0.2||OptOutAll", "p4|0.5||Y")

    assert numbers(case, switches.StatusScore, "AUC") == {"as-written": "0.5", "lowest": "0.75"}


def test_switch_repeated_trials(case: Case) -> None:
    case.system = SYSTEM + "p3|0.95||Processed\n"

    assert numbers(case, switches.RepeatedTrials, "AUC") == {"first": "0.75", "all": "0.5"}
    assert "detection-repeated-trial" in rules_told(case.run())


def test_switch_response_base(case: Case) -> None:
    settings = DetectionSettings(queries=("Collection=='A'",))

    assert numbers(case, switches.ResponseBase, "TRR", settings) == {
        "selection": "1.0",
        "everything": "0.5",
    }


def test_switch_responses(case: Case) -> None:
    case.system = SYSTEM.replace("p3|0.6||Processed", "p3|0.6||NonProcessed")
    settings = DetectionSettings(opt_out=True)

    assert numbers(case, switches.Responses, "TRR", settings) == {
        "scored": "0.75",
        "processed": "0.5",
    }


def test_switch_blank_status(case: Case) -> None:
    case.system = SYSTEM.replace("p3|0.6||Processed", "p3|0.6||")
    settings = DetectionSettings(opt_out=True)

    assert numbers(case, switches.BlankStatus, "TRR", settings) == {
        "kept": "0.75",
        "dropped": "0.5",
    }


def test_switch_one_class_resamples(case: Case) -> None:
    settings = DetectionSettings(with_intervals=True, queries=("ProbeFileID in ['p1','p3']",))

    found = numbers(case, switches.OneClassResamples, "CDR_CI_LOWER@FAR", settings)

    assert found == {"skipped": "1.0", "kept": ""}


def test_switch_one_class(case: Case) -> None:
    settings = DetectionSettings(queries=("IsTarget=='Y'",))

    assert numbers(case, switches.OneClass, "AUC", settings) == {"zero": "0.0", "blank": ""}


def test_switch_near_scores(case: Case) -> None:
    case.system = SYSTEM.replace("p3|0.6|", "p3|0.400000001|")

    assert numbers(case, switches.NearScores, "AUC") == {"distinct": "0.75", "merged": "0.875"}


def test_switch_curve_start(case: Case) -> None:
    settings = DetectionSettings(far_stop=0)

    assert numbers(case, switches.CurveStart, "CDR@FAR", settings) == {
        "if-needed": "0.5",
        "always": "0.0",
    }


def test_switch_score_range(case: Case) -> None:
    case.system = SYSTEM.replace("p1|0.9|", "p1|90|")
    task, submission = case.open()
    years = {edition: replace(task, edition=edition) for edition in Edition}

    def reported(edition: Edition, rules: RuleSet) -> bool:
        run = run_detection(years[edition], submission, DetectionSettings(rules=rules))
        return "detection-score-range" in rules_told(run)

    anything, in_range = with_choices(switches.ScoreRange).values()
    assert reported(Edition.MFC2019, in_range)
    assert not reported(Edition.NC2017, in_range)
    assert not reported(Edition.MFC2019, anything)


@pytest.mark.parametrize(
    ("edition", "stop"),
    [
        (Edition.NC2016, 1.0),
        (Edition.NC2017, 1.0),
        (Edition.MFC2018, 0.05),
        (Edition.MFC2019, 0.05),
        (Edition.UNKNOWN, 0.05),
    ],
)
def test_switch_far_stop(edition: Edition, stop: float, case: Case) -> None:
    task, submission = case.open()
    task = replace(task, edition=edition)

    found = {
        value: run_detection(task, submission, DetectionSettings(rules=rules)).settings.stop
        for value, rules in with_choices(switches.FarStop).items()
    }

    assert found == {"ten-percent": 0.1, "by-edition": stop}


def test_switch_partial_area(case: Case) -> None:
    settings = DetectionSettings(far_stop=0.4)

    assert numbers(case, switches.PartialArea, "AUC@FAR", settings) == {
        "whole-steps": "0.0",
        "interpolated": "0.2",
    }


def test_switch_rate_at_stop(case: Case) -> None:
    settings = DetectionSettings(far_stop=0.5)

    assert numbers(case, switches.RateAtStop, "CDR@FAR", settings) == {
        "lowest": "0.5",
        "highest": "1.0",
    }


def test_switch_query_cells(case: Case) -> None:
    settings = DetectionSettings(queries=("Year>=2016",))

    assert numbers(case, switches.QueryCells, "AUC", settings) == {
        "apart": "1.0",
        "python2": "0.75",
    }


def test_switch_journal_files(case: Case) -> None:
    case.journals_named = "x-manipulation"
    found, by_name = with_choices(switches.JournalFiles).values()
    query = ("Operation=='Paste'",)

    assert len(case.run(DetectionSettings(rules=found, queries=query)).results[0].trials) == 2
    with pytest.raises(QueryError, match="no column 'Operation'"):
        case.run(DetectionSettings(rules=by_name, queries=query))


def test_every_switch_is_shown_by_a_test_of_its_own() -> None:
    shown = {
        name.removeprefix("test_switch_") for name in globals() if name.startswith("test_switch_")
    }

    assert {s.key.removeprefix("detection-").replace("-", "_") for s in switches.SWITCHES} <= shown


def test_the_plan_counts_missing_trials_like_unprocessed_ones(case: Case) -> None:
    case.system = SYSTEM.replace("p4|0.2||OptOutAll\n", "")

    report = case.report(DetectionSettings(rules=PLAN))

    assert (report["TRR"], report["AUC"]) == ("0.75", "0.75")


def test_reference_rows_outside_the_index_are_no_trials(case: Case) -> None:
    case.index = INDEX.replace("manipulation|p4|probe/p4.jpg|40|10\n", "")

    run = case.run()

    assert len(run.results[0].trials) == 3
    assert "detection-outside-index" in rules_told(run)


def test_answers_nobody_asked_for_are_told(case: Case) -> None:
    case.system = SYSTEM + "p9|0.5||Processed\n"

    run = case.run()

    told = next(problem for problem in run.log if problem.rule == "detection-unasked")
    assert told.where == "system.csv:6"
    assert len(run.results[0].trials) == 4


@pytest.mark.parametrize("word", ["nan", "NA", "N/A", "abc"])
def test_a_score_that_is_no_number_is_a_missing_one(word: str, case: Case) -> None:
    case.system = SYSTEM.replace("p2|0.4|", f"p2|{word}|")

    run = case.run(DetectionSettings(rules=VERBATIM))

    assert len(run.results[0].trials) == 3
    assert "detection-missing-score" in rules_told(run)


def test_a_submission_without_any_score_is_scored_as_one_that_knows_nothing(case: Case) -> None:
    case.system = "ProbeFileID|ConfidenceScore\np1|\np2|nan\n"

    assert case.report()["AUC"] == "0.5"
    assert case.report(DetectionSettings(rules=PLAN))["TRR"] == "0.0"
    assert case.report(DetectionSettings(rules=VERBATIM))["AUC"] == ""


def test_a_reference_alone_is_its_own_index(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "x-manipulation-ref.csv").write_text(REFERENCE, encoding="utf-8")
    (tmp_path / "system.csv").write_text(SYSTEM, encoding="utf-8")
    _, task = open_task(tmp_path / "data", name="manipulation")
    submission = open_submission(tmp_path / "system.csv", task=task)

    assert len(run_detection(task, submission, DetectionSettings()).results[0].trials) == 4


def test_whole_and_broken_numbers_and_truths_are_dumped_as_pandas_writes_them(case: Case) -> None:
    case.system = SYSTEM.replace("OutputProbeMaskFileName", "Odd").replace("m1.png", "007")
    case.system = case.system.replace("m2.png", "2.50").replace("ProbeStatus", "Sure")
    case.system = case.system.replace("Processed", "TRUE").replace("OptOutAll", "false")

    tables = score_detection(*case.open(), DetectionSettings(dumps_meta=True)).tables
    scored = next(table for table in tables if table.name == "meta_scored.csv").records()

    assert [row["Odd"] for row in scored] == ["7.0", "2.5", "", ""]
    assert [row["Sure"] for row in scored] == ["True", "True", "True", "False"]


def test_a_blank_score_turns_verbatim_columns_into_decimals(case: Case) -> None:
    case.reference = REFERENCE.replace("||\n", "||2018\n")
    case.system = SYSTEM.replace("p4|0.2|", "p4||")

    def years(rules: RuleSet) -> list[str]:
        settings = DetectionSettings(rules=rules, dumps_meta=True)
        tables = detection_output(case.run(settings)).tables
        table = next(table for table in tables if table.name == "meta_scored.csv")
        return [row["Year"] for row in table.records()]

    assert years(VERBATIM) == ["2016.0", "2017.0", "2018.0"]
    assert years(MEDISCORE) == ["2016", "2017", "2018", "2016"]
