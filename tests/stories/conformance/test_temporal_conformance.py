"""``score temporal`` gives NIST's own numbers for NIST's own test."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from forensicviewer.cli import main

NUMBERS = {"MCC"}


def _case(nist_suite: Path) -> dict[str, Any]:
    cases = json.loads((nist_suite / "cases.json").read_text(encoding="utf-8"))
    found: dict[str, Any] = next(case for case in cases if case["scorer"] == "video-temporal")
    return found


def _records(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream, delimiter="|"))


def _score(nist_suite: Path, out: Path, *extra: str) -> int:
    case = _case(nist_suite)
    folder, options = nist_suite / case["directory"], case["options"]
    return main(
        [
            "score",
            "temporal",
            str(folder),
            str(folder / options["s"]),
            *("--index", options["i"], "--reference", options["r"]),
            *("--journal-mask", options["j"], "--probe-journal-join", options["p"]),
            *("--collar", options["c"], "--query", *options["query"]),
            *("--out", str(out), "--quiet", *extra),
        ]
    )


@pytest.mark.nist
@pytest.mark.parametrize("name", ["scores.csv", "scores_probes.csv", "query_table_join.csv"])
def test_every_cell_equals_nists(nist_suite: Path, tmp_path: Path, name: str) -> None:
    case = _case(nist_suite)
    expected = next(nist_suite / path for path in case["expected"] if path.endswith(f"/{name}"))

    assert _score(nist_suite, tmp_path, "--rules", "mediscore-verbatim") == 0

    found, wanted = _records(tmp_path / name), _records(expected)
    assert len(found) == len(wanted)
    for ours, theirs in zip(found, wanted, strict=True):
        assert list(ours) == list(theirs)
        for column, cell in theirs.items():
            if column in NUMBERS:
                assert float(ours[column]) == pytest.approx(float(cell), rel=1e-9)
            else:
                assert ours[column] == cell


@pytest.mark.nist
def test_the_files_are_the_same_to_the_last_digit(nist_suite: Path, tmp_path: Path) -> None:
    case = _case(nist_suite)

    _score(nist_suite, tmp_path, "--rules", "mediscore-verbatim")

    for path in case["expected"]:
        ours = (tmp_path / Path(path).name).read_text(encoding="utf-8")
        assert ours.split() == (nist_suite / path).read_text(encoding="utf-8").split()


@pytest.mark.nist
def test_the_summary_says_which_rules_made_the_numbers(nist_suite: Path, tmp_path: Path) -> None:
    _score(nist_suite, tmp_path, "--rules", "plan", "--html")

    summary = json.loads((tmp_path / "summary.json").read_text(encoding="utf-8"))
    assert summary["settings"]["rules"] == "plan"
    assert summary["settings"]["switches"]["temporal-measure"] == "frames"
    assert len(summary["inputs"]) >= 3
    page = next(tmp_path.glob("*.html")).read_text(encoding="utf-8")
    assert "MCC of every probe" in page
    assert "Mean MCC over the collar" in page


@pytest.mark.nist
def test_the_tables_are_found_without_being_named(nist_suite: Path, tmp_path: Path) -> None:
    case = _case(nist_suite)
    folder = nist_suite / case["directory"]
    named, found = tmp_path / "named", tmp_path / "found"

    _score(nist_suite, named)
    code = main(
        [
            *("score", "temporal", str(folder), str(folder / case["options"]["s"])),
            *("--collar", "5", "--query", *case["options"]["query"]),
            *("--out", str(found), "--quiet"),
        ]
    )

    assert code == 0
    assert (found / "scores.csv").read_text() == (named / "scores.csv").read_text()


def test_a_negative_collar_is_wrong_usage(nist_suite: Path, tmp_path: Path) -> None:
    assert _score(nist_suite, tmp_path, "--collar", "-1") == 2


def test_a_table_that_does_not_exist_is_wrong_usage(nist_suite: Path, tmp_path: Path) -> None:
    assert _score(nist_suite, tmp_path, "--journal-mask", "nowhere.csv") == 2


def test_leaving_out_and_scoring_everything_is_wrong_usage(
    nist_suite: Path, tmp_path: Path
) -> None:
    assert _score(nist_suite, tmp_path, "--opt-out", "--score-all") == 2
