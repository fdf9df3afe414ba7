"""``--rule SWITCH=CHOICE``: one switch of a rule set turned on the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TypeAlias

import pytest

from forensicviewer.cli import main
from forensicviewer.cli.command import ExitCode
from tests.build import a_dataset, blurred, box, nothing

Summary: TypeAlias = dict[str, dict[str, str]]


@pytest.fixture
def inputs(tmp_path: Path) -> list[str]:
    """A target and a non-target whose scores only an old scikit-learn takes for one."""
    built = (
        a_dataset(tmp_path)
        .nist("NC2017")
        .with_trial("target", manipulated=box(10, 10, 40, 30))
        .with_trial("original")
        .with_answer("target", blurred(), confidence="0.4")
        .with_answer("original", nothing(), confidence="0.400000001")
        .write()
    )
    return [str(built.root), str(built.submission), "--out", str(tmp_path / "out")]


def run(scorer: str, inputs: list[str], *turned: str) -> Summary:
    main(["score", scorer, *inputs, "--html", *turned])
    found: Summary = json.loads((Path(inputs[-1]) / "summary.json").read_text(encoding="utf-8"))
    return found


def test_a_switch_that_all_rule_sets_share_can_be_turned_alone(inputs: list[str]) -> None:
    usual = run("detection", inputs)
    turned = run("detection", inputs, "--rule", "detection-near-scores=merged")

    assert (usual["headline"]["AUC"], turned["headline"]["AUC"]) == ("0.0", "0.5")
    assert usual["settings"].pop("rules") == "mediscore"
    assert turned["settings"].pop("rules") == "mediscore with detection-near-scores=merged"
    switches = json.dumps(usual["settings"]["switches"])
    assert json.dumps(turned["settings"]["switches"]) == switches.replace("distinct", "merged")


def test_the_page_compares_the_turned_rules_with_every_rule_set(inputs: list[str]) -> None:
    both = ["--rule", "detection-near-scores=merged", "--rule", "detection-curve-start=always"]
    run("detection", inputs, *both)

    page = (Path(inputs[-1]) / "report.html").read_text(encoding="utf-8")
    label = "mediscore with detection-near-scores=merged, detection-curve-start=always"
    assert all(f"<tr><td>{rules}</td>" in page for rules in (label, "mediscore", "plan"))
    assert f"Answer of {label}" in page


def test_score_all_hands_each_scorer_its_own_switches(inputs: list[str]) -> None:
    turned = ["--rule", "mask-optimum=own", "--rule", "detection-curve-start=always"]
    run("all", inputs, *turned)

    everything = json.loads((Path(inputs[-1]) / "summary.json").read_text(encoding="utf-8"))
    rules = {name: one["settings"]["rules"] for name, one in everything["scorers"].items()}
    both = "mediscore with mask-optimum=own, detection-curve-start=always"
    assert everything["settings"]["rules"] == both
    assert rules == {
        "mask": "mediscore with mask-optimum=own",
        "detection": "mediscore with detection-curve-start=always",
    }


@pytest.mark.parametrize(
    ("scorer", "turned", "says"),
    [
        ("mask", "mask-optimun=own", "'mask-optimun' is not a switch here"),
        ("mask", "detection-one-class=zero", "'detection-one-class' is not a switch here"),
        ("mask", "mask-optimum", "'' is not a choice of mask-optimum"),
        ("all", "mask-optimum=mine", "choose one of at-best-mcc, own"),
    ],
)
def test_an_unknown_switch_or_choice_is_wrong_usage(
    scorer: str, turned: str, says: str, inputs: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["score", scorer, *inputs, "--rule", turned]) == ExitCode.WRONG_USAGE

    assert says in capsys.readouterr().err
    assert not Path(inputs[-1]).exists()
