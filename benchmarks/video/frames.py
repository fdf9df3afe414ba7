"""Frames of 1080p videos against OpenCV: exactness, random seeks, steps back, scrubbing, memory."""

from __future__ import annotations

import gc
import random
import statistics
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np

from benchmarks.report import Figure
from forensicviewer.core.array import RgbImage
from forensicviewer.sources.video.video_file import CACHE_BYTES, VideoFile
from tests.filmmaking import X264_GOP12, Film, make, number_in

FRAMES = 420
SEEKS = 40
BACK_STEPS = 120
OPENCV = "OpenCV"
NOTE = (
    f"  frames: {FRAMES} of 1920 by 1080, {SEEKS} random seeks, {BACK_STEPS} steps back;"
    " “wrong” counts accesses that showed another frame than asked for"
)
FILMS = {
    "H.264 GOP 12": Film("gop12.mp4", "libx264", options=X264_GOP12),
    "H.264 GOP 250": Film("gop250.mp4", "libx264", options={**X264_GOP12, "g": "250"}),
    "H.264 VFR": Film("vfr.mp4", "libx264", gaps=(1, 1, 3, 7, 2, 1, 15), options=X264_GOP12),
    "MPEG-4 AVI": Film("mpeg4.avi", "mpeg4", options={"g": "12", "bf": "0", "qscale": "4"}),
}
Show = Callable[[int], RgbImage]


@dataclass(frozen=True, slots=True)
class Timing:
    """Milliseconds of each access, and how many of them showed another frame."""

    each_ms: tuple[float, ...]
    wrong: int

    @property
    def median_ms(self) -> float:
        return statistics.median(self.each_ms)

    @property
    def mean_ms(self) -> float:
        return statistics.fmean(self.each_ms)


def measure(home: Path) -> Iterator[Figure]:
    for name in FILMS:
        yield from _measure(name, home)


def _measure(name: str, folder: Path) -> Iterator[Figure]:
    film = replace(FILMS[name], width=1920, height=1080, frames=FRAMES)
    path = make(film, folder)
    video = VideoFile(path)
    started = time.perf_counter()
    video.load_index()
    yield Figure(f"{name}: index", 1000 * (time.perf_counter() - started), "ms")
    yield from _compare(name, path, video)
    video.close()
    gc.collect()


def _compare(name: str, path: Path, video: VideoFile) -> Iterator[Figure]:
    chance = random.Random(11)
    jumps = [chance.randint(1, FRAMES) for _ in range(SEEKS)]
    capture = cv2.VideoCapture(str(path))
    theirs = _time(_shown_by_opencv(capture), jumps)
    ours = _time(lambda frame: video.picture(frame).pixels, jumps)
    yield Figure(f"{name}: wrong", ours.wrong, "", 0, {OPENCV: theirs.wrong})
    limit = 1.2 * theirs.median_ms if theirs.wrong == 0 else None
    peers = {OPENCV: theirs.median_ms}
    yield Figure(f"{name}: random seek, median", ours.median_ms, "ms", limit, peers)
    back = range(FRAMES - 20, FRAMES - 20 - BACK_STEPS, -1)
    # OpenCV needs a whole group of pictures for every step, so a few of them tell.
    slow = _time(_shown_by_opencv(capture), list(back)[:12])
    quick = _time(lambda frame: video.picture(frame, direction=-1).pixels, back)
    peers = {OPENCV: slow.median_ms}
    limit = slow.median_ms / 10
    yield Figure(f"{name}: step back, median", quick.median_ms, "ms", limit, peers)
    yield Figure(f"{name}: step back, mean", quick.mean_ms, "ms", None, {OPENCV: slow.mean_ms})
    yield Figure(f"{name}: steps back wrong", quick.wrong, "", 0)
    video.settle()
    kept = video.cached_frames
    scrubbed = [chance.choice(kept) for _ in range(200)]
    scrub = _time(lambda frame: video.picture(frame).pixels, scrubbed)
    yield Figure(f"{name}: scrub over kept frames, median", scrub.median_ms, "ms", 16)
    held = video.cached_bytes / 2**20
    yield Figure(f"{name}: decoded frames held", held, "MB", CACHE_BYTES / 2**20)
    capture.release()


def _time(show: Show, frames: Iterable[int]) -> Timing:
    each, wrong = [], 0
    for frame in frames:
        started = time.perf_counter()
        pixels = show(frame)
        each.append(1000 * (time.perf_counter() - started))
        wrong += number_in(pixels) != frame
    return Timing(tuple(each), wrong)


def _shown_by_opencv(capture: cv2.VideoCapture) -> Show:
    def show(frame: int) -> RgbImage:
        capture.set(cv2.CAP_PROP_POS_FRAMES, frame - 1)
        is_read, pixels = capture.read()
        return np.asarray(pixels, np.uint8) if is_read else np.zeros((96, 192, 3), np.uint8)

    return show
