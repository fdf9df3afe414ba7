"""The main window: a page in the middle, panels around it, everything else by command.

It is on the screen before the slow parts are imported; pages and panels are made when a dataset is
first shown.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QSettings, QSize, Qt, QTimer
from PySide6.QtGui import (
    QCloseEvent,
    QContextMenuEvent,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDropEvent,
    QGuiApplication,
)
from PySide6.QtWidgets import QApplication, QMainWindow, QStackedWidget, QToolBar

from forensicviewer.app.commands import Scope, available, scope_of
from forensicviewer.app.desk import Desk
from forensicviewer.app.folders import config_folder
from forensicviewer.app.settings import FONT_SCALE, PALETTE, THEME
from forensicviewer.app.state import Change, ViewState
from forensicviewer.core.overlay import PaletteName
from forensicviewer.core.problem import Problem, Severity
from forensicviewer.ui.actions import Actions
from forensicviewer.ui.drop import DropSheet, dropped_paths, what_will_happen
from forensicviewer.ui.handlers import WindowCommands
from forensicviewer.ui.notices import Notice
from forensicviewer.ui.pages import Page, has_page, make_page
from forensicviewer.ui.startpage import StartPage
from forensicviewer.ui.statusbar import StatusLine
from forensicviewer.ui.theme import application_icon, apply_theme, theme_named
from forensicviewer.ui.watch import Watch

if TYPE_CHECKING:
    from forensicviewer.ui.docks import Docks

# Raised when panels come or go: an older arrangement is then not restored, so it cannot hide any.
_STATE_VERSION = 1
_AUTOSAVE_MS = 2_000
_NAVIGATION = Change.CURSOR | Change.HIGHLIGHT | Change.VIEWPOINT
_LAYOUT_OF = {Scope.VIDEO: "video", Scope.GRAPH: "graph"}


class MainWindow(QMainWindow):
    """Shows a desk."""

    def __init__(self, desk: Desk, watch: Watch | None = None) -> None:
        super().__init__()
        self.desk = desk
        self.watch = watch or Watch()
        self._geometry = QSettings(
            str(config_folder() / "window.ini"), QSettings.Format.IniFormat, self
        )
        self._pages: dict[Scope, Page] = {}
        self._docks: Docks | None = None
        self._is_gone = False
        self._told_problems: frozenset[Problem] = frozenset(desk.workbench.state.problems)
        self._build()
        self._unsubscribe = desk.workbench.subscribe(self._follow)
        desk.settings.subscribe(self._follow_settings)
        self._autosave = QTimer(self, interval=_AUTOSAVE_MS)
        self._autosave.timeout.connect(desk.autosave)
        self._autosave.start()
        self._refreshing = QTimer(self, singleShot=True, interval=0)
        self._refreshing.timeout.connect(self.refresh)
        self.refresh()

    def _build(self) -> None:
        self.setWindowTitle("forensicviewer")
        self.setWindowIcon(application_icon())
        self.setAcceptDrops(True)
        self.setDockOptions(
            QMainWindow.DockOption.AllowNestedDocks | QMainWindow.DockOption.AllowTabbedDocks
        )
        self.setTabPosition(
            Qt.DockWidgetArea.AllDockWidgetAreas,
            self.tabPosition(Qt.DockWidgetArea.TopDockWidgetArea),
        )
        self.commands = Actions(self, self.desk.settings)
        self.toolbar = self._make_toolbar()
        self.commands.fill_menus()
        self._fill_recent_menu()
        self.stack = QStackedWidget()
        self.setCentralWidget(self.stack)
        self.start_page = StartPage(
            self.desk.recent, run=self.commands.run, open_recent=self.desk.open_recent
        )
        self.stack.addWidget(self.start_page)
        self.notice = Notice(self)
        self._sheet = DropSheet(self)
        self.status = StatusLine(
            self.statusBar(), self.desk, run=self.commands.run, show=self.show_panel
        )
        self.window_commands = WindowCommands(self)
        self.commands.bind(self.window_commands.handlers())
        self._restore_geometry()

    # Pages and panels

    @property
    def page(self) -> Page | None:
        """The page in the middle; ``None`` while nothing is open."""
        found = self.stack.currentWidget()
        return found if isinstance(found, Page) else None

    @property
    def docks(self) -> Docks:
        """The panels; making them imports a good part of the program."""
        if self._docks is None:
            from forensicviewer.ui.docks import Docks

            self._docks = Docks(self, self.desk)
            panels = self.commands.menus["View"].addMenu("Panels")
            for dock in self._docks.docks.values():
                panels.addAction(dock.toggleViewAction())
        return self._docks

    def prepare(self) -> None:
        """Make the panels and the pictures' page ahead of time, while nobody waits."""
        self._page_for(Scope.STILLS)
        self.docks.hide()

    def show_panel(self, name: str) -> None:
        if self.desk.workbench.state.dataset is not None or name in ("problems", "jobs"):
            self.docks.show(name)

    def _page_for(self, scope: Scope) -> Page:
        scope = scope if has_page(scope) else Scope.STILLS
        if scope not in self._pages:
            page = make_page(scope, self.desk.workbench, self.stack)
            self._pages[scope] = page
            self.stack.addWidget(page)
            self.commands.bind(page.handlers())
        return self._pages[scope]

    # Layouts

    def choose_layout(self, name: str) -> None:
        """Arrange the panels, and the panes of the pictures' page, for one kind of work."""
        from forensicviewer.ui.docks import LAYOUTS

        self._keep_arrangement()
        self.desk.layout = name
        self._arrange()
        self.notice.raise_()
        panes = LAYOUTS[name].panes
        if panes is not None and self.desk.workbench.state.dataset is not None:
            self.desk.workbench.set_panes(panes)
        self.refresh()

    def reset_layout(self) -> None:
        """Put every panel back to its place in this layout."""
        self._geometry.remove(f"layout/{self.desk.layout}")
        self._arrange()

    def _arrange(self) -> None:
        from forensicviewer.ui.docks import LAYOUTS

        self.docks.arrange(LAYOUTS[self.desk.layout])
        kept = self._geometry.value(f"layout/{self.desk.layout}")
        if kept is not None:
            self.restoreState(kept, _STATE_VERSION)

    def _keep_arrangement(self) -> None:
        if self._docks is not None and self.desk.workbench.state.dataset is not None:
            self._geometry.setValue(f"layout/{self.desk.layout}", self.saveState(_STATE_VERSION))

    def toggle_full_screen(self) -> None:
        self.setWindowState(self.windowState() ^ Qt.WindowState.WindowFullScreen)

    # What changed

    def _follow(self, state: ViewState, change: Change) -> None:
        if change & Change.DATASET:
            self._show_dataset(state)
        if change & (Change.DATASET | Change.SUBMISSIONS):
            self._tell_opened(state, change)
        if change & Change.PROBLEMS:
            self._tell_problems(state)
        if change & ~_NAVIGATION:
            self._refreshing.start()

    def refresh(self) -> None:
        """Bring menus and toolbar up to date."""
        bench = self.desk.workbench
        found = available(bench.state, undo=bench.undo_label, redo=bench.redo_label)
        kind = None if bench.state.task is None else bench.state.task.kind
        self.commands.refresh(found, scope_of(kind))
        for name, label in (("undo", bench.undo_label), ("redo", bench.redo_label)):
            verb = name.capitalize()
            self.commands[f"edit.{name}"].setText(verb if label is None else f"{verb} {label}")

    def _show_dataset(self, state: ViewState) -> None:
        if state.task is None:
            self._keep_arrangement()
            self.start_page.refresh()
            self.stack.setCurrentWidget(self.start_page)
            self.docks.hide()
            self.setWindowTitle("forensicviewer")
            return
        scope = scope_of(state.task.kind)
        wanted = _LAYOUT_OF.get(scope)
        if wanted is not None:
            self.desk.layout = wanted
        elif self.desk.layout in _LAYOUT_OF.values():
            self.desk.layout = "inspect"
        was_open = self.page is not None
        page = self._page_for(scope)
        if not was_open or self.page is not page:
            self._arrange()
        self.stack.setCurrentWidget(page)
        if not was_open:
            self.docks.browser.focus_table()
        name = "" if state.dataset is None else state.dataset.name
        self.setWindowTitle(f"{name} – {state.task.name} – forensicviewer")  # noqa: RUF001 - a dash

    def _tell_opened(self, state: ViewState, change: Change) -> None:
        if state.task is None or state.dataset is None:
            return
        if change & Change.DATASET:
            trials = len(state.task.trials)
            text = f"{state.dataset.name}: {state.task.name}, {trials:n} trials"
            found = len(state.dataset.problems)
        elif state.submission is not None:
            text = f"{state.submission.name}: {len(state.submission.answers):n} answers"
            found = len(state.submission.problems)
        else:
            return
        if found:
            text += f". {found:n} problem" + ("" if found == 1 else "s")
            self.notice.tell(text, button="Show", run=partial(self.show_panel, "problems"))
        else:
            self.notice.tell(text)

    def _tell_problems(self, state: ViewState) -> None:
        fresh = [problem for problem in state.problems if problem not in self._told_problems]
        self._told_problems = frozenset(state.problems)
        errors = [problem for problem in fresh if problem.severity is Severity.ERROR]
        if errors and not self.desk.jobs.is_busy("batch"):
            first = errors[0]
            more = f"\n… and {len(errors) - 1:n} more" if len(errors) > 1 else ""
            hint = f"\n{first.hint}" if first.hint else ""
            where = f"\n{first.where}" if first.where else ""
            self.notice.warn(
                f"{first.message}{where}{hint}{more}",
                button="Problems",
                run=partial(self.show_panel, "problems"),
            )

    def _follow_settings(self, key: str) -> None:
        settings = self.desk.settings
        if key in (THEME.key, FONT_SCALE.key):
            self.apply_theme()
        if key == PALETTE.key:
            palette = PaletteName[settings.of(PALETTE)]
            self.desk.workbench.set_look("palette", palette=palette)
        self._refreshing.start()

    def apply_theme(self) -> None:
        """Give the program the theme of the settings."""
        settings = self.desk.settings
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        apply_theme(
            application, theme_named(settings.of(THEME)), font_scale=settings.of(FONT_SCALE)
        )
        self.commands.recolor()
        self.status.recolor()

    # Menus

    def _make_toolbar(self) -> QToolBar:
        toolbar = QToolBar("Toolbar")
        toolbar.setObjectName("toolbar")
        toolbar.setMovable(False)
        toolbar.setIconSize(QSize(20, 20))
        toolbar.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        self.commands.fill_toolbar(toolbar)
        self.addToolBar(toolbar)
        return toolbar

    def _fill_recent_menu(self) -> None:
        menu = self.commands.menus["File"]
        recent = self.commands.menus["File/Recent"] = menu.addMenu("Open recent")
        menu.insertMenu(self.commands["file.reload"], recent)

        def fill() -> None:
            recent.clear()
            for place in self.desk.recent.places:
                name = Path(place.path).name.replace("&", "&&")
                action = recent.addAction(name, partial(self.desk.open_recent, place))
                action.setToolTip(place.path)
                action.setEnabled(place.exists)
            if self.desk.recent.places:
                recent.addSeparator()
            recent.addAction("Clear", self.desk.recent.clear)

        recent.setToolTipsVisible(True)
        recent.aboutToShow.connect(fill)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if self.page is not None and self.page.geometry().contains(
            self.stack.mapFromGlobal(event.globalPos())
        ):
            menu = self.commands.context_menu(self)
            menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            menu.popup(event.globalPos())
        else:
            super().contextMenuEvent(event)

    # Dropping

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        has_dataset = self.desk.workbench.state.dataset is not None
        sentence = what_will_happen(dropped_paths(event.mimeData()), has_dataset=has_dataset)
        if sentence:
            self._sheet.say(sentence)
            event.acceptProposedAction()

    def dragLeaveEvent(self, _event: QDragLeaveEvent) -> None:
        self._sheet.hide()

    def dropEvent(self, event: QDropEvent) -> None:
        self._sheet.hide()
        self.desk.open_paths(dropped_paths(event.mimeData()))
        event.acceptProposedAction()

    # Coming and going

    def _restore_geometry(self) -> None:
        kept = self._geometry.value("geometry")
        if kept is None or not self.restoreGeometry(kept):
            self.resize(1440, 900)
        self._pull_onto_screen()

    def _pull_onto_screen(self) -> None:
        """A monitor may be gone since the window was last closed."""
        screen = QGuiApplication.screenAt(self.frameGeometry().center())
        if screen is None:
            area = QGuiApplication.primaryScreen().availableGeometry()
            self.resize(self.size().boundedTo(area.size()))
            self.move(area.topLeft())

    def show_opened(self) -> None:
        """Show what was opened before the window was made."""
        self._show_dataset(self.desk.workbench.state)
        self.refresh()

    def closeEvent(self, event: QCloseEvent) -> None:
        event.accept()
        if self._is_gone:
            return
        self._keep_arrangement()
        self._geometry.setValue("geometry", self.saveGeometry())
        self.let_go()
        self.desk.close()

    def let_go(self) -> None:
        """Stop listening; nothing of the window is used afterwards."""
        self._is_gone = True
        self._autosave.stop()
        self._refreshing.stop()
        self._unsubscribe()
        self.status.let_go()
        for page in self._pages.values():
            page.let_go()
        if self._docks is not None:
            self._docks.let_go()
