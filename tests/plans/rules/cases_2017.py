"""Data of NC2017's plan that single rules are shown on."""

from __future__ import annotations

import csv
import hashlib
import json
import shutil
import tarfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from forensicviewer.app.datasets.opening import choose_task, open_dataset, open_submission
from forensicviewer.app.masks.settings import MaskSettings
from forensicviewer.app.validation.paperwork import papers_of
from forensicviewer.cli import main
from forensicviewer.core.model import TaskKind
from forensicviewer.core.rules import PLAN
from forensicviewer.ui.video.page import VideoPage
from tests.mask_build import MaskCase
from tests.plans.build import PlanDataset
from tests.plans.datasets import (
    SIZE,
    add_images,
    add_splices,
    add_videos,
    image_answers,
    splice_answers,
    video_answers,
)
from tests.plans.graphs import add_provenance, filtering_answers, graph_answers
from tests.plans.rules.checks import (
    EXACT,
    Bench,
    detection,
    whole_mask,
)
from tests.plans.submissions import describe

LETTERS = ("aa..", "aa..")
RIGHT_MASK = [[0, 0, 255, 255]] * 2
FILL_ONLY = ("--query-manipulation", "Operation=='FillContentAwareFill'")
OPERATIONS = "ui/score/test_operations.py"
CURVES = "ui/score/test_curve_comparison.py"
RESULTS = "ui/results/test_dialog.py"


def score_all(bench: Bench, root: Path, submission: Path, *options: str) -> dict[str, str]:
    """The headline of every scorer, name by name."""
    out = bench.folder / "out"
    bench.said("score", "all", root, submission, *options, "--out", out, "--quiet")
    found: dict[str, str] = {}
    for path in sorted(out.rglob("summary.json")):
        found |= json.loads(path.read_text("utf-8"))["headline"]
    return found


def no_localization_in_the_window(bench: Bench) -> None:
    """The list and the page of a video have no MCC, and nothing is wrong about that."""
    root = add_videos(PlanDataset.of(bench.folder, "NC2017")).write()
    window = bench.window(root, video_answers(bench.folder, "NC2017").write())
    page, model = window.page, window.docks.browser.model
    assert isinstance(page, VideoPage)
    assert page.player.state.review is not None
    assert page.player.state.review.video.mcc is None
    assert "no intervals" in page.player.state.review.video.why_unscored
    column = model.names.index("MCC")
    assert {model.text(row, column) for row in range(model.rowCount())} == {"–"}  # noqa: RUF001
    assert window.desk.workbench.state.problems == ()


def without_region(bench: Bench) -> None:
    """A manipulation of the whole image has no region to find, so its mask is not scored."""
    case = MaskCase(bench.folder, edition="NC2017")
    case.trial("p", "....", "....").answer("p", whole_mask(0))
    assert case.score(EXACT).tables[0].records()[0]["OptimumMCC"] == ""


def dilated_by_11(_: Bench) -> None:
    assert MaskSettings(rules=PLAN).kernels(TaskKind.MANIPULATION).distraction_px == 11


def table_1_of_detection(bench: Bench) -> None:
    """Targets with a selected operation and every non-target; the second target has none."""
    found = bench.whole.score("manipulation", "--rules", "plan", *FILL_ONLY)
    assert found["trials"] == "3 (targets 1, non-targets 2)"


def table_1_of_masks(bench: Bench) -> None:
    """Selected regions count, unselected ones of mixed probes do not, other probes are left out."""
    case = MaskCase(bench.folder, edition="NC2017")
    case.trial("mixed", "aabb", "aabb").trial("only", "bb..", "bb..")
    case.answer("mixed", [[0, 0, 255, 255]] * 2).answer("only", whole_mask(0))
    step = next(cells["Operation"] for key, cells in case.steps.items() if key[1] == "a")
    query = f"Operation=='{step}' and ProbeFileID=='mixed'"
    asked = MaskSettings(
        erode_px=0, dilate_px=0, distraction_px=0, rules=PLAN, manipulation_queries=(query,)
    )
    rows = case.score(asked).tables[0].records()
    assert [row["ProbeFileID"] for row in rows] == ["mixed"]
    assert int(rows[0]["PixelSNS"]) == 4


def opted_out(bench: Bench, *, score: str = "-5") -> tuple[Path, Path]:
    root = add_images(PlanDataset.of(bench.folder, "NC2017")).write()
    answers = image_answers(bench.folder, "NC2017")
    answers.rows[0] |= {"IsOptOut": "Y", "ConfidenceScore": score, "OutputProbeMaskFileName": ""}
    return root, answers.write()


def response_rate(bench: Bench) -> None:
    found = score_all(bench, *opted_out(bench), "--rules", "plan", "--opt-out")
    assert (found["TRR"], found["trials"]) == ("0.75", "3 (targets 1, non-targets 2)")


def over_all_trials(bench: Bench) -> None:
    out = bench.folder / "out"
    bench.said("score", "detection", *opted_out(bench), "--rules", "plan", "--out", out)
    found = json.loads((out / "summary.json").read_text("utf-8"))["headline"]
    assert found["trials"] == "4 (targets 2, non-targets 2)"
    assert found["AUC"] == "0.5", "the target opted out of is ranked last"


def pairs(bench: Bench) -> None:
    trials = bench.whole.task("splice").trials
    assert [str(one) for one in trials.ids()][:2] == [
        "NC2017_0011+NC2017_0101",
        "NC2017_0011+NC2017_0102",
    ]


def either_mask_omitted(bench: Bench) -> None:
    root = add_splices(PlanDataset.of(bench.folder, "NC2017")).write()
    answers = splice_answers(bench.folder, "NC2017")
    answers.rows[0]["OutputProbeMaskFileName"] = ""
    answers.rows[1]["OutputDonorMaskFileName"] = ""
    found = score_all(bench, root, answers.write(), "--rules", "plan")
    assert (found["pOptimumMCC"], found["dOptimumMCC"]) == ("0.5", "0.5")


def every_role_of_a_probe(bench: Bench) -> None:
    for number in ("0201", "0202", "0203"):
        folder = bench.folder / number
        plan = add_provenance(PlanDataset.of(folder, "NC2017"))
        answers = graph_answers(folder, "NC2017")
        for cells in (*(row for rows in plan.rows.values() for row in rows), *answers.rows):
            cells["ProvenanceProbeFileID"] = f"NC2017_{number}"
            if "ProvenanceProbeFileName" in cells:
                cells["ProvenanceProbeFileName"] = f"world/NC2017_{number}.jpg"
        own = Bench(bench.whole, folder, bench.capsys)
        found = score_all(own, plan.write(), answers.write(), "--task=provenance")
        assert found["MeanSimNLO"] == "1.0", number


def prose_is_shown(bench: Bench) -> None:
    root = add_images(PlanDataset.of(bench.folder, "NC2017")).write()
    (root / "documents").mkdir()
    (root / "documents" / "terms.txt").write_text("Terms", "utf-8")
    (root / "README.txt").write_text("Read me", "utf-8")
    answers = image_answers(bench.folder, "NC2017")
    describe(answers)
    papers = papers_of(open_dataset(root), [open_submission(answers.write())])
    texts = {paper.title: paper.text for paper in papers}
    assert (texts["README.txt"], texts["documents/terms.txt"]) == ("Read me", "Terms")
    assert "OptOut Criteria" in texts[f"{answers.name}.txt"]


def many_formats(bench: Bench) -> None:
    plan = PlanDataset.of(bench.folder, "NC2017")
    for suffix in ("jpg", "png", "bmp", "tif", "webp", "jp2"):
        name = plan.photo(f"probe/NC2017_{suffix}.{suffix}")
        cells = {"ProbeFileID": f"NC2017_{suffix}", "ProbeFileName": name}
        plan.add("manipulation-image-index", TaskID="Manipulation", **cells, **SIZE)
    assert "all present and as declared" in bench.said("info", plan.write(), "--files")


def many_trials(bench: Bench) -> None:
    plan = PlanDataset.of(bench.folder, "NC2017")
    for number in range(20_000):
        cells = {"ProbeFileID": f"p{number // 100}", "DonorFileID": f"d{number % 100}"}
        plan.add("splice-index", TaskID="Splice", **cells, **SIZE)
    assert len(choose_task(open_dataset(plan.write()), "splice").trials) == 20_000


def world_is_not_walked(bench: Bench) -> None:
    """A table in the world folder is no table of the dataset."""
    root = add_images(PlanDataset.of(bench.folder, "NC2017")).write()
    stray = root / "world" / "NC2017-splice-index.csv"
    shutil.copy(next((root / "indexes").glob("*.csv")), stray)
    assert [task.name for task in open_dataset(root).tasks] == ["manipulation"]


def extra_columns(bench: Bench) -> None:
    root = add_images(PlanDataset.of(bench.folder, "NC2017")).write()
    table = root / "reference/manipulation-image/NC2017-manipulation-image-ref.csv"
    lines = table.read_text("utf-8").splitlines()
    told = [lines[0] + "|Season", *(line + "|winter" for line in lines[1:])]
    table.write_text("\n".join(told) + "\n", "utf-8")
    answers = image_answers(bench.folder, "NC2017").write()
    found = score_all(bench, root, answers, "--query", "Season=='winter'")
    assert (found["AUC"], found["trials"]) == ("1.0", "4 (targets 2, non-targets 2)")


def other_operations(bench: Bench) -> None:
    """Operations of a journal that are not in the probe are none of its own."""
    plan = add_images(PlanDataset.of(bench.folder, "NC2017"))
    names = {"JournalName": "j0001", "StartNodeID": "x", "EndNodeID": "y", "Color": "9 9 9"}
    plan.add("manipulation-image-ref-journalmask", **names, Operation="OutputPng")
    trial = choose_task(open_dataset(plan.write()), "manipulation").trials[0]
    assert [step.name for step in trial.operations] == ["PasteSplice", "FillContentAwareFill"]


def misprinted_names(bench: Bench) -> None:
    """3.6 prints splace and provenancefilgering in names of tables."""
    for misprint, task, headline, answers in (
        ("splace", "splice", "pOptimumMCC", splice_answers),
        ("filgering", "filtering", "NodeRecallAt100", filtering_answers),
    ):
        own = replace(bench, folder=bench.folder / misprint)
        plan = PlanDataset.of(own.folder, "NC2017")
        if task == "splice":
            add_splices(plan)
        else:
            add_provenance(plan, "provenancefiltering")
        root = plan.write()
        for path in [*root.rglob("*probejournaljoin.csv"), *root.rglob("*-node.csv")]:
            path.rename(path.with_name(path.name.replace(task, misprint)))
        submission = answers(own.folder, "NC2017").write()
        found = score_all(own, root, submission, f"--task={task}", "--rules", "plan")
        assert found[headline] == "1.0"
        assert len(open_dataset(root).tasks) == 1


def raw_donors(bench: Bench) -> None:
    plan = add_splices(PlanDataset.of(bench.folder, "NC2017"))
    for rows in plan.rows.values():
        for cells in rows:
            if "DonorFileName" in cells:
                cells["DonorFileName"] = cells["DonorFileName"].replace(".png", ".nef")
    trial = choose_task(open_dataset(plan.write()), "splice").trials[0]
    assert trial.donor is not None
    assert trial.donor.name.endswith(".nef")


def order_is_free(bench: Bench) -> None:
    root = add_images(PlanDataset.of(bench.folder, "NC2017")).write()
    answers = image_answers(bench.folder, "NC2017")
    answers.rows.reverse()
    found = score_all(bench, root, answers.write())
    assert (found["AUC"], found["OptimumMCC"]) == ("1.0", "1.0")


def packed_with_md5(bench: Bench) -> None:
    root = add_images(PlanDataset.of(bench.folder, "NC2017")).write()
    answers = image_answers(bench.folder, "NC2017")
    folder = answers.write()
    packed = bench.folder / f"{answers.name}.tgz"
    with tarfile.open(packed, "w:gz") as tar:
        tar.add(folder, arcname=answers.name)
    assert hashlib.md5(packed.read_bytes()).hexdigest() in bench.said("info", root, packed)
    assert score_all(bench, root, packed)["AUC"] == "1.0"


def package_of_several(bench: Bench) -> None:
    plan = add_splices(add_images(PlanDataset.of(bench.folder, "NC2017")))
    package = bench.folder / "Team_NC17_TEST_1"
    for answers in (image_answers(package, "NC2017"), splice_answers(package, "NC2017")):
        describe(answers)
        answers.write()
    words = ("validate", plan.write(), package, "--rules", "plan", "--strict", "--json")
    found = json.loads(bench.said(*words))["submissions"]
    assert [each["accepted"] for each in found] == [True, True]


def pipe_separated(bench: Bench) -> None:
    answers = bench.whole.answers["manipulation"]
    head = (answers.root / f"{answers.name}.csv").read_text("utf-8").splitlines()[0]
    assert head.split("|") == list(bench.whole.submission("manipulation").table.names)


def report_of(bench: Bench, *options: str) -> list[dict[str, str]]:
    scores = {0.9: True, 0.6: False, 0.4: True, 0.1: False}
    root, submission = detection(bench, scores)
    out = bench.folder / "out"
    main(["score", "detection", str(root), str(submission), *options, "--out", str(out)])
    rows = []
    for path in sorted(out.glob("*report.csv")):
        with path.open(encoding="utf-8") as stream:
            rows += list(csv.DictReader(stream, delimiter="|"))
    return rows


def has_interval(bench: Bench) -> None:
    (row,) = report_of(bench, "--ci")
    assert row["AUC"].startswith("0.75")
    assert float(row["AUC_CI_LOWER"]) <= 0.75 <= float(row["AUC_CI_UPPER"])


def partial_area(bench: Bench) -> None:
    (row,) = report_of(bench, "--far-stop", "0.5")
    assert float(row["AUC@FAR"]) == pytest.approx(0.25)


def several_queries(bench: Bench) -> None:
    queries = [f"ProbeFileID!='{bench.whole.year}_{number}'" for number in (1, 2)]
    rows = report_of(bench, "--query", *queries)
    assert [float(row["AUC"]) for row in rows] == [1.0, 1.0]


def partitions(bench: Bench) -> None:
    rows = report_of(bench, "--query-partition", "ProbeWidth==['120']")
    assert [float(row["AUC"]) for row in rows] == [0.75]


def by_journal(bench: Bench) -> None:
    found = bench.whole.score("manipulation", "--query-manipulation", "Purpose=='remove'")
    assert found["trials"] == "3 (targets 1, non-targets 2)"


def grey_levels(bench: Bench) -> None:
    """Smaller is more surely manipulated: a cut at 100 keeps the darker half."""
    case = MaskCase(bench.folder, edition="NC2017")
    case.trial("p", *LETTERS).answer("p", [[60, 60, 150, 150]] * 2)
    found = case.score(
        MaskSettings(erode_px=0, dilate_px=0, distraction_px=0, rules=PLAN, threshold=100)
    )
    row = found.tables[0].records()[0]
    assert (row["ActualMCC"], row["OptimumMCC"]) == ("1.0", "1.0")


def boundary(bench: Bench) -> None:
    """Of a block of 9 by 9 eroded and dilated by 3, a ring two pixels wide is not scored."""
    rows = ["." * 15] * 3 + ["..." + "a" * 9 + "..."] * 9 + ["." * 15] * 3
    case = MaskCase(bench.folder, edition="NC2017")
    grey = np.where(np.array([[cell == "a" for cell in row] for row in rows]), 0, 255)
    case.trial("p", *rows).answer("p", grey.astype(np.uint8))
    asked = MaskSettings(erode_px=3, dilate_px=3, distraction_px=0, rules=PLAN)
    row = case.score(asked).tables[0].records()[0]
    assert (int(row["PixelN"]), int(row["PixelBNS"])) == (15 * 15 - 72, 72)


def only_targets(bench: Bench) -> None:
    rows = bench.whole.score("manipulation", "--rules", "plan")
    assert rows["OptimumMCC"] == "1.0", "two probes without a mask are not scored"
