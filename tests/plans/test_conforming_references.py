"""Nothing doubts a reference that is as the plans describe it: files, suspects and scores."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from forensicviewer.app.datasets.opening import open_dataset
from forensicviewer.app.quality.search import search_suspects, tasks_to_check
from forensicviewer.cli import main
from forensicviewer.sources.media.jpeg2000 import write_components
from tests.plans.build import HEIGHT, WIDTH, PlanDataset
from tests.plans.datasets import add_images, add_splices
from tests.plans.test_files import FINE, files_of
from tests.plans.verification import add_cameras, camera_answers

# Only the contents of masks are looked at here: the probes of these datasets are alike.
ABOUT_MASKS = {"empty", "full", "inverted", "mark-without-operation", "operation-without-area"}


def suspected(root: Path) -> set[str]:
    tasks = tasks_to_check(open_dataset(root))
    found = search_suspects(tasks, progress=lambda *_: None).suspects
    return {one.suspect.rule for one in found} & ABOUT_MASKS


def white_all_over(root: Path) -> Path:
    """The masks of operations on whole images (MFC2019, section 2.1.1.1)."""
    for mask in root.rglob("*.jp2"):
        mask.unlink()
        write_components(mask, np.full((HEIGHT, WIDTH, 1), 255, np.uint8))
    return root


@pytest.mark.parametrize("year", ["NC2016", "NC2017", "MFC2019"])
def test_images_and_splices_are_fine(
    year: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = add_splices(add_images(PlanDataset.of(tmp_path, year))).write()

    assert FINE in files_of(root, capsys)
    assert suspected(root) == set()


def test_a_white_mask_of_a_whole_image_is_fine(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = add_images(PlanDataset.of(tmp_path, "MFC2019"))
    for cells in plan.rows["manipulation-image-ref-probejournaljoin"]:
        cells["BitPlane"] = ""
    for cells in plan.rows["manipulation-image-ref-journalmask"]:
        cells["Color"] = ""
    root = white_all_over(plan.write())

    assert FINE in files_of(root, capsys)
    assert suspected(root) == set()


def test_a_white_mask_lacks_the_planes_that_its_journal_names(tmp_path: Path) -> None:
    root = white_all_over(add_images(PlanDataset.of(tmp_path, "MFC2019")).write())

    assert suspected(root) == {"empty", "operation-without-area"}


@pytest.mark.parametrize("masks", ["jp2", "jpg"])
def test_masks_of_cameras_are_fine(
    masks: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = add_cameras(PlanDataset.of(tmp_path, "MFC2019"), masks=masks).write()

    assert FINE in files_of(root, capsys)
    assert suspected(root) == set()


def test_an_original_image_of_a_camera_needs_no_mask(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = add_cameras(PlanDataset.of(tmp_path, "MFC2019")).write()
    answers, out = camera_answers(tmp_path).write(), tmp_path / "out"

    assert main(["score", "all", str(root), str(answers), "--out", str(out)]) == 0
    assert "not scored" not in capsys.readouterr().err
