"""Every dataset and submission of NIST's test suite opens with the trials it should have."""

from pathlib import Path

import pytest

from forensicviewer.app.datasets.opening import open_dataset, open_submission
from forensicviewer.core.problem import SubmissionError
from forensicviewer.sources.datasets import detect

# dataset → task → trials, with a star where there is a reference
DATASETS = {
    "maskScorerTests": {
        "manipulation:MFC18": "3*",
        "manipulation:MFC18-sub": "2*",
        "manipulation:NC2016": "1*",
        "manipulation:NC2017": "4*",
        "removal": "2*",
        "splice:NC2016": "2*",
        "splice:NC2017": "5*",
    },
    "detectionScorerTests": {
        "event": "31*",
        "manipulation:NC2016": "1124*",
        "manipulation:NC2017": "500*",
        "splice": "1204*",
    },
    "detectionScorerTests/reference": {
        "event": "31*",
        "manipulation:NC2016": "1124*",
        "manipulation:NC2017": "500*",
        "splice": "1204*",
    },
    "detectionScorerTests/sample": {
        "camera": "6*",
        "event": "7*",
        "manipulation:NC2016": "7*",
        "manipulation:NC2016-sub": "6*",
        "manipulation:NC2017": "2*",
        "manipulation:NC2017-2": "2*",
        "manipulation:NC2017-jt": "3*",
        "splice:NC2016": "7*",
        "splice:NC2016-sub": "5*",
    },
    "provenanceScorerTests": {
        "provenance:test_case_1": "1*",
        "provenance:test_case_2": "1*",
        "provenance:test_case_3": "2*",
    },
    "provenanceValidatorTests": {"provenance": "1"},
    "videoTemporalLocalizationScorerTests": {"video": "118*"},
    "validatorTests/NC2016_Test0516_dfz": {
        "manipulation:NC2016": "4*",
        "manipulation:NC2016-0": "1120*",
        "manipulation:NC2016-strip": "4*",
        "manipulation:reference/manipulation/foo_NC2016_Manipulation_ImgOnly_p-baseline_1.csv": (
            "1120"
        ),
        "manipulation:reference/manipulation/foo_NC2016_Manipulation_ImgOnly_p-baseline_1.psv": (
            "1120"
        ),
        "splice": "4*",
        "video:NC2016": "2",
        "video:NC2016-d1v1": "2",
    },
    "validatorTests/NC2016_Test0516_dfz/reference/manipulation/"
    "foo_NC2016_Manipulation_ImgOnly_p-baseline_1.psv": {"manipulation": "1120"},
    "maskScorerTests/indexes/NC2016-removal-index.csv": {"removal": "2"},
    "maskScorerTests/reference/splice/NC2017-splice-ref.csv": {"splice": "5*"},
    "validatorTests/cref": {"camera": "4*"},
    "validatorTests/evref": {"event": "9*"},
}

# submission → "task answers", then the rules of its problems
SUBMISSIONS = {
    "detectionScorerTests/baseline/Base_NC2016_Manipulation_ImgOnly_p-dct_02.csv": (
        "manipulation 1124"
    ),
    "detectionScorerTests/baseline/Base_NC2016_Splice_ImgOnly_p-splice_01.csv": "splice 1175",
    "detectionScorerTests/baseline/Base_NC2017_Manipulation_ImgOnly_p-copymove_01.csv": (
        "manipulation 500"
    ),
    "detectionScorerTests/sample/D_MFC2018_Camera_MultiMedia_p-me_1": "camera 6 submission.name",
    "detectionScorerTests/sample/D_MFC2018_EventVerification_ImgOnly_p-me_1": "event 7",
    "detectionScorerTests/sample/D_NC2016_Manipulation_ImgOnly_p-me_4": "manipulation 7",
    "detectionScorerTests/sample/D_NC2017_Manipulation_ImgOnly_c-me_3_empty": (
        "manipulation 0 submission.name submission.column-missing"
    ),
    "maskScorerTests/B_MFC18_Unittest_Manipulation_ImgOnly_p-me_1": "manipulation 3",
    "maskScorerTests/B_NC2016_Unittest_Manipulation_ImgOnly_c-me2_1": "manipulation 1",
    "maskScorerTests/B_NC2016_Unittest_Splice_ImgOnly_p-me_1": "splice 2",
    "maskScorerTests/B_NC2017_Unittest_Manipulation_ImgOnly_c-me2_1": "manipulation 4",
    "maskScorerTests/B_NC2017_Unittest_Splice_ImgOnly_p-me_1": "splice 4",
    "maskScorerTests/C_NC2017_Unittest_Splice_ImgOnly_p-me_1": "splice 5",
    "maskScorerTests/Error_NC2017_Unittest_Manipulation_ImgOnly_c-me_1": "manipulation 4",
    "maskScorerTests/p-failvalid_1_manip": "manipulation 4",
    "maskScorerTests/p-failvalid_2_splice": "splice 4",
    "provenanceScorerTests/test_case_1-system_output_0_index.csv": "provenance 1",
    "provenanceScorerTests/test_case_1-system_output_none_index.csv": "provenance 0",
    "provenanceScorerTests/test_case_3-filtering-system_output_1_index.csv": "filtering 2",
    "videoTemporalLocalizationScorerTests/test_case_1_system_output.csv": "video 9",
    "validatorTests/badstringvidtest": "video 2" + 4 * " submission.segments",
    "validatorTests/fo_o_NC2016_UnitTest_Manipulation_ImgOnly_p-baseline_1": "manipulation 4",
    "validatorTests/foo": "manipulation 4",
    "validatorTests/foo_NC2016_UnitTest_Manipulation_ImgOnly_p-baseline_2": (
        "manipulation 5 submission.id-twice"
    ),
    "validatorTests/foo_NC2016_UnitTest_Manipulation_ImgOnly_p-baseline_3": "manipulation 4",
    "validatorTests/food_NC2016_UnitTest_Manipulation_ImgOnly_p-baseline_1": (
        "manipulation 4 submission.status"
    ),
    "validatorTests/foo_NC2016_UnitTest_Manipulation_ImgOnly_p-whole_1": (
        "manipulation 4 submission.name"
    ),
    "validatorTests/lorem": "splice 4",
    "validatorTests/lorem_NC2016_UnitTest_Splice_ImgOnly_p-baseline_4": (
        "splice 5 submission.id-twice"
    ),
    "validatorTests/nomask": "manipulation 4",
    "validatorTests/valid_cam": "camera 4",
    "validatorTests/valid_ev": "event 9",
    "validatorTests/validvidtest": "video 2",
    "validatorTests/validvidtest_nc17": "manipulation 2",
}


@pytest.mark.parametrize("name", DATASETS)
def test_a_dataset_opens_with_its_trials(nist_suite: Path, name: str) -> None:
    dataset = open_dataset(nist_suite / name)

    found = {
        task.name: f"{len(task.trials)}{'*' if task.has_reference else ''}"
        for task in dataset.tasks
    }
    assert found == DATASETS[name]
    assert all(task.trials[0].probe.id for task in dataset.tasks)


@pytest.mark.parametrize("name", SUBMISSIONS)
def test_a_submission_opens_with_its_answers(nist_suite: Path, name: str) -> None:
    submission = open_submission(nist_suite / name)

    assert submission.kind is not None
    found = [submission.kind.value, str(len(submission.answers))]
    assert " ".join([*found, *(p.rule for p in submission.problems)]) == SUBMISSIONS[name]


def test_every_folder_of_the_validator_tests_opens_or_says_why_not(nist_suite: Path) -> None:
    folders = sorted((nist_suite / "validatorTests").iterdir())
    folders += sorted((nist_suite / "provenanceValidatorTests").glob("*Check*/*/"))
    refused = {}
    for folder in folders:
        if (folder / "indexes").is_dir():
            continue
        try:
            open_submission(folder)
        except SubmissionError as error:
            refused[folder.name] = error.rule

    assert refused == {
        "emptydir_NC2016_UnitTest_Splice_ImgOnly_p-baseline_1": "submission.no-table",
        "NameCheck_NC17_FuncTest2_Provenance_ImgOnly_p-valid_1": "table.empty",
        "NameCheck_NC17_FuncTest4_Manipulation_ImgOnly_p-valid_1": "table.empty",
        "NameCheck_NC17_FuncTest_ProvenanceFiltering_ImgOnly_p-valid_1": "table.empty",
        "NameCheck_NC17_Functionality_Test_3_ProvenanceFiltering_ImgOnly_p-invalid_1": (
            "table.empty"
        ),
    }


def test_detection_says_which_files_told_it(nist_suite: Path) -> None:
    found = detect(nist_suite / "validatorTests" / "evref")

    assert found is not None
    assert [edition.value for edition in found.editions] == ["MFC2018"]
    assert found.tasks == ("event",)
    assert found.evidence == (
        "indexes/ValTest-eventverification-index.csv: index of task event, "
        "MFC2018 by its column EventName",
        "reference/eventverification/ValTest-eventverification-ref.csv: reference of task event, "
        "MFC2018 by its column EventName",
    )


def test_a_folder_of_something_else_is_not_detected(tmp_path: Path) -> None:
    assert detect(tmp_path) is None
    assert detect(tmp_path / "absent") is None


def test_bit_planes_and_colours_reach_the_operations(nist_suite: Path) -> None:
    dataset = open_dataset(nist_suite / "maskScorerTests")
    task = next(task for task in dataset.tasks if task.name == "manipulation:MFC18")

    operations = task.trials[0].operations

    assert task.trials[0].bit_planes is not None
    assert task.trials[0].reference is not None
    assert {step.bit_plane for step in operations} - {None}
    assert all(step.name for step in operations)
    assert all(step.sequence is not None for step in operations)


def test_camera_companions_without_ref_in_their_name_are_found(nist_suite: Path) -> None:
    task = open_dataset(nist_suite / "validatorTests" / "cref").tasks[0]

    row = task.table["ProbeFileID"].cells.tolist().index("2e57c044dae9b2af5787ce189cc6ae74")

    assert task.trials[row].operations[0].bit_plane == 11
    assert task.files["traindata"] == "indexes/MFC18-camera-traindata.csv"
