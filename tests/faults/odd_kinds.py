"""Ways to damage a reference that neither the rules nor the other kinds were made with in view."""

from __future__ import annotations

import math
import shutil

import cv2
import numpy as np
from numpy.typing import NDArray

from forensicviewer.core.model import TaskKind
from tests.faults.kinds import Fault, Patient, Pixels, has_base, warp
from tests.faults.more_kinds import repaint

ODD_FAULTS: dict[str, Fault] = {}
Area = NDArray[np.bool_]


def odd(function: Fault) -> Fault:
    ODD_FAULTS[function.__name__] = function
    return function


def _parts(area: Area, *, least_px: int) -> list[Area]:
    count, labels, stats, _ = cv2.connectedComponentsWithStats(area.astype(np.uint8))
    sizes = np.asarray(stats)[:, cv2.CC_STAT_AREA]
    return [np.asarray(labels == n) for n in range(1, count) if sizes[n] >= least_px]


def _another(patient: Patient, *, alike: bool = False) -> Pixels | None:
    """The mask of another trial at the size of this one; ``alike``: of the most similar probe."""
    own, found = patient.read(), []
    for row in range(len(patient.task.trials)):
        trial = patient.task.trials[row]
        name = trial.reference if patient.trial.reference else trial.bit_planes
        if not name or trial.probe.id == patient.trial.probe.id or not patient.path(name).is_file():
            continue
        other = Patient(patient.root, patient.task, trial, patient.rng, patient.is_imdl)
        pixels = other.read()
        if pixels.shape[2] == own.shape[2] and other.marked(pixels).mean() > 0.003:
            found.append((_unlike(patient, other), pixels))
    if not found:
        return None
    chosen = min(found, key=lambda one: one[0])[1] if alike else patient.rng.choice(found)[1]
    size = (own.shape[1], own.shape[0])
    planes = np.dstack(
        [cv2.resize(chosen[:, :, n], size, interpolation=0) for n in range(own.shape[2])]
    )
    return None if np.array_equal(planes, own) else np.asarray(planes, np.uint8)


def _unlike(patient: Patient, other: Patient) -> float:
    small = []
    for one in (patient, other):
        probe = cv2.imread(str(one.path(one.trial.probe.name)))
        if probe is None:
            return math.inf
        small.append(cv2.resize(probe, (32, 32)).astype(np.float64))
    return float(np.abs(small[0] - small[1]).mean())


@odd
def flipped_mask_of_another(patient: Patient) -> bool:
    other = _another(patient)
    if other is None or not has_base(patient):
        return False
    patient.write(other[:, ::-1])
    return True


@odd
def mask_of_the_most_similar_probe(patient: Patient) -> bool:
    other = _another(patient, alike=True)
    if other is None or not has_base(patient):
        return False
    patient.write(other)
    return True


@odd
def row_names_mask_of_another(patient: Patient) -> bool:
    if not has_base(patient):
        return False

    def change(rows: list[dict[str, str]]) -> bool:
        column = "ProbeMaskFileName" if patient.trial.reference else "ProbeBitPlaneMaskFileName"
        own = [row for row in rows if row.get("ProbeFileID") == patient.trial.probe.id]
        names = {row.get(column, "") for row in rows if row.get("IsTarget") == "Y"}
        names -= {row.get(column, "") for row in own} | {""}
        if not own or not own[0].get(column) or not names:
            return False
        own[0][column] = patient.rng.choice(sorted(names))
        return True

    return patient.edit("reference", change)


@odd
def blob_deleted(patient: Patient) -> bool:
    area = patient.marked(patient.read())
    parts = _parts(area, least_px=250)
    if len(parts) < 2 or not has_base(patient):
        return False
    return repaint(patient, area & ~patient.rng.choice(parts))


@odd
def blob_moved(patient: Patient) -> bool:
    area = patient.marked(patient.read())
    parts = _parts(area, least_px=600)
    if len(parts) < 2 or not has_base(patient):
        return False
    part, far = patient.rng.choice(parts), patient.rng.randrange(40, 90)
    moved = np.roll(
        part, (patient.rng.choice((-far, far)), patient.rng.choice((-far, far))), (0, 1)
    )
    return repaint(patient, (area & ~part) | moved)


@odd
def dilated_anyhow(patient: Patient) -> bool:
    px = round(math.exp(patient.rng.uniform(math.log(3), math.log(40))))
    area = patient.marked(patient.read()).astype(np.uint8)
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * px + 1, 2 * px + 1))
    return has_base(patient) and repaint(patient, np.asarray(cv2.dilate(area, kernel) > 0))


@odd
def eroded_anyhow(patient: Patient) -> bool:
    px = round(math.exp(patient.rng.uniform(math.log(3), math.log(15))))
    area = patient.marked(patient.read()).astype(np.uint8)
    kernel = cv2.getStructuringElement(cv2.MORPH_RECT, (2 * px + 1, 2 * px + 1))
    left = np.asarray(cv2.erode(area, kernel) > 0)
    return has_base(patient) and bool(left.any()) and repaint(patient, left)


@odd
def shifted_anyhow(patient: Patient) -> bool:
    far = math.exp(patient.rng.uniform(math.log(2), math.log(60)))
    angle = patient.rng.uniform(0, 2 * math.pi)
    dx, dy = round(far * math.cos(angle)), round(far * math.sin(angle))
    matrix = np.array([[1, 0, dx], [0, 1, dy]], np.float64)
    return has_base(patient) and bool(dx or dy) and warp(patient, matrix)


@odd
def stretched(patient: Patient) -> bool:
    height, width = patient.read().shape[:2]
    x, y = patient.rng.choice(((0.93, 1.0), (1.0, 1.08), (1.1, 0.95), (1.06, 1.0)))
    matrix = np.array([[x, 0, (1 - x) * width / 2], [0, y, (1 - y) * height / 2]], np.float64)
    return has_base(patient) and warp(patient, matrix)


@odd
def scaled_from_the_corner(patient: Patient) -> bool:
    scale = patient.rng.choice((0.85, 0.92, 0.96, 1.05, 1.12))
    matrix = np.array([[scale, 0, 0], [0, scale, 0]], np.float64)
    return has_base(patient) and warp(patient, matrix)


@odd
def sheared(patient: Patient) -> bool:
    height = patient.read().shape[0]
    by = patient.rng.choice((-0.15, -0.08, 0.08, 0.15))
    matrix = np.array([[1, by, -by * height / 2], [0, 1, 0]], np.float64)
    return has_base(patient) and warp(patient, matrix)


@odd
def flipped_upside_down_and_shifted(patient: Patient) -> bool:
    pixels = patient.read()
    turned = np.roll(pixels[::-1], patient.rng.randrange(5, 25), axis=1)
    if not has_base(patient) or np.array_equal(turned, pixels):
        return False
    patient.write(turned)
    return True


@odd
def convex_hull(patient: Patient) -> bool:
    area = patient.marked(patient.read())
    points = cv2.findNonZero(area.astype(np.uint8))
    if points is None or not has_base(patient):
        return False
    drawn = np.zeros(area.shape, np.uint8)
    cv2.fillConvexPoly(drawn, cv2.convexHull(points), 1)
    return float(drawn.mean()) > 1.4 * float(area.mean()) and repaint(patient, drawn > 0)


@odd
def outline_only(patient: Patient) -> bool:
    area = patient.marked(patient.read()).astype(np.uint8)
    px = patient.rng.choice((3, 5))
    inner = cv2.erode(area, np.ones((2 * px + 1, 2 * px + 1), np.uint8)) > 0
    return bool(inner.sum() > 0.3 * area.sum()) and repaint(patient, (area > 0) & ~inner)


@odd
def salted(patient: Patient) -> bool:
    area = patient.marked(patient.read())
    share = patient.rng.uniform(0.002, 0.03)
    drawn = np.random.default_rng(patient.rng.randrange(999)).random(area.shape) < share
    return repaint(patient, area ^ drawn)


@odd
def in_blocks(patient: Patient) -> bool:
    area = patient.marked(patient.read()).astype(np.uint8)
    edge = patient.rng.choice((16, 24, 32))
    height, width = area.shape
    small = cv2.resize(
        area, (max(1, width // edge), max(1, height // edge)), interpolation=cv2.INTER_AREA
    )
    large = cv2.resize(small, (width, height), interpolation=cv2.INTER_NEAREST) > 0
    return has_base(patient) and bool(large.any()) and repaint(patient, large)


@odd
def gamma_of_colours(patient: Patient) -> bool:
    if patient.has_planes:
        return False
    pixels = patient.read()
    gamma = patient.rng.choice((0.6, 0.8, 1.3, 2.2))
    changed = np.round(255 * (pixels / 255.0) ** gamma).astype(np.uint8)
    if np.array_equal(changed, pixels):
        return False
    patient.write(changed)
    return True


@odd
def red_and_blue_swapped(patient: Patient) -> bool:
    pixels = patient.read()
    turned = pixels[:, :, ::-1]
    if patient.has_planes or patient.is_imdl or np.array_equal(turned, pixels):
        return False
    known = {op.color for op in patient.trial.operations}
    shown = {tuple(one) for one in np.unique(turned.reshape(-1, 3), axis=0).tolist()}
    if not known or shown <= known | {(255, 255, 255)}:
        return False
    patient.write(turned)
    return True


@odd
def planes_moved_by_one(patient: Patient) -> bool:
    if not patient.has_planes or not any(op.bit_plane for op in patient.trial.operations):
        return False
    patient.write((patient.read().astype(np.uint16) << 1).astype(np.uint8))
    return True


@odd
def donor_and_probe_masks_swapped(patient: Patient) -> bool:
    donor, own = patient.trial.donor_reference, patient.mask_path
    if not donor or own is None or not patient.path(donor).is_file() or not has_base(patient):
        return False
    other = patient.path(donor)
    if other == own or other.read_bytes() == own.read_bytes():
        return False
    held = own.read_bytes()
    own.write_bytes(other.read_bytes())
    other.write_bytes(held)
    return True


@odd
def mask_of_a_non_target(patient: Patient) -> bool:
    """A row that says N of a trial whose mask is marked."""

    def change(rows: list[dict[str, str]]) -> bool:
        for row in rows:
            if row.get("ProbeFileID") == patient.trial.probe.id and row.get("IsTarget") == "Y":
                row["IsTarget"] = "N"
                return True
        return False

    return patient.edit("reference", change)


@odd
def pixel_size_far_off(patient: Patient) -> bool:
    share = patient.marked(patient.read()).mean()

    def change(rows: list[dict[str, str]]) -> bool:
        for row in rows:
            if row.get("ProbeFileID") != patient.trial.probe.id:
                continue
            if (cell := row.get("CompositePixelSize", "")) == "":
                continue
            is_number = cell.replace(".", "", 1).isdigit()
            factor = patient.rng.choice((0.3, 0.6, 1.7, 3.0))
            word = "small" if share > 0.01 else "large"
            row["CompositePixelSize"] = str(round(float(cell) * factor)) if is_number else word
            return row["CompositePixelSize"] != cell
        return False

    return patient.edit("reference", change)


@odd
def probe_of_another_trial(patient: Patient) -> bool:
    """The bytes of another probe under this name."""
    own = patient.path(patient.trial.probe.name)
    trials = [patient.task.trials[row] for row in range(len(patient.task.trials))]
    paths = [patient.path(t.probe.name) for t in trials if t.probe.id != patient.trial.probe.id]
    others = [path for path in paths if path.is_file() and path.read_bytes() != own.read_bytes()]
    if not others:
        return False
    shutil.copyfile(patient.rng.choice(others), own)
    return True


@odd
def colour_of_an_operation_changed(patient: Patient) -> bool:
    def change(rows: list[dict[str, str]]) -> bool:
        steps = {op.key for op in patient.trial.operations if op.color}
        own = [
            row
            for row in rows
            if (row["JournalName"], row["StartNodeID"], row["EndNodeID"]) in steps
        ]
        pixels = patient.read()
        shown = {tuple(one) for one in np.unique(pixels.reshape(-1, 3), axis=0).tolist()}
        for row in own:
            cell = row.get("Color", "")
            if cell and tuple(map(int, cell.split())) in shown:
                row["Color"] = " ".join(str(patient.rng.randrange(256)) for _ in range(3))
                return True
        return False

    return not patient.has_planes and patient.edit("journalmask", change)


def _move_interval(patient: Patient, by: int) -> bool:
    steps = {op.key for op in patient.trial.operations}

    def change(rows: list[dict[str, str]]) -> bool:
        for row in rows:
            step = row["JournalName"], row["StartNodeID"], row["EndNodeID"]
            cell = row.get("VideoFrame", "[]")
            if step in steps and cell not in ("", "[]"):
                first, last = cell.strip("[]").replace("], [", ",").split(",")[:2]
                row["VideoFrame"] = f"[[{int(first) + by}, {int(last) + by}]]"
                return True
        return False

    return patient.task.kind is TaskKind.VIDEO and patient.edit("journalmask", change)


@odd
def interval_moved(patient: Patient) -> bool:
    return _move_interval(patient, patient.rng.choice((-40, -15, 15, 40)))


@odd
def frame_count_wrong(patient: Patient) -> bool:
    def change(rows: list[dict[str, str]]) -> bool:
        for row in rows:
            if row.get("ProbeFileID") == patient.trial.probe.id and row.get("FrameCount"):
                count = int(row["FrameCount"])
                row["FrameCount"] = str(count + patient.rng.choice((-30, -7, 7, 300)))
                return True
        return False

    return patient.task.kind is TaskKind.VIDEO and patient.edit("index", change)


ODD_VIDEO_KINDS = ("interval_moved", "frame_count_wrong")
