"""Writes the plan-exact samples: the richer ones, cut to what the evaluation plans describe."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath

import cv2
import numpy as np

from forensicviewer.sources.media.masks import write_colour_reference
from forensicviewer.sources.sample.locations import owner_of
from forensicviewer.sources.sample.plan_tables import ANSWERS, TABLES, Exact, ExactAnswers
from forensicviewer.sources.sample.writing import Folder, Row

_RICH = ("NC2016", "NC2017", "MFC2018", "MFC2019")
_SPLICE_COLOUR = (255, 10, 0)
_DESCRIPTION = """\
Section 1 {whose} Identifier(s)
{name}

Section 2 System Description
A made-up system of the sample; it does not read any image.

Section 3 OptOut Criteria
{opts}

Section 4 System Hardware Description and Runtime Computation
One CPU core, no GPU; less than a minute for the index file.

Section 5 Training Data and Knowledge Sources
None

Section 6 References
None
"""


def sources_of(year: str) -> set[str]:
    """The richer samples that a plan-exact one is made of."""
    tables = {table.source.partition("/")[0] for table in TABLES[year]}
    return tables | {owner_of(f"submissions/{answers.source}") for answers in ANSWERS[year]}


def write_plan_exact(
    year: str, painted: Mapping[str, Path], dataset: Folder, submissions: Folder
) -> None:
    """Write the dataset and the submissions of one year.

    ``painted`` says in which sample each of the richer datasets lies that it is made of.
    """
    maker = _Maker(year, painted, dataset)
    for table in TABLES[year]:
        maker.table(table)
    dataset.text("README.txt", f"Plan-exact sample of {year}: only what its plan describes.\n")
    if year != "NC2016":
        dataset.text("documents/about.txt", "forensicviewer painted all images of this dataset.\n")
    for answers in ANSWERS[year]:
        name = f"submissions/{answers.source}"
        _Answers(year, painted[owner_of(name)] / name, submissions, answers).write()


def _renamed(text: str, year: str) -> str:
    """The same text for another year: ids and paths carry it, and ids must not meet there."""
    for rich in _RICH:
        if rich != year:
            text = text.replace(f"{rich}_", f"{year}_{rich[-2:]}").replace(rich, year)
    return text


def _rows(path: Path) -> list[dict[str, str]]:
    lines = path.read_text("utf-8").splitlines()
    names = lines[0].split("|")
    return [dict(zip(names, line.split("|"), strict=True)) for line in lines[1:]]


class _Maker:
    """Makes the dataset of one year; each file is copied once."""

    def __init__(self, year: str, painted: Mapping[str, Path], folder: Folder) -> None:
        self._year = year
        self._painted = painted
        self._folder = folder
        self._made: set[str] = set()

    def table(self, table: Exact) -> None:
        name = table.source.partition("/")[0]
        sample = self._painted[name]
        rows = [self._row(row, table, sample / name) for row in _rows(sample / table.source)]
        distinct = list({tuple(row.items()): row for row in rows}.values())
        self._folder.table(table.path, table.columns, distinct)

    def _row(self, rich: dict[str, str], table: Exact, root: Path) -> Row:
        row = {column: rich.get(table.taken.get(column, column), "") for column in table.columns}
        if "ProbeMaskFileName" in row and row.get("IsTarget", "Y") == "N":
            row["ProbeMaskFileName"] = row["ProbeMaskFileName"] if "TrainCamID" in row else ""
        for column, cell in row.items():
            if cell and column.endswith("FileName") and "Browser" not in column:
                row[column] = self._file(root, cell, row, recolour=column in table.recoloured)
        if "JournalMD5" in row:
            journal = self._folder.root / row["JournalFileName"]
            row["JournalMD5"] = hashlib.md5(journal.read_bytes(), usedforsecurity=False).hexdigest()
        return {name: _renamed(cell, self._year) for name, cell in row.items()} | {
            name: cell for name, cell in table.cells.items() if name in row
        }

    def _file(self, root: Path, name: str, row: dict[str, str], *, recolour: bool) -> str:
        """Copy a file of a richer sample; its name here."""
        place = name
        if "FilePath" in row:
            place = f"training/{row['FilePath']}/{name}"
        planned = _renamed(place, self._year)
        if self._year != "NC2016" and not recolour:
            planned = planned.replace("reference/manipulation/", "reference/manipulation-image/")
        planned = planned.replace("reference/camera/", "reference/cameraverification/")
        if planned not in self._made:
            self._made.add(planned)
            self._copy(root / place, planned, recolour=recolour)
        return name if "FilePath" in row else planned

    def _copy(self, source: Path, planned: str, *, recolour: bool) -> None:
        target = self._folder.path(planned)
        if recolour:
            grey = cv2.imread(str(source), cv2.IMREAD_GRAYSCALE)
            assert grey is not None
            pixels = np.full((*grey.shape, 3), 255, np.uint8)
            pixels[grey < 128] = _SPLICE_COLOUR
            write_colour_reference(target, pixels)
        elif source.suffix == ".json":
            target.write_text(_renamed(source.read_text("utf-8"), self._year), "utf-8")
            for mask in source.parent.glob("*_mask.png"):
                beside = (PurePosixPath(planned).parent / mask.name).as_posix()
                shutil.copyfile(mask, self._folder.path(beside))
        else:
            shutil.copyfile(source, target)


class _Answers:
    """Makes one submission."""

    def __init__(self, year: str, source: Path, folder: Folder, answers: ExactAnswers) -> None:
        self._year = year
        self._source = source
        self._folder = folder.below(answers.name)
        self._answers = answers

    def write(self) -> None:
        rows = [self._row(row) for row in _rows(self._source / f"{self._source.name}.csv")]
        self._folder.table(f"{self._answers.name}.csv", self._answers.columns, rows)
        if self._year != "NC2016":
            whose = "Experiment" if self._year == "NC2017" else "Submission"
            opts = (
                "Trials and boundaries it is not sure of"
                if "careful" in self._answers.name
                else "None"
            )
            text = _DESCRIPTION.format(whose=whose, name=self._answers.name, opts=opts)
            self._folder.text(f"{self._answers.name}.txt", text)

    def _row(self, rich: dict[str, str]) -> Row:
        row = {column: rich.get(column, "") for column in self._answers.columns}
        if "IsOptOut" in row:
            row["IsOptOut"] = "N"
        for column, cell in row.items():
            if not cell or not column.endswith("FileName"):
                continue
            if cell.endswith(".hdf5") and self._year == "NC2017":
                row[column] = ""  # NC2017 asks for no masks of videos (2.1.1)
            else:
                row[column] = self._copy(cell, rich)
        return {name: _renamed(cell, self._year) for name, cell in row.items()}

    def _copy(self, name: str, rich: dict[str, str]) -> str:
        planned = _renamed(name, self._year)
        source, target = self._source / name, self._folder.path(planned)
        if source.suffix != ".json":
            shutil.copyfile(source, target)
            return planned
        document = json.loads(_renamed(source.read_text("utf-8"), self._year))
        if self._answers.results:
            probe = _renamed(rich["ProvenanceProbeFileID"], self._year)
            nodes = document["nodes"]
            nodes += list(self._fillers(probe, nodes))
        target.write_text(json.dumps(document, indent=1) + "\n", "utf-8")
        return planned

    def _fillers(self, probe: str, nodes: list[dict[str, object]]) -> Iterable[dict[str, object]]:
        """The probe, and images of a world too large to be part of the sample."""
        listed = {node["fileid"] for node in nodes}
        wanted = [] if probe in listed else [probe]
        missing = self._answers.results - len(nodes) - len(wanted)
        wanted += [f"{self._year}_W{9001 + number}" for number in range(missing)]
        for number, world in enumerate(wanted):
            score = 0.99 if world == probe else round(0.09 - number / 10_000, 4)
            yield {
                "id": f"w{number}",
                "file": f"world/{world}.jpg",
                "fileid": world,
                "nodeConfidenceScore": score,
            }
