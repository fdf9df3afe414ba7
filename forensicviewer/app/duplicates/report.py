"""What a search for near-duplicates writes: tables, lists of trials, a heat map, a split."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path

import cv2
import numpy as np

from forensicviewer.app.duplicates.search import DuplicateSearch
from forensicviewer.app.report.score_output import pipe_separated
from forensicviewer.app.runtime.atomic import write_atomically, write_bytes
from forensicviewer.core.array import RgbImage
from forensicviewer.sources.media.png import encode_png

GROUPS, PAIRS, KEPT, SPLIT = "duplicates.csv", "similar_pairs.csv", "kept_trials.txt", "split.csv"
HEAT_MAP = "similarity.png"


def write_report(
    folder: Path,
    search: DuplicateSearch,
    keep: Collection[int],
    *,
    split: tuple[Collection[int], Collection[int]] | None = None,
) -> tuple[Path, ...]:
    """Write everything into a folder; returns the files."""
    folder.mkdir(parents=True, exist_ok=True)
    texts = {
        GROUPS: pipe_separated(
            ["TrialID", "ProbeFileName", "Group", "GroupSize", "Keep"], _rows(search, keep)
        ),
        PAIRS: pipe_separated(
            ["FirstFileName", "SecondFileName", "SSIM"],
            (
                (search.probes[i].name, search.probes[j].name, f"{index:.6f}")
                for i, j, index in search.found.pairs
            ),
        ),
        KEPT: "".join(f"{trial}\n" for trial in search.trials_of(keep)),
    }
    if split is not None:
        texts[SPLIT] = pipe_separated(["TrialID", "Group", "Part"], _parts(search, split))
    for name, text in texts.items():
        write_atomically(folder / name, text)
    files = [folder / name for name in texts]
    picture = heat_map(search)
    if picture is not None:
        write_bytes(folder / HEAT_MAP, encode_png(picture))
        files.append(folder / HEAT_MAP)
    return tuple(files)


def heat_map(search: DuplicateSearch) -> RgbImage | None:
    """The index of every pair, a pixel each, brighter where they are alike; groups stand together.

    ``None`` where not every pair was compared.
    """
    matrix = search.found.matrix
    if matrix is None or not len(matrix):
        return None
    grouped = [probe for members in search.found.groups for probe in members]
    order = [*grouped, *(n for n in range(len(matrix)) if n not in set(grouped))]
    levels = np.clip(matrix[np.ix_(order, order)] * 255, 0, 255).astype(np.uint8)
    colors = cv2.applyColorMap(levels, cv2.COLORMAP_INFERNO)
    return np.asarray(cv2.cvtColor(colors, cv2.COLOR_BGR2RGB), np.uint8)


def _rows(search: DuplicateSearch, keep: Collection[int]) -> Iterable[tuple[str, ...]]:
    for number, probe in enumerate(search.probes):
        group = search.group_of(number)
        size = 1 if group is None else len(search.found.groups[group])
        for trial in probe.trials:
            kept = "Y" if number in keep else "N"
            yield trial, probe.name, "" if group is None else str(group + 1), str(size), kept


def _parts(
    search: DuplicateSearch, split: tuple[Collection[int], Collection[int]]
) -> Iterable[tuple[str, ...]]:
    for number, probe in enumerate(search.probes):
        group = search.group_of(number)
        part = "train" if number in split[0] else "validation"
        for trial in probe.trials:
            yield trial, "" if group is None else str(group + 1), part
