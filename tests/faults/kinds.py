"""24 ways to damage the reference of a trial, each at a random place, size and strength."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from forensicviewer.core.model import Task, TaskKind, Trial
from forensicviewer.sources.files.paths import resolve
from forensicviewer.sources.media.masks import (
    read_bit_planes,
    read_colour_reference,
    write_bit_planes,
    write_colour_reference,
)

Pixels = NDArray[np.uint8]


@dataclass
class Patient:
    """A copied dataset, one trial of it that is damaged, and where chance comes from."""

    root: Path
    task: Task
    trial: Trial
    rng: random.Random
    is_imdl: bool = False

    def path(self, name: str) -> Path:
        return resolve(self.root, name)

    @property
    def mask_path(self) -> Path | None:
        name = self.trial.reference or self.trial.bit_planes
        return self.path(name) if name else None

    def read(self) -> Pixels:
        assert self.mask_path is not None
        if self.has_planes:
            return read_bit_planes(self.mask_path)
        return read_colour_reference(self.mask_path)

    def write(self, pixels: Pixels) -> None:
        assert self.mask_path is not None
        if self.has_planes:
            write_bit_planes(self.mask_path, np.ascontiguousarray(pixels))
        else:
            write_colour_reference(self.mask_path, np.ascontiguousarray(pixels))

    @property
    def has_planes(self) -> bool:
        return not self.trial.reference

    @property
    def blank(self) -> int:
        """What an unmarked pixel holds."""
        return 0 if self.has_planes or self.is_imdl else 255

    def marked(self, pixels: Pixels) -> NDArray[np.bool_]:
        return np.asarray((pixels != self.blank).any(axis=2))

    def edit(self, role: str, change: Callable[[list[dict[str, str]]], bool]) -> bool:
        """Change the rows of a table of the task on disk."""
        name = self.task.files.get(role)
        if name is None:
            return False
        path = self.root / name
        lines = path.read_text("utf-8").splitlines()
        names = lines[0].split("|")
        rows = [dict(zip(names, line.split("|"), strict=False)) for line in lines[1:]]
        if not change(rows):
            return False
        text = [lines[0], *("|".join(row.get(n, "") for n in names) for row in rows)]
        path.write_text("\n".join(text) + "\n", "utf-8")
        return True


Fault = Callable[[Patient], bool]
FAULTS: dict[str, Fault] = {}


def fault(function: Fault) -> Fault:
    FAULTS[function.__name__] = function
    return function


def warp(patient: Patient, matrix: NDArray[np.float64]) -> bool:
    pixels = patient.read()
    height, width = pixels.shape[:2]
    border = (patient.blank,) * 4
    parts = [
        cv2.warpAffine(
            np.ascontiguousarray(pixels[:, :, c]),
            matrix,
            (width, height),
            flags=cv2.INTER_NEAREST,
            borderValue=border,
        )
        for c in range(pixels.shape[2])
    ]
    patient.write(np.stack(parts, axis=2).astype(np.uint8))
    return True


def _about_middle(patient: Patient, angle: float, scale: float) -> bool:
    height, width = patient.read().shape[:2]
    center = ((width - 1) / 2, (height - 1) / 2)
    return warp(patient, np.asarray(cv2.getRotationMatrix2D(center, angle, scale), np.float64))


def has_base(patient: Patient) -> bool:
    """Whether there is a base from which the probe differs: of a moved mask, nothing else tells."""
    name = patient.trial.facts.get("BaseFileName", "")
    if not name or patient.mask_path is None or not patient.path(name).is_file():
        return False
    base, probe = (cv2.imread(str(patient.path(n))) for n in (name, patient.trial.probe.name))
    if base is None or probe is None or base.shape != probe.shape:
        return False
    return bool((cv2.absdiff(base, probe) > 24).any())


@fault
def emptied(patient: Patient) -> bool:
    patient.write(np.full_like(patient.read(), patient.blank))
    return True


@fault
def filled(patient: Patient) -> bool:
    pixels = patient.read()
    marked = patient.marked(pixels)
    if not marked.any():
        return False
    pixels = pixels.copy()
    pixels[:] = pixels[marked][0]
    patient.write(pixels)
    return True


@fault
def inverted(patient: Patient) -> bool:
    pixels = patient.read().copy()
    marked = patient.marked(pixels)
    if not 0 < marked.mean() < 0.5:
        return False
    color = pixels[marked][0].copy()
    pixels[marked] = patient.blank
    pixels[~marked] = color
    patient.write(pixels)
    return True


@fault
def resized(patient: Patient) -> bool:
    pixels = patient.read()
    ratio = patient.rng.choice((0.5, 0.9, 1.1, 2.0))
    size = (max(1, round(pixels.shape[1] * ratio)), max(1, round(pixels.shape[0] * ratio)))
    parts = [
        cv2.resize(np.ascontiguousarray(pixels[:, :, c]), size, interpolation=cv2.INTER_NEAREST)
        for c in range(pixels.shape[2])
    ]
    patient.write(np.stack(parts, axis=2))
    return True


@fault
def turned_by_90(patient: Patient) -> bool:
    patient.write(np.rot90(patient.read(), patient.rng.choice((1, 3))))
    return True


@fault
def flipped(patient: Patient) -> bool:
    pixels = patient.read()
    turned = pixels[:, ::-1] if patient.rng.random() < 0.5 else pixels[::-1]
    if not has_base(patient) or np.array_equal(turned, pixels):
        return False
    patient.write(turned)
    return True


@fault
def shifted(patient: Patient) -> bool:
    height, width = patient.read().shape[:2]
    dx = patient.rng.choice((-1, 1)) * patient.rng.uniform(0.03, 0.2) * width
    dy = patient.rng.choice((-1, 1)) * patient.rng.uniform(0.03, 0.2) * height
    matrix = np.array([[1, 0, round(dx)], [0, 1, round(dy)]], np.float64)
    return has_base(patient) and warp(patient, matrix)


@fault
def shifted_slightly(patient: Patient) -> bool:
    dx, dy = patient.rng.choice(((2, 1), (3, 0), (-2, 2), (1, -3), (-3, -3), (1, 1)))
    return has_base(patient) and warp(patient, np.array([[1, 0, dx], [0, 1, dy]], np.float64))


@fault
def scaled(patient: Patient) -> bool:
    scale = patient.rng.choice((0.9, 0.95, 0.97, 0.98, 1.03, 1.06))
    return has_base(patient) and _about_middle(patient, 0, scale)


@fault
def turned_slightly(patient: Patient) -> bool:
    angle = patient.rng.choice((-8.0, -4.0, -2.0, 2.0, 5.0, 10.0))
    return has_base(patient) and _about_middle(patient, angle, 1)


def _others(patient: Patient) -> list[Path]:
    own = patient.mask_path
    trials = (patient.task.trials[row] for row in range(len(patient.task.trials)))
    names = (
        trial.reference if patient.trial.reference else trial.bit_planes
        for trial in trials
        if trial.probe.id != patient.trial.probe.id
    )
    paths = [patient.path(name) for name in names if name]
    own_bytes = own.read_bytes() if own else b""
    return [path for path in paths if path.is_file() and path.read_bytes() != own_bytes]


@fault
def mask_of_a_neighbour(patient: Patient) -> bool:
    others = _others(patient)
    if not others or patient.mask_path is None:
        return False
    shutil.copyfile(patient.rng.choice(others), patient.mask_path)
    return True


@fault
def masks_swapped(patient: Patient) -> bool:
    others = _others(patient)
    if not others or patient.mask_path is None or not has_base(patient):
        return False
    other = patient.rng.choice(others)
    held = other.read_bytes()
    other.write_bytes(patient.mask_path.read_bytes())
    patient.mask_path.write_bytes(held)
    return True


@fault
def thickened(patient: Patient) -> bool:
    pixels, px = patient.read(), patient.rng.choice((3, 4, 6, 9))
    if not has_base(patient):
        return False
    marked = patient.marked(pixels).astype(np.uint8)
    kernel = np.ones((2 * px + 1, 2 * px + 1), np.uint8)
    grown = cv2.dilate(marked, kernel) > 0
    changed = pixels.copy()
    changed[grown & (marked == 0)] = pixels[marked > 0][0]
    patient.write(changed)
    return True


@fault
def file_cut_off(patient: Patient) -> bool:
    assert patient.mask_path is not None
    held = patient.mask_path.read_bytes()
    patient.mask_path.write_bytes(held[: int(len(held) * patient.rng.uniform(0.3, 0.95))])
    return True


@fault
def file_missing(patient: Patient) -> bool:
    assert patient.mask_path is not None
    patient.mask_path.unlink()
    return True


@fault
def colour_off_by_one(patient: Patient) -> bool:
    if patient.has_planes or patient.is_imdl or not patient.trial.operations:
        return False
    pixels = patient.read().astype(np.int16)
    marked = patient.marked(pixels.astype(np.uint8))
    color = pixels[marked][patient.rng.randrange(int(marked.sum()))].copy()
    if not any(op.color == tuple(color.tolist()) for op in patient.trial.operations):
        return False
    chosen = (pixels == color).all(axis=2)
    channel = patient.rng.randrange(3)
    pixels[chosen, channel] += 1 if color[channel] < 255 else -1
    patient.write(pixels.astype(np.uint8))
    return True


@fault
def area_of_operation_erased(patient: Patient) -> bool:
    if not patient.trial.operations or patient.is_imdl:
        return False
    pixels = patient.read().copy()
    if patient.has_planes:
        planes = [op.bit_plane for op in patient.trial.operations if op.bit_plane]
        plane = patient.rng.choice(planes) - 1
        pixels[:, :, plane // 8] &= np.uint8(255 - (1 << plane % 8))
        patient.write(pixels)
        return True
    if not has_base(patient):
        return False
    present = [
        op.color
        for op in patient.trial.operations
        if op.color and (pixels == op.color).all(axis=2).sum() > 400
    ]
    if not present:
        return False
    pixels[(pixels == patient.rng.choice(present)).all(axis=2)] = 255
    patient.write(pixels)
    return True


@fault
def wrong_bit_plane(patient: Patient) -> bool:
    if not patient.has_planes:
        return False
    pixels = patient.read().copy()
    used = {op.bit_plane for op in patient.trial.operations if op.bit_plane}
    spare = [n for n in range(1, 8 * pixels.shape[2] + 1) if n not in used]
    if not spare or not used:
        return False
    old, new = patient.rng.choice(sorted(used)) - 1, patient.rng.choice(spare) - 1
    bits = pixels[:, :, old // 8] >> old % 8 & 1
    pixels[:, :, old // 8] &= np.uint8(255 - (1 << old % 8))
    pixels[:, :, new // 8] |= (bits << new % 8).astype(np.uint8)
    patient.write(pixels)
    return True


def _dotted(patient: Patient, *, inside: bool) -> bool:
    pixels = patient.read().copy()
    marked = patient.marked(pixels)
    kernel = np.ones((31, 31) if not inside else (9, 9), np.uint8)
    if inside:
        free = cv2.erode(marked.astype(np.uint8), kernel) > 0
    else:
        free = cv2.dilate(marked.astype(np.uint8), kernel) == 0
    rows, columns = np.nonzero(free)
    if len(rows) < 2000:
        return False
    color = pixels[marked][0].copy()
    for _ in range(patient.rng.choice((20, 40, 80))):
        spot = patient.rng.randrange(len(rows))
        edge = patient.rng.choice((1, 2, 3))
        place = np.s_[rows[spot] : rows[spot] + edge, columns[spot] : columns[spot] + edge]
        pixels[place] = patient.blank if inside else color
    patient.write(pixels)
    return True


@fault
def specks(patient: Patient) -> bool:
    return _dotted(patient, inside=False)


@fault
def holes(patient: Patient) -> bool:
    return _dotted(patient, inside=True)


@fault
def pixel_size_wrong(patient: Patient) -> bool:
    pixels = patient.read()
    wrong = "small" if patient.marked(pixels).mean() > 0.01 else "large"

    def change(rows: list[dict[str, str]]) -> bool:
        for row in rows:
            if row.get("ProbeFileID") == patient.trial.probe.id and row.get("CompositePixelSize"):
                # One spot of NIST's is called large already: nothing would be planted.
                is_new = row["CompositePixelSize"] != wrong
                row["CompositePixelSize"] = wrong
                return is_new
        return False

    return patient.edit("reference", change)


@fault
def journal_rows_removed(patient: Patient) -> bool:
    role = patient.rng.choice(("probejournaljoin", "journalmask"))
    steps = {op.key for op in patient.trial.operations}

    def change(rows: list[dict[str, str]]) -> bool:
        own = [
            row
            for row in rows
            if (row["JournalName"], row["StartNodeID"], row["EndNodeID"]) in steps
            and row.get("ProbeFileID", patient.trial.probe.id) == patient.trial.probe.id
        ]
        marked = [row for row in own if row.get("BitPlane") or row.get("Color")] or own
        if not marked:
            return False
        rows.remove(patient.rng.choice(marked))
        return True

    return patient.edit(role, change)


@fault
def interval_beyond_the_end(patient: Patient) -> bool:
    if patient.task.kind is not TaskKind.VIDEO:
        return False
    steps = {op.key for op in patient.trial.operations}

    def change(rows: list[dict[str, str]]) -> bool:
        for row in rows:
            step = row["JournalName"], row["StartNodeID"], row["EndNodeID"]
            cell = row.get("VideoFrame", "[]")
            if step in steps and cell not in ("", "[]"):
                first, last = cell.strip("[]").replace("], [", ",").split(",")[:2]
                row["VideoFrame"] = f"[[{int(first) + 1000}, {int(last) + 1000}]]"
                return True
        return False

    return patient.edit("journalmask", change)


@fault
def duplicate_under_another_name(patient: Patient) -> bool:
    own = patient.path(patient.trial.probe.name)
    trials = [patient.task.trials[row] for row in range(len(patient.task.trials))]
    probes = (t.probe for t in trials if t.probe.id != patient.trial.probe.id and t.is_target)
    # The suite names one file by several ids.
    others = [path for probe in probes if probe.name and (path := patient.path(probe.name)) != own]
    if not others:
        return False
    shutil.copyfile(own, patient.rng.choice(others))
    return True
