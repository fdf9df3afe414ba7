"""Results never take the place of a file that belongs to the user."""

from pathlib import Path

import pytest

from forensicviewer.cli import main
from tests.build import Built, a_dataset, blurred, box, nothing


@pytest.fixture
def built(tmp_path: Path) -> Built:
    dataset = a_dataset(tmp_path).nist("NC2017").with_trial("p1", manipulated=box(8, 8, 24, 24))
    dataset = dataset.with_trial("p2").with_answer("p1", blurred(), confidence="0.9")
    return dataset.with_answer("p2", nothing(), confidence="0.1").write()


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.parametrize("inside", ["", "probe", "reference"])
def test_scores_are_not_written_among_the_files_of_the_dataset(
    built: Built, inside: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = contents(built.root)

    out = str(built.root / inside)
    code = main(["score", "detection", str(built.root), str(built.submission), "--out", out])

    assert code == 2
    assert "Results cannot be written among the files that are scored" in capsys.readouterr().err
    assert contents(built.root) == before


def test_scores_are_not_written_into_the_submission(built: Built) -> None:
    before = contents(built.submission)
    out = str(built.submission)

    assert main(["score", "all", str(built.root), str(built.submission), "--out", out]) == 2
    assert contents(built.submission) == before


def test_a_score_file_of_another_program_stays(
    built: Built, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    official = tmp_path / "official" / "report.csv"
    official.parent.mkdir()
    official.write_text("AUC\n0.9\n", encoding="utf-8")

    out = str(official.parent)
    code = main(["score", "detection", str(built.root), str(built.submission), "--out", out])

    assert code == 2
    assert f"not written by forensicviewer: {official}" in capsys.readouterr().err
    assert contents(official.parent) == {official: b"AUC\n0.9\n"}


def test_a_page_that_nobody_asked_for_is_no_hindrance(built: Built, tmp_path: Path) -> None:
    page = tmp_path / "out" / "report.html"
    page.parent.mkdir()
    page.write_text("mine", encoding="utf-8")
    score = [
        "score",
        "detection",
        str(built.root),
        str(built.submission),
        "--out",
        str(page.parent),
    ]

    assert main([*score, "--html"]) == 2
    assert main([*score, "--quiet"]) == 0
    assert page.read_text(encoding="utf-8") == "mine"


def test_an_earlier_run_is_replaced_even_inside_the_dataset(built: Built) -> None:
    out = built.root / "scores"
    score = ["score", "all", str(built.root), str(built.submission), "--out", str(out), "--quiet"]

    assert [main(score), main(score)] == [0, 0]


def test_a_file_in_place_of_the_folder_is_told(
    built: Built, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    out.write_text("", encoding="utf-8")

    code = main(["score", "all", str(built.root), str(built.submission), "--out", str(out)])

    assert code == 2
    assert "This is a file, not a folder" in capsys.readouterr().err


@pytest.mark.parametrize("command", [["render", "--out"], ["validate", "--revised"]])
def test_a_file_of_the_dataset_or_the_submission_is_never_replaced(
    built: Built, command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    name, option = command
    before = contents(built.submission)
    mask = next(path for path in before if path.suffix == ".png")

    code = main([name, str(built.root), str(built.submission), option, str(mask)])

    assert code == 2
    assert "is not replaced" in capsys.readouterr().err
    assert contents(built.submission) == before
