"""MFC2019, statement by statement: every file, column and rule of its plan."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from forensicviewer.ui.shell.window import MainWindow
from tests.plans.rules.checks import Bench, Rule
from tests.plans.rules.rules_2019 import RULES
from tests.plans.sections import KNOWN
from tests.plans.whole import (
    Statement,
    Whole,
    assert_asked_for,
    assert_opened,
    build_whole,
    columns_of,
    is_perfect,
    outputs_of,
)

YEAR = "MFC2019"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Whole:
    return build_whole(tmp_path_factory.mktemp(YEAR), YEAR)


@pytest.mark.parametrize(("section", "table", "column"), [*columns_of(YEAR)])
def test_every_column_of_every_table_is_opened(
    section: str, table: str, column: str, whole: Whole
) -> None:
    assert section
    assert_opened(whole, table, column)


@pytest.mark.parametrize(("section", "task", "column"), [*outputs_of(YEAR)])
def test_every_column_of_every_output_is_read_and_asked_for(
    section: str,
    task: str,
    column: str,
    whole: Whole,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert section
    assert_asked_for(whole, task, column, tmp_path, capsys)


def planes(whole: Whole) -> None:
    trial = whole.task("manipulation").trials[0]
    assert trial.bit_planes is not None
    assert trial.bit_planes.endswith(".jp2")
    assert [step.bit_plane for step in trial.operations] == [1, 2]


def selective(whole: Whole) -> None:
    found = whole.score("manipulation", "--query-manipulation", "Operation=='PasteSplice'")
    assert found["OptimumMCC"] == "1.0"


def video_lengths(whole: Whole) -> None:
    trial = whole.task("video").trials[0]
    assert (trial.facts["FrameCount"], trial.facts["FrameRate"]) == ("60", "30")
    steps = trial.operations
    assert [step.facts["VideoTaskDesignation"] for step in steps] == [
        *("temporal", "spatial-temporal", "temporal"),
    ]
    assert steps[2].facts["AudioSample"] == "[[8001,16000]]"


def recall_at_300(whole: Whole) -> None:
    found = whole.score("filtering", "--rules", "plan")
    assert [name for name in found if name.startswith("NodeRecallAt")] == ["NodeRecallAt300"]


def both_graphs(whole: Whole) -> None:
    assert whole.score("provenance", "--rules", "plan")["MeanSimNLO"] == "1.0"
    assert whole.score("provenance", "--rules", "plan")["variation"] == "end-to-end"


def cameras(whole: Whole) -> None:
    task = whole.task("camera")
    assert str(task.condition) == "image-image"
    gallery = task.trials[0].gallery
    assert gallery is not None
    assert gallery.files == ("training/PAR/Images/Primary/No_Lens_50/_5648753.JPG",)
    assert {task.trials[0].facts["IsManipulated"], task.trials[7].facts["IsManipulated"]} == {
        *("Y", "N"),
    }


def events(whole: Whole) -> None:
    gallery = whole.task("event").trials[0].gallery
    assert gallery is not None
    assert gallery.name == "boston_marathon"
    assert gallery.files


def false_alarm_stop(whole: Whole) -> None:
    assert "CDR at FAR 5 %" in whole.score("manipulation", "--rules", "plan")


def maximum_and_optimum(whole: Whole) -> None:
    found = whole.score("manipulation", "--rules", "plan")
    assert (found["MaximumMCC"], found["OptimumMCC"]) == ("1.0", "1.0")


STATEMENTS: list[Statement] = [
    ("2.1.1", "images: detection", is_perfect("manipulation", "AUC")),
    ("2.1.1", "correct detection at 5 %", false_alarm_stop),
    ("2.1.1.1", "bit planes of a mask", planes),
    ("2.1.1.1", "images: masks", is_perfect("manipulation", "OptimumMCC")),
    ("2.1.1.2", "videos: frames, sound and masks", is_perfect("video", "MCC", "OptimumMCC")),
    ("2.1.1.3", "selective scoring", selective),
    ("2.1.2", "splice: probe and donor", is_perfect("splice", "pOptimumMCC", "dOptimumMCC", "AUC")),
    ("2.1.3", "recall at 300", recall_at_300),
    ("2.1.4", "graphs", both_graphs),
    ("2.1.5", "events", is_perfect("event", "AUC")),
    ("2.1.5", "the collection of an event", events),
    ("2.1.6", "cameras: detection and masks", is_perfect("camera", "AUC", "OptimumMCC")),
    ("2.1.6", "training data and condition", cameras),
    ("3.5.1", "videos: lengths, designations, samples", video_lengths),
    ("6.2.5", "Maximum and Optimum", maximum_and_optimum),
    ("7", "SimNO and SimLO", is_perfect("provenance", "MeanSimNO", "MeanSimLO")),
]


@pytest.mark.parametrize(("section", "what", "check"), STATEMENTS)
def test_every_rule_holds(section: str, what: str, check: object, whole: Whole) -> None:
    assert section, what
    assert callable(check)
    assert check(whole) in (None, True)


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_every_rule_sentence_is_shown(
    rule: Rule,
    whole: Whole,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    make_window: Callable[..., MainWindow],
) -> None:
    assert rule.section in KNOWN[YEAR]
    rule.check(Bench(whole, tmp_path, capsys, make_window))


def test_no_statement_of_the_plan_is_left_out() -> None:
    assert sorted({row for rule in RULES for row in rule.rows}) == [*range(1, 125)]
