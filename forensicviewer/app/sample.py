"""The sample in the user's cache folder, written when it is first asked for.

Its painter is imported inside the functions: it has many parts, and the window starts without it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from forensicviewer import __version__
from forensicviewer.sources.files import private_cache

Progress = Callable[[int, int], None]


def sample_folder(*, progress: Progress | None = None) -> Path:
    """Where the sample lies; it is painted once per version, which takes some seconds."""
    from forensicviewer.sources.sample import write_sample

    folder = private_cache() / "sample"
    # Beside it, not in it: written last, so that a sample cut short is painted again.
    done = private_cache() / f"sample-{__version__}.done"
    if not done.is_file():
        write_sample(folder, progress=progress)
        done.touch()
    return folder


def sample_places(*, progress: Progress | None = None) -> tuple[Path, tuple[Path, ...]]:
    """The sample dataset that shows most, and the submissions that answer it."""
    from forensicviewer.sources.sample.locations import demo_dataset

    dataset = demo_dataset(sample_folder(progress=progress))
    return dataset, sample_answers("image")


def sample_answers(task: str) -> tuple[Path, ...]:
    """Two submissions to one task of that dataset: one with something to find, and a better one."""
    from forensicviewer.sources.sample.locations import demo_dataset, submissions_for

    found = submissions_for(demo_dataset(sample_folder()), task=task)
    order = ("partial", "noisy", "good")
    ranked = [path for word in order for path in found if f"-{word}_" in path.name]
    return tuple(ranked[:1] + [path for path in ranked[1:] if "-good_" in path.name])
