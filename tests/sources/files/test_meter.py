"""How far opening is."""

from __future__ import annotations

from pathlib import Path

import pytest

from forensicviewer.core.problem import ForensicViewerError
from forensicviewer.sources.datasets import read_dataset
from forensicviewer.sources.files.meter import MEGABYTE, Meter
from tests.build import a_dataset, box


def test_a_meter_counts_bytes_and_tells_megabytes() -> None:
    told: list[tuple[int, int]] = []
    meter = Meter(lambda done, total: told.append((done, total)), 3 * MEGABYTE)

    for _ in range(4):
        meter.add(MEGABYTE)

    assert told == [(1, 3), (2, 3), (3, 3), (3, 3)]


def test_opening_tells_how_far_it_is_until_it_is_done(tmp_path: Path) -> None:
    made = a_dataset(tmp_path).nist("NC2017").with_trial("p1", manipulated=box(4, 4, 30, 30))
    told: list[tuple[int, int]] = []

    read_dataset(made.write().root, progress=lambda done, total: told.append((done, total)))

    assert told == sorted(told)
    assert len({done for done, _ in told}) > 3
    assert told[-1][0] == told[-1][1]


def test_opening_ends_in_the_middle_when_nobody_waits(tmp_path: Path) -> None:
    made = a_dataset(tmp_path).nist("NC2017").with_trial("p1", manipulated=box(4, 4, 30, 30))

    def refuse(_done: int, _total: int) -> None:
        raise ForensicViewerError("enough")

    with pytest.raises(ForensicViewerError, match="enough"):
        read_dataset(made.write().root, progress=refuse)
