"""The window: threshold steps, panning, next trials, a million rows, start, blocks and memory.

Everything is drawn for real, on the offscreen platform, and a step counts until it is painted.
``python -m benchmarks ui:start,stories`` measures only these parts.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Collection
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("QT_LOGGING_RULES", "qt.qpa.*=false")

from benchmarks.report import Figure, Report, busy_note, longest_pause_ms
from benchmarks.ui import drawing, memory, repeated, rows, start, trials
from benchmarks.ui.tools import use_home
from forensicviewer.ui.shell.start import make_application

PARTS = {
    # First, so that what the other parts leave behind cannot slow it down.
    "start": start.measure,
    "drawing": drawing.measure,
    "trials": trials.measure,
    "stories": repeated.repeat_stories,
    "many": repeated.repeat_many_rows,
    "memory": memory.measure,
    "rows": rows.measure,
}


def run(parts: Collection[str] = ()) -> Report:
    application = make_application()
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        use_home(home)
        for name, measure in PARTS.items():
            if not parts or name in parts:
                figures.extend(measure(application, home))
    pause_ms = longest_pause_ms()
    return Report(
        "ui",
        tuple(figures),
        notes=(
            "  4 panes on 1600 by 900; comparison and thresholded system mask follow the threshold",
            "  pyqtgraph: ImageItem of region and score packed into 16 bits, a new table per step",
            f"  longest blocks: the middle one of {repeated.RUNS} runs, each in its own process",
            f"  the machine stopped a program that only counts for up to {pause_ms:.0f} ms",
            busy_note(),
        ),
    )
