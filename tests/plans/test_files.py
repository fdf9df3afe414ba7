"""What ``info --files`` finds of the digests and sizes that the plans put into the tables."""

from __future__ import annotations

from pathlib import Path

import pytest

from forensicviewer.cli import main
from tests.plans.build import PlanDataset
from tests.plans.datasets import add_images
from tests.plans.graphs import JOURNAL, add_provenance
from tests.plans.verification import add_cameras

FINE = "all present and as declared"


def files_of(root: Path, capsys: pytest.CaptureFixture[str]) -> str:
    main(["info", str(root), "--files"])
    said = capsys.readouterr()
    return said.out + said.err


def test_a_journal_is_known_by_its_md5(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = add_provenance(PlanDataset.of(tmp_path, "NC2017")).write()
    assert FINE in files_of(root, capsys)

    with (root / JOURNAL).open("a") as journal:
        journal.write("\n")

    said = files_of(root, capsys)
    assert "JournalMD5 is" in said


def test_what_the_plan_prints_as_an_md5_is_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = add_provenance(PlanDataset.of(tmp_path, "MFC2019"))
    plan.rows["provenance-ref"][0]["JournalMD5"] = "7j0bkgopmzk53wti61ypx5kdpu"

    assert "7j0bkgopmzk53wti61ypx5kdpu is not an MD5" in files_of(plan.write(), capsys)


def test_a_probe_has_the_bytes_that_the_index_says(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = add_cameras(PlanDataset.of(tmp_path, "MFC2019"))
    assert FINE in files_of(plan.write(), capsys)
    plan.rows["cameraverification-index"][0]["ProbeFileSize"] = "99"

    assert "ProbeFileSize is 99" in files_of(plan.write(), capsys)


def test_training_data_and_controls_that_are_missing_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = add_cameras(PlanDataset.of(tmp_path, "MFC2019")).write()
    trained = root / "training/12368/Images/Primary/No_Lens_50/_5648753.JPG"
    trained.unlink()
    plan = add_images(PlanDataset.of(tmp_path, "NC2016"))
    plan.rows["manipulation-ref"][0]["CorrespondingControlFileName"] = "world/control.jpg"

    assert f"{trained.relative_to(root)} does not exist" in files_of(root, capsys)
    assert "world/control.jpg does not exist" in files_of(plan.write(), capsys)
