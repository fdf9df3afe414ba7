"""``validate --rules plan``: every conforming form is accepted, every violation refused."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from forensicviewer.cli import main
from tests.plans.sections import KNOWN
from tests.plans.submissions import EVERY_TASK, describe
from tests.plans.violations import CONFORMING, VIOLATIONS, broken_frames, case_of, check


@pytest.mark.parametrize("rules", [(), ("--rules", "plan"), ("--check-name",)], ids=str)
@pytest.mark.parametrize(("year", "task"), EVERY_TASK)
def test_a_conforming_submission_is_accepted_strictly(
    year: str,
    task: str,
    rules: tuple[str, ...],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    is_accepted, found = check(case_of(tmp_path, year, task), task, capsys, *rules, "--strict")

    assert is_accepted, found


@pytest.mark.parametrize("what", CONFORMING)
def test_every_conforming_form_is_accepted(
    what: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    year, task, edit = CONFORMING[what]
    case = case_of(tmp_path, year, task)
    edit(case)

    is_accepted, found = check(case, task, capsys, "--rules", "plan", "--strict")

    assert is_accepted, found


@pytest.mark.parametrize("what", VIOLATIONS)
def test_every_violation_is_refused_with_section_row_and_remedy(
    what: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    year, task, edit, rule, row = VIOLATIONS[what]
    case = case_of(tmp_path, year, task)
    edit(case)

    is_accepted, found = check(case, task, capsys, "--rules", "plan")

    errors = [each for each in found if each["severity"] == "error" and each["rule"] == rule]
    assert not is_accepted
    assert errors, found
    assert errors[0]["row"] == row
    assert errors[0]["hint"]
    said, _, section = str(errors[0]["section"]).partition(", ")
    assert said == year
    assert section.removeprefix("Appendix ") in KNOWN[year]


def test_two_primary_systems_of_a_package_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    case = case_of(tmp_path / "Team_NC17_TEST_1", "NC2017", "manipulation")
    root = case.plan.write()
    for name in ("p-box_1", "p-box_2", "p-other_1", "c-third_1"):
        case.answers.name = f"Team_NC17_TEST_Manipulation_ImgOnly_{name}"
        for cells in case.answers.rows:
            cells["OutputProbeMaskFileName"] = ""
        describe(case.answers)
        case.answers.write()
    shutil.rmtree(
        tmp_path / "Team_NC17_TEST_1" / "Team_NC17_TEST_Manipulation_ImgOnly_p-box_1" / "mask"
    )
    moved = shutil.move(root, tmp_path / "NC2017")

    main(["validate", str(moved), str(tmp_path / "Team_NC17_TEST_1"), "--rules", "plan", "--json"])

    found = {
        each["submission"].rpartition("ImgOnly_")[2]: [
            finding["rule"] for finding in each["findings"] if finding["severity"] == "error"
        ]
        for each in json.loads(capsys.readouterr().out)["submissions"]
    }
    rivals = ["package.primary"]
    assert found == {"c-third_1": [], "p-box_1": rivals, "p-box_2": rivals, "p-other_1": rivals}


def test_a_package_of_2017_has_the_name_of_its_experiments(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    package = tmp_path / "Team_NC17_OTHER_1"
    first, second = (case_of(package, "NC2017", task) for task in ("manipulation", "splice"))
    second.plan.rows |= first.plan.rows
    for case in (first, second):
        case.write()
    moved = shutil.move(second.plan.root, tmp_path / "NC2017")

    main(["validate", str(moved), str(package), "--rules", "plan", "--json"])

    for each in json.loads(capsys.readouterr().out)["submissions"]:
        assert [f["rule"] for f in each["findings"] if f["severity"] == "error"] == ["package.name"]


def test_nists_programs_only_warn_of_video_masks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    case = case_of(tmp_path, "MFC2019", "video")
    broken_frames(case)

    is_accepted, found = check(case, "video", capsys)

    assert is_accepted
    assert [each["rule"] for each in found if each["severity"] == "warning"] == ["mask.readable"]
    assert not check(case, "video", capsys, "--strict")[0]


def test_the_condition_of_a_camera_task_is_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    case = case_of(tmp_path, "MFC2019", "camera")

    found = check(case, "camera", capsys, "--rules", "plan")[1]

    assert [each["section"] for each in found if each["rule"] == "camera.condition"] == [
        "MFC2019, 2.1.6"
    ]
