from pathlib import Path

import pytest

from forensicviewer.app.datasets.opening import (
    choose_task,
    open_dataset,
    open_submission,
    open_task,
)
from forensicviewer.core.model import Edition, Status, TaskKind, TrialId
from forensicviewer.core.problem import DatasetError, UsageError
from tests.build import a_dataset, blurred, box, write_table


def test_a_dataset_opens_with_its_trials_and_what_made_it_recognisable(tmp_path: Path) -> None:
    built = a_dataset(tmp_path).nist("NC2017").with_trial("p1", manipulated=box(8, 8, 24, 24))
    root = built.with_trial("p2", facts={"Face": "yes"}).write().root

    dataset = open_dataset(root)

    task = choose_task(dataset, None)
    assert dataset.edition is Edition.NC2017
    assert dataset.problems == ()
    assert dataset.evidence[0] == (
        "indexes/NC2017-manipulation-index.csv: index of task manipulation, NC2017 by its name"
    )
    assert task.name == "manipulation"
    assert [trial.is_target for trial in (task.trials[0], task.trials[1])] == [True, False]
    assert task.trials[1].facts["Face"] == "yes"


def test_a_trial_knows_its_operations(tmp_path: Path) -> None:
    shapes = {"PasteSplice": box(0, 0, 9, 9), "FillContentAwareFill": box(20, 20, 30, 30)}
    built = a_dataset(tmp_path).with_trial("p1", manipulated=shapes).with_trial("p2").write()

    trial = choose_task(open_dataset(built.root), "manipulation").trials[0]

    assert [step.name for step in trial.operations] == list(shapes)
    assert trial.operations[1].color == (0, 247, 250)
    assert trial.operations[1].sequence == 2
    assert trial.operations[1].key == ("journal-p1", "node1", "node2")


def test_a_splice_is_found_by_probe_and_donor(tmp_path: Path) -> None:
    built = a_dataset(tmp_path).with_trial("p1", donor="d1", manipulated=box(0, 0, 9, 9))
    built = built.with_trial("p1", donor="d2").with_answer("p1+d2", confidence="0.9")
    written = built.with_answer("p1+d1", blurred()).write()

    task = choose_task(open_dataset(written.root), "splice")
    submission = open_submission(written.submission, task=task)

    assert list(task.trials.ids()) == ["p1+d1", "p1+d2"]
    assert task.trials.row_of(TrialId("p1+d2")) == 1
    assert task.trials[0].reference == "reference/splice/mask/p1+d1-bin.png"
    assert submission.answers.rows_for(task.trials.ids()).tolist() == [1, 0]
    answer = submission.answers.get(TrialId("p1+d2"))
    assert answer is not None
    assert answer.confidence == 0.9
    assert answer.status is Status.PROCESSED


def test_a_dataset_without_reference_opens_as_index_only(tmp_path: Path) -> None:
    built = a_dataset(tmp_path).with_trial("p1").without_reference().write()

    task = choose_task(open_dataset(built.root), None)

    assert not task.has_reference
    assert task.trials[0].is_target is None


@pytest.mark.parametrize("name", ["index.csv", "ref.csv"])
def test_a_single_table_opens(tmp_path: Path, name: str) -> None:
    built = a_dataset(tmp_path).with_trial("p1", manipulated=box(0, 0, 9, 9)).write()

    dataset = open_dataset(built.table(name))

    assert len(choose_task(dataset, None).trials) == 1
    assert Path(dataset.root) == built.root


def test_tables_of_several_evaluations_have_to_be_told_apart(nist_suite: Path) -> None:
    dataset = open_dataset(nist_suite / "maskScorerTests")

    with pytest.raises(UsageError) as refused:
        choose_task(dataset, "manipulation")

    assert "manipulation:NC2017" in refused.value.hint
    assert choose_task(dataset, "manipulation:NC2017").edition is Edition.NC2017
    assert choose_task(dataset, "Manipulation:MFC18").edition is Edition.MFC2018


def test_a_bare_word_means_the_main_index_and_not_a_sub_index(nist_suite: Path) -> None:
    dataset = open_dataset(nist_suite / "detectionScorerTests" / "sample")

    assert choose_task(dataset, "splice").files["index"] == "reference/NC2016-splice-index.csv"


def test_filtering_can_use_the_provenance_index(nist_suite: Path) -> None:
    dataset = open_dataset(nist_suite / "provenanceValidatorTests")

    assert choose_task(dataset, "provenancefiltering").kind is TaskKind.FILTERING


def test_named_tables_are_used_instead_of_the_datasets_own(nist_suite: Path) -> None:
    _, task = open_task(
        nist_suite / "detectionScorerTests" / "sample",
        name="manipulation",
        index=Path("reference/NC2016-manipulation-index_sub.csv"),
        reference=Path("reference/NC2016-manipulation-ref.csv"),
    )

    assert len(task.trials) == 6
    assert task.name == "manipulation"
    assert task.files["journalmask"] == "reference/NC2016-manipulation-ref-journalmask.csv"


def test_a_named_table_that_is_missing_is_wrong_usage(tmp_path: Path) -> None:
    root = a_dataset(tmp_path).with_trial("p1").write().root

    with pytest.raises(UsageError, match="table does not exist"):
        open_task(root, name=None, index=Path("nowhere.csv"))


def test_a_folder_without_tables_is_no_dataset(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="contains no index and no reference"):
        open_dataset(tmp_path)
    with pytest.raises(DatasetError, match="file or folder does not exist"):
        open_dataset(tmp_path / "absent")


def test_a_task_that_is_absent_or_unknown_is_wrong_usage(tmp_path: Path) -> None:
    dataset = open_dataset(a_dataset(tmp_path).with_trial("p1").write().root)

    with pytest.raises(UsageError, match="has no task splice"):
        choose_task(dataset, "splice")
    with pytest.raises(UsageError, match="'juggling' is not a task"):
        choose_task(dataset, "juggling")


def test_a_table_that_is_no_dataset_table_is_refused(tmp_path: Path) -> None:
    path = write_table(tmp_path / "x.csv", ["A", "B"], [["1", "2"]])

    with pytest.raises(DatasetError, match="neither an index nor a reference"):
        open_dataset(path)


def test_a_table_used_by_several_tasks_is_read_once_and_progress_is_told(
    nist_suite: Path,
) -> None:
    told: list[tuple[int, int]] = []

    dataset = open_dataset(
        nist_suite / "maskScorerTests", progress=lambda done, total: told.append((done, total))
    )

    by_name = {task.name: task for task in dataset.tasks}
    assert by_name["manipulation:MFC18"].reference is by_name["manipulation:MFC18-sub"].reference
    assert told == sorted(told)
    assert told[-1][0] == told[-1][1]


@pytest.mark.parametrize("given", ["index", "reference"])
def test_a_named_table_brings_its_partner(tmp_path: Path, given: str) -> None:
    built = a_dataset(tmp_path).with_trial("p1", manipulated=box(0, 0, 9, 9)).write()
    paths = {"index": built.table("index.csv"), "reference": built.table("ref.csv")}
    named = paths[given].relative_to(built.root)

    _, task = open_task(
        built.root,
        name=None,
        index=named if given == "index" else None,
        reference=named if given == "reference" else None,
    )

    assert task.index is not None
    assert task.reference is not None
    assert len(task.trials[0].operations) == 1


def test_named_tables_need_a_dataset_and_must_be_tables_of_one(tmp_path: Path) -> None:
    root = a_dataset(tmp_path).with_trial("p1").write().root
    write_table(root / "other.csv", ["A"], [["1"]])
    write_table(root / "pairs.csv", ["DonorFileID", "ProbeFileID", "ProbeWidth"], [["", "p", "1"]])

    with pytest.raises(DatasetError, match="file or folder does not exist"):
        open_task(tmp_path / "absent", name=None, index=Path("x.csv"))
    with pytest.raises(DatasetError, match="neither an index nor a reference"):
        open_task(root, name=None, index=Path("other.csv"))
    with pytest.raises(DatasetError, match="cannot be used"):
        open_task(root, name="event", index=Path("pairs.csv"))


def test_a_label_that_does_not_exist_is_not_taken_for_its_task(tmp_path: Path) -> None:
    dataset = open_dataset(a_dataset(tmp_path).with_trial("p1").write().root)

    with pytest.raises(UsageError, match="has no task manipulation:NC2018"):
        choose_task(dataset, "manipulation:NC2018")
