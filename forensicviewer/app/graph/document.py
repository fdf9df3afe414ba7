"""A provenance trial as it is shown: both graphs, their comparison and a place for all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from forensicviewer.app.graph.drawing import Drawing, LayoutKind, Sources, StopCheck, draw
from forensicviewer.app.graph.ranking import FilteringRanking, ranking_of
from forensicviewer.app.provenance.filtering import ScoredRanking
from forensicviewer.app.provenance.reading import ProvenanceReader
from forensicviewer.app.provenance.settings import ProvenanceSettings
from forensicviewer.app.provenance.trials import ProvenanceTrial, list_trials
from forensicviewer.core.graph.filtering import cuts, ranking
from forensicviewer.core.graph.provenance import (
    Comparison,
    FileName,
    GraphScores,
    JournalNode,
    ProvenanceJournal,
    ReferenceGraph,
    SystemGraph,
    compare,
)
from forensicviewer.core.graph.reason import Evidence, Explained, Reason, why
from forensicviewer.core.graph.sweep import EVERYTHING, Cut, SweepCurve, link_curve, node_curve
from forensicviewer.core.graph.threshold_table import ThresholdTable
from forensicviewer.core.graph.unscored import Unscored
from forensicviewer.core.model import Submission, Task, TaskKind
from forensicviewer.core.problem import Problem, ProblemLog, ScoringError


@dataclass(frozen=True, slots=True)
class GraphRequest:
    """What to read and how to place it; ``answer`` is a file where a probe has several answers."""

    task: Task
    submission: Submission
    trial_id: str
    settings: ProvenanceSettings
    layout: LayoutKind = LayoutKind.LAYERED
    shows_journal: bool = True
    answer: str = ""

    def asks_same(self, other: GraphRequest) -> bool:
        """Whether the other asks for the same graphs, however they are placed."""
        return (
            self.task is other.task
            and self.submission is other.submission
            and self.trial_id == other.trial_id
            and self.settings == other.settings
            and self.answer == other.answer
        )


@dataclass(frozen=True, slots=True, eq=False)
class GraphDocument:
    """One trial: ``table`` compares its graphs at every threshold, ``uncut`` without one.

    ``drawing`` is what can be drawn of it.
    """

    request: GraphRequest
    trial: ProvenanceTrial
    journal: ProvenanceJournal
    reference: ReferenceGraph
    whole: ReferenceGraph
    named: Mapping[FileName, JournalNode]
    world: frozenset[FileName]
    system: SystemGraph
    table: ThresholdTable
    uncut: Comparison
    curves: tuple[SweepCurve, SweepCurve]  # over the node and over the link threshold alone
    drawing: Drawing
    ranking: FilteringRanking | None = None
    problems: tuple[Problem, ...] = field(default=())

    @property
    def undirected(self) -> bool:
        return self.request.settings.undirected

    @property
    def merged(self) -> Comparison:
        return self.drawing.merged

    @property
    def unscored(self) -> Unscored:
        return self.drawing.unscored

    def compared(self, at: Cut) -> Comparison:
        """The comparison the command line would make of what is left at these thresholds."""
        return self.uncut if at == Cut() else self.table.at(at)

    def scores(self, at: Cut) -> GraphScores:
        return self.compared(at).scores

    def node_curve(self, at: Cut) -> SweepCurve:
        """The scores over the node threshold at a link threshold."""
        if at.links == EVERYTHING:
            return self.curves[0]
        return node_curve(
            self.reference, self.system, undirected=self.undirected, links_at=at.links
        )

    def link_curve(self, at: Cut) -> SweepCurve:
        """The scores over the link threshold at a node threshold."""
        if at.nodes == EVERYTHING:
            return self.curves[1]
        return link_curve(
            self.reference, self.system, undirected=self.undirected, nodes_at=at.nodes
        )

    def explain(self, one: Explained, shown: Comparison, at: Cut) -> Reason:
        """Why a node or link is counted as it is, or why it is not counted at all."""
        evidence = Evidence(
            shown, self.reference, self.whole, self.named, self.world, self.system, at
        )
        return why(one, evidence)

    def kind_of(self, file: FileName) -> str:
        """What the journal says an image is: base, donor, interim, final, or nothing."""
        node = self.journal_node(file)
        return "" if node is None else node.kind

    def journal_node(self, file: FileName) -> JournalNode | None:
        """The journal's entry of an image, counted or not."""
        if file in self.unscored.nodes:
            return self.unscored.nodes[file].node
        return self.reference.nodes.get(file) or self.named.get(file)

    def place_in_ranking(self, file: FileName) -> str:
        return "" if self.ranking is None else self.ranking.place_of(file)


def known_by_name(comparison: Comparison) -> Comparison:
    """The same with its indexes and scores made: here, not when the window first asks for them."""
    assert comparison.by_file is not None
    assert comparison.by_ends is not None
    assert comparison.scores is not None
    return comparison


def load_graph(request: GraphRequest, check: StopCheck) -> GraphDocument:
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
            f"The graph of probe {trial.id} cannot be drawn",
            where=trial.journal_file,
            hint="; ".join(problem.message for problem in log),
        )
    check()
    answer = reader.system_graph(trial)
    system = reader.compared_part(answer, trial, direct=settings.direct)
    table = ThresholdTable(reference, system, undirected=settings.undirected)
    uncut = known_by_name(table.at(Cut()))
    named = reader.named_nodes(trial)
    ranked = _ranked(reader, trial, answer, settings)
    lengths = cuts(settings.rules, request.task.edition)
    return GraphDocument(
        request=request,
        trial=trial,
        journal=journal,
        reference=reference,
        whole=whole,
        named=named,
        world=reader.world_files(trial),
        system=system,
        table=table,
        uncut=uncut,
        curves=(
            node_curve(reference, system, undirected=settings.undirected),
            link_curve(reference, system, undirected=settings.undirected),
        ),
        drawing=_drawing(Sources(uncut, journal, named), request, log, check),
        ranking=None if ranked is None else ranking_of(ranked, lengths),
        problems=log.freeze(),
    )


def placed_anew(document: GraphDocument, request: GraphRequest, check: StopCheck) -> GraphDocument:
    """The same trial in another layout, or with or without its journal; nothing is read again."""
    log = ProblemLog()
    sources = Sources(document.uncut, document.journal, document.named)
    drawing = _drawing(sources, request, log, check)
    problems = tuple(dict.fromkeys((*document.problems, *log)))
    return replace(document, request=request, drawing=drawing, problems=problems)


def _drawing(sources: Sources, request: GraphRequest, log: ProblemLog, check: StopCheck) -> Drawing:
    return draw(sources, request.layout, shows_journal=request.shows_journal, log=log, check=check)


def _trial(request: GraphRequest, log: ProblemLog) -> ProvenanceTrial:
    # Looking at a graph, trials that would be dropped from the means are still of interest.
    listed = list_trials(request.task, request.submission, rules=request.settings.rules, log=log)
    found = [trial for trial in listed if trial.id == request.trial_id]
    if not found:
        raise ScoringError(
            f"Probe {request.trial_id} is not scored",
            where=request.submission.name,
            hint="; ".join(p.message for p in log if p.trial == request.trial_id),
        )
    return next((trial for trial in found if trial.output_file == request.answer), found[0])


def _ranked(
    reader: ProvenanceReader,
    trial: ProvenanceTrial,
    answer: SystemGraph,
    settings: ProvenanceSettings,
) -> ScoredRanking | None:
    wanted = reader.wanted(trial)
    if wanted is None:
        return None
    return ScoredRanking(trial, ranking(answer.nodes, rules=settings.rules), wanted)


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
    task: Task, submission: Submission, settings: ProvenanceSettings, check: StopCheck
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
        answer = reader.system_graph(trial)
        system = reader.compared_part(answer, trial, direct=settings.direct)
        scores = None
        if reference is not None:
            scores = compare(reference, system, undirected=settings.undirected).scores
        ranked = _ranked(reader, trial, answer, settings)
        recalls = tuple(recall.value for recall in ranked.recalls(lengths)) if ranked else ()
        lines.append(TrialScore(trial, scores, recalls, lengths))
    return tuple(sorted(lines, key=lambda line: (line.badness, line.trial.id)))
