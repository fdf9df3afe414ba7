"""Writes the files of the self-test into resources/selftest: run it by its module name.

Every file holds the image of four quarters that the self-test knows without decoding anything.
"""

from __future__ import annotations

import io
import json
import tempfile
from pathlib import Path

import av
import cv2
import h5py
import numpy as np
from PIL import Image

from forensicviewer.app.selftest.decoding import QUARTERS, SIZE, expected_image, expected_levels
from forensicviewer.app.selftest.program import SCORED, score_sample
from forensicviewer.sources.media.masks import write_bit_planes
from forensicviewer.sources.sample import write_sample
from tests.conftest import ROOT
from tests.mediafiles import write_dng, write_heic

FOLDER = ROOT / "resources" / "selftest"


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    write_images(FOLDER)
    write_masks(FOLDER)
    write_videos(FOLDER)
    write_scores(FOLDER)


def write_scores(folder: Path) -> None:
    """The sample's numbers as this program computes them: check them before they are committed."""
    with tempfile.TemporaryDirectory() as name:
        write_sample(Path(name, "sample"))
        scores = {submission: score_sample(Path(name), submission) for submission in SCORED}
    text = json.dumps(scores, indent=1, ensure_ascii=False)
    (folder / "scores.json").write_text(f"{text}\n", encoding="utf-8")


def write_images(folder: Path) -> None:
    image = expected_image()
    picture = Image.fromarray(image)
    for kind in ("png", "bmp", "tif", "gif"):
        picture.save(folder / f"image.{kind}")
    for kind in ("jpg", "webp", "avif"):
        picture.save(folder / f"image.{kind}", quality=95)
    cv2.imwrite(str(folder / "image.jp2"), cv2.cvtColor(image, cv2.COLOR_RGB2BGR), _LOSSLESS_JP2)
    write_heic(folder / "image.heic", image)
    write_dng(folder / "image.dng", image)


_LOSSLESS_JP2 = [cv2.IMWRITE_JPEG2000_COMPRESSION_X1000, 1000]


def write_masks(folder: Path) -> None:
    levels = expected_levels()
    Image.fromarray(levels).save(folder / "mask.png")
    packed = io.BytesIO()
    np.savez_compressed(packed, mask=levels)
    (folder / "mask.npz").write_bytes(packed.getvalue())
    write_bit_planes(folder / "planes.jp2", np.dstack([levels, 255 - levels]))
    with h5py.File(folder / "mask.hdf5", "w") as file:
        file.create_dataset("0/masks", data=levels[None], compression="gzip")


def write_videos(folder: Path) -> None:
    frames = [np.full((*SIZE, 3), colour, np.uint8) for colour in QUARTERS]
    for name, codec in (("video.mp4", "libx264"), ("video.avi", "mpeg4")):
        with av.open(str(folder / name), "w") as container:
            stream = container.add_stream(codec, rate=25)
            assert isinstance(stream, av.VideoStream)
            stream.width, stream.height, stream.pix_fmt = SIZE[1], SIZE[0], "yuv420p"
            stream.bit_rate = 2_000_000
            for frame in frames:
                container.mux(stream.encode(av.VideoFrame.from_ndarray(frame, format="rgb24")))
            container.mux(stream.encode())
    first, *others = (Image.fromarray(frame) for frame in frames)
    first.save(folder / "video.gif", save_all=True, append_images=others, duration=40)


if __name__ == "__main__":
    main()
