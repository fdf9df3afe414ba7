"""A provenance trial as it is looked at: both graphs, their comparison and a place for all."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum

import numpy as np

from forensicviewer.app.filtering_scoring import ScoredRanking
from forensicviewer.app.provenance_reading import ProvenanceReader
from forensicviewer.app.provenance_settings import ProvenanceSettings
from forensicviewer.app.provenance_trials import ProvenanceTrial, list_trials
from forensicviewer.core.filtering import cuts, ranking
from forensicviewer.core.graphlayout import Layout, Spacing, force, layered
from forensicviewer.core.graphreason import Evidence, why_link, why_node
from forensicviewer.core.graphsweep import Cut, SweepCurve, cut, link_curve, node_curve
from forensicviewer.core.model import Submission, Task, TaskKind
from forensicviewer.core.problem import Problem, ProblemLog, ScoringError
from forensicviewer.core.provenance import (
    Comparison,
    FileName,
    GraphScores,
    Journal,
    JournalNode,
    LinkMatch,
    Match,
    NodeMatch,
    ReferenceGraph,
    SystemGraph,
    compare,
)

Check = Callable[[], None]

# More images than this can neither be placed in a few seconds nor told apart on a screen.
MOST_DRAWN = 20_000
# Room for a card of 196 by 76 with the name of an operation beside it.
SPACING = Spacing(across=350.0, along=98.0, bend=30.0)


class LayoutKind(Enum):
    """How the nodes are placed."""

    LAYERED = "Layered"
    FORCE = "Force"


@dataclass(frozen=True, slots=True)
class GraphRequest:
    """What to read and how to place it."""

    task: Task
    submission: Submission
    trial_id: str
    settings: ProvenanceSettings
    layout: LayoutKind = LayoutKind.LAYERED


@dataclass(frozen=True, slots=True, eq=False)
class GraphDocument:
    """One trial: ``uncut`` compares everything, ``merged`` is as much of it as can be drawn."""

    request: GraphRequest
    trial: ProvenanceTrial
    journal: Journal
    reference: ReferenceGraph
    whole: ReferenceGraph
    named: Mapping[FileName, JournalNode]
    system: SystemGraph
    uncut: Comparison
    merged: Comparison
    layout: Layout
    ranked: ScoredRanking | None = None
    lengths: tuple[int, ...] = ()
    problems: tuple[Problem, ...] = field(default=())

    @property
    def undirected(self) -> bool:
        return self.request.settings.undirected

    def compared(self, at: Cut) -> Comparison:
        """The comparison the command line would make of what is left at these thresholds."""
        if at == Cut():
            return self.uncut
        return compare(self.reference, cut(self.system, at), undirected=self.undirected)

    def scores(self, at: Cut) -> GraphScores:
        return self.compared(at).scores

    def node_curve(self, at: Cut) -> SweepCurve:
        return node_curve(
            self.reference, self.system, undirected=self.undirected, links_at=at.links
        )

    def link_curve(self, at: Cut) -> SweepCurve:
        return link_curve(
            self.reference, self.system, undirected=self.undirected, nodes_at=at.nodes
        )

    def explain(self, match: NodeMatch | LinkMatch, shown: Comparison, at: Cut) -> str:
        """Why a node or link is counted as it is."""
        evidence = Evidence(shown, self.reference, self.whole, self.named, self.system, at)
        if isinstance(match, NodeMatch):
            return why_node(match, evidence)
        return why_link(match, evidence)

    def kind_of(self, file: FileName) -> str:
        """What the journal says an image is: base, donor, interim, final, or nothing."""
        node = self.reference.nodes.get(file) or self.named.get(file)
        return "" if node is None else node.kind

    def place_in_ranking(self, file: FileName) -> str:
        """``3 of 200``, the surest first; blank where the system did not return it."""
        files = [node.file for node in self.ranked.ranked] if self.ranked is not None else []
        return f"{files.index(file) + 1} of {len(files)}" if file in files else ""


def load_graph(request: GraphRequest, check: Check) -> GraphDocument:
    """Read, compare and place one trial; raises where its reference cannot be known."""
    log = ProblemLog()
    settings = request.settings
    trial = _trial(request, log)
    needs_links = request.task.kind is not TaskKind.FILTERING
    reader = ProvenanceReader(
        request.task, request.submission, rules=settings.rules, log=log, needs_links=needs_links
    )
    reference = reader.reference(trial, direct=settings.direct)
    whole = reader.reference(trial, direct=False) if settings.direct else reference
    journal = reader.journal(trial)
    if reference is None or whole is None or journal is None:
        raise ScoringError(
            f"The graph of probe {trial.id} cannot be made",
            where=trial.journal_file,
            hint="; ".join(problem.message for problem in log),
        )
    check()
    system = reader.system_graph(trial, direct=settings.direct)
    uncut = compare(reference, system, undirected=settings.undirected)
    merged = drawable(uncut, log)
    return GraphDocument(
        request=request,
        trial=trial,
        journal=journal,
        reference=reference,
        whole=whole,
        named=reader.named_nodes(trial),
        system=system,
        uncut=uncut,
        merged=merged,
        layout=place(merged, request.layout, check),
        ranked=_ranked(reader, trial, system, settings),
        lengths=cuts(settings.rules, request.task.edition),
        problems=log.freeze(),
    )


def drawable(comparison: Comparison, log: ProblemLog) -> Comparison:
    """The comparison as far as it can be drawn: all of the reference, then the surest images.

    Scores are made of the whole graph all the same.
    """
    if len(comparison.nodes) <= MOST_DRAWN:
        return comparison
    log.warn(
        f"The graph has {len(comparison.nodes)} images; the surest {MOST_DRAWN} of them are drawn",
        hint="scores count all of them",
        rule="graph.too-large",
    )
    ranked = sorted(comparison.nodes, key=lambda node: (node.reference is None, -_sureness(node)))
    kept = {node.file for node in ranked[:MOST_DRAWN]} | {comparison.probe}
    return replace(
        comparison,
        nodes=tuple(node for node in comparison.nodes if node.file in kept),
        links=tuple(x for x in comparison.links if x.source in kept and x.target in kept),
    )


def _sureness(node: NodeMatch) -> float:
    sure = None if node.system is None else node.system.confidence
    return 0.0 if sure is None else float(sure)


def place(comparison: Comparison, kind: LayoutKind, check: Check) -> Layout:
    """A place for every node of the merged graph, the probe's part on top."""
    position = {node.file: i for i, node in enumerate(comparison.nodes)}
    ends = [(position[link.source], position[link.target]) for link in comparison.links]
    # Links that end differently do not share a course: each shows its own colour throughout.
    order = list(Match)
    bundles = [order.index(link.match) for link in comparison.links]
    found = layered(len(position), ends, bundles=bundles, spacing=SPACING, check=check)
    if kind is LayoutKind.FORCE:
        found = force(len(position), ends, start=found.points, spacing=SPACING, check=check)
    return Layout(np.round(found.points, 2), found.bends)


def _trial(request: GraphRequest, log: ProblemLog) -> ProvenanceTrial:
    # Looking at a graph, trials that would be dropped from the means are still of interest.
    listed = list_trials(request.task, request.submission, rules=request.settings.rules, log=log)
    found = [trial for trial in listed if trial.id == request.trial_id]
    if not found:
        raise ScoringError(
            f"Probe {request.trial_id} is not scored",
            where=request.submission.name,
            hint="; ".join(p.message for p in log if request.trial_id in p.message),
        )
    return found[0]


def _ranked(
    reader: ProvenanceReader,
    trial: ProvenanceTrial,
    system: SystemGraph,
    settings: ProvenanceSettings,
) -> ScoredRanking | None:
    wanted = reader.wanted(trial)
    if wanted is None:
        return None
    return ScoredRanking(trial, ranking(system.nodes, rules=settings.rules), wanted)


@dataclass(frozen=True, slots=True)
class TrialScore:
    """One line of the table of all trials."""

    trial: ProvenanceTrial
    scores: GraphScores | None
    recalls: tuple[float | None, ...] = ()
    lengths: tuple[int, ...] = ()

    @property
    def badness(self) -> float:
        """For sorting: the worst trial has the lowest; without a score it comes last."""
        if self.scores is not None and self.scores.sim_nlo is not None:
            return self.scores.sim_nlo
        return next((r for r in self.recalls if r is not None), 2.0)


def score_all(
    task: Task, submission: Submission, settings: ProvenanceSettings, check: Check
) -> tuple[TrialScore, ...]:
    """Every trial's scores, the worst first."""
    log = ProblemLog()
    needs_links = task.kind is not TaskKind.FILTERING
    reader = ProvenanceReader(
        task, submission, rules=settings.rules, log=log, needs_links=needs_links
    )
    lengths = cuts(settings.rules, task.edition)
    lines = []
    for trial in list_trials(task, submission, rules=settings.rules, log=log):
        check()
        reference = reader.reference(trial, direct=settings.direct)
        system = reader.system_graph(trial, direct=settings.direct)
        scores = None
        if reference is not None:
            scores = compare(reference, system, undirected=settings.undirected).scores
        ranked = _ranked(reader, trial, system, settings)
        recalls = tuple(recall.value for recall in ranked.recalls(lengths)) if ranked else ()
        lines.append(TrialScore(trial, scores, recalls, lengths))
    return tuple(sorted(lines, key=lambda line: (line.badness, line.trial.id)))
