"""Real files that were shown wrongly, against other programs' decoding of them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import av
import h5py
import imagecodecs
import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from forensicviewer.core.problem import CodecError
from forensicviewer.sources.media.images import read_image
from forensicviewer.sources.media.masks import Polarity
from forensicviewer.sources.video.masks import open_video_mask
from forensicviewer.sources.video.video_file import VideoFile
from tests.stories.samples.shared_files import REAL_MEDIA, names_in, shared_file

Means = NDArray[np.float64]  # (frames, 3)


def mean_of(pixels: NDArray[Any]) -> Means:
    return np.asarray(pixels.mean((0, 1))[np.newaxis], np.float64)


def by_pillow(path: Path) -> Means:
    with Image.open(path) as image:
        return mean_of(np.asarray(image.convert("RGB"), np.uint8))


def by_imagecodecs(shift: int = 0) -> Callable[[Path], Means]:
    def read(path: Path) -> Means:
        pixels = np.asarray(imagecodecs.imread(str(path))) >> shift
        colours = np.dstack([pixels] * 3) if pixels.ndim == 2 else pixels
        return mean_of(colours)

    return read


def by_ffmpeg(path: Path) -> Means:
    """Every picture from the first to the last, decoded one after the other."""
    found = []
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        stream.thread_type = "SLICE"
        for packet in container.demux(stream):
            with suppress(av.error.FFmpegError):
                found += [frame.to_ndarray(format="rgb24") for frame in packet.decode()]
    return np.array([pixels.mean((0, 1)) for pixels in found])


IMAGES: dict[str, Callable[[Path], Means]] = {
    "12bit.cropped.tif": by_imagecodecs(shift=4),
    "file2.jp2": by_imagecodecs(),
    "file6.jp2": by_imagecodecs(shift=4),
    "hopper_bigtiff.tif": by_pillow,
    "hopper_gray_4bpp.tif": by_pillow,
    "junk_jpeg_header.jpg": by_pillow,
    "old-style-jpeg-compression.tif": by_pillow,
    "subsampling_2.jp2": by_pillow,
    "truncated_exif_dpi.jpg": by_pillow,
}
# The frames that are asked for first, each from a video just opened.
VIDEOS: dict[str, tuple[int, ...]] = {
    "h264-444-x264old-seek-green.mp4": (280, 140, 100),
    "mirror_matrix.mp4": (96, 40),
    "mpeg4-packed-bframes-order.avi": (125, 62, 16),
    "trunc_faststart.mp4": (45, 44, 20),
}
MASKS = {"jt-framelast.hdf5", "jt-gray-block-u8.hdf5", "jt-gray-block.hdf5"}
REFUSED = {"short-cenc.mp4": "video-encrypted"}


def test_every_file_is_in_one_of_the_tables() -> None:
    assert names_in(REAL_MEDIA) == {*IMAGES, *VIDEOS, *MASKS, *REFUSED}


@pytest.mark.parametrize("name", IMAGES)
def test_an_image_has_the_colours_other_programs_see(name: str) -> None:
    path = shared_file(REAL_MEDIA, name)

    pixels = read_image(path).pixels

    with Image.open(path) as image:
        assert pixels.shape[1::-1] == image.size
    assert np.abs(pixels.mean((0, 1)) - IMAGES[name](path)).max() < 1


@pytest.mark.parametrize("name", VIDEOS)
def test_every_frame_has_the_colours_other_programs_see(name: str) -> None:
    path = shared_file(REAL_MEDIA, name)
    expected = by_ffmpeg(path)

    for frame in VIDEOS[name]:
        with closing(VideoFile(path)) as video:
            mean = video.picture(frame).pixels.mean((0, 1))
            assert np.abs(mean - expected[frame - 1]).max() < 1, frame

    with closing(VideoFile(path)) as video:
        shown = [video.picture(n).pixels.mean((0, 1)) for n in range(1, len(expected) + 1)]
    assert np.abs(np.array(shown) - expected).max() < 1


def test_a_mirrored_video_is_mirrored() -> None:
    path = shared_file(REAL_MEDIA, "mirror_matrix.mp4")
    with av.open(str(path)) as container:
        stored = next(container.decode(video=0)).to_ndarray(format="rgb24")

    with closing(VideoFile(path)) as video:
        assert (video.picture(1).pixels == stored[:, ::-1]).all()
        assert video.facts.is_mirrored


@pytest.mark.parametrize("name", sorted(MASKS))
def test_a_mask_of_the_journaling_tool_has_its_frames(name: str) -> None:
    path = shared_file(REAL_MEDIA, name)
    with h5py.File(path) as file:
        stored = file["10/masks"][()]
        frames = np.moveaxis(stored, -1, 0) if "last" in name else stored

    with open_video_mask(path) as mask:
        for frame in range(1, 21):
            scores = mask.scores_of_frame(frame, manipulated_is=Polarity.WHITE)
            if 10 <= frame <= 13:
                np.testing.assert_array_equal(scores, frames[frame - 10])
            else:
                assert scores is None
        assert "counted from 1" in mask.notes[0]
        assert mask.notes[1] == "6 frames after end_frame of the mask are ignored"


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_shown_says_why(name: str) -> None:
    with pytest.raises(CodecError) as caught:
        VideoFile(shared_file(REAL_MEDIA, name))
    assert caught.value.rule == REFUSED[name]
