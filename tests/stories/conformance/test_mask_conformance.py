"""Every mask case of NIST's own tests, through the command line, cell by cell."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from forensicviewer.cli import main
from tests.conftest import NIST_SUITE

# Four system masks of these runs are missing from NIST's published data.
UNTESTABLE = {
    "spliceconf",
    "spliceconfcoll",
    "splicefooconf",
    "spliceconfpart",
    "spliceconfcollpart",
    "splicefooconfpart",
}
# Paths of pictures on the machine that made the expected files.
MACHINE_COLUMNS = ("ColMaskFileName", "AggMaskFileName")
FLAGS = {
    "optOut": "--opt-out",
    "pppns": "--opt-out-pixels",
    "jpeg2000": "--bit-planes",
    "displayScoredOnly": "--scored-only",
    "xF": "--index-filter",
}
VALUES = {
    "precision": "--precision",
    "sbin": "--threshold",
    "nspx": "--no-score-value",
    "k": "--kernel",
    "eks": "--erode",
    "dks": "--dilate",
    "ntdks": "--distraction",
    "q": "--query",
    "qp": "--query-partition",
    "qm": "--query-manipulation",
}


def mask_cases() -> list[dict[str, Any]]:
    path = NIST_SUITE / "cases.json"
    if not path.is_file():
        return []
    cases: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return [case for case in cases if case["scorer"] == "mask" and case["case"] not in UNTESTABLE]


def arguments_of(options: dict[str, Any]) -> Iterator[str]:
    for name, value in options.items():
        if name in FLAGS:
            yield FLAGS[name]
        else:
            yield VALUES[name]
            yield from value if isinstance(value, list) else [value]


def read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream, delimiter="|"))


def same(ours: str, theirs: str) -> bool:
    try:
        return math.isclose(float(ours), float(theirs), rel_tol=1e-9, abs_tol=0)
    except ValueError:
        return ours == theirs


def differences(ours: Path, theirs: Path) -> list[str]:
    mine, expected = read(ours), read(theirs)
    if len(mine) != len(expected):
        return [f"{len(mine)} rows instead of {len(expected)}"]
    if mine and list(mine[0]) != list(expected[0]):
        return [f"columns {list(mine[0])} instead of {list(expected[0])}"]
    return [
        f"row {number}, {column}: {row[column]!r} instead of {wanted[column]!r}"
        for number, (row, wanted) in enumerate(zip(mine, expected, strict=True))
        for column in wanted
        if not column.endswith(MACHINE_COLUMNS) and not same(row[column], wanted[column])
    ]


@pytest.mark.nist
@pytest.mark.parametrize("case", mask_cases(), ids=lambda case: str(case["case"]))
def test_a_run_of_nists_tests_gives_nists_files(
    case: dict[str, Any], nist_suite: Path, tmp_path: Path
) -> None:
    dataset = nist_suite / case["dataset"]

    code = main(
        [
            *("score", "mask", str(dataset), str(nist_suite / case["submission"])),
            *("--task", case["task"], "--index", case["index"], "--reference", case["reference"]),
            *("--rules", "mediscore-verbatim", "--out", str(tmp_path), "--workers", "1"),
            *arguments_of(case["options"]),
        ]
    )

    assert code in (0, 1)
    found = {
        name: differences(tmp_path / f"{name}.csv", nist_suite / expected)
        for name, expected in case["expected"].items()
    }
    assert {name: listed[:5] for name, listed in found.items() if listed} == {}
    written = {str(path.relative_to(tmp_path))[:-4] for path in tmp_path.rglob("*.csv")}
    if case["expected"]:
        assert written == set(case["expected"])
