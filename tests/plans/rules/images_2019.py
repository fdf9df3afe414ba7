"""Images of MFC2019's plan that single rules are shown on: probes, splices, cameras, events."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from forensicviewer.app.workbench.state import Layer, Pane
from forensicviewer.cli import main
from forensicviewer.core.array import BoolImage, U8Image
from forensicviewer.sources.media.jpeg2000 import write_components
from forensicviewer.ui.results.dialog import ResultsDialog
from forensicviewer.ui.score.operations import OperationsPanel
from forensicviewer.ui.widgets.table_copy import table_of
from tests.plans.build import HEIGHT, LEFT, NOWHERE, RIGHT, WIDTH, PlanDataset, PlanSubmission
from tests.plans.datasets import (
    FILL,
    PASTE,
    SIZE,
    Step,
    add_images,
    add_journal,
    add_splices,
    area_of,
    image_answers,
    splice_answers,
)
from tests.plans.rules.checks import Bench, Check, detection

YEAR = "MFC2019"
PROBE = f"{YEAR}_0001"
PASTE_ONLY = ("--query-manipulation", "Operation=='PasteSplice'")
PIXELS = WIDTH * HEIGHT


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8") as stream:
        return list(csv.DictReader(stream, delimiter="|"))


def headline(out: Path) -> dict[str, str]:
    found: dict[str, str] = json.loads((out / "summary.json").read_text("utf-8"))["headline"]
    return found


def score(bench: Bench, scorer: str, root: Path, sub: Path, *options: str) -> Path:
    """The folder a scorer writes; it may end with problems, never with an error."""
    out = bench.folder / f"out{len([*bench.folder.glob('out*')])}"
    words = ["score", scorer, str(root), str(sub), *options, "--out", str(out), "--quiet"]
    code = main(words)
    assert code in (0, 1), bench.capsys.readouterr().err
    return out


def grey(*areas: tuple[BoolImage, int]) -> U8Image:
    """A system mask: white, and each area in its level."""
    levels = np.full((HEIGHT, WIDTH), 255, np.uint8)
    for area, level in areas:
        levels[area] = level
    return levels


def one_probe(
    bench: Bench, *steps: Step, found: U8Image | None = None, **cells: str
) -> tuple[Path, Path]:
    """A manipulated probe with these operations, and one that is not; an answer to each."""
    plan = PlanDataset.of(bench.folder, YEAR)
    task = "manipulation-image"
    answers = PlanSubmission.of(bench.folder, YEAR, "manipulation", "p-x_1")
    for number, done in (("0001", steps), ("0002", ())):
        probe = f"{YEAR}_{number}"
        names = {"ProbeFileID": probe, "ProbeFileName": plan.photo(f"probe/{probe}.jpg")}
        plan.add(f"{task}-index", TaskID="Manipulation", **names, **SIZE)
        facts = {"IsTarget": "Y" if done else "N"}
        if done:
            facts["JournalName"] = f"j{number}"
            mask = f"reference/{task}/mask/{probe}.jp2"
            facts["ProbeMaskFileName"] = plan.layers(
                mask, {step.plane: step.area for step in done}, components=3
            )
        plan.add(f"{task}-ref", TaskID="manipulation", **names, **facts)
        add_journal(plan, task, probe, f"j{number}", done)
        answer = {"ConfidenceScore": "0.9" if done else "0.1", "ProbeStatus": "Processed"}
        if done and found is not None:
            answer["OutputProbeMaskFileName"] = answers.mask(f"mask/{probe}.png", found)
        answers.answer(ProbeFileID=probe, **answer | (cells if done else {}))
    return plan.write(), answers.write()


def mask_row(
    bench: Bench, *steps: Step, found: U8Image | None, options: tuple[str, ...] = (), **cells: str
) -> dict[str, str]:
    """What ``score mask --rules plan`` writes of the one probe, without a boundary zone."""
    asked = ("--rules", "plan", "--erode", "0", "--dilate", "0", *options)
    out = score(bench, "mask", *one_probe(bench, *steps, found=found, **cells), *asked)
    (row,) = rows_of(out / "mask_scores_perimage.csv")
    return row


# --- masks of images ----------------------------------------------------------------------------


def each_plane_is_one(bench: Bench) -> None:
    """Planes of any component: selecting one operation leaves the pixels of the other out."""
    far = Step("Blur", "blur", "1 2 3", 18, RIGHT)
    row = mask_row(
        *(bench, PASTE, far),
        found=grey((LEFT, 0)),
        options=(*PASTE_ONLY, "--distraction", "0"),
    )
    assert (row["OptimumMCC"], int(row["PixelSNS"])) == ("1.0", int(RIGHT.sum()))
    assert int(row["PixelN"]) == PIXELS - int(RIGHT.sum())


def plane_formula(bench: Bench) -> None:
    """Bit BP - 1 of the pixel: with BP 2 alone named, what only bit 0 marks is not manipulated."""
    root, sub = one_probe(bench, FILL, found=grey((RIGHT, 0)))
    planes = np.zeros((HEIGHT, WIDTH, 1), np.uint8)
    planes[LEFT] = 1
    planes[RIGHT] = 2
    (mask,) = root.rglob("*.jp2")
    mask.unlink()
    write_components(mask, planes)
    out = score(bench, "mask", root, sub, "--rules", "plan", "--erode", "0", "--dilate", "0")
    (row,) = rows_of(out / "mask_scores_perimage.csv")
    assert (row["OptimumMCC"], int(row["OptimumPixelTP"])) == ("1.0", int(RIGHT.sum()))


def all_white(bench: Bench) -> None:
    """Nothing to localize: a mask of white pixels is not scored, whatever planes are named."""
    for named in ("1", ""):
        own = bench.folder / f"plane{named}"
        plan = PlanDataset.of(own, YEAR)
        add_images(plan)
        for cells in plan.rows["manipulation-image-ref-probejournaljoin"]:
            cells["BitPlane"] = named
        root = plan.write()
        for mask in root.rglob("*.jp2"):
            mask.unlink()
            write_components(mask, np.full((HEIGHT, WIDTH, 1), 255, np.uint8))
        out = score(bench, "mask", root, image_answers(own, YEAR).write(), "--rules", "plan")
        rows = rows_of(out / "mask_scores_perimage.csv")
        assert {row["OptimumMCC"] for row in rows} <= {""}, named


def jp2_is_seen(bench: Bench) -> None:
    """The window draws the reference and has the score of the scorer."""
    root, sub = one_probe(bench, PASTE, FILL, found=grey((LEFT, 0), (RIGHT, 0)))
    window = bench.window(root, sub)
    loaded = window.desk.workbench.state.loaded
    assert loaded is not None
    sweep = loaded.probe.systems[0].sweep
    assert sweep is not None
    assert sweep.optimum is not None
    assert float(sweep.mcc[sweep.optimum]) == 1.0
    assert Pane(Layer.REFERENCE) in window.desk.workbench.state.arrangement.panes
    panel = window.docks.panel("operations")
    assert isinstance(panel, OperationsPanel)
    assert [row.text(0) for row in panel.tree.rows()] == ["PasteSplice", "FillContentAwareFill"]


def optimum_of_the_run(bench: Bench) -> None:
    """The results page of the window has the average that ``score`` writes."""
    half = grey((LEFT, 0), (RIGHT, 255))
    root, sub = one_probe(bench, PASTE, FILL, found=half)
    written = rows_of(score(bench, "mask", root, sub) / "mask_score.csv")[0]
    window = bench.window(root, sub)
    window.commands.run("trial.results")
    (dialog,) = window.findChildren(ResultsDialog)
    copied = table_of(dialog.page(0).whole).splitlines()
    shown = {row["Measure"]: row for row in csv.DictReader(copied, delimiter="\t")}
    assert 0 < float(written["OptimumMCC"]) < 1
    assert shown["OptimumMCC"]["All trials"] == written["OptimumMCC"]
    dialog.close()


def dilated_by_11(bench: Bench) -> None:
    """A kernel of 11 adds five pixels on every side of what is not selected."""
    row = mask_row(bench, PASTE, FILL, found=grey((LEFT, 0)), options=PASTE_ONLY)
    height, width = np.ptp(np.argwhere(RIGHT), axis=0) + 1
    assert int(row["PixelSNS"]) == (height + 10) * (width + 10)
    assert row["OptimumMCC"] == "1.0"


def table_1(bench: Bench) -> None:
    """All four lines of the table, for detection and for masks, with and without a query."""
    plan = add_images(PlanDataset.of(bench.folder, YEAR))
    sub = image_answers(bench.folder, YEAR).write()
    root = plan.write()
    expected = {
        (): ("4 (targets 2, non-targets 2)", ["0001", "0002"]),
        PASTE_ONLY: ("4 (targets 2, non-targets 2)", ["0001", "0002"]),
        ("--query-manipulation", "Purpose=='remove'"): (
            *("3 (targets 1, non-targets 2)", ["0001"]),
        ),
    }
    for query, (trials, masks) in expected.items():
        out = score(bench, "all", root, sub, "--rules", "plan", *query)
        assert headline(out)["detection trials"] == trials
        (table,) = (out / "mask").glob("*perimage*.csv")
        scored = [row["ProbeFileID"][-4:] for row in rows_of(table) if row["OptimumMCC"]]
        assert scored == masks


def boundary(bench: Bench) -> None:
    """GT is the erosion, NotGT what lies outside the dilation, the rest is not scored."""
    options = ("--erode", "5", "--dilate", "7")
    out = score(
        bench, "mask", *one_probe(bench, PASTE, found=grey((LEFT, 0))), "--rules", "plan", *options
    )
    (row,) = rows_of(out / "mask_scores_perimage.csv")
    inner, outer = (40 - 4) ** 2, (40 + 6) ** 2
    assert int(row["OptimumPixelTP"]) == inner
    assert int(row["OptimumPixelTN"]) == PIXELS - outer
    assert int(row["PixelBNS"]) == outer - inner


def opt_out_pixels(bench: Bench) -> None:
    """Pixels of the value that the answer names are not scored."""
    wrong = grey((LEFT, 0), (RIGHT, 152))
    told = mask_row(bench, PASTE, found=wrong, ProbeOptOutPixelValue="152")
    assert int(told["PixelN"]) == PIXELS - int(RIGHT.sum())
    assert int(told["PixelPNS"]) == int(RIGHT.sum())
    assert float(told["GWL1"]) == 0


def opt_out_pixels_of_donors(bench: Bench) -> None:
    root = add_splices(PlanDataset.of(bench.folder, YEAR)).write()
    answers = splice_answers(bench.folder, YEAR)
    for cells in answers.rows[:2]:
        cells |= {"ProbeOptOutPixelValue": "", "DonorOptOutPixelValue": "255"}
    out = score(bench, "mask", root, answers.write(), "--rules", "plan", "--scored-only")
    rows = rows_of(out / "mask_scores_perimage.csv")
    assert all(int(row["dPixelPNS"]) > 0 == int(row["pPixelPNS"]) for row in rows)


def thresholds(bench: Bench) -> None:
    """Actual by the system's threshold, Maximum by one for all masks, Optimum by each mask's own.

    Two probes: one is right up to 50 and wrong from 100 on, the other right only from 150 on.
    """
    plan = PlanDataset.of(bench.folder, YEAR)
    add_images(plan)
    answers = image_answers(bench.folder, YEAR)
    first, second = answers.rows[:2]
    answers.mask(first["OutputProbeMaskFileName"], grey((~(LEFT | RIGHT), 100), (LEFT | RIGHT, 50)))
    answers.mask(second["OutputProbeMaskFileName"], grey((LEFT, 150)))
    options = ("--rules", "plan", "--threshold", "60")
    out = score(bench, "mask", plan.write(), answers.write(), *options)
    (row,) = rows_of(out / "mask_score.csv")
    assert float(row["OptimumMCC"]) == 1
    assert float(row["ActualMCC"]) == 0.5, "the second mask has nothing up to 60"
    assert float(row["MaximumMCC"]) == 0.5, "no single threshold suits both"


def maximum_by_metric(bench: Bench) -> None:
    """The one threshold is found for NMM on its own: MCC prefers another."""
    area = area_of((PASTE,))
    beside = np.zeros_like(area)
    beside[60:64, 10:50] = True
    levels = grey((area, 120), (beside, 60))
    row = mask_row(bench, PASTE, found=levels, options=("--threshold", "60"))
    assert float(row["MaximumMCC"]) == pytest.approx(float(row["OptimumMCC"]))
    options = ("--rules", "plan", "--rule", "mask-grey-nmm=thresholded")
    out = score(bench, "mask", *one_probe(bench, PASTE, found=levels), *options)
    (found,) = rows_of(out / "mask_score.csv")
    assert float(found["MaximumNMM"]) == pytest.approx(float(found["OptimumNMM"]))


def nmm_of_everything(bench: Bench) -> None:
    """6.2.2: everything called manipulated depends on how large NotGT is beside GT."""
    black = np.zeros((HEIGHT, WIDTH), np.uint8)
    for share, expected in ((0.75, 2 / 3), (0.5, 0.0), (0.4, -0.5), (0.25, -1.0)):
        area = NOWHERE.copy()
        area[:, : round(WIDTH * share)] = True
        own = Bench(bench.whole, bench.folder / str(share), bench.capsys)
        own.folder.mkdir()
        row = mask_row(own, Step("Fill", "fill", "9 9 9", 1, area), found=black)
        assert float(row["OptimumNMM"]) == pytest.approx(expected), share


def table_2(bench: Bench) -> None:
    """Not manipulated: no score, mask or not. Manipulated: a score, and -1 without a mask."""
    plan = add_images(PlanDataset.of(bench.folder, YEAR))
    answers = image_answers(bench.folder, YEAR)
    answers.rows[1]["OutputProbeMaskFileName"] = ""
    answers.rows[2]["OutputProbeMaskFileName"] = answers.found("mask/extra.png", LEFT)
    out = score(bench, "mask", plan.write(), answers.write(), "--rules", "plan")
    rows = rows_of(out / "mask_scores_perimage.csv")
    assert {row["ProbeFileID"][-4:]: row["OptimumNMM"] for row in rows} == {
        "0001": "1.0",
        "0002": "-1.0",
    }


# --- statuses -----------------------------------------------------------------------------------

STATUSES = {
    "OptOutDetection": "0",
    "FailedValidation": "0.99",
    "OptOutAll": "0",
    "NonProcessed": "0",
    "OptOutLocalization": "0.2",
    "Processed": "0.1",
}


def statuses(bench: Bench) -> tuple[Path, Path]:
    """Six probes, one of each status; the first, third and fifth are targets."""
    root, _ = detection(bench, {number / 10: number % 2 == 0 for number in range(6)})
    answers = PlanSubmission.of(bench.folder / "s", YEAR, "manipulation", "p-s_1")
    for number, (status, value) in enumerate(STATUSES.items()):
        answers.answer(ProbeFileID=f"{YEAR}_{number}", ConfidenceScore=value, ProbeStatus=status)
    return root, answers.write()


def over_all(bench: Bench) -> None:
    found = headline(score(bench, "detection", *statuses(bench), "--rules", "plan"))
    assert found["trials"] == "6 (targets 3, non-targets 3)"


def over_processed(bench: Bench) -> None:
    """Detection was provided for two of six: the opted-out localization and the processed one."""
    found = headline(score(bench, "detection", *statuses(bench), "--rules", "plan", "--opt-out"))
    assert found["trials"] == "2 (targets 1, non-targets 1)"
    assert found["TRR"].startswith("0.33")
    assert found["AUC"] == "1.0"


def failed_is_zero(bench: Bench) -> None:
    """A score of 0.99 that failed validation counts as 0: no false alarm before the others."""
    root, _ = detection(bench, {0.1: True, 0.2: False, 0.3: False})
    answers = PlanSubmission.of(bench.folder / "f", YEAR, "manipulation", "p-f_1")
    told = (("0.5", "Processed"), ("0.99", "FailedValidation"), ("0.1", "Processed"))
    for number, (value, status) in enumerate(told):
        answers.answer(ProbeFileID=f"{YEAR}_{number}", ConfidenceScore=value, ProbeStatus=status)
    sub = answers.write()
    assert headline(score(bench, "detection", root, sub, "--rules", "plan"))["AUC"] == "1.0"
    assert headline(score(bench, "detection", root, sub))["AUC"] == "0.5"


def localization_opted_out(bench: Bench) -> None:
    """Detection counts, the mask does not; and the other way round."""
    for status, trials, masks in (("OptOutLocalization", 4, 1), ("OptOutDetection", 3, 2)):
        own = bench.folder / status
        root = add_images(PlanDataset.of(own, YEAR)).write()
        answers = image_answers(own, YEAR)
        answers.rows[0] |= {"ProbeStatus": status}
        if status == "OptOutDetection":
            answers.rows[0]["ConfidenceScore"] = "0"
        out = score(bench, "all", root, answers.write(), "--rules", "plan", "--opt-out")
        found = headline(out)
        assert found["detection trials"].startswith(str(trials)), status
        rows = rows_of(out / "mask" / "mask_scores_perimage.csv")
        assert len([row for row in rows if row["OptimumMCC"]]) == masks, status


def donor_statuses(bench: Bench) -> None:
    """A donor that was opted out of has no score under --opt-out; its probe has."""
    root = add_splices(PlanDataset.of(bench.folder, YEAR)).write()
    answers = splice_answers(bench.folder, YEAR)
    answers.rows[0]["DonorStatus"] = "OptOutLocalization"
    out = score(bench, "mask", root, answers.write(), "--rules", "plan", "--opt-out")
    rows = rows_of(out / "mask_scores_perimage.csv")
    assert [bool(row["pOptimumMCC"]) for row in rows] == [True, True]
    assert [bool(row["dOptimumMCC"]) for row in rows] == [False, True]


# --- detection ----------------------------------------------------------------------------------


def five_percent(*options: str, rate: str) -> Check:
    """20 non-targets: one false alarm is 5 %, two are 10 %."""

    def check(bench: Bench) -> None:
        scores: dict[float, bool] = {0.9: True, 0.5: False, 0.3: True, 0.25: False, 0.2: True}
        scores |= {number / 1000: False for number in range(1, 19)}
        found = headline(
            score(bench, "detection", *detection(bench, {**scores, 0.0: True}), *options)
        )
        assert found[f"CDR at FAR {rate} %"] == {"5": "0.5", "10": "0.75"}[rate]

    return check


def by_device(bench: Bench) -> None:
    """Devices and sensors of the index select trials."""
    plan = add_images(PlanDataset.of(bench.folder, YEAR))
    plan.rows["manipulation-image-index"][0] |= {"HPDeviceID": "JK", "HPSensorID": "JK_primary"}
    root, sub = plan.write(), image_answers(bench.folder, YEAR).write()
    for option in ("--query", "--query-partition"):
        query = "HPSensorID==['PAR9082_secondary']"
        out = score(bench, "all", root, sub, option, query)
        (row,) = rows_of(out / "detection" / "more_metrics.csv")
        assert (row["TARGETS"], row["NONTARGETS"]) == ("1", "2")
        (table,) = [
            path for path in (out / "mask").glob("*.csv") if "HPSensorID" in path.read_text("utf-8")
        ]
        assert float(rows_of(table)[0]["OptimumMCC"]) == 1


def random_guessing(bench: Bench) -> None:
    """6.1.2: 0.5 for guessing, 1 for a perfect system, 0 for its opposite."""
    cases: dict[str, Mapping[float, bool]] = {
        "0.5": {0.9: True, 0.8: False, 0.2: False, 0.1: True},
        "1.0": {0.9: True, 0.1: False},
        "0.0": {0.9: False, 0.1: True},
    }
    for auc, scores in cases.items():
        own = Bench(bench.whole, bench.folder / auc, bench.capsys)
        own.folder.mkdir()
        found = headline(score(own, "detection", *detection(own, scores)))
        assert found["AUC"] == auc


def roc_in_the_window(bench: Bench) -> None:
    """The panel has the area that the command prints, at the stop of the plan."""
    scores = {0.9: True, 0.6: False, 0.4: True, 0.1: False}
    window = bench.window(*detection(bench, scores))
    window.commands.run("panel.detection")
    panel = window.docks.panel("detection")
    assert panel is not None
    from PySide6.QtWidgets import QLabel  # the window loads Qt only where a check needs it

    said = " ".join(label.text() for label in panel.findChildren(QLabel))
    assert "0.75" in said
