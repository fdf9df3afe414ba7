"""Folders of images and masks that nobody published: recognised by their names, or by a list."""

from __future__ import annotations

from pathlib import Path

import pytest

from forensicviewer.core.model import Dataset, Edition
from forensicviewer.sources.datasets import detect, read_dataset
from forensicviewer.sources.imdl.dataset import DatasetChoices
from forensicviewer.sources.imdl.pairing import Pairing
from tests.sources.imdl import build


def _masks(dataset: Dataset) -> list[str]:
    return [row["ProbeMaskFileName"] for row in dataset.tasks[0].table.rows()]


@pytest.mark.parametrize("folder", ["fake_masks", "masks-png", "GT_binary"])
def test_a_folder_called_after_masks_holds_them(folder: str, tmp_path: Path) -> None:
    for number in range(3):
        build.image(tmp_path / "photos" / f"{number}.jpg")
        build.mask(tmp_path / folder / f"{number}.png")

    found = detect(tmp_path)

    assert found is not None
    assert found.layout == "imdl"
    assert _masks(read_dataset(tmp_path)) == [f"{folder}/{n}.png" for n in range(3)]


@pytest.mark.parametrize("folder", ["pred_masks", "donor_mask", "gtr"])
def test_maps_and_donors_beside_images_are_no_masks(folder: str, tmp_path: Path) -> None:
    for number in range(3):
        build.image(tmp_path / "photos" / f"{number}.jpg")
        build.mask(tmp_path / folder / f"{number}.png")

    assert detect(tmp_path) is None


def test_folders_of_any_name_open_with_a_list_of_pairs(tmp_path: Path) -> None:
    rows = []
    for number in range(3):
        build.image(tmp_path / "set" / "a" / f"{number}.jpg")
        build.mask(tmp_path / "set" / "b" / f"{9 - number}.png")
        rows.append(f"a/{number}.jpg,b/{9 - number}.png\n")
    (tmp_path / "pairs.txt").write_text("".join(rows))
    choices = DatasetChoices(pairing=Pairing.LIST, pairs=tmp_path / "pairs.txt")

    dataset = read_dataset(tmp_path / "set", choices=choices)

    assert dataset.edition is Edition.IMDL
    assert _masks(dataset) == ["set/b/9.png", "set/b/8.png", "set/b/7.png"]
