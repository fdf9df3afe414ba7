"""Robustness tests of IMDL-BenCo: a folder for each attack at each level, with a log in it.

The folder is called like the attack's transform, and a line of its ``log.txt`` has the level where
other logs have the epoch.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from forensicviewer.core.problem import Problem, ProblemLog, Severity, UsageError

ATTACKS = {"GaussianBlur": "blur", "GaussNoise": "noise", "JpegCompression": "JPEG"}
_F1 = "test_pixel-level F1"
_MOST_BYTES = 16 << 20


@dataclass(frozen=True, slots=True)
class RobustnessPoint:
    """The F1 of a run under one attack; levels are kernel sizes, variances or qualities."""

    attack: str
    level: float
    f1: float


def read_robustness(folder: Path, log: ProblemLog) -> tuple[RobustnessPoint, ...]:
    """All points of a run by attack and level; of a level tested twice, the last one counts."""
    if not folder.is_dir():
        raise UsageError("A robustness test is a folder", where=folder)
    found: dict[tuple[str, float], RobustnessPoint] = {}
    for file in sorted(folder.rglob("log.txt")):
        attack = next((said for name, said in ATTACKS.items() if name in file.parent.name), None)
        if attack is None:
            log.warn(
                "The folder is not called like a known attack",
                where=str(file.parent),
                hint=f"names contain {', '.join(ATTACKS)}",
            )
            continue
        for point in _points(file, attack, log):
            found[point.attack, point.level] = point
    if not found:
        log.error("There is no robustness test", where=str(folder), hint="name its log folder")
    return tuple(found[key] for key in sorted(found))


def _points(file: Path, attack: str, log: ProblemLog) -> Iterator[RobustnessPoint]:
    try:
        with file.open(encoding="utf-8", errors="replace") as stream:
            lines = stream.read(_MOST_BYTES).splitlines()
    except OSError as error:
        message = f"The log cannot be read: {error.strerror}"
        log.add(Problem(Severity.ERROR, message, str(file), "check its permissions"))
        return
    for number, line in enumerate(lines, start=1):
        try:
            document = json.loads(line) if line.strip() else {}
        except (ValueError, RecursionError):
            log.warn("The line is not JSON", where=f"{file}:{number}", hint="it is passed over")
            continue
        cells = document if isinstance(document, dict) else {}
        f1, level = _number(cells.get(_F1)), _number(cells.get("epoch"))
        if f1 is not None and level is not None:
            yield RobustnessPoint(attack, level, f1)


def _number(value: object) -> float | None:
    if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value):
        return None
    return float(value)
