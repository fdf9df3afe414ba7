"""Paints the datasets of the sample, in several threads and only those asked for."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from forensicviewer.core.problem import ForensicViewerError, UsageError
from forensicviewer.core.progress import Progress
from forensicviewer.sources.sample.album import FULL, SHOTS, forget_photographs
from forensicviewer.sources.sample.genai import write_genai
from forensicviewer.sources.sample.imdl import write_imdl
from forensicviewer.sources.sample.locations import SAMPLES, plan_submissions_folder
from forensicviewer.sources.sample.mediforimages import write_mfc2018, write_mfc2019_images
from forensicviewer.sources.sample.mediforvideos import write_mfc2019_videos
from forensicviewer.sources.sample.nimble import write_nc2016, write_nc2017
from forensicviewer.sources.sample.ownership import claim, clear
from forensicviewer.sources.sample.photo import take
from forensicviewer.sources.sample.plan_exact import sources_of, write_plan_exact
from forensicviewer.sources.sample.provenance import write_mfc2019_provenance
from forensicviewer.sources.sample.writing import Folder

_PAINTING = ".painting-"
_THREADS = 2  # more gain nothing: the work waits for memory, not for cores


def paint(folder: Path, names: Collection[str], *, progress: Progress | None) -> None:
    """Write the named datasets with their submissions, all where none is named."""
    unknown = sorted(set(names) - set(SAMPLES))
    if unknown:
        raise UsageError(
            f"{unknown[0]!r} is not a dataset of the sample",
            hint=f"the datasets are {', '.join(SAMPLES)}",
        )
    try:
        _write(folder, [name for name in SAMPLES if name in (names or SAMPLES)], progress=progress)
    except OSError as error:
        raise ForensicViewerError(
            "The sample cannot be written",
            where=folder,
            hint=error.strerror or str(error),
            rule="sample.unwritable",
        ) from error
    finally:
        forget_photographs()


def _write(folder: Path, names: Sequence[str], *, progress: Progress | None) -> None:
    kept = clear(folder, names)
    # Of a run that was stopped in the midst.
    for left in folder.glob(f"{_PAINTING}*"):
        shutil.rmtree(left, ignore_errors=True)
    output = Folder(folder)
    claim(folder, output, kept)
    rich = [name for name in names if name in _PAINTERS]
    years = [name.removesuffix("_Plan") for name in names if name not in _PAINTERS]
    drawn_on = {source for year in years for source in sources_of(year)}
    with TemporaryDirectory(prefix=_PAINTING, dir=folder) as place:
        spare = Folder(Path(place))
        # What is only drawn on is painted apart, and thrown away.
        into = dict.fromkeys(rich, output) | dict.fromkeys(drawn_on - set(rich), spare)
        painting = [step for name, at in into.items() for step in _steps(name, at)]
        photographs = [partial(take, shot, FULL) for shot in SHOTS.values()]
        first = photographs if len(into) >= len(_PAINTERS) - 1 else []
        tell = _Counter(progress, total=len(first) + len(painting) + len(years))
        with ThreadPoolExecutor(_THREADS) as pool:
            # Photographs first, because every step wants some and they take most of the time.
            _do_all(pool, first, tell)
            _do_all(pool, painting, tell)
            painted = {name: at.root for name, at in into.items()}
            cutting = [partial(_cut, year, painted, output) for year in years]
            _do_all(pool, cutting, tell)
    claim(folder, output, kept)


_PAINTERS: Mapping[str, tuple[Callable[[Folder, Folder], object], ...]] = {
    "NC2016_Sample": (write_nc2016,),
    "NC2017_Sample": (write_nc2017,),
    "MFC2018_Sample": (write_mfc2018,),
    "MFC2019_Sample": (write_mfc2019_videos, write_mfc2019_images, write_mfc2019_provenance),
    "GenAI_Sample": (write_genai,),
    "IMDL_Sample": (write_imdl,),
}


def _steps(name: str, output: Folder) -> list[Callable[[], object]]:
    submissions = output.below("submissions")
    return [partial(paint, output.below(name), submissions) for paint in _PAINTERS[name]]


def _cut(year: str, painted: Mapping[str, Path], output: Folder) -> None:
    submissions = output.below(plan_submissions_folder(year))
    write_plan_exact(year, painted, output.below(f"{year}_Plan"), submissions)


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
