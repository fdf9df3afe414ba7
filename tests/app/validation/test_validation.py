import json
import tarfile
from pathlib import Path

import cv2
import numpy as np
import pytest
from PIL import Image

from forensicviewer.app.validation.finding import Findings
from forensicviewer.app.validation.intervals import IntervalTolerance, check_intervals
from forensicviewer.app.validation.profile import RuleFamily, profile_for
from forensicviewer.cli import main
from forensicviewer.core.model import TaskKind
from forensicviewer.core.table.text_table import Column, Table
from forensicviewer.core.temporal import number_pairs
from tests.build import a_dataset, box, exact


def a_submission(tmp_path: Path) -> tuple[Path, Path]:
    built = (
        a_dataset(tmp_path)
        .nist("NC2017")
        .with_trial("p1", manipulated=box(10, 10, 30, 30))
        .with_trial("p2")
        .with_answer("p1", exact())
        .with_answer("p2", exact())
        .write()
    )
    return built.root, built.submission


def broken_rules(
    capsys: pytest.CaptureFixture[str], root: Path, submission: Path, *options: str
) -> set[str]:
    main(["validate", str(root), str(submission), "--json", *options])
    findings = json.loads(capsys.readouterr().out)["findings"]
    return {found["rule"] for found in findings if found["severity"] == "error"}


def table_of(submission: Path) -> Path:
    return next(submission.glob("*.csv"))


def test_a_sound_submission_is_accepted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root, submission = a_submission(tmp_path)

    code = main(["validate", str(root), str(submission)])

    assert code == 0
    assert "accepted" in capsys.readouterr().out


def test_a_palette_mask_has_three_channels(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root, submission = a_submission(tmp_path)
    mask = next(submission.rglob("*.png"))
    Image.open(mask).convert("P").save(mask)

    assert broken_rules(capsys, root, submission) == {"mask.channels"}


def test_a_mask_outside_the_submission_is_never_opened(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root, submission = a_submission(tmp_path)
    cv2.imwrite(str(tmp_path / "outside.png"), np.zeros((48, 64), np.uint8))
    table = table_of(submission)
    name = next(submission.rglob("*.png")).relative_to(submission)
    table.write_text(table.read_text().replace(str(name), "../outside.png"))

    assert broken_rules(capsys, root, submission) == {"mask.path"}


def test_a_truncated_mask_is_unreadable(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root, submission = a_submission(tmp_path)
    mask = next(submission.rglob("*.png"))
    mask.write_bytes(mask.read_bytes()[:-30])

    assert broken_rules(capsys, root, submission) == {"mask.readable"}


def test_a_revised_table_excuses_masks_of_the_wrong_size(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root, submission = a_submission(tmp_path)
    mask = next(submission.rglob("*.png"))
    cv2.imwrite(str(mask), np.zeros((10, 10), np.uint8))
    original = table_of(submission).read_text()
    revised = tmp_path / "revised.csv"

    found = broken_rules(capsys, root, submission, "--revised", str(revised))
    kept = table_of(submission).read_text()
    table_of(submission).write_text(revised.read_text())

    assert found == {"mask.size"}
    assert kept == original
    assert broken_rules(capsys, root, submission) == set()


def test_strictness_turns_warnings_into_rejection(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root, submission = a_submission(tmp_path)
    table = table_of(submission)
    lines = table.read_text().splitlines()
    header = lines[0].split("|")
    cells = lines[1].split("|")
    cells[header.index("ConfidenceScore")] = "nan"
    table.write_text("\n".join([lines[0], "|".join(cells), *lines[2:]]) + "\n")

    assert broken_rules(capsys, root, submission) == set()
    assert broken_rules(capsys, root, submission, "--strict") == {"score.finite"}


@pytest.mark.parametrize(
    "cell",
    ["", "[1,2]", "[[1]]", '[["a","b"]]', "[[1,2],]", "[" * 100_000, "[[true,2]]", "{}"],
)
def test_text_that_is_no_list_of_pairs_is_not_read_as_intervals(cell: str) -> None:
    assert number_pairs(cell) is None


def test_intervals_may_be_whole_numbers_or_fractions() -> None:
    assert number_pairs("[[1, 2], [3.5, 4]]") == [(1, 2), (3.5, 4)]
    assert number_pairs("[]") == []


@pytest.mark.parametrize(
    ("column", "cell", "rule"),
    [
        ("IsOptOut", "", "status.known"),
        ("ConfidenceScore", "1_0", "score.number"),
        ("ConfidenceScore", "", "score.number"),
    ],
)
def test_a_cell_nist_would_refuse_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], column: str, cell: str, rule: str
) -> None:
    root, submission = a_submission(tmp_path)
    table = table_of(submission)
    header, first, *others = table.read_text().splitlines()
    cells = dict(zip(header.split("|"), first.split("|"), strict=True))
    table.write_text("\n".join([header, "|".join((cells | {column: cell}).values()), *others]))

    assert broken_rules(capsys, root, submission) == {rule}


def test_what_was_wrong_with_the_archive_is_part_of_the_verdict(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root, submission = a_submission(tmp_path)
    archive = tmp_path / "packed.tgz"
    with tarfile.open(archive, "w:gz") as tape:
        tape.add(submission, submission.name)
        tape.addfile(tarfile.TarInfo("../evil"))

    assert broken_rules(capsys, root, archive) == {"archive.entry-path"}


def test_what_cannot_be_opened_is_rejected_without_naming_rules(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root, submission = a_submission(tmp_path)
    archive = tmp_path / "no.tgz"
    archive.write_bytes(b"no archive")

    assert main(["validate", str(root), str(archive)]) == 1
    assert capsys.readouterr().out.splitlines()[-1] == "no.tgz: rejected"
    assert main(["validate", str(root), str(submission / "nowhere")]) == 3


def intervals_found(*, audio: str, tolerance: IntervalTolerance) -> list[tuple[str, str]]:
    cells = {
        "ProbeFileID": "v",
        "ProbeStatus": "Processed",
        "VideoFrameSegments": "[]",
        "AudioSampleSegments": audio,
        "VideoFrameOptOutSegments": "[]",
    }
    table = Table("t.csv", {name: Column.of([cell]) for name, cell in cells.items()})
    findings = Findings("t.csv")
    profile = profile_for(TaskKind.VIDEO, RuleFamily.MFC)
    check_intervals(table, {"v": 300}, profile, findings, tolerance=tolerance)
    return [(found.rule, found.severity.value) for found in findings]


def test_audio_samples_beyond_the_last_frame_are_only_noted() -> None:
    strict = intervals_found(audio="[[200,44100]]", tolerance=IntervalTolerance())
    lenient = intervals_found(audio="[[200,44100]]", tolerance=IntervalTolerance(beyond_end=True))

    assert strict == [("intervals.audio-bounds", "note")]
    assert lenient == []


def test_bounds_beyond_every_number_are_still_named() -> None:
    endless = f"[[0,{10**400}]]"

    assert ("intervals.bounds", "error") in intervals_found(
        audio=endless, tolerance=IntervalTolerance()
    )


def test_an_index_in_the_spelling_of_2016_is_checked_against(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    index = tmp_path / "NC2016-manipulation-index.csv"
    index.write_text("TaskID|FileID|ImgFName\nManipulation|a|a.png\nManipulation|b|b.png\n")
    table = tmp_path / "sys" / "sys.csv"
    table.parent.mkdir()
    table.write_text("ProbeFileID|ConfidenceScore|ProbeOutputMaskFileName\na|1|\nc|1|\n")

    assert broken_rules(capsys, index, table) == {"rows.unknown", "rows.missing"}


@pytest.mark.parametrize(
    ("before", "after", "hint"),
    [
        ("p2|", "P2|", "write it as p2, with the same letters and without spaces around it"),
        ("p2|", " p2 |", "write it as p2, with the same letters and without spaces around it"),
        ("p2|", "p9|", "delete the row or correct the id"),
        ("ConfidenceScore", "CONFIDENCESCORE", "rename the column CONFIDENCESCORE to"),
    ],
)
def test_a_hint_says_what_was_probably_meant(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], before: str, after: str, hint: str
) -> None:
    root, submission = a_submission(tmp_path)
    table = table_of(submission)
    table.write_text(table.read_text().replace(before, after))

    code = main(["validate", str(root), str(submission)])

    assert code == 1
    assert hint in capsys.readouterr().out


def test_a_table_in_utf_16_is_read_here_but_not_by_nist(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root, submission = a_submission(tmp_path)
    table = table_of(submission)
    table.write_bytes(table.read_text().encode("utf-16"))

    assert broken_rules(capsys, root, submission) == {"table.encoding"}


def test_a_huge_cell_does_not_make_a_huge_message(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root, submission = a_submission(tmp_path)
    table = table_of(submission)
    table.write_text(table.read_text().replace("0.5", "x" * 100_000))

    main(["validate", str(root), str(submission)])

    assert max(len(line) for line in capsys.readouterr().out.splitlines()) < 600


def test_an_interval_that_ends_before_it_starts_cannot_be_read() -> None:
    found = intervals_found(audio="[[1,2],[9,3]]", tolerance=IntervalTolerance())

    assert found == [("intervals.readable", "error")]
