"""The sample in the user's cache folder, written when it is first asked for.

Its painter is imported inside the functions: it has many parts, and the window starts without it.
"""

from __future__ import annotations

import hashlib
from functools import partial
from pathlib import Path
from typing import Protocol

from forensicviewer import __version__
from forensicviewer.app.runtime.atomic import write_atomically
from forensicviewer.app.runtime.subprocess_task import run_in_subprocess
from forensicviewer.core.progress import Progress
from forensicviewer.sources.files.paths import private_cache


class Painter(Protocol):
    """Paints the sample into a folder."""

    def __call__(self, folder: Path, *, progress: Progress | None) -> None: ...


class SamplePlaces(Protocol):
    """Finds a dataset of the sample and the submissions to it, painting them where need be."""

    def __call__(
        self, *, progress: Progress | None, paint: Painter | None
    ) -> tuple[Path, tuple[Path, ...]]: ...


def sample_folder(*, progress: Progress | None = None, paint: Painter | None = None) -> Path:
    """Where the sample lies; each version of its painter paints it once, in some seconds.

    ``paint`` is how that is done, here and now unless told otherwise.
    """
    from forensicviewer.sources import sample

    folder = private_cache() / "sample"
    # Beside it, not in it: written last, so that a sample cut short is painted again.
    done = private_cache() / "sample.painted-by"
    painter = _painter_version(Path(sample.__file__).parent)
    if not done.is_file() or done.read_text(encoding="utf-8") != painter:
        done.unlink(missing_ok=True)
        (paint or sample.write_sample)(folder, progress=progress)
        write_atomically(done, painter)
    return folder


def _painter_version(package: Path) -> str:
    """The program's version and, in a source tree, the painter's own content."""
    digest = hashlib.sha256()
    for source in sorted(package.glob("*.py")):
        digest.update(source.read_bytes())
    return f"{__version__} {digest.hexdigest()}"


def paint_in_subprocess(folder: Path, *, progress: Progress | None) -> None:
    """Paint in a process of its own: a window stays quick meanwhile, and it stops when told to."""
    from forensicviewer.sources.sample import write_sample

    run_in_subprocess(partial(write_sample, folder), progress=progress)


def sample_places(
    *, progress: Progress | None = None, paint: Painter | None = None
) -> tuple[Path, tuple[Path, ...]]:
    """The sample dataset that shows most, and the submissions that answer it."""
    from forensicviewer.sources.sample.locations import demo_dataset

    dataset = demo_dataset(sample_folder(progress=progress, paint=paint))
    return dataset, sample_answers("image")


def genai_sample_places(
    *, progress: Progress | None = None, paint: Painter | None = None
) -> tuple[Path, tuple[Path, ...]]:
    """The sample of AI-generated images, and the systems that judge them: the good one first."""
    from forensicviewer.sources.sample.locations import genai_dataset, submissions_for

    dataset = genai_dataset(sample_folder(progress=progress, paint=paint))
    outputs = submissions_for(dataset)
    return dataset, tuple(sorted(outputs, key=lambda path: "good_v2" not in path.name))


def sample_answers(task: str) -> tuple[Path, ...]:
    """Two submissions to one task of that dataset: one with something to find, and a better one."""
    from forensicviewer.sources.sample.locations import demo_dataset, submissions_for

    found = submissions_for(demo_dataset(sample_folder()), task=task)
    order = ("noisy", "good")
    return tuple(path for word in order for path in found if f"-{word}_" in path.name)
