"""Detection over datasets with only the columns of the plans."""

from __future__ import annotations

from pathlib import Path

import pytest

from forensicviewer.app.datasets.opening import open_submission, open_task
from forensicviewer.app.detection.report import score_detection
from forensicviewer.app.detection.scoring import DetectionSettings
from forensicviewer.core.rules import MEDISCORE, PLAN, RuleSet
from tests.plans.build import PlanDataset
from tests.plans.datasets import (
    add_images,
    add_splices,
    add_videos,
    image_answers,
    splice_answers,
    video_answers,
)

by_year = pytest.mark.parametrize("year", ["NC2016", "NC2017", "MFC2019"])
by_rules = pytest.mark.parametrize("rules", [MEDISCORE, PLAN], ids=lambda rules: str(rules.name))


def auc(root: Path, submission: Path, task_name: str, rules: RuleSet) -> str:
    _, task = open_task(root, name=task_name)
    output = score_detection(
        task, open_submission(submission, task=task), DetectionSettings(rules=rules)
    )
    return output.tables[0].records()[0]["AUC"]


@by_rules
@by_year
def test_images_are_detected_whatever_letters_the_task_is_written_in(
    year: str, rules: RuleSet, tmp_path: Path
) -> None:
    root = add_images(PlanDataset.of(tmp_path, year)).write()
    answers = image_answers(tmp_path, year).write()

    assert auc(root, answers, "manipulation", rules) == "1.0"


@by_rules
@by_year
def test_splices_are_detected(year: str, rules: RuleSet, tmp_path: Path) -> None:
    root = add_splices(PlanDataset.of(tmp_path, year)).write()
    answers = splice_answers(tmp_path, year).write()

    assert auc(root, answers, "splice", rules) == "1.0"


@by_rules
@pytest.mark.parametrize("year", ["NC2017", "MFC2019"])
def test_videos_are_detected(year: str, rules: RuleSet, tmp_path: Path) -> None:
    root = add_videos(PlanDataset.of(tmp_path, year), filmed=False).write()
    answers = video_answers(tmp_path, year).write()

    assert auc(root, answers, "video", rules) == "1.0"


@by_rules
def test_the_target_that_a_splice_output_of_2016_carries_changes_nothing(
    rules: RuleSet, tmp_path: Path
) -> None:
    root = add_splices(PlanDataset.of(tmp_path, "NC2016")).write()
    answers = splice_answers(tmp_path, "NC2016", "splice-with-target").write()

    assert auc(root, answers, "splice", rules) == "1.0"


@by_rules
def test_a_submission_may_spell_its_ids_like_the_kick_off_data(
    rules: RuleSet, tmp_path: Path
) -> None:
    root = add_images(PlanDataset.of(tmp_path, "NC2016")).write()
    answers = image_answers(tmp_path, "NC2016").write()
    table = answers / f"{answers.name}.csv"
    table.write_text(table.read_text("utf-8").replace("ProbeFileID|", "FileID|"), "utf-8")

    assert auc(root, answers, "manipulation", rules) == "1.0"


@by_year
@pytest.mark.parametrize("opened", ["index", "reference"])
def test_one_table_is_opened_and_the_other_named(year: str, opened: str, tmp_path: Path) -> None:
    root = add_images(PlanDataset.of(tmp_path, year)).write()
    answers = image_answers(tmp_path, year).write()
    (index,) = root.glob("indexes/*manipulation*index.csv")
    (reference,) = root.glob("reference/manipulation*/*-ref.csv")

    if opened == "index":
        _, task = open_task(index, name=None, reference=reference)
    else:
        _, task = open_task(reference, name=None, index=index)

    assert task.index is not None
    output = score_detection(
        task, open_submission(answers, task=task), DetectionSettings(rules=MEDISCORE)
    )
    assert output.tables[0].records()[0]["AUC"] == "1.0"
