"""Videos: single frames against OpenCV, and playing with masks in the real window.

``python -m benchmarks video:playing`` measures only that part.
"""

from __future__ import annotations

import tempfile
from collections.abc import Collection
from pathlib import Path

from benchmarks.report import Figure, Report, busy_note
from benchmarks.video import frames, playing

PARTS = {"frames": frames.measure, "playing": playing.measure}


def run(parts: Collection[str] = ()) -> Report:
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory() as folder:
        for name, measure in PARTS.items():
            if not parts or name in parts:
                figures.extend(measure(Path(folder)))
    return Report("video", tuple(figures), notes=(frames.NOTE, playing.NOTE, busy_note()))
