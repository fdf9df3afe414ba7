"""The MFC18 bit planes and the colour masks tell the same story, but for what colours cannot say.

Known differences, all asserted below:

* A pixel has one colour but may be set in several planes. The colour is that of the latest
  operation (smallest ``Sequence``), so an earlier operation's colour area is its plane without
  the planes of later ones: 1683 of the 5 335 350 pixels of one splice lie under a later paste.
* Operations on the whole picture (noise, rotation, camera fingerprints) have neither colour nor
  plane: their cells are blank and ``None``.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from forensicviewer.core.array import BoolImage
from forensicviewer.sources.media.masks import read_bit_planes, read_colour_reference

TABLES = "reference/manipulation-image/MFC18-manipulation-image-ref"
STEP = ("JournalName", "StartNodeID", "EndNodeID")


@dataclass(frozen=True)
class Step:
    operation: str
    sequence: int
    colour: str
    plane: str


@dataclass(frozen=True)
class Areas:
    by_colour: BoolImage
    by_plane: BoolImage


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as stream:
        return list(csv.DictReader(stream, delimiter="|"))


def steps_of(probe: str, root: Path) -> list[Step]:
    """The probe's operations, the latest first."""
    masks = {
        tuple(row[key] for key in STEP): row for row in rows(root / f"{TABLES}-journalmask.csv")
    }
    joined = [
        (int(row["Sequence"]), masks[tuple(row[key] for key in STEP)])
        for row in rows(root / f"{TABLES}-probejournaljoin.csv")
        if row["ProbeFileID"] == probe
    ]
    return sorted(
        (Step(row["Operation"], order, row["Color"], row["BitPlane"]) for order, row in joined),
        key=lambda step: step.sequence,
    )


def localised(root: Path, probe: str) -> list[tuple[Step, Areas]]:
    row = next(row for row in rows(root / f"{TABLES}.csv") if row["ProbeFileID"] == probe)
    colours = read_colour_reference(root / row["ProbeMaskFileName"])
    planes = read_bit_planes(root / row["ProbeBitPlaneMaskFileName"])
    found = []
    for step in steps_of(probe, root):
        if step.colour:
            channel, bit = divmod(int(step.plane) - 1, 8)
            rgb = np.array([int(level) for level in step.colour.split()])
            areas = Areas(
                by_colour=(colours == rgb).all(axis=2),
                by_plane=(planes[:, :, channel] >> bit & 1).astype(bool),
            )
            found.append((step, areas))
    return found


@pytest.fixture
def root(nist_suite: Path) -> Path:
    return nist_suite / "maskScorerTests"


PROBES = {
    "14cffdc6394f9503661d40c9ac7328ca": ["PasteSplice"],
    "c3b7512b719df5670aa70fd0b152b86a": ["PasteSampled", "PasteSplice"],
}


@pytest.mark.parametrize("probe", PROBES)
def test_a_colour_is_its_plane_without_the_planes_of_later_operations(
    root: Path, probe: str
) -> None:
    steps = localised(root, probe)

    assert [step.operation for step, _ in steps] == PROBES[probe]
    later = np.zeros_like(steps[0][1].by_plane)
    for _, areas in steps:
        np.testing.assert_array_equal(areas.by_colour, areas.by_plane & ~later)
        later |= areas.by_plane


@pytest.mark.parametrize("probe", PROBES)
def test_colours_and_planes_cover_the_same_pixels(root: Path, probe: str) -> None:
    steps = localised(root, probe)

    covered = np.any([areas.by_plane for _, areas in steps], axis=0)
    coloured = np.any([areas.by_colour for _, areas in steps], axis=0)

    np.testing.assert_array_equal(covered, coloured)


def test_what_a_later_operation_hides_is_known_only_to_the_planes(root: Path) -> None:
    (_, paste), (_, splice) = localised(root, "c3b7512b719df5670aa70fd0b152b86a")

    hidden = splice.by_plane & ~splice.by_colour

    assert (splice.by_plane.sum(), splice.by_colour.sum(), hidden.sum()) == (
        5_335_350,
        5_333_667,
        1_683,
    )
    assert not (hidden & ~paste.by_plane).any()


@pytest.mark.parametrize("probe", PROBES)
def test_operations_without_a_colour_have_no_plane(root: Path, probe: str) -> None:
    everywhere = [step for step in steps_of(probe, root) if not step.colour]

    assert everywhere
    assert {step.plane for step in everywhere} == {"None"}


@pytest.mark.parametrize("probe", PROBES)
def test_no_plane_is_set_that_the_journal_does_not_name(root: Path, probe: str) -> None:
    row = next(row for row in rows(root / f"{TABLES}.csv") if row["ProbeFileID"] == probe)
    planes = read_bit_planes(root / row["ProbeBitPlaneMaskFileName"])
    named = sum(1 << (int(step.plane) - 1) for step, _ in localised(root, probe))

    assert planes.shape[2] == 1
    assert int(np.bitwise_or.reduce(planes, axis=None)) == named
