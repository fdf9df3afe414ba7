"""Packages as the plans describe them: several experiments, and a description beside each."""

from __future__ import annotations

import hashlib
import json
import shutil
import tarfile
from pathlib import Path

import pytest

from forensicviewer.app.datasets.opening import experiments_of, open_dataset, open_submission
from forensicviewer.app.runtime.jobs import Ticket
from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.app.session.opener import open_together
from forensicviewer.app.session.recent import PlaceKind
from forensicviewer.app.session.recognise import recognise
from forensicviewer.app.validation.paperwork import papers_of
from forensicviewer.cli import main
from forensicviewer.core.problem import SubmissionError
from tests.plans.build import PlanDataset
from tests.plans.datasets import add_images, add_splices, image_answers, splice_answers

IMAGES = "Team_NC17_TEST_Manipulation_ImgOnly_p-box_1"
SPLICES = "Team_NC17_TEST_Splice_ImgOnly_p-box_1"
# <TEAM>_<YEAR>_<DATA>_<SUBNUM> (NC2017, Appendix A-b)
PACKAGE = "Team_NC17_TEST_5"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    plan = add_splices(add_images(PlanDataset.of(tmp_path, "NC2017")))
    (plan.root / "README.txt").write_text("Read me first", "utf-8")
    (plan.root / "documents").mkdir()
    (plan.root / "documents" / "license.txt").write_text("Free", "utf-8")
    return plan.write()


@pytest.fixture
def package(tmp_path: Path) -> Path:
    folder = tmp_path / PACKAGE
    for answers in (image_answers(folder, "NC2017"), splice_answers(folder, "NC2017")):
        answers.write()
        (answers.root / f"{answers.name}.txt").write_text("Section 1 Experiment ID\nx", "utf-8")
    return folder


@pytest.fixture(params=["folder", "archive"])
def packed(request: pytest.FixtureRequest, package: Path) -> Path:
    if request.param == "folder":
        return package
    archive = package.parent / f"{PACKAGE}.tgz"
    with tarfile.open(archive, "w:gz") as tar:
        tar.add(package, arcname=PACKAGE)
    return archive


def test_each_experiment_opens_by_its_path(packed: Path) -> None:
    found = experiments_of(packed)

    assert [path.name for path in found] == [IMAGES, SPLICES]
    assert [path.parent for path in found] == [packed] * 2
    opened = [open_submission(path) for path in found]
    assert [len(submission.answers) for submission in opened] == [4, 4]
    assert [submission.description for submission in opened] == [f"{IMAGES}.txt", f"{SPLICES}.txt"]


def test_the_package_itself_is_not_one_submission(packed: Path) -> None:
    with pytest.raises(SubmissionError, match="several submissions") as told:
        open_submission(packed)

    assert f"{packed.name}/{SPLICES}" in told.value.hint


def test_an_experiment_that_a_package_lacks_is_told(package: Path) -> None:
    archive = package.parent / f"{PACKAGE}.tgz"
    with tarfile.open(archive, "w:gz") as tar:
        tar.add(package, arcname=PACKAGE)

    with pytest.raises(SubmissionError, match="does not contain the submission nothing") as told:
        open_submission(archive / "nothing")

    assert IMAGES in told.value.hint


def test_the_window_opens_all_of_them(root: Path, packed: Path) -> None:
    assert recognise(packed) is not None

    opened = open_together(OpenRequest(root, (packed,)), None, "judge", Ticket())

    shown, others = opened.submissions, opened.elsewhere["splice"]
    submissions = (*shown, *others.submissions)
    places = (*opened.places[1:], *others.places)
    assert [submission.name for submission in submissions] == [IMAGES, SPLICES]
    assert [place.path for place in places] == [Path(one.origin) for one in submissions]
    for place in places:
        intent = recognise(place.path)
        assert intent is not None
        assert intent.kind is PlaceKind.SUBMISSION, "a session finds it again"
    assert [problem.rule for problem in opened.problems] == ["submission-elsewhere"]


def test_score_all_scores_each_into_a_folder_of_its_own(
    root: Path, packed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"

    code = main(["score", "all", str(root), str(packed), "--out", str(out), "--json"])

    assert code == 0
    found = json.loads(capsys.readouterr().out)
    assert found[IMAGES]["headline"]["mask OptimumMCC"] == "1.0"
    assert found[SPLICES]["headline"]["mask pOptimumMCC"] == "1.0"
    assert (out / SPLICES / "mask" / "mask_score.csv").is_file()


def test_one_of_a_package_is_scored_by_its_path(
    root: Path, packed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one = packed / SPLICES

    code = main(["score", "mask", str(root), str(one), "--out", str(tmp_path / "out")])

    assert code == 0
    assert "pOptimumMCC   1.0" in capsys.readouterr().out


def test_info_and_validate_take_the_whole_package(
    root: Path, packed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["info", str(root), str(packed)]) == 0
    told = capsys.readouterr().out
    assert f"Submission {IMAGES}: manipulation" in told
    assert f"system description {SPLICES}.txt" in told
    if packed.is_file():
        assert f"MD5 {hashlib.md5(packed.read_bytes()).hexdigest()}" in told

    assert main(["validate", str(root), str(packed)]) == 0
    told = capsys.readouterr().out
    assert f"{IMAGES}: accepted" in told
    assert f"{SPLICES}: accepted" in told


def test_documents_and_descriptions_can_be_read(root: Path, packed: Path) -> None:
    submissions = [open_submission(path) for path in experiments_of(packed)]

    papers = {paper.title: paper.text for paper in papers_of(open_dataset(root), submissions)}

    assert papers["README.txt"] == "Read me first"
    assert papers["documents/license.txt"] == "Free"
    assert "The section OptOut Criteria is missing" in papers[f"{IMAGES}.txt"]
    assert "Section 1 Experiment ID" in papers[f"{IMAGES}.txt"]


@pytest.mark.parametrize(("task", "shown"), [("splice", SPLICES), ("manipulation", IMAGES)])
def test_a_named_task_is_opened_with_the_experiment_that_answers_it(
    task: str, shown: str, root: Path, packed: Path
) -> None:
    request = OpenRequest(root, (packed,), task=task)

    opened = open_together(request, None, "me", Ticket())

    assert [submission.name for submission in opened.submissions] == [shown]
    assert {problem.rule for problem in opened.problems} == {"submission-elsewhere"}


def test_of_a_package_only_what_answers_the_named_task_is_scored(
    root: Path, package: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["score", "all", str(root), str(package), "--out", str(tmp_path / "out"), "--quiet"]

    assert main([*words, "--task", "splice"]) == 0
    assert [path.name for path in (tmp_path / "out").iterdir()] == [SPLICES]

    (package / SPLICES).rename(tmp_path / SPLICES)
    again = package / IMAGES.replace("p-box", "c-box")
    shutil.copytree(package / IMAGES, again)
    (again / f"{IMAGES}.csv").rename(again / f"{again.name}.csv")
    assert main([*words, "--task", "splice"]) == 2
    assert "answers the task splice" in capsys.readouterr().err
