"""The sample: small, true datasets of every kind, painted from a fixed seed."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from forensicviewer.core.problem import UsageError
from forensicviewer.sources.sample.album import FULL, SHOTS
from forensicviewer.sources.sample.locations import MARKER
from forensicviewer.sources.sample.mediforimages import write_mfc2018, write_mfc2019_images
from forensicviewer.sources.sample.mediforvideos import write_mfc2019_videos
from forensicviewer.sources.sample.nimble import write_nc2016, write_nc2017
from forensicviewer.sources.sample.photo import take
from forensicviewer.sources.sample.provenance import write_mfc2019_provenance
from forensicviewer.sources.sample.writing import Folder

_THREADS = 2  # more gain nothing: the work waits for memory, not for cores
Progress = Callable[[int, int], None]  # (steps done, steps in all)
_README = """\
Sample datasets of forensicviewer
=================================
Everything here was painted by the program from a fixed seed; no person, place or camera is real.
Open a dataset folder, then one or more of the submissions whose name carries its year.
Delete the folder whenever you like: "forensicviewer sample FOLDER" makes it again.
"""


def write_sample(folder: Path, *, progress: Progress | None = None) -> None:
    """Write all sample datasets and submissions into ``folder``.

    An earlier sample there is replaced; any other content is left alone and refused.
    """
    _clear(folder)
    output = Folder(folder)
    submissions = output.below("submissions")
    _claim(folder, output)
    later = output.below("MFC2019_Sample")
    _take_photographs()
    steps: tuple[Callable[[], object], ...] = (
        lambda: write_mfc2019_videos(later, submissions),
        lambda: write_mfc2019_images(later, submissions),
        lambda: write_nc2016(output.below("NC2016_Sample"), submissions),
        lambda: write_nc2017(output.below("NC2017_Sample"), submissions),
        lambda: write_mfc2018(output.below("MFC2018_Sample"), submissions),
        lambda: write_mfc2019_provenance(later, submissions),
    )
    with ThreadPoolExecutor(_THREADS) as pool:
        running = [pool.submit(step) for step in steps]
        for done, step in enumerate(running):
            if progress is not None:
                progress(done + 1, len(steps) + 1)
            step.result()
    _claim(folder, output)
    if progress is not None:
        progress(len(steps) + 1, len(steps) + 1)


def _take_photographs() -> None:
    """All at once, because they take most of the time."""
    with ThreadPoolExecutor(_THREADS) as pool:
        list(pool.map(lambda shot: take(shot, FULL), SHOTS.values()))


def _clear(folder: Path) -> None:
    """Take away an earlier sample, file by file, and nothing else."""
    marker = folder / MARKER
    if not marker.is_file():
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise UsageError(
                "The folder is not empty and holds no sample",
                where=folder,
                hint="name a new or an empty folder",
                rule="sample.folder",
            )
        return
    for name in _listed(marker):
        path = folder / name
        if path.resolve().is_relative_to(folder.resolve()):
            path.unlink(missing_ok=True)


def _listed(marker: Path) -> list[str]:
    try:
        content = json.loads(marker.read_text(encoding="utf-8"))
        return [str(name) for name in content["files"]]
    except (OSError, ValueError, KeyError, TypeError):
        return []


def _claim(folder: Path, output: Folder) -> None:
    """Say that the folder is a sample and which files belong to it, so far."""
    folder.mkdir(parents=True, exist_ok=True)
    if not output.files:
        output.text("README.txt", _README)
    names = sorted({path.relative_to(folder).as_posix() for path in output.files})
    content = json.dumps({"made-by": "forensicviewer sample", "files": names}, indent=1)
    (folder / MARKER).write_text(content + "\n", encoding="utf-8")
