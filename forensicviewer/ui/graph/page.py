"""The page of the provenance tasks: graph, scores, images, ranking and the table of trials."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtGui import QImage, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QLineEdit,
    QSplitter,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from forensicviewer.app.graph.drawing import LayoutKind
from forensicviewer.app.graph.media import read_alone, read_pair
from forensicviewer.app.graph.pair import laid_out
from forensicviewer.app.graph.review import GraphReview
from forensicviewer.app.graph.state import Focus, GraphChange, GraphState
from forensicviewer.app.language.words import labelled, tr, tr_many, whole
from forensicviewer.app.runtime.jobs import Lane
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.app.workbench.loaded_trial import LoadedTrial
from forensicviewer.app.workbench.scope import Scope
from forensicviewer.app.workbench.state import Change, CompareMode, ViewState
from forensicviewer.core.model import TaskKind, TrialId
from forensicviewer.core.rules import RULE_SETS, RuleSet
from forensicviewer.core.rules.provenance import GRAPH_SWITCHES
from forensicviewer.ui.graph.canvas import GraphCanvas
from forensicviewer.ui.graph.files import KINDS, content_of, export_graph, picture_of
from forensicviewer.ui.graph.filtering import FilteringView
from forensicviewer.ui.graph.image_pair import ImagePair, toggle_button
from forensicviewer.ui.graph.panel import GraphPanel
from forensicviewer.ui.graph.trials import TrialsView
from forensicviewer.ui.panes.grid import PaneGrid
from forensicviewer.ui.widgets.elided import ElidedBox
from forensicviewer.ui.widgets.explanation_strip import ExplanationStrip
from forensicviewer.ui.widgets.flow import FlowRow, together
from forensicviewer.ui.widgets.page import Handler, MenuChoices, Page
from forensicviewer.ui.widgets.plain_text import PlainLabel
from forensicviewer.ui.widgets.save_dialog import ask_where, opened_places, write_in_background

_PAIR_LANE = Lane("graph-pair")

_ZOOM_STEP = 1.4
# A bar in one line, in a window of 1280 pixels and in every language.
_SEARCH_PX = 130
_LETTERS, _BESIDE_WORDS_PX = 11, 44  # of a choice
_SHARE_OF_THE_GRAPH, _SHARE_BESIDE_A_LIST = 0.58, 0.42  # of the height


class GraphBar(QWidget):
    """Above the graph: search, conditions, layout, focus and folding."""

    def __init__(
        self,
        review: GraphReview,
        choose_rules: Callable[[RuleSet], None],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.search = QLineEdit()
        self.search.setPlaceholderText(tr("Find image"))
        self.search.setAccessibleName(tr("Find image"))
        self.search.setClearButtonEnabled(True)
        self.search.textChanged.connect(review.search)
        self.search.returnPressed.connect(review.next_found)
        self.found = PlainLabel("")
        self.found.setProperty("role", "muted")
        self._make_toggles(review)
        self.layout_kind = _choice(tr("Layout"), [tr(kind.value) for kind in LayoutKind])
        self.layout_kind.currentIndexChanged.connect(
            lambda i: review.set_layout(list(LayoutKind)[i])
        )
        self.rules = _choice(tr("Rule set"), [rules.name for rules in RULE_SETS])
        self.rules.currentIndexChanged.connect(lambda i: choose_rules(RULE_SETS[i]))
        self.focus = _choice(tr("Parts that stay bright"), [tr(focus.value) for focus in Focus])
        self.focus.currentIndexChanged.connect(lambda i: review.set_focus(list(Focus)[i]))
        self._lay_out()

    def _make_toggles(self, review: GraphReview) -> None:
        self.direct = toggle_button(
            tr("Direct"), tr("Score only ancestors and descendants of the probe")
        )
        self.direct.toggled.connect(lambda on: review.set_condition(direct=on))
        self.undirected = toggle_button(
            tr("Undirected"), tr("Count a link as found in either direction")
        )
        self.undirected.toggled.connect(lambda on: review.set_condition(undirected=on))
        self.fold = toggle_button(
            tr("Fold donors", context="button"), tr("Hide the donors of every image")
        )
        self.fold.toggled.connect(lambda on: review.fold_donors(on=on))
        self.differences = toggle_button(
            tr("Differences"), tr("Show only missing images and links, and false alarms")
        )
        self.differences.toggled.connect(lambda on: review.set_only_differences(on=on))
        self.journal = toggle_button(
            tr("Journal"), tr("Also draw the images of the journal that are not scored")
        )
        self.journal.toggled.connect(lambda on: review.show_journal(on=on))

    def _lay_out(self) -> None:
        row = FlowRow(self)
        row.setContentsMargins(6, 4, 6, 4)
        row.setSpacing(4)
        # Together as wide as ever: nothing else moves when there is something to count.
        finding = together(self.search, self.found)
        finding.setFixedWidth(_SEARCH_PX)
        row.addWidget(finding)
        row.spring()
        shown = (self.direct, self.undirected, self.differences, self.journal, self.fold)
        for other in shown:
            row.addWidget(other)
        row.addWidget(together(self.focus, self.layout_kind, self.rules))

    def follow(self, state: GraphState) -> None:
        """Show the conditions as they are, however they were changed."""
        pairs = (
            (self.direct, state.settings.direct),
            (self.undirected, state.settings.undirected),
            (self.differences, state.only_differences),
            (self.journal, state.shows_journal),
        )
        for button, on in pairs:
            button.setChecked(on)
        self.focus.setCurrentIndex(list(Focus).index(state.focus))
        self.layout_kind.setCurrentIndex(list(LayoutKind).index(state.layout))
        self.rules.setCurrentIndex(RULE_SETS.index(state.settings.rules))
        self.rules.setToolTip(rules_in_words(state.settings.rules))
        words = tr_many("{count} found", "{count} found", len(state.found))
        self.found.setText(whole(len(state.found)))
        self.found.setToolTip(words)
        self.found.setAccessibleName(words)
        self.found.setVisible(bool(state.search.strip()))


class _Column(QSplitter):
    """Divides its height between graph and tabs, until the user does."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Vertical, parent)
        self._share: float | None = _SHARE_OF_THE_GRAPH
        self.splitterMoved.connect(self._forget_share)

    def divide(self, share: float) -> None:
        """Give the upper part this share from now on."""
        self._share = share
        self._lay_out()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay_out()

    def _lay_out(self) -> None:
        if self._share is not None:
            upper = round(self.height() * self._share)
            self.setSizes([upper, self.height() - upper])

    def _forget_share(self) -> None:
        self._share = None


class GraphDesk(QWidget):
    """Everything about one review on one page; knows no workbench."""

    def __init__(
        self,
        review: GraphReview,
        *,
        choose_trial: Callable[[str], None] | None = None,
        choose_rules: Callable[[RuleSet], None] | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.review = review
        self._choose_trial = choose_trial or review.open_trial
        self._arranged_for: TaskKind | None = None
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        # From the outside in: whatever is put into something else later is styled once more.
        across = self._across = QSplitter(Qt.Orientation.Horizontal, self)
        left = self._left = _Column(across)
        self.bar = GraphBar(review, choose_rules or review.set_rules, self)
        self.canvas = GraphCanvas(review, left)
        self.tabs = QTabWidget(left)
        across.setStretchFactor(0, 1)
        column.addWidget(self.bar)
        column.addWidget(across, 1)
        self.setFocusProxy(self.canvas)
        # A turn of the event loop for each: together they would keep the window waiting.
        self._unmade = deque(
            (
                self._make_panel,
                self._make_pair,
                self._make_ranking,
                self._make_trials,
                self._complete,
            )
        )
        for _ in range(len(self._unmade)):
            review.jobs.soon(self._make_next)

    # Parts: whoever asks for one gets it, made or not

    @property
    def panel(self) -> GraphPanel:
        self._make_all()
        return self._panel

    @property
    def pair(self) -> ImagePair:
        self._make_all()
        return self._pair

    @property
    def ranking(self) -> FilteringView:
        self._make_all()
        return self._ranking

    @property
    def trials(self) -> TrialsView:
        self._make_all()
        return self._trials

    def _make_all(self) -> None:
        while self._unmade:
            self._make_next()

    def _make_next(self) -> None:
        if self._unmade:
            self._unmade.popleft()()

    def _make_panel(self) -> None:
        self._panel = GraphPanel(self.review, self._across)
        self._across.setSizes([1000, 340])

    def _make_pair(self) -> None:
        self._pair = ImagePair(self.review.jobs, self.tabs)
        self._pair.scale_changed = lambda: self._show_pair(self.review.state)
        self.tabs.addTab(self._pair, tr("Images"))

    def _make_ranking(self) -> None:
        self._ranking = FilteringView(self.review, self.canvas)
        self.tabs.addTab(self._ranking, tr("Ranking"))

    def _make_trials(self) -> None:
        self._trials = TrialsView(self.review, self._choose_trial)
        self.tabs.addTab(self._trials, tr("Trials"))

    def _complete(self) -> None:
        self._stop_listening = self.review.subscribe(self._follow)
        self._follow(self.review.state, ~GraphChange(0))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        # Not the search field: arrow keys walk the graph from the start.
        self.canvas.setFocus(Qt.FocusReason.OtherFocusReason)

    def let_go(self) -> None:
        """Stop listening; called once, before the window closes."""
        self._make_all()
        self._stop_listening()
        for part in (self.canvas, self.panel, self.pair, self.ranking, self.trials):
            part.let_go()

    def _follow(self, state: GraphState, change: GraphChange) -> None:
        if change & ~(GraphChange.MATCHES | GraphChange.PLACES | GraphChange.TABLE):
            self.bar.follow(state)
        if change & (GraphChange.SELECTION | GraphChange.DOCUMENT):
            self._show_pair(state)
        if GraphChange.DOCUMENT in change:
            self._arrange()

    def is_comparing(self, mode: CompareMode) -> bool:
        """Whether both images are compared in one way; not before their panes are made."""
        return not self._unmade and self._pair.bench.state.compare.mode is mode

    def _arrange(self) -> None:
        """Give the list the room when it is what is asked for, the graph otherwise."""
        kind = None if self.review.task is None else self.review.task.kind
        if kind is self._arranged_for:
            return
        self._arranged_for = kind
        is_filtering = kind is TaskKind.FILTERING
        self.tabs.setCurrentWidget(self.ranking if is_filtering else self.pair)
        self._left.divide(_SHARE_BESIDE_A_LIST if is_filtering else _SHARE_OF_THE_GRAPH)

    def _show_pair(self, state: GraphState) -> None:
        """Read both images of the selection, or the probe alone, and lay them out."""
        document, task, ends = state.document, self.review.task, self.review.pair()
        if document is None or task is None:
            self.pair.show_pair(None)
            return
        related, is_scaled = self.review.related, self.pair.scaled.isChecked()

        def read() -> LoadedTrial:
            if ends is None:
                return laid_out(read_alone(task, document, document.merged.probe), is_scaled=True)
            pair = read_pair(task, document, ends, related=related)
            return laid_out(pair, is_scaled=is_scaled)

        def show(loaded: LoadedTrial) -> None:
            if self.review.pair() == ends and self.review.state.document is document:
                self.pair.show_pair(loaded)

        self.review.jobs.submit(_PAIR_LANE, read, show, title=tr("Reading images"))


class GraphPage(Page):
    """The desk inside the window: it looks at what the workbench looks at."""

    def __init__(self, workbench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.workbench = workbench
        self.review = GraphReview(workbench.jobs, on_problems=workbench.report)
        self.review.set_rules(workbench.state.rules)
        self.desk = GraphDesk(
            self.review,
            choose_trial=self._choose_trial,
            choose_rules=workbench.set_rules,
            parent=self,
        )
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        self.explanation = ExplanationStrip(workbench, Scope.GRAPH, self.show_manual, self)
        column.addWidget(self.explanation)
        column.addWidget(self.desk, 1)
        self._stop_listening = workbench.subscribe(self._follow)
        self._follow(workbench.state, ~Change(0))

    @property
    def canvas(self) -> GraphCanvas:
        return self.desk.canvas

    def _follow(self, state: ViewState, change: Change) -> None:
        if Change.RULES in change:
            self.review.set_rules(state.rules)
        if state.task is None or not state.task.kind.is_provenance:
            return
        trial_id = None if state.trial_id is None else str(state.trial_id)
        if change & (Change.DATASET | Change.SUBMISSIONS):
            related = () if state.dataset is None else state.dataset.tasks
            self.review.show(state.task, state.submission, trial_id, related=related)
        elif Change.TRIAL in change and trial_id is not None:
            self.review.open_trial(trial_id)

    def _choose_trial(self, trial_id: str) -> None:
        self.workbench.select_trial(TrialId(trial_id))

    def let_go(self) -> None:
        self._stop_listening()
        self.explanation.let_go()
        self.desk.let_go()

    def picture(self, size: QSize | None = None) -> QImage:
        if self.canvas.picture is None:
            return super().picture(size)
        return picture_of(self.canvas.sheet(), size)

    def content(self, ending: str) -> bytes | None:
        return None if self.canvas.picture is None else content_of(self.canvas.sheet(), ending)

    def show_place(self, _place: int | None) -> None:
        """A graph is one place; who asks for it draws it into a file and waits for all of it."""
        self.canvas.is_patient = True

    def handlers(self) -> Mapping[str, Handler]:
        review, canvas = self.review, self.canvas
        return {
            "graph.fit": Handler(lambda: self._viewed().fit()),
            "graph.zoom_in": Handler(lambda: self._viewed().zoom_by(_ZOOM_STEP)),
            "graph.zoom_out": Handler(lambda: self._viewed().zoom_by(1 / _ZOOM_STEP)),
            "graph.probe": Handler(canvas.show_probe),
            "graph.next_error": Handler(lambda: review.step_difference(1)),
            "graph.previous_error": Handler(lambda: review.step_difference(-1)),
            "graph.only_errors": Handler(
                lambda: review.set_only_differences(on=not review.state.only_differences),
                lambda: review.state.only_differences,
            ),
            "graph.undirected": Handler(
                lambda: review.set_condition(undirected=not review.state.settings.undirected),
                lambda: review.state.settings.undirected,
            ),
            "graph.direct": Handler(
                lambda: review.set_condition(direct=not review.state.settings.direct),
                lambda: review.state.settings.direct,
            ),
            **self._look_handlers(),
            **self._pair_handlers(),
            "graph.export": Handler(self.export),
        }

    def _look_handlers(self) -> Mapping[str, Handler]:
        review, bar = self.review, self.desk.bar
        return {
            "graph.find": Handler(self._find),
            "graph.neighbours": self._focus_handler(Focus.NEIGHBOURS),
            "graph.path": self._focus_handler(Focus.PATH),
            "graph.fold": Handler(bar.fold.click, bar.fold.isChecked),
            "graph.journal": Handler(bar.journal.click, bar.journal.isChecked),
            "graph.force": Handler(
                self._turn_layout, lambda: review.state.layout is LayoutKind.FORCE
            ),
        }

    def _pair_handlers(self) -> Mapping[str, Handler]:
        # The images' panes may not be made yet.
        desk = self.desk
        modes = {
            f"graph.{mode.value}": Handler(
                partial(self._compare_by, mode), partial(desk.is_comparing, mode)
            )
            for mode in (CompareMode.BLINK, CompareMode.SWIPE, CompareMode.LENS, CompareMode.FADE)
        }
        return {
            **modes,
            "graph.mask": Handler(lambda: desk.pair.toggle_mask()),
            "graph.contour": Handler(lambda: desk.pair.toggle_contour()),
            "graph.maximise": Handler(lambda: desk.pair.maximise()),
        }

    def _compare_by(self, mode: CompareMode) -> None:
        self.desk.tabs.setCurrentWidget(self.desk.pair)
        self.desk.pair.compare_by(mode)

    def _viewed(self) -> GraphCanvas | PaneGrid:
        """What the keys of zooming mean: the images where one of them has the keyboard."""
        focused = QApplication.focusWidget()
        panes = self.desk.pair.panes
        return panes if focused is not None and panes.isAncestorOf(focused) else self.canvas

    def copy_pixel(self) -> None:
        self.desk.pair.copy_pixel()

    def choices_at(self, place: QPoint) -> MenuChoices:
        """About the image of the graph, or the pixel of an image, that was clicked."""
        panes, canvas = self.desk.pair.panes, self.canvas
        if panes.isVisible() and panes.rect().contains(panes.mapFromGlobal(place)):
            return self.desk.pair.choices()
        at = canvas.mapFromGlobal(place)
        return canvas.choices_at(at) if canvas.rect().contains(at) else []

    def _focus_handler(self, focus: Focus) -> Handler:
        review = self.review

        def turn() -> None:
            review.set_focus(Focus.ALL if review.state.focus is focus else focus)

        return Handler(turn, lambda: review.state.focus is focus)

    def _find(self) -> None:
        self.desk.bar.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.desk.bar.search.selectAll()

    def _turn_layout(self) -> None:
        is_layered = self.review.state.layout is LayoutKind.LAYERED
        self.review.set_layout(LayoutKind.FORCE if is_layered else LayoutKind.LAYERED)

    def export(self) -> None:
        """Ask for a file and write the graph there."""
        if self.canvas.picture is None:
            return
        trial = str(self.workbench.state.trial_id or "graph").replace("/", "_")
        inputs = opened_places(self.workbench.state)
        name = f"{trial}-graph.svg"
        path = ask_where(self, tr("Export graph"), name, tr(KINDS), inputs=inputs)
        if path is not None:
            self.export_to(path)

    def export_to(self, path: Path) -> None:
        """Write the graph as it is now; large ones take a while."""
        write = partial(export_graph, self.canvas.sheet(), path)
        write_in_background(self.workbench, path, write, self.tell)


def rules_in_words(rules: RuleSet) -> str:
    """What a rule set decides about graphs, one line each."""
    lines = [labelled(tr(each.title), tr(rules.explain(each))) for each in GRAPH_SWITCHES]
    return "\n".join([tr("Rule set {name}", name=rules.name), *lines])


def _choice(name: str, words: list[str]) -> QComboBox:
    """As wide as most of its words: with room for the longest the bar would need two lines."""
    box = ElidedBox()
    box.addItems(words)
    box.setMaximumWidth(box.fontMetrics().averageCharWidth() * _LETTERS + _BESIDE_WORDS_PX)
    box.setAccessibleName(name)
    box.setToolTip(name)
    return box
