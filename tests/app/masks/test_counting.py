"""Counting in the process that decodes: only tables come back, and the right file is blamed."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from forensicviewer.app.masks.counting import CountOutcome, count_all
from forensicviewer.app.masks.image_count import CountJob, ImageMark, ReferenceKind
from forensicviewer.app.masks.video_count import VideoJob
from forensicviewer.core.kernel import Kernels
from forensicviewer.sources.decoders.limits import Limits
from forensicviewer.sources.decoders.pool import DecoderPool, close_decoders, use_decoders
from forensicviewer.sources.decoders.process import Call
from forensicviewer.sources.decoders.shared_buffer import ArraySlot, BufferReader
from forensicviewer.sources.media.masks import Polarity
from forensicviewer.sources.video.masks import write_video_mask
from tests.stories.decoders.faulty_codec import Fault, mark

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
        marks=(ImageMark(RED, None, selected=True),),
        kernels=Kernels(erode_px=0, dilate_px=0, distraction_px=0),
    )


@pytest.fixture
def received(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many bytes each array has that came out of a decoder."""
    seen: list[int] = []
    read = BufferReader.read

    def count_bytes(reader: BufferReader, places: Sequence[ArraySlot]) -> list[NDArray[Any]]:
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
    (answer,) = count_all([image_job(tmp_path)])

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

    (answer,) = count_all([job])

    assert [frame for frame, _ in answer.frames] == [1, 2, 3, 4, 5, 6]
    assert answer.counts is not None
    assert answer.counts.table.sum() == frames.size
    assert sum(received) < frames.size // 4


@pytest.mark.usefixtures("tight_pool")
def test_a_system_mask_beyond_the_limits_is_unreadable_and_named(tmp_path: Path) -> None:
    (answer,) = count_all([image_job(tmp_path, reference=100, system=20_000)])

    assert answer.outcome is CountOutcome.UNREADABLE
    assert "more memory than the limit of 160 MB" in answer.detail
    (answer,) = count_all([image_job(tmp_path, reference=100, system=100)])
    assert answer.outcome is CountOutcome.COUNTED


@pytest.mark.usefixtures("tight_pool")
def test_a_reference_beyond_the_limits_is_broken_and_named(tmp_path: Path) -> None:
    (answer,) = count_all([image_job(tmp_path, reference=10_000, system=100)])

    assert answer.outcome is CountOutcome.BROKEN_REFERENCE
    assert "more memory than the limit of 160 MB" in answer.detail


def many_jobs(folder: Path, count: int, *, edge: int = 40) -> list[CountJob]:
    jobs = []
    for number in range(count):
        (folder / str(number)).mkdir()
        jobs.append(image_job(folder / str(number), reference=edge, system=edge))
    return jobs


@pytest.fixture
def questions(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """What decoders are asked."""
    asked: list[object] = []
    ask = DecoderPool.ask

    def note(pool: DecoderPool, call: Call[Any]) -> Any:
        asked.append(call.function)
        return ask(pool, call)

    monkeypatch.setattr(DecoderPool, "ask", note)
    return asked


def test_many_small_masks_are_one_question(tmp_path: Path, questions: list[object]) -> None:
    jobs = many_jobs(tmp_path, 30)

    answers = count_all(jobs)

    assert len(questions) == 1
    alone = jobs[0].count()
    assert alone.counts is not None
    for answer, job in zip(answers, jobs, strict=True):
        assert answer.counts is not None
        assert (answer.counts.table == alone.counts.table).all()
        assert [path for path, _, _ in answer.digests] == list(job.files)


def test_more_masks_than_files_may_be_open_are_several_questions(
    tmp_path: Path, questions: list[object]
) -> None:
    job = image_job(tmp_path, reference=20, system=20)

    answers = count_all([job] * 300)

    assert {answer.outcome for answer in answers} == {CountOutcome.COUNTED}
    assert len(questions) == 5


def test_broken_masks_in_a_bundle_are_named_and_cost_no_other(tmp_path: Path) -> None:
    jobs = many_jobs(tmp_path, 6)
    assert jobs[1].system is not None
    assert jobs[2].reference is not None
    assert jobs[3].system is not None
    jobs[1].system.write_bytes(b"not a mask")
    jobs[2].reference.write_bytes(b"")
    jobs[3].system.unlink()

    outcomes = [answer.outcome for answer in count_all(jobs)]

    assert outcomes == [
        CountOutcome.COUNTED,
        CountOutcome.UNREADABLE,
        CountOutcome.BROKEN_REFERENCE,
        CountOutcome.UNREADABLE,
        CountOutcome.COUNTED,
        CountOutcome.COUNTED,
    ]


@pytest.mark.usefixtures("tight_pool")
def test_a_mask_beyond_the_limits_costs_no_other_of_its_bundle(tmp_path: Path) -> None:
    jobs = many_jobs(tmp_path, 5)
    (tmp_path / "large").mkdir()
    jobs.insert(2, image_job(tmp_path / "large", reference=100, system=20_000))

    answers = count_all(jobs)

    assert [answer.outcome for answer in answers].count(CountOutcome.COUNTED) == 5
    assert answers[2].outcome is CountOutcome.UNREADABLE
    assert "more memory than the limit of 160 MB" in answers[2].detail


def test_a_decoder_that_dies_costs_its_bundle_a_second_try(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The codec with bugs ends its process at certain pixels."""
    jobs = many_jobs(tmp_path, 6)
    assert jobs[4].reference is not None
    mark(jobs[4].reference, Fault.CRASH)
    use_decoders(DecoderPool(modules=["tests.stories.decoders.broken_decoders"]))
    try:
        answers = count_all(jobs)
    finally:
        close_decoders()

    assert [answer.outcome for answer in answers].count(CountOutcome.COUNTED) == 5
    assert answers[4].outcome is CountOutcome.BROKEN_REFERENCE
    assert "The decoder ended while reading the file" in answers[4].detail
    caplog.clear()
