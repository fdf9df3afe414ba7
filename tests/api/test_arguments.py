"""What is given to the Python API and is not right raises what Python users expect."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import forensicviewer as fv
from tests.mask_build import MaskCase


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> tuple[fv.Task, fv.Submission]:
    built = MaskCase(tmp_path_factory.mktemp("case")).trial("p1", "aa..", "aa..")
    task, submission = built.answer("p1", [[0, 0, 255, 255]] * 2).open()
    return fv.Task(task), fv.Submission(submission)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"erode": 5.0}, "erode must be a whole number, not 5.0"),
        ({"dilate": "5"}, "dilate must be a whole number, not '5'"),
        ({"erode": None}, "erode must be a whole number, not None"),
        ({"threshold": 127.5}, "threshold must be a whole number, not 127.5"),
        ({"bit_planes": "no"}, "bit_planes must be True or False, not 'no'"),
        ({"opt_out": 1}, "opt_out must be True or False, not 1"),
        ({"rules": None}, "rules must be text, not None"),
        ({"kernel": 3}, "kernel must be text, not 3"),
        ({"workers": 1.5}, "workers must be a whole number, not 1.5"),
        ({"workers": True}, "workers must be a whole number, not True"),
        ({"progress": 3}, "progress must be a function of two counts, not 3"),
        ({"rule": 3}, "rule must be text, not 3"),
        ({"rule": [3]}, "rule must be text, not 3"),
        ({"query": ["IsTarget=='Y'", 3]}, "query must be text, not 3"),
        ({"query": b"x"}, "query must be text, not b'x'"),
        ({"query_manipulation": 3}, "query_manipulation must be text, not 3"),
        ({"kind": "detection", "ci_level": "90"}, "ci_level must be a number, not '90'"),
    ],
    ids=str,
)
def test_a_value_of_another_type_is_named(
    case: tuple[fv.Task, fv.Submission], options: Any, message: str
) -> None:
    with pytest.raises(TypeError) as refused:
        fv.score(*case, **options)

    assert str(refused.value) == message


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"erode": -1}, "-1 is not a valid kernel width"),
        ({"distraction": 10**6}, "1000000 is not a valid kernel width"),
        ({"no_score_value": 300}, "300 is not a valid grey value"),
        ({"workers": 0}, "at least 1"),
    ],
    ids=str,
)
def test_a_value_out_of_range_is_refused(
    case: tuple[fv.Task, fv.Submission], options: Any, message: str
) -> None:
    with pytest.raises(fv.ForensicViewerError, match=message):
        fv.score(*case, **options)


def test_numbers_of_numpy_are_numbers(case: tuple[fv.Task, fv.Submission]) -> None:
    plain = fv.score(*case, erode=3, threshold=100, bit_planes=False)
    numbers: Any = {"erode": np.int64(3), "threshold": np.uint8(100), "bit_planes": np.False_}
    level: Any = np.int64(100)

    numpys = fv.score(*case, **numbers)
    trial = fv.load_trial(*case, "p1", erode=numbers["erode"])

    assert numpys.settings == plain.settings
    assert numpys.summary.equals(plain.summary)
    assert trial.at(level).equals(trial.at(100))


Call = Callable[[Any, Any, Any], object]
MISTAKES: list[tuple[Call, object]] = [
    (lambda task, _, path: fv.score(task, path), "system.csv"),
    (lambda task, submission, _: fv.score(submission, task), None),
    (lambda task, _, nothing: fv.score(task, [nothing]), None),
    (lambda task, _, path: fv.load_trial(task, path, "p1"), "system.csv"),
    (lambda task, submission, number: fv.load_trial(task, submission, number), 1),
    (lambda task, submission, nothing: fv.load_trial(task, submission, nothing), None),
    (lambda task, submission, _: fv.load_trial(submission, task, "p1"), None),
    (lambda task, submission, t: fv.load_trial(task, submission, "p1").at(t), 1.5),
    (lambda task, _, nothing: fv.provenance_graph(task, nothing, "p1"), None),
]


@pytest.mark.parametrize(("call", "given"), MISTAKES)
def test_something_else_than_a_task_submission_or_id_is_a_type_error(
    case: tuple[fv.Task, fv.Submission], call: Call, given: object
) -> None:
    with pytest.raises(TypeError, match=r"expected a|must be a whole number"):
        call(*case, given)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("", "The path is empty"),
        ("/" + "a" * 5000, "The path is not valid: File name too long"),
        ("~nobody_of_this_name/x", "The path names an unknown user's home"),
        ("nowhere", "The file or folder does not exist"),
    ],
    ids=["empty", "long", "home", "missing"],
)
def test_a_path_of_no_use_is_refused(path: str, message: str) -> None:
    with pytest.raises(fv.ForensicViewerError, match=message):
        fv.open_dataset(path)


WRONG_PLACES: list[tuple[Callable[..., object], str]] = [
    (lambda _: fv.read_image(ANYTHING), "expected a path, as text or pathlib.Path, not int"),
    (lambda _: fv.open_video(ANYTHING), "expected a path, as text or pathlib.Path, not int"),
    (lambda _: fv.results_grid(ANYTHING), "expected a path, as text or pathlib.Path, not int"),
    (lambda path: fv.open_dataset(path, roots=ANYTHING), "expected a path, as text or"),
    (lambda path: fv.open_dataset(path, maps=ANYTHING), "maps must be text, not 3"),
    (lambda path: fv.open_dataset(path, label_column=ANYTHING), "expected a str (the name of"),
    # Whatever is not empty is true: a "no" would follow every link.
    (lambda path: fv.open_dataset(path, follow_links=ANYTHING), "must be True or False, not 3"),
    (lambda _: fv.results_grid(published=ANYTHING), "published must be True or False, not 3"),
]
ANYTHING: Any = 3


@pytest.mark.parametrize(("call", "message"), WRONG_PLACES, ids=[each[1] for each in WRONG_PLACES])
def test_what_opens_files_takes_nothing_for_something_else(
    call: Callable[..., object], message: str, tmp_path: Path
) -> None:
    with pytest.raises(TypeError, match=re.escape(message)):
        call(tmp_path)


def test_a_single_text_may_stand_where_several_are_expected(
    case: tuple[fv.Task, fv.Submission],
) -> None:
    one = fv.load_trial(*case, "p1", operations="a")

    assert one.sweep.equals(fv.load_trial(*case, "p1", operations=["a"]).sweep)


def test_one_path_may_stand_where_several_are_expected(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()

    grid = fv.results_grid(tmp_path / "run")

    assert len(grid.attrs["problems"]) == 1
    assert str(tmp_path / "run") in grid.attrs["problems"][0]


@pytest.mark.parametrize("kind", ["mask", "detection"])
def test_scores_can_be_sent_to_another_process(
    case: tuple[fv.Task, fv.Submission], kind: Any
) -> None:
    result = fv.score(*case, kind=kind)

    sent = pickle.loads(pickle.dumps(result))

    assert sent.per_trial.equals(result.per_trial)
    assert sent.summary.equals(result.summary)
