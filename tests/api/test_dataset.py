"""Datasets, tasks and submissions of the Python API."""

from __future__ import annotations

import shutil
from pathlib import Path

import pandas as pd
import pytest

import forensicviewer as fv
from tests.build import Built, a_dataset, blurred, box
from tests.provenance_build import a_provenance_dataset


@pytest.fixture
def built(tmp_path: Path) -> Built:
    return (
        a_dataset(tmp_path)
        .nist("NC2017")
        .with_trial("007", manipulated={"Paste": box(1, 1, 9, 9), "Blur": box(20, 20, 30, 30)})
        .with_trial("008", facts={"Age": "12", "IsNew": "True", "Length": "2.5", "Word": "NA"})
        .with_answer("007", blurred(), confidence="0.1")
        .write()
    )


def test_a_dataset_lists_its_tasks_and_what_is_wrong(built: Built) -> None:
    (built.root / "probe" / "007.png").unlink()
    index = built.table("-index.csv")
    index.write_text(index.read_text(encoding="utf-8") + "manipulation|009\n", encoding="utf-8")

    dataset = fv.open_dataset(str(built.root))

    assert repr(dataset) == "<Dataset NC2017: manipulation>"
    assert [repr(task) for task in dataset.tasks] == ["<Task manipulation of NC2017: 3 trials>"]
    assert list(dataset.problems)[:4] == ["severity", "message", "where", "hint"]
    assert "index.csv:4" in dataset.problems["where"].tolist()[0]
    assert dataset.task() is dataset.task("manipulation") is dataset.tasks[0]


def test_trials_are_a_table_of_all_columns_of_index_and_reference(built: Built) -> None:
    trials = fv.open_dataset(built.root).task().trials

    assert trials.ProbeFileID.tolist() == ["007", "008"]  # an id is text, also one made of digits
    assert trials.ProbeWidth.tolist() == [64, 64]
    assert str(trials.ProbeWidth.dtype) == "int64"
    assert trials.IsTarget.tolist() == ["Y", "N"]
    assert trials.ProbeMaskFileName.isna().tolist() == [False, True]
    assert trials.Age.isna().tolist() == [True, False]
    assert (trials.Age[1], trials.Length[1], trials.IsNew[1]) == (12, 2.5, True)


def test_a_table_is_typed_as_pandas_types_its_file(built: Built) -> None:
    trials = fv.open_dataset(built.root).task().trials

    file = pd.read_csv(built.table("-ref.csv"), sep="|", dtype={"ProbeFileID": str})

    pd.testing.assert_frame_equal(trials[list(file)], file)


def test_operations_are_a_table_to_merge_with(built: Built) -> None:
    task = fv.open_dataset(built.root).task()

    merged = task.trials.merge(task.operations, on=["ProbeFileID", "JournalName"])

    assert merged.Operation.tolist() == ["Paste", "Blur"]
    assert merged.Sequence.tolist() == [1, 2]


def test_a_task_without_journals_has_no_operations(tmp_path: Path) -> None:
    dataset, _ = a_provenance_dataset(tmp_path).with_probe("b", links=[("a", "b")]).write()

    assert fv.open_dataset(dataset).task("provenance").operations.empty


def test_a_submission_opens_as_folder_table_or_archive(built: Built, tmp_path: Path) -> None:
    task = fv.open_dataset(built.root).task()
    name = built.submission.name
    archive = shutil.make_archive(str(tmp_path / name), "gztar", built.submission)

    opened = [
        task.open_submission(path)
        for path in (built.submission, built.submission / f"{name}.csv", archive)
    ]

    assert [len(submission) for submission in opened] == [1, 1, 1]
    assert repr(opened[0]) == f"<Submission {name}: 1 answers>"
    assert opened[2].path == Path(archive)
    assert opened[0].answers.ConfidenceScore.tolist() == [0.1]
    assert all(submission.problems.empty for submission in opened)
    assert fv.score(task, opened[2]).per_trial.equals(fv.score(task, opened[0]).per_trial)


def test_one_provenance_index_answers_for_both_tasks(tmp_path: Path) -> None:
    dataset, _ = a_provenance_dataset(tmp_path).with_probe("b", links=[("a", "b")]).write()

    assert fv.open_dataset(dataset).task("filtering").kind == "filtering"


@pytest.mark.parametrize(
    ("name", "message", "hint"),
    [
        ("splice", "The dataset has no task splice", "it has manipulation"),
        ("spice", "'spice' is not a task of this dataset", "manipulation, video, removal, splice"),
    ],
)
def test_an_unknown_task_is_refused_with_the_known_ones(
    built: Built, name: str, message: str, hint: str
) -> None:
    with pytest.raises(fv.ForensicViewerError) as refused:
        fv.open_dataset(built.root).task(name)

    assert refused.value.message == message
    assert hint in refused.value.hint


def test_a_task_must_be_named_where_there_are_several(tmp_path: Path, built: Built) -> None:
    splices = a_dataset(tmp_path / "more").with_trial("p", donor="d", manipulated=box(1, 1, 9, 9))
    shutil.copytree(splices.write().root, built.root, dirs_exist_ok=True)

    with pytest.raises(fv.ForensicViewerError) as refused:
        fv.open_dataset(built.root).task()

    assert refused.value.message == "The dataset has several tasks"
    assert refused.value.where == str(built.root)
    assert refused.value.hint == "choose a task: manipulation, splice"


def test_named_tables_take_the_place_of_those_found(built: Built) -> None:
    index = built.table("-index.csv")
    lines = index.read_text(encoding="utf-8").splitlines()
    short = index.with_name("NC2017-manipulation-short-index.csv")
    short.write_text("\n".join(lines[:2]) + "\n", encoding="utf-8")

    dataset = fv.open_dataset(
        built.root,
        index=f"indexes/{short.name}",
        reference="reference/manipulation/NC2017-manipulation-ref.csv",
    )

    assert dataset.task().trial_ids == ("007",)
    assert dataset.task().operations.Operation.tolist() == ["Paste", "Blur"]


def test_what_cannot_be_opened_says_where_and_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(fv.ForensicViewerError) as refused:
        fv.open_dataset(tmp_path / "nowhere")

    assert refused.value.message == "The file or folder does not exist"
    assert refused.value.where == str(tmp_path / "nowhere")
    assert str(refused.value) == f"The file or folder does not exist: {tmp_path / 'nowhere'}"
