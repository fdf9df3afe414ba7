"""Work as it grows: a million trials in tables, detection and window, many masks, long videos.

Everything runs as users run it, in programs of its own, in turn with its peer; the ratios count.
``python -m benchmarks scale:detection,tables`` measures only these parts.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial
from pathlib import Path

from benchmarks.report import Figure, Report, busy_note
from benchmarks.scale import detection, masks, temporal

MASKS = 64_000
_Measure = Callable[[Path], Iterator[Figure]]
PARTS = ("detection", "tables", "masks", "large", "dask", "temporal")


def run(
    parts: Collection[str] = (), *, masks: int = MASKS, mediscore: Path | None = None
) -> Report:
    """Measure; ``masks`` are the tiny ones, ``mediscore`` a copy of NIST's scorer, as a peer."""
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory() as folder:
        for name, measure in _measures(masks, mediscore).items():
            if not parts or name in parts:
                figures.extend(measure(Path(folder) / name))
    return Report(
        "scale",
        tuple(figures),
        notes=(
            "  peer: benchmarks/scale/peer.py, from the same files with pandas and scikit-learn",
            "  whole programs, interpreter start included, each the shortest of its runs",
            busy_note(),
        ),
    )


def _measures(tiny: int, mediscore: Path | None) -> Mapping[str, _Measure]:
    return {
        "detection": detection.measure,
        "tables": detection.measure_tables,
        "masks": partial(masks.measure_tiny, masks=tiny, mediscore=mediscore),
        "large": partial(masks.measure_large, mediscore=mediscore),
        "dask": partial(masks.measure_dask, masks=tiny),
        "temporal": temporal.measure,
    }
