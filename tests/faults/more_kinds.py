"""Further ways to damage a reference; no rule was made with these in view."""

from __future__ import annotations

import cv2
import numpy as np

from forensicviewer.core.model import TaskKind
from tests.faults.kinds import Fault, Patient, Pixels, has_base, warp

MORE_FAULTS: dict[str, Fault] = {}


def further(function: Fault) -> Fault:
    MORE_FAULTS[function.__name__] = function
    return function


def repaint(patient: Patient, marked: np.ndarray) -> bool:
    """Write a mask with this area; new pixels get the first colour, old ones keep theirs."""
    pixels = patient.read().copy()
    before = patient.marked(pixels)
    if not before.any() or np.array_equal(before, marked):
        return False
    ink = pixels[before][0].copy()
    pixels[before & ~marked] = patient.blank
    pixels[marked & ~before] = ink
    patient.write(pixels)
    return True


def _grown(patient: Patient, px: int) -> np.ndarray:
    marked = patient.marked(patient.read()).astype(np.uint8)
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * abs(px) + 1,) * 2)
    change = cv2.dilate if px > 0 else cv2.erode
    return np.asarray(change(marked, kernel) > 0)


@further
def turned_by_180(patient: Patient) -> bool:
    pixels = patient.read()
    turned = pixels[::-1, ::-1]
    if not has_base(patient) or np.array_equal(turned, pixels):
        return False
    patient.write(turned)
    return True


@further
def transposed(patient: Patient) -> bool:
    patient.write(patient.read().transpose(1, 0, 2))
    return True


@further
def dilated_hugely(patient: Patient) -> bool:
    return has_base(patient) and repaint(patient, _grown(patient, patient.rng.randrange(20, 60)))


@further
def thinned(patient: Patient) -> bool:
    marked = _grown(patient, -patient.rng.choice((3, 4, 5)))
    return has_base(patient) and bool(marked.any()) and repaint(patient, marked)


@further
def half_cut_off(patient: Patient) -> bool:
    marked = patient.marked(patient.read())
    rows, columns = np.nonzero(marked)
    if len(rows) < 800 or not has_base(patient):
        return False
    middle, half = int(np.median(columns)), marked.copy()
    half[:, middle:] = False
    if patient.rng.random() < 0.5:
        half = marked.copy()
        half[int(np.median(rows)) :] = False
    return repaint(patient, half)


@further
def shifted_by_3(patient: Patient) -> bool:
    return has_base(patient) and warp(patient, np.array([[1, 0, 3], [0, 1, 0]], np.float64))


@further
def rolled_around(patient: Patient) -> bool:
    if not has_base(patient):
        return False
    pixels = patient.read()
    patient.write(np.roll(pixels, patient.rng.randrange(20, pixels.shape[1] // 2), axis=1))
    return True


@further
def bounding_box(patient: Patient) -> bool:
    marked = patient.marked(patient.read())
    rows, columns = np.nonzero(marked)
    filled = marked.copy()
    filled[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1] = True
    return has_base(patient) and filled.mean() > 1.3 * marked.mean() and repaint(patient, filled)


@further
def values_inverted(patient: Patient) -> bool:
    if patient.has_planes:
        return False
    patient.write(255 - patient.read())
    return True


@further
def through_jpeg(patient: Patient) -> bool:
    if patient.has_planes:
        return False
    quality = [cv2.IMWRITE_JPEG_QUALITY, patient.rng.choice((60, 75, 90))]
    _, packed = cv2.imencode(".jpg", patient.read()[:, :, ::-1], quality)
    decoded = cv2.imdecode(packed, cv2.IMREAD_COLOR)
    patient.write(np.asarray(decoded, np.uint8)[:, :, ::-1])
    return True


@further
def blank_off_by_one(patient: Patient) -> bool:
    if patient.has_planes:
        return False
    pixels = patient.read().copy()
    pixels[~patient.marked(pixels)] = abs(patient.blank - 1)
    patient.write(pixels)
    return True


@further
def frame_of_one_pixel(patient: Patient) -> bool:
    marked = patient.marked(patient.read())
    framed = marked.copy()
    framed[0] = framed[-1] = framed[:, 0] = framed[:, -1] = True
    return repaint(patient, framed)


@further
def antialiased(patient: Patient) -> bool:
    if patient.has_planes:
        return False
    blurred = cv2.GaussianBlur(patient.read(), (0, 0), patient.rng.choice((1.5, 3.0)))
    patient.write(np.asarray(blurred, np.uint8))
    return True


@further
def every_second_row(patient: Patient) -> bool:
    marked = patient.marked(patient.read()).copy()
    marked[::2] = False
    return repaint(patient, marked)


@further
def noise(patient: Patient) -> bool:
    shape = patient.marked(patient.read()).shape
    drawn = np.random.default_rng(patient.rng.randrange(99)).random(shape)
    return repaint(patient, np.asarray(drawn < 0.3))


@further
def blot_added(patient: Patient) -> bool:
    marked = patient.marked(patient.read())
    near = cv2.dilate(marked.astype(np.uint8), np.ones((81, 81), np.uint8)) > 0
    rows, columns = np.nonzero(~near)
    if len(rows) < 4000 or not has_base(patient):
        return False
    spot = patient.rng.randrange(len(rows))
    drawn = np.zeros(marked.shape, np.uint8)
    center = (int(columns[spot]), int(rows[spot]))
    cv2.circle(drawn, center, patient.rng.randrange(14, 30), 1, -1)
    return repaint(patient, marked | (drawn > 0))


@further
def part_erased(patient: Patient) -> bool:
    marked = patient.marked(patient.read())
    count, labels, stats, _ = cv2.connectedComponentsWithStats(marked.astype(np.uint8))
    sizes = np.asarray(stats)[:, cv2.CC_STAT_AREA]
    large = [n for n in range(1, count) if sizes[n] > 0.1 * marked.sum() and sizes[n] > 600]
    if len(large) < 2 or not has_base(patient):
        return False
    return repaint(patient, marked & (labels != patient.rng.choice(large)))


@further
def box_somewhere_else(patient: Patient) -> bool:
    marked = patient.marked(patient.read())
    height, width = marked.shape
    near = cv2.dilate(marked.astype(np.uint8), np.ones((9, 9), np.uint8)) > 0
    for _ in range(200):
        top, left = patient.rng.randrange(height * 3 // 4), patient.rng.randrange(width * 3 // 4)
        drawn = np.zeros_like(marked)
        drawn[top : top + height // 5, left : left + width // 5] = True
        if not (drawn & near).any():
            return has_base(patient) and repaint(patient, drawn)
    return False


@further
def colours_swapped(patient: Patient) -> bool:
    if patient.has_planes or patient.is_imdl or not patient.trial.bit_planes:
        return False
    pixels = patient.read().copy()
    colors = [op.color for op in patient.trial.operations if op.color]
    shown = [c for c in dict.fromkeys(colors) if (pixels == c).all(axis=2).sum() > 200]
    if len(shown) < 2:
        return False
    one, two = patient.rng.sample(shown, 2)
    first, second = ((pixels == color).all(axis=2) for color in (one, two))
    pixels[first], pixels[second] = two, one
    patient.write(pixels)
    return True


@further
def probe_replaced_by_base(patient: Patient) -> bool:
    if not has_base(patient):
        return False
    base = cv2.imread(str(patient.path(patient.trial.facts["BaseFileName"])))
    assert base is not None
    path = patient.path(patient.trial.probe.name)
    cv2.imwrite(str(path), base, [cv2.IMWRITE_JPEG_QUALITY, 95])
    return True


@further
def noise_on_levels(patient: Patient) -> bool:
    """Marked pixels that are not quite black, or not quite white."""
    if patient.has_planes:
        return False
    pixels: Pixels = patient.read().copy()
    marked = patient.marked(pixels)
    drawn = np.random.default_rng(patient.rng.randrange(99)).integers(0, 12, pixels.shape)
    near = pixels.astype(np.int16) + np.where(pixels < 128, drawn, -drawn)
    pixels[marked] = near.clip(0, 255).astype(np.uint8)[marked]
    patient.write(pixels)
    return True


@further
def cropped_and_padded(patient: Patient) -> bool:
    pixels = patient.read()
    cut = patient.rng.randrange(10, 30)
    moved = np.full_like(pixels, patient.blank)
    moved[:-cut, :-cut] = pixels[cut:, cut:]
    if not has_base(patient) or np.array_equal(moved, pixels):
        return False
    patient.write(moved)
    return True


@further
def width_and_height_swapped(patient: Patient) -> bool:
    def change(rows: list[dict[str, str]]) -> bool:
        for row in rows:
            if row.get("ProbeFileID") == patient.trial.probe.id and row.get("ProbeWidth"):
                row["ProbeWidth"], row["ProbeHeight"] = row["ProbeHeight"], row["ProbeWidth"]
                return row["ProbeWidth"] != row["ProbeHeight"]
        return False

    return patient.edit("index", change)


@further
def interval_runs_backwards(patient: Patient) -> bool:
    if patient.task.kind is not TaskKind.VIDEO:
        return False
    steps = {op.key for op in patient.trial.operations}

    def change(rows: list[dict[str, str]]) -> bool:
        for row in rows:
            step = row["JournalName"], row["StartNodeID"], row["EndNodeID"]
            cell = row.get("VideoFrame", "[]")
            if step in steps and cell not in ("", "[]"):
                first, last = cell.strip("[]").replace("], [", ",").split(",")[:2]
                row["VideoFrame"] = f"[[{last}, {first}]]"
                return True
        return False

    return patient.edit("journalmask", change)


VIDEO_KINDS = ("interval_runs_backwards",)
