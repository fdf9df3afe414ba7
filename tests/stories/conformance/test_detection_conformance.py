"""NIST's detection cases through the command line, every expected file cell by cell."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import Any

import pytest

from forensicviewer.cli import main
from forensicviewer.cli.command import ExitCode

ROOT = Path(__file__).resolve().parents[3]
SUITE = Path(os.environ.get("FV_NIST_SUITE", ROOT.parent / "shared" / "nist-suite"))
FLAGS = {"optOut": "--opt-out", "ci": "--ci", "outMeta": "--dump-meta"}
VALUES = {"t": "--task", "x": "--index", "r": "--reference", "ciLevel": "--ci-level"}
QUERIES = {"q": "--query", "qm": "--query-manipulation", "qp": "--query-partition"}


def detection_cases() -> list[dict[str, Any]]:
    if not (SUITE / "cases.json").is_file():
        return []
    cases = json.loads((SUITE / "cases.json").read_text(encoding="utf-8"))
    return [case for case in cases if case["scorer"] == "detection"]


def case_name(case: dict[str, Any]) -> str:
    return f"{case['case']}-{case['run']}" if case["run"] else str(case["case"])


def arguments(case: dict[str, Any], suite: Path, out: Path) -> list[str]:
    options = case["options"]
    folder = suite / case["directory"]
    given = [
        *("score", "detection", str(folder / options["refDir"])),
        *(str(folder / options["sysDir"] / options["s"]), "--out", str(out)),
        *("--rules", "mediscore-verbatim", "--quiet"),
    ]
    for name, flag in VALUES.items():
        given += [flag, options[name]] if name in options else []
    for name, flag in QUERIES.items():
        value = options.get(name, [])
        given += [flag, *([value] if isinstance(value, str) else value)] if value else []
    return given + [flag for name, flag in FLAGS.items() if name in options]


def our_name(check_file: str) -> str:
    """Our file for NIST's: ``…_qm_query_0_report.csv`` is ``query_0_report.csv`` here."""
    name = Path(check_file).name
    if "_query_" in name:
        return "query_" + name.split("_query_")[1]
    return next(ours for ours in ("allmeta.csv", "meta_scored.csv", "report.csv") if ours in name)


def cells(path: Path) -> list[list[str]]:
    return [line.split("|") for line in path.read_text(encoding="utf-8").splitlines()]


def same(expected: str, found: str) -> bool:
    if expected == found:
        return True
    try:
        return math.isclose(float(expected), float(found), rel_tol=1e-9)
    except ValueError:
        return False


def differences(expected: Path, found: Path) -> list[str]:
    wanted, ours = cells(expected), cells(found)
    if [len(row) for row in wanted] != [len(row) for row in ours]:
        return [f"{found.name} has another shape"]
    return [
        f"{found.name} row {number} {column}: expected {cell!r}, found {our_cell!r}"
        for number, (row, our_row) in enumerate(zip(wanted, ours, strict=True))
        for column, cell, our_cell in zip(wanted[0], row, our_row, strict=True)
        if not same(cell, our_cell)
    ]


@pytest.mark.nist
@pytest.mark.parametrize("case", detection_cases(), ids=case_name)
def test_nists_numbers_come_out(case: dict[str, Any], nist_suite: Path, tmp_path: Path) -> None:
    code = main(arguments(case, nist_suite, tmp_path))

    assert code in (ExitCode.FINE, ExitCode.PROBLEMS)
    for check_file in case["expected"]:
        assert differences(nist_suite / check_file, tmp_path / our_name(check_file)) == []


@pytest.mark.nist
def test_a_partition_gives_what_its_parts_give_as_queries(nist_suite: Path, tmp_path: Path) -> None:
    """NIST's own program stops at every partition query, so its queries are the oracle."""
    partition, queries = (
        next(
            case for case in detection_cases() if (case["case"], case["run"]) == ("test_c5_1", run)
        )
        for run in (8, 6)
    )

    main(arguments(partition, nist_suite, tmp_path / "partition"))

    found = cells(tmp_path / "partition" / "report.csv")
    expected = [cells(nist_suite / name)[1][1:] for name in queries["expected"]]
    assert [row[2:] for row in found[1:]] == expected


@pytest.mark.nist
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ([], ["0.679533", "0.328889", "0.620826", "0.735491"]),
        (
            ["--query", "Purpose ==['remove'] or IsTarget == ['N']"],
            ["0.735463", "0.275", "0.671282", "0.816155"],
        ),
        (
            [
                "--query-manipulation",
                "Purpose==['remove'] and Operation ==['FillContentAwareFill']",
            ],
            ["0.67787", "0.330556", "0.586145", "0.773537"],
        ),
        (
            ["--query-manipulation", "Purpose==['remove'] and Operation ==['PasteSampled']"],
            ["0.788012", "0.223099", "0.686687", "0.886032"],
        ),
    ],
)
def test_the_examples_printed_in_the_evaluation_plans_come_out(
    query: list[str], expected: list[str], nist_suite: Path, tmp_path: Path
) -> None:
    """NC2017 and MFC2019 plans, Appendix D, tables 3 to 6."""
    folder = nist_suite / "detectionScorerTests"
    main(
        [
            *("score", "detection", str(folder)),
            str(folder / "baseline" / "Base_NC2017_Manipulation_ImgOnly_p-copymove_01.csv"),
            *("--reference", "reference/NC2017-manipulation-ref.csv"),
            *("--index", "reference/NC2017-manipulation-index.csv", "--task", "manipulation"),
            *("--far-stop", "1", "--ci", "--quiet", "--out", str(tmp_path), *query),
        ]
    )

    header, row = cells(tmp_path / ("query_0_report.csv" if query else "report.csv"))
    report = dict(zip(header, row, strict=True))
    assert [report[name] for name in ("AUC", "EER", "AUC_CI_LOWER", "AUC_CI_UPPER")] == expected
