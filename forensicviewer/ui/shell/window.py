"""The main window: the frame filled with what the desk holds, and everything else by command."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QEvent, QPoint, Qt, QTimer
from PySide6.QtGui import (
    QAction,
    QCloseEvent,
    QContextMenuEvent,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDropEvent,
)
from PySide6.QtWidgets import QApplication, QMenu

from forensicviewer.app.commands.table import TRIAL_MENU
from forensicviewer.app.language.words import tr
from forensicviewer.app.runtime.jobs import Lane
from forensicviewer.app.session import announcement
from forensicviewer.app.session.announcement import Announcement
from forensicviewer.app.session.desk import Desk
from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.app.settings import FONT_SCALE, INVERT_WHEEL, PALETTE, THEME
from forensicviewer.app.workbench.problems import MISSING_PLACE
from forensicviewer.app.workbench.scope import Scope, scope_of
from forensicviewer.app.workbench.state import (
    FOUR_PANES,
    PROBE_ALONE,
    TWO_SYSTEM_PANES,
    Arrangement,
    Change,
    ViewEdits,
    ViewState,
    usual_panes,
)
from forensicviewer.core.model import Dataset, Submission, Task, TaskKind
from forensicviewer.core.palette import PaletteName
from forensicviewer.core.problem import LINKS, Problem, Severity
from forensicviewer.ui.genai.questions import GenAIQuestions
from forensicviewer.ui.imdl.questions import PairingQuestions
from forensicviewer.ui.score.evaluation_banner import EvaluationBanner
from forensicviewer.ui.shell.closing import asks_before_closing
from forensicviewer.ui.shell.commands.window_commands import WindowCommands
from forensicviewer.ui.shell.drop import DropSheet, accept_copy, dropped_paths
from forensicviewer.ui.shell.restyling import Restyling, scale_tables
from forensicviewer.ui.shell.status_bar import StatusLine
from forensicviewer.ui.shell.welcome.recent_menu import RecentMenu
from forensicviewer.ui.shell.welcome.start_page import StartPage
from forensicviewer.ui.shell.window_frame import Frame
from forensicviewer.ui.widgets.page import MenuChoices, Page
from forensicviewer.ui.widgets.panel import Panel
from forensicviewer.ui.widgets.theme import apply_theme, theme_named
from forensicviewer.ui.widgets.watch import Watch
from forensicviewer.ui.widgets.wheel import invert_wheel

_DROP_LANE = Lane("drop", is_far=True)

_AUTOSAVE_MS = 2_000
_RESTING_MS = 60
_NAVIGATION = Change.CURSOR | Change.HIGHLIGHT | Change.VIEWPOINT
_ABOUT_A_PIXEL = frozenset(
    {
        *("edit.copy_pixel", "edit.copy_position", "verdict.note_pixel"),
        *("mark.pin", "mark.rectangle", "mark.polygon"),
    }
)
_LAYOUT_OF = {Scope.VIDEO: "video", Scope.GRAPH: "graph"}


class MainWindow(Frame):
    """Shows a desk, follows it, and takes what is dropped."""

    def __init__(self, desk: Desk, watch: Watch | None = None) -> None:
        super().__init__(desk, watch)
        self._is_gone = False
        self._may_close = False
        self._opened_text = ""
        self._recognise: Callable[[ViewState], Announcement | None] = lambda _state: None
        self._told_submissions: tuple[Submission, ...] = ()
        self._tells_masks = True
        self._told_problems: frozenset[Problem] = frozenset(desk.workbench.state.problems)
        self._build()
        self._unsubscribe = desk.workbench.subscribe(self._follow)
        desk.settings.subscribe(self._follow_settings)
        invert_wheel(is_inverted=desk.settings.of(INVERT_WHEEL))
        self._autosave = QTimer(self, interval=_AUTOSAVE_MS)
        self._autosave.timeout.connect(desk.autosave)
        self._autosave.start()
        self._refreshing = QTimer(self, singleShot=True, interval=0)
        self._refreshing.timeout.connect(self.refresh)
        self._restyling = Restyling(self, recolor=self._recolorings)
        self.refresh()

    def _build(self) -> None:
        self.setAcceptDrops(True)
        self._fill_recent_menu()
        self.start_page = StartPage(
            self.desk.recent,
            self.desk.jobs,
            run=self.commands.run,
            open_recent=self.desk.open_recent,
            open_sample=self.desk.open_sample,
        )
        self.stack.addWidget(self.start_page)
        self._sheet = DropSheet(self)
        self.status = StatusLine(
            self.statusBar(), self.desk, run=self.commands.run, show=self.show_panel
        )
        self.window_commands = WindowCommands(self)
        self.commands.bind(self.window_commands.handlers())
        self.banner = EvaluationBanner(
            self.toolbar, self.desk.workbench, self.commands["trial.evaluation"]
        )
        self.genai = GenAIQuestions(self, self.desk)
        self.commands.bind(self.genai.handlers())
        self.pairing = PairingQuestions(self, self.desk)
        self.commands.bind(self.pairing.handlers())

    # What changed

    def _follow(self, state: ViewState, change: Change) -> None:
        if change & Change.DATASET:
            self.notice.settle()
            self.when_prepared(self._show_dataset)
            self.when_prepared(partial(self._ask_about, state.dataset))
        if change & (Change.DATASET | Change.SUBMISSIONS):
            self._tell_opened(state, change)
        if Change.SUBMISSIONS in change and not change & Change.DATASET:
            self.when_prepared(partial(self._follow_submissions, state))
        if change & Change.PROBLEMS:
            self._tell_problems(state, is_aside=Change.ASIDE in change)
        if Change.PROBLEMS in change and self.notice.isVisible():
            self._count_again()
        if change & ~_NAVIGATION:
            # While a threshold is dragged, menus wait until the hand rests.
            is_drag = not change & ~(_NAVIGATION | Change.THRESHOLD)
            self._refreshing.start(_RESTING_MS if is_drag else 0)

    def _ask_about(self, dataset: Dataset | None) -> None:
        """Ask what only the user knows about a dataset, once it is shown."""
        state = self.desk.workbench.state
        if dataset is not None and state.dataset is dataset and not self._is_gone:
            self.genai.follow(state)
            self.pairing.follow(state)

    def _show_dataset(self) -> None:
        """Show what is open now; a turn for each part, for none of them is quick."""
        state = self.desk.workbench.state
        if state.task is None:
            self.keep_arrangement()
            self.start_page.refresh()
            self.stack.setCurrentWidget(self.start_page)
            self.docks.hide()
            self.setWindowTitle("forensicviewer")
            return
        scope = scope_of(state.task.kind)
        self.desk.layout = self._fitting_layout(scope)
        name = "" if state.dataset is None else state.dataset.name
        self.setWindowTitle(f"{name} – {state.task.name} – forensicviewer")  # noqa: RUF001 - a dash
        page = self.page_for(scope)
        if self.page is not page:
            self.desk.jobs.soon(partial(self._turn_to, page))
        elif self.desk.layout != self._arranged:
            self.turn_to_layout()
        else:
            self.desk.jobs.soon(self._fit_panes)

    def _fitting_layout(self, scope: Scope) -> str:
        """The layout for what is open: the chosen one where it fits."""
        task = self.desk.workbench.state.task
        chosen = self.desk.layout if self.desk.has_chosen_layout else ""
        if task is not None and task.kind is TaskKind.GENAI:
            return chosen if chosen not in ("", *_LAYOUT_OF.values()) else "detect"
        if scope in _LAYOUT_OF:
            return _LAYOUT_OF[scope]
        if chosen and chosen not in _LAYOUT_OF.values():
            return chosen
        # Without answers, panes and panels about them would stand empty.
        return "inspect" if self.desk.workbench.state.submissions else "annotate"

    def _fit_panels(self, task: Task | None) -> None:
        """Bring forward what there is to tell: of events, nothing about masks."""
        if task is None or task.kind.has_masks is self._tells_masks:
            return
        self._tells_masks = task.kind.has_masks
        for name in ("score", "metrics") if self._tells_masks else ("picture", "detection"):
            dock = self.docks.docks[name]
            if not dock.isHidden():
                dock.raise_()
        self.notice.follow()

    def _fit_panes(self) -> None:
        """Show the panes of a layout that came by itself, where nobody chose others."""
        from forensicviewer.ui.shell.docks import LAYOUTS

        self._fit_panels(self.desk.workbench.state.task)
        state, fitting = self.desk.workbench.state, LAYOUTS[self.desk.layout].panes
        of_layouts = [layout.panes for layout in LAYOUTS.values() if layout.panes is not None]
        of_donors = [usual_panes(panes, state.task) for panes in of_layouts]
        is_usual = state.arrangement.panes in (
            *of_layouts,
            *of_donors,
            TWO_SYSTEM_PANES,
            PROBE_ALONE,
        )
        if fitting is None or not is_usual or self.desk.has_chosen_layout:
            return
        fitting = usual_panes(fitting, state.task)
        if fitting == FOUR_PANES and state.rival is not None:
            fitting = TWO_SYSTEM_PANES
        bench = self.desk.workbench
        if fitting != state.arrangement.panes and bench.undo_label is not None:
            bench.set_panes(fitting)
        elif fitting != state.arrangement.panes:
            # Nobody asked for it, and so there is nothing to take back.
            view = replace(ViewEdits.of(state), arrangement=Arrangement(panes=fitting))
            bench.restore(view, is_linked=state.is_linked)

    def _follow_submissions(self, state: ViewState) -> None:
        """Make room for the first answers, unless the user arranged the window for something."""
        if self.page is None or state.task is None or self.desk.has_chosen_layout:
            return
        fitting = self._fitting_layout(scope_of(state.task.kind))
        if fitting != self.desk.layout:
            self.desk.layout = fitting
            self.turn_to_layout()
        self.desk.jobs.soon(self._fit_panes)

    def _turn_to(self, page: Page) -> None:
        if self.desk.workbench.state.task is None:
            return
        self.arrange()
        self.desk.jobs.soon(self._fit_panes)
        # Not at once: panels that move and a page that is laid out take their time each.
        self.desk.jobs.soon(partial(self._bring_up, page))

    def _bring_up(self, page: Page) -> None:
        if self.desk.workbench.state.task is None:
            return
        was_open = self.page is not None
        self.stack.setCurrentWidget(page)
        if not was_open:
            self.docks.browser.focus_table()
        self._refreshing.start(0)

    def _tell_opened(self, state: ViewState, change: Change) -> None:
        known, self._told_submissions = self._told_submissions, state.submissions
        self._recognise = partial(announcement.opened, change=change, known=known)
        self._tell_recognised()

    def _tell_recognised(self) -> None:
        # Of the state as it is by now: what was opened may have been read meanwhile.
        found = self._recognise(self.desk.workbench.state)
        if found is None and self.notice.text == self._opened_text:
            # It was about what is closed now.
            self.notice.hide()
        if found is not None:
            button = tr("Show problems") if found.problems else ""
            show = partial(self.show_panel, "problems") if found.problems else None
            self.notice.tell(found.text, evidence=found.evidence, button=button, run=show)
            self._opened_text = found.text

    def _count_again(self) -> None:
        """Files that are not there are found a moment after what was recognised is said."""
        found = self._recognise(self.desk.workbench.state)
        if found is not None and self.notice.text == self._opened_text != found.text:
            self._tell_recognised()

    def _tell_problems(self, state: ViewState, *, is_aside: bool) -> None:
        from forensicviewer.app.session.locate import is_about_open_trial

        fresh = [problem for problem in state.problems if problem not in self._told_problems]
        self._told_problems = frozenset(state.problems)
        # What is about the current trial, its page says; the status bar counts it.
        errors = [
            problem
            for problem in fresh
            if problem.severity is Severity.ERROR and not is_about_open_trial(problem, state)
        ]
        if errors and not is_aside:
            self.when_prepared(partial(self.pairing.follow_errors, errors))
            bench = self.desk.workbench
            button, run = self._remedy(errors)
            self.notice.warn(
                announcement.failed(errors),
                details=announcement.details(errors),
                button=button,
                run=run,
                holds=lambda: any(error in bench.state.problems for error in errors),
            )

    def _remedy(self, errors: Sequence[Problem]) -> tuple[str, Callable[[], None]]:
        """What the user can do about errors right away."""
        commands, lost = self.window_commands.files, self.desk.lost_session
        lone = announcement.lone_submissions(errors)
        if lone:
            return tr("Choose its dataset…"), partial(commands.open_with_dataset, lone)
        if any(error.rule == LINKS for error in errors):
            return tr("Trust links of this dataset"), self.desk.trust_links
        elsewhere = [Path(error.where) for error in errors if error.rule == "imdl.outside"]
        if elsewhere and elsewhere[0].is_absolute():
            return tr("Locate its files…"), partial(self.pairing.ask_about, elsewhere[0])
        strangers = announcement.strangers(errors)
        if strangers and self.desk.workbench.state.dataset is not None:
            return tr("Open it anyway"), partial(self.desk.open_strangers, strangers)
        if lost is not None and any(error.rule == MISSING_PLACE for error in errors):
            return tr("Locate it…"), partial(commands.find_dataset_of, lost)
        if any(error.rule == "verdict.key" for error in errors):
            return tr("Unlock the key…"), partial(self.commands.run, "trial.sign")
        return tr("Show problems"), partial(self.show_panel, "problems")

    def _follow_settings(self, key: str) -> None:
        settings = self.desk.settings
        if key in (THEME.key, FONT_SCALE.key):
            self.apply_theme()
        if key == PALETTE.key:
            palette = PaletteName[settings.of(PALETTE)]
            self.desk.workbench.set_look(tr("palette"), palette=palette)
        if key == INVERT_WHEEL.key:
            invert_wheel(is_inverted=settings.of(INVERT_WHEEL))
        if key == "shortcuts":
            self.commands.apply_shortcuts()
        self._refreshing.start(0)

    def apply_theme(self) -> None:
        """Give the program the theme of the settings."""
        settings = self.desk.settings
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        theme = theme_named(settings.of(THEME))
        self._restyling.hold()
        before = application.font().pointSizeF()
        apply_theme(application, theme, font_scale=settings.of(FONT_SCALE))
        after = application.font().pointSizeF()
        if after != before:
            scale_tables(self, after / before)
            self.docks.scale_sides(after / before)
        self._restyling.start()

    def _recolorings(self) -> Iterator[Callable[[], None]]:
        """What draws with colours it has kept, to be done again."""
        yield self.start_page.refresh
        state = self.desk.workbench.state
        for panel in self.findChildren(Panel):
            yield partial(panel.follow, state, ~Change(0))

    # Menus

    def _fill_recent_menu(self) -> None:
        menu = self.commands.menus["File"]
        recent = self.commands.menus["File/Recent"] = RecentMenu(self.desk, menu)
        menu.insertMenu(self.commands["file.reload"], recent)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        browser = self.docks.browser
        in_list = browser.table.menu_place(event)
        if in_list is not None:
            _pop_up(self._trial_menu(browser.choices_at(in_list)), in_list)
        elif self.page is not None and self.page.geometry().contains(
            self.stack.mapFromGlobal(event.globalPos())
        ):
            _pop_up(self._context_menu(self.page.choices_at(event.globalPos())), event.globalPos())
        else:
            super().contextMenuEvent(event)

    def _trial_menu(self, choices: MenuChoices) -> QMenu:
        """What can be done with the cell that was clicked, then with its trial and the list."""
        menu = QMenu(self)
        for title, run in choices:
            menu.addAction(title, run)
        menu.addSeparator()
        for name in TRIAL_MENU:
            if not name:
                menu.addSeparator()
            elif self.commands[name].isEnabled():
                menu.addAction(self.commands[name])
        return menu

    def _context_menu(self, choices: MenuChoices) -> QMenu:
        """What the page offers for the place that was clicked, then what can be done anyway."""
        menu = self.commands.context_menu(self)
        lacking = frozenset() if self.desk.workbench.state.cursor is not None else _ABOUT_A_PIXEL
        for action in menu.actions():
            is_possible = action.isEnabled() and action.objectName() not in lacking
            if not is_possible and not action.isSeparator():
                menu.removeAction(action)
        first = next(iter(menu.actions()))
        for title, run in choices:
            action = QAction(title, menu)
            action.triggered.connect(run)
            menu.insertAction(first, action)
        menu.insertSeparator(first)
        return menu

    # Dropping

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        from forensicviewer.app.session.recognise import what_will_happen

        paths = dropped_paths(event.mimeData())
        if not paths:
            return
        accept_copy(event)
        self._sheet.say(tr("Release to open"))
        # In the background: what is dragged may lie on a disk that answers late, or never.
        state = self.desk.workbench.state
        self.desk.jobs.submit(_DROP_LANE, partial(what_will_happen, paths, state), self._say_drop)

    def _say_drop(self, sentence: str) -> None:
        if self._sheet.isVisible():
            self._sheet.say(sentence)

    def dragLeaveEvent(self, _event: QDragLeaveEvent) -> None:
        self._sheet.hide()

    def dropEvent(self, event: QDropEvent) -> None:
        self._sheet.hide()
        accept_copy(event)
        self.desk.open_paths(dropped_paths(event.mimeData()))

    # Coming and going

    def take_over(self, request: OpenRequest) -> None:
        """Open what a second start of the program was given, and come to the front."""
        self.setWindowState(self.windowState() & ~Qt.WindowState.WindowMinimized)
        self.raise_()
        self.activateWindow()
        if request.dataset is not None or request.submissions:
            self.desk.open_named(request)

    def show_opened(self) -> None:
        """Show what was opened before the window was made."""
        self.when_prepared(self._show_dataset)
        self.refresh()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        # Who comes back from another program may have written masks there.
        if event.type() is QEvent.Type.ActivationChange and self.isActiveWindow():
            self.desk.files.look()

    def closeEvent(self, event: QCloseEvent) -> None:
        event.accept()
        if self._is_gone:
            return
        if not self._may_close and asks_before_closing(self, self._close_anyway):
            event.ignore()
            return
        self.keep_arrangement()
        self.keep_geometry()
        # At once: ending the jobs may take a moment, and the user is done.
        self.hide()
        self.let_go()
        self.desk.close()

    def _close_anyway(self) -> None:
        self._may_close = True
        self.close()

    def let_go(self) -> None:
        """Stop listening; nothing of the window is used afterwards."""
        self._is_gone = True
        self._autosave.stop()
        self._refreshing.stop()
        self._restyling.stop()
        self._unsubscribe()
        self.status.let_go()
        self.banner.let_go()
        self.genai.let_go()
        self.pairing.let_go()
        self.let_go_parts()


def _pop_up(menu: QMenu, place: QPoint) -> None:
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    menu.popup(place)
