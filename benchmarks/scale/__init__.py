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
from benchmarks.scale import detection, provenance, temporal, window
from benchmarks.scale import masks as many_masks

MASKS, TRIALS, ROWS = 64_000, 1_000_000, 10_000_000
_Measure = Callable[[Path], Iterator[Figure]]
PARTS = (
    *("detection", "tables", "window", "submissions"),
    *("masks", "large", "dask", "temporal", "provenance"),
)


def run(
    parts: Collection[str] = (),
    *,
    masks: int = MASKS,
    trials: int = TRIALS,
    rows: int = ROWS,
    mediscore: Path | None = None,
) -> Report:
    """Measure; ``masks`` are the tiny ones, ``rows`` those of a large index.

    ``mediscore`` is a copy of NIST's scorer, as a peer.
    """
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory() as folder:
        measures: Mapping[str, _Measure] = {
            "detection": partial(detection.measure, trials=trials),
            "tables": partial(detection.measure_tables, trials=trials, rows=rows),
            "window": partial(window.measure_million, trials=trials),
            "submissions": window.measure_submissions,
            "masks": partial(many_masks.measure_tiny, masks=masks, mediscore=mediscore),
            "large": partial(many_masks.measure_large, mediscore=mediscore),
            "dask": partial(many_masks.measure_dask, masks=masks),
            "temporal": temporal.measure,
            "provenance": provenance.measure,
        }
        for name, measure in measures.items():
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
