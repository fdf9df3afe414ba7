"""What the plans ask for and the program gives in another form: the whole list.

A row leaves the list when it is mended: its check holds only as long as something is missing.
Numbers are those of the audit of NC2016, NC2017 and MFC2019; README answers each one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.plans.rules import rules_2016, rules_2017, rules_2019
from tests.plans.rules.checks import Bench, Rule, decided
from tests.plans.sections import KNOWN
from tests.plans.whole import Whole, build_whole

ROWS = {"NC2016": 44, "NC2017": 117, "MFC2019": 124}
RULES: dict[str, list[Rule]] = {
    "NC2016": rules_2016.RULES,
    "NC2017": rules_2017.RULES,
    "MFC2019": rules_2019.RULES,
}


@dataclass(frozen=True)
class LeftOver:
    """A row of the audit, what is missing, where README says why, and a check that it is so."""

    year: str
    row: int
    section: str
    missing: str
    decision: str
    is_so: Callable[[Whole, Path], bool]

    def __str__(self) -> str:
        return f"{self.year} {self.row}: {self.missing}"


def no_file(pattern: str, task: str) -> Callable[[Whole, Path], bool]:
    """``score all`` writes no file of this kind."""

    def is_so(whole: Whole, _: Path) -> bool:
        whole.score(task, "--html")
        (out,) = [path for path in (whole.folder / "out").iterdir() if [*path.rglob("*.html")]]
        return not [*out.rglob(pattern)]

    return is_so


def has_no(task: str, *names: str) -> Callable[[Whole, Path], bool]:
    """One run has no such numbers."""
    return lambda whole, _: not {*names} & whole.score(task, "--rules", "plan").keys()


LIST = [
    LeftOver(
        *("NC2017", 8, "2.1.1", "the best MCC of a mask is not called Maximum"),
        "The best value of a mask is called Optimum in every year",
        lambda whole, _: "OptimumMCC" in whole.score("manipulation", "--rules", "plan"),
    ),
    LeftOver(
        *("NC2017", 17, "2.1.1.2", "one run has the measures over all or over opted-in trials"),
        "Measures over all trials and over processed trials are two runs",
        has_no("manipulation", "OptInAUC", "AUC over processed trials"),
    ),
    LeftOver(
        *("NC2017", 111, "D", "no PDF of a curve beside the report"),
        "A separate file for each curve or overlay",
        no_file("*.pdf", "manipulation"),
    ),
    LeftOver(
        *("NC2016", 43, "D.2", "no overlay of each trial beside the scores"),
        "A separate file for each curve or overlay",
        no_file("*.png", "manipulation"),
    ),
    LeftOver(
        *("MFC2019", 13, "2.1.1.2", "no set of HDF5 files for one video"),
        "A video has one HDF5 mask",
        lambda whole, _: (
            whole.task("video").trials[0].facts["ProbeMaskFileName"].count(".hdf5") == 1
        ),
    ),
    LeftOver(
        *("MFC2019", 31, "2.1.4.4", "one run has the full or the direct graph"),
        "Measures over all trials and over processed trials are two runs",
        lambda whole, _: whole.score("provenance", "--rules", "plan")["Direct"] == "False",
    ),
    LeftOver(
        *("MFC2019", 47, "2.3", "no condition of submissions that do not name it"),
        "Conditions of MFC2019",
        lambda whole, _: "condition" not in whole.submission("manipulation").identity,
    ),
]


@pytest.fixture(scope="module")
def wholes(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Whole]:
    made: dict[str, Whole] = {}

    def build(year: str) -> Whole:
        if year not in made:
            made[year] = build_whole(tmp_path_factory.mktemp(year), year)
        return made[year]

    return build


@pytest.mark.parametrize("left", LIST, ids=str)
def test_what_is_left_over_is_answered_and_still_so(
    left: LeftOver,
    wholes: Callable[[str], Whole],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    whole = wholes(left.year)

    assert left.section in KNOWN[left.year]
    decided(left.decision)(Bench(whole, tmp_path, capsys))
    assert left.is_so(whole, tmp_path), "mended: take the row off the list"


@pytest.mark.parametrize("year", ROWS)
def test_every_row_has_a_rule(year: str) -> None:
    shown = {row for rule in RULES[year] for row in rule.rows}

    assert shown == {*range(1, ROWS[year] + 1)}
    assert {left.row for left in LIST if left.year == year} <= shown
