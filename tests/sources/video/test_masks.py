"""HDF5 masks of videos: blocks, frame numbers, polarity, and files that try to lead elsewhere."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from numpy.typing import NDArray

from forensicviewer.core.array import Size
from forensicviewer.core.problem import CodecError
from forensicviewer.sources.media.masks import Polarity
from forensicviewer.sources.video.mask_reader import Block
from forensicviewer.sources.video.masks import VideoMask, open_video_mask, write_video_mask


@pytest.fixture
def frames() -> NDArray[np.uint8]:
    return np.random.default_rng(4).integers(0, 256, (5, 12, 16), dtype=np.uint8)


def test_written_blocks_read_back_frame_by_frame(tmp_path: Path, frames: NDArray[np.uint8]) -> None:
    write_video_mask(tmp_path / "m.hdf5", {30: frames[:3], 100: frames[3:]})

    with open_video_mask(tmp_path / "m.hdf5") as mask:
        assert mask.blocks == (Block(30, 3), Block(100, 2))
        assert mask.size == Size(16, 12)
        np.testing.assert_array_equal(mask.levels_at(32), frames[2])
        np.testing.assert_array_equal(
            mask.scores_at(100, manipulated_is=Polarity.BLACK), 255 - frames[3]
        )
        np.testing.assert_array_equal(
            mask.scores_of_frame(102, manipulated_is=Polarity.WHITE), frames[4]
        )


def test_a_mask_closed_while_it_is_read_gives_frames_or_says_so(
    tmp_path: Path, frames: NDArray[np.uint8]
) -> None:
    write_video_mask(tmp_path / "m.hdf5", {0: frames})
    kept = open_video_mask(tmp_path / "m.hdf5")

    def read_all(mask: VideoMask) -> str:
        try:
            for index in range(200):
                np.testing.assert_array_equal(mask.levels_at(index % 5), frames[index % 5])
        except CodecError as error:
            return error.rule
        return ""

    with ThreadPoolExecutor(3) as pool:
        for _ in range(20):
            mask = open_video_mask(tmp_path / "m.hdf5")
            reading = [pool.submit(read_all, mask) for _ in range(3)]
            mask.close()
            mask.close()
            assert {each.result() for each in reading} <= {"", "codec.closed"}
            with pytest.raises(CodecError, match="has been closed"):
                mask.levels_at(0)

    # The same file opened a second time is not closed with it.
    np.testing.assert_array_equal(kept.levels_at(4), frames[4])
    kept.close()


def test_frames_outside_the_blocks_have_no_mask(tmp_path: Path, frames: NDArray[np.uint8]) -> None:
    write_video_mask(tmp_path / "m.hdf5", {9: frames, 100: frames})

    with open_video_mask(tmp_path / "m.hdf5") as mask:
        present = [mask.levels_at(index) is not None for index in (0, 8, 9, 13, 14, 99, 104, 105)]

    assert present == [False, False, True, True, False, False, True, False]


def test_blocks_are_ordered_by_number_and_not_by_name(
    tmp_path: Path, frames: NDArray[np.uint8]
) -> None:
    write_video_mask(tmp_path / "m.hdf5", {100: frames, 20: frames})

    with open_video_mask(tmp_path / "m.hdf5") as mask:
        assert [block.start for block in mask.blocks] == [20, 100]


def test_bit_planes_keep_their_channels(tmp_path: Path) -> None:
    planes = np.random.default_rng(6).integers(0, 256, (2, 8, 9, 3), dtype=np.uint8)
    write_video_mask(tmp_path / "m.hdf5", {0: planes})

    with open_video_mask(tmp_path / "m.hdf5") as mask:
        assert mask.channels == 3
        np.testing.assert_array_equal(mask.planes_at(1), planes[1])
        with pytest.raises(CodecError, match="3 channels") as caught:
            mask.levels_at(0)

    assert caught.value.rule == "codec.wrong-shape"


def test_threads_may_share_a_mask(tmp_path: Path, frames: NDArray[np.uint8]) -> None:
    write_video_mask(tmp_path / "m.hdf5", {0: frames})

    with open_video_mask(tmp_path / "m.hdf5") as mask, ThreadPoolExecutor(4) as pool:
        read = list(pool.map(mask.levels_at, [0, 1, 2, 3, 4] * 20))

    for index, levels in enumerate(read):
        np.testing.assert_array_equal(levels, frames[index % 5])


def test_a_closed_mask_says_so(tmp_path: Path, frames: NDArray[np.uint8]) -> None:
    write_video_mask(tmp_path / "m.hdf5", {0: frames})
    mask = open_video_mask(tmp_path / "m.hdf5")
    mask.close()
    mask.close()

    with pytest.raises(CodecError, match="closed"):
        mask.levels_at(0)


def one(file: h5py.File, **options: Any) -> None:
    file.create_dataset("0/masks", **options)


def overlapping(file: h5py.File) -> None:
    file["0/masks"] = np.zeros((5, 4, 4), np.uint8)
    file["4/masks"] = np.zeros((5, 4, 4), np.uint8)


def of_two_sizes(file: h5py.File) -> None:
    file["0/masks"] = np.zeros((1, 4, 4), np.uint8)
    file["4/masks"] = np.zeros((1, 5, 4), np.uint8)


UNUSABLE: dict[str, tuple[Callable[[h5py.File], None], str]] = {
    "no blocks": (lambda file: file.flush(), "codec.wrong-shape"),
    "a name that is not a number": (
        lambda file: file.create_dataset("first/masks", data=np.zeros((1, 4, 4), np.uint8)),
        "codec.wrong-shape",
    ),
    "a dataset where the group should be": (
        lambda file: file.create_dataset("0", data=np.zeros((1, 4, 4), np.uint8)),
        "codec.wrong-shape",
    ),
    "a group without masks": (lambda file: file.create_group("0"), "codec.wrong-shape"),
    "a group named masks": (lambda file: file.create_group("0/masks"), "codec.wrong-shape"),
    "a single frame without its axis": (
        lambda file: one(file, data=np.zeros((4, 4), np.uint8)),
        "codec.wrong-shape",
    ),
    "no frames": (lambda file: one(file, shape=(0, 4, 4), dtype="u1"), "codec.wrong-shape"),
    "whole numbers of 4 bytes": (
        lambda file: one(file, data=np.zeros((1, 4, 4), np.int32)),
        "codec.wrong-type",
    ),
    "a group of 5000 digits": (
        lambda file: file.create_dataset(f"{'1' * 5000}/masks", data=np.zeros((1, 4, 4), "u1")),
        "codec.wrong-shape",
    ),
    "texts": (
        lambda file: one(file, shape=(1, 4, 4), dtype=h5py.string_dtype()),
        "codec.wrong-type",
    ),
    "frames of 4 gigapixels": (
        lambda file: one(file, shape=(1, 65536, 65536), dtype="u1"),
        "codec.too-many-pixels",
    ),
    "chunks of 2 gigabytes": (
        lambda file: one(file, shape=(500, 2048, 2048), chunks=(500, 2048, 2048), dtype="u1"),
        "codec.too-many-bytes",
    ),
    "overlapping blocks": (overlapping, "codec.wrong-shape"),
    "frames of two sizes": (of_two_sizes, "codec.wrong-shape"),
}


@pytest.mark.parametrize("name", UNUSABLE)
def test_a_file_of_another_structure_is_refused(tmp_path: Path, name: str) -> None:
    write, rule = UNUSABLE[name]
    with h5py.File(tmp_path / "m.hdf5", "w") as file:
        write(file)

    with pytest.raises(CodecError) as caught:
        open_video_mask(tmp_path / "m.hdf5")

    assert caught.value.rule == rule
    assert "m.hdf5" in caught.value.where


def test_a_damaged_frame_is_told_when_it_is_asked_for(
    tmp_path: Path, frames: NDArray[np.uint8]
) -> None:
    write_video_mask(tmp_path / "m.hdf5", {0: frames})
    with h5py.File(tmp_path / "m.hdf5") as file:
        place = file["0/masks"].id.get_chunk_info(3).byte_offset
    content = bytearray((tmp_path / "m.hdf5").read_bytes())
    content[place : place + 40] = bytes(40)
    (tmp_path / "m.hdf5").write_bytes(content)

    with open_video_mask(tmp_path / "m.hdf5") as mask:
        np.testing.assert_array_equal(mask.levels_at(2), frames[2])
        with pytest.raises(CodecError) as caught:
            mask.levels_at(3)

    assert caught.value.rule == "codec.unreadable"


def test_flags_count_as_black_and_white(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "m.hdf5", "w") as file:
        file["0/masks"] = np.array([[[True, False]]])

    with open_video_mask(tmp_path / "m.hdf5") as mask:
        levels = mask.levels_at(0)

    assert levels is not None
    assert levels.tolist() == [[255, 0]]


STORED: dict[str, dict[str, Any]] = {
    "a frame to a chunk": {"chunks": (1, 6, 8), "compression": "gzip"},
    "shuffled": {"chunks": (1, 6, 8), "compression": "gzip", "shuffle": True},
    "with checksums": {"chunks": (1, 6, 8), "compression": "gzip", "fletcher32": True},
    "several frames to a chunk": {"chunks": (3, 6, 8), "compression": "gzip"},
    "tiles": {"chunks": (1, 3, 8), "compression": "gzip"},
    "another compression": {"chunks": (1, 6, 8), "compression": "lzf"},
    "uncompressed": {"chunks": (1, 6, 8)},
    "in one piece": {},
}


@pytest.mark.parametrize("how", STORED)
def test_frames_read_the_same_however_they_are_stored(tmp_path: Path, how: str) -> None:
    frames = np.random.default_rng(3).integers(0, 256, (5, 6, 8), dtype=np.uint8)
    with h5py.File(tmp_path / "m.hdf5", "w") as file:
        masks = file.create_dataset("0/masks", (7, 6, 8), np.uint8, fillvalue=255, **STORED[how])
        masks[:5] = frames

    with open_video_mask(tmp_path / "m.hdf5") as mask:
        for index in range(5):
            np.testing.assert_array_equal(mask.levels_at(index), frames[index])
        # Never written: HDF5's fill value holds.
        np.testing.assert_array_equal(mask.levels_at(6), np.full((6, 8), 255))


def test_a_chunk_that_inflates_to_more_than_a_frame_is_refused(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "m.hdf5", "w") as file:
        masks = file.create_dataset(
            "0/masks", (1, 6, 8), np.uint8, chunks=(1, 6, 8), compression="gzip"
        )
        masks.id.write_direct_chunk((0, 0, 0), zlib.compress(bytes(50_000_000)))

    with (
        open_video_mask(tmp_path / "m.hdf5") as mask,
        pytest.raises(CodecError, match="cannot be read"),
    ):
        mask.levels_at(0)
