"""Provenance graphs: how long placing, drawing and scoring them takes, and what a window waits for.

``python -m benchmarks graph:layouts`` measures only that part.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Collection
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("QT_LOGGING_RULES", "qt.qpa.*=false")

from benchmarks.graph import blocks, frames, layouts
from benchmarks.graph.data import write_graph
from benchmarks.report import Figure, Report, busy_note
from forensicviewer.ui.shell.start import make_application

PARTS = {"layouts": layouts.measure, "frames": frames.measure, "blocks": blocks.measure}


def run(parts: Collection[str] = ()) -> Report:
    """Layouts of 500 and 5,000 images, frames, steps of the slider, blocks of the window."""
    application = make_application()
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        for variable in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
            os.environ[variable] = str(home / variable.lower())
        small = write_graph(home / "small", images=500)
        large = write_graph(home / "large", images=5000)
        for name, measure in PARTS.items():
            if not parts or name in parts:
                figures.extend(measure(application, small, large))
    return Report(
        "graph",
        tuple(figures),
        ("layouts run in the background; frames and blocks are of the window", busy_note()),
    )
