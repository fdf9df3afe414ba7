"""Provenance submissions as they come: complete, incomplete, broken and hostile."""

from __future__ import annotations

import csv
import json
from itertools import pairwise
from pathlib import Path

import pytest

from forensicviewer.cli import main
from tests.provenance_build import ProvenanceBuilder, a_provenance_dataset

CHAIN = [("base", "step"), ("step", "probe")]


def score(built: ProvenanceBuilder, out: Path, *options: str, scorer: str = "provenance") -> int:
    dataset, system = built.write()
    return main(["score", scorer, str(dataset), str(system), "--out", str(out), *options])


def records(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream, delimiter="|"))


def problems(out: Path) -> set[str]:
    summary = json.loads((out / "summary.json").read_text("utf-8"))
    return {problem["rule"] for problem in summary["problems"]}


@pytest.fixture
def built(tmp_path: Path) -> ProvenanceBuilder:
    return a_provenance_dataset(tmp_path).with_probe("probe", links=CHAIN)


def test_a_complete_answer_scores_one_and_writes_every_file(
    built: ProvenanceBuilder, tmp_path: Path
) -> None:
    built.with_answer("probe", nodes=["base", "step", "probe"], links=CHAIN)

    code = score(built, tmp_path / "out")

    assert code == 0
    assert records(tmp_path / "out/scores.csv")[0]["MeanSimNLO"] == "1.0"
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "scores.csv",
        "trial_scores.csv",
        "node_mapping.csv",
        "link_mapping.csv",
        "summary.json",
    }


def test_filtering_reports_recall_by_node_type(built: ProvenanceBuilder, tmp_path: Path) -> None:
    built.with_answer("probe", nodes=["base", "step", "probe"])

    code = score(built, tmp_path / "out", "--node-type", "interim", scorer="filtering")

    assert code == 0
    assert [row["NodeType"] for row in records(tmp_path / "out/scores.csv")] == ["All", "interim"]
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "scores.csv",
        "trial_scores.csv",
        "node_mapping.csv",
        "summary.json",
    }


def test_a_node_type_the_journal_lacks_is_told_and_blank(
    built: ProvenanceBuilder, tmp_path: Path
) -> None:
    built.with_answer("probe", nodes=["base"])

    code = score(built, tmp_path / "out", "--node-type", "donor", scorer="filtering")

    assert code == 1
    assert records(tmp_path / "out/scores.csv")[1]["NodeRecallAt50"] == ""
    assert problems(tmp_path / "out") == {"filtering.no-such-type"}


def test_a_probe_without_answer_is_told_and_scores_zero(
    built: ProvenanceBuilder, tmp_path: Path
) -> None:
    built.with_answer("stranger", nodes=["base"])

    code = score(built, tmp_path / "out")

    assert code == 1
    assert records(tmp_path / "out/trial_scores.csv")[0]["SimNLO"] == "0.0"
    assert problems(tmp_path / "out") == {"provenance.no-answer", "provenance.extra-answer"}


def test_an_opted_out_probe_is_left_out_with_a_note(
    built: ProvenanceBuilder, tmp_path: Path
) -> None:
    built.with_answer("probe", nodes=["base"], status="OptOut")

    code = score(built, tmp_path / "out")

    assert code == 0
    assert records(tmp_path / "out/trial_scores.csv") == []
    assert problems(tmp_path / "out") == {"provenance.unprocessed"}


@pytest.mark.parametrize(
    ("document", "rule"),
    [
        ("", "json.broken"),
        ("[" * 100_000, "json.nesting"),
        ('{"nodes": 3}', "graph.no-nodes"),
        ('{"nodes": ["a"], "links": []}', "graph.wrong-type"),
        ('{"nodes": [], "links": [{"source": 0, "target": 1}]}', "graph.dangling"),
        ('{"nodes": []}', "graph.no-links"),
    ],
)
def test_a_broken_document_is_told_and_scores_zero(
    built: ProvenanceBuilder, tmp_path: Path, document: str, rule: str
) -> None:
    built.with_document("probe", document)

    code = score(built, tmp_path / "out")

    assert code == 1
    assert records(tmp_path / "out/trial_scores.csv")[0]["SimNLO"] == "0.0"
    assert problems(tmp_path / "out") == {rule}


def test_an_empty_ranking_scores_zero(built: ProvenanceBuilder, tmp_path: Path) -> None:
    built.with_document("probe", '{"nodes": []}')

    code = score(built, tmp_path / "out", scorer="filtering")

    assert code == 0
    assert records(tmp_path / "out/scores.csv")[0]["NodeRecallAt500"] == "0.0"


@pytest.mark.parametrize("name", ["../secret.json", "/etc/passwd", "jsons/none.json", ""])
def test_a_document_name_never_leads_outside(
    built: ProvenanceBuilder, tmp_path: Path, name: str
) -> None:
    built.answers.append(["probe", name, "Processed"])

    code = score(built, tmp_path / "out")

    assert code == 1
    assert len(problems(tmp_path / "out")) == 1


def test_a_circle_in_the_system_graph_is_told_and_scored(
    built: ProvenanceBuilder, tmp_path: Path
) -> None:
    links = [*CHAIN, ("probe", "base")]
    built.with_answer("probe", nodes=["base", "step", "probe"], links=links)

    code = score(built, tmp_path / "out")

    assert code == 1
    assert records(tmp_path / "out/trial_scores.csv")[0]["NumFalseAlarmLinks"] == "1"
    assert problems(tmp_path / "out") == {"provenance.cycle"}


@pytest.mark.parametrize("direct", [(), ("--direct",)])
def test_a_circle_in_the_journal_is_told_and_ends(tmp_path: Path, direct: tuple[str, ...]) -> None:
    links = [*CHAIN, ("probe", "hidden"), ("hidden", "base"), ("hidden", "hidden")]
    world = ["base", "step", "probe"]
    built = a_provenance_dataset(tmp_path).with_probe("probe", links=links, world=world)
    built.with_answer("probe", nodes=world, links=[*CHAIN, ("probe", "base")])

    code = score(built, tmp_path / "out", *direct)

    assert code == 1
    assert records(tmp_path / "out/scores.csv")[0]["MeanSimNLO"] == "1.0"
    assert problems(tmp_path / "out") == {"provenance.cycle"}


def test_a_hundred_thousand_nodes_are_scored(built: ProvenanceBuilder, tmp_path: Path) -> None:
    names = ["base", "step", "probe", *(f"x{i}" for i in range(99_997))]
    built.with_answer("probe", nodes=names, links=list(pairwise(names)))

    code = score(built, tmp_path / "out", "--quiet")

    assert code == 0
    assert records(tmp_path / "out/trial_scores.csv")[0]["NumFalseAlarmNodes"] == "99997"


def test_an_unknown_journal_node_is_told_and_left_out(
    built: ProvenanceBuilder, tmp_path: Path
) -> None:
    built.nodes.append(["probe", "base", "world/base.jpg", "nowhere"])
    built.with_answer("probe", nodes=["base", "step", "probe"], links=CHAIN)

    code = score(built, tmp_path / "out")

    assert code == 1
    assert records(tmp_path / "out/scores.csv")[0]["MeanSimNLO"] == "1.0"
    assert problems(tmp_path / "out") == {"provenance.unknown-node"}


@pytest.mark.parametrize("scorer", ["provenance", "filtering"])
def test_a_probe_the_node_table_does_not_know_is_told_and_not_scored(
    built: ProvenanceBuilder, tmp_path: Path, scorer: str
) -> None:
    built.nodes = [row for row in built.nodes if row[1] != "probe"]
    built.with_answer("probe", nodes=["base"])

    code = score(built, tmp_path / "out", scorer=scorer)

    assert code == 1
    assert records(tmp_path / "out/trial_scores.csv") == []
    assert problems(tmp_path / "out") == {"provenance.no-probe"}


@pytest.mark.parametrize("scorer", ["provenance", "filtering"])
def test_an_absent_journal_is_told_and_its_trials_not_scored(
    built: ProvenanceBuilder, tmp_path: Path, scorer: str
) -> None:
    built.with_answer("probe", nodes=["base"])
    built.references[0][-1] = "reference/none.json"

    code = score(built, tmp_path / "out", scorer=scorer)

    assert code == 1
    assert problems(tmp_path / "out") == {"json.unreadable"}


def test_queries_give_a_line_of_averages_each(built: ProvenanceBuilder, tmp_path: Path) -> None:
    built.with_probe("second", links=[("base", "second")], journal="other")
    built.with_answer("probe", nodes=["base", "step", "probe"], links=CHAIN)
    built.with_answer("second", nodes=["base"])
    queries = ["JournalName=='journal'", "JournalName=='other'"]

    score(built, tmp_path / "out", "--query", *queries)
    score(built, tmp_path / "parts", "--query-partition", "JournalName==['journal','other']")

    asked = records(tmp_path / "out/scores.csv")
    parts = records(tmp_path / "parts/scores.csv")
    assert [row["Query"] for row in asked] == queries
    assert [row["MeanSimNO"] for row in asked] == ["1.0", "0.666666666667"]
    assert [row["MeanSimNO"] for row in parts] == ["1.0", "0.666666666667"]


@pytest.mark.parametrize(("scorer", "word"), [("provenance", "SimNLO"), ("filtering", "recall")])
def test_the_page_has_a_curve_and_says_what_other_rules_give(
    built: ProvenanceBuilder, tmp_path: Path, scorer: str, word: str
) -> None:
    built.with_answer("probe", nodes=["base", "step"], links=[("base", "step")])

    code = score(built, tmp_path / "out", "--html", scorer=scorer)

    page = (tmp_path / "out" / "report.html").read_text("utf-8")
    assert code == 0
    assert "<svg" in page
    assert word in page
    assert "mediscore-verbatim" in page


def test_precision_is_significant_digits(built: ProvenanceBuilder, tmp_path: Path) -> None:
    built.with_answer("probe", nodes=["base"])

    score(built, tmp_path / "out", "--precision", "3")

    assert records(tmp_path / "out/scores.csv")[0]["MeanNodeRecall"] == "0.333"


def test_operations_cannot_be_selected_in_graphs(built: ProvenanceBuilder, tmp_path: Path) -> None:
    built.with_answer("probe", nodes=["base"])

    assert score(built, tmp_path / "out", "--query-manipulation", "Purpose=='clone'") == 2
    assert score(built, tmp_path / "out", "--query", "A=='b'", "--query-partition", "A==['b']") == 2
    assert score(built, tmp_path / "out", "--nodes", "none.csv") == 2
    assert score(built, tmp_path / "out", "--precision", "0") == 2


def test_named_tables_replace_the_datasets_own(built: ProvenanceBuilder, tmp_path: Path) -> None:
    built.with_answer("probe", nodes=["base", "probe"], links=[("base", "probe")])
    world = tmp_path / "small-world.csv"
    world.write_text(
        "TaskID|WorldFileID|WorldFileName|WorldWidth|WorldHeight\n"
        "provenance|base|world/base.jpg|64|48\n",
        "utf-8",
    )

    code = score(built, tmp_path / "out", "--world", str(world))

    assert code == 0
    assert records(tmp_path / "out/scores.csv")[0]["MeanSimNLO"] == "1.0"
