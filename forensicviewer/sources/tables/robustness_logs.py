"""Robustness tests: a folder for each attack at each level, with a log, a summary or maps in it.

IMDL-BenCo calls the folder like the attack's transform, ``None`` where nothing was attacked, and a
line of its ``log.txt`` has the level where other logs have the epoch. ``imdl_summary.csv`` of
``score imdl`` and a folder ``pred`` of maps are found there, too; their level is in the name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from forensicviewer.core.problem import Problem, ProblemLog, Severity, UsageError
from forensicviewer.core.table.number_cell import number_in, number_of
from forensicviewer.sources.files.paths import is_own_file, is_own_folder

ATTACKS = {"GaussianBlur": "blur", "GaussNoise": "noise", "JpegCompression": "JPEG"}
UNATTACKED = "none"
_LOG, _SUMMARY, _MAPS = "log.txt", "imdl_summary.csv", "pred"
_F1 = "test_pixel-level F1"
_MOST_BYTES = 16 << 20
_MOST_FOLDERS = 1000
# Of a transform it is quality_upper or the end of its limits, whatever else is written before;
# other names have it as their first number.
_LEVEL_OF_TRANSFORM = re.compile(r"(?:(?:blur|var)_limit=\([\d.]+, |quality_upper=)(\d+)")
_LEVEL_OF_NAME = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class RobustnessPoint:
    """The F1 of a run under one attack; levels are kernel sizes, variances or qualities.

    ``f1`` is ``None`` where the level was not scored; ``maps`` are its predictions, if any.
    """

    attack: str
    level: float
    f1: float | None = None
    maps: Path | None = None


def read_robustness(folder: Path, log: ProblemLog) -> tuple[RobustnessPoint, ...]:
    """All points of a run by attack and level; of a level tested twice, the last one counts."""
    if not folder.is_dir():
        raise UsageError("A robustness test must be a folder", where=folder)
    found: dict[tuple[str, float], RobustnessPoint] = {}
    for place in _places(folder, log):
        attack, named = _named_attack(place, folder)
        if attack is None:
            log.warn(
                "The folder name does not match a known attack",
                where=str(place),
                hint=f"names contain {', '.join(ATTACKS)}, or None without an attack",
            )
            continue
        for point in _points(place, attack, named, log):
            key = point.attack, point.level
            before = found.get(key, point)
            found[key] = replace(
                point,
                f1=before.f1 if point.f1 is None else point.f1,
                maps=point.maps or before.maps,
            )
    if not found:
        log.error(
            "The folder contains no robustness test", where=str(folder), hint="name its log folder"
        )
    return tuple(found[key] for key in sorted(found))


def _places(folder: Path, log: ProblemLog) -> list[Path]:
    """The folders with something to read, by name."""
    found = set()
    for file in sorted(file for name in (_LOG, _SUMMARY, _MAPS) for file in folder.rglob(name)):
        if is_own_file(file, folder) or (file.name == _MAPS and is_own_folder(file, folder)):
            found.add(file.parent)
        else:
            log.warn("Links and pipes are not read", where=str(file), hint="copy the file itself")
    return sorted(found)[:_MOST_FOLDERS]


def _named_attack(place: Path, run: Path) -> tuple[str | None, str]:
    """The attack named by the nearest folder, and the folder's name."""
    for folder in (place, *place.parents):
        if folder == run:
            break
        if attack := _attack_of(folder.name):
            return attack, folder.name
    return None, ""


def _attack_of(name: str) -> str | None:
    plain = name.casefold()
    if plain in ("none", "clean"):
        return UNATTACKED
    words = {transform.casefold(): attack for transform, attack in ATTACKS.items()}
    words |= {attack.casefold(): attack for attack in ATTACKS.values()}
    return next((attack for word, attack in words.items() if word in plain), None)


def _points(place: Path, attack: str, name: str, log: ProblemLog) -> Iterator[RobustnessPoint]:
    if is_own_file(place / _LOG, place):
        yield from _logged(place / _LOG, attack, log)
    number = _LEVEL_OF_TRANSFORM.search(name)
    plain = None if "(" in name else _LEVEL_OF_NAME.search(name)
    written = number[1] if number else plain[0] if plain else None
    level = 0.0 if attack == UNATTACKED else None if written is None else float(written)
    if level is None:
        return
    if is_own_file(place / _SUMMARY, place):
        yield RobustnessPoint(attack, level, _summarised(place / _SUMMARY, log))
    if is_own_folder(place / _MAPS, place):
        yield RobustnessPoint(attack, level, maps=place)


def _logged(file: Path, attack: str, log: ProblemLog) -> Iterator[RobustnessPoint]:
    for number, line in enumerate(_lines(file, log), start=1):
        try:
            document = json.loads(line) if line.strip() else {}
        except (ValueError, RecursionError):
            log.warn("The line is not JSON", where=f"{file}:{number}", hint="the line is ignored")
            continue
        cells = document if isinstance(document, dict) else {}
        f1, level = number_of(cells.get(_F1)), number_of(cells.get("epoch"))
        if f1 is not None and (level is not None or attack == UNATTACKED):
            yield RobustnessPoint(attack, 0.0 if attack == UNATTACKED else level or 0.0, f1)


def _summarised(file: Path, log: ProblemLog) -> float | None:
    """The mean F1 over images; of several datasets in one file, the first."""
    rows = [line.split("|") for line in _lines(file, log) if line]
    if len(rows) < 2 or "F1" not in rows[0]:
        log.warn(
            "This is not a summary of “score imdl”", where=str(file), hint="score the level again"
        )
        return None
    return number_in(dict(zip(rows[0], rows[1], strict=False)).get("F1", ""))


def _lines(file: Path, log: ProblemLog) -> list[str]:
    try:
        with file.open(encoding="utf-8", errors="replace") as stream:
            return stream.read(_MOST_BYTES).splitlines()
    except OSError as error:
        message = f"The file cannot be read: {error.strerror}"
        log.add(Problem(Severity.ERROR, message, str(file), "check its permissions"))
        return []
