"""The journal operations of the trial: what each changed, what it scores alone, which count."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from PySide6.QtCore import QEvent, QPoint, QSignalBlocker, Qt
from PySide6.QtGui import QFontMetrics, QGuiApplication, QMouseEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QHBoxLayout,
    QHeaderView,
    QLineEdit,
    QMenu,
    QPushButton,
    QToolButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from forensicviewer.app.language.units import format_area
from forensicviewer.app.language.words import in_english, to_translate, tr
from forensicviewer.app.report.numbers import printed
from forensicviewer.app.runtime.jobs import Lane, Priority
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.app.workbench.loaded_trial import LoadedTrial, OperationScore, score_operations
from forensicviewer.app.workbench.metric_values import ruled_scores
from forensicviewer.app.workbench.score_command import query_for
from forensicviewer.app.workbench.state import (
    FOUR_PANES,
    MOST_PANES,
    Change,
    Layer,
    Pane,
    ViewState,
)
from forensicviewer.core.layer_pixels import operation_color
from forensicviewer.core.model import Operation, Side, TaskKind
from forensicviewer.core.palette import Rgb
from forensicviewer.ui.panes.layers import operation_colors
from forensicviewer.ui.widgets.key_names import as_menu_text
from forensicviewer.ui.widgets.panel import Panel
from forensicviewer.ui.widgets.plain_text import PlainLabel
from forensicviewer.ui.widgets.swatch import color_icon
from forensicviewer.ui.widgets.table_copy import COPIED, make_copyable, name_columns

_OPERATIONS_LANE = Lane("operations", Priority.DETAIL)

_NUMBER = Qt.ItemDataRole.UserRole
_NAME, _PURPOSE, _PLANE, _AREA, _MCC = range(5)
_LETTERS_FOR_PURPOSE = 58
_TITLES = (
    to_translate("Operation"),
    to_translate("Purpose"),
    "#",
    to_translate("Area"),
    to_translate("Own MCC"),
)
_ALL, _UNNAMED = to_translate("All operations"), to_translate("unnamed")
_NO_JOURNAL = to_translate("This trial has no journal")
_AS_A_WHOLE = to_translate(
    "The reference does not distinguish these operations: the trial is scored as a whole, as "
    "NIST scores splices"
)
_CHECKED, _UNCHECKED = Qt.CheckState.Checked, Qt.CheckState.Unchecked


class OperationsPanel(Panel):
    """A tree: all operations, and each of them in the order of the journal."""

    def __init__(self, workbench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(workbench, parent)
        self.tree = _Tree(workbench, self)
        self.tree.itemChanged.connect(self._select)
        self._hint = PlainLabel(tr(_NO_JOURNAL), self)
        self._hint.setProperty("role", "muted")
        self._hint.setWordWrap(True)
        self.query = QLineEdit(self)
        self.query.setReadOnly(True)
        self.query.setPlaceholderText(tr("All operations are scored, so no query is needed"))
        self.query.setAccessibleName(tr("Query that selects these operations"))
        self.query.setToolTip(tr("The --query-manipulation of the command line for this selection"))
        self._copy = QPushButton(tr("Copy"), self)
        self._copy.setToolTip(tr("Copy the query"))
        self._copy.clicked.connect(self.copy_query)
        self.planes = QCheckBox(tr("Bit planes"), self)
        self.planes.setToolTip(tr("Use the JPEG 2000 reference, where operations may overlap"))
        self.planes.clicked.connect(lambda on: workbench.set_scoring(uses_bit_planes=bool(on)))
        self.details = PlainLabel(parent=self)
        self.details.setProperty("role", "muted")
        self.details.setWordWrap(True)
        self.details.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.details.hide()
        self.tree.currentItemChanged.connect(lambda item: self._show_details(item))
        self._make_pane_buttons()
        self._lay_out()
        self._filled: object = None
        self._asked: object = None
        self._scores: tuple[OperationScore, ...] = ()
        self.listen()

    def _make_pane_buttons(self) -> None:
        """Buttons for the images a trial was made from, each in a separate pane."""
        self.base = _pane_button(
            tr("Base image"),
            tr("Show the image before its manipulation, in a separate pane"),
            self,
        )
        self.base.clicked.connect(lambda on: self._show_pane(Pane(Layer.BASE), wanted=bool(on)))
        self.control = _pane_button(
            tr("Control image"),
            tr("Show an image processed like the probe, but not manipulated, in a separate pane"),
            self,
        )
        control = Pane(Layer.CONTROL)
        self.control.clicked.connect(lambda on: self._show_pane(control, wanted=bool(on)))
        self.donor = _pane_button(
            tr("Donor"), tr("Show the image a splice was taken from, in a separate pane"), self
        )
        donor = Pane(Layer.PICTURE, Side.DONOR)
        self.donor.clicked.connect(lambda on: self._show_pane(donor, wanted=bool(on)))

    def _lay_out(self) -> None:
        row, below = QHBoxLayout(), QHBoxLayout()
        row.addWidget(self.query, 1)
        row.addWidget(self._copy)
        for widget in (self.planes, self.base, self.control, self.donor):
            below.addWidget(widget)
        below.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 8, 8, 8)
        column.setSpacing(6)
        column.addWidget(self._hint)
        column.addWidget(self.tree, 1)
        column.addWidget(self.details)
        column.addLayout(row)
        column.addLayout(below)
        column.addStretch(0)

    def _show_details(self, item: QTreeWidgetItem | None) -> None:
        """Say how the chosen operation was done, as far as the journal tells."""
        number = None if item is None else item.data(_NAME, _NUMBER)
        loaded = self.workbench.state.loaded
        operations = _listed(loaded, self.workbench.state.side)
        lines = []
        if isinstance(number, int) and number < len(operations):
            lines = _details(operations[number])
        self.details.setText("\n".join(lines))
        self.details.setVisible(bool(lines))

    def copy_query(self) -> None:
        QGuiApplication.clipboard().setText(self.query.text())

    def follow(self, state: ViewState, change: Change) -> None:
        if change & (Change.LOADED | Change.SCORES | Change.TRIAL):
            self._fill(state)
        if change & (Change.SCORING | Change.LOADED | Change.SCORES | Change.TRIAL):
            self._check(state)
        if change & (Change.PANES | Change.LOADED | Change.TRIAL):
            self._show_pictures(state)
        if change & (Change.THRESHOLD | Change.LOADED | Change.SCORES | Change.LOOK):
            self._show_scores(state)
        if change & (Change.SUBMISSIONS | Change.DATASET):
            self.tree.setColumnHidden(_MCC, state.submission is None)

    def _fill(self, state: ViewState) -> None:
        loaded = state.loaded
        selectable = _operations(loaded, state.side)
        operations = _listed(loaded, state.side)
        # Not by pixels: the frames of a video share their operations.
        shown = (state.trial_id, state.side, tuple(operation.key for operation in operations))
        if self._filled == shown:
            self._ask_for_scores(state)
            return
        self._filled = shown
        self._scores, self._asked = (), None
        self._hint.setText(tr(_AS_A_WHOLE) if operations else tr(_NO_JOURNAL))
        self._hint.setVisible(not selectable)
        self.tree.setVisible(bool(operations))
        for widget in (self.query, self._copy):
            widget.setVisible(bool(selectable))
        blocker = QSignalBlocker(self.tree)
        self.tree.clear()
        self._show_details(None)
        if loaded is not None and operations:
            self._add_rows(operations, _colors(loaded, state.side, operations))
            if not selectable:
                self.tree.make_uncheckable()
        blocker.unblock()
        self._ask_for_scores(state)

    def _add_rows(self, operations: Sequence[Operation], colors: Sequence[Rgb | None]) -> None:
        root = QTreeWidgetItem(self.tree, [tr(_ALL)])
        root.setData(_NAME, COPIED, _ALL)
        root.setFlags(
            root.flags() | Qt.ItemFlag.ItemIsUserCheckable | Qt.ItemFlag.ItemIsAutoTristate
        )
        for number in _in_sequence(operations):
            operation = operations[number]
            item = QTreeWidgetItem(root, [operation.name or tr(_UNNAMED), operation.purpose])
            item.setData(_NAME, COPIED, operation.name or _UNNAMED)
            if operation.bit_plane is not None:
                item.setText(_PLANE, str(operation.bit_plane))
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setData(_NAME, _NUMBER, number)
            item.setCheckState(_NAME, _CHECKED)
            item.setIcon(_NAME, color_icon(colors[number]))
            item.setToolTip(_NAME, _describe(operation))
            for column in (_PLANE, _AREA, _MCC):
                item.setTextAlignment(column, Qt.AlignmentFlag.AlignRight)
        root.setExpanded(True)
        root.setFirstColumnSpanned(True)

    def _check(self, state: ViewState) -> None:
        chosen = state.scoring.selected
        selectable = _operations(state.loaded, state.side)
        blocker = QSignalBlocker(self.tree)
        for item in self.tree.rows() if selectable else ():
            is_on = chosen is None or item.data(_NAME, _NUMBER) in chosen
            item.setCheckState(_NAME, _CHECKED if is_on else _UNCHECKED)
        blocker.unblock()
        self.tree.viewport().update()
        self.query.setText(query_for(selectable, chosen))
        self.query.setCursorPosition(0)
        trial = None if state.loaded is None else state.loaded.trial
        is_choice = trial is not None and bool(trial.bit_planes and trial.reference)
        self.planes.setVisible(is_choice or state.scoring.uses_bit_planes)
        self.planes.setChecked(state.scoring.uses_bit_planes)
        # Colours distinguish operations unless the reference has bit planes.
        side = None if state.loaded is None else state.loaded.on(state.side)
        self.tree.setColumnHidden(_PLANE, side is None or side.planes is None)

    def _select(self, item: QTreeWidgetItem) -> None:
        del item
        chosen = [
            int(row.data(_NAME, _NUMBER))
            for row in self.tree.rows()
            if row.checkState(_NAME) == _CHECKED
        ]
        self.workbench.set_selected_operations(chosen)

    def _show_pictures(self, state: ViewState) -> None:
        """Offer the images the trial was made from, where the reference names them."""
        loaded, panes = state.loaded, state.arrangement.panes
        has_base = loaded is not None and bool(loaded.trial.facts.get("BaseFileName", "").strip())
        self.base.setVisible(has_base)
        self.base.setChecked(any(pane.layer is Layer.BASE for pane in panes))
        self.control.setVisible(loaded is not None and loaded.trial.control is not None)
        self.control.setChecked(Pane(Layer.CONTROL) in panes)
        self.donor.setVisible(loaded is not None and loaded.trial.donor is not None)
        self.donor.setChecked(Pane(Layer.PICTURE, Side.DONOR) in panes)

    def _show_pane(self, pane: Pane, *, wanted: bool) -> None:
        """Show an image in a separate pane, or put it away again."""
        arrangement = self.workbench.state.arrangement
        others = tuple(shown for shown in arrangement.panes if shown != pane)
        if wanted:
            others = (*others[: MOST_PANES - 1], pane)
        self.workbench.set_panes(others or FOUR_PANES, columns=arrangement.columns)
        self._show_pictures(self.workbench.state)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._ask_for_scores(self.workbench.state)

    def _ask_for_scores(self, state: ViewState) -> None:
        loaded = state.loaded
        # Behind another tab nobody sees them, and a video asks anew with every frame.
        if loaded is None or not self.isVisible() or not _operations(loaded, state.side):
            return
        system = loaded.system(state.side, 0)
        # Scores of single operations do not depend on which of them are selected.
        asked = (
            self._filled,
            id(loaded.on(state.side).operations),
            None if system is None else id(system.scores),
            loaded.request.kernels,
            loaded.request.honours_opt_out,
            loaded.request.rules,
        )
        if asked == self._asked:
            return
        self._asked = asked
        self._scores = ()
        side = state.side

        def show(found: tuple[OperationScore, ...]) -> None:
            if self._asked == asked:
                self._scores = found
                self._show_scores(self.workbench.state)

        self.workbench.jobs.submit_long(
            _OPERATIONS_LANE,
            lambda ticket: score_operations(loaded, side, ticket),
            show,
            title=tr("Scoring each operation"),
        )

    def _show_scores(self, state: ViewState) -> None:
        loaded = state.loaded
        if loaded is None or not self._scores:
            return
        size = loaded.on(state.side).size
        # A text that changes would be taken for a click into its row.
        blocker = QSignalBlocker(self.tree)
        for item in self.tree.rows():
            number = int(item.data(_NAME, _NUMBER))
            if number >= len(self._scores):
                continue
            score = self._scores[number]
            area = partial(format_area, score.area_px, size.width * size.height)
            item.setText(_AREA, area(state.units.short_areas))
            with in_english():
                item.setData(_AREA, COPIED, area(state.units.short_areas))
            mcc = _own_mcc(state, score)
            item.setText(_MCC, "" if mcc is None else f"{mcc:.3f}")
            item.setToolTip(_MCC, "" if mcc is None else f"MCC = {printed(mcc)}")
        blocker.unblock()
        self.tree.viewport().update()

    def let_go(self) -> None:
        super().let_go()
        self.workbench.jobs.cancel(_OPERATIONS_LANE)


class _Tree(QTreeWidget):
    """The tree; pointing at an operation highlights its area in every pane."""

    def __init__(self, workbench: Workbench, parent: QWidget) -> None:
        super().__init__(parent)
        self._workbench = workbench
        name_columns(self, _TITLES)
        self.setMouseTracking(True)
        self.setRootIsDecorated(False)
        # One level: a deep indent would only cut off names.
        self.setIndentation(6)
        self.setUniformRowHeights(True)
        self.setAccessibleName(tr("Operations"))
        self.header().setStretchLastSection(False)
        # Numbers take no more than they need: the names are long.
        self.header().setMinimumSectionSize(20)
        for column, widest in ((_PURPOSE, ""), (_PLANE, "88"), (_AREA, "88.8 %"), (_MCC, "")):
            self._fix(column, widest)
        self.header().setSectionResizeMode(_NAME, QHeaderView.ResizeMode.Stretch)
        self.headerItem().setToolTip(_PLANE, tr("Bit plane of the JPEG 2000 reference"))
        self.headerItem().setToolTip(
            _MCC, tr("MCC of this operation alone at the current threshold")
        )
        self.currentItemChanged.connect(lambda item: self._point_at(item))
        make_copyable(self)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._show_menu)

    def _fix(self, column: int, widest: str) -> None:
        bold = self.header().font()
        bold.setBold(True)
        texts = (widest, _TITLES[column], self.headerItem().text(column))
        width = max(map(QFontMetrics(bold).horizontalAdvance, texts)) + 16
        self.header().setSectionResizeMode(column, QHeaderView.ResizeMode.Fixed)
        self.header().resizeSection(column, width)

    def rows(self) -> list[QTreeWidgetItem]:
        root = self.topLevelItem(0)
        found = [] if root is None else [root.child(i) for i in range(root.childCount())]
        return [item for item in found if item is not None]

    def make_uncheckable(self) -> None:
        """Show the operations without a choice among them."""
        root = self.topLevelItem(0)
        for item in [*self.rows(), *([] if root is None else [root])]:
            item.setData(_NAME, Qt.ItemDataRole.CheckStateRole, None)
            item.setFlags(item.flags() & ~Qt.ItemFlag.ItemIsUserCheckable)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        # In a narrow panel the names need the room.
        letters = event.size().width() / self.fontMetrics().averageCharWidth()
        self.setColumnHidden(_PURPOSE, letters < _LETTERS_FOR_PURPOSE)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._point_at(self.itemAt(event.position().toPoint()))
        super().mouseMoveEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        self._point_at(None)
        super().leaveEvent(event)

    def _point_at(self, item: QTreeWidgetItem | None) -> None:
        number = None if item is None else item.data(_NAME, _NUMBER)
        self._workbench.highlight_operation(None if number is None else int(number))

    def _show_menu(self, point: QPoint) -> None:
        state, item = self._workbench.state, self.itemAt(point)
        operations = _operations(state.loaded, state.side)
        if not operations:
            return
        number = None if item is None else item.data(_NAME, _NUMBER)
        menu = QMenu(self)
        menu.addAction(tr("Score all"), partial(self._workbench.set_selected_operations, None))
        for text, chosen in () if number is None else _choices(operations, int(number)):
            menu.addAction(text, partial(self._workbench.set_selected_operations, chosen))
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(self.viewport().mapToGlobal(point))


def _choices(operations: Sequence[Operation], number: int) -> Iterator[tuple[str, list[int]]]:
    """Ways to select an operation: alone, and with the others of its name or purpose."""
    asked = operations[number]
    yield tr("Score only this"), [number]
    named = [i for i, found in enumerate(operations) if found.name == asked.name]
    if len(named) > 1:
        yield tr("Score only {name}", name=as_menu_text(asked.name)), named
    alike = [i for i, found in enumerate(operations) if found.purpose == asked.purpose]
    if asked.purpose and len(alike) > 1:
        yield tr("Score only the purpose “{name}”", name=as_menu_text(asked.purpose)), alike


def _pane_button(text: str, tip: str, parent: QWidget) -> QToolButton:
    button = QToolButton(parent)
    button.setText(text)
    button.setToolTip(tip)
    button.setCheckable(True)
    return button


def _operations(loaded: LoadedTrial | None, side: Side) -> tuple[Operation, ...]:
    """The operations of the reference, or of the journal where there is no mask to show them."""
    if loaded is None:
        return ()
    reference = loaded.on(side).reference
    if reference is None:
        return loaded.trial.operations if loaded.request.task.kind is TaskKind.VIDEO else ()
    return reference.operations


def _listed(loaded: LoadedTrial | None, side: Side) -> tuple[Operation, ...]:
    """The operations to list: those that can be selected, or else those of the journal."""
    return _operations(loaded, side) or (() if loaded is None else loaded.trial.operations)


# How an operation was done: columns of the journal's table (MFC2019 plan, 3.5.1), in its words.
_HOW = ("OperationArgument", "SubCategory", "AutoDesignName", "PlugInName", "PlugInArguments")


def _details(operation: Operation) -> list[str]:
    found = ((name, operation.facts.get(name, "").strip()) for name in _HOW)
    return [f"{name}: {value}" for name, value in found if value]


def _own_mcc(state: ViewState, score: OperationScore) -> float | None:
    if score.sweep is None:
        return None
    threshold = state.thresholds.main
    return ruled_scores(state, state.side, 0, threshold, sweep=score.sweep).get("MCC")


def _colors(loaded: LoadedTrial, side: Side, operations: Sequence[Operation]) -> list[Rgb | None]:
    """The colour of each operation, in an image none for those that are in no mask."""
    drawn = operation_colors(loaded.on(side))
    if len(drawn) != len(operations):
        # A reference of one piece does not tell the journal's operations apart.
        drawn = tuple(operation_color(i, op.color) for i, op in enumerate(operations))
    is_film = loaded.request.task.kind is TaskKind.VIDEO
    return [
        color if is_film or op.color is not None or op.bit_plane is not None else None
        for color, op in zip(drawn, operations, strict=True)
    ]


def _in_sequence(operations: Sequence[Operation]) -> list[int]:
    """Positions in the journal's order; operations without a number keep their place at the end."""
    last = len(operations) + max((op.sequence or 0 for op in operations), default=0)
    numbers = [last if op.sequence is None else op.sequence for op in operations]
    return sorted(range(len(operations)), key=lambda i: numbers[i])


def _describe(operation: Operation) -> str:
    lines = [
        f"{operation.name} ({operation.purpose})" if operation.purpose else operation.name,
        f"{operation.start_node} → {operation.end_node}",
        tr("Journal {name}", name=operation.journal),
    ]
    if operation.color is not None:
        color = " ".join(str(part) for part in operation.color)
        lines.append(tr("Colour {color}", color=color))
    if operation.bit_plane is not None:
        lines.append(tr("Bit plane {number}", number=operation.bit_plane))
    if operation.sequence is not None:
        lines.append(tr("Sequence {number}", number=operation.sequence))
    return "\n".join([*lines, *_details(operation)])
