"""System descriptions are checked for the five sections the GenAI plan asks for (5.2.3)."""

from __future__ import annotations

from pathlib import Path

import pytest

from forensicviewer.app.validation.description import (
    GENAI_SECTIONS,
    PLAN_SECTIONS,
    check_description,
    template,
)

# The headings as the plan prints them.
PLAN = """Section 1. Submission Identifier(s)
4711
Section 2. System Description
A network of our own, and what it learned from.
Section 3. System Hardware Description and Runtime Computation
8 CPU cores and one GPU.
Section 4. Training Data and Knowledge Sources
None
Section 5. References
None
"""


def rules_of(tmp_path: Path, text: str) -> list[str]:
    path = tmp_path / "description.md"
    path.write_text(text, encoding="utf-8")
    return [finding.rule for finding in check_description(path, GENAI_SECTIONS)]


@pytest.mark.parametrize(
    "change",
    [
        ("", ""),
        ("Section ", "## Section "),
        ("Section ", "# "),
        ("Identifier(s)", "Identifiers"),
        ("Section 1. ", ""),
    ],
)
def test_a_description_with_the_plans_five_sections_is_fine(
    tmp_path: Path, change: tuple[str, str]
) -> None:
    assert rules_of(tmp_path, PLAN.replace(*change)) == []


@pytest.mark.parametrize("section", range(5))
def test_each_section_that_is_absent_is_named(tmp_path: Path, section: int) -> None:
    lines = PLAN.splitlines()
    del lines[2 * section : 2 * section + 2]

    assert rules_of(tmp_path, "\n".join(lines)) == ["description.section"]


@pytest.mark.parametrize("section", range(5))
def test_each_section_that_says_nothing_is_named_with_its_row(tmp_path: Path, section: int) -> None:
    lines = PLAN.splitlines()
    lines[2 * section + 1] = f"<!-- {GENAI_SECTIONS[section].asks} -->"
    path = tmp_path / "d.md"
    path.write_text("\n".join(lines), encoding="utf-8")

    (found,) = check_description(path, GENAI_SECTIONS)

    assert (found.rule, found.row) == ("description.empty", 2 * section + 1)


def test_sections_in_another_order_are_told(tmp_path: Path) -> None:
    lines = PLAN.splitlines()

    assert rules_of(tmp_path, "\n".join([*lines[2:], *lines[:2]])) == ["description.order"]


def test_the_template_has_every_section_and_is_not_yet_a_description(tmp_path: Path) -> None:
    assert rules_of(tmp_path, template(GENAI_SECTIONS)) == ["description.empty"] * 5


# The headings as the plans of NC2017 and MFC2019 print them (Appendix A-a).
SIX = """Section 1 Experiment Identifier(s)
NIST_NC17_DRYRUN17_Splice_ImgMeta_p-baseline_3
Section 2 System Description
A network of our own.
Section 3 OptOut Criteria
None
Section 4 System Hardware Description and Runtime Computation
8 CPU cores and one GPU.
Section 5 Training Data and Knowledge Sources
None
Section 6 References
None
"""


@pytest.mark.parametrize("whose", ["Experiment", "Submission"])
def test_a_description_with_the_six_sections_of_the_plans_is_fine(
    tmp_path: Path, whose: str
) -> None:
    path = tmp_path / "d.txt"
    path.write_text(SIX.replace("Experiment", whose), encoding="utf-8")

    assert check_description(path, PLAN_SECTIONS) == ()


@pytest.mark.parametrize("section", range(6))
def test_each_of_the_six_sections_is_missed(tmp_path: Path, section: int) -> None:
    lines = SIX.splitlines()
    del lines[2 * section : 2 * section + 2]
    path = tmp_path / "d.txt"
    path.write_text("\n".join(lines), encoding="utf-8")

    (found,) = check_description(path, PLAN_SECTIONS)

    assert found.rule == "description.section"
    assert PLAN_SECTIONS[section].title in found.message
