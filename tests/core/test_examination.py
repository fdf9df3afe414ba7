"""Answers of a checklist and marks: what is asked, what is kept, what is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest

from forensicviewer.core.examination import (
    ChecklistAnswer,
    ChecklistQuestion,
    Examination,
    Mark,
    MarkShape,
    Reply,
    questions_about,
)
from forensicviewer.core.model import Media, Operation, Side, TaskKind, Trial, TrialId

STEP = Operation("j", "1", "2", "PasteSplice")
EXAMINED = Examination(
    (ChecklistAnswer(STEP.key, STEP.name, ChecklistQuestion.MASK, Reply.WRONG),),
    (
        Mark(MarkShape.PIN, ((3, 4),), text="speck"),
        Mark(MarkShape.RECTANGLE, ((9, 8), (1, 2)), Side.DONOR),
        Mark(MarkShape.POLYGON, ((0, 0), (5, 0), (0, 5)), frames=(7, 7)),
        Mark(MarkShape.STRETCH, frames=(10, 20), text="too long"),
    ),
)


def a_trial(**changes: Any) -> Trial:
    return Trial(TrialId("p1"), 0, Media("p1", "p1.png"), **changes)


def test_what_is_written_is_read_again() -> None:
    assert Examination.from_json(json.loads(json.dumps(EXAMINED.as_json()))) == EXAMINED


def test_an_answer_replaces_the_one_before_and_is_taken_back() -> None:
    again = EXAMINED.with_check(
        ChecklistAnswer(STEP.key, STEP.name, ChecklistQuestion.MASK, Reply.RIGHT)
    )

    assert again.reply_to(STEP.key, ChecklistQuestion.MASK) is Reply.RIGHT
    assert len(again.checks) == 1
    assert again.without_check(STEP.key, ChecklistQuestion.MASK).checks == ()
    assert again.marks == EXAMINED.marks


def test_places_are_said_in_words() -> None:
    assert [mark.place for mark in EXAMINED.marks] == [
        "3, 4",
        "9, 8 to 1, 2, donor",
        "polygon 0, 0; 5, 0; 0, 5, frame 7",
        "frames 10 to 20",
    ]
    assert EXAMINED.marks[1].box == (1, 2, 9, 8)
    assert EXAMINED.describe()[:2] == (
        ("PasteSplice: Mask right?", "Wrong"),
        ("Mark 1", "speck (3, 4)"),
    )


@pytest.mark.parametrize(
    ("kind", "trial", "step", "asked"),
    [
        (TaskKind.MANIPULATION, {}, Operation("j", "1", "2", "Blur"), "mask operation"),
        (TaskKind.MANIPULATION, {}, STEP, "mask operation donor"),
        (TaskKind.IMDL, {}, None, "mask"),
        (TaskKind.SPLICE, {"donor": Media("d", "d.png")}, None, "mask donor"),
        (TaskKind.VIDEO, {}, Operation("j", "1", "2", "Drop"), "interval operation"),
        (
            TaskKind.VIDEO,
            {"reference": "r.h5"},
            Operation("j", "1", "2", "Drop"),
            "mask interval operation",
        ),
    ],
)
def test_only_what_there_is_to_check_is_asked(
    kind: TaskKind, trial: dict[str, Any], step: Operation | None, asked: str
) -> None:
    found = questions_about(kind, a_trial(**trial), step)

    assert " ".join(one.value for one in found) == asked


@pytest.mark.parametrize(
    "odd",
    [
        {"shape": "circle", "points": [], "side": "Probe", "frames": None, "text": ""},
        {"shape": "pin", "points": [], "side": "Probe", "frames": None, "text": ""},
        {"shape": "pin", "points": [[1.5, 2]], "side": "Probe", "frames": None, "text": ""},
        {"shape": "pin", "points": [[1, 2, 3]], "side": "Probe", "frames": None, "text": ""},
        {"shape": "pin", "points": [[1, 1 << 40]], "side": "Probe", "frames": None, "text": ""},
        {"shape": "pin", "points": "ab", "side": "Probe", "frames": None, "text": ""},
        {"shape": "polygon", "points": [[1, 2]] * 2, "side": "Probe", "frames": None, "text": ""},
        {"shape": "stretch", "points": [], "side": "Probe", "frames": None, "text": ""},
    ],
)
def test_a_mark_of_another_kind_is_refused(odd: dict[str, Any]) -> None:
    with pytest.raises((ValueError, TypeError)):
        Mark.from_json(odd)
