"""The plan-exact samples: only the files and columns of the plans, written one by one."""

from __future__ import annotations

from pathlib import Path

import pytest

from forensicviewer.app.datasets.opening import open_dataset
from forensicviewer.app.datasets.sample import sample_places
from forensicviewer.cli import main
from forensicviewer.core.problem import UsageError
from forensicviewer.sources.sample import write_sample
from forensicviewer.sources.sample.locations import (
    SAMPLES,
    datasets,
    owner_of,
    plan_datasets,
    submissions_for,
)
from tests.plans.columns import YEARS
from tests.plans.submissions import TASKS

PLANS = ["NC2016", "NC2017", "MFC2019"]
by_year = pytest.mark.parametrize("year", PLANS)


def header(path: Path) -> tuple[str, ...]:
    return tuple(path.read_text("utf-8").splitlines()[0].split("|"))


@by_year
def test_every_table_of_the_plan_is_there_with_its_columns_and_no_other(
    year: str, sample_folder: Path
) -> None:
    root = sample_folder / f"{year}_Plan"

    found = {path.relative_to(root).as_posix(): header(path) for path in root.rglob("*.csv")}

    assert found == {table.path: table.columns for table in YEARS[year].tables.values()}


@by_year
def test_every_task_of_the_plan_opens_with_whole_files(
    year: str, sample_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = sample_folder / f"{year}_Plan"

    assert sorted(task.kind.value for task in open_dataset(root).tasks) == sorted(TASKS[year])
    assert main(["info", str(root), "--files"]) == 0
    assert "all present and as declared" in capsys.readouterr().out


@by_year
def test_every_submission_conforms_and_every_task_is_answered(
    year: str, sample_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = sample_folder / f"{year}_Plan"
    answered = set()
    for submission in submissions_for(root):
        named = [str(root), str(submission)]
        assert main(["validate", *named, "--rules", "plan", "--strict"]) == 0, submission
        assert main(["validate", *named, "--strict", "--check-name"]) == 0, submission
        out = str(tmp_path / submission.name)
        assert main(["score", "all", *named, "--rules", "plan", "--out", out, "--quiet"]) == 0
        output = header(submission / f"{submission.name}.csv")
        planned = {own.columns for own in YEARS[year].outputs.values()}
        assert output in planned
        answered.add(submission.name)

    assert len(answered) == {"NC2016": 5, "NC2017": 6, "MFC2019": 9}[year]
    assert capsys.readouterr().err.count("error:") == 0


def files_in(folder: Path) -> dict[str, set[str]]:
    """The files of a sample by the dataset they belong to."""
    found: dict[str, set[str]] = {}
    for path in folder.rglob("*"):
        if path.is_file():
            name = path.relative_to(folder).as_posix()
            found.setdefault(owner_of(name), set()).add(name)
    return found


def test_each_dataset_is_written_alone_and_stays_when_another_is(tmp_path: Path) -> None:
    folder = tmp_path / "sample"
    write_sample(folder, ["NC2016_Plan"])
    first = files_in(folder)
    assert set(first) == {"", "NC2016_Plan"}

    write_sample(folder, ["GenAI_Sample"])
    write_sample(folder, ["GenAI_Sample"])

    both = files_in(folder)
    assert set(both) == {"", "NC2016_Plan", "GenAI_Sample"}
    assert both["NC2016_Plan"] == first["NC2016_Plan"]
    assert not list(folder.glob(".painting-*"))


def test_a_dataset_that_the_sample_does_not_have_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="'NC2020' is not a dataset"):
        write_sample(tmp_path / "sample", ["NC2020"])


def test_sizes_and_times_are_stated(
    sample_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["sample", "--list"]) == 0

    shown = capsys.readouterr().out
    listed = [*datasets(sample_folder), *plan_datasets(sample_folder)]
    assert {path.name for path in listed} == set(SAMPLES)
    found = files_in(sample_folder)
    for name, sample in SAMPLES.items():
        assert (
            f"{name:<15} {sample.about} ({sample.megabytes:g} MB, about {sample.seconds}" in shown
        )
        size = sum((sample_folder / file).stat().st_size for file in found[name]) / 1e6
        assert size == pytest.approx(sample.megabytes, rel=0.1, abs=0.2), name


def test_a_folder_must_be_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sample"]) == 2
    assert "No folder to write to" in capsys.readouterr().err


def test_only_the_dataset_asked_for_is_painted_for_the_window() -> None:
    asked: list[list[str]] = []

    def paint(folder: Path, names: object, *, progress: object) -> None:
        del progress
        asked.append(list(names))  # type: ignore[call-overload] # a collection of names
        folder.mkdir(parents=True, exist_ok=True)

    for name in ("NC2017_Plan", "NC2017_Plan", "MFC2019_Sample"):
        dataset, _ = sample_places(name, paint=paint)
        assert dataset.name == name

    assert asked == [["NC2017_Plan"], ["MFC2019_Sample"]]
