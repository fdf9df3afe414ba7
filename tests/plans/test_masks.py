"""Masks of datasets with only the columns of the plans: scored, and the same in every place."""

from __future__ import annotations

from pathlib import Path

import pytest

from forensicviewer.app.datasets.opening import open_submission, open_task
from forensicviewer.app.masks.run import score_masks
from forensicviewer.app.masks.settings import MaskSettings
from forensicviewer.core.rules import RULE_SETS, RuleSet
from tests.mask_build import records
from tests.plans.build import PlanDataset
from tests.plans.datasets import add_images, add_splices, image_answers, splice_answers
from tests.stories.test_one_question import assert_all_agree

YEARS = ["NC2016", "NC2017", "MFC2019"]
by_year = pytest.mark.parametrize("year", YEARS)
by_rules = pytest.mark.parametrize("rules", RULE_SETS, ids=lambda rules: str(rules.name))


@by_rules
@by_year
def test_every_manipulated_image_is_scored(year: str, rules: RuleSet, tmp_path: Path) -> None:
    root = add_images(PlanDataset.of(tmp_path, year)).write()
    _, task = open_task(root, name="manipulation")
    submission = open_submission(image_answers(tmp_path, year).write(), task=task)

    rows = records(
        score_masks(task, submission, MaskSettings(rules=rules)), "mask_scores_perimage.csv"
    )

    assert [(row["Scored"], row["OptimumMCC"]) for row in rows] == [("Y", "1.0")] * 2
    assert_all_agree(task, submission, MaskSettings(rules=rules))


@by_rules
@by_year
def test_either_side_of_a_splice_is_scored(year: str, rules: RuleSet, tmp_path: Path) -> None:
    root = add_splices(PlanDataset.of(tmp_path, year)).write()
    _, task = open_task(root, name="splice")
    submission = open_submission(splice_answers(tmp_path, year).write(), task=task)

    rows = records(
        score_masks(task, submission, MaskSettings(rules=rules)), "mask_scores_perimage.csv"
    )

    assert [row["pOptimumMCC"] for row in rows] == ["1.0"] * 2
    is_coloured = rules.name == "mediscore-verbatim" and year != "NC2016"
    assert [row["dOptimumMCC"] for row in rows] == ["" if is_coloured else "1.0"] * 2
    assert_all_agree(task, submission, MaskSettings(rules=rules))
