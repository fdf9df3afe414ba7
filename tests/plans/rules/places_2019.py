"""Cameras, events, names and tables of MFC2019's plan that single rules are shown on."""

from __future__ import annotations

import json

from forensicviewer.app.datasets.opening import choose_task, open_dataset, open_submission
from forensicviewer.app.workbench.state import Layer, Pane
from forensicviewer.cli import main
from forensicviewer.ui.score.operations import OperationsPanel
from tests.plans.build import LEFT, RIGHT, PlanDataset, PlanSubmission
from tests.plans.datasets import (
    PASTE,
    SIZE,
    add_images,
    add_splices,
    image_answers,
    splice_answers,
)
from tests.plans.rules.checks import Bench, Check
from tests.plans.rules.images_2019 import YEAR, grey, headline, mask_row, rows_of, score
from tests.plans.submissions import describe
from tests.plans.verification import CAMERAS, add_cameras, add_events, camera_answers, event_answers

# --- cameras and events -------------------------------------------------------------------------


def trials_of(kind: str, *expected: str) -> Check:
    def check(bench: Bench) -> None:
        assert [str(one) for one in bench.whole.task(kind).trials.ids()][:2] == [*expected]

    return check


def event_collection(bench: Bench) -> None:
    """A collection of the event stands beside the probe."""
    plan = add_events(PlanDataset.of(bench.folder, YEAR))
    plan.photo("training/boston_marathon/a.jpg")
    root = plan.write()
    window = bench.window(root, event_answers(bench.folder).write())
    state = window.desk.workbench.state
    assert state.arrangement.panes[-1] == Pane(Layer.EXAMPLE)
    gallery = choose_task(open_dataset(root), "event").trials[0].gallery
    assert gallery is not None
    assert (gallery.name, gallery.files) == ("boston_marathon", ("training/boston_marathon/a.jpg",))


def camera_gallery(bench: Bench) -> None:
    root = add_cameras(PlanDataset.of(bench.folder, YEAR)).write()
    window = bench.window(root, camera_answers(bench.folder).write())
    state = window.desk.workbench.state
    assert state.arrangement.panes[-1] == Pane(Layer.EXAMPLE)
    gallery = choose_task(open_dataset(root), "camera").trials[0].gallery
    assert gallery is not None
    assert gallery.files == ("training/PAR/Images/Primary/No_Lens_50/_5648753.JPG",)


def conditions(bench: Bench) -> None:
    """Five of six combinations: the word at the end of the camera and the kind of the probe."""
    for camera, probe, said in (
        ("PAR_1_primary_image", "p.png", "image-image"),
        ("PAR_1_primary_video", "p.png", "video-image"),
        ("JK-LU-MIX_primary_multimedia", "p.png", "multimedia-image"),
        ("PAR_1_primary_video", "p.mpg", "video-video"),
        ("12368_primary_multimedia", "p.mpg", "multimedia-video"),
    ):
        plan = PlanDataset.of(bench.folder / said, YEAR)
        cells = {"ProbeFileID": "MFC2019_6917", "ProbeFileName": f"probe/{probe}"}
        named = {"ProbeFileSize": "512", "TrainCamID": camera}
        plan.add("cameraverification-index", TaskID="CameraVerification", **cells, **SIZE, **named)
        root = plan.write()
        assert f"training-testing {said}" in bench.said("info", root)


def index_of_each_condition(bench: Bench) -> None:
    """Two indexes are two tasks, each with its own trials and condition."""
    root = add_cameras(PlanDataset.of(bench.folder, YEAR)).write()
    index = root / "indexes" / f"{YEAR}-cameraverification-index.csv"
    lines = index.read_text("utf-8").splitlines()
    index.unlink()
    for name, camera in (("image", CAMERAS[0]), ("video", CAMERAS[1])):
        rows = [line for line in lines[1:] if line.endswith(camera)]
        text = "\n".join([lines[0], *rows]).replace(camera, camera.replace("image", name))
        place = root / "indexes" / f"{YEAR}-cameraverification-{name}-image-index.csv"
        place.write_text(text + "\n", "utf-8")
    tasks = [task for task in open_dataset(root).tasks if task.kind.value == "camera"]
    assert [(str(task.condition), len(task.trials)) for task in tasks] == [
        ("image-image", 4),
        ("video-image", 4),
    ]


def camera_names(bench: Bench) -> None:
    """3.5.5 calls the tables camera-ref, 3.6 cameraverification-ref: either is read."""
    root = add_cameras(PlanDataset.of(bench.folder, YEAR)).write()
    for path in [*(root / "reference").rglob("*cameraverification*.csv")]:
        path.rename(path.with_name(path.name.replace("cameraverification", "camera")))
    found = headline(score(bench, "all", root, camera_answers(bench.folder).write()))
    assert (found["detection AUC"], found["mask OptimumMCC"]) == ("1.0", "1.0")


def jpeg_masks_of_cameras(bench: Bench) -> None:
    root = add_cameras(PlanDataset.of(bench.folder, YEAR), masks="jpg").write()
    found = headline(score(bench, "all", root, camera_answers(bench.folder).write()))
    assert found["mask OptimumMCC"] == "1.0"


# --- names, folders, tables ---------------------------------------------------------------------


def condition_in_a_name(bench: Bench) -> None:
    """2.3: where the optional part of a name is a condition, it is said."""
    for condition in ("ImgOnly", "ImgMeta", "VidOnly", "VidMeta"):
        answers = PlanSubmission.of(bench.folder, YEAR, "event", f"p-c_1_{condition}")
        answers.rows += event_answers(bench.folder / condition).rows
        said = bench.said("info", bench.whole.dataset.root, answers.write())
        assert f"condition {condition}" in said


def independent(bench: Bench) -> None:
    """2.4: what is scored of a probe does not depend on others."""
    alone = mask_row(bench, PASTE, found=grey((LEFT, 30), (RIGHT, 90)))
    own = bench.folder / "many"
    answers = image_answers(own, YEAR)
    answers.mask(answers.rows[1]["OutputProbeMaskFileName"], grey((LEFT, 30), (RIGHT, 90)))
    root = add_images(PlanDataset.of(own, YEAR)).write()
    options = ("--rules", "plan", "--erode", "0", "--dilate", "0")
    rows = rows_of(
        score(bench, "mask", root, answers.write(), *options) / "mask_scores_perimage.csv"
    )
    for name in ("OptimumMCC", "OptimumNMM", "GWL1", "PixelN"):
        assert rows[1][name] == alone[name]


def many_probes(bench: Bench) -> None:
    plan = PlanDataset.of(bench.folder, YEAR)
    for number in range(50_000):
        cells = {"ProbeFileID": f"p{number}", "ProbeFileName": f"probe/p{number}.jpg"}
        plan.add("manipulation-image-index", TaskID="Manipulation", **cells, **SIZE)
    assert len(choose_task(open_dataset(plan.write()), "manipulation").trials) == 50_000


def package(bench: Bench) -> None:
    """<SubID>/<SubID>.txt, .csv and mask, as A-b prints it for p-baseline_3_splice."""
    root = add_splices(PlanDataset.of(bench.folder, YEAR)).write()
    answers = splice_answers(bench.folder, YEAR)
    answers.root.rename(answers.root.with_name("p-baseline_3_splice"))
    answers.name = "p-baseline_3_splice"
    describe(answers)
    sub = answers.write()
    assert sorted(path.name for path in sub.iterdir()) == [
        *("mask", "p-baseline_3_splice.csv", "p-baseline_3_splice.txt"),
    ]
    assert "accepted" in bench.said("validate", root, sub, "--rules", "plan", "--strict")
    assert open_submission(sub).identity["version"] == "3"


def table_elsewhere(bench: Bench) -> None:
    """A table that is not called like its folder is no output of the plan."""
    root = add_events(PlanDataset.of(bench.folder, YEAR)).write()
    answers = event_answers(bench.folder)
    describe(answers)
    sub = answers.write()
    (sub / f"{answers.name}.csv").rename(sub / "results.csv")
    words = ["validate", str(root), str(sub), "--rules", "plan", "--json"]
    assert main(words) == 1
    found = json.loads(bench.capsys.readouterr().out)["findings"]
    assert [each["rule"] for each in found if each["severity"] == "error"]


def operation_details(bench: Bench) -> None:
    """What the journal tells of an operation stands in the window."""
    plan = add_images(PlanDataset.of(bench.folder, YEAR))
    told = {
        "OperationArgument": "natural object",
        "AutoDesignName": "LaunderingFacebook_Option_1",
        "PlugInName": "GaussianLocalBlur",
        "PlugInArguments": "kernelsize 9",
        "SubCategory": "GAN",
    }
    plan.rows["manipulation-image-ref-journalmask"][0] |= told
    root, sub = plan.write(), image_answers(bench.folder, YEAR).write()
    window = bench.window(root, sub)
    panel = window.docks.panel("operations")
    assert isinstance(panel, OperationsPanel)
    panel.tree.setCurrentItem(panel.tree.rows()[0])
    said = set(panel.details.text().splitlines())
    assert said == {f"{name}: {value}" for name, value in told.items()}
    for name, value in told.items():
        query = ("--query-manipulation", f"{name}=='{value}'")
        found = headline(score(bench, "detection", root, sub, *query))
        assert found["trials"].startswith("3" if name != "OperationArgument" else "4"), name
