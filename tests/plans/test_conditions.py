"""The training-testing condition of camera tasks (MFC2019, 2.1.6): listed, queried, partitioned."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from forensicviewer.app.datasets.opening import choose_task, open_dataset
from forensicviewer.app.results.columns import partition_columns
from forensicviewer.app.trials.library import Library
from forensicviewer.app.trials.trial_filter import TrialFilter
from forensicviewer.cli import main
from tests.plans.build import LEFT, PlanDataset, PlanSubmission

FACTOR = "TrainTestCondition"
CAMERAS = {"PAR_1234_primary_image": "image-image", "12368_primary_Multimedia": "multimedia-image"}
PARTITION = f"{FACTOR}==['image-image','multimedia-image']"
SIZE = {"ProbeWidth": "120", "ProbeHeight": "90"}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    plan = PlanDataset.of(tmp_path, "MFC2019")
    for number, camera in enumerate([*CAMERAS] * 2):
        probe = f"MFC2019_{number}"
        cells = {"TaskID": "CameraVerification", "ProbeFileID": probe, "TrainCamID": camera}
        cells["ProbeFileName"] = plan.photo(f"probe/{probe}.jpg")
        plan.add("cameraverification-index", **cells, **SIZE)
        is_target = number < 2
        facts = {"IsTarget": "Y" if is_target else "N", "IsManipulated": "Y" if is_target else "N"}
        if is_target:
            facts["JournalName"] = f"j{number}"
            mask = f"reference/cameraverification/mask/{probe}.jp2"
            facts["ProbeMaskFileName"] = plan.layers(mask, {1: LEFT})
            names = {"JournalName": f"j{number}", "StartNodeID": "a", "EndNodeID": "b"}
            start = "cameraverification-ref"
            plan.add(f"{start}-probejournaljoin", ProbeFileID=probe, **names, BitPlane="1")
            plan.add(f"{start}-journalmask", **names, Operation="PasteSplice", Purpose="add")
        plan.add("cameraverification-ref", **cells, **facts)
    return plan.write()


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    made = PlanSubmission.of(tmp_path, "MFC2019", "camera", "p-cam_1")
    for number, camera in enumerate([*CAMERAS] * 2):
        cells = {"ProbeFileID": f"MFC2019_{number}", "TrainCamID": camera}
        if number < 2:
            mask = made.found(f"mask/{number}.png", LEFT)
            cells["OutputProbeMaskFileName"] = mask
        score = "0.9" if number < 2 else "0.1"
        made.answer(**cells, ConfidenceScore=score, ProbeStatus="Processed")
    return made.write()


def test_it_is_a_column_and_a_facet_of_the_list(root: Path) -> None:
    task = choose_task(open_dataset(root), "camera")

    library = Library(task)

    assert list(task.table[FACTOR]) == [*CAMERAS.values()] * 2
    assert FACTOR in library.names
    (facet,) = [each for each in library.facets(TrialFilter()) if each.column == FACTOR]
    assert {cell: count for cell, count, _ in facet.cells} == dict.fromkeys(CAMERAS.values(), 2)
    assert (FACTOR, PARTITION) in [*partition_columns(task)]


@pytest.mark.parametrize("rules", ["mediscore", "plan"])
def test_detection_and_masks_are_divided_by_it(
    rules: str, root: Path, answers: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    options = ["--rules", rules, "--query-partition", PARTITION, "--out", str(out), "--quiet"]

    assert main(["score", "all", str(root), str(answers), *options]) == 0

    for kind, name in (("detection", "AUC"), ("mask", "OptimumMCC")):
        (table,) = [
            path
            for path in (out / kind).rglob("*.csv")
            if FACTOR in path.read_text("utf-8").splitlines()[0]
        ]
        with table.open(encoding="utf-8") as stream:
            rows = list(csv.DictReader(stream, delimiter="|"))
        assert {row[FACTOR].strip("'"): float(row[name]) for row in rows} == dict.fromkeys(
            CAMERAS.values(), 1.0
        )


def test_a_query_selects_by_it(
    root: Path, answers: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    query = f"{FACTOR}=='image-image'"

    code = main(
        ["score", "detection", str(root), str(answers), "--query", query, "--out", str(out)]
    )

    assert code == 0
    assert "trials           2 (targets 1, non-targets 1)" in capsys.readouterr().out
