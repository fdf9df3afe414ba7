"""The checklist of a reference, operation by operation, and the marks on its media."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from forensicviewer.core.model import Operation, Side, TaskKind, Trial

# Logs and sessions may come from anybody; what a person draws is far smaller.
_MOST_PARTS = 10_000
_LARGEST = 1 << 31


class ChecklistQuestion(Enum):
    """A question about an operation; the value is written to logs, the label is shown."""

    MASK = "mask"
    INTERVAL = "interval"
    OPERATION = "operation"
    DONOR = "donor"

    @property
    def label(self) -> str:
        return _QUESTIONS[self]


class Reply(Enum):
    """An answer; the value is written to logs, the label is shown."""

    RIGHT = "right"
    WRONG = "wrong"
    UNCLEAR = "unclear"

    @property
    def label(self) -> str:
        return self.value.capitalize()


class MarkShape(Enum):
    """The shape of a mark; the value is written to logs."""

    PIN = "pin"
    RECTANGLE = "rectangle"
    POLYGON = "polygon"
    STRETCH = "stretch"

    @property
    def fewest_points(self) -> int:
        return _FEWEST_POINTS[self]


_QUESTIONS = {
    ChecklistQuestion.MASK: "Mask right?",
    ChecklistQuestion.INTERVAL: "Interval right?",
    ChecklistQuestion.OPERATION: "Operation right?",
    ChecklistQuestion.DONOR: "Donor right?",
}
_FEWEST_POINTS = {
    MarkShape.PIN: 1,
    MarkShape.RECTANGLE: 2,
    MarkShape.POLYGON: 3,
    MarkShape.STRETCH: 0,
}
_OF_DONORS = ("splice", "paste", "donor")


@dataclass(frozen=True, slots=True)
class ChecklistAnswer:
    """An answered question. ``key`` is that of the operation; the whole reference has none."""

    key: tuple[str, ...]
    name: str
    question: ChecklistQuestion
    reply: Reply

    def as_json(self) -> dict[str, Any]:
        return {
            "operation": [*self.key],
            "name": self.name,
            "question": self.question.value,
            "reply": self.reply.value,
        }

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> ChecklistAnswer:
        return cls(
            tuple(map(str, _few(content["operation"]))),
            str(content["name"]),
            ChecklistQuestion(content["question"]),
            Reply(content["reply"]),
        )


@dataclass(frozen=True, slots=True)
class Mark:
    """A place on an image, or a stretch of a video (``frames``, first and last), with a text.

    Points are pixels (column, row) of the probe or donor, corners included. A place on a frame of a
    video has that frame twice.
    """

    shape: MarkShape
    points: tuple[tuple[int, int], ...] = ()
    side: Side = Side.PROBE
    frames: tuple[int, int] | None = None
    text: str = ""

    @property
    def is_full(self) -> bool:
        """Whether the mark has all its corners."""
        fewest = self.shape.fewest_points
        return self.shape is not MarkShape.POLYGON and len(self.points) >= fewest

    def with_point(self, point: tuple[int, int]) -> Mark:
        """The mark with one more corner; repeating the last corner changes nothing."""
        return self if self.points[-1:] == (point,) else replace(self, points=(*self.points, point))

    @property
    def is_complete(self) -> bool:
        """Whether the mark has as many points as its shape needs."""
        return len(self.points) >= self.shape.fewest_points

    @property
    def box(self) -> tuple[int, int, int, int] | None:
        """Left, top, right and bottom pixel; ``None`` for a stretch of time."""
        if not self.points:
            return None
        across, down = zip(*self.points, strict=True)
        return min(across), min(down), max(across), max(down)

    def is_at(self, frame: int | None) -> bool:
        """Whether the mark belongs to this frame; those of images always do."""
        return self.frames is None or frame is None or self.frames[0] <= frame <= self.frames[1]

    @property
    def place(self) -> str:
        """The position in words, for tables and reports."""
        corners = "; ".join(f"{x}, {y}" for x, y in self.points)
        words = {
            MarkShape.PIN: corners,
            MarkShape.RECTANGLE: corners.replace("; ", " to "),
            MarkShape.POLYGON: f"polygon {corners}",
            MarkShape.STRETCH: "",
        }[self.shape]
        first, last = self.frames or (0, 0)
        when = f"frame {first}" if first == last else f"frames {first} to {last}"
        parts = (words, when if self.frames else "", "donor" if self.side is Side.DONOR else "")
        return ", ".join(part for part in parts if part)

    def as_json(self) -> dict[str, Any]:
        return {
            "shape": self.shape.value,
            "points": [[*point] for point in self.points],
            "side": self.side.value,
            "frames": None if self.frames is None else [*self.frames],
            "text": self.text,
        }

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> Mark:
        frames = content["frames"]
        mark = cls(
            MarkShape(content["shape"]),
            tuple(_pair(point) for point in _few(content["points"])),
            Side(content["side"]),
            None if frames is None else _pair(frames),
            str(content["text"]),
        )
        if not mark.is_complete or (mark.shape is MarkShape.STRETCH and frames is None):
            raise ValueError(content)
        return mark


@dataclass(frozen=True, slots=True)
class Examination:
    """The answers of a checklist and the marks that go with a verdict."""

    checks: tuple[ChecklistAnswer, ...] = ()
    marks: tuple[Mark, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.checks or self.marks)

    def reply_to(self, key: Sequence[str], question: ChecklistQuestion) -> Reply | None:
        """The answer to a question about an operation, if any."""
        asked = tuple(key), question
        return next((one.reply for one in self.checks if (one.key, one.question) == asked), None)

    def with_check(self, check: ChecklistAnswer) -> Examination:
        """The examination with another answer; it replaces an earlier one to the same question."""
        asked = check.key, check.question
        if self.reply_to(*asked) is None:
            return Examination((*self.checks, check), self.marks)
        checks = (check if (one.key, one.question) == asked else one for one in self.checks)
        return Examination(tuple(checks), self.marks)

    def without_check(self, key: Sequence[str], question: ChecklistQuestion) -> Examination:
        asked = tuple(key), question
        checks = (one for one in self.checks if (one.key, one.question) != asked)
        return Examination(tuple(checks), self.marks)

    def with_marks(self, marks: Sequence[Mark]) -> Examination:
        return Examination(self.checks, tuple(marks))

    def describe(self) -> tuple[tuple[str, str], ...]:
        """Answers and marks in the words of tables and reports."""
        checks = [(f"{one.name}: {one.question.label}", one.reply.label) for one in self.checks]
        marks = [
            (f"Mark {number}", f"{one.text} ({one.place})" if one.text else one.place)
            for number, one in enumerate(self.marks, start=1)
        ]
        return (*checks, *marks)

    def as_json(self) -> dict[str, Any]:
        return {
            "checks": [one.as_json() for one in self.checks],
            "marks": [one.as_json() for one in self.marks],
        }

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> Examination:
        """Read it again; raises ``ValueError``, ``KeyError`` or ``TypeError`` if malformed."""
        return cls(
            tuple(ChecklistAnswer.from_json(one) for one in _few(content["checks"])),
            tuple(Mark.from_json(one) for one in _few(content["marks"])),
        )


def questions_about(
    kind: TaskKind, trial: Trial, operation: Operation | None
) -> list[ChecklistQuestion]:
    """The questions about an operation, or about a reference without operations."""
    asked = []
    if trial.reference or trial.bit_planes or kind is not TaskKind.VIDEO:
        asked.append(ChecklistQuestion.MASK)
    if kind is TaskKind.VIDEO:
        asked.append(ChecklistQuestion.INTERVAL)
    if operation is not None:
        asked.append(ChecklistQuestion.OPERATION)
    name = "" if operation is None else operation.name.lower()
    if trial.donor is not None or any(word in name for word in _OF_DONORS):
        asked.append(ChecklistQuestion.DONOR)
    return asked


def _few(content: object) -> list[Any]:
    if not isinstance(content, list) or len(content) > _MOST_PARTS:
        raise TypeError(content)
    return content


def _pair(content: object) -> tuple[int, int]:
    first, second = _few(content)
    for number in (first, second):
        if not isinstance(number, int) or isinstance(number, bool) or abs(number) >= _LARGEST:
            raise TypeError(content)
    return first, second
