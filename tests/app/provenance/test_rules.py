"""Switch by switch: a trial where the provenance rule sets differ, and by how much."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from forensicviewer.app.provenance.filtering import score_filtering
from forensicviewer.app.provenance.scoring import score_provenance
from forensicviewer.app.provenance.settings import ProvenanceSettings
from forensicviewer.core.rules import MEDISCORE, PLAN, RuleSet, Switch
from forensicviewer.core.rules import provenance as switches
from tests.provenance_build import ProvenanceBuilder, a_provenance_dataset

CHAIN = [("base", "step"), ("step", "probe")]
PAIR = [("base", "probe")]

Look = Callable[[ProvenanceBuilder, RuleSet], object]


@dataclass(frozen=True)
class Difference:
    """A case, and what shows the difference: a mean, or the columns, under each choice."""

    build: Callable[[ProvenanceBuilder], ProvenanceBuilder]
    look: Look
    shown: Mapping[str, object]


def graphs(column: str, *, direct: bool = False, opt_out: bool = False) -> Look:
    """A mean of the graph scorer; blank means become None."""

    def look(built: ProvenanceBuilder, rules: RuleSet) -> float | None:
        settings = ProvenanceSettings(rules=rules, direct=direct, leave_out_unprocessed=opt_out)
        cell = score_provenance(*built.open(), settings).tables[0].records()[0][column]
        return float(cell) if cell else None

    return look


def recall(built: ProvenanceBuilder, rules: RuleSet) -> float:
    """Recall among the first 50 images of a ranking."""
    output = score_filtering(*built.open("filtering"), ProvenanceSettings(rules=rules))
    return float(output.tables[0].records()[0]["NodeRecallAt50"])


def list_lengths(built: ProvenanceBuilder, rules: RuleSet) -> tuple[int, ...]:
    output = score_filtering(*built.open("filtering"), ProvenanceSettings(rules=rules))
    return tuple(int(each.removeprefix("NodeRecallAt")) for each in output.tables[0].columns[1:])


def without_links(built: ProvenanceBuilder) -> ProvenanceBuilder:
    built.with_probe("probe", links=PAIR, world=[])
    return built.with_answer("probe", nodes=["probe"])


def with_a_sibling(built: ProvenanceBuilder) -> ProvenanceBuilder:
    links = [*PAIR, ("base", "other")]
    built.with_probe("probe", links=links)
    return built.with_answer("probe", nodes=["base", "probe", "other"], links=links)


def half_unprocessed(built: ProvenanceBuilder) -> ProvenanceBuilder:
    built.with_probe("probe", links=CHAIN)
    built.with_probe("second", links=[("base", "second")], journal="other")
    built.with_answer("probe", nodes=["base", "step", "probe"], links=CHAIN)
    return built.with_answer("second", nodes=["base", "second"], status="NonProcessed")


def one_node_id_in_two_journals(built: ProvenanceBuilder) -> ProvenanceBuilder:
    built.with_probe("probe", links=PAIR)
    built.with_probe("second", links=[("base", "second")], journal="other")
    built.nodes[2][1:3] = ["base2", "world/base2.jpg"]
    built.world["base2"] = ["provenance", "base2", "world/base2.jpg", "64", "48"]
    built.with_answer("probe", nodes=["base", "probe"], links=PAIR)
    return built.with_answer("second", nodes=["base2", "second"], links=[("base2", "second")])


def answered_twice(built: ProvenanceBuilder) -> ProvenanceBuilder:
    built.with_probe("probe", links=PAIR)
    built.with_answer("probe", nodes=["base", "probe"], links=PAIR)
    return built.with_answer("probe", nodes=["base", "probe"])


def probe_in_the_world(built: ProvenanceBuilder) -> ProvenanceBuilder:
    built.with_probe("probe", links=CHAIN)
    return built.with_answer("probe", nodes=["base", "step"])


def row_twice_in_the_node_table(built: ProvenanceBuilder) -> ProvenanceBuilder:
    built.with_probe("probe", links=CHAIN, world=["base", "step"])
    built.nodes.append(built.nodes[0])
    return built.with_answer("probe", nodes=["step", "probe"])


def image_four_times_in_the_answer(built: ProvenanceBuilder) -> ProvenanceBuilder:
    built.with_probe("probe", links=CHAIN, world=["base", "step"])
    node = '{"id": "1", "file": "world/base.jpg", "nodeConfidenceScore": 1}'
    return built.with_document("probe", f'{{"nodes": [{", ".join([node] * 4)}]}}')


def ties_across_a_list_length(built: ProvenanceBuilder) -> ProvenanceBuilder:
    built.with_probe("probe", links=CHAIN, world=["base", "step"])
    others = [f"x{i:02}" for i in range(57)]
    nodes = [*others[:20], "base", "step", "probe", *others[20:]]
    return built.with_answer("probe", nodes=nodes)


DIFFERENCES: dict[type[Switch], Difference] = {
    switches.UnlinkedNodes: Difference(
        without_links, graphs("MeanSimNO"), {"left-out": 0.0, "kept": 1.0}
    ),
    switches.DirectSystem: Difference(
        with_a_sibling, graphs("MeanSimNLO", direct=True), {"whole": 2 * 3 / 8, "reduced": 1.0}
    ),
    switches.Unprocessed: Difference(
        half_unprocessed, graphs("MeanSimNLO"), {"dropped": 1.0, "scored": 0.5}
    ),
    switches.NodeNames: Difference(
        one_node_id_in_two_journals,
        graphs("MeanSimNLO"),
        {"own-probe": 1.0, "any-journal": (1 + 1 / 3) / 2},
    ),
    switches.RepeatedAnswers: Difference(
        answered_twice, graphs("MeanSimNLO"), {"first": 1.0, "each": (1 + 4 / 5) / 2}
    ),
    switches.FilteringProbe: Difference(
        probe_in_the_world, recall, {"once": 2 / 3, "twice": 2 / 4}
    ),
    switches.FilteringRows: Difference(
        row_twice_in_the_node_table, recall, {"once": 2 / 3, "each": 2 / 4}
    ),
    switches.FilteringRepeats: Difference(
        image_four_times_in_the_answer, recall, {"once": 1 / 3, "each": 4 / 3}
    ),
    switches.FilteringTies: Difference(
        ties_across_a_list_length, recall, {"listed": 1.0, "unstable": 0.0}
    ),
    switches.FilteringCuts: Difference(
        probe_in_the_world,
        list_lengths,
        {"all": (50, 100, 200, 300, 500), "code": (50, 100, 200, 300), "edition": (300,)},
    ),
}


@pytest.mark.parametrize("choice", [each for switch in DIFFERENCES for each in switch], ids=str)
def test_a_switch_turned_alone_changes_exactly_the_number_it_says(
    choice: Switch, tmp_path: Path
) -> None:
    difference = DIFFERENCES[type(choice)]
    built = difference.build(a_provenance_dataset(tmp_path))

    found = difference.look(built, MEDISCORE.with_choice(choice))

    assert found == pytest.approx(difference.shown[choice.value])


def test_every_switch_has_a_case_that_shows_it() -> None:
    assert set(DIFFERENCES) == set(switches.SWITCHES)
    for switch, difference in DIFFERENCES.items():
        assert len(set(difference.shown.values())) == len(switch) > 1


def test_a_probe_without_links_has_no_recall_by_the_code(tmp_path: Path) -> None:
    built = without_links(a_provenance_dataset(tmp_path))

    assert graphs("MeanNodeRecall")(built, MEDISCORE) is None
    assert graphs("MeanNodeRecall")(built, PLAN) == 1.0


def test_unprocessed_trials_left_out_by_option_do_not_weigh_in_by_the_plan(tmp_path: Path) -> None:
    built = half_unprocessed(a_provenance_dataset(tmp_path))

    assert graphs("MeanSimNLO", opt_out=True)(built, PLAN) == 1.0
