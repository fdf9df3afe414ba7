"""The rules of NC2016's plan, each with its numbers in the audit and what shows it."""

from __future__ import annotations

import shutil

import numpy as np

from forensicviewer.app.datasets.opening import choose_task, open_dataset
from forensicviewer.cli import main
from forensicviewer.core.rules import PLAN
from tests.plans import test_detection, test_masks
from tests.plans.build import PlanDataset, PlanSubmission
from tests.plans.datasets import SIZE, add_images, image_answers
from tests.plans.rules.checks import (
    Bench,
    Rule,
    accepted,
    asks,
    by_hand,
    colours,
    decided,
    detected,
    opens,
    perfect,
    refused,
    rule,
    runs,
    says,
    scored,
    shown,
    whole_mask,
)

LETTERS = ("aa..", "aa..")
RIGHT = [[0, 0, 255, 255]] * 2
SPLICE_OUTPUT = (
    *("ProbeFileID", "DonorFileID", "ConfidenceScore"),
    *("ProbeOutputMaskFileName", "DonorOutputMaskFileName"),
)


def sides_agree(bench: Bench) -> None:
    """List, window and scorer ask the same question about either side of a splice."""
    found = bench.whole.score("splice")
    assert (found["pOptimumMCC"], found["dOptimumMCC"]) == ("1.0", "1.0")


def two_conditions(bench: Bench) -> None:
    for condition in ("ImgOnly", "ImgMeta"):
        name = f"Team_NC2016_Manipulation_{condition}_p-box_1"
        answers = image_answers(bench.folder / condition, "NC2016")
        if answers.name != name:
            shutil.copytree(answers.root, answers.folder / name)
        answers.name = name
        said = bench.said("info", bench.whole.dataset.root, answers.write())
        assert f"condition {condition}" in said


def control_is_known(bench: Bench) -> None:
    plan = add_images(PlanDataset.of(bench.folder, "NC2016"))
    control = plan.photo("world/NC2016_control.jpg")
    plan.rows["manipulation-ref"][0]["CorrespondingControlFileName"] = control
    trial = choose_task(open_dataset(plan.write()), "manipulation").trials[0]
    assert (trial.control, trial.facts["IsControl"]) == (control, "N")


def base_is_known(bench: Bench) -> None:
    assert bench.whole.task("manipulation").trials[0].facts["BaseFileName"].startswith("world/")


def copy_clone(bench: Bench) -> None:
    """5.3.1.2: of a copy-clone, probe and donor are one file."""
    plan = PlanDataset.of(bench.folder, "NC2016")
    answers = PlanSubmission.of(
        bench.folder, "NC2016", "splice", "Team_NC2016_Splice_ImgOnly_p-c_1"
    )
    for number, target in (("1", "Y"), ("2", "N")):
        probe = f"NC2016_{number}"
        photo = plan.photo(f"probe/{probe}.jpg")
        cells = {"TaskID": "Splice", "ProbeFileID": probe, "ProbeFileName": photo}
        cells |= {"DonorFileID": probe, "DonorFileName": photo}
        plan.add("splice-index", **cells, **SIZE, DonorWidth="120", DonorHeight="90")
        mask = plan.grey(f"reference/splice/mask/{probe}.png", _half()) if target == "Y" else ""
        masks = {"ProbeMaskFileName": mask, "DonorMaskFileName": mask}
        plan.add("splice-ref", **cells, **masks, IsTarget=target)
        found = answers.found(f"mask/{probe}.png", _half()) if target == "Y" else ""
        answers.answer(
            ProbeFileID=probe,
            DonorFileID=probe,
            ConfidenceScore="39" if target == "Y" else "-3",
            ProbeOutputMaskFileName=found,
            DonorOutputMaskFileName=found,
        )
    out = bench.folder / "out"
    said = bench.said("score", "all", plan.write(), answers.write(), "--out", out)
    for name in ("AUC", "pOptimumMCC", "dOptimumMCC"):
        assert any(line.split()[-2:] == [name, "1.0"] for line in said.splitlines()), said


def _half() -> np.ndarray:
    area = np.zeros((90, 120), np.bool_)
    area[20:60, 20:60] = True
    return area


def zipped(bench: Bench) -> None:
    answers = bench.whole.answers["splice"]
    packed = shutil.make_archive(
        str(bench.folder / answers.name), "zip", answers.root.parent, answers.name
    )
    assert "accepted" in bench.said("validate", bench.whole.dataset.root, packed, "--task=splice")


def by_sets(bench: Bench) -> None:
    """-bySet and -byPost of the plan's programs are partitions."""
    for factor in ("Collection==['Nimble-SCI','Nimble-WEB']", "ProbePostProcessed==['rescale']"):
        out = bench.folder / factor.partition("=")[0]
        paths = (bench.whole.dataset.root, bench.whole.answers["manipulation"].root)
        words = ("score", "detection", *paths, "--task=manipulation", "--query-partition", factor)
        # Of targets alone there is no curve, which the program tells.
        assert main([*map(str, words), "--out", str(out)]) in (0, 1)
        assert factor.partition("=")[0] in next(out.glob("*report.csv")).read_text("utf-8")


def drawn_one_by_one(bench: Bench) -> None:
    out = bench.folder / "overlay.png"
    paths = (bench.whole.dataset.root, bench.whole.answers["manipulation"].root)
    bench.said("render", *paths, "--trial", "NC2016_0001", "--task=manipulation", "--out", out)
    assert out.read_bytes().startswith(b"\x89PNG")


def clean_everywhere(bench: Bench) -> None:
    for task in ("manipulation", "removal", "splice"):
        paths = (bench.whole.dataset.root, bench.whole.answers[task].root)
        for rules in ("mediscore", "plan"):
            out = bench.folder / task / rules
            words = ("score", "all", *paths, f"--task={task}", "--rules", rules, "--out", out)
            assert "warning" not in bench.said(*words).lower()


RULES: list[Rule] = [
    rule(1, "2.1.1", "manipulation: score and mask", perfect("manipulation", "AUC", "OptimumMCC")),
    rule(2, "2.1.2", "removal: score and mask", perfect("removal", "AUC", "OptimumMCC")),
    rule(
        *(3, "2.1.3", "splice: either mask against its reference"),
        perfect("splice", "AUC", "pOptimumMCC", "dOptimumMCC"),
    ),
    rule(
        *(4, "2.1.3", "window, list and scorer agree on splices"),
        sides_agree,
        shown(
            "stories/test_one_question.py",
            "test_random_splices_have_one_score_on_either_side",
        ),
    ),
    rule(5, "2.1", "masks may be omitted", by_hand(LETTERS, "", OptimumNMM=-1, OptimumMCC=0)),
    rule(
        6, "2.2", "ImgOnly and ImgMeta", two_conditions, accepted("ImgMETA, as 2016 writes it once")
    ),
    rule(7, "2.3", "protocol of participants", decided("Rules for participants")),
    rule(
        8,
        "3",
        "folders of the test set",
        says("manipulation", "removal", "splice", command=("info", "DATASET")),
    ),
    rule(9, "3.4.1", "20 columns of a reference", opens("manipulation-ref"), opens("splice-ref")),
    rule(
        10,
        "3.4.1",
        "post-processing",
        opens("splice-ref", "ProbePostProcessed", "DonorPostProcessed"),
    ),
    rule(
        *(11, "3.4.1", "quality, collection, lighting, consistency"),
        opens(
            *("manipulation-ref", "ManipulationQuality", "Collection", "Lighting"),
            "SemanticConsistency",
        ),
    ),
    rule(
        *(12, "3.4.1", "kinds of manipulation to query by"),
        opens(
            *("removal-ref", "IsManipulationTypeRemoval", "IsManipulationTypeSplice"),
            "IsManipulationTypeCopyClone",
        ),
        scored(
            *("manipulation", "--query-partition", "IsManipulationTypeCopyClone==['N']"),
            OptimumMCC="1.0",
        ),
    ),
    rule(
        *(13, "3.4.1", "the control image of a probe"),
        control_is_known,
        shown("ui/panes/test_images_beside.py", "test_the_control_image_of_nc2016_is_a_pane"),
    ),
    rule(14, "3.4.1", "the base image of a probe", base_is_known),
    rule(15, "3.4.2", "255 is untouched, 0 manipulated", by_hand(LETTERS, RIGHT, OptimumMCC=1)),
    rule(16, "3.4.2.1", "a mask of all changes", by_hand(("ab..", "ab.."), RIGHT, OptimumMCC=1)),
    rule(
        *(17, "3.4.2.2", "two masks a trial, several trials a probe"),
        perfect("splice", "pOptimumNMM", "dOptimumNMM"),
    ),
    rule(18, "3.5", "names and places of files", opens("removal-index"), opens("splice-index")),
    rule(19, "4.1.1", "indexes of manipulation and removal", opens("manipulation-index")),
    rule(20, "4.1.3", "the index of splices", opens("splice-index")),
    rule(
        21, "5", "submissions are checked", refused("an unknown probe"), accepted("negative scores")
    ),
    rule(
        *(22, "5.1", "any real number is a score"),
        accepted("negative scores"),
        refused("a score that is not a number"),
        detected({39.0: True, 5.5: True, -3.0: False, 0.0: False}, AUC="1.0"),
    ),
    rule(
        23,
        "5.2",
        "grey masks, dark is manipulated",
        by_hand(LETTERS, whole_mask(255), OptimumMCC=0),
    ),
    rule(
        24,
        "5.3.1.1",
        "columns of an output",
        asks("manipulation", "ProbeFileID", "ConfidenceScore", "ProbeOutputMaskFileName"),
    ),
    rule(25, "5.3.1.2", "columns of a splice output", asks("splice", *SPLICE_OUTPUT)),
    rule(26, "5.3.1.2", "probe and donor of a copy-clone are one", copy_clone),
    rule(27, "5.3.2", "one row for each trial", refused("an unknown probe")),
    rule(
        *(28, "5.4.1", "without a name the mask is white"),
        by_hand(LETTERS, "", OptimumNMM=-1, OptimumMCC=0, GWL1=1),
        by_hand(LETTERS, whole_mask(255), OptimumNMM=-1, OptimumMCC=0, GWL1=1),
        decided("An omitted mask is an empty one"),
    ),
    rule(29, "5.4.2", "a mask that is named exists", refused("a mask of 2016 that does not exist")),
    rule(30, "5.5", "a zip file of the experiment", zipped),
    rule(
        *(31, "5.6", "IsTarget of a splice output changes nothing"),
        runs(
            test_detection.test_the_target_that_a_splice_output_of_2016_carries_changes_nothing,
            rules=PLAN,
        ),
    ),
    rule(
        *(32, "6.1", "ROC and AUC"),
        detected({0.9: True, 0.6: False, 0.4: True, 0.1: False}, AUC="0.75"),
    ),
    rule(33, "6.2", "an omitted mask has the lowest score", by_hand(LETTERS, "", OptimumNMM=-1)),
    rule(
        *(34, "6.2.1", "colours of the regions"),
        colours(
            HIT="green", MISS="red", FALSE_ALARM="blue", CORRECT_REJECTION="white", BOUNDARY="beige"
        ),
        shown(
            "ui/shell/test_plan_colours.py",
            "test_the_plans_colours_are_drawn_and_the_legend_says_whose_they_are",
        ),
    ),
    rule(
        *(35, "6.2.2", "NMM of grey values"),
        by_hand(LETTERS, [[51, 51, 255, 255]] * 2, OptimumNMM=0.6),
        by_hand(LETTERS, [[0, 0, 0, 255]] * 2, OptimumNMM=0.5),
    ),
    rule(
        *(36, "6.2.3", "WL1 over the size of the region"),
        by_hand(LETTERS, [[51, 51, 255, 0]] * 2, GWL1=0.7),
    ),
    rule(37, "A", "words that contradict the masks", decided("white for manipulated")),
    rule(
        *(38, "B", "six parts of a name"),
        refused("year of 2016 cut short", "version of 2016", "seven parts in 2016"),
        accepted("ImgMETA, as 2016 writes it once"),
    ),
    rule(
        *(39, "C", "FileID, ImgFName and MaskFName of the example"),
        runs(test_detection.test_a_submission_may_spell_its_ids_like_the_kick_off_data, rules=PLAN),
        runs(
            test_masks.test_masks_are_found_under_the_names_of_the_kick_off_data, column="MaskFName"
        ),
    ),
    rule(40, "D.1", "checks without looking at masks", zipped),
    rule(41, "D.2", "a report with AUC and EER", scored("manipulation", AUC="1.0", EER="0.0")),
    rule(42, "D.2", "numbers by collection and post-processing", by_sets),
    rule(
        *(43, "D.2", "an overlay for a trial"),
        drawn_one_by_one,
        decided("A separate file for each curve or overlay"),
    ),
    rule(44, "5", "clean data are scored without warnings", clean_everywhere),
]
