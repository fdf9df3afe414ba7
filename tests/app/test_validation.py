import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from PIL import Image

from forensicviewer.app.validation.intervals import parse_intervals
from forensicviewer.cli import main
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
    ["", "[1,2]", "[[1]]", "[[2,1]]", '[["a","b"]]', "[[1,2],]", "[" * 100_000, "[[true,2]]", "{}"],
)
def test_text_that_is_no_list_of_pairs_is_not_read_as_intervals(cell: str) -> None:
    assert parse_intervals(cell) is None


def test_intervals_may_be_whole_numbers_or_fractions() -> None:
    assert parse_intervals("[[1, 2], [3.5, 4]]") == [(1, 2), (3.5, 4)]
    assert parse_intervals("[]") == []
