"""What a camera or event looks like, and under which condition it is asked for (MFC2019 plan)."""

from __future__ import annotations

from pathlib import Path

import pytest

import forensicviewer as fv
from forensicviewer.app.datasets.opening import open_task
from forensicviewer.core.model import Gallery, TrialId
from tests.build import write_table
from tests.plans.build import PlanDataset

CAMERA = "PAR_1234_primary_image"


def camera_dataset(folder: Path, *, camera: str = CAMERA, suffix: str = "jpg") -> PlanDataset:
    plan = PlanDataset.of(folder, "MFC2019")
    cells = {"ProbeFileID": "MFC2019_0001", "ProbeFileName": f"probe/MFC2019_0001.{suffix}"}
    sizes = {"ProbeWidth": "120", "ProbeHeight": "90", "ProbeFileSize": "512"}
    plan.add("cameraverification-index", **cells, **sizes, TrainCamID=camera)
    plan.add("cameraverification-ref", **cells, TrainCamID=camera, IsTarget="Y", IsManipulated="N")
    return plan


def gallery_of(root: Path, task: str) -> Gallery | None:
    return open_task(root, name=task)[1].trials[0].gallery


@pytest.mark.parametrize("place", ["", "training", "world"])
def test_training_data_of_a_camera_is_found_where_it_lies(place: str, tmp_path: Path) -> None:
    plan = camera_dataset(tmp_path)
    for name in ("_1.JPG", "_2.JPG"):
        path = "PAR_1234/Images/Primary"
        plan.add("traindata", TrainCamID=CAMERA, FilePath=path, FileName=name)
        (plan.root / place / path).mkdir(parents=True, exist_ok=True)
        (plan.root / place / path / name).touch()
    plan.add("traindata", TrainCamID="OTHER_primary_image", FilePath="x", FileName="y.jpg")

    found = gallery_of(plan.write(), "camera")

    start = f"{place}/" if place else ""
    assert found == Gallery(
        CAMERA,
        tuple(f"{start}PAR_1234/Images/Primary/{name}" for name in ("_1.JPG", "_2.JPG")),
        "indexes/MFC2019-camera-traindata.csv",
    )


def test_training_data_that_is_not_there_is_named_as_listed(tmp_path: Path) -> None:
    plan = camera_dataset(tmp_path)
    plan.add("traindata", TrainCamID=CAMERA, FilePath="a/b", FileName="c.jpg")

    found = gallery_of(plan.write(), "camera")

    assert found is not None
    assert found.files == ("a/b/c.jpg",)


@pytest.mark.parametrize(
    ("camera", "suffix", "condition"),
    [
        ("PAR_1_primary_image", "jpg", "image-image"),
        ("PAR_1_primary_video", "png", "video-image"),
        ("JK-LU-MIX_primary_multimedia", "tif", "multimedia-image"),
        ("PAR_1_secondary_video", "mp4", "video-video"),
        ("PAR_1_primary_multimedia", "mpg", "multimedia-video"),
        ("PAR_1", "jpg", ""),
    ],
)
def test_the_training_testing_condition_is_kept(
    camera: str, suffix: str, condition: str, tmp_path: Path
) -> None:
    root = camera_dataset(tmp_path, camera=camera, suffix=suffix).write()

    task = fv.open_dataset(root).task("camera")

    assert task.condition == condition


def event_dataset(folder: Path) -> PlanDataset:
    plan = PlanDataset.of(folder, "MFC2019")
    for number, is_target in (("1", "Y"), ("2", "N"), ("3", "Y")):
        cells = {"ProbeFileID": number, "ProbeFileName": f"probe/{number}.jpg"}
        event = {"EventName": "boston_marathon"}
        plan.add("eventverification-index", **cells, ProbeWidth="9", ProbeHeight="9", **event)
        plan.add("eventverification-ref", **cells, IsTarget=is_target, **event)
    return plan


def test_an_event_is_shown_by_the_probes_known_to_be_of_it(tmp_path: Path) -> None:
    found = gallery_of(event_dataset(tmp_path).write(), "event")

    assert found is not None
    assert found.files == ("probe/1.jpg", "probe/3.jpg")
    assert "IsTarget Y" in found.source


def test_a_folder_of_the_events_name_goes_before_its_probes(tmp_path: Path) -> None:
    plan = event_dataset(tmp_path)
    folder = plan.root / "world" / "boston_marathon"
    folder.mkdir(parents=True)
    (folder / "b.jpg").touch()
    (folder / "a.mp4").touch()

    found = gallery_of(plan.write(), "event")

    files = ("world/boston_marathon/a.mp4", "world/boston_marathon/b.jpg")
    assert found == Gallery("boston_marathon", files, "world/boston_marathon/")


def test_a_table_of_the_event_goes_before_a_folder(tmp_path: Path) -> None:
    root = event_dataset(tmp_path).write()
    columns = ["EventName", "FilePath", "FileName"]
    table = root / "indexes" / "MFC2019-event-traindata.csv"
    write_table(table, columns, [["boston_marathon", "world", "x.jpg"]])

    found = gallery_of(root, "event")

    assert found == Gallery("boston_marathon", ("world/x.jpg",), table.relative_to(root).as_posix())


@pytest.mark.parametrize("event", ["../../etc", "/etc"])
def test_an_event_whose_name_leads_outside_has_no_folder(event: str, tmp_path: Path) -> None:
    plan = PlanDataset.of(tmp_path, "MFC2019")
    cells = {"ProbeFileID": "1", "ProbeFileName": "probe/1.jpg", "EventName": event}
    plan.add("eventverification-index", **cells, ProbeWidth="9", ProbeHeight="9")

    assert gallery_of(plan.write(), "event") is None


def test_nc2016_names_a_control_image(tmp_path: Path) -> None:
    plan = PlanDataset.of(tmp_path, "NC2016")
    cells = {"ProbeFileID": "1", "ProbeFileName": plan.photo("probe/1.jpg")}
    plan.add("manipulation-index", **cells, ProbeWidth="120", ProbeHeight="90")
    control = plan.photo("world/2.jpg")
    plan.add("manipulation-ref", **cells, IsTarget="N", CorrespondingControlFileName=control)
    task = fv.open_dataset(plan.write()).task("manipulation")

    assert task.model.trials[0].control == control
    assert fv.load_trial(task, None, "1").control == plan.root / control


def test_files_of_a_gallery_are_paths_in_the_python_api(tmp_path: Path) -> None:
    plan = event_dataset(tmp_path)
    names = [plan.photo(f"probe/{number}.jpg") for number in (1, 2, 3)]
    task = fv.open_dataset(plan.write()).task("event")

    trial = fv.load_trial(task, None, TrialId("2+boston_marathon"))

    assert trial.gallery == (plan.root / names[0], plan.root / names[2])
    assert list(task.training) == list(task.pools) == []


def test_pools_list_the_images_of_each_probe(tmp_path: Path) -> None:
    plan = PlanDataset.of(tmp_path, "NC2017")
    cells = {"ProvenanceProbeFileID": "1", "ProvenanceProbeFileName": "world/1.jpg"}
    plan.add("provenance-index", **cells)
    plan.add("provenance-ref", **cells, JournalFileName="reference/a.json")
    root = plan.write()
    columns = ["ProvenanceProbeFileID", "WorldFileID", "WorldFileName"]
    write_table(root / "indexes/NC2017-provenance-pool.csv", columns, [["1", "2", "world/2.jpg"]])

    task = fv.open_dataset(root).task("provenance")

    assert task.pools.WorldFileName.tolist() == ["world/2.jpg"]
