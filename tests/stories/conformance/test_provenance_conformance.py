"""Every provenance run of NIST's own tests gives NIST's files, cell by cell."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path
from typing import Any

import pytest

from forensicviewer.cli import main
from tests.provenance_build import NIST_GRAPH_CASES, NIST_RANKING_CASES, NIST_TYPE_CASES

CASES = [*NIST_GRAPH_CASES, *NIST_RANKING_CASES, *NIST_TYPE_CASES]
FLAGS = {"d": "--direct", "u": "--undirected", "undirected": "--undirected"}
FILES = {"x": "--index", "r": "--reference", "n": "--nodes", "w": "--world"}


@pytest.fixture(scope="session")
def provenance_cases(nist_suite: Path) -> dict[str, dict[str, Any]]:
    listed = json.loads((nist_suite / "cases.json").read_text("utf-8"))
    return {case["case"]: case for case in listed if case["scorer"] == "provenance"}


@pytest.mark.nist
def test_no_case_of_the_suite_is_forgotten(provenance_cases: dict[str, Any]) -> None:
    assert sorted(provenance_cases) == sorted(CASES)


@pytest.mark.nist
@pytest.mark.parametrize("name", CASES)
def test_every_cell_is_nists(
    name: str, provenance_cases: dict[str, dict[str, Any]], nist_suite: Path, tmp_path: Path
) -> None:
    case = provenance_cases[name]

    code = main([*arguments(case, nist_suite / case["directory"]), "--out", str(tmp_path)])

    assert code in (0, 1)
    for expected in case["expected"]:
        assert_same_cells(tmp_path / Path(expected).name, nist_suite / expected)


def arguments(case: dict[str, Any], folder: Path) -> list[str]:
    options = case["options"]
    scorer = "filtering" if case["tool"] == "ProvenanceFilteringScorer" else "provenance"
    named = [part for key, flag in FILES.items() for part in (flag, str(folder / options[key]))]
    flags = [FLAGS[key] for key in options if key in FLAGS]
    types = ["--node-type", options["nodetype"]] if "nodetype" in options else []
    places = [str(folder), str(folder / options["s"])]
    rules = ["--rules", "mediscore-verbatim", "--quiet"]
    return ["score", scorer, *places, *named, *flags, *types, *rules]


def assert_same_cells(ours: Path, nists: Path) -> None:
    found, wanted = rows_of(ours), rows_of(nists)
    assert len(found) == len(wanted), ours.name
    for line, (row, target) in enumerate(zip(found, wanted, strict=True), start=1):
        for column, cell in zip(wanted[0], zip(row, target, strict=True), strict=True):
            assert same(*cell), f"{ours.name}:{line} {column}: {cell[0]!r} is not {cell[1]!r}"


def rows_of(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.reader(stream, delimiter="|"))


def same(ours: str, nists: str) -> bool:
    try:
        return math.isclose(float(ours), float(nists), rel_tol=1e-9, abs_tol=0.0)
    except ValueError:
        return ours == nists
