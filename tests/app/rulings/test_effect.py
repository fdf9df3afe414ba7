"""The effect of a ruling equals scoring a dataset that was changed accordingly by hand."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from forensicviewer.cli import main
from forensicviewer.core.array import Size
from tests.build import Built, a_dataset, box, nothing, shifted, write_png

_SIZE = Size(width=64, height=48)
_BOXES = {"p1": (10, 8, 40, 40), "p2": (5, 8, 35, 40), "p3": (20, 8, 50, 40)}
SCORE = ["--quiet", "--workers", "1"]


@pytest.fixture
def built(tmp_path: Path) -> Built:
    made = a_dataset(tmp_path / "data").nist("NC2017")
    for name, left in (("p1", 10), ("p2", 5), ("p3", 20)):
        made = made.with_trial(name, manipulated=box(left, 8, left + 30, 40))
    for name, by_px in (("p1", 9), ("p2", 2), ("p3", 3)):
        made = made.with_answer(name, shifted(by_px))
    return made.write()


@pytest.fixture
def rival(built: Built, tmp_path: Path) -> Path:
    """Better than the other where it is bad, and worse elsewhere."""
    folder = built.copied_submission(tmp_path / "rival")
    renamed = folder.with_name("Rival_" + folder.name)
    folder.rename(renamed)
    table = next(renamed.glob("*.csv"))
    table.rename(renamed / f"{renamed.name}.csv")
    for name, by_px in (("p1", 0), ("p2", 6), ("p3", 7)):
        area = box(*_BOXES[name])
        mask = 255 - shifted(by_px)(area(_SIZE))
        write_png(renamed / "mask" / f"{name}.png", mask)
    return renamed


def averages(dataset: Path, submission: Path, out: Path, *words: str) -> dict[str, str]:
    """What ``score mask`` writes about a dataset as it lies on disk."""
    command = ["score", "mask", str(dataset), str(submission), "--out", str(out), *SCORE, *words]
    assert main(command) in (0, 1)
    table = next(path for path in out.glob("mask_score*.csv") if "per" not in path.name)
    (record,) = csv.DictReader(table.read_text("utf-8").splitlines(), delimiter="|")
    return record


def effect(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    capsys.readouterr()
    assert main(["ruling", *words, "--json", "--quiet"]) == 0
    found = json.loads(capsys.readouterr().out)
    return {one["name"]: one for one in found["submissions"]} | {"": found}


def snapshot(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_leaving_a_trial_out_is_scoring_without_its_row(
    built: Built, rival: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = snapshot(tmp_path / "data")
    found = effect(capsys, str(built.root), str(built.submission), str(rival), "--leave-out", "p1")
    assert snapshot(tmp_path / "data") == before

    cut = tmp_path / "cut"
    shutil.copytree(built.root, cut / built.root.name)
    table = next((cut / built.root.name / "reference").rglob("*-ref.csv"))
    lines = table.read_text("utf-8").splitlines()
    table.write_text("\n".join(line for line in lines if "|p1|" not in line) + "\n", "utf-8")
    for number, path in enumerate((built.submission, rival)):
        whole = averages(built.root, path, tmp_path / f"before{number}")
        less = averages(cut / built.root.name, path, tmp_path / f"after{number}")
        one = found[path.name]
        for name, cell in one["before"].items():
            assert cell == whole[name], name
        for name, cell in one["after"].items():
            assert cell == less[name], name
        assert (one["scored_before"], one["scored_after"]) == (3, 2)
        assert list(one["trials"]) == ["p1"]
    ranks = {name: (one["rank_before"], one["rank_after"]) for name, one in found.items() if name}
    assert ranks == {built.submission.name: (2, 1), rival.name: (1, 2)}
    assert found[""]["changes_ranks"] is True


def test_a_corrected_reference_is_the_dataset_with_that_mask(
    built: Built, rival: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mask = next((built.root / "reference").rglob("p1.png"))
    corrected = tmp_path / "corrected.png"
    pixels = np.asarray(cv2.imread(str(mask), cv2.IMREAD_COLOR))
    cv2.imwrite(str(corrected), np.roll(pixels, 9, axis=1))

    words = (str(built.root), str(built.submission), str(rival))
    found = effect(capsys, *words, "--reference-mask", "p1", str(corrected))

    other = tmp_path / "other"
    shutil.copytree(built.root, other / built.root.name)
    shutil.copy(corrected, next((other / built.root.name / "reference").rglob("p1.png")))
    for number, path in enumerate((built.submission, rival)):
        expected = averages(other / built.root.name, path, tmp_path / f"after{number}")
        for name, cell in found[path.name]["after"].items():
            assert cell == expected[name], name
        assert found[path.name]["before"] != found[path.name]["after"]


def test_an_accepted_mask_changes_one_submission_only(
    built: Built, rival: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    later = write_png(tmp_path / "later.png", 255 - shifted(1)(box(*_BOXES["p1"])(_SIZE)))

    words = (str(built.root), str(built.submission), str(rival))
    found = effect(capsys, *words, "--system-mask", built.submission.name, "p1", str(later))

    shutil.copy(later, built.submission / "mask" / "p1.png")
    expected = averages(built.root, built.submission, tmp_path / "after")
    one = found[built.submission.name]
    assert one["after"]["OptimumMCC"] == expected["OptimumMCC"] != one["before"]["OptimumMCC"]
    assert found[rival.name]["after"] == found[rival.name]["before"]


def test_scoring_again_uses_the_settings_of_the_ruling(
    built: Built, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = effect(
        capsys, str(built.root), str(built.submission), "--erode", "5", "--kernel", "disc"
    )

    words = ("--erode", "5", "--kernel", "disc")
    expected = averages(built.root, built.submission, tmp_path / "after", *words)
    assert found[built.submission.name]["after"]["OptimumMCC"] == expected["OptimumMCC"]
    usual = averages(built.root, built.submission, tmp_path / "before")
    assert found[built.submission.name]["before"]["OptimumMCC"] == usual["OptimumMCC"]


def test_a_corrected_table_is_that_reference(
    built: Built, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = next((built.root / "reference").rglob("*-ref.csv"))
    text = table.read_text("utf-8")
    folder = shutil.copytree(table.parent, tmp_path / "corrected")
    corrected = folder / table.name
    corrected.write_text(
        "\n".join(line for line in text.splitlines() if "|p2|" not in line) + "\n", "utf-8"
    )

    found = effect(
        capsys,
        str(built.root),
        str(built.submission),
        "--reference",
        str(corrected),
        "--task",
        "manipulation",
    )

    words = ("--reference", str(corrected), "--task", "manipulation")
    expected = averages(built.root, built.submission, tmp_path / "after", *words)
    assert found[built.submission.name]["after"]["OptimumMCC"] == expected["OptimumMCC"]


def test_equal_numbers_share_a_rank_and_a_table_is_written_once(
    built: Built, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    twin = built.copied_submission(tmp_path / "twin")
    same = twin.rename(twin.with_name("Twin_" + twin.name))
    next(same.glob("*.csv")).rename(same / f"{same.name}.csv")
    out = tmp_path / "effect.csv"
    words = [str(built.root), str(built.submission), str(same), "--leave-out", "p3"]

    found = effect(capsys, *words, "--out", str(out))

    assert {one["rank_after"] for name, one in found.items() if name} == {1}
    rows = list(csv.DictReader(out.read_text("utf-8").splitlines()))
    assert {row["submission"] for row in rows} == {built.submission.name, same.name}
    assert main(["ruling", *words, "--out", str(out), "--quiet"]) == 2


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["--leave-out", "p9"],
        ["--reference-mask", "p1", "missing.png"],
        ["--system-mask", "nobody", "p1", "missing.png"],
        ["--leave-out", "p1", "--metric", "Beauty"],
    ],
)
def test_a_ruling_that_cannot_be_is_refused(built: Built, words: list[str]) -> None:
    command = ["ruling", str(built.root), str(built.submission), *words, "--quiet"]

    assert main(command) == 2


def test_a_system_that_finds_nothing_keeps_its_place_at_the_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    built = (
        a_dataset(tmp_path)
        .nist("NC2017")
        .with_trial("p1", manipulated=box(10, 8, 40, 40))
        .with_answer("p1", nothing())
        .write()
    )

    found = effect(capsys, str(built.root), str(built.submission), "--erode", "9")

    assert found[built.submission.name]["rank_after"] == 1
