"""Counting in the process that decodes: only tables come back, and the right file is blamed."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from forensicviewer.app.masks.counting import CountOutcome, counted
from forensicviewer.app.masks.image_count import CountJob, Mark, ReferenceKind
from forensicviewer.app.masks.video_count import VideoJob
from forensicviewer.core.mask import Kernels
from forensicviewer.sources.decoders.limits import Limits
from forensicviewer.sources.decoders.pool import DecoderPool
from forensicviewer.sources.decoders.shared_buffer import BufferReader, Place
from forensicviewer.sources.media.masks import Polarity
from forensicviewer.sources.video.masks import write_video_mask

RED = (255, 0, 0)
EDGE = 2000


def image_job(folder: Path, *, reference: int = EDGE, system: int = EDGE) -> CountJob:
    """A red quarter, and a system that calls the upper half; both square, with these edges."""
    colours = np.full((reference, reference, 3), 255, np.uint8)
    colours[: reference // 2, : reference // 2] = RED[::-1]
    scores = np.full((system, system), 255, np.uint8)
    scores[: system // 2] = 0
    paths = folder / "reference.png", folder / "system.png"
    for path, pixels in zip(paths, (colours, scores), strict=True):
        assert cv2.imwrite(str(path), pixels)
    return CountJob(
        reference=paths[0],
        system=paths[1],
        kind=ReferenceKind.COLOURS,
        marks=(Mark(RED, None, selected=True),),
        kernels=Kernels(erode_px=0, dilate_px=0, distraction_px=0),
    )


@pytest.fixture
def received(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many bytes each array has that came out of a decoder."""
    seen: list[int] = []
    read = BufferReader.read

    def count_bytes(reader: BufferReader, places: Sequence[Place]) -> list[NDArray[Any]]:
        seen.extend(place.size for place in places)
        return read(reader, places)

    monkeypatch.setattr(BufferReader, "read", count_bytes)
    return seen


@pytest.fixture
def tight_pool(monkeypatch: pytest.MonkeyPatch) -> Iterator[DecoderPool]:
    """Decoders with just enough memory for the masks of these tests, unless one is enlarged."""
    pool = DecoderPool(limits=Limits(memory_mb=160))
    monkeypatch.setattr("forensicviewer.sources.decoders.pool._pool", pool)
    yield pool
    pool.close()


def test_only_the_table_of_counts_leaves_the_decoder(tmp_path: Path, received: list[int]) -> None:
    answer = counted(image_job(tmp_path))

    assert answer.outcome is CountOutcome.COUNTED
    assert answer.counts is not None
    # By hand: of the upper half, which is called, the left half is red.
    quarter = EDGE * EDGE // 4
    assert answer.counts.table[:, 255].sum() == 2 * quarter
    assert sorted(answer.counts.table[:, 255].tolist())[-2:] == [quarter, quarter]
    assert sum(received) < 64 * 1024 < EDGE * EDGE


def test_only_tables_of_a_video_leave_the_decoder(tmp_path: Path, received: list[int]) -> None:
    frames = np.full((6, 300, 400), 255, np.uint8)
    frames[:, :150] = 0
    write_video_mask(tmp_path / "r.hdf5", {0: frames})
    write_video_mask(tmp_path / "s.hdf5", {0: frames})
    job = VideoJob(
        reference=tmp_path / "r.hdf5",
        system=tmp_path / "s.hdf5",
        marks=(),
        kernels=Kernels(erode_px=0, dilate_px=0, distraction_px=0),
        manipulated_is=Polarity.BLACK,
    )

    answer = counted(job)

    assert [frame for frame, _ in answer.frames] == [1, 2, 3, 4, 5, 6]
    assert answer.counts is not None
    assert answer.counts.table.sum() == frames.size
    assert sum(received) < frames.size // 4


@pytest.mark.usefixtures("tight_pool")
def test_a_system_mask_beyond_the_limits_is_unreadable_and_named(tmp_path: Path) -> None:
    answer = counted(image_job(tmp_path, reference=100, system=20_000))

    assert answer.outcome is CountOutcome.UNREADABLE
    assert "more memory than the limit of 160 MB" in answer.detail
    assert counted(image_job(tmp_path, reference=100, system=100)).outcome is CountOutcome.COUNTED


@pytest.mark.usefixtures("tight_pool")
def test_a_reference_beyond_the_limits_is_broken_and_named(tmp_path: Path) -> None:
    answer = counted(image_job(tmp_path, reference=10_000, system=100))

    assert answer.outcome is CountOutcome.BROKEN_REFERENCE
    assert "more memory than the limit of 160 MB" in answer.detail
