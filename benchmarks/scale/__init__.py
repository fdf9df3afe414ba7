"""Work as it grows: a million trials in tables, detection and window, many masks, long videos.

Everything runs as users run it, in programs of its own, in turn with its peer; the ratios count.
``python -m benchmarks scale:detection,tables`` measures only these parts.
"""

from __future__ import annotations

import tempfile
from collections.abc import Collection
from pathlib import Path

from benchmarks.report import Figure, Report, busy_note
from benchmarks.scale import detection

PARTS = {"detection": detection.measure, "tables": detection.measure_tables}


def run(parts: Collection[str] = ()) -> Report:
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory() as folder:
        for name, measure in PARTS.items():
            if not parts or name in parts:
                figures.extend(measure(Path(folder)))
    return Report(
        "scale",
        tuple(figures),
        notes=(
            "  peer: benchmarks/scale/peer.py, from the same files with pandas and scikit-learn",
            "  whole programs, interpreter start included, each the shortest of its runs",
            busy_note(),
        ),
    )
