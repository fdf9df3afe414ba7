"""A measurement that can be repeated: settings, digests of files, and values."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

REFERENCE, SYSTEM_MASK, PROBE, DONOR = "reference", "system mask", "probe", "donor"


@dataclass(frozen=True, slots=True)
class MeasuredFile:
    """A file that a number depends on: its role, its name in the tables, and its SHA-256.

    ``sha256`` is blank where the file was not read: missing, or too large to be read for this.
    """

    role: str
    name: str
    sha256: str = ""


@dataclass(frozen=True, slots=True)
class Measurement:
    """The numbers of one system on one side of one trial, and everything they depend on.

    * ``rules`` is the name of a rule set and ``choices`` its choice for every switch, by keys.
    * Kernels are full widths in pixels, as the user set them; splices use no distraction kernel.
    * ``operations`` are the keys of the selected operations (journal, start node, end node);
      ``None`` selects all, as ``score mask`` does without a query.
    * ``threshold`` is the score from which a pixel is called manipulated, 0 to 256;
      ``shown_threshold`` is the same in the dataset's own terms (NIST: 255 minus it).
      ``actual`` is the evaluation's own threshold where one was given, like ``threshold``.
    * ``metrics`` holds every metric that is a number; what is undefined is left out. Without a
      score it is empty, and ``unscored`` says why.
    * ``frame`` and ``stretch`` (first and last frame) are set for videos.
    """

    task: str
    trial: str
    side: str
    submission: str = ""
    rules: str = "mediscore"
    choices: Mapping[str, str] = field(default_factory=dict)
    kernel: str = "box"
    erode_px: int = 15
    dilate_px: int = 11
    distraction_px: int = 15
    operations: tuple[tuple[str, ...], ...] | None = None
    bit_planes: bool = False
    opt_out_pixels: bool = False
    threshold: int | None = None
    shown_threshold: int | None = None
    actual: int | None = None
    metrics: Mapping[str, float] = field(default_factory=dict)
    unscored: str = ""
    files: tuple[MeasuredFile, ...] = ()
    frame: int | None = None
    stretch: tuple[int, int] | None = None
    program: str = ""

    def digest_of(self, role: str) -> str:
        """The SHA-256 of a file by its role; blank where none was taken."""
        return next((file.sha256 for file in self.files if file.role == role), "")

    def as_json(self) -> dict[str, Any]:
        """Plain data for a JSON document; ``from_json`` gives the same value again."""
        found: dict[str, Any] = {name: getattr(self, name) for name in _PLAIN}
        found["choices"] = dict(self.choices)
        found["metrics"] = {n: v for n, v in self.metrics.items() if math.isfinite(v)}
        found["files"] = [[one.role, one.name, one.sha256] for one in self.files]
        found["stretch"] = None if self.stretch is None else list(self.stretch)
        chosen = self.operations
        found["operations"] = None if chosen is None else [list(key) for key in chosen]
        return found

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> Measurement:
        """Read what ``as_json`` wrote, of this version or another.

        Unknown names are passed over, missing ones have their defaults. Anything of another type
        raises ``ValueError``, ``TypeError`` or ``KeyError``.
        """
        chosen, stretch = content.get("operations"), content.get("stretch")
        plain: dict[str, Any] = {
            name: kind(content[name]) for name, kind in _PLAIN.items() if name in content
        }
        return cls(
            **plain,
            choices={str(key): str(one) for key, one in dict(content.get("choices", {})).items()},
            metrics={str(key): float(v) for key, v in dict(content.get("metrics", {})).items()},
            files=tuple(MeasuredFile(*map(_text, one)) for one in content.get("files", ())),
            operations=None if chosen is None else tuple(tuple(map(_text, key)) for key in chosen),
            stretch=None if stretch is None else (_whole(stretch[0]), _whole(stretch[1])),
        )


def differences(recorded: Measurement, again: Measurement) -> tuple[str, ...]:
    """The differences of a second measurement: files first, then numbers; empty if equal.

    Numbers are equal when they are to the last bit. A digest that was not taken is not compared,
    nor are numbers of a video's single frame.
    """
    found = []
    for file in recorded.files:
        now = again.digest_of(file.role)
        if file.sha256 and now != file.sha256:
            gone = "is missing" if not now else "has changed"
            found.append(f"the {file.role} {file.name} {gone}")
    if recorded.frame is not None:
        return tuple(found)  # numbers of single frames are recorded and not computed again
    if again.unscored and recorded.metrics:
        return (*found, again.unscored)
    for name, number in recorded.metrics.items():
        if name not in again.metrics:
            found.append(f"{name} was {number!r} and can no longer be computed")
        elif again.metrics[name] != number:
            found.append(f"{name} was {number!r} and is now {again.metrics[name]!r}")
    return tuple(found)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is not text")
    return value


def _whole(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{value!r} is not a whole number")
    return value


def _whole_or_none(value: object) -> int | None:
    return None if value is None else _whole(value)


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise TypeError(f"{value!r} is neither true nor false")
    return value


_PLAIN = {
    **dict.fromkeys(("task", "trial", "side", "submission", "rules", "kernel"), _text),
    **dict.fromkeys(("unscored", "program"), _text),
    **dict.fromkeys(("erode_px", "dilate_px", "distraction_px"), _whole),
    **dict.fromkeys(("bit_planes", "opt_out_pixels"), _flag),
    **dict.fromkeys(("threshold", "shown_threshold", "actual", "frame"), _whole_or_none),
}
