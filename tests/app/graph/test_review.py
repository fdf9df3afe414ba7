"""Looking at a provenance graph without a window."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import networkx
import pytest

from forensicviewer.app.graph import drawing as graph_drawing
from forensicviewer.app.graph import review as graph_review
from forensicviewer.app.graph.document import TrialScore
from forensicviewer.app.graph.drawing import LayoutKind
from forensicviewer.app.graph.export import comparison_table, graphml
from forensicviewer.app.graph.facts import link_facts, node_facts, operation_label, short_name
from forensicviewer.app.graph.review import GraphReview
from forensicviewer.app.graph.state import Focus, GraphChange
from forensicviewer.app.provenance.trials import ProvenanceTrial
from forensicviewer.app.runtime.jobs import InlineExecutor, Jobs
from forensicviewer.core.graph.provenance import LinkMatch, Match, NodeMatch
from forensicviewer.core.graph.sweep import Cut
from forensicviewer.core.model import TrialId
from tests.provenance_build import ProvenanceBuilder, a_provenance_dataset, file_of

LINKS = [
    ("base", "crop"),
    ("crop", "paste", "PasteSplice"),
    ("donor", "paste", "Donor"),
    ("raw", "donor"),
    ("paste", "probe"),
]
KINDS = {"base": "base", "donor": "donor", "probe": "final"}


def fail(error: BaseException) -> None:
    raise error


def a_review() -> GraphReview:
    return GraphReview(Jobs(InlineExecutor(), lambda thunk: thunk(), fail))


def some_graph(folder: Path) -> ProvenanceBuilder:
    built = a_provenance_dataset(folder).with_probe("probe", links=LINKS, kinds=KINDS)
    return built.with_answer(
        "probe",
        nodes={"base": 0.9, "crop": 0.8, "paste": 0.7, "probe": 1, "stranger": 0.2},
        links={("base", "crop"): 0.9, ("paste", "crop"): 0.4, ("stranger", "probe"): 0.1},
    )


@pytest.fixture
def review(tmp_path: Path) -> GraphReview:
    opened = a_review()
    opened.show(*some_graph(tmp_path).open())
    return opened


def test_both_graphs_are_merged_and_every_node_has_a_place(review: GraphReview) -> None:
    state = review.state

    assert {short_name(name): node.match for name, node in state.nodes.items()} == {
        "base": Match.MATCHED,
        "crop": Match.MATCHED,
        "paste": Match.MATCHED,
        "probe": Match.MATCHED,
        "donor": Match.MISSED,
        "raw": Match.MISSED,
        "stranger": Match.INVENTED,
    }
    assert len(set(map(review.place_of, state.nodes))) == 7


def test_a_threshold_changes_the_scores_at_once_and_moves_nothing(review: GraphReview) -> None:
    before = dict(review.places)
    seen: list[GraphChange] = []
    review.subscribe(lambda _state, change: seen.append(change))

    review.set_cut(nodes=0.75)

    assert seen == [GraphChange.MATCHES]
    assert review.state.nodes[file_of("paste")].match is Match.MISSED
    assert file_of("stranger") not in review.state.nodes
    assert review.places == before
    document = review.state.document
    assert document is not None
    assert review.state.comparison == document.compared(review.state.cut)


def test_a_very_large_graph_is_compared_in_the_background(
    review: GraphReview, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(graph_review, "LIVE_UP_TO", 2)
    seen: list[GraphChange] = []
    review.subscribe(lambda _state, change: seen.append(change))

    review.set_cut(nodes=0.75)

    assert seen == [GraphChange.LOADING, GraphChange.MATCHES]
    assert review.state.nodes[file_of("paste")].match is Match.MISSED


def test_setting_the_same_threshold_tells_nobody(review: GraphReview) -> None:
    review.set_cut(links=0.3)
    seen: list[GraphChange] = []
    review.subscribe(lambda _state, change: seen.append(change))

    review.set_cut(links=0.3)

    assert seen == []


def test_a_reversed_link_is_explained(review: GraphReview) -> None:
    review.select((file_of("paste"), file_of("crop")))

    assert "this link is reversed" in review.explanation()


def test_the_undirected_condition_forgives_it_in_the_graph_and_in_the_table(
    review: GraphReview,
) -> None:
    before = review.state.table[0].scores
    review.set_condition(undirected=True)

    assert review.state.links[file_of("crop"), file_of("paste")].is_reversed
    after = review.state.table[0].scores
    assert before is not None
    assert after is not None
    assert (before.links.matched, after.links.matched) == (1, 2)


def test_the_direct_condition_keeps_the_selection(review: GraphReview) -> None:
    review.select(file_of("crop"))
    review.set_condition(direct=True)

    assert review.state.selected == file_of("crop")
    assert review.state.document is not None
    assert review.state.document.request.settings.direct


def test_differences_are_walked_round_and_round(review: GraphReview) -> None:
    listed = review.differences()
    seen = []
    for _ in range(len(listed) + 1):
        review.step_difference(1)
        seen.append(review.state.selected)

    assert len(listed) == 9
    assert seen == [*listed, listed[0]]

    review.step_difference(-1)
    assert review.state.selected == listed[-1]


def test_keys_walk_along_links_and_between_neighbours(review: GraphReview) -> None:
    review.walk(1, 0)
    assert review.state.selected == file_of("probe")
    review.walk(-1, 0)
    assert review.state.selected in (file_of("paste"), file_of("stranger"))
    review.select(file_of("base"))
    review.walk(1, 0)
    assert review.state.selected == file_of("crop")
    review.walk(0, 1)
    review.walk(0, -1)
    assert isinstance(review.state.selected, str)
    review.select((file_of("base"), file_of("crop")))
    review.walk(-1, 0)
    assert review.state.selected == file_of("base")


def test_donors_fold_away_with_what_leads_to_them_alone(review: GraphReview) -> None:
    review.select(file_of("raw"))
    review.toggle_fold(file_of("paste"))

    assert set(review.state.hidden) == {file_of("donor"), file_of("raw")}
    assert review.state.selected == file_of("paste")

    review.toggle_fold(file_of("paste"))
    assert review.state.hidden == {}
    review.fold_donors(on=True)
    assert set(review.state.hidden) == {file_of("donor"), file_of("raw")}
    review.fold_donors(on=False)
    assert review.state.hidden == {}


def test_search_finds_by_any_part_and_goes_on(review: GraphReview) -> None:
    review.search("AS")

    assert {short_name(name) for name in review.state.found} == {"base", "paste"}
    first = review.state.selected
    review.next_found()
    assert review.state.selected in review.state.found
    assert review.state.selected != first
    review.search("nothing like it")
    assert review.state.found == ()


def test_focus_keeps_the_neighbourhood_or_the_way_to_the_probe_bright(review: GraphReview) -> None:
    review.select(file_of("crop"))
    assert review.bright() is None

    review.set_focus(Focus.NEIGHBOURS)
    assert review.bright() == frozenset(map(file_of, ("base", "crop", "paste")))

    review.set_focus(Focus.PATH)
    assert review.bright() == frozenset(map(file_of, ("crop", "paste", "probe")))


def test_two_nodes_make_a_pair_and_the_way_between_them_is_shown(review: GraphReview) -> None:
    review.select(file_of("base"))
    assert review.pair() == (file_of("probe"), file_of("base"))

    review.select_second(file_of("paste"))

    assert review.pair() == (file_of("base"), file_of("paste"))
    assert review.way() == (file_of("base"), file_of("crop"), file_of("paste"))


def test_moving_a_node_can_be_undone_and_redone(review: GraphReview) -> None:
    home = review.place_of(file_of("crop"))

    review.move(file_of("crop"), (5.0, 6.0))
    review.move(file_of("crop"), (7.0, 8.0))
    review.undo()
    assert review.place_of(file_of("crop")) == (5.0, 6.0)
    review.undo()
    assert review.place_of(file_of("crop")) == home
    assert not review.moves.can_undo
    review.redo()
    review.redo()
    assert review.place_of(file_of("crop")) == (7.0, 8.0)
    assert not review.moves.can_redo


def test_the_force_layout_is_an_alternative(review: GraphReview) -> None:
    before = dict(review.places)

    review.set_layout(LayoutKind.FORCE)

    assert review.places.keys() == before.keys()
    assert review.places != before


def test_the_worst_trial_comes_first_in_the_table(tmp_path: Path) -> None:
    built = some_graph(tmp_path).with_probe("second", links=[("x", "second")], journal="other")
    built.with_answer("second", nodes=["x", "second"], links=[("x", "second")])
    review = a_review()

    review.show(*built.open())

    assert [line.trial.id for line in review.state.table] == ["probe", "second"]
    assert review.state.table[1].recalls[0] == 1.0


def test_a_trial_without_scores_comes_last() -> None:
    line = TrialScore(ProvenanceTrial(TrialId("p"), "p.jpg", "j", "j.json", ""), None)

    assert line.badness == 2.0


def test_a_graph_that_cannot_be_made_says_why(tmp_path: Path) -> None:
    built = some_graph(tmp_path)
    built.references[0][-1] = "reference/none.json"
    review = a_review()

    review.show(*built.open())

    assert review.state.document is None
    assert "cannot be drawn" in review.state.failure


def test_without_a_submission_the_page_asks_for_one(tmp_path: Path) -> None:
    task, _ = some_graph(tmp_path).open()
    review = a_review()

    review.show(task, None)

    assert review.state.failure == "Open a submission to see its graph"


def test_another_trial_replaces_the_graph(tmp_path: Path) -> None:
    built = some_graph(tmp_path).with_probe("second", links=[("x", "second")], journal="other")
    built.with_answer("second", nodes=["x"])
    review = a_review()
    review.show(*built.open())
    review.select(file_of("base"))

    review.open_trial("second")

    assert set(review.state.nodes) == {file_of("x"), file_of("second")}
    assert review.state.selected is None


def test_a_graph_too_large_to_draw_keeps_the_reference_and_the_surest_images(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(graph_drawing, "MOST_DRAWN", 7)
    names = {"base": 1.0, "crop": 1.0, **{f"x{i}": i / 100 for i in range(60)}}
    built = some_graph(tmp_path)
    built.answers.clear()
    built.with_answer("probe", nodes=names)
    told: list[str] = []
    review = GraphReview(
        Jobs(InlineExecutor(), lambda thunk: thunk(), fail),
        on_problems=lambda found: told.extend(problem.rule for problem in found),
    )

    review.show(*built.open())

    document = review.state.document
    assert document is not None
    assert {short_name(node.file) for node in document.merged.nodes} == {
        *("base", "crop", "paste", "probe", "donor", "raw"),
        "x59",
    }
    assert told == ["graph.too-large"]
    assert document.scores(Cut()).nodes.invented == 60


def test_facts_of_a_node_and_of_a_link(review: GraphReview) -> None:
    document = review.state.document
    assert document is not None
    node = review.state.nodes[file_of("base")]
    link = review.state.links[file_of("crop"), file_of("paste")]

    assert dict(node_facts(document, node)) == {
        "Image": "base",
        "File": "world/base.jpg",
        "Role": "base",
        "Confidence": "0.9",
        "Rank": "2 of 5",
        "Journal node": "base",
        "Journal file": "base.png",
    }
    assert dict(link_facts(document, link)) == {
        "From": "crop",
        "To": "paste",
        "Operation": "PasteSplice",
    }


def test_names_and_operations_are_shortened_where_they_are_long() -> None:
    assert short_name("world/0123456789abcdef0123456789abcdef.jpg") == "01234567…89abcdef"
    assert operation_label(LinkMatch("a", "b", Match.INVENTED, None, None)) == ""


def test_graphml_holds_both_graphs(review: GraphReview) -> None:
    places = {name: review.place_of(name) for name in review.state.nodes}

    graph = networkx.parse_graphml(graphml(review.state, places))

    nodes = {facts["file"]: facts for _, facts in graph.nodes(data=True)}
    links = {
        (graph.nodes[a]["file"], graph.nodes[b]["file"]): facts
        for a, b, facts in graph.edges.data()
    }
    assert graph.graph["probe"] == file_of("probe")
    assert nodes.keys() == review.state.nodes.keys()
    assert links.keys() == review.state.links.keys()
    assert {facts["outcome"] for facts in nodes.values()} == {"Correct", "Missing", "FalseAlarm"}
    assert nodes[file_of("probe")] == {
        "outcome": "Correct",
        "role": "probe final",
        "journal_node": "probe",
        "confidence": 1.0,
        "file": file_of("probe"),
        "x": places[file_of("probe")][0],
        "y": places[file_of("probe")][1],
    }
    assert links[file_of("stranger"), file_of("probe")] == {
        "outcome": "FalseAlarm",
        "confidence": 0.1,
    }
    assert links[file_of("crop"), file_of("paste")] == {
        "outcome": "Missing",
        "operation": "PasteSplice",
    }


def test_graphml_writes_signs_that_xml_cannot_hold_as_python_does(tmp_path: Path) -> None:
    names = ["a\x00b", "c\x1bd", "e\ud800f", "g\ufffeh", "<&>\"'", "ä🙂"]
    built = a_provenance_dataset(tmp_path).with_probe("probe", links=LINKS, kinds=KINDS)
    opened = a_review()
    opened.show(*built.with_answer("probe", nodes=dict.fromkeys(names, 0.5), links={}).open())

    graph = networkx.parse_graphml(graphml(opened.state, {}))

    found = {facts["file"] for _, facts in graph.nodes(data=True)}
    shown = ["a\\x00b", "c\\x1bd", "e\\ud800f", "g\\ufffeh", "<&>\"'", "ä🙂"]
    assert found >= set(map(file_of, shown))


def test_the_comparison_is_exported_with_explanations(review: GraphReview) -> None:
    rows = list(csv.DictReader(io.StringIO(comparison_table(review.state)), delimiter="|"))

    assert {row["Mapping"] for row in rows} == {"Correct", "Missing", "FalseAlarm"}
    assert any("reversed" in row["Explanation"] for row in rows)


def test_matches_can_be_asked_for_what_is_selected(review: GraphReview) -> None:
    assert review.selected_match() is None
    assert review.explanation() == ""
    review.select(file_of("base"))
    assert isinstance(review.selected_match(), NodeMatch)
