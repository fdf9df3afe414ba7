"""``forensicviewer qa`` prints and writes what may be wrong with references."""

import csv
import json
from pathlib import Path

import pytest

from forensicviewer.cli import main
from forensicviewer.core.quality.rule import RULES
from tests.plant_faults import miniature
from tests.sources.imdl.build import area, mask


@pytest.fixture
def damaged(tmp_path: Path) -> Path:
    root = miniature(tmp_path / "imdl")
    mask(root / "Gt" / "3.png", area((96, 128), (0, 0, 96, 128)), size=(96, 128))
    return root


def test_suspects_are_printed_with_evidence_and_remedy(
    damaged: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["qa", str(damaged)]) == 1

    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("error: ")
    assert lines[0].endswith(" 3.png: full")
    assert lines[1] == "  Every pixel is marked. Check the mask and its colours."
    assert lines[-1] == "8 trials, 1 suspects"


def test_a_clean_dataset_ends_well(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["qa", str(miniature(tmp_path / "imdl"))]) == 0
    assert capsys.readouterr().out == "8 trials, 0 suspects\n"


def test_json_has_a_row_for_each_suspect(damaged: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["qa", str(damaged), "--json"])

    document = json.loads(capsys.readouterr().out)
    (row,) = document["rows"]
    assert {"trial", "rule", "severity", "evidence", "remedy"} <= row.keys()
    assert (row["trial"], row["rule"], row["severity"]) == ("3.png", "full", "error")
    assert len(document["rules"]) == len(RULES)


def test_a_rule_switched_off_is_said_so(damaged: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["qa", str(damaged), "--json", "--off", "full"]) == 0

    document = json.loads(capsys.readouterr().out)
    assert document["rows"] == []
    assert [rule["rule"] for rule in document["rules"] if rule["off"]] == ["full"]


def test_table_and_page_are_written_and_no_files_of_the_user(
    damaged: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert main(["qa", str(damaged), "--out", str(out), "--quiet"]) == 1

    with (out / "suspects.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [row["Trial"] for row in rows] == ["3.png"]
    page = (out / "suspects.html").read_text("utf-8")
    assert "data:image/png;base64," in page
    assert "False alarms on clean data" in page
    assert main(["qa", str(damaged), "--out", str(damaged), "--quiet"]) != 0
    assert not (damaged / "suspects.csv").exists()
    assert capsys.readouterr().out == ""


def test_names_of_trials_cannot_write_the_page(tmp_path: Path) -> None:
    root = miniature(tmp_path / "imdl")
    for folder in ("Tp", "Gt"):
        (root / folder / "3.png").rename(root / folder / "=<img src=x>&.png")
    (root / "Gt" / "=<img src=x>&.png").write_bytes(b"")

    main(["qa", str(root), "--out", str(tmp_path / "out"), "--quiet"])

    assert "<img src=x>" not in (tmp_path / "out" / "suspects.html").read_text("utf-8")
    assert "\n=" not in (tmp_path / "out" / "suspects.csv").read_text("utf-8").replace(",=", "\n=")


def test_rules_are_listed_with_their_false_alarms(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["qa"]) == 2
    assert main(["qa", "--list-rules"]) == 0
    assert "inverted (error): The mask is inverted" in capsys.readouterr().out
