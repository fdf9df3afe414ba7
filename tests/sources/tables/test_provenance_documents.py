"""Provenance documents as they come: whole, odd, broken and hostile."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from forensicviewer.core.graph.provenance import SystemGraph
from forensicviewer.core.problem import CodecError, ProblemLog, Severity
from forensicviewer.sources.tables.provenance_documents import (
    NAMED_PLACES,
    read_journal,
    read_system_graph,
)


def a_node(file: str, **changes: object) -> dict[str, object]:
    return {"id": file, "file": file, "nodeConfidenceScore": 0.5, **changes}


def a_link(source: object, target: object, **changes: object) -> dict[str, object]:
    return {"source": source, "target": target, "relationshipConfidenceScore": 1, **changes}


def read(folder: Path, document: object) -> tuple[SystemGraph, ProblemLog]:
    path = folder / "graph.json"
    path.write_text(document if isinstance(document, str) else json.dumps(document), "utf-8")
    log = ProblemLog()
    return read_system_graph(path, name="graph.json", log=log), log


def rules_of(log: ProblemLog) -> list[str]:
    return [problem.rule for problem in log]


def test_a_whole_answer_is_read_without_problems(tmp_path: Path) -> None:
    document = {"nodes": [a_node("a"), a_node("b", nodeConfidenceScore=1)], "links": [a_link(0, 1)]}

    graph, log = read(tmp_path, document)

    assert [(node.file, node.confidence) for node in graph.nodes] == [("a", 0.5), ("b", 1)]
    assert graph.by_ends().keys() == {("a", "b")}
    assert len(log) == 0


@pytest.mark.parametrize("end", [-1, 2, 10**30, 0.5, "0", None, True, [0], float("nan")])
def test_a_link_that_leads_nowhere_is_told_and_left_out(tmp_path: Path, end: object) -> None:
    document = {"nodes": [a_node("a"), a_node("b")], "links": [a_link(0, end), a_link(0, 1)]}

    graph, log = read(tmp_path, document)

    assert list(graph.by_ends()) == [("a", "b")]
    (problem,) = log
    assert problem.severity is Severity.ERROR
    assert problem.where == "graph.json:links[0]"


def test_a_whole_number_written_as_a_fraction_is_a_position(tmp_path: Path) -> None:
    graph, _ = read(tmp_path, {"nodes": [a_node("a"), a_node("b")], "links": [a_link(0.0, 1.0)]})

    assert list(graph.by_ends()) == [("a", "b")]


def test_positions_count_the_nodes_that_were_left_out(tmp_path: Path) -> None:
    document = {"nodes": [7, a_node("a"), a_node("b")], "links": [a_link(1, 2), a_link(0, 1)]}

    graph, log = read(tmp_path, document)

    assert list(graph.by_ends()) == [("a", "b")]
    assert rules_of(log) == ["graph.wrong-type", "graph.dangling"]


@pytest.mark.parametrize("wrong", ["high", True, None, [1], float("nan"), float("inf")])
def test_a_confidence_that_is_no_number_is_told_and_blank(tmp_path: Path, wrong: object) -> None:
    graph, log = read(tmp_path, {"nodes": [a_node("a", nodeConfidenceScore=wrong)], "links": []})

    assert graph.nodes[0].confidence is None
    assert len(log) == 1


def test_repeated_ids_and_images_are_told(tmp_path: Path) -> None:
    document = {"nodes": [a_node("a"), a_node("a", id="x"), a_node("b", id="x")], "links": []}

    graph, log = read(tmp_path, document)

    assert rules_of(log) == ["graph.repeated-id", "graph.repeated-file"]
    assert len(graph.by_file()) == 2


def test_many_problems_of_one_kind_are_counted(tmp_path: Path) -> None:
    links = [a_link(0, 9) for _ in range(1000)]

    _, log = read(tmp_path, {"nodes": [a_node("a")], "links": links})

    assert len(log) == NAMED_PLACES + 1
    assert (
        list(log)[-1].message
        == f"A link refers to a missing node ({1000 - NAMED_PLACES} more times)"
    )


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("", "json.broken"),
        ("{", "json.broken"),
        ("[" * 200_000, "json.nesting"),
        ('{"nodes":' * 100_000, "json.nesting"),
        ("[]", "json.no-object"),
        ("null", "json.no-object"),
        ("{}", "graph.no-nodes"),
        ('{"nodes": {"0": 1}}', "graph.no-nodes"),
        ('{"nodes": [{"id": ' + "9" * 5000 + "}]}", "json.broken"),
    ],
)
def test_what_is_no_graph_at_all_cannot_be_read(tmp_path: Path, text: str, rule: str) -> None:
    with pytest.raises(CodecError) as caught:
        read(tmp_path, text)

    assert caught.value.rule == rule


def test_an_absent_document_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(CodecError, match="No such file"):
        read_system_graph(tmp_path / "no.json", name="no.json", log=ProblemLog())


def test_links_may_be_absent_only_where_images_alone_were_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "graph.json"
    path.write_text(json.dumps({"nodes": [a_node("a")]}), "utf-8")
    graph_log, filtering_log = ProblemLog(), ProblemLog()

    read_system_graph(path, name="g", log=graph_log)
    read_system_graph(path, name="g", log=filtering_log, needs_links=False)

    assert rules_of(graph_log) == ["graph.no-links"]
    assert len(filtering_log) == 0


def test_links_of_the_wrong_type_are_told(tmp_path: Path) -> None:
    graph, log = read(tmp_path, {"nodes": [a_node("a")], "links": {"source": 0}})

    assert graph.links == ()
    assert rules_of(log) == ["graph.wrong-type"]


def test_a_hundred_thousand_nodes_are_read(tmp_path: Path) -> None:
    nodes = [a_node(f"n{i}") for i in range(100_000)]
    links = [a_link(i, i + 1) for i in range(99_999)]

    graph, log = read(tmp_path, {"nodes": nodes, "links": links})

    assert len(graph.by_ends()) == 99_999
    assert len(log) == 0


def test_a_journal_is_read_with_its_facts(tmp_path: Path) -> None:
    path = tmp_path / "journal.json"
    nodes = [{"id": "a", "file": "a.png", "nodetype": "base", "xpos": 3}, {"id": "b"}, {"id": "a"}]
    links = [{"source": 0, "target": 1, "op": "PasteSplice", "maskname": "m.png"}]
    path.write_text(json.dumps({"nodes": nodes, "links": links}), "utf-8")
    log = ProblemLog()

    journal = read_journal(path, name="journal.json", log=log)

    assert (journal.nodes[0].kind, journal.nodes[0].facts["xpos"]) == ("base", 3)
    assert (journal.links[0].operation, journal.links[0].facts["maskname"]) == (
        "PasteSplice",
        "m.png",
    )
    assert journal.positions() == {"a": 2, "b": 1}
    assert rules_of(log) == ["journal.id"]


def test_a_document_of_too_many_values_is_not_decoded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Thirty megabytes of empty lists would take a gigabyte of memory."""
    monkeypatch.setenv("FORENSICVIEWER_DOCUMENT_MB", "1")

    for document, said in (
        ('{"nodes": [' + "[]," * 20_000 + "[]]}", "more than 20000 values"),
        ('{"nodes": ["' + "x" * 1_100_000 + '"]}', "more than 1 MB"),
    ):
        with pytest.raises(CodecError, match=said) as caught:
            read(tmp_path, document)
        assert caught.value.rule == "json.size"
