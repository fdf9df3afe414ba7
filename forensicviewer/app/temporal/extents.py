"""How long the probes of a dataset are, as their files tell."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from forensicviewer.app.temporal.trials import Extent, Extents
from forensicviewer.core.problem import ForensicViewerError
from forensicviewer.sources.files.deadline import Deadline
from forensicviewer.sources.files.paths import resolve
from forensicviewer.sources.video.audio import read_waveform
from forensicviewer.sources.video.packet_index import load_index
from forensicviewer.sources.video.video_file import INDEX_SECONDS


def extents_in(root: Path) -> Extents:
    """Asks the files below ``root``, each once; a missing or broken file tells nothing."""

    @lru_cache(maxsize=4096)
    def extent(name: str) -> Extent:
        try:
            path = resolve(root, name)
            return extent_of(path) if path.is_file() else Extent()
        except ForensicViewerError:
            return Extent()

    return extent


def extent_of(path: Path) -> Extent:
    """Frames by the packets and samples by decoding."""
    index = load_index(path, deadline=Deadline(INDEX_SECONDS))
    sound = read_waveform(path)
    if sound is None:
        return Extent(frames=len(index))
    per_frame = sound.sample_rate / index.rate if index.rate else None
    return Extent(
        frames=len(index),
        samples=sound.samples,
        samples_per_frame=per_frame,
        sample_rate=sound.sample_rate,
    )
