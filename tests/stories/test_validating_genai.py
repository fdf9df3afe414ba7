"""System outputs of GenAI: what the plan spells in two ways passes, what it forbids does not."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from forensicviewer.cli import main
from forensicviewer.cli.command import ExitCode
from tests.genai_build import (
    EXAMPLE_HEADER,
    OUTPUT_HEADER,
    GenAIBuilder,
    packed,
    trials,
)

ROW = "{0}|detection|D-NIST_site|MySystem_Dalle|{1}|{2}"
Change = Callable[[list[str]], list[str]]


@pytest.fixture
def built(tmp_path: Path) -> GenAIBuilder:
    built = GenAIBuilder(tmp_path / "set", has_images=False).of(trials(3, 3))
    built.write()
    return built


def verdict(
    built: GenAIBuilder, path: Path, capsys: pytest.CaptureFixture[str], *more: str
) -> tuple[bool, list[dict[str, object]]]:
    capsys.readouterr()
    code = main(["validate", str(built.folder), str(path), "--json", *more])
    found = json.loads(capsys.readouterr().out)
    assert found["accepted"] is (code == ExitCode.FINE)
    return found["accepted"], found["findings"]


ACCEPTED: dict[str, dict[str, str]] = {
    "the header of the plan's table": {},
    "the header of the plan's example": {
        "header": EXAMPLE_HEADER,
        "row": "{0} | detection | D-NIST-site | MySys_Dalle | {1} | {2}",
    },
    "a separator at the end": {"header": f"{OUTPUT_HEADER}|", "row": f"{ROW}|"},
    "a separator at the end of the header alone": {"header": f"{OUTPUT_HEADER}|"},
    "a separator at the end of the rows alone": {"row": f"{ROW}|"},
    "columns in another order": {
        "header": "FileID|ConfScore|DatasetID|TaskID|DiscriminatorID|ModelVersion",
        "row": "{1}|{2}|{0}|detection|D-NIST_site|v1",
    },
    "the example's file name with a hyphen": {"name": "genai25_image_d_sys_model-01_cutoff-50.csv"},
    "a name with underscores alone": {"name": "mysystem_cutoff_75.csv"},
    "the least cutoff": {"name": "a_cutoff-0.csv"},
    "the greatest cutoff": {"name": "a_cutoff-100.csv"},
}


@pytest.mark.parametrize("how", ACCEPTED)
def test_what_the_plan_writes_in_two_ways_passes_in_both(
    how: str, built: GenAIBuilder, capsys: pytest.CaptureFixture[str]
) -> None:
    path = built.output([0, 0.5, 1, 0.25, 1e-3, 0.7], **ACCEPTED[how])

    assert verdict(built, path, capsys, "--strict") == (True, [])


@pytest.mark.parametrize("suffix", [".webP", ""])
def test_files_may_be_spelled_otherwise_than_in_the_index(
    suffix: str, built: GenAIBuilder, capsys: pytest.CaptureFixture[str]
) -> None:
    built.of(trials(3, 3, suffix=suffix))

    assert verdict(built, built.output([0.5] * 6), capsys) == (True, [])


def test_rows_may_be_in_any_order(built: GenAIBuilder, capsys: pytest.CaptureFixture[str]) -> None:
    built.of(reversed(built.trials))

    assert verdict(built, built.output([0.5] * 6), capsys) == (True, [])


def test_an_archive_of_the_one_table_passes(
    built: GenAIBuilder, capsys: pytest.CaptureFixture[str]
) -> None:
    path = built.output([0.5] * 6)

    for name in ("my_submission.tgz", "another.tar.gz"):
        assert verdict(built, packed(path, name=name), capsys) == (True, [])


def edited(number: int, line: str) -> Change:
    """The lines with one of them, counted from 1, replaced."""
    return lambda lines: [*lines[: number - 1], line, *lines[number:]]


FIRST = "GenAI25-G1-Image-set1|detection|D-NIST_site|MySystem_Dalle|file_0001.webp|"
REFUSED: dict[str, tuple[Change, str, int | None]] = {
    "a column is absent": (
        lambda lines: [
            line.replace("MySystem_Dalle|", "").replace("ModelVersion|", "") for line in lines
        ],
        "columns.required",
        1,
    ),
    "the score has another name": (
        lambda lines: [lines[0].replace("ConfidenceScore", "Confidence"), *lines[1:]],
        "columns.required",
        1,
    ),
    "the files have another name": (
        lambda lines: [lines[0].replace("FileID", "Image"), *lines[1:]],
        "columns.required",
        1,
    ),
    "commas separate": (
        lambda lines: [line.replace("|", ",") for line in lines],
        "table.separator",
        1,
    ),
    "a trial is not answered": (lambda lines: lines[:-1], "rows.missing", None),
    "the number of rows differs": (lambda lines: lines[:-1], "rows.count", None),
    "a trial is answered twice": (lambda lines: [*lines, lines[1]], "rows.duplicate", 8),
    "a trial is answered twice in two spellings": (
        lambda lines: [*lines, lines[1].replace(".webp", ".webP")],
        "rows.duplicate",
        8,
    ),
    "a file is not in the index": (
        lambda lines: [*lines, lines[1].replace("file_0001", "file_9999")],
        "rows.unknown",
        8,
    ),
    "a file has another suffix": (
        lambda lines: [line.replace("file_0003.webp", "file_0003.png") for line in lines],
        "rows.unknown",
        4,
    ),
    "a file id is blank": (
        edited(2, "GenAI25-G1-Image-set1|detection|D|V||0.5"),
        "rows.unknown",
        2,
    ),
    "a score is too large": (edited(2, f"{FIRST}1.01"), "score.range", 2),
    "a score is negative": (edited(2, f"{FIRST}-0.01"), "score.range", 2),
    "a score is infinite": (edited(2, f"{FIRST}inf"), "score.range", 2),
    "a score is a word": (edited(2, f"{FIRST}high"), "score.number", 2),
    "a score is blank": (edited(2, FIRST), "score.number", 2),
    "a score is nan": (edited(2, f"{FIRST}nan"), "score.number", 2),
    "a score has a decimal comma": (edited(2, f"{FIRST}0,5"), "score.number", 2),
    "the data set is another": (
        edited(2, FIRST.replace("G1", "G7") + "0.5"),
        "cells.index",
        2,
    ),
    "the task is another": (
        edited(2, FIRST.replace("detection", "generation") + "0.5"),
        "cells.index",
        2,
    ),
    "the site is not named": (
        edited(2, FIRST.replace("D-NIST_site", "") + "0.5"),
        "cells.blank",
        2,
    ),
    "the version is not named": (
        edited(2, FIRST.replace("MySystem_Dalle", "") + "0.5"),
        "cells.blank",
        2,
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_every_violation_is_refused_with_row_expectation_and_remedy(
    what: str, built: GenAIBuilder, capsys: pytest.CaptureFixture[str]
) -> None:
    change, rule, row = REFUSED[what]
    path = built.output([0.5] * 6)
    path.write_text("\n".join(change(path.read_text().splitlines())) + "\n")

    accepted, findings = verdict(built, path, capsys)

    told = [finding for finding in findings if finding["rule"] == rule]
    assert not accepted
    assert told, findings
    assert told[0]["row"] == row
    assert told[0]["expected"]
    assert told[0]["hint"]


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("my system_cutoff-50.csv", "name.characters"),
        ("system@home_cutoff-50.csv", "name.characters"),
        ("a_cutoff-0.5.csv", "name.characters"),
        ("a.csv", "name.cutoff"),
        ("genai25_image_d_sys_model-01_cutoff-XX.csv", "name.cutoff"),
        ("a_cutoff-101.csv", "name.cutoff"),
        ("a_cutoff-50.psv", "name.csv"),
    ],
)
def test_file_names_against_the_rules_are_refused(
    name: str, rule: str, built: GenAIBuilder, capsys: pytest.CaptureFixture[str]
) -> None:
    accepted, findings = verdict(built, built.output([0.5] * 6, name=name), capsys)

    assert not accepted
    assert [finding["rule"] for finding in findings] == [rule]


def test_an_archive_of_two_tables_is_refused(
    built: GenAIBuilder, capsys: pytest.CaptureFixture[str]
) -> None:
    one, two = (built.output([0.5] * 6, name=f"{name}_cutoff-50.csv") for name in "ab")

    accepted, findings = verdict(built, packed(one, two, name="both.tgz"), capsys)

    assert not accepted
    assert [finding["rule"] for finding in findings] == ["submission.opens"]


def test_an_archive_with_more_in_it_or_of_another_kind_is_refused(
    built: GenAIBuilder, capsys: pytest.CaptureFixture[str]
) -> None:
    path = built.output([0.5] * 6)
    readme = path.with_name("notes.txt")
    readme.write_text("more")

    more = verdict(built, packed(path, readme, name="more.tgz"), capsys)
    tarred = verdict(built, packed(path, name="plain.tar"), capsys)

    assert (more[0], [finding["rule"] for finding in more[1]]) == (False, ["archive.one-table"])
    assert (tarred[0], [finding["rule"] for finding in tarred[1]]) == (False, ["archive.kind"])


def test_an_output_that_is_all_wrong_is_told_in_a_hundred_lines(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    built = GenAIBuilder(tmp_path / "many", has_images=False).of(trials(150, 150))
    built.write()

    _, findings = verdict(built, built.output([2] * 300), capsys)

    assert len(findings) == 101
    assert "200 more rows" in str(findings[0]["message"])


def test_descriptions_are_written_and_checked_on_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "description.md"

    written = main(["genai", "template", str(path)])
    refused = main(["genai", "check", str(path)])
    again = main(["genai", "template", str(path)])

    told = capsys.readouterr()
    assert (written, refused, again) == (ExitCode.FINE, ExitCode.PROBLEMS, ExitCode.WRONG_USAGE)
    assert "The section System Description is empty" in told.out
    assert "The file exists" in told.err
