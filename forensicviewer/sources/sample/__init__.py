"""The sample: small, true datasets of every kind, painted from a fixed seed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, as_completed
from functools import partial
from pathlib import Path

from forensicviewer.core.problem import ForensicViewerError
from forensicviewer.core.progress import Progress
from forensicviewer.sources.sample.album import FULL, SHOTS, forget_photographs
from forensicviewer.sources.sample.genai import write_genai
from forensicviewer.sources.sample.mediforimages import write_mfc2018, write_mfc2019_images
from forensicviewer.sources.sample.mediforvideos import write_mfc2019_videos
from forensicviewer.sources.sample.nimble import write_nc2016, write_nc2017
from forensicviewer.sources.sample.ownership import claim, clear
from forensicviewer.sources.sample.photo import take
from forensicviewer.sources.sample.provenance import write_mfc2019_provenance
from forensicviewer.sources.sample.writing import Folder

_THREADS = 2  # more gain nothing: the work waits for memory, not for cores


def write_sample(folder: Path, *, progress: Progress | None = None) -> None:
    """Write all sample datasets and submissions into ``folder``.

    An earlier sample there is replaced; any other content is left alone and refused.
    """
    try:
        _write(folder, progress=progress)
    except OSError as error:
        raise ForensicViewerError(
            "The sample cannot be written",
            where=folder,
            hint=error.strerror or str(error),
            rule="sample.unwritable",
        ) from error
    finally:
        forget_photographs()


def _write(folder: Path, *, progress: Progress | None) -> None:
    clear(folder)
    output = Folder(folder)
    submissions = output.below("submissions")
    claim(folder, output)
    later = output.below("MFC2019_Sample")
    steps: tuple[Callable[[], object], ...] = (
        lambda: write_mfc2019_videos(later, submissions),
        lambda: write_mfc2019_images(later, submissions),
        lambda: write_nc2016(output.below("NC2016_Sample"), submissions),
        lambda: write_nc2017(output.below("NC2017_Sample"), submissions),
        lambda: write_mfc2018(output.below("MFC2018_Sample"), submissions),
        lambda: write_mfc2019_provenance(later, submissions),
        lambda: write_genai(output.below("GenAI_Sample"), submissions),
    )
    photographs = [partial(take, shot, FULL) for shot in SHOTS.values()]
    tell = _Counter(progress, total=len(photographs) + len(steps))
    with ThreadPoolExecutor(_THREADS) as pool:
        # Photographs first, because every step wants some and they take most of the time.
        _do_all(pool, photographs, tell)
        _do_all(pool, steps, tell)
    claim(folder, output)


class _Counter:
    """Tells how many of all pieces are done, each time one is."""

    def __init__(self, progress: Progress | None, *, total: int) -> None:
        self._progress, self._total, self._done = progress, total, 0

    def __call__(self) -> None:
        self._done += 1
        if self._progress is not None:
            self._progress(self._done, self._total)


def _do_all(
    pool: ThreadPoolExecutor, work: Iterable[Callable[[], object]], tell: Callable[[], None]
) -> None:
    running = [pool.submit(one) for one in work]
    try:
        for one in as_completed(running):
            one.result()
            tell()
    finally:
        # Where one failed or nobody waits any more, the rest need not begin.
        for one in running:
            one.cancel()
