"""Switch by switch: a trial where the provenance rule sets differ, and by how much."""

from __future__ import annotations

from pathlib import Path

import pytest

from forensicviewer.app.provenance.filtering import score_filtering
from forensicviewer.app.provenance.scoring import score_provenance
from forensicviewer.app.provenance.settings import ProvenanceSettings
from forensicviewer.app.report.score_output import ScoreOutput
from forensicviewer.core.rules import MEDISCORE, PLAN, RULE_SETS, VERBATIM, RuleSet, Switch
from forensicviewer.core.rules import provenance as switches
from tests.provenance_build import ProvenanceBuilder, a_provenance_dataset

CHAIN = [("base", "step"), ("step", "probe")]


def mean(output: ScoreOutput, column: str) -> float | None:
    cell = output.tables[0].records()[0][column]
    return float(cell) if cell else None


def graphs(
    built: ProvenanceBuilder, rules: RuleSet, *, direct: bool = False, opt_out: bool = False
) -> ScoreOutput:
    settings = ProvenanceSettings(rules=rules, direct=direct, leave_out_unprocessed=opt_out)
    return score_provenance(*built.open(), settings)


def rankings(built: ProvenanceBuilder, rules: RuleSet) -> ScoreOutput:
    return score_filtering(*built.open("filtering"), ProvenanceSettings(rules=rules))


def by_rule_set(built: ProvenanceBuilder, column: str, *, direct: bool = False) -> list[object]:
    return [
        mean(graphs(built, rules, direct=direct), column) for rules in (MEDISCORE, VERBATIM, PLAN)
    ]


def test_a_probe_without_links_scores_zero_by_the_code_and_one_by_the_plan(tmp_path: Path) -> None:
    built = a_provenance_dataset(tmp_path).with_probe("probe", links=[("base", "probe")], world=[])
    built.with_answer("probe", nodes=["probe"])

    assert by_rule_set(built, "MeanSimNO") == [0.0, 0.0, 1.0]
    assert by_rule_set(built, "MeanNodeRecall") == [None, None, 1.0]


def test_the_direct_condition_spares_the_system_only_by_the_plan(tmp_path: Path) -> None:
    links = [("base", "probe"), ("base", "other")]
    built = a_provenance_dataset(tmp_path).with_probe("probe", links=links)
    built.with_answer("probe", nodes=["base", "probe", "other"], links=links)

    found = by_rule_set(built, "MeanSimNLO", direct=True)

    assert found == [pytest.approx(2 * 3 / 8), pytest.approx(2 * 3 / 8), 1.0]


def test_unprocessed_trials_weigh_in_only_by_the_plan(tmp_path: Path) -> None:
    built = a_provenance_dataset(tmp_path).with_probe("probe", links=CHAIN)
    built.with_probe("second", links=[("base", "second")], journal="other")
    built.with_answer("probe", nodes=["base", "step", "probe"], links=CHAIN)
    built.with_answer("second", nodes=["base", "second"], status="NonProcessed")

    assert by_rule_set(built, "MeanSimNLO") == [1.0, 1.0, 0.5]
    assert mean(graphs(built, PLAN, opt_out=True), "MeanSimNLO") == 1.0


def test_a_node_id_of_two_journals_takes_the_other_ones_file_verbatim(tmp_path: Path) -> None:
    built = a_provenance_dataset(tmp_path).with_probe("probe", links=[("base", "probe")])
    built.with_probe("second", links=[("base", "second")], journal="other")
    built.nodes[2][1:3] = ["base2", "world/base2.jpg"]
    built.world["base2"] = ["provenance", "base2", "world/base2.jpg", "64", "48"]
    built.with_answer("probe", nodes=["base", "probe"], links=[("base", "probe")])
    built.with_answer("second", nodes=["base2", "second"], links=[("base2", "second")])

    assert by_rule_set(built, "MeanSimNLO") == [1.0, pytest.approx((1 + 1 / 3) / 2), 1.0]


def test_a_probe_answered_twice_counts_twice_verbatim(tmp_path: Path) -> None:
    built = a_provenance_dataset(tmp_path).with_probe("probe", links=[("base", "probe")])
    built.with_answer("probe", nodes=["base", "probe"], links=[("base", "probe")])
    built.with_answer("probe", nodes=["base", "probe"])

    found = by_rule_set(built, "MeanSimNLO")

    assert found == [1.0, pytest.approx((1 + 4 / 5) / 2), 1.0]


def test_a_probe_in_the_world_set_is_sought_twice_verbatim(tmp_path: Path) -> None:
    built = a_provenance_dataset(tmp_path).with_probe("probe", links=CHAIN)
    built.with_answer("probe", nodes=["base", "step"])

    found = [mean(rankings(built, rules), "NodeRecallAt50") for rules in (MEDISCORE, VERBATIM)]

    assert found == [pytest.approx(2 / 3), pytest.approx(2 / 4)]


def test_an_image_listed_twice_in_the_node_table_is_sought_twice_verbatim(tmp_path: Path) -> None:
    built = a_provenance_dataset(tmp_path).with_probe("probe", links=CHAIN, world=["base", "step"])
    built.nodes.append(built.nodes[0])
    built.with_answer("probe", nodes=["step", "probe"])

    found = [mean(rankings(built, rules), "NodeRecallAt50") for rules in (MEDISCORE, VERBATIM)]

    assert found == [pytest.approx(2 / 3), pytest.approx(2 / 4)]


def test_an_image_listed_twice_is_found_twice_verbatim(tmp_path: Path) -> None:
    built = a_provenance_dataset(tmp_path).with_probe("probe", links=CHAIN, world=["base", "step"])
    node = '{"id": "1", "file": "world/base.jpg", "nodeConfidenceScore": 1}'
    built.with_document("probe", f'{{"nodes": [{", ".join([node] * 4)}]}}')

    found = [mean(rankings(built, rules), "NodeRecallAt50") for rules in (MEDISCORE, VERBATIM)]

    assert found == [pytest.approx(1 / 3), pytest.approx(4 / 3)]


def test_ties_across_a_list_length_fall_differently_verbatim(tmp_path: Path) -> None:
    built = a_provenance_dataset(tmp_path).with_probe("probe", links=CHAIN, world=["base", "step"])
    others = [f"x{i:02}" for i in range(57)]
    built.with_answer("probe", nodes=[*others[:20], "base", "step", "probe", *others[20:]])

    found = [mean(rankings(built, rules), "NodeRecallAt50") for rules in (MEDISCORE, VERBATIM)]

    assert found == [1.0, 0.0]


def test_each_rule_set_reports_its_list_lengths(tmp_path: Path) -> None:
    built = a_provenance_dataset(tmp_path).with_probe("probe", links=CHAIN)
    built.with_answer("probe", nodes=["base"])

    columns = [rankings(built, rules).tables[0].columns[-1] for rules in (MEDISCORE, VERBATIM)]

    assert columns == ["NodeRecallAt500", "NodeRecallAt300"]
    assert rankings(built, PLAN).tables[0].columns == ("NodeType", "NodeRecallAt300")


SHOWN = {
    switches.UnlinkedNodes: test_a_probe_without_links_scores_zero_by_the_code_and_one_by_the_plan,
    switches.DirectSystem: test_the_direct_condition_spares_the_system_only_by_the_plan,
    switches.Unprocessed: test_unprocessed_trials_weigh_in_only_by_the_plan,
    switches.NodeNames: test_a_node_id_of_two_journals_takes_the_other_ones_file_verbatim,
    switches.RepeatedAnswers: test_a_probe_answered_twice_counts_twice_verbatim,
    switches.FilteringProbe: test_a_probe_in_the_world_set_is_sought_twice_verbatim,
    switches.FilteringRows: test_an_image_listed_twice_in_the_node_table_is_sought_twice_verbatim,
    switches.FilteringRepeats: test_an_image_listed_twice_is_found_twice_verbatim,
    switches.FilteringTies: test_ties_across_a_list_length_fall_differently_verbatim,
    switches.FilteringCuts: test_each_rule_set_reports_its_list_lengths,
}


@pytest.mark.parametrize("switch", switches.SWITCHES, ids=lambda switch: str(switch.key))
def test_every_switch_is_shown_and_is_a_real_difference(switch: type[Switch]) -> None:
    assert switch in SHOWN
    assert len({rules.choice(switch) for rules in RULE_SETS}) > 1
