"""NC2016, statement by statement: every file, column and rule of its plan."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from forensicviewer.app.masks.settings import MaskSettings
from forensicviewer.core.rules import PLAN
from tests.mask_build import MaskCase
from tests.plans.rules.checks import Bench, Rule
from tests.plans.rules.rules_2016 import RULES
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

YEAR = "NC2016"
PLAN_SETTINGS = MaskSettings(erode_px=0, dilate_px=0, distraction_px=0, rules=PLAN)


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


def facets(whole: Whole) -> None:
    table = whole.task("manipulation").table
    assert set(table["Collection"]) == {"Nimble-SCI", "Nimble-WEB"}
    # One with targets and non-targets: a part of targets alone has no detection curve.
    options = ("--query-partition", "Lighting==['same']")
    assert whole.score("manipulation", *options)["OptimumMCC"] == "1.0"


def two_trials_of_a_probe(whole: Whole) -> None:
    trials = whole.task("splice").trials
    assert {trials[row].probe.id for row in (0, 1)} == {"NC2016_0011"}
    assert trials[0].reference != trials[1].reference


STATEMENTS: list[Statement] = [
    ("2.1.1", "manipulation detection and masks", is_perfect("manipulation", "OptimumMCC", "AUC")),
    ("2.1.2", "removal detection and masks", is_perfect("removal", "OptimumMCC", "AUC")),
    ("2.1.3", "splice: probe and donor", is_perfect("splice", "pOptimumMCC", "dOptimumMCC", "AUC")),
    ("2.2", "conditions", lambda w: w.submission("splice").identity["condition"] == "ImgOnly"),
    ("3.4.1", "columns to partition by", facets),
    ("3.4.2", "255 is not, 0 is manipulated", is_perfect("manipulation", "OptimumNMM")),
    ("3.4.2.2", "two masks, several trials of a probe", two_trials_of_a_probe),
    (
        "6.1.2",
        "AUC of the whole curve",
        lambda w: w.score("splice", "--rules", "plan")["AUC"] == "1.0",
    ),
]


@pytest.mark.parametrize(("section", "what", "check"), STATEMENTS)
def test_every_rule_holds(section: str, what: str, check: object, whole: Whole) -> None:
    assert section, what
    assert callable(check)
    assert check(whole) in (None, True)


def test_6_2_2_nmm_and_6_2_3_wl1_are_the_formulas_of_the_plan(tmp_path: Path) -> None:
    """Computed here from the plan's text, over random grey masks without a boundary zone."""
    random = np.random.default_rng(16)
    for number in range(5):
        rows = ["".join(random.choice(["a", "."], 8)) for _ in range(6)]
        if not any("a" in row for row in rows):
            continue
        levels = random.integers(0, 256, (6, 8))
        case = MaskCase(tmp_path / str(number), edition=YEAR)
        case.trial("p", *rows).answer("p", levels.tolist())
        truth = np.array([[cell == "a" for cell in row] for row in rows])
        m = (255 - levels) / 255
        nmm = max((m[truth].sum() - (1 - m[truth]).sum() - m[~truth].sum()) / truth.sum(), -1)
        wl1 = np.abs(truth - m).sum() / truth.sum()

        found = case.score(PLAN_SETTINGS).tables[0].records()[0]

        assert float(found["OptimumNMM"]) == pytest.approx(nmm)
        assert float(found["GWL1"]) == pytest.approx(wl1)


def test_5_4_1_and_6_2_an_omitted_mask_is_white_and_scores_lowest(tmp_path: Path) -> None:
    case = MaskCase(tmp_path, edition=YEAR)
    case.trial("p", "aa..", "aa..").answer("p")

    assert case.score(PLAN_SETTINGS).tables[0].records()[0]["OptimumNMM"] == "-1.0"


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_every_rule_sentence_is_shown(
    rule: Rule, whole: Whole, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert rule.section in KNOWN[YEAR]
    rule.check(Bench(whole, tmp_path, capsys))
