"""Builds tiny mask tasks from letters: one letter is one pixel of the reference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from forensicviewer.app.datasets.opening import open_submission, open_task
from forensicviewer.app.masks.run import score_masks
from forensicviewer.app.masks.settings import MaskSettings
from forensicviewer.app.report.score_output import ScoreOutput, pipe_separated
from forensicviewer.core.model import Submission, Task
from forensicviewer.sources.media.masks import write_colour_reference, write_grey

PALETTE = {".": (255, 255, 255), "k": (0, 0, 0), "a": (255, 0, 0), "b": (0, 255, 0), "?": (9, 9, 9)}
Grey = Sequence[Sequence[int]] | NDArray[np.uint8]


@dataclass
class MaskCase:
    """Collects trials and answers; ``open`` writes them as a dataset and a submission."""

    folder: Path
    is_splice: bool = False
    edition: str = "NC2017"
    # Only the columns the plans name: no binary masks, and no donors in the journal.
    is_plan_exact: bool = False
    reference: list[dict[str, str]] = field(default_factory=list)
    index: list[dict[str, str]] = field(default_factory=list)
    joins: list[dict[str, str]] = field(default_factory=list)
    steps: dict[tuple[str, str], dict[str, str]] = field(default_factory=dict)
    answers: list[dict[str, str]] = field(default_factory=list)
    has_quoted_names: bool = False

    @property
    def root(self) -> Path:
        return self.folder / "dataset"

    @property
    def system(self) -> Path:
        return self.folder / "system"

    def trial(
        self,
        probe: str,
        *rows: str,
        donor: str = "",
        donor_rows: Sequence[str] = (),
        journal: str = "",
        index_size: tuple[int, int] | None = None,
        **cells: str,
    ) -> MaskCase:
        """A target whose reference is painted in letters; ``a`` and ``b`` are its operations."""
        name = self._paint(f"{probe}{donor}-probe", rows)
        row = {"TaskID": self._task, "ProbeFileID": probe, "ProbeFileName": f"probe/{probe}.jpg"}
        row |= {"ProbeMaskFileName": name, "IsTarget": "Y", "JournalName": journal or f"J{probe}"}
        height, width = len(rows), len(rows[0]) if rows else 0
        place = {"TaskID": self._task, "ProbeFileID": probe, "ProbeFileName": row["ProbeFileName"]}
        place |= _size("Probe", index_size or (width, height))
        if self.is_splice:
            mask = self._paint(f"{probe}{donor}-donor", donor_rows)
            if not self.is_plan_exact:
                row["BinaryProbeMaskFileName"] = name
            row["DonorFileID"] = donor
            row |= {"DonorFileName": f"world/{donor}.jpg", "DonorMaskFileName": mask}
            place |= {"DonorFileID": donor, "DonorFileName": row["DonorFileName"]}
            place |= _size("Donor", index_size or (width, height))
        self.reference.append({**row, **cells})
        self.index.append(place)
        for letter in sorted(set("".join(rows)) & {"a", "b"}):
            self._step(row, letter)
        return self

    def answer(
        self, probe: str, mask: Grey | str = "", *, donor_mask: Grey = (), **cells: str
    ) -> MaskCase:
        """An answer with a painted mask (NIST's grey values), a bare name, or none."""
        row = {"ProbeFileID": probe}
        if self.is_splice:
            row["DonorFileID"] = cells.pop("donor")
        row |= {"ConfidenceScore": cells.pop("confidence", "0.5")}
        row["OutputProbeMaskFileName"] = self._answer_mask(f"m{len(self.answers)}", mask)
        if self.is_splice:
            row["OutputDonorMaskFileName"] = self._answer_mask(f"d{len(self.answers)}", donor_mask)
        if not {"IsOptOut", "ProbeStatus"} & set(cells):
            cells = {"IsOptOut": "N", **cells}
        self.answers.append(row | cells)
        return self

    def open(self, name: str = "") -> tuple[Task, Submission]:
        stem = f"{self.edition}-{self._task}"
        reference = f"reference/{self._task}/{stem}-ref"
        _write(self.root / f"{reference}.csv", self.reference)
        if self.has_quoted_names:
            _quote_names(self.root / f"{reference}.csv")
        _write(self.root / f"{reference}-probejournaljoin.csv", self.joins)
        _write(self.root / f"{reference}-journalmask.csv", list(self.steps.values()))
        _write(self.root / f"indexes/{stem}-index.csv", self.index)
        table = self.system / "system.csv"
        _write(table, self.answers)
        _, task = open_task(self.root, name=name or self._task)
        return task, open_submission(table, task=task)

    def score(self, settings: MaskSettings) -> ScoreOutput:
        return score_masks(*self.open(), settings)

    @property
    def _task(self) -> str:
        return "splice" if self.is_splice else "manipulation"

    def _paint(self, name: str, rows: Sequence[str]) -> str:
        if not rows:
            return ""
        path = self.root / "reference" / f"{name}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        colours = [[PALETTE[letter] for letter in row] for row in rows]
        write_colour_reference(path, np.array(colours, np.uint8))
        return f"reference/{name}.png"

    def _answer_mask(self, name: str, mask: Grey | str) -> str:
        if isinstance(mask, str):
            return mask
        if not len(mask):
            return ""
        path = self.system / f"{name}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        write_grey(path, np.asarray(mask, np.uint8))
        return path.name

    def _step(self, row: Mapping[str, str], letter: str) -> None:
        journal = row["JournalName"]
        names_donors = self.is_splice and not self.is_plan_exact
        keys = ["ProbeFileID", *(["DonorFileID"] if names_donors else [])]
        step = {"JournalName": journal, "StartNodeID": letter, "EndNodeID": f"{letter}2"}
        self.joins.append({key: row[key] for key in keys} | step | {"Sequence": "1"})
        color = " ".join(str(level) for level in PALETTE[letter])
        self.steps[journal, letter] = step | {"Operation": letter, "Color": color, "Purpose": ""}


def records(output: ScoreOutput, name: str) -> list[dict[str, str]]:
    """The rows of one of the files; none when it was not written."""
    return [row for table in output.tables if table.name == name for row in table.records()]


def _size(side: str, size: tuple[int, int]) -> dict[str, str]:
    return {f"{side}Width": str(size[0]), f"{side}Height": str(size[1])}


def _quote_names(path: Path) -> None:
    header, rest = path.read_text(encoding="utf-8").split("\n", 1)
    names = "|".join(f'"{name}"' for name in header.split("|"))
    path.write_text(f"{names}\n{rest}", encoding="utf-8")


def _write(path: Path, rows: Sequence[Mapping[str, str]]) -> None:
    columns = list(dict.fromkeys(name for row in rows for name in row)) or ["ProbeFileID"]
    path.parent.mkdir(parents=True, exist_ok=True)
    cells = [[row.get(name, "") for name in columns] for row in rows]
    path.write_text(pipe_separated(columns, cells), encoding="utf-8")
