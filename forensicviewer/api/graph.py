"""Provenance graphs as networkx knows them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from forensicviewer.api.arguments import choices_of, make_settings, require
from forensicviewer.api.dataset import Submission
from forensicviewer.api.trial import find_trial
from forensicviewer.app.provenance.run import ProvenanceRun
from forensicviewer.app.provenance.scoring import MEASURES, score_graph
from forensicviewer.app.provenance.settings import ProvenanceSettings
from forensicviewer.core.graph.network import network_of
from forensicviewer.core.graph.provenance import world_id
from forensicviewer.core.problem import ScoringError

if TYPE_CHECKING:
    import networkx as nx

    from forensicviewer.api.dataset import Task


def provenance_graph(
    task: Task,
    submission: Submission,
    trial_id: str,
    *,
    rules: str = "mediscore",
    rule: str | Iterable[str] = (),
    direct: bool = False,
    undirected: bool = False,
) -> nx.DiGraph[str]:
    """The reference's and the system's graph of one probe in one, as they are scored.

    Nodes are the file names of images, edges lead from an image to what was made of it. All have
    an ``outcome``, NIST's word ``"Correct"``, ``"Missing"`` or ``"FalseAlarm"``, and the
    ``confidence`` the system gave. Nodes have an ``id`` (NIST's WorldFileID), a ``role``
    (``"probe"``, ``"base"``, ``"donor"``, ``"interim"``, ``"final"``) and a ``journal_node``; edges
    have an ``operation``, and ``reversed`` where an undirected match runs the other way. What is
    not known is absent. ``graph.graph`` holds the ``probe`` and its scores, as
    ``graph.graph["SimNLO"]``. All of it can be written by ``networkx.write_graphml``.

    ``rules``, ``rule``, ``direct`` and ``undirected`` mean what they mean for :func:`score`.
    """
    options = {"rules": rules, "rule": choices_of(rule, scorer="provenance")}
    directions = {"direct": direct, "undirected": undirected}
    settings = make_settings(ProvenanceSettings.from_options, options | directions)
    asked = find_trial(task, trial_id)
    require(submission, Submission, hint="task.open_submission(path) returns one")
    run = ProvenanceRun.of(task.model, submission.model, settings)
    trial = next((trial for trial in run.trials if trial.id == asked.id), None)
    scored = None if trial is None else score_graph(run.reader, trial, settings)
    if trial is None or scored is None:
        raise ScoringError(
            f"Probe {trial_id} is not scored",
            where=submission.path,
            hint="; ".join(problem.message for problem in run.log if problem.trial == asked.id),
        )
    graph = network_of(scored.comparison, named=run.reader.named_nodes(trial))
    for file, facts in graph.nodes(data=True):
        facts["id"] = world_id(file)
    measured = {name: measure(scored.scores) for name, measure in MEASURES}
    graph.graph |= {name: value for name, value in measured.items() if value is not None}
    return graph
