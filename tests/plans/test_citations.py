"""Every section that a rule cites exists in the plan it names."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from forensicviewer.app.validation import sections
from forensicviewer.cli import main
from forensicviewer.core.rules import Switch
from forensicviewer.core.rules.catalog import all_switches
from tests.plans.sections import KNOWN

_YEAR = re.compile(r"NC2016|NC2017|MFC2019")
_SECTION = re.compile(r"(?<![\w.])(?:\d+(?:\.\d+)+|(?<=Appendix )[A-D](?:-[a-c])?)(?![\w.]*\d)")
SWITCHES = {switch.key: switch for switches in all_switches().values() for switch in switches}


def cited(source: str) -> list[tuple[str, str]]:
    """(year, section) of each citation: sections follow the years they are of."""
    found: list[tuple[str, str]] = []
    years: list[str] = []
    is_new = True
    for token in re.finditer(f"(?P<year>{_YEAR.pattern})|(?P<section>{_SECTION.pattern})", source):
        if token["year"]:
            years = [token["year"]] if is_new else [*years, token["year"]]
            is_new = False
        else:
            found += [(year, token["section"]) for year in years]
            is_new = True
    return found


@pytest.mark.parametrize("switch", SWITCHES.values(), ids=lambda switch: str(switch.key))
def test_cited_sections_exist(switch: type[Switch]) -> None:
    for year, section in cited(switch.source):
        assert section in KNOWN[year], f"{year} has no section {section}"


def test_every_switch_that_only_the_plan_chooses_cites_a_section() -> None:
    for switch in SWITCHES.values():
        for choice in switch:
            if [rules.name for rules in choice.chosen_by] == ["plan"] and "plan" in switch.source:
                assert cited(switch.source), switch.source


def test_the_rules_say_which_plans_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "--scorer", "mask"]) == 0

    assert "No plan of MFC2018 was available" in capsys.readouterr().out


def test_citations_are_read_by_year() -> None:
    source = "plans NC2016, section 6.2.3, and NC2017 and MFC2019, section 6.2.4"

    assert cited(source) == [("NC2016", "6.2.3"), ("NC2017", "6.2.4"), ("MFC2019", "6.2.4")]


def test_sections_of_validation_exist() -> None:
    years = ("NC2016", "NC2017", "MFC2019")
    for rule, cited_sections in sections._SECTIONS.items():
        for year, section in zip(years, cited_sections, strict=True):
            assert not section or section.removeprefix("Appendix ") in KNOWN[year], rule
    families = zip(sections._COLUMNS.items(), years, strict=True)
    for (family, by_task), year in families:
        assert {*by_task.values(), sections._OTHER_COLUMNS[family]} <= KNOWN[year]


ROOT = Path(__file__).parents[2]
_IN_TEXT = re.compile(
    rf"({_YEAR.pattern})(?:'s)?(?: plan)?[,\s(]*(?:sections? )?"
    r"((?:\d(?:\.\d+)+(?:, | and | to | \([^)]*\))?)+)"
)


@pytest.mark.parametrize("folder", ["resources/manual", "forensicviewer", "tests/plans"])
def test_sections_cited_in_texts_exist(folder: str) -> None:
    wrong, count = [], 0
    paths = [path for end in ("md", "html", "py") for path in (ROOT / folder).rglob(f"*.{end}")]
    for path in [*paths, ROOT / "README.md"]:
        text = " ".join(path.read_text("utf-8").split())
        for found in _IN_TEXT.finditer(text):
            sections_cited = re.findall(r"\d(?:\.\d+)+", found[2])
            count += len(sections_cited)
            wrong += [
                f"{path.name}: {found[0]}"
                for section in sections_cited
                if section not in KNOWN[found[1]]
            ]

    assert not wrong
    assert count
