"""What the window's own commands do: its menus, clipboard, layouts, themes and help."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from PySide6.QtGui import QGuiApplication

from forensicviewer.app.commands.view_table import PANELS
from forensicviewer.app.language.words import tr, tr_many
from forensicviewer.app.runtime.jobs import Lane
from forensicviewer.app.settings import PALETTE, THEME
from forensicviewer.app.workbench.scope import scope_of
from forensicviewer.app.workbench.state import SystemStyle
from forensicviewer.core.palette import PaletteName
from forensicviewer.ui.shell.commands.dispute_commands import DisputeCommands
from forensicviewer.ui.shell.commands.file_commands import FileCommands
from forensicviewer.ui.shell.commands.mark_commands import MarkCommands
from forensicviewer.ui.shell.commands.review_commands import ReviewCommands
from forensicviewer.ui.shell.commands.submission_commands import SubmissionCommands
from forensicviewer.ui.shell.commands.trial_commands import TrialCommands
from forensicviewer.ui.shell.window_frame import Frame
from forensicviewer.ui.widgets.page import Handler

_COPY_LANE = Lane("copy")


class WindowCommands:
    """The handlers of one window."""

    def __init__(self, window: Frame) -> None:
        self._window = window
        self._desk = window.desk
        self._bench = window.desk.workbench
        self.files = FileCommands(window)
        self._trials = TrialCommands(window)
        self._disputes = DisputeCommands(window)
        self._marking = MarkCommands(window)
        # Commands chosen in the palette, the last one first.
        self._used: list[str] = []

    def handlers(self) -> Mapping[str, Handler]:
        return {
            **self.files.handlers(),
            **self._edits(),
            **self._trials.handlers(),
            **self._views(),
            **self._help(),
            **SubmissionCommands(self._window).handlers(),
            **self._disputes.handlers(),
            **ReviewCommands(self._window).handlers(),
            **self._marking.handlers(),
        }

    # Edits

    def _edits(self) -> dict[str, Handler]:
        window, bench = self._window, self._bench
        return {
            "edit.undo": Handler(self._undo),
            "edit.redo": Handler(self._redo),
            "edit.copy_view": Handler(self._copy_view),
            "edit.copy_path": Handler(self._copy_path),
            "edit.copy_pixel": Handler(self._copy_pixel),
            "edit.copy_position": Handler(self._copy_position),
            "edit.copy_metrics": Handler(lambda: window.docks.metrics.copy()),
            "edit.copy_trials": Handler(self._copy_trials),
            "edit.copy_query": Handler(lambda: window.docks.operations.copy_query()),
            "edit.copy_command": Handler(self._copy_command),
            "edit.filter": Handler(self._focus_filter),
            "edit.clear_filter": Handler(lambda: window.docks.browser.clear_filter()),
            "edit.save_filter": Handler(lambda: window.docks.browser.save_filter()),
            "edit.columns": Handler(self._choose_columns),
            "edit.select_operations": Handler(lambda: bench.set_selected_operations(None)),
            "edit.settings": Handler(self._settings),
            "edit.shortcuts": Handler(self._key_sheet),
        }

    def _copy_view(self) -> None:
        browser = self._window.docks.browser
        if browser.table.hasFocus() and len(browser.table.chosen_places) > 1:
            # Whoever selects several rows and copies means them.
            self._copy_trials()
        elif self._window.page is not None:
            QGuiApplication.clipboard().setImage(self._window.page.picture())
            self._window.notice.tell(tr("The view was copied to the clipboard"))

    def _copy_pixel(self) -> None:
        if self._window.page is not None:
            self._window.page.copy_pixel()

    def _copy_position(self) -> None:
        from forensicviewer.app.workbench.inspection import inspect

        report = inspect(self._bench.state)
        if report is not None:
            QGuiApplication.clipboard().setText(f"{report.x}, {report.y}")

    def _copy_command(self) -> None:
        from forensicviewer.app.workbench.score_command import score_command

        QGuiApplication.clipboard().setText(score_command(self._bench.state))
        self._window.notice.tell(tr("The command was copied to the clipboard"))

    def _copy_path(self) -> None:
        self.files.with_media(lambda path: QGuiApplication.clipboard().setText(str(path)))

    def _undo(self) -> None:
        """Take the last edit back, and say which: a verdict may be on a trial out of sight."""
        edit = self._bench.undo_label
        self._bench.undo()
        if edit is not None:
            self._window.notice.tell(tr("Undone: {edit}", edit=edit))

    def _redo(self) -> None:
        edit = self._bench.redo_label
        self._bench.redo()
        if edit is not None:
            self._window.notice.tell(tr("Redone: {edit}", edit=edit))

    def _copy_trials(self) -> None:
        """Copy the selected rows with the columns in sight."""
        from forensicviewer.app.report.separated_text import as_text

        library, browser = self._desk.trials.library, self._window.docks.browser
        rows = self._desk.trials.rows[browser.table.chosen_places]
        if library is None or not len(rows):
            return
        names = browser.columns.shown

        def take(text: str) -> None:
            QGuiApplication.clipboard().setText(text)
            self._window.notice.tell(
                tr_many(
                    "{count} row was copied to the clipboard",
                    "{count} rows were copied to the clipboard",
                    len(rows),
                )
            )

        self._desk.jobs.submit(
            _COPY_LANE,
            lambda: as_text(names, library.cells(rows, names), separator="\t"),
            take,
            title=tr("Copying rows"),
        )

    def _focus_filter(self) -> None:
        self._window.show_panel("trials")
        self._window.docks.browser.focus_filter()

    def _choose_columns(self) -> None:
        self._window.show_panel("trials")
        self._window.docks.browser.choose_columns()

    def _settings(self) -> None:
        from forensicviewer.ui.dialogs.settings import SettingsDialog

        desk, window = self._desk, self._window
        SettingsDialog(desk.settings, desk.jobs, window, tell=window.notice.tell).open()

    def _key_sheet(self) -> None:
        from forensicviewer.ui.dialogs.key_sheet import KeySheet

        window = self._window
        window.show_once(KeySheet, lambda: KeySheet(window.commands, self._desk.settings, window))

    # Views

    def _views(self) -> dict[str, Handler]:
        window, settings = self._window, self._desk.settings
        found = {
            "layout.reset": Handler(window.reset_layout),
            "view.toolbar": Handler(
                lambda: window.toolbar.setVisible(not window.toolbar.isVisible()),
                lambda: window.toolbar.isVisible(),
            ),
            "view.full_screen": Handler(window.toggle_full_screen, window.isFullScreen),
        }
        for name in ("inspect", "annotate", "adjudicate", "video", "graph", "detect"):
            found[f"layout.{name}"] = Handler(
                partial(window.choose_layout, name), partial(self._has_layout, name)
            )
        for name in PANELS:
            found[f"panel.{name}"] = Handler(
                partial(window.toggle_panel, name), partial(window.has_panel, name)
            )
        for name in ("system", "light", "dark"):
            found[f"theme.{name}"] = Handler(
                partial(settings.change, THEME, name), partial(self._has_theme, name)
            )
        for palette in PaletteName:
            found[f"view.palette_{palette.name.lower()}"] = Handler(
                partial(settings.change, PALETTE, palette.name),
                partial(self._has_palette, palette),
            )
        for style in SystemStyle:
            found[f"view.system_{style.value}"] = Handler(
                partial(self._bench.set_look, tr("system mask"), system=style),
                partial(self._has_style, style),
            )
        return found

    def _has_layout(self, name: str) -> bool:
        return self._desk.layout == name

    def _has_theme(self, name: str) -> bool:
        return self._desk.settings.of(THEME) == name

    def _has_palette(self, palette: PaletteName) -> bool:
        return self._bench.state.look.palette is palette

    def _has_style(self, style: SystemStyle) -> bool:
        return self._bench.state.look.system is style

    # Help

    def _explain(self) -> None:
        """Explain page and panes, or not any more."""
        from forensicviewer.app.workbench.explanation import NOTHING_OPEN

        state = self._bench.state
        if state.task is None:
            self._window.notice.tell(tr(NOTHING_OPEN))
        else:
            self._bench.set_look(tr("explanations"), has_captions=not state.look.has_captions)

    def _explains(self) -> bool:
        return self._bench.state.look.has_captions

    def _manual(self) -> None:
        """Open the manual at the page about what is looked at."""
        from forensicviewer.app.commands.manual import page_about

        task = self._bench.state.task
        scope = None if task is None else scope_of(task.kind)
        self._window.show_manual(page_about(scope, self._window.focused_panel()))

    def _help(self) -> dict[str, Handler]:
        return {
            "help.palette": Handler(self._palette),
            "help.manual": Handler(self._manual),
            "help.keys": Handler(self._key_sheet),
            "help.whats_this": Handler(self._explain, self._explains),
            "help.performance": Handler(self._performance),
            "help.log": Handler(self._log),
            "help.folder": Handler(self._folder),
            "help.selftest": Handler(self._selftest),
            "help.about": Handler(self._about),
        }

    def _palette(self) -> None:
        from forensicviewer.ui.dialogs.command_palette import command_palette

        window = self._window
        command_palette(window, window.commands, self._used).open_over(window)

    def _performance(self) -> None:
        from forensicviewer.ui.dialogs.help import PerformanceDialog

        window = self._window
        window.show_once(PerformanceDialog, lambda: PerformanceDialog(window.watch, window))

    def _log(self) -> None:
        from forensicviewer.ui.dialogs.help import LogDialog

        window = self._window
        window.show_once(LogDialog, lambda: LogDialog(window.logbook, window))

    def _folder(self) -> None:
        from forensicviewer.ui.dialogs.help import show_report_folder

        show_report_folder()

    def _selftest(self) -> None:
        from forensicviewer.ui.dialogs.selftest import SelftestDialog

        self._window.show_once(SelftestDialog, lambda: SelftestDialog(self._window))

    def _about(self) -> None:
        from forensicviewer.ui.dialogs.help import AboutDialog

        AboutDialog(self._desk.jobs, self._window).open()
