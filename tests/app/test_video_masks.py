"""Spatial masks of videos, frame by frame and over intervals."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import pytest
from numpy.typing import NDArray

from forensicviewer.app.video_masks import VideoMaskRequest, score_video_mask
from forensicviewer.core.kernel import KernelShape
from forensicviewer.core.mask import Kernels, ReferenceMask
from forensicviewer.core.model import Operation
from forensicviewer.core.problem import ScoringError
from forensicviewer.core.score import ThresholdSweep

KERNELS = Kernels(KernelShape.BOX, 3, 3, 3)


def write(path: Path, blocks: dict[int, NDArray[np.uint8]]) -> Path:
    with h5py.File(path, "w") as file:
        for start, frames in blocks.items():
            file[f"{start}/masks"] = frames
    return path


@pytest.fixture
def frames() -> NDArray[np.uint8]:
    made = np.full((4, 20, 24), 255, np.uint8)
    for number in range(4):
        made[number, 5:15, 3 + number : 13 + number] = 0
    return made


def test_frames_score_like_single_images(tmp_path: Path, frames: NDArray[np.uint8]) -> None:
    answers = np.random.default_rng(1).integers(0, 256, frames.shape).astype(np.uint8)
    reference = write(tmp_path / "r.hdf5", {10: frames})
    system = write(tmp_path / "s.hdf5", {10: answers})

    score = score_video_mask(VideoMaskRequest(reference, system, KERNELS))

    assert [one.frame for one in score.frames] == [11, 12, 13, 14]
    for one, mask, answer in zip(score.frames, frames, answers, strict=True):
        regions = ReferenceMask.from_area(mask == 0).regions(None, KERNELS)
        single = ThresholdSweep.of(255 - answer, regions)
        assert np.array_equal(one.sweep.tp, single.tp)
        assert one.sweep.optimum == single.optimum


def test_an_interval_pools_the_pixels_of_its_frames(
    tmp_path: Path, frames: NDArray[np.uint8]
) -> None:
    reference = write(tmp_path / "r.hdf5", {0: frames})
    system = write(tmp_path / "s.hdf5", {0: frames[:2]})

    score = score_video_mask(VideoMaskRequest(reference, system, KERNELS))

    first, rest = score.over(1, 2), score.over(3, 4)
    assert first.mcc[first.optimum or 0] == 1.0
    assert rest.optimum == 256
    assert np.array_equal(score.whole.fn, first.fn + rest.fn)
    assert score.whole.scored == first.scored + rest.scored


def test_frames_without_a_reference_mask_are_unmanipulated(
    tmp_path: Path, frames: NDArray[np.uint8]
) -> None:
    reference = write(tmp_path / "r.hdf5", {2: frames})

    score = score_video_mask(VideoMaskRequest(reference, None, KERNELS, interval=(1, 3)))

    assert [one.sweep.positives > 0 for one in score.frames] == [False, False, True]


def test_operations_select_planes_of_the_reference(tmp_path: Path) -> None:
    planes = np.zeros((1, 12, 12), np.uint8)
    planes[0, :6] = 1
    planes[0, 6:, 6:] = 2
    reference = write(tmp_path / "r.hdf5", {0: planes})
    operations = tuple(Operation("j", str(b), "", "Paste", bit_plane=b) for b in (1, 2))

    score = score_video_mask(
        VideoMaskRequest(
            reference, None, Kernels(KernelShape.BOX, 0, 0, 0), operations=operations, selected=[0]
        )
    )

    assert score.whole.positives == 72
    assert score.whole.counts.unselected_px == 36


def test_opted_out_pixels_are_not_scored(tmp_path: Path, frames: NDArray[np.uint8]) -> None:
    reference = write(tmp_path / "r.hdf5", {0: frames})
    system = write(tmp_path / "s.hdf5", {0: np.full_like(frames, 7)})

    score = score_video_mask(VideoMaskRequest(reference, system, KERNELS, opt_out_level=7))

    assert score.whole.scored == 0


def test_frames_of_another_size_are_refused(tmp_path: Path, frames: NDArray[np.uint8]) -> None:
    reference = write(tmp_path / "r.hdf5", {0: frames})
    system = write(tmp_path / "s.hdf5", {0: frames[:, :10]})

    with pytest.raises(ScoringError, match="24×10"):  # noqa: RUF001 - the sign people read
        score_video_mask(VideoMaskRequest(reference, system, KERNELS))


def test_an_interval_without_frames_is_refused(tmp_path: Path, frames: NDArray[np.uint8]) -> None:
    reference = write(tmp_path / "r.hdf5", {0: frames})

    with pytest.raises(ScoringError, match="no frame"):
        score_video_mask(VideoMaskRequest(reference, None, KERNELS, interval=(5, 4)))
