"""The frame of the window: the page in the middle, the panels around it and their layouts."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import shiboken6
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QMainWindow,
    QStackedWidget,
    QToolBar,
    QWidget,
)

from forensicviewer.app.commands.command import available
from forensicviewer.app.language.words import tr
from forensicviewer.app.runtime.garbage import making_what_stays
from forensicviewer.app.runtime.jobs import Lane
from forensicviewer.app.session.desk import Desk
from forensicviewer.app.session.logbook import Logbook
from forensicviewer.app.session.session_file import rescue_session
from forensicviewer.app.workbench.scope import Scope, scope_of
from forensicviewer.app.workbench.state import usual_panes
from forensicviewer.ui.dialogs.actions import Actions
from forensicviewer.ui.shell.notices import Notice
from forensicviewer.ui.shell.parts import import_panels, import_work, make_page
from forensicviewer.ui.shell.restyling import paint_by_parts
from forensicviewer.ui.widgets.key_names import keys_in
from forensicviewer.ui.widgets.page import Handler, Page
from forensicviewer.ui.widgets.theme import application_icon
from forensicviewer.ui.widgets.watch import WATCH, Watch

if TYPE_CHECKING:
    from forensicviewer.ui.shell.docks import Docks
    from forensicviewer.ui.shell.rescue import RescueOffer

_PREPARE_LANE = Lane("prepare")
_RESCUE_LANE = Lane("rescue", is_far=True)

# Raised when panels come or go: an older arrangement is then not restored, so it cannot hide any.
_STATE_VERSION = 2

_SAID_MS = 6_000
_LEAST_MIDDLE_PX = (280, 200)
# Before anyone has chosen a size: on a large screen most of it goes to the images, and no further
# than the eye goes along.
_FIRST_PX, _FIRST_SHARE, _FIRST_MOST_PX = (1440, 900), 0.9, (2400, 1500)
# Every layout fits into it, in every language; and it fits, with the title above it, on a screen of
# full HD at two pixels for one.
_LEAST_PX = (820, 500)
# Titles of windows are lower than that everywhere.
_TITLE_PX = 48


def first_size(screen: QSize) -> QSize:
    """How large the window wants to be when it is first opened; perhaps more than there is."""
    return (screen * _FIRST_SHARE).boundedTo(QSize(*_FIRST_MOST_PX)).expandedTo(QSize(*_FIRST_PX))


def fills(screen: QSize, size: QSize) -> bool:
    """Whether a window of that size, with the title above it, leaves nothing of a screen."""
    return size.width() >= screen.width() or size.height() + _TITLE_PX > screen.height()


class Frame(QMainWindow):
    """Holds pages and panels, and remembers where they stood.

    Pages and panels are made when they are first needed: the frame is on the screen before the
    slow parts of the program are imported.
    """

    def __init__(self, desk: Desk, watch: Watch | None = None) -> None:
        super().__init__()
        self.desk = desk
        self.logbook = Logbook(desk.workbench)
        self.watch = watch or WATCH
        self._kept = desk.arrangements
        self._pages: dict[Scope, Page] = {}
        self._docks: Docks | None = None
        self._when_prepared: list[Callable[[], None]] = []
        self._panel_imports = import_panels()
        self._arranged = ""
        self.setWindowTitle("forensicviewer")
        self.setWindowIcon(application_icon())
        self.setDockOptions(
            QMainWindow.DockOption.AllowNestedDocks | QMainWindow.DockOption.AllowTabbedDocks
        )
        self.setTabPosition(
            Qt.DockWidgetArea.AllDockWidgetAreas,
            self.tabPosition(Qt.DockWidgetArea.TopDockWidgetArea),
        )
        self.commands = Actions(self, desk.settings)
        desk.settings.subscribe(self._show_keys)
        self.toolbar = self._make_toolbar()
        self.commands.fill_menus()
        # Panels are closed by their own buttons, too.
        self.commands.menus["View/Panels"].aboutToShow.connect(self.refresh)
        self.stack = QStackedWidget()
        # Pages ask for much while they are laid out; panels must not be squeezed for it for good.
        self.stack.setMinimumSize(*_LEAST_MIDDLE_PX)
        self.setCentralWidget(self.stack)
        self.stack.currentChanged.connect(self._bind_page)
        self.notice = Notice(self)
        self.offer: RescueOffer | None = None
        # Said once, not left to the layouts: with each another least size, a window on a screen of
        # one and a half pixels for one would become smaller by a rounding every time.
        screen = QGuiApplication.primaryScreen().availableGeometry().size()
        self.setMinimumSize(QSize(*_LEAST_PX).boundedTo(screen))
        self._restore_geometry()

    # Pages and panels

    @property
    def page(self) -> Page | None:
        """The page in the middle; ``None`` while nothing is open."""
        found = self.stack.currentWidget()
        return found if isinstance(found, Page) else None

    @property
    def docks(self) -> Docks:
        """The panels, all of them made."""
        docks = self._docks_so_far()
        while docks.make_next():
            pass
        return docks

    def _docks_so_far(self) -> Docks:
        """The panels made until now; this imports a good part of the program."""
        if self._docks is None:
            from forensicviewer.ui.shell.docks import Docks

            self._docks = Docks(self, self.desk)
            self.tabifiedDockWidgetActivated.connect(lambda _: self.notice.follow())
        return self._docks

    def when_prepared(self, then: Callable[[], None]) -> None:
        """Do something once the panels and the images' page are there.

        Until then the work they do is imported in the background, and they themselves are imported
        and made one a turn of the event loop: PySide's classes must not be met by two threads for
        the first time.
        """
        self._when_prepared.append(then)
        if len(self._when_prepared) == 1:
            self.desk.jobs.submit(_PREPARE_LANE, import_work, lambda _: self._prepare_more())

    def _prepare_more(self) -> None:
        with making_what_stays():
            is_made = self._prepares_one()
        if is_made:
            self.desk.jobs.soon(self._prepare_more)
            return
        waiting, self._when_prepared = self._when_prepared, []
        for then in waiting:
            self.desk.jobs.soon(then)

    def _prepares_one(self) -> bool:
        """Import or make the next part; ``False`` when all of them are there."""
        if next(self._panel_imports, None) is not None:
            return True
        if Scope.STILLS not in self._pages:
            self.page_for(Scope.STILLS)
            return True
        return self._docks_so_far().make_next()

    def show_panel(self, name: str) -> None:
        if self.desk.workbench.state.dataset is not None or name in ("problems", "jobs"):
            dock = self.docks.docks[name]
            if self.dockWidgetArea(dock) == Qt.DockWidgetArea.NoDockWidgetArea:
                # Nothing was opened, so nothing is arranged yet: it would lie across the menus.
                self.addDockWidget(Qt.DockWidgetArea.BottomDockWidgetArea, dock)
            self.docks.show(name)
            self.notice.follow()

    def toggle_panel(self, name: str) -> None:
        """Bring a panel up, or close it."""
        if self.has_panel(name):
            self.docks.docks[name].close()
        else:
            self.show_panel(name)

    def has_panel(self, name: str) -> bool:
        """Whether a panel is open, be it behind another tab."""
        made = {} if self._docks is None else self._docks.docks
        return name in made and not made[name].isHidden()

    def show_manual(self, link: str) -> None:
        """Open the manual at one of its pages; a turn for each step, for none of them is quick."""
        for step in (_import_parser, _import_manual):
            self.desk.jobs.soon(step)
        self.desk.jobs.soon(partial(self._open_manual, link))

    def _open_manual(self, link: str) -> None:
        from forensicviewer.ui.dialogs.manual import ManualWindow

        opened = self.findChild(ManualWindow)
        manual = opened or ManualWindow(self.commands, self.desk.workbench, self)
        manual.open_at(link)
        for step in (manual.polish, manual.come_up):
            self.desk.jobs.soon(step)

    def show_once(self, kind: type[QDialog], make: Callable[[], QDialog]) -> None:
        """Show a dialog that stays beside the window; asked for again, it comes to the front."""
        shown = next((dialog for dialog in self.findChildren(kind) if dialog.isVisible()), None)
        dialog = make() if shown is None else shown
        dialog.show()
        dialog.raise_()
        dialog.activateWindow()

    def focused_panel(self) -> str:
        """The panel that has the keyboard; empty where the page has it."""
        focused, made = self.focusWidget(), {} if self._docks is None else self._docks.docks
        found = (name for name, dock in made.items() if focused and dock.isAncestorOf(focused))
        return next(found, "")

    def page_for(self, scope: Scope) -> Page:
        """The page for tasks of one scope, made when first asked for."""
        if scope not in self._pages:
            page = make_page(scope, self.desk.workbench, self.stack)
            page.tell = self.notice.tell
            page.open_manual = self.show_manual
            page.keys = keys_in(self.desk.settings)
            page.show_keys()
            self._pages[scope] = page
            self.stack.addWidget(page)
            self.commands.bind(self._handlers_of(page))
        return self._pages[scope]

    def _show_keys(self, changed: str) -> None:
        if changed == "shortcuts":
            for page in self._pages.values():
                page.show_keys()

    def _bind_page(self) -> None:
        """Have commands that several pages share mean the one that is seen."""
        if self.page is not None:
            self.commands.bind(self._handlers_of(self.page))

    # Layouts

    def choose_layout(self, name: str) -> None:
        """Arrange the panels, and the panes of the images' page, for one kind of work."""
        self.desk.choose_layout(name)
        self.turn_to_layout()

    def turn_to_layout(self) -> None:
        """Show the layout the desk has now."""
        self.keep_arrangement()
        # A turn for each: together they would keep the window.
        self.desk.jobs.soon(self.arrange)
        self.desk.jobs.soon(self._show_panes)

    def _show_panes(self) -> None:
        from forensicviewer.ui.shell.docks import LAYOUTS

        panes = LAYOUTS[self.desk.layout].panes
        if panes is not None and self.desk.workbench.state.dataset is not None:
            self.desk.workbench.set_panes(usual_panes(panes, self.desk.workbench.state.task))
        self.refresh()

    def reset_layout(self) -> None:
        """Put every panel back to its place in this layout."""
        self._kept.remove(f"layout/{self.desk.layout}")
        self.arrange()

    def arrange(self) -> None:
        """Put the panels where the layout, or the user's change of it, wants them."""
        from forensicviewer.ui.shell.docks import LAYOUTS

        focused = self.focusWidget()
        kept = self._kept.get(f"layout/{self.desk.layout}")
        if kept is None or not self.restoreState(kept, _STATE_VERSION):
            self.docks.arrange(LAYOUTS[self.desk.layout])
        self.docks.hide_stale_tabs()
        self.notice.follow()
        self._arranged = self.desk.layout
        paint_by_parts(self, self.desk.jobs.soon)
        if focused is not None:
            # Once the panels are where they belong.
            self.desk.jobs.soon(partial(self._keep_focus, focused))

    def _keep_focus(self, focused: QWidget) -> None:
        """Give the keyboard back to whom it was taken from, or to the trials where that one went.

        If its panel moves or closes, the next widget gets it, often a row of tabs.
        """
        is_there = shiboken6.isValid(focused) and focused.isVisible() and self._is_in_sight(focused)
        heir = focused if is_there else self.docks.browser.table
        if self.focusWidget() is not heir:
            heir.setFocus()

    def keep_arrangement(self) -> None:
        """Remember where the panels stand in this layout."""
        if self._arranged and self.desk.workbench.state.dataset is not None:
            # Not the layout's name: another may be chosen already that is not arranged yet.
            self._kept.put(f"layout/{self._arranged}", bytes(self.saveState(_STATE_VERSION).data()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.notice.follow()
        if self._arranged and event.size().width() < event.oldSize().width():
            # Once the page has its new size.
            self.desk.jobs.soon(self._make_room)

    def _make_room(self) -> None:
        from forensicviewer.ui.shell.docks import LAYOUTS

        if self.page is not None:
            self.docks.make_room(LAYOUTS[self._arranged])

    def _handlers_of(self, page: Page) -> dict[str, Handler]:
        """What a page does; Escape closes a message before it ends a comparison."""
        handlers = dict(page.handlers())
        ending = handlers.get("compare.off")
        if ending is not None:
            run = ending.run
            close_first = Handler(lambda: None if self._dismiss() else run())
            handlers["compare.off"] = close_first
        return handlers

    def offer_rescued(self) -> None:
        """Offer to continue what was open when the program was cut off."""

        def offer(rescued: Path | None) -> None:
            if rescued is not None:
                from forensicviewer.ui.shell.rescue import RescueOffer

                say = partial(self.statusBar().showMessage, timeout=_SAID_MS)
                self.offer = RescueOffer(self.toolbar, self.desk, rescued, say=say)

        self.desk.jobs.submit(_RESCUE_LANE, rescue_session, offer)

    def _dismiss(self) -> bool:
        """Close what the window says by itself, the newest first; whether there was anything."""
        return self.notice.dismiss() or (self.offer is not None and self.offer.dismiss())

    def focusNextPrevChild(self, next: bool) -> bool:  # noqa: A002, FBT001 - Qt calls it so
        """Go on with Tab to what is in sight: for Qt, panels behind other tabs are visible."""
        passed: list[QWidget] = []
        while super().focusNextPrevChild(next):
            now = QApplication.focusWidget()
            if now is None or now in passed or self._is_in_sight(now):
                return True
            passed.append(now)
        return False

    def _is_in_sight(self, widget: QWidget) -> bool:
        """Whether the part of the window a widget belongs to is; scrolled away, it comes back."""
        part, above = widget, widget.parentWidget()
        while above is not None and above is not self:
            part, above = above, above.parentWidget()
        return not part.visibleRegion().isEmpty()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() != Qt.Key.Key_Escape or not self._dismiss():
            super().keyPressEvent(event)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        if not event.isAutoRepeat():
            self.commands.release(QKeySequence(event.keyCombination()))
        super().keyReleaseEvent(event)

    def toggle_full_screen(self) -> None:
        self.setWindowState(self.windowState() ^ Qt.WindowState.WindowFullScreen)

    def refresh(self) -> None:
        """Bring menus and toolbar up to date."""
        bench = self.desk.workbench
        found = available(bench.state, undo=bench.undo_label, redo=bench.redo_label)
        kind = None if bench.state.task is None else bench.state.task.kind
        self.commands.refresh(found, scope_of(kind))
        undo, redo = bench.undo_label, bench.redo_label
        self.commands["edit.undo"].setText(
            tr("Undo") if undo is None else tr("Undo {edit}", edit=undo)
        )
        self.commands["edit.redo"].setText(
            tr("Redo") if redo is None else tr("Redo {edit}", edit=redo)
        )

    def _make_toolbar(self) -> QToolBar:
        toolbar = QToolBar(tr("Toolbar"))
        toolbar.setObjectName("toolbar")
        toolbar.setMovable(False)
        toolbar.setIconSize(QSize(20, 20))
        toolbar.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        self.commands.fill_toolbar(toolbar)
        self.addToolBar(toolbar)
        return toolbar

    def _restore_geometry(self) -> None:
        kept = self._kept.get("geometry")
        if kept is None or not self.restoreGeometry(kept):
            self._take_first_size()
        self._pull_onto_screen()

    def _take_first_size(self) -> None:
        screen = QGuiApplication.primaryScreen().availableGeometry().size()
        first = first_size(screen)
        self.resize(first.boundedTo(screen))
        if fills(screen, first):
            # The frame of the window, and with it the status bar, stays on a small screen.
            self.setWindowState(self.windowState() | Qt.WindowState.WindowMaximized)

    def _pull_onto_screen(self) -> None:
        """A monitor may be gone since the window was last closed."""
        screen = QGuiApplication.screenAt(self.frameGeometry().center())
        if screen is None:
            area = QGuiApplication.primaryScreen().availableGeometry()
            self.resize(self.size().boundedTo(area.size()))
            self.move(area.topLeft())

    def keep_geometry(self) -> None:
        """Remember where the window stands."""
        self._kept.put("geometry", bytes(self.saveGeometry().data()))

    def let_go_parts(self) -> None:
        """Stop pages and panels from listening."""
        self.logbook.let_go()
        if self.offer is not None:
            self.offer.dismiss()
        for page in self._pages.values():
            page.let_go()
        if self._docks is not None:
            self._docks.let_go()


def _import_parser() -> None:
    import markdown_it  # noqa: F401 - the manual reads its pages with it


def _import_manual() -> None:
    from forensicviewer.ui.dialogs import manual  # noqa: F401 - the next turn uses it
