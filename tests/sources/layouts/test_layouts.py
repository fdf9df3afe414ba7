from pathlib import Path

import pytest

from forensicviewer.core.model import Edition, TaskKind, TrialId
from forensicviewer.core.problem import DatasetError, Severity
from forensicviewer.sources.datasets import detect, read_dataset
from tests.build import write_table

_PROBE = ["TaskID", "ProbeFileID", "ProbeFileName", "ProbeWidth", "ProbeHeight"]
_PROVENANCE = [name.replace("Probe", "ProvenanceProbe") for name in _PROBE]
_STEP = ["JournalName", "StartNodeID", "EndNodeID"]

# The directory structure of MFC2019's plan, section 3.6, with the columns its text names.
MFC2019: dict[str, list[str]] = {
    "indexes/MFC2019-manipulation-image-index.csv": [*_PROBE, "HPDeviceID", "HPSensorID"],
    "indexes/MFC2019-manipulation-video-index.csv": [*_PROBE, "HPDeviceID", "HPSensorID"],
    "indexes/MFC2019-splice-index.csv": [*_PROBE, "DonorFileID", "DonorWidth"],
    "indexes/MFC2019-provenancefiltering-index.csv": _PROVENANCE,
    "indexes/MFC2019-provenance-index.csv": _PROVENANCE,
    "indexes/MFC2019-eventverification-index.csv": [*_PROBE, "EventName"],
    "indexes/MFC2019-cameraverification-index.csv": [*_PROBE, "TrainCamID"],
    "reference/manipulation-image/MFC2019-manipulation-image-ref.csv": [*_PROBE, "IsTarget"],
    "reference/manipulation-image/MFC2019-manipulation-image-ref-journalmask.csv": _STEP,
    "reference/manipulation-image/MFC2019-manipulation-image-ref-probejournaljoin.csv": [
        "ProbeFileID",
        *_STEP,
    ],
    "reference/manipulation-video/MFC2019-manipulation-video-ref.csv": [*_PROBE, "IsTarget"],
    "reference/manipulation-video/MFC2019-manipulation-video-ref-journalmask.csv": _STEP,
    "reference/manipulation-video/MFC2019-manipulation-video-ref-probejournaljoin.csv": [
        "ProbeFileID",
        *_STEP,
    ],
    "reference/splice/MFC2019-splice-ref.csv": [*_PROBE, "DonorFileID", "IsTarget"],
    "reference/splice/MFC2019-splice-ref-journalmask.csv": _STEP,
    # NIST's plan of 2017 misspells this very name.
    "reference/splice/MFC2019-splace-ref-probejournaljoin.csv": [
        "ProbeFileID",
        "DonorFileID",
        *_STEP,
    ],
    "reference/provenancefiltering/MFC2019-provenancefiltering-ref.csv": [
        *_PROVENANCE,
        "JournalFileName",
    ],
    "reference/provenancefiltering/MFC2019-provenancefiltering-ref-node.csv": [
        "ProvenanceProbeFileID",
        "WorldFileID",
    ],
    "reference/provenance/MFC2019-provenance-ref.csv": [*_PROVENANCE, "JournalFileName"],
    "reference/provenance/MFC2019-provenance-ref-node.csv": [
        "ProvenanceProbeFileID",
        "WorldFileID",
    ],
    "reference/eventverification/MFC2019-eventverification-ref.csv": [
        *_PROBE,
        "EventName",
        "IsTarget",
    ],
    "reference/cameraverification/MFC2019-cameraverification-ref.csv": [
        *_PROBE,
        "TrainCamID",
        "IsTarget",
    ],
    "reference/cameraverification/MFC2019-cameraverification-ref-journalmask.csv": _STEP,
    "reference/cameraverification/MFC2019-cameraverification-ref-probejournaljoin.csv": [
        "ProbeFileID",
        *_STEP,
    ],
}


def _write(root: Path, files: dict[str, list[str]]) -> Path:
    for name, columns in files.items():
        write_table(root / name, columns, [["7"] * len(columns)])
    return root


def test_the_plans_directory_has_all_its_tasks_with_all_their_tables(tmp_path: Path) -> None:
    dataset = read_dataset(_write(tmp_path / "MFC2019", MFC2019))

    assert dataset.edition is Edition.MFC2019
    assert {task.kind for task in dataset.tasks} == set(TaskKind) - {
        TaskKind.REMOVAL,
        TaskKind.GENAI,
        TaskKind.IMDL,
    }
    used = [name for task in dataset.tasks for name in task.files.values()]
    assert sorted(used) == sorted(MFC2019)
    assert all(task.has_reference for task in dataset.tasks)
    assert [task.name for task in dataset.tasks if ":" in task.name] == []


def test_each_provenance_task_has_its_own_nodes(tmp_path: Path) -> None:
    dataset = read_dataset(_write(tmp_path / "MFC2019", MFC2019))

    nodes = {task.kind: task.files["ref-node"] for task in dataset.tasks if task.nodes is not None}

    assert nodes == {
        kind: f"reference/{folder}/MFC2019-{folder}-ref-node.csv"
        for kind, folder in (
            (TaskKind.FILTERING, "provenancefiltering"),
            (TaskKind.PROVENANCE, "provenance"),
        )
    }


@pytest.mark.parametrize(
    ("columns", "cells", "kind", "edition"),
    [
        ([*_PROBE, "FrameCount"], {}, TaskKind.VIDEO, Edition.MFC2018),
        (_PROBE, {"ProbeFileName": "probe/a.mp4"}, TaskKind.VIDEO, Edition.UNKNOWN),
        (_PROBE, {"TaskID": "Removal"}, TaskKind.REMOVAL, Edition.UNKNOWN),
        ([*_PROBE, "DonorFileID", "DonorWidth"], {}, TaskKind.SPLICE, Edition.UNKNOWN),
        ([*_PROBE, "EventName"], {}, TaskKind.EVENT, Edition.MFC2018),
        ([*_PROBE, "TrainCamID"], {}, TaskKind.CAMERA, Edition.MFC2018),
        (_PROVENANCE, {}, TaskKind.PROVENANCE, Edition.UNKNOWN),
        ([*_PROBE, "HPSensorID"], {}, TaskKind.MANIPULATION, Edition.MFC2019),
        (
            ["TaskID", "FileID", "ImgFName", "ImgWidth", "ImgHeight"],
            {},
            TaskKind.MANIPULATION,
            Edition.NC2016,
        ),
    ],
)
def test_a_table_without_a_telling_name_is_known_by_its_columns(
    tmp_path: Path, columns: list[str], cells: dict[str, str], kind: TaskKind, edition: Edition
) -> None:
    write_table(tmp_path / "list.csv", columns, [[cells.get(name, "7") for name in columns]])

    task = read_dataset(tmp_path).tasks[0]

    assert task.kind is kind
    assert task.edition is edition
    assert len(task.trials) == 1


def test_a_table_without_a_telling_name_takes_the_task_of_its_folder(tmp_path: Path) -> None:
    write_table(tmp_path / "reference" / "removal" / "a.csv", [*_PROBE, "IsTarget"], [["7"] * 6])

    assert read_dataset(tmp_path).tasks[0].kind is TaskKind.REMOVAL


def test_an_index_and_a_reference_with_other_names_belong_together_when_alone(
    tmp_path: Path,
) -> None:
    write_table(tmp_path / "indexes" / "a-splice-index.csv", [*_PROBE, "DonorFileID"], [["7"] * 6])
    columns = [*_PROBE, "DonorFileID", "IsTarget"]
    write_table(tmp_path / "reference" / "splice" / "b-splice-ref.csv", columns, [["7"] * 7])

    (task,) = read_dataset(tmp_path).tasks

    assert task.index is not None
    assert task.reference is not None


def test_the_reference_is_joined_by_key_and_not_by_order(tmp_path: Path) -> None:
    index = [["m", name, f"probe/{name}.png", "4", "3"] for name in ("a", "b", "c")]
    write_table(tmp_path / "indexes" / "x-manipulation-index.csv", _PROBE, index)
    write_table(
        tmp_path / "reference" / "manipulation" / "x-manipulation-ref.csv",
        ["TaskID", "ProbeFileID", "IsTarget", "Face"],
        [["m", "c", "Y", "yes"], ["m", "a", "N", "no"], ["m", "z", "Y", "yes"]],
    )

    dataset = read_dataset(tmp_path)

    trials = dataset.tasks[0].trials
    assert [trials[row].is_target for row in range(3)] == [False, None, True]
    assert trials[2].facts["Face"] == "yes"
    assert [problem.rule for problem in dataset.problems] == [
        "trial.no-reference",
        "reference.extra-rows",
    ]


def test_bit_planes_are_found_in_either_file(tmp_path: Path) -> None:
    folder = tmp_path / "reference" / "manipulation"
    write_table(folder / "x-manipulation-ref.csv", ["ProbeFileID", "IsTarget"], [["p", "Y"]])
    write_table(
        folder / "x-manipulation-ref-probejournaljoin.csv",
        ["ProbeFileID", *_STEP, "BitPlane", "Sequence"],
        [
            ["p", "j", "a", "b", "11.0", "2"],
            ["p", "j", "b", "c", "", "1"],
            ["p", "q", "r", "s", "", ""],
        ],
    )
    write_table(
        folder / "x-manipulation-ref-journalmask.csv",
        [*_STEP, "Operation", "Color", "BitPlane"],
        [["j", "a", "b", "Blur", "0 10 255", "None"], ["j", "b", "c", "Paste", "", "3"]],
    )

    first, second, third = read_dataset(tmp_path).tasks[0].trials[0].operations

    assert (first.name, first.color, first.bit_plane, first.sequence) == (
        "Blur",
        (0, 10, 255),
        11,
        2,
    )
    assert (second.name, second.color, second.bit_plane) == ("Paste", None, 3)
    assert (third.name, third.bit_plane, third.sequence) == ("", None, None)


def test_trials_looked_at_are_kept_and_never_mixed_up(tmp_path: Path) -> None:
    rows = [["m", f"p{n}", f"probe/p{n}.png", "4", "3"] for n in range(200)]
    write_table(tmp_path / "x-index.csv", _PROBE, rows)

    trials = read_dataset(tmp_path).tasks[0].trials

    assert trials[7] is trials[7]
    assert [trials[row].id for row in range(200)] == [row[1] for row in rows]
    assert [trials[row].id for row in (199, 7, 0)] == ["p199", "p7", "p0"]


def test_trials_outside_the_table_are_no_trials(tmp_path: Path) -> None:
    write_table(tmp_path / "x-index.csv", _PROBE, [["m", "a", "probe/a.png", "4", "3"]])

    trials = read_dataset(tmp_path).tasks[0].trials

    assert trials.row_of(TrialId("a")) == 0
    assert trials.row_of(TrialId("b")) is None
    with pytest.raises(IndexError):
        trials[1]


def test_tables_named_alike_in_several_folders_keep_names_apart(tmp_path: Path) -> None:
    for folder in ("indexes", "reference/manipulation"):
        write_table(tmp_path / folder / "x-manipulation-index.csv", _PROBE, [["7"] * 5])

    assert [task.name for task in read_dataset(tmp_path).tasks] == [
        "manipulation:indexes/x-manipulation-index.csv",
        "manipulation:reference/manipulation/x-manipulation-index.csv",
    ]


def test_a_table_inside_a_dataset_knows_where_the_dataset_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = _write(tmp_path / "MFC2019", MFC2019)
    monkeypatch.chdir(root / "indexes")

    dataset = read_dataset(Path())

    assert dataset.root == root
    assert len(dataset.tasks) == 7
    assert not any(task.has_reference for task in dataset.tasks)


def test_nothing_is_detected_in_a_table_of_something_else(tmp_path: Path) -> None:
    write_table(tmp_path / "a.csv", ["Apples", "Pears"], [["1", "2"]])

    assert detect(tmp_path) is None
    assert detect(tmp_path / "a.csv") is None


@pytest.mark.parametrize(
    ("content", "hint"),
    [
        (b"", "it is empty"),
        (b"TaskID|FileName\nmanipulation|probe/p.png\n", "its columns are TaskID, FileName"),
        ("TaskID|ProbeFileID\n".encode("utf-16-le"), "it looks like UTF-16; save it as UTF-8"),
        (b"taskid|probefileid\n", "write column names as NIST does, for example ProbeFileID"),
    ],
    ids=["empty", "no id", "UTF-16 without mark", "small letters"],
)
def test_an_index_by_name_that_cannot_be_one_is_an_error(
    tmp_path: Path, content: bytes, hint: str
) -> None:
    reference = tmp_path / "reference" / "splice" / "NC2017-splice-ref.csv"
    write_table(reference, [*_PROBE, "DonorFileID", "IsTarget"], [["splice", *"pqrstu"]])
    (tmp_path / "indexes").mkdir()
    (tmp_path / "indexes" / "NC2017-splice-index.csv").write_bytes(content)

    dataset = read_dataset(tmp_path)

    (told,) = [problem for problem in dataset.problems if problem.rule == "table.unrecognised"]
    assert (told.severity, told.hint) == (Severity.ERROR, hint)


def test_a_broken_archive_is_refused_with_the_remedy(tmp_path: Path) -> None:
    archive = tmp_path / "data.tgz"
    archive.write_bytes(b"anything")

    with pytest.raises(DatasetError) as refused:
        read_dataset(archive)

    assert "pack it again" in refused.value.hint


def test_the_folder_of_indexes_is_called_after_its_dataset(tmp_path: Path) -> None:
    write_table(tmp_path / "D" / "indexes" / "NC2017-manipulation-index.csv", _PROBE, [["x"] * 5])
    (tmp_path / "D" / "probe").mkdir()

    assert read_dataset(tmp_path / "D" / "indexes").name == "D"
