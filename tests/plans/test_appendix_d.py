"""Appendix D of the plans: the manual's commands give the four printed results."""

from __future__ import annotations

import csv
import re
import shlex
import shutil
from pathlib import Path

import pytest

from forensicviewer.app.runtime.resources import resource
from forensicviewer.cli import main
from forensicviewer.core.rules import RULE_SETS

# Tables 3 to 6 as both plans print them: AUC, FAR_STOP, EER, AUC_CI_LOWER, AUC_CI_UPPER.
PRINTED = [
    ("0.679533", "1", "0.328889", "0.620826", "0.735491"),
    ("0.735463", "1", "0.275", "0.671282", "0.816155"),
    ("0.67787", "1", "0.330556", "0.586145", "0.773537"),
    ("0.788012", "1", "0.223099", "0.686687", "0.886032"),
]
COLUMNS = ("AUC", "FAR_STOP", "EER", "AUC_CI_LOWER", "AUC_CI_UPPER")


def manual() -> str:
    return resource("manual/rules.md").read_text("utf-8")


def commands() -> list[list[str]]:
    block = re.search(r"```sh\n(.*?)```", manual(), re.DOTALL)
    assert block is not None
    return [shlex.split(line)[1:] for line in block[1].splitlines()]


def rows() -> dict[str, tuple[str, ...]]:
    """The manual's table: result file → numbers."""
    found = re.findall(r"^\| D-[abc].*?\| `(.*?)` \| (.*) \|$", manual(), re.MULTILINE)
    return {file: tuple(cells.split(" | ")) for file, cells in found}


def test_the_manual_prints_what_the_plans_print() -> None:
    assert list(rows().values()) == PRINTED


@pytest.mark.parametrize("rules", [rules.name for rules in RULE_SETS])
def test_the_commands_of_the_manual_give_the_printed_results(
    rules: str, nist_suite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "detectionScorerTests"
    shutil.copytree(nist_suite / "detectionScorerTests", folder)
    monkeypatch.chdir(folder)

    for command in commands():
        out = command.index("--out") + 1
        command[out] = str(tmp_path / command[out])
        assert main([*command, "--rules", rules, "--quiet"]) == 0

    for file, numbers in rows().items():
        with (tmp_path / file).open(encoding="utf-8") as stream:
            report = next(csv.DictReader(stream, delimiter="|"))
        found = [report[name] for name in COLUMNS]
        assert [float(cell) for cell in found] == [float(cell) for cell in numbers]
    counts = re.search(r"\((\d+) of 50 remain\).*?keep (\d+) and (\d+) targets", manual())
    assert counts is not None
    found = [
        row["TARGETS"]
        for case in ("case-2", "case-3")
        for row in csv.DictReader(
            (tmp_path / case / "more_metrics.csv").read_text("utf-8").splitlines(), delimiter="|"
        )
    ]
    assert found == list(counts.groups())
