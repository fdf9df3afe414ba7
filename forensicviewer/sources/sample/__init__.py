"""The sample: small, true datasets of every kind, painted from a fixed seed."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from forensicviewer.core.progress import Progress


def write_sample(
    folder: Path, names: Collection[str] = (), *, progress: Progress | None = None
) -> None:
    """Write the named datasets of the sample with their submissions into ``folder``; else all.

    These are replaced where they are there already; any other content is left alone and refused.
    """
    # Loaded late: the list of samples is known without OpenCV and the painter's many parts.
    from forensicviewer.sources.sample.painting import paint

    paint(folder, names, progress=progress)
