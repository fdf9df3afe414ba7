"""Reads what a provenance trial needs: the journal, the reference graph and the system's answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any

from forensicviewer.app.provenance.trials import PROBE, ProvenanceTrial, required
from forensicviewer.core.cached import cached_property
from forensicviewer.core.graph.filtering import PROBE_TYPE, Wanted
from forensicviewer.core.graph.provenance import (
    JournalNode,
    ProvenanceJournal,
    ReferenceGraph,
    ReferenceRules,
    SystemGraph,
    find_cycle,
    reduced_to_direct,
    reference_graph,
    scored_links,
)
from forensicviewer.core.model import Submission, Task
from forensicviewer.core.problem import LINKS, ForensicViewerError, ProblemLog, ScoringError
from forensicviewer.core.rules import RuleSet
from forensicviewer.core.rules import provenance as switches
from forensicviewer.core.table.text_table import Table
from forensicviewer.sources.files.paths import resolve, resolve_inside
from forensicviewer.sources.tables.provenance_documents import read_journal, read_system_graph

WORLD = "WorldFileID"
WORLD_FILE = "WorldFileName"
NODE = "JournalNodeID"


class ProvenanceReader:
    """Reads documents of one task and one submission; each journal once."""

    def __init__(
        self,
        task: Task,
        submission: Submission,
        *,
        rules: RuleSet,
        log: ProblemLog,
        needs_links: bool = True,
    ) -> None:
        self._root = Path(task.root)
        self._answer_root = Path(submission.root)
        self._rules = rules
        self._log = log
        self._needs_links = needs_links
        self._nodes = required(task.nodes, "node table", (PROBE, WORLD, WORLD_FILE, NODE))
        self._pools = _pools(task)
        self._world = _world(task, self._nodes, log)
        self._journals: dict[str, ProvenanceJournal | None] = {}

    def journal(self, trial: ProvenanceTrial) -> ProvenanceJournal | None:
        """The trial's journal; ``None``, and reported, where it cannot be read."""
        name = trial.journal_file
        if name not in self._journals:
            self._journals[name] = self._read_journal(name, self._log.about(trial.id))
        return self._journals[name]

    def system_graph(self, trial: ProvenanceTrial, *, direct: bool = False) -> SystemGraph:
        """The part of the system's answer that is compared; empty where there is none."""
        answer = self._read_answer(trial) if trial.has_answer else SystemGraph()
        return self.compared_part(answer, trial, direct=direct)

    def compared_part(
        self, graph: SystemGraph, trial: ProvenanceTrial, *, direct: bool
    ) -> SystemGraph:
        """What of a system's answer is compared under a condition."""
        if direct and self._rules.chooses(switches.DirectSystem.REDUCED):
            return reduced_to_direct(graph, probe=trial.probe_file)
        return graph

    def reference(self, trial: ProvenanceTrial, *, direct: bool) -> ReferenceGraph | None:
        """What the system should return; ``None``, and reported, where that cannot be known."""
        journal = self.journal(trial)
        if journal is None:
            return None
        positions = journal.positions()
        probe = positions.get(self._probe_node(trial) or "")
        if probe is None:
            self._tell_no_probe(trial)
            return None
        kept = self._kept(trial, positions)
        kept[probe] = trial.probe_file
        unlinked = self._rules.chooses(switches.UnlinkedNodes.KEPT)
        rules = ReferenceRules(direct=direct, keeps_unlinked=unlinked)
        try:
            return reference_graph(journal, kept=kept, probe=probe, rules=rules)
        except ScoringError as error:
            self._log.about(trial.id).error(
                error.message, where=trial.journal_file, hint=error.hint, rule=error.rule
            )
            return None

    def named_nodes(self, trial: ProvenanceTrial) -> dict[str, JournalNode]:
        """Every journal node the node table names for the probe, in the world set or not."""
        journal = self.journal(trial)
        if journal is None:
            return {}
        positions = journal.positions()
        named = {}
        for row in self._rows_of.get(trial.id, ()):
            position = positions.get(self._nodes.cell(NODE, row))
            if position is not None:
                named[self._nodes.cell(WORLD_FILE, row)] = journal.nodes[position]
        return named

    def world_files(self, trial: ProvenanceTrial) -> frozenset[str]:
        """The names, in the node table, of the probe's images that are in the world set."""
        rows = self._rows_of.get(trial.id, ())
        offered = self._offered_to(trial)
        in_world = (row for row in rows if self._nodes.cell(WORLD, row) in offered)
        return frozenset(self._nodes.cell(WORLD_FILE, row) for row in in_world)

    def wanted(self, trial: ProvenanceTrial) -> tuple[Wanted, ...] | None:
        """The images a filtering system should find; ``None``, and reported, where unknown."""
        journal = self.journal(trial)
        if journal is None:
            return None
        rows = self._rows_of.get(trial.id, ())
        if trial.probe_file not in {self._nodes.cell(WORLD_FILE, row) for row in rows}:
            self._tell_no_probe(trial)
            return None
        kinds: dict[str, list[str]] = {}
        for node in journal.nodes:
            kinds.setdefault(node.id, []).append(node.kind)
        found: list[Wanted] = []
        for row in rows:
            file, node_id = self._nodes.cell(WORLD_FILE, row), self._nodes.cell(NODE, row)
            times = self._times_offered(trial, self._nodes.cell(WORLD, row), file)
            if times and node_id not in kinds:
                self._tell_unknown_node(node_id, row, trial)
            found += [Wanted(file, kind, node_id) for kind in kinds.get(node_id, ())] * times
        return self._with_probe(trial, found)

    def _with_probe(self, trial: ProvenanceTrial, found: Sequence[Wanted]) -> tuple[Wanted, ...]:
        listed = list(found)
        if self._rules.chooses(switches.FilteringRows.ONCE):
            listed = list({one.file: one for one in reversed(found)}.values())[::-1]
        is_listed = any(one.file == trial.probe_file for one in listed)
        if is_listed and self._rules.chooses(switches.FilteringProbe.ONCE):
            return tuple(listed)
        return (*listed, Wanted(trial.probe_file, PROBE_TYPE, trial.id))

    def _kept(self, trial: ProvenanceTrial, positions: dict[str, int]) -> dict[int, str]:
        """Positions of the journal nodes in the world set, with their file names."""
        takes_any = self._rules.chooses(switches.NodeNames.ANY_JOURNAL)
        kept: dict[int, str] = {}
        offered = self._offered_to(trial)
        for row in self._rows_of.get(trial.id, ()):
            if self._nodes.cell(WORLD, row) not in offered:
                continue
            node_id = self._nodes.cell(NODE, row)
            if node_id not in positions:
                self._tell_unknown_node(node_id, row, trial)
                continue
            own = self._nodes.cell(WORLD_FILE, row)
            kept[positions[node_id]] = self._any_name[node_id] if takes_any else own
        return kept

    def _probe_node(self, trial: ProvenanceTrial) -> str | None:
        """The journal node of the probe, by its id among the world files."""
        rows = self._rows_by_world.get(trial.id, ())
        if self._rules.chooses(switches.NodeNames.OWN_PROBE):
            own = [row for row in rows if self._nodes.cell(PROBE, row) == trial.id]
            rows = own or rows
        return self._nodes.cell(NODE, rows[0]) if rows else None

    def _offered_to(self, trial: ProvenanceTrial) -> Collection[str]:
        """The ids of the images a system could choose from: of the probe's pool, or the world."""
        return self._pools.get(trial.id) or self._world_ids

    def _times_offered(self, trial: ProvenanceTrial, world: str, file: str) -> int:
        pool = self._pools.get(trial.id)
        return self._world_files[world, file] if pool is None else int(world in pool)

    @cached_property
    def _rows_of(self) -> dict[str, list[int]]:
        return _rows_by(self._nodes, PROBE)

    @cached_property
    def _rows_by_world(self) -> dict[str, list[int]]:
        return _rows_by(self._nodes, WORLD)

    @cached_property
    def _world_ids(self) -> set[str]:
        return set(self._world[WORLD])

    @cached_property
    def _world_files(self) -> Counter[tuple[str, str]]:
        listed = zip(self._world[WORLD], self._world[WORLD_FILE], strict=True)
        # Standing in for the world, the node table lists an image once for each of its probes.
        return Counter(set(listed) if self._world is self._nodes else listed)

    @cached_property
    def _any_name(self) -> dict[str, str]:
        """File name by journal node id over all journals, the last row in pandas' order."""
        return {
            self._nodes.cell(NODE, row): self._nodes.cell(WORLD_FILE, row)
            for world, rows in self._rows_by_world.items()
            if world in self._world_ids
            for row in rows
        }

    def _read_journal(self, name: str, problems: ProblemLog) -> ProvenanceJournal | None:
        try:
            journal = read_journal(resolve(self._root, name), name=name, log=problems)
        except ForensicViewerError as error:
            if error.rule == LINKS:
                problems.add(error.as_problem())
                return None
            problems.error(
                f"The journal cannot be used, so its trials are not scored: {error.message}",
                where=name,
                hint=error.hint,
                rule=error.rule,
            )
            return None
        ends = ((journal.links[i].source, journal.links[i].target) for i in scored_links(journal))
        cycle = [journal.nodes[i].id for i in find_cycle(ends)]
        _tell_cycle(cycle, "The journal", name, problems)
        return journal

    def _read_answer(self, trial: ProvenanceTrial) -> SystemGraph:
        name, problems = trial.output_file, self._log.about(trial.id)
        try:
            graph = read_system_graph(
                resolve_inside(self._answer_root, name),
                name=name,
                log=problems,
                needs_links=self._needs_links,
            )
        except ForensicViewerError as error:
            problems.error(
                f"Probe {trial.id} is scored as an empty answer: {error.message}",
                where=name,
                hint=error.hint,
                rule=error.rule,
            )
            return SystemGraph()
        self._tell_outside_pool(graph, trial)
        if self._needs_links:
            _tell_cycle(find_cycle(graph.by_ends()), "The system graph", name, problems)
        return graph

    def _tell_outside_pool(self, graph: SystemGraph, trial: ProvenanceTrial) -> None:
        pool = self._pools.get(trial.id)
        known = set() if pool is None else {*pool.values(), trial.probe_file}
        outside = [node.file for node in graph.nodes if node.file not in known] if pool else []
        if outside:
            self._log.about(trial.id).warn(
                f"{len(outside)} images of the answer are outside the pool of the probe: "
                f"{outside[0]}",
                where=trial.output_file,
                hint="an oracle filter offers only the images of the pool (MFC2019 plan, 2.1.4.2)",
                rule="provenance.outside-pool",
            )

    def _tell_no_probe(self, trial: ProvenanceTrial) -> None:
        self._log.about(trial.id).error(
            f"Probe {trial.id} is missing from the node table or its journal, so it is not scored",
            where=self._nodes.name,
            rule="provenance.no-probe",
        )

    def _tell_unknown_node(self, node_id: str, row: int, trial: ProvenanceTrial) -> None:
        self._log.about(trial.id).error(
            f"Node {node_id} is missing from the journal {trial.journal_file} and is ignored",
            where=self._nodes.where(row),
            rule="provenance.unknown-node",
        )


def _tell_cycle(cycle: Sequence[Any], what: str, where: str, log: ProblemLog) -> None:
    if cycle:
        shown = " → ".join(str(node) for node in (*cycle[:6], cycle[0]))
        log.error(
            f"{what} contains a cycle: {shown}",
            where=where,
            hint="it is scored unchanged; NIST's program may stop here",
            rule="provenance.cycle",
        )


def _pools(task: Task) -> dict[str, dict[str, str]]:
    """By probe, the images NIST's oracle filter offers: file names by world id."""
    if task.pools is None:
        return {}
    table = required(task.pools, "pool table", (PROBE, WORLD, WORLD_FILE))
    found: dict[str, dict[str, str]] = {}
    for probe, world, file in zip(table[PROBE], table[WORLD], table[WORLD_FILE], strict=True):
        found.setdefault(probe, {})[world] = file
    return found


def _world(task: Task, nodes: Table, log: ProblemLog) -> Table:
    if task.world is None and task.pools is not None:
        return nodes
    if task.world is None:
        # Neither plan lists one among the files of a dataset (3.6).
        log.note(
            "The dataset has no world table, so every image of the node table counts as a "
            "world image",
            where=nodes.name,
            hint="name it with --world FILE",
            rule="provenance.no-world",
        )
        return nodes
    return required(task.world, "world table", (WORLD, WORLD_FILE))


def _rows_by(table: Table, column: str) -> dict[str, list[int]]:
    rows: dict[str, list[int]] = {}
    cells: Iterable[str] = table[column]
    for row, cell in enumerate(cells):
        rows.setdefault(cell, []).append(row)
    return rows
