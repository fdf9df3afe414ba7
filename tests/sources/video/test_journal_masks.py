"""Video masks as the Media Journaling Tool writes them: floats, named frames, padding."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from numpy.typing import NDArray

from forensicviewer.core.problem import CodecError
from forensicviewer.sources.media.masks import Polarity
from forensicviewer.sources.video.mask_reader import Block
from forensicviewer.sources.video.masks import open_video_mask

FRAMES = np.arange(4 * 6 * 8, dtype=np.float32).reshape(4, 6, 8) % 256


def write(
    path: Path,
    frames: NDArray[Any] = FRAMES,
    *,
    group: str = "10",
    says: dict[str, Any] | None = None,
    file_says: dict[str, Any] | None = None,
    is_frame_last: bool = False,
    stored: int = 10,
) -> Path:
    """A file that begins with room for ten frames, as the tool makes it."""
    padded = np.zeros((stored, *frames.shape[1:]), frames.dtype)
    padded[: len(frames)] = frames
    with h5py.File(path, "w") as file:
        file.attrs.update(file_says or {"mask_format": "framefirst", "fps": 25.0})
        data = np.moveaxis(padded, 0, -1) if is_frame_last else padded
        file.create_dataset(f"{group}/masks", data=data, chunks=True, compression="gzip")
        file[group].attrs.update({"start_frame": 10, "end_frame": 13} if says is None else says)
    return path


def test_frames_are_counted_from_1_and_end_where_the_file_says(tmp_path: Path) -> None:
    with open_video_mask(write(tmp_path / "m.hdf5")) as mask:
        assert mask.blocks == (Block(9, 4),)
        for at in range(4):
            scores = mask.scores_of_frame(10 + at, manipulated_is=Polarity.WHITE)
            np.testing.assert_array_equal(scores, FRAMES[at])
        assert mask.scores_of_frame(9, manipulated_is=Polarity.WHITE) is None
        assert mask.scores_of_frame(14, manipulated_is=Polarity.WHITE) is None
        assert mask.notes == (
            "The mask has start_frame, so its frames are counted from 1, not from 0",
            "6 frames after end_frame of the mask are ignored",
        )


def test_without_start_frame_a_group_is_counted_from_0(tmp_path: Path) -> None:
    with open_video_mask(write(tmp_path / "m.hdf5", says={}, stored=4)) as mask:
        assert mask.blocks == (Block(10, 4),)
        assert mask.notes == ()


@pytest.mark.parametrize("colours", [False, True])
def test_the_axis_of_frames_may_be_the_last(tmp_path: Path, *, colours: bool) -> None:
    frames = np.repeat(FRAMES[..., np.newaxis], 2, axis=3) if colours else FRAMES
    path = write(
        tmp_path / "m.hdf5",
        frames,
        is_frame_last=True,
        file_says={"mask_format": "framelast"},
    )

    with open_video_mask(path) as mask:
        assert (mask.size.width, mask.size.height, mask.channels) == (8, 6, 1 + colours)
        planes = mask.planes_at(11)
        assert planes is not None
        np.testing.assert_array_equal(planes[:, :, 0], FRAMES[2])


def test_one_group_of_masks_counts_from_what_the_file_says(tmp_path: Path) -> None:
    path = write(
        tmp_path / "m.hdf5",
        group="masks",
        says={},
        file_says={"start_frame": 7, "end_frame": 10, "start_time": 240.0},
    )

    with open_video_mask(path) as mask:
        assert mask.blocks == (Block(6, 4),)


def test_one_group_of_masks_that_says_nothing_begins_with_the_video(tmp_path: Path) -> None:
    path = write(tmp_path / "m.hdf5", group="masks", says={}, file_says={"fps": 25.0}, stored=4)

    with open_video_mask(path) as mask:
        assert mask.blocks == (Block(0, 4),)


def test_a_mask_of_bytes_says_its_frames_too(tmp_path: Path) -> None:
    with open_video_mask(write(tmp_path / "m.hdf5", FRAMES.astype(np.uint8))) as mask:
        np.testing.assert_array_equal(mask.levels_at(9), FRAMES[0])


@pytest.mark.parametrize("value", [-1.0, 256.0, np.nan, np.inf, 0.5])
def test_floats_that_are_no_levels_are_refused(value: float, tmp_path: Path) -> None:
    frames = FRAMES.copy()
    frames[2, 0, 0] = value
    with open_video_mask(write(tmp_path / "m.hdf5", frames)) as mask:
        assert mask.levels_at(10) is not None
        with pytest.raises(CodecError, match="The video mask holds values"):
            mask.levels_at(11)


@pytest.mark.parametrize(
    "says",
    [
        {"start_frame": 0, "end_frame": 3},
        {"start_frame": 10, "end_frame": 9},
        {"start_frame": "ten"},
        {"start_frame": np.arange(3)},
        {"start_frame": 1.5},
        {"start_frame": 10**15},
    ],
)
def test_frames_that_cannot_be_are_refused(says: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(CodecError) as caught:
        open_video_mask(write(tmp_path / "m.hdf5", says=says))
    assert caught.value.rule == "codec.wrong-shape"


def test_an_unknown_order_of_axes_is_not_supported(tmp_path: Path) -> None:
    path = write(tmp_path / "m.hdf5", file_says={"mask_format": "framemiddle"})

    with pytest.raises(CodecError, match="'framemiddle' of the video mask is not supported"):
        open_video_mask(path)
