"""Looking at provenance graphs without a window: what is shown, selected, folded and moved.

A :class:`GraphReview` holds one frozen :class:`GraphState`, changes it on request and tells its
listeners what changed, as the workbench does for images.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import TypeAlias

import numpy as np

from forensicviewer.app.graph.document import (
    GraphDocument,
    GraphRequest,
    TrialScore,
    known_by_name,
    load_graph,
    placed_anew,
    score_all,
)
from forensicviewer.app.graph.drawing import LayoutKind
from forensicviewer.app.graph.moves import Moves, Position, Positions
from forensicviewer.app.graph.state import Focus, GraphChange, GraphState, Selected
from forensicviewer.app.language.words import tr
from forensicviewer.app.provenance.settings import ProvenanceSettings
from forensicviewer.app.runtime.jobs import Jobs, Lane, Ticket
from forensicviewer.app.runtime.memory import keep, unsearched
from forensicviewer.app.runtime.observed import Observed
from forensicviewer.core.graph.fold import donors_by_target, folded_away
from forensicviewer.core.graph.provenance import (
    Comparison,
    FileName,
    LinkKey,
    LinkMatch,
    Match,
    NodeMatch,
)
from forensicviewer.core.graph.reason import Explained, shortest_way
from forensicviewer.core.graph.sweep import Cut
from forensicviewer.core.graph.walk import along, beside
from forensicviewer.core.model import Submission, Task
from forensicviewer.core.problem import ForensicViewerError, Problem
from forensicviewer.core.rules import RuleSet

_GRAPH_LANE = Lane("graph")
_TABLE_LANE = Lane("graphs")
_CUT_LANE = Lane("graph-cut")

# Larger answers take longer to compare than a slider may take for a step.
LIVE_UP_TO = 10_000
LARGE = 20_000  # images and links that are many objects to look through for garbage
PICTURE_LANE = Lane("graph-picture")

OnProblems: TypeAlias = Callable[[tuple[Problem, ...]], None]


class GraphReview(Observed[GraphState, GraphChange]):
    """Holds the state of the graph page and changes it."""

    def __init__(self, jobs: Jobs, *, on_problems: OnProblems | None = None) -> None:
        self.jobs = jobs
        self._on_problems = on_problems
        super().__init__(GraphState())
        self._task: Task | None = None
        self.related: tuple[Task, ...] = ()
        self._submission: Submission | None = None
        self._trial_id: str | None = None
        self._answer = ""
        self._is_table_due = False
        jobs.watch(self._hear_of_jobs)
        self.moves = Moves()
        self._places: Positions = {}
        self._places_of: GraphDocument | None = None

    @property
    def task(self) -> Task | None:
        return self._task

    # Opening

    def show(
        self,
        task: Task,
        submission: Submission | None,
        trial_id: str | None = None,
        *,
        related: tuple[Task, ...] = (),
    ) -> None:
        """Look at a task through one submission; ``related`` are all tasks of the dataset."""
        self._task, self._submission = task, submission
        self.related = related
        self._trial_id = trial_id or (str(task.trials.ids()[0]) if len(task.trials) else None)
        self._answer = ""
        self._is_table_due = True
        self._load()

    def open_trial(self, trial_id: str, answer: str = "") -> None:
        """Look at a probe; ``answer`` is the file of one of its answers where it has several."""
        if (trial_id, answer) != (self._trial_id, self._answer):
            self._trial_id, self._answer = trial_id, answer
            self._load()

    def set_condition(self, *, direct: bool | None = None, undirected: bool | None = None) -> None:
        """Ask for another part of the graph, or for links without direction."""
        before = self._state.settings
        self._change_settings(
            replace(
                before,
                direct=before.direct if direct is None else direct,
                undirected=before.undirected if undirected is None else undirected,
            )
        )

    def set_rules(self, rules: RuleSet) -> None:
        """Score by another rule set."""
        self._change_settings(replace(self._state.settings, rules=rules))

    def _change_settings(self, settings: ProvenanceSettings) -> None:
        if settings != self._state.settings:
            self._set(GraphChange.LOADING, replace(self._state, settings=settings))
            self._is_table_due = True
            self._load()

    def set_layout(self, kind: LayoutKind) -> None:
        if kind is not self._state.layout:
            self._set(GraphChange.LOADING, replace(self._state, layout=kind))
            self._load()

    def show_journal(self, *, on: bool) -> None:
        """Draw the journal's images that do not count, or leave them out."""
        if on is not self._state.shows_journal:
            self._set(GraphChange.LOADING, replace(self._state, shows_journal=on))
            self._load()

    def _load(self) -> None:
        if self._task is None or self._trial_id is None:
            self._score_all_if_due()
            return
        if self._submission is None:
            self._fail(ForensicViewerError(tr("Open a submission to see its graph")))
            return
        state, known = self._state, self._state.document
        request = GraphRequest(
            self._task,
            self._submission,
            self._trial_id,
            state.settings,
            state.layout,
            state.shows_journal,
            self._answer,
        )
        self._set(GraphChange.LOADING, replace(self._state, is_loading=True, failure=""))
        self.jobs.cancel(_GRAPH_LANE)
        if known is not None and known.request.asks_same(request):
            work = partial(_placed, known, request)
        else:
            work = partial(_loaded, request)
        self.jobs.submit_long(
            _GRAPH_LANE,
            work,
            self._show_document,
            title=tr("Laying out the graph of {trial}", trial=self._trial_id),
            on_error=self._fail,
            on_cancel=lambda: self._fail(ForensicViewerError(tr("Cancelled"))),
        )

    def _show_document(self, document: GraphDocument) -> None:
        if document.trial.id != self._trial_id:
            return
        before = self._state.document
        is_same = before is not None and before.trial.id == document.trial.id
        keeps = is_same and self._state.selected is not None
        self.moves.clear()
        self._put(
            ~GraphChange.TABLE,
            replace(
                self._state,
                document=document,
                comparison=document.compared(self._state.cut),
                selected=self._state.selected if keeps else None,
                second=None,
                folded=self._state.folded if is_same else frozenset(),
                moved={},
                found=(),
                is_loading=False,
                failure="",
            ),
        )
        self._fold(self._state.folded)
        if self._on_problems is not None:
            self._on_problems(document.problems)
        self._score_all_if_due()

    def _fail(self, error: BaseException) -> None:
        if not isinstance(error, ForensicViewerError):
            raise error
        self._set(
            ~GraphChange.TABLE,
            replace(
                self._state,
                document=None,
                comparison=None,
                selected=None,
                is_loading=False,
                failure=str(error),
            ),
        )
        self._score_all_if_due()

    def _score_all_if_due(self) -> None:
        """Fill the table of all trials once the graph is drawn: that is what the user waits for."""
        if self._is_table_due and not self.jobs.is_busy(PICTURE_LANE):
            self._is_table_due = False
            self._score_all()

    def _hear_of_jobs(self) -> None:
        if self._is_table_due and not any(map(self.jobs.is_busy, (_GRAPH_LANE, PICTURE_LANE))):
            self.jobs.soon(self._score_all_if_due)

    def _score_all(self) -> None:
        task, submission, settings = self._task, self._submission, self._state.settings
        if task is None or submission is None:
            self._set(GraphChange.TABLE, replace(self._state, table=()))
            return
        self.jobs.submit_long(
            _TABLE_LANE,
            partial(_all_scored, task, submission, settings),
            lambda table: self._set(GraphChange.TABLE, replace(self._state, table=table)),
            title=tr("Scoring all graphs"),
            on_error=lambda _error: self._set(GraphChange.TABLE, replace(self._state, table=())),
        )

    # Thresholds

    def set_cut(self, *, nodes: float | None = None, links: float | None = None) -> None:
        """Leave out what the system is less sure of.

        Scores follow at once; those of very large graphs are made in the background.
        """
        before = self._state.cut
        at = Cut(
            nodes=before.nodes if nodes is None else nodes,
            links=before.links if links is None else links,
        )
        document = self._state.document
        if at == before:
            return
        if document is None or len(document.system.nodes) <= LIVE_UP_TO:
            shown = None if document is None else document.compared(at)
            self._put(GraphChange.MATCHES, replace(self._state, cut=at, comparison=shown))
            return
        self._set(GraphChange.LOADING, replace(self._state, cut=at))
        self.jobs.submit(
            _CUT_LANE,
            lambda: (at, known_by_name(document.compared(at))),
            lambda made: self._show_cut(*made),
            title=tr("Scoring the graph"),
        )

    def _show_cut(self, at: Cut, comparison: Comparison) -> None:
        if at == self._state.cut:
            self._put(GraphChange.MATCHES, replace(self._state, comparison=comparison))

    # Selection

    def select(self, selected: Selected) -> None:
        """Select a node by file name or a link by its ends."""
        self._set(GraphChange.SELECTION, replace(self._state, selected=selected, second=None))

    def select_second(self, file: FileName) -> None:
        """Compare the selected node with another one; the way between them is shown."""
        if isinstance(self._state.selected, str) and file != self._state.selected:
            self._set(GraphChange.SELECTION, replace(self._state, second=file))
        else:
            self.select(file)

    def select_probe(self) -> None:
        if self._state.document is not None:
            self.select(self._state.document.merged.probe)

    def set_focus(self, focus: Focus) -> None:
        self._set(GraphChange.SHOWN, replace(self._state, focus=focus))

    def explanation(self) -> str:
        """Why the selection counts as it does; blank without one."""
        return explanation_of(self._state)

    def selected_match(self) -> Explained | None:
        """The selected node or link, counted or not."""
        return _selected_in(self._state)

    @property
    def _drawn_links(self) -> list[LinkKey]:
        """The ends of all drawn links that count now or never do."""
        document, links = self._state.document, self._state.links
        if document is None:
            return []
        counted = (link.ends for link in document.merged.links)
        return [*(ends for ends in counted if ends in links), *document.unscored.links]

    def _links_of(self, file: FileName) -> list[LinkKey]:
        """The drawn links of one node."""
        document, links = self._state.document, self._state.links
        if document is None:
            return []
        known = document.drawing.links_of.get(file, ())
        return [ends for ends in known if ends in links or ends in document.unscored.links]

    @property
    def _drawn_nodes(self) -> list[FileName]:
        document, nodes = self._state.document, self._state.nodes
        if document is None:
            return []
        counted = (node.file for node in document.merged.nodes)
        return [*(file for file in counted if file in nodes), *document.unscored.nodes]

    def pair(self) -> tuple[FileName, FileName] | None:
        """The two images to compare: the ends of a link, two nodes, or a node and the probe."""
        state = self._state
        if state.document is None or state.selected is None:
            return None
        if isinstance(state.selected, tuple):
            return state.selected
        other = state.second or state.document.merged.probe
        return (state.selected, other) if state.second else (other, state.selected)

    def way(self) -> tuple[FileName, ...]:
        """The way shown: between two selected nodes, or from the selection to the probe."""
        state = self._state
        if state.document is None or not isinstance(state.selected, str):
            return ()
        if state.second is None and state.focus is not Focus.PATH:
            return ()
        target = state.second or state.document.merged.probe
        # Through what does not count only where nothing else leads there.
        return shortest_way(state.links, state.selected, target, directed=False) or shortest_way(
            self._drawn_links, state.selected, target, directed=False
        )

    def bright(self) -> frozenset[FileName] | None:
        """The nodes that stay bright; ``None`` where all do."""
        state = self._state
        if state.selected is None or state.comparison is None:
            return None
        if state.second is not None or state.focus is Focus.PATH:
            way = self.way()
            return frozenset(way) if way else None
        if state.focus is Focus.NEIGHBOURS:
            ends = {state.selected} if isinstance(state.selected, str) else set(state.selected)
            near = {name for end in ends for x in self._links_of(end) for name in x}
            return frozenset(near | ends)
        return None

    # Differences

    def differences(self) -> list[FileName | LinkKey]:
        """Missed and invented nodes, then links, in the order they stand on the page."""
        state, nodes, links = self._state, self._state.nodes, self._state.links
        wrong = [name for name in self._drawn_nodes if name in nodes and _is_wrong(nodes[name])]
        steps = [ends for ends in self._drawn_links if ends in links and _is_wrong(links[ends])]
        wrong = [name for name in wrong if name not in state.hidden]
        steps = [x for x in steps if x[0] not in state.hidden and x[1] not in state.hidden]
        return [
            *sorted(wrong, key=self.place_of),
            *sorted(steps, key=lambda ends: (self.place_of(ends[0]), self.place_of(ends[1]))),
        ]

    def step_difference(self, step: int) -> None:
        """Select the next or previous difference, round and round."""
        listed = self.differences()
        if listed:
            selected = self._state.selected
            now = listed.index(selected) if selected in listed else (-1 if step > 0 else 0)
            self.select(listed[(now + step) % len(listed)])

    def set_only_differences(self, *, on: bool) -> None:
        self._set(GraphChange.SHOWN, replace(self._state, only_differences=on))

    # Walking

    def walk(self, dx: int, dy: int) -> None:
        """Go along a link to the right or left, or to the next node above or below."""
        state = self._state
        if state.document is None:
            return
        if isinstance(state.selected, tuple):
            self.select(state.selected[0 if dx < 0 else 1])
        elif state.selected is None:
            self.select_probe()
        else:
            reached = self._next_to(state.selected, dx, dy)
            if reached is not None:
                self.select(reached)

    def _next_to(self, file: FileName, dx: int, dy: int) -> FileName | None:
        hidden = self._state.hidden
        if dx:
            links = [x for x in self._links_of(file) if x[0] not in hidden and x[1] not in hidden]
            return along(links, file, to_the=dx, place_of=self.place_of)
        drawn = [name for name in self._drawn_nodes if name not in hidden]
        places, moved = self.places, self._state.moved
        points = np.array([moved.get(name) or places[name] for name in drawn]).reshape(-1, 2)
        reached = beside(points, self.place_of(file), to_the=dy)
        return None if reached is None else drawn[reached]

    # Folding

    def toggle_fold(self, file: FileName) -> None:
        """Fold away the donors of a node, or bring them back."""
        self._fold(self._state.folded ^ {file})

    def fold_donors(self, *, on: bool) -> None:
        """Fold away all donors, or bring all back."""
        document = self._state.document
        targets: Iterable[FileName] = ()
        if on and document is not None:
            targets = donors_by_target(document.merged, document.unscored)
        self._fold(frozenset(targets))

    def _fold(self, folded: frozenset[FileName]) -> None:
        document = self._state.document
        hidden: Mapping[FileName, FileName] = {}
        if document is not None and folded:
            hidden = folded_away(document.merged, sorted(folded), document.unscored)
        state = replace(self._state, folded=folded, hidden=hidden)
        selected = state.selected
        touched = {selected} if isinstance(selected, str) else set(selected or ())
        if touched & set(hidden):
            state = replace(state, selected=hidden[next(iter(touched & set(hidden)))])
        self._set(GraphChange.SHOWN | GraphChange.SELECTION, state)

    # Search

    def search(self, text: str) -> None:
        """Find nodes by any part of their id, name or journal node, and select the first."""
        words = text.strip().lower()
        document = self._state.document
        found: tuple[FileName, ...] = ()
        if words and document is not None:
            listed = zip(document.drawing.names, document.drawing.words, strict=True)
            found = tuple(name for name, held in listed if words in held)
        self._set(GraphChange.SEARCH, replace(self._state, search=text, found=found))
        if found and self._state.selected not in found:
            self.select(found[0])

    def next_found(self) -> None:
        found = self._state.found
        if found:
            selected = self._state.selected
            now = found.index(selected) if selected in found else -1
            self.select(found[(now + 1) % len(found)])

    # Positions

    def place_of(self, file: FileName) -> Position:
        """The place of a node, moved or not."""
        if file in self._state.moved:
            return self._state.moved[file]
        places = self.places
        return places.get(file, (0.0, 0.0))

    @property
    def places(self) -> Positions:
        """Where the layout put every node."""
        document = self._state.document
        if document is None:
            return {}
        if self._places_of is not document:
            points = document.drawing.layout.points.tolist()
            self._places = {
                name: (x, y) for name, (x, y) in zip(document.drawing.names, points, strict=True)
            }
            self._places_of = document
        return self._places

    def move(self, file: FileName, place: Position) -> None:
        """Put a node somewhere else; one step to undo."""
        if place != self.place_of(file):
            self.moves.make(self._state.moved)
            self._place({**self._state.moved, file: place})

    def _place(self, moved: Mapping[FileName, Position]) -> None:
        self._set(GraphChange.PLACES, replace(self._state, moved=moved))

    def undo(self) -> None:
        self._place(self.moves.undo(self._state.moved))

    def redo(self) -> None:
        self._place(self.moves.redo(self._state.moved))


def explanation_of(state: GraphState) -> str:
    """Why what is selected counts as it does; blank without a selection."""
    match = _selected_in(state)
    if match is None or state.document is None or state.comparison is None:
        return ""
    reason = state.document.explain(match, state.comparison, state.cut)
    return tr(reason.because.value, **reason.parts)


def _selected_in(state: GraphState) -> Explained | None:
    if state.document is None or state.selected is None:
        return None
    unscored = state.document.unscored
    if isinstance(state.selected, str):
        return state.nodes.get(state.selected) or unscored.nodes.get(state.selected)
    return state.links.get(state.selected) or unscored.links.get(state.selected)


def _loaded(request: GraphRequest, ticket: Ticket) -> GraphDocument:
    with unsearched():
        document = load_graph(request, ticket.check)
    if len(document.system.nodes) + len(document.system.links) > LARGE:
        keep()
    return document


def _all_scored(
    task: Task, submission: Submission, settings: ProvenanceSettings, ticket: Ticket
) -> tuple[TrialScore, ...]:
    with unsearched():
        return score_all(task, submission, settings, ticket.check)


def _placed(document: GraphDocument, request: GraphRequest, ticket: Ticket) -> GraphDocument:
    return placed_anew(document, request, ticket.check)


def _is_wrong(match: NodeMatch | LinkMatch) -> bool:
    return match.match is not Match.MATCHED
