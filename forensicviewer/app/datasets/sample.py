"""The sample in the user's cache folder, written when it is first asked for."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from functools import partial
from pathlib import Path
from typing import Protocol

from forensicviewer import __version__
from forensicviewer.app.runtime.atomic import write_atomically
from forensicviewer.app.runtime.subprocess_task import run_in_subprocess
from forensicviewer.core.progress import Progress
from forensicviewer.sources import sample
from forensicviewer.sources.files.paths import private_cache
from forensicviewer.sources.sample.locations import DEMO as DEMO
from forensicviewer.sources.sample.locations import SAMPLES as SAMPLES
from forensicviewer.sources.sample.locations import demo_dataset, submissions_for

GENAI, IMDL = "GenAI_Sample", "IMDL_Sample"
# First a system with errors worth looking at, then a better one.
_SHOWN = ("noisy", "good")


class Painter(Protocol):
    """Paints datasets of the sample into a folder."""

    def __call__(
        self, folder: Path, names: Collection[str], *, progress: Progress | None
    ) -> None: ...


def sample_folder(
    name: str = DEMO, *, progress: Progress | None = None, paint: Painter | None = None
) -> Path:
    """Where the sample lies, with this dataset in it; each version of its painter paints it once.

    ``paint`` is how that is done, here and now unless told otherwise.
    """
    folder = private_cache() / "sample"
    # Beside it, not in it: written last, so that a sample cut short is painted again.
    done = private_cache() / f"sample.{name}.painted-by"
    painter = _painter_version(Path(sample.__file__).parent)
    if not done.is_file() or done.read_text(encoding="utf-8") != painter:
        done.unlink(missing_ok=True)
        (paint or sample.write_sample)(folder, [name], progress=progress)
        write_atomically(done, painter)
    return folder


def _painter_version(package: Path) -> str:
    """The program's version and, in a source tree, the painter's own content."""
    digest = hashlib.sha256()
    for source in sorted(package.glob("*.py")):
        digest.update(source.read_bytes())
    return f"{__version__} {digest.hexdigest()}"


def paint_in_subprocess(folder: Path, names: Collection[str], *, progress: Progress | None) -> None:
    """Paint in a separate process: a window stays quick meanwhile, and it stops when told to."""
    run_in_subprocess(partial(sample.write_sample, folder, tuple(names)), progress=progress)


def sample_places(
    name: str = DEMO, *, progress: Progress | None = None, paint: Painter | None = None
) -> tuple[Path, tuple[Path, ...]]:
    """A dataset of the sample and submissions to look at it with: to images, where it has any."""
    folder = sample_folder(name, progress=progress, paint=paint)
    found = submissions_for(folder / name)
    if name == GENAI:
        return folder / name, tuple(sorted(found, key=lambda path: "good_v2" not in path.name))
    if name == IMDL:
        shown = [path for word in _SHOWN for path in found if path.name.endswith(word)]
        return folder / name, tuple(shown)
    images = [
        path for path in found if path.name.endswith("image") or "_Manipulation_" in path.name
    ]
    shown = [path for word in _SHOWN for path in images if f"-{word}_" in path.name]
    return folder / name, tuple(shown[:2])


def sample_answers(task: str) -> tuple[Path, ...]:
    """Two submissions to one task of that dataset: one with something to find, and a better one."""
    found = submissions_for(demo_dataset(sample_folder()), task=task)
    return tuple(path for word in _SHOWN for path in found if f"-{word}_" in path.name)
