"""Masks of datasets with only the columns of the plans: scored, and the same in every place."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from forensicviewer.app.datasets.opening import open_submission, open_task
from forensicviewer.app.masks.run import score_masks
from forensicviewer.app.masks.settings import MaskSettings
from forensicviewer.cli import main
from forensicviewer.core.rules import RULE_SETS, RuleSet
from forensicviewer.sources.media.jpeg2000 import read_components, write_components
from forensicviewer.sources.media.masks import read_colour_reference
from tests.build import write_png
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


@by_rules
@pytest.mark.parametrize("form", ["PNG", "JPEG 2000", "layers"])
def test_black_on_white_is_manipulated(form: str, rules: RuleSet, tmp_path: Path) -> None:
    """MFC2019, 2.1.1.1 and 3.5.2: "a white pixel indicates that the region is not manipulated"."""
    root = add_images(PlanDataset.of(tmp_path, "MFC2019")).write()
    for mask in sorted(root.glob("reference/manipulation-image/mask/*.jp2")):
        planes = read_components(mask)
        is_black = planes.any(axis=2, keepdims=True)
        black = np.where(is_black, 0, 255).astype(np.uint8)
        if form == "PNG":
            write_png(mask.with_suffix(".png"), black[:, :, 0])
        else:
            write_components(mask, ~planes if form == "layers" else black)
    if form == "PNG":
        table = root / "reference/manipulation-image/MFC2019-manipulation-image-ref.csv"
        table.write_text(table.read_text("utf-8").replace(".jp2", ".png"), "utf-8")
    submission = image_answers(tmp_path, "MFC2019").write()

    _, task = open_task(root, name="manipulation")
    answers = open_submission(submission, task=task)
    rows = records(
        score_masks(task, answers, MaskSettings(rules=rules)), "mask_scores_perimage.csv"
    )

    is_verbatim = rules.name == "mediscore-verbatim"
    assert all((row["OptimumMCC"] == "1.0") is not is_verbatim for row in rows)
    assert_all_agree(task, answers, MaskSettings(rules=rules))


@by_rules
@pytest.mark.parametrize("form", ["bits", "JPEG 2000", "layers"])
def test_splices_are_scored_with_masks_in_layers(form: str, rules: RuleSet, tmp_path: Path) -> None:
    """MFC2019, 3.5.1: the join table of splices has BitPlane, and no donors."""
    root = add_splices(PlanDataset.of(tmp_path, "MFC2019")).write()
    for mask in sorted(root.glob("reference/splice/mask/*.jpg")):
        is_marked = read_colour_reference(mask).min(axis=2, keepdims=True) < 128
        bits = {"bits": (1, 0), "JPEG 2000": (0, 255), "layers": (254, 255)}[form]
        write_components(mask.with_suffix(".jp2"), np.where(is_marked, *bits).astype(np.uint8))
    table = root / "reference/splice/MFC2019-splice-ref.csv"
    written = re.sub(r"(mask/[^|]*)\.jpg", r"\1.jp2", table.read_text("utf-8"))
    table.write_text(written, "utf-8")
    _, task = open_task(root, name="splice")
    answers = open_submission(splice_answers(tmp_path, "MFC2019").write(), task=task)

    rows = records(
        score_masks(task, answers, MaskSettings(rules=rules)), "mask_scores_perimage.csv"
    )

    found = [(row["pOptimumMCC"], row["dOptimumMCC"]) for row in rows]
    is_verbatim = rules.name == "mediscore-verbatim" and form != "bits"
    assert (found == [("1.0", "1.0")] * 2) is not is_verbatim
    assert_all_agree(task, answers, MaskSettings(rules=rules))


@pytest.mark.parametrize("column", ["MaskFName", "OutputMaskFName", "OutputProbeMaskFName"])
def test_masks_are_found_under_the_names_of_the_kick_off_data(
    column: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """NC2016, Appendix C prints FileID, ImgFName, MaskFName and isTarget."""
    root = add_images(PlanDataset.of(tmp_path, "NC2016")).write()
    spelled = {"ProbeFileID": "FileID", "ProbeFileName": "ImgFName", "IsTarget": "isTarget"}
    for table in root.rglob("*.csv"):
        head, _, rows = table.read_text("utf-8").partition("\n")
        for name, old in {**spelled, "ProbeMaskFileName": "MaskFName"}.items():
            head = head.replace(name, old)
        table.write_text(f"{head}\n{rows}", "utf-8")
    answers = image_answers(tmp_path, "NC2016").write()
    table = answers / f"{answers.name}.csv"
    text = table.read_text("utf-8").replace("ProbeFileID|", "FileID|")
    table.write_text(text.replace("ProbeOutputMaskFileName", column), "utf-8")
    out = tmp_path / "out"

    assert main(["score", "all", str(root), str(answers), "--out", str(out), "--quiet"]) == 0

    found = json.loads((out / "summary.json").read_text("utf-8"))["headline"]
    assert (found["mask OptimumMCC"], found["detection AUC"]) == ("1.0", "1.0")
    # Reading it is not allowing it: every rule set asks for the name that its year prints.
    for rules in ("nc16", "nc17", "plan"):
        check = ["validate", str(root), str(answers), "--task", "manipulation", "--json"]
        main([*check, "--rules", rules])
        missing = [
            each["message"]
            for each in json.loads(capsys.readouterr().out)["findings"]
            if each["rule"] == "columns.required"
        ]
        assert any("ProbeFileID" in message for message in missing)
        assert any("MaskFileName" in message for message in missing)
