"""Files that lists name: found below the folders a user names, and nowhere else."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from forensicviewer.core.model import Dataset
from forensicviewer.core.problem import DatasetError
from forensicviewer.sources.imdl.dataset import DatasetChoices, read_dataset
from forensicviewer.sources.imdl.places import Roots
from tests.sources.imdl import build


def _opened(path: Path, roots: Roots | None = None) -> Dataset:
    return read_dataset(path, DatasetChoices(roots=roots or Roots()))


def _masks(dataset: Dataset) -> dict[str, str]:
    rows = dataset.tasks[0].table.rows()
    return {row["ProbeFileID"]: row["ProbeMaskFileName"] for row in rows}


def test_climbing_out_of_the_folder_is_refused(tmp_path: Path) -> None:
    build.mani(tmp_path / "data")
    path = tmp_path / "lists" / "list.txt"
    path.parent.mkdir()
    path.write_text("../data/Tp/0.jpg,../data/Gt/0.png\n")

    with pytest.raises(DatasetError, match="None of the listed files"):
        _opened(path)


def test_a_list_beside_its_images_opens_once_their_folder_is_named(tmp_path: Path) -> None:
    build.mani(tmp_path / "data")
    path = tmp_path / "lists" / "list.txt"
    path.parent.mkdir()
    path.write_text("../data/Tp/0.jpg,../data/Gt/0.png\n")

    with pytest.raises(DatasetError) as refused:
        _opened(path)
    dataset = _opened(path, roots=Roots((tmp_path / "data",)))

    # One folder above images and masks is offered, not each of theirs.
    assert f"--root {tmp_path / 'data'}," in refused.value.hint
    assert _masks(dataset) == {"0.jpg": "data/Gt/0.png"}


def test_relative_names_are_found_below_the_folder_of_the_list(tmp_path: Path) -> None:
    root = build.mani(tmp_path / "CASIAv1")
    (root / "all.txt").write_text("./CASIAv1/Tp/0.jpg ./CASIAv1/Gt/0.png 1\n")

    assert _masks(_opened(root / "all.txt")) == {"0.jpg": "Gt/0.png"}


def test_nothing_outside_is_looked_at_before_its_folder_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside, secret = build.mani(tmp_path / "inside"), build.mani(tmp_path / "secret", 6)
    rows = [["Tp/0.jpg", "Gt/0.png"], ["../secret/Tp/5.jpg", "Negative"]]
    rows += [[str(secret / "Tp" / "4.jpg"), str(secret / "Gt" / "4.png")]]
    (inside / "list.json").write_text(json.dumps(rows))
    looked_at: list[str] = []
    for name in ("stat", "lstat", "scandir", "open"):
        real = getattr(os, name)

        def spied(path: object, *rest: Any, _real: Any = real, **more: Any) -> Any:
            looked_at.append(str(path))
            return _real(path, *rest, **more)

        monkeypatch.setattr(os, name, spied)

    dataset = _opened(inside / "list.json")
    monkeypatch.undo()

    assert looked_at
    assert [path for path in looked_at if path.startswith(str(secret))] == []
    told = [problem for problem in dataset.problems if problem.rule == "imdl.outside"]
    assert sum(problem.times for problem in told) == 3


def test_a_class_registered_with_the_benchmark_makes_a_balanced_list(tmp_path: Path) -> None:
    build.mani(tmp_path / "data")
    path = tmp_path / "balanced.json"
    path.write_text(json.dumps([["TampDataset", "data"]]))

    assert [task.name for task in _opened(path).tasks] == ["imdl"]
