"""Scoring a whole submission with one command, and reading the pages it leaves."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from forensicviewer.cli import main
from forensicviewer.cli.command import ExitCode
from tests.build import Built, a_dataset, blurred, box, nothing


@pytest.fixture
def built(tmp_path: Path) -> Built:
    return (
        a_dataset(tmp_path)
        .nist("NC2017")
        .with_trial("p1", manipulated=box(10, 10, 40, 30))
        .with_trial("p2", manipulated=box(20, 10, 50, 40))
        .with_trial("p3")
        .with_answer("p1", blurred(), confidence="0.9")
        .with_answer("p2", nothing(), confidence="0.4")
        .with_answer("p3", nothing(), confidence="0.2")
        .write()
    )


def test_one_command_scores_masks_and_confidence(built: Built, tmp_path: Path) -> None:
    out = tmp_path / "out"

    code = main(
        ["score", "all", str(built.root), str(built.submission), "--out", str(out), "--html"]
    )

    summary = json.loads((out / "summary.json").read_text(encoding="utf-8"))
    assert code == ExitCode.FINE
    assert list(summary["scorers"]) == ["mask", "detection"]
    assert summary["headline"]["detection AUC"] == "1.0"
    assert (out / "mask" / "mask_score.csv").is_file()
    assert (out / "detection" / "report.csv").is_file()
    page = (out / "report.html").read_text(encoding="utf-8")
    assert 'href="detection/report.html"' in page
    assert (out / "detection" / "report.html").is_file()


def test_what_one_scorer_cannot_do_does_not_stop_the_others(built: Built, tmp_path: Path) -> None:
    """Journal columns can select trials for detection, but not masks for an average."""
    out = tmp_path / "out"
    query = ["--query", "Operation=='PasteSplice' or IsTarget=='N'"]

    code = main(["score", "all", str(built.root), str(built.submission), "--out", str(out), *query])

    summary = json.loads((out / "summary.json").read_text(encoding="utf-8"))
    assert code == ExitCode.PROBLEMS
    assert list(summary["scorers"]) == ["detection"]
    assert "mask: " in summary["problems"][0]["message"]


def test_a_submission_nothing_can_be_said_about_is_refused(
    built: Built, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    built.table("ref.csv").unlink()
    out = tmp_path / "out"

    code = main(["score", "all", str(built.root), str(built.submission), "--out", str(out)])

    assert code == ExitCode.CANNOT
    assert "nothing that could be scored" in capsys.readouterr().err


def test_the_combined_summary_is_printed_as_json(
    built: Built, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"

    main(["score", "all", str(built.root), str(built.submission), "--out", str(out), "--json"])

    assert json.loads(capsys.readouterr().out)["settings"]["scorers"] == ["mask", "detection"]


def test_the_page_of_a_detection_run_shows_curves_and_what_other_rules_give(
    built: Built, tmp_path: Path
) -> None:
    out = tmp_path / "out"

    main(
        ["score", "detection", str(built.root), str(built.submission), "--out", str(out), "--html"]
    )

    page = (out / "report.html").read_text(encoding="utf-8")
    assert page.count("<svg") == 2
    assert "What each rule set gives" in page
    assert "mediscore-verbatim" in page
