"""Logs of IMDL-BenCo's robustness test, laid out as its test_robust.py writes them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from forensicviewer.cli import main


def write(folder: Path, attack: str, level: object, f1: object) -> None:
    """One folder an attack and level, called like the transform, with a line a test."""
    place = folder / f"Compose([ {attack}, ])"
    place.mkdir(parents=True, exist_ok=True)
    with (place / "log.txt").open("a", encoding="utf-8") as file:
        file.write(json.dumps({"test_pixel-level F1": f1, "epoch": level}) + "\n")


def test_points_are_listed_by_attack_and_level(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = tmp_path / "MyNet"
    write(run, "JpegCompression(quality_lower=49, quality_upper=50)", 50, 0.25)
    write(run, "GaussianBlur(blur_limit=(7, 7))", 7, 0.5)
    write(run, "GaussianBlur(blur_limit=(3, 3))", 3, 0.1)
    write(run, "GaussianBlur(blur_limit=(3, 3))", 3, 0.75)
    write(run, "GaussNoise(var_limit=(3, 3))", 3, float("nan"))
    write(run, "GaussNoise(var_limit=(7, 7))", 7, 0.625)

    code = main(["results-grid", str(run), "--robustness"])

    assert code == 0
    assert capsys.readouterr().out.strip().splitlines() == [
        "Run,Attack,Level,F1",
        "MyNet,JPEG,50,0.25",
        "MyNet,blur,3,0.75",
        "MyNet,blur,7,0.5",
        "MyNet,noise,7,0.625",
    ]


@pytest.mark.parametrize(
    ("folder", "row"),
    [
        (
            "GaussianBlur(always_apply=True, p=1.0, blur_limit=(15, 15), sigma_limit=(0, 0))",
            "blur,15",
        ),
        (
            "GaussNoise(always_apply=True, p=1.0, var_limit=(11, 11), per_channel=True, mean=0)",
            "noise,11",
        ),
        ("GaussNoise(always_apply=True, p=1.0, var_limit=(7.0, 7.0))", "noise,7"),
        (
            "JpegCompression(always_apply=False, p=1.0, quality_lower=89, quality_upper=90)",
            "JPEG,90",
        ),
        ("jpeg 70", "JPEG,70"),
        ("blur_19", "blur,19"),
        ("None", "none,0"),
    ],
)
def test_the_level_of_scores_is_read_from_names_as_albumentations_writes_them(
    folder: str, row: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "MyNet" / folder
    place.mkdir(parents=True)
    (place / "imdl_summary.csv").write_text("Dataset|Run|F1\nset|MyNet|0.375\n")

    code = main(["results-grid", str(tmp_path / "MyNet"), "--robustness"])

    assert code == 0
    assert capsys.readouterr().out.strip().splitlines()[1:] == [f"MyNet,{row},0.375"]


def test_what_is_not_a_test_of_robustness_is_a_problem(tmp_path: Path) -> None:
    write(tmp_path / "run", "HorizontalFlip(p=1)", 1, 0.5)
    out = tmp_path / "points.csv"

    code = main(["results-grid", str(tmp_path / "run"), "--robustness", "--out", str(out)])

    assert code == 1
    assert out.read_text() == "Run,Attack,Level,F1\n"
    assert main(["results-grid", str(tmp_path), "--robustness", "--published"]) == 2
    assert main(["results-grid", str(tmp_path / "gone"), "--robustness"]) == 2
