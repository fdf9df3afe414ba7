"""Scoring a whole submission with one command, and reading the pages it leaves."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from forensicviewer.cli import main
from forensicviewer.cli.command import ExitCode
from tests.build import Built, a_dataset, blurred, box, nothing, write_table
from tests.sources.imdl.build import area, mani, write


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
    assert "nothing that can be scored" in capsys.readouterr().err


def test_the_combined_summary_is_printed_as_json(
    built: Built, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"

    main(["score", "all", str(built.root), str(built.submission), "--out", str(out), "--json"])

    assert json.loads(capsys.readouterr().out)["settings"]["scorers"] == ["mask", "detection"]


def test_the_task_is_the_one_the_submission_speaks_of(tmp_path: Path) -> None:
    """A dataset with images and videos; the submission lists frames."""
    data = tmp_path / "data"
    probe = ("TaskID", "ProbeFileID", "ProbeFileName", "ProbeWidth", "ProbeHeight")
    write_table(data / "x-manipulation-image-index.csv", probe, [("m", "p1", "p1.jpg", "9", "9")])
    write_table(
        data / "x-manipulation-video-index.csv",
        (*probe, "FrameCount", "FrameRate"),
        [
            ("m", "v1", "v1.mp4", "9", "9", "100", "25"),
            ("m", "v2", "v2.mp4", "9", "9", "100", "25"),
        ],
    )
    write_table(
        data / "x-manipulation-video-ref.csv",
        ("TaskID", "ProbeFileID", "ProbeFileName", "IsTarget", "JournalName"),
        [("m", "v1", "v1.mp4", "Y", "j1"), ("m", "v2", "v2.mp4", "N", "")],
    )
    write_table(
        data / "x-manipulation-video-ref-probejournaljoin.csv",
        ("ProbeFileID", "JournalName", "StartNodeID", "EndNodeID", "VideoFrame"),
        [("v1", "j1", "a", "b", "[[10,20]]")],
    )
    write_table(
        data / "x-manipulation-video-ref-journalmask.csv",
        ("JournalName", "StartNodeID", "EndNodeID", "Operation", "VideoFrame"),
        [("j1", "a", "b", "PasteFrames", "[[10,20]]")],
    )
    submission = write_table(
        tmp_path / "system.csv",
        ("ProbeFileID", "ConfidenceScore", "ProbeStatus", "VideoFrameSegments"),
        [("v1", "0.9", "Processed", "[[10,20]]"), ("v2", "0.1", "Processed", "[]")],
    )
    out = tmp_path / "out"

    main(["score", "all", str(data), str(submission), "--out", str(out), "--quiet"])

    summary = json.loads((out / "summary.json").read_text(encoding="utf-8"))
    assert list(summary["scorers"]) == ["detection", "temporal"]
    assert summary["headline"]["detection AUC"] == "1.0"


def test_the_page_of_a_detection_run_shows_curves_and_what_other_rules_give(
    built: Built, tmp_path: Path
) -> None:
    out = tmp_path / "out"

    main(
        ["score", "detection", str(built.root), str(built.submission), "--out", str(out), "--html"]
    )

    page = (out / "report.html").read_text(encoding="utf-8")
    assert page.count("<svg") == 2
    assert "Scores under each rule set" in page
    assert "mediscore-verbatim" in page


def test_the_page_of_masks_shows_their_curves_and_the_tables_can_be_kept(
    built: Built, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    given = ["score", "mask", str(built.root), str(built.submission), "--out", str(out)]

    main([*given, "--html", "--threshold-tables", "--workers", "1"])

    page = (out / "report.html").read_text(encoding="utf-8")
    lines = (out / "p2" / "thresMets.csv").read_text(encoding="utf-8").splitlines()
    assert page.count("<svg") == 2
    assert "MCC at every threshold" in page
    assert lines[0] == "Threshold|NMM|MCC|BWL1|TP|TN|FP|FN|BNS|SNS|PNS|N|TPR|FPR"
    assert lines[1].startswith("-1|-1.0|0.0|")


def test_images_and_masks_are_scored_by_their_own_scorer(tmp_path: Path) -> None:
    data, maps, out = mani(tmp_path / "data"), tmp_path / "maps", tmp_path / "out"
    for number in range(3):
        write(maps / f"{number}.png", np.where(area(), 230, 25).astype(np.uint8))

    code = main(["score", "all", str(data), str(maps), "--out", str(out), "--html"])

    summary = json.loads((out / "summary.json").read_text(encoding="utf-8"))
    assert code in (ExitCode.FINE, ExitCode.PROBLEMS)
    assert list(summary["scorers"]) == ["imdl"]
    assert (out / "imdl" / "imdl_summary.csv").is_file()
    assert 'href="imdl/report.html"' in (out / "report.html").read_text(encoding="utf-8")


def test_a_scorer_that_cannot_select_trials_refuses_to_score_all_of_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, maps = mani(tmp_path / "data"), tmp_path / "maps"
    write(maps / "0.png", np.where(area(), 230, 25).astype(np.uint8))
    asked = ["score", "all", str(data), str(maps), "--out", str(tmp_path / "out")]

    code = main([*asked, "--query", "IsTarget=='Y'"])

    assert code == ExitCode.CANNOT
    assert "'score imdl' does not select trials by --query" in capsys.readouterr().err
