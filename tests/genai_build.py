"""Writes GenAI evaluations as the plan's own text has them: its names, its spellings, its slips."""

from __future__ import annotations

import tarfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np

# Section 3.1 and 3.2, with the blanks and the separator at the end of the plan's examples.
INDEX_HEADER = "DatasetID      |      TaskID   |      FileID      |"
# The table of section 5.1, and the example below it.
OUTPUT_HEADER = "DatasetID|TaskID|DiscriminatorID|ModelVersion|FileID|ConfidenceScore"
EXAMPLE_HEADER = (
    "DatasetID      |      TaskID      |  DiscriminatorID | ModelVersion      |  FileID      |"
    "      ConfScore"
)
DRY_RUN, TEST = "genai25_Image-D_dryrun_index.csv", "genai25_Image-D_detection_index.csv"
OUTPUT = "genai25_image_d_sys_model-01_cutoff-50.csv"
SETS = ("GenAI25-G1-Image-set1", "GenAI25-G2-Image-set1")


@dataclass(frozen=True)
class GenAITrial:
    """One row of the index and what is known about it."""

    file: str
    is_ai: bool
    dataset: str = SETS[0]


@dataclass
class GenAIBuilder:
    """Collects trials and system outputs; writes a folder as section 3 describes it."""

    folder: Path
    trials: list[GenAITrial] = field(default_factory=list)
    index_name: str = TEST
    has_images: bool = True

    def of(self, trials: Iterable[GenAITrial]) -> GenAIBuilder:
        self.trials = list(trials)
        return self

    def write(self, *, header: str = INDEX_HEADER, row: str = "{0} | detection | {1} |") -> Path:
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / "README.md").write_text("# GenAI image discriminators\n")
        lines = [row.format(trial.dataset, trial.file) for trial in self.trials]
        (self.folder / self.index_name).write_text("\n".join([header, *lines]) + "\n")
        if self.has_images:
            for number, trial in enumerate(self.trials):
                write_image(self.folder / "files" / trial.file, shade=10 * number % 256)
        return self.folder

    def reference(
        self,
        column: str = "IsTarget",
        words: tuple[str, str] = ("Y", "N"),
        *,
        name: str = "genai25_Image-D_detection_ref.csv",
        more: Mapping[str, Sequence[str]] | None = None,
    ) -> Path:
        others = more or {}
        header = "|".join(["DatasetID", "TaskID", "FileID", column, *others])
        rows = [
            "|".join(
                [
                    *(trial.dataset, "detection", trial.file, words[0 if trial.is_ai else 1]),
                    *(cells[number] for cells in others.values()),
                ]
            )
            for number, trial in enumerate(self.trials)
        ]
        path = self.folder / name
        path.write_text("\n".join([header, *rows]) + "\n")
        return path

    def output(
        self,
        scores: Sequence[float | str],
        *,
        name: str = OUTPUT,
        header: str = OUTPUT_HEADER,
        row: str = "{0}|detection|D-NIST_site|MySystem_Dalle|{1}|{2}",
    ) -> Path:
        place = self.folder.parent / "outputs"
        place.mkdir(parents=True, exist_ok=True)
        rows = [
            row.format(trial.dataset, trial.file, score)
            for trial, score in zip(self.trials, scores, strict=True)
        ]
        path = place / name
        path.write_text("\n".join([header, *rows]) + "\n")
        return path


def trials(ai: int, human: int, *, suffix: str = ".webp") -> list[GenAITrial]:
    """Images named as the plan names them, AI-generated ones first, of two generators in turn."""
    return [
        GenAITrial(f"file_{number + 1:04d}{suffix}", number < ai, SETS[number % len(SETS)])
        for number in range(ai + human)
    ]


def write_image(path: Path, *, shade: int = 128) -> None:
    """A small WebP image, whatever the case of its suffix."""
    path.parent.mkdir(parents=True, exist_ok=True)
    pixels = np.full((24, 32, 3), shade, dtype=np.uint8)
    encoded = cv2.imencode(".webp", pixels)[1] if path.suffix.lower() == ".webp" else None
    path.write_bytes(b"some text\n" if encoded is None else encoded.tobytes())


def packed(*paths: Path, name: str, inside: str = "") -> Path:
    """A gzipped tarball of the files and folders, as ``tar zcvf`` makes one."""
    archive = paths[0].parent / name
    with tarfile.open(archive, "w:gz") as tape:
        for path in paths:
            tape.add(path, arcname=f"{inside}{path.name}")
    return archive
