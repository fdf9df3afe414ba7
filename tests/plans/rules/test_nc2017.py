"""NC2017, statement by statement: every file, column and rule of its plan."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from forensicviewer.ui.shell.window import MainWindow
from tests.plans.rules.checks import Bench, Rule
from tests.plans.rules.rules_2017 import RULES
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

YEAR = "NC2017"


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


def selective(whole: Whole) -> None:
    """Mixed probes are scored with the unselected region left out, others not at all."""
    found = whole.score("manipulation", "--query-manipulation", "Operation=='FillContentAwareFill'")
    assert found["OptimumMCC"] == "1.0"


def journals_are_known(whole: Whole) -> None:
    steps = whole.task("manipulation").trials[0].operations
    assert [(step.name, step.purpose, step.color) for step in steps] == [
        ("PasteSplice", "add", (255, 10, 0)),
        ("FillContentAwareFill", "remove", (0, 48, 255)),
    ]
    assert {step.facts["OperationArgument"] for step in steps} == {"natural object"}


def opt_outs(whole: Whole) -> None:
    assert set(whole.submission("manipulation").table["IsOptOut"]) == {"N"}
    assert whole.score("manipulation", "--rules", "plan", "--opt-out")["TRR"] == "1.0"


def recalls(whole: Whole) -> None:
    found = whole.score("filtering", "--rules", "plan")
    lengths = [name for name in found if name.startswith("NodeRecallAt")]
    assert lengths == ["NodeRecallAt50", "NodeRecallAt100", "NodeRecallAt200"]
    assert {found[name] for name in lengths} == {"1.0"}


def only_detection_of_videos(whole: Whole) -> None:
    found = whole.score("video", "--rules", "plan")
    assert found["AUC"] == "1.0"
    assert "OptimumMCC" not in found


STATEMENTS: list[Statement] = [
    ("2.1.1", "images: detection and masks", is_perfect("manipulation", "OptimumMCC", "AUC")),
    ("2.1.1", "videos: detection, no localization", only_detection_of_videos),
    ("2.1.1.1", "selective scoring", selective),
    ("2.1.1.2", "opting out and TRR", opt_outs),
    ("2.1.2", "splice: probe and donor", is_perfect("splice", "pOptimumMCC", "dOptimumMCC", "AUC")),
    ("2.1.3", "recall at 50, 100 and 200", recalls),
    ("2.1.4", "SimNLO of graphs", is_perfect("provenance", "MeanSimNLO")),
    ("2.2", "conditions", lambda w: w.submission("video").identity["condition"] == "VidOnly"),
    ("3.5.1", "journals", journals_are_known),
    ("3.5.2", "colours of a mask", is_perfect("manipulation", "OptimumNMM")),
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
