"""Scores provenance graphs: SimNO, SimLO, SimNLO and where every node and link went."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from forensicviewer.app.provenance.reading import ProvenanceReader
from forensicviewer.app.provenance.run import ProvenanceRun, variation_in_words
from forensicviewer.app.provenance.settings import (
    AverageLines,
    ProvenanceSettings,
    mean,
    printed_confidences,
)
from forensicviewer.app.provenance.trials import ProvenanceTrial
from forensicviewer.app.report.score_output import OutputTable, ScoreOutput
from forensicviewer.core.graph.provenance import (
    Comparison,
    Confidence,
    GraphScores,
    LinkMatch,
    NodeMatch,
    compare,
    world_id,
)
from forensicviewer.core.model import Submission, Task
from forensicviewer.core.rules.provenance import GRAPH_SWITCHES

MEASURES: tuple[tuple[str, Callable[[GraphScores], float | None]], ...] = (
    ("SimNLO", lambda scores: scores.sim_nlo),
    ("SimNO", lambda scores: scores.sim_no),
    ("SimLO", lambda scores: scores.sim_lo),
    ("NodeRecall", lambda scores: scores.node_recall),
)

_TRIAL = ("JournalName", "ProvenanceProbeFileID", "Direct", "ProvenanceOutputFileName")
_COUNTS = (
    "NumSysNodes",
    "NumSysLinks",
    "NumRefNodes",
    "NumRefLinks",
    "NumCorrectNodes",
    "NumMissingNodes",
    "NumFalseAlarmNodes",
    "NumCorrectLinks",
    "NumMissingLinks",
    "NumFalseAlarmLinks",
)


@dataclass(frozen=True, slots=True)
class ScoredGraph:
    """One trial and how its graphs compare."""

    trial: ProvenanceTrial
    comparison: Comparison
    scores: GraphScores


def score_provenance(
    task: Task, submission: Submission, settings: ProvenanceSettings
) -> ScoreOutput:
    """Score every graph of a submission."""
    run = ProvenanceRun.of(task, submission, settings)
    scored = (score_graph(run.reader, trial, settings) for trial in run.trials)
    graphs = [graph for graph in scored if graph is not None]
    averages = _averages(graphs, run.selections, settings)
    return ScoreOutput(
        scorer="provenance",
        tables=(
            averages,
            _trial_table(graphs, settings),
            _node_table(graphs, settings),
            _link_table(graphs, settings),
        ),
        headline={**averages.records()[0], "trials": str(len(graphs))} if averages.rows else {},
        settings=_settings_of(settings, task),
        problems=run.log.freeze(),
    )


def score_graph(
    reader: ProvenanceReader, trial: ProvenanceTrial, settings: ProvenanceSettings
) -> ScoredGraph | None:
    """One trial's comparison; ``None``, and reported, where its reference cannot be known."""
    reference = reader.reference(trial, direct=settings.direct)
    if reference is None:
        return None
    system = reader.system_graph(trial, direct=settings.direct)
    comparison = compare(reference, system, undirected=settings.undirected)
    return ScoredGraph(trial, comparison, comparison.scores)


def _averages(
    graphs: Sequence[ScoredGraph], selections: AverageLines, settings: ProvenanceSettings
) -> OutputTable:
    rows = []
    for line in selections.lines:
        chosen = [graph.scores for graph in graphs if graph.trial in line.trials]
        means = [mean(measure(scores) for scores in chosen) for _, measure in MEASURES]
        printed = [settings.printed(value) for value in means]
        rows.append((*line.labels, str(settings.direct), *printed))
    columns = (*selections.columns, "Direct", *(f"Mean{name}" for name, _ in MEASURES))
    return OutputTable("scores.csv", columns, tuple(rows))


def _trial_cells(graph: ScoredGraph, settings: ProvenanceSettings) -> tuple[str, ...]:
    trial = graph.trial
    return trial.journal_name, trial.id, str(settings.direct), trial.output_file


def _trial_table(graphs: Sequence[ScoredGraph], settings: ProvenanceSettings) -> OutputTable:
    rows = tuple(
        (
            *_trial_cells(graph, settings),
            *_counts(graph.scores),
            *(settings.printed(measure(graph.scores)) for _, measure in MEASURES),
        )
        for graph in graphs
    )
    columns = (*_TRIAL, *_COUNTS, *(name for name, _ in MEASURES))
    return OutputTable("trial_scores.csv", columns, rows)


def _counts(scores: GraphScores) -> tuple[str, ...]:
    nodes, links = scores.nodes, scores.links
    counts = (
        nodes.system,
        links.system,
        nodes.reference,
        links.reference,
        nodes.matched,
        nodes.missed,
        nodes.invented,
        links.matched,
        links.missed,
        links.invented,
    )
    return tuple(str(count) for count in counts)


def _node_table(graphs: Sequence[ScoredGraph], settings: ProvenanceSettings) -> OutputTable:
    lines = [
        (graph, node) for graph in graphs for node in sorted(graph.comparison.nodes, key=_by_node)
    ]
    confidences = printed_confidences([_confidence(node) for _, node in lines])
    rows = tuple(
        (*_trial_cells(graph, settings), world_id(node.file), confidence, node.match.value)
        for (graph, node), confidence in zip(lines, confidences, strict=True)
    )
    return OutputTable(
        "node_mapping.csv", (*_TRIAL, "WorldFileID", "NodeConfidence", "Mapping"), rows
    )


def _link_table(graphs: Sequence[ScoredGraph], settings: ProvenanceSettings) -> OutputTable:
    lines = [
        (graph, link) for graph in graphs for link in sorted(graph.comparison.links, key=_by_link)
    ]
    confidences = printed_confidences([_confidence(link) for _, link in lines])
    rows = tuple(
        (
            *_trial_cells(graph, settings),
            world_id(link.source),
            world_id(link.target),
            confidence,
            link.match.value,
        )
        for (graph, link), confidence in zip(lines, confidences, strict=True)
    )
    columns = (*_TRIAL, "SourceWorldFileID", "TargetWorldFileID", "LinkConfidence", "Mapping")
    return OutputTable("link_mapping.csv", columns, rows)


def _confidence(match: NodeMatch | LinkMatch) -> Confidence | None:
    return None if match.system is None else match.system.confidence


def _blank_first(confidence: Confidence | None) -> tuple[bool, Confidence]:
    return confidence is not None, confidence or 0


# NIST's program sorts records as Python 2 compares dictionaries: by the values of their keys in
# alphabetical order. Within a trial that leaves these columns, blank confidences first.
def _by_node(node: NodeMatch) -> tuple[object, ...]:
    return node.match.value, _blank_first(_confidence(node)), world_id(node.file)


def _by_link(link: LinkMatch) -> tuple[object, ...]:
    ends = world_id(link.source), world_id(link.target)
    return (_blank_first(_confidence(link)), link.match.value, *ends)


def _settings_of(settings: ProvenanceSettings, task: Task) -> dict[str, object]:
    return {
        "rules": settings.rules.label,
        "variation": variation_in_words(task),
        "direct": settings.direct,
        "undirected": settings.undirected,
        "queries": list(settings.queries),
        "partition": settings.partition,
        "leave_out_unprocessed": settings.leave_out_unprocessed,
        "precision": settings.precision,
        "switches": settings.rules.choices(GRAPH_SWITCHES),
    }
