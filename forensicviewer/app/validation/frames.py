"""How many frames each video of a task has: from the index, or else from the video itself."""

from __future__ import annotations

from pathlib import Path

from forensicviewer.app.validation.finding import Findings
from forensicviewer.core.model import Task
from forensicviewer.core.problem import CodecError, UnsafePathError
from forensicviewer.sources.files.deadline import Deadline
from forensicviewer.sources.files.paths import resolve
from forensicviewer.sources.video.packet_index import load_index
from forensicviewer.sources.video.video_file import INDEX_SECONDS


def frame_counts(task: Task, findings: Findings) -> dict[str, int]:
    """The number of frames by probe; a probe whose count cannot be had is left out and reported."""
    index = task.table
    if "FrameCount" in index:
        numbers = index["FrameCount"].numbers
        return {
            probe: int(count)
            for probe, count in zip(index["ProbeFileID"], numbers, strict=True)
            if count > 0
        }
    counts: dict[str, int] = {}
    for probe, name in zip(index["ProbeFileID"], index["ProbeFileName"], strict=True):
        try:
            path = resolve(Path(task.root), name)
            counts[probe] = len(load_index(path, deadline=Deadline(INDEX_SECONDS)))
        except (CodecError, UnsafePathError) as error:
            findings.warn(
                "intervals.frame-count",
                f"The frames of {probe} cannot be counted: {error.message}",
                hint="the index has no FrameCount column; put the video into the dataset",
            )
    return counts
