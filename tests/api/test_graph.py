"""Provenance graphs of the Python API are those of the scorer, as networkx holds them."""

from __future__ import annotations

from pathlib import Path

import networkx as nx
import pytest

import forensicviewer as fv
from tests.api.cells import RULES
from tests.provenance_build import a_provenance_dataset, file_of


def a_graph(folder: Path) -> tuple[fv.Task, fv.Submission]:
    dataset, submission = (
        a_provenance_dataset(folder)
        .with_probe(
            "b",
            links=[("a", "b", "PasteSplice"), ("d", "b", "Donor"), ("b", "c", "Blur")],
            kinds={"a": "base", "d": "donor", "c": "final"},
        )
        .with_answer(
            "b",
            nodes={"a": 0.9, "b": 1, "x": 0.25, "d": None},
            links={("a", "b"): 0.5, ("x", "a"): 0.1},
        )
        .write()
    )
    task = fv.open_dataset(dataset).task("provenance")
    return task, task.open_submission(submission)


def test_nodes_and_edges_have_what_became_of_them(tmp_path: Path) -> None:
    graph = fv.provenance_graph(*a_graph(tmp_path), "b")

    outcomes = {graph.nodes[node]["id"]: graph.nodes[node]["outcome"] for node in graph}
    edges = {
        (graph.nodes[a]["id"], graph.nodes[b]["id"]): facts
        for a, b, facts in graph.edges(data=True)
    }
    assert outcomes == {
        "a": "Correct",
        "b": "Correct",
        "c": "Missing",
        "d": "Correct",
        "x": "FalseAlarm",
    }
    assert edges["a", "b"] == {"outcome": "Correct", "confidence": 0.5, "operation": "PasteSplice"}
    assert edges["b", "c"]["outcome"] == "Missing"
    assert edges["x", "a"]["outcome"] == "FalseAlarm"
    assert "confidence" not in edges["b", "c"]
    probe = graph.nodes[file_of("b")]
    assert (probe["role"], probe["confidence"]) == ("probe interim", 1)
    assert graph.graph["probe"] == file_of("b")
    assert graph.nodes[file_of("a")]["role"] == "base"
    assert nx.ancestors(graph, file_of("c")) == {file_of(name) for name in "abdx"}


@pytest.mark.parametrize("rules", RULES)
def test_a_graph_has_the_scores_and_mappings_of_the_scorer(tmp_path: Path, rules: str) -> None:
    task, submission = a_graph(tmp_path)
    result = fv.score(task, submission, kind="provenance", rules=rules)

    graph = fv.provenance_graph(task, submission, "b", rules=rules)

    nodes = result.tables["node_mapping.csv"]
    links = result.tables["link_mapping.csv"]
    found = {graph.nodes[node]["id"]: graph.nodes[node]["outcome"] for node in graph}
    assert found == dict(zip(nodes.WorldFileID, nodes.Mapping, strict=True))
    assert sorted(facts["outcome"] for *_, facts in graph.edges(data=True)) == sorted(links.Mapping)
    for name in ("SimNLO", "SimNO", "SimLO", "NodeRecall"):
        assert graph.graph[name] == pytest.approx(result.per_trial[name][0], abs=1e-12)


def test_direct_graphs_leave_out_what_is_not_on_the_way(tmp_path: Path) -> None:
    dataset, submission = (
        a_provenance_dataset(tmp_path)
        .with_probe("b", links=[("a", "b"), ("a", "z")])
        .with_answer("b", nodes=["b", "a"], links=[("b", "a")])
        .write()
    )
    task = fv.open_dataset(dataset).task("provenance")
    answers = task.open_submission(submission)

    whole = fv.provenance_graph(task, answers, "b")
    direct = fv.provenance_graph(task, answers, "b", direct=True, undirected=True)

    assert file_of("z") in whole
    assert file_of("z") not in direct
    assert [facts["reversed"] for *_, facts in direct.edges(data=True)] == [True]


def test_a_graph_is_written_as_graphml(tmp_path: Path) -> None:
    graph = fv.provenance_graph(*a_graph(tmp_path), "b")

    nx.write_graphml(graph, tmp_path / "graph.graphml")

    read = nx.read_graphml(tmp_path / "graph.graphml")
    assert {node: facts["outcome"] for node, facts in read.nodes(data=True)} == {
        node: facts["outcome"] for node, facts in graph.nodes(data=True)
    }


def test_an_unknown_probe_is_refused(tmp_path: Path) -> None:
    task, submission = a_graph(tmp_path)

    with pytest.raises(fv.ForensicViewerError, match="does not contain the trial 'q'"):
        fv.provenance_graph(task, submission, "q")


def test_a_probe_without_a_journal_says_why_it_has_no_graph(tmp_path: Path) -> None:
    task, submission = a_graph(tmp_path)
    (Path(task.model.root) / "reference/provenance/journals/journal.json").unlink()

    with pytest.raises(fv.ForensicViewerError) as refused:
        fv.provenance_graph(task, submission, "b")

    assert refused.value.message == "Probe b is not scored"
    assert "journal cannot be used" in refused.value.hint
