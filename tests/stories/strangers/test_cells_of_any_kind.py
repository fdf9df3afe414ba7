"""Cells that should hold numbers and hold anything else: whoever reads them goes on or refuses."""

from __future__ import annotations

import csv
from pathlib import Path
from random import Random

import pytest

from tests.build import a_dataset, blurred, box
from tests.fuzz import asking, doors
from tests.fuzz.worlds import World
from tests.video_build import a_video_dataset

# Infinite, not a number, digits of other kinds, and more of them than any number has.
CELLS = ("nan", "-inf", "1e999", "-1", "²", "１２", "1_000", "9" * 5000)  # noqa: RUF001 - wide digits


def images(folder: Path) -> tuple[Path, Path]:
    """A trial for each cell, so that the cell of one is not hidden by the refusal of another."""
    builder = a_dataset(folder).nist("MFC2019")
    for number in range(len(CELLS)):
        name = f"p{number}"
        builder.with_trial(name, manipulated=box(5, 5, 30, 30)).with_answer(name, blurred())
    built = builder.write()
    return built.root, built.submission


def video(folder: Path) -> tuple[Path, Path]:
    built = a_video_dataset(folder, sound=False)
    return built.root, built.submission


def fill(folder: Path, column: str, cells: tuple[str, ...]) -> int:
    """Write the cells into a column of every table that has it; returns how many tables have."""
    found = 0
    for path in folder.rglob("*.csv"):
        with path.open(encoding="utf-8", newline="") as stream:
            columns, *rows = csv.reader(stream, delimiter="|")
        if column in columns:
            found += 1
            for number, row in enumerate(rows):
                row[columns.index(column)] = cells[number % len(cells)]
            lines = ["|".join(line) for line in (columns, *rows)]
            path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return found


def look(folder: Path, dataset: Path, submission: Path, *commands: str) -> None:
    """Open it as the window does, then run commands; a bug of ours would be raised."""
    names = [path.relative_to(folder).as_posix() for path in (dataset, submission)]
    doors._open_world(folder, World({}, names[0], names[1]), Random(14))
    for command in ("validate", *commands):
        out = ["--out", str(folder / "out")] if command.startswith("score") else []
        asking.command([*command.split(), str(dataset), str(submission), *out])


# The last three stand in no table of these, and are added beside the column they belong to.
OF_IMAGES = {
    **dict.fromkeys(("ProbeWidth", "ProbeHeight", "Sequence", "Color"), ""),
    "ProbeFileSize": "ProbeWidth",
    "BitPlane": "Sequence",
    "ProbeOptOutPixelValue": "ConfidenceScore",
}


@pytest.mark.parametrize("column", OF_IMAGES)
def test_images_whose_tables_hold_anything(tmp_path: Path, column: str) -> None:
    dataset, submission = images(tmp_path)
    add_column(tmp_path, OF_IMAGES[column], column)
    assert fill(tmp_path, column, CELLS)

    look(tmp_path, dataset, submission, "info --files", "score mask --workers 1")


def add_column(folder: Path, beside: str, column: str) -> None:
    for path in folder.rglob("*.csv"):
        columns, *rows = path.read_text(encoding="utf-8").splitlines()
        if beside in columns.split("|"):
            lines = [f"{columns}|{column}", *(f"{row}|" for row in rows)]
            path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def test_scores_that_are_anything(tmp_path: Path) -> None:
    dataset, submission = images(tmp_path)
    assert fill(submission, "ConfidenceScore", CELLS)

    look(tmp_path, dataset, submission, "score detection")


@pytest.mark.parametrize("column", ["FrameRate", "FrameCount", "FrameTimeAdjustment"])
@pytest.mark.parametrize("cell", ["nan", "1e999", "²", CELLS[-1]])
def test_videos_whose_tables_hold_anything(tmp_path: Path, column: str, cell: str) -> None:
    dataset, submission = video(tmp_path)
    assert fill(dataset, column, (cell,))

    look(tmp_path, dataset, submission, "score temporal")
