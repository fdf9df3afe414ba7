"""What the window's own commands do: files, clipboard, trials, layouts, themes and help."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog

from forensicviewer.app.commands.manual import page_about
from forensicviewer.app.commands.view_table import PANELS
from forensicviewer.app.detection.disagreement import disagreements
from forensicviewer.app.judging.findings import ARCHIVE, PAGE
from forensicviewer.app.judging.verdict_log import SUFFIX as LOG_SUFFIX
from forensicviewer.app.judging.verdict_table import write_verdicts
from forensicviewer.app.language.words import tr, tr_many
from forensicviewer.app.report.separated_text import as_text, write_table
from forensicviewer.app.runtime.atomic import write_bytes
from forensicviewer.app.runtime.jobs import Lane
from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.app.session.recent import PlaceKind
from forensicviewer.app.session.session_file import SUFFIX
from forensicviewer.app.settings import PALETTE, THEME
from forensicviewer.app.workbench.explanation import NOTHING_OPEN
from forensicviewer.app.workbench.inspection import inspect
from forensicviewer.app.workbench.media_path import media_path
from forensicviewer.app.workbench.scope import scope_of
from forensicviewer.app.workbench.score_command import score_command
from forensicviewer.app.workbench.state import SystemStyle
from forensicviewer.core.model import TrialId
from forensicviewer.core.overlay import PaletteName
from forensicviewer.core.problem import ForensicViewerError
from forensicviewer.core.verdict import Ruling
from forensicviewer.ui.dialogs.command_palette import command_palette, trial_palette
from forensicviewer.ui.dialogs.help import (
    AboutDialog,
    LogDialog,
    PerformanceDialog,
    show_once,
    show_report_folder,
)
from forensicviewer.ui.dialogs.key_sheet import KeySheet
from forensicviewer.ui.dialogs.settings import SettingsDialog
from forensicviewer.ui.panes.export import full_picture, save_picture, sheet_now
from forensicviewer.ui.shell.window_frame import Frame
from forensicviewer.ui.widgets.file_manager import show_folder
from forensicviewer.ui.widgets.page import Handler
from forensicviewer.ui.widgets.save_dialog import ask_where, opened_places, write_in_background

if TYPE_CHECKING:
    from forensicviewer.app.trials.rule_comparison import RuleComparison

_COPY_LANE = Lane("copy")
_DISAGREEMENT_LANE = Lane("disagreement")
_RULES_LANE = Lane("rules")
_PATH_LANE = Lane("path", is_far=True)

_SUBMISSIONS = "*.csv *.tgz *.tar.gz *.tar.bz2 *.tar.xz *.tar *.zip"


def _kinds(*named: tuple[str, str]) -> str:
    """Kinds of files as Qt's dialogs take them."""
    return ";;".join(f"{name} ({endings})" for name, endings in named)


def _any_file() -> tuple[str, str]:
    return tr("All files"), "*"


def _sessions() -> str:
    return _kinds((tr("Sessions"), f"*{SUFFIX}"))


def _tables() -> tuple[tuple[str, str], ...]:
    return (tr("Comma-separated"), "*.csv"), (tr("Tab-separated"), "*.tsv")


class WindowCommands:
    """The handlers of one window."""

    def __init__(self, window: Frame) -> None:
        self._window = window
        self._desk = window.desk
        self._bench = window.desk.workbench
        self._last_disputed: TrialId | None = None
        # Commands chosen in the palette, the last one first.
        self._used: list[str] = []

    def handlers(self) -> Mapping[str, Handler]:
        return {
            **self._files(),
            **self._edits(),
            **self._trials(),
            **self._views(),
            **self._help(),
        }

    # Files

    def _files(self) -> dict[str, Handler]:
        desk = self._desk
        return {
            "file.open_dataset": Handler(self._open_dataset),
            "file.open_submission": Handler(self._open_submission),
            "file.open_table": Handler(self._open_table),
            "file.open_sample": Handler(desk.open_sample),
            "file.reload": Handler(desk.reload),
            "file.close_submission": Handler(desk.close_submission),
            "file.close_dataset": Handler(desk.close_dataset),
            "file.open_session": Handler(self._open_session),
            "file.save_session": Handler(self._save_session),
            "file.export_view": Handler(self._export_view),
            "file.export_full": Handler(self._export_full),
            "file.export_trials": Handler(self._export_trials),
            "file.export_verdicts": Handler(self._export_verdicts),
            "file.add_verdicts": Handler(self._add_verdicts),
            "file.documents": Handler(self._show_documents),
            "file.show_folder": Handler(self._show_folder),
            "file.quit": Handler(self._quit),
        }

    def _show_documents(self) -> None:
        from forensicviewer.ui.dialogs.documents import show_documents

        show_documents(self._bench.state, self._desk.jobs, self._window)

    def _quit(self) -> None:
        self._window.close()

    def _open_dataset(self) -> None:
        near = self._near(PlaceKind.DATASET)
        chosen = QFileDialog.getExistingDirectory(self._window, tr("Open dataset"), near)
        if chosen:
            self._desk.open_named(OpenRequest(Path(chosen)))

    def _open_submission(self) -> None:
        kinds = _kinds((tr("Submissions"), _SUBMISSIONS), _any_file())
        names, _ = QFileDialog.getOpenFileNames(
            self._window, tr("Open submission"), self._near(PlaceKind.SUBMISSION), kinds
        )
        paths = [Path(name) for name in names]
        if paths and self._bench.state.dataset is None:
            self.open_with_dataset(paths)
        elif paths:
            self._desk.open_submissions(paths)

    def open_with_dataset(self, submissions: Sequence[Path]) -> None:
        """Ask for the dataset that submissions answer, and open all of it."""
        title = tr("Which dataset does {name} answer?", name=submissions[0].name)
        near = str(submissions[0].parent)
        chosen = QFileDialog.getExistingDirectory(self._window, title, near)
        if chosen:
            self._desk.open(OpenRequest(Path(chosen), tuple(submissions)))

    def find_dataset_of(self, session: Path) -> None:
        """Ask where the dataset of a session is now, and continue the session there."""
        near = self._near(PlaceKind.DATASET)
        title = tr("Where is the dataset now?")
        chosen = QFileDialog.getExistingDirectory(self._window, title, near)
        if chosen:
            self._desk.open_session(session, dataset=Path(chosen))

    def _near(self, kind: PlaceKind) -> str:
        """Where to begin looking: beside what was opened last, of the same kind if possible."""
        places = sorted(self._desk.recent.places, key=lambda place: place.kind is not kind)
        return str(Path(places[0].path).parent) if places else ""

    def _open_table(self) -> None:
        name, _ = QFileDialog.getOpenFileName(
            self._window,
            tr("Open table as dataset"),
            self._near(PlaceKind.DATASET),
            _kinds((tr("Tables"), "*.csv"), _any_file()),
        )
        if name:
            self._desk.open_named(OpenRequest(Path(name)))

    def _open_session(self) -> None:
        near = self._near(PlaceKind.SESSION)
        name, _ = QFileDialog.getOpenFileName(self._window, tr("Open session"), near, _sessions())
        if name:
            self._desk.open_session(Path(name))

    def _ask_where(self, title: str, proposed: str, kinds: str) -> Path | None:
        inputs = opened_places(self._bench.state)
        return ask_where(self._window, title, proposed, kinds, inputs=inputs)

    def _save_session(self) -> None:
        proposed = f"{self._stem()}{SUFFIX}"
        path = self._ask_where(tr("Save session"), proposed, _sessions())
        if path is not None:
            self._desk.save_session(path)

    def _export_view(self) -> None:
        kinds = _kinds((tr("Pictures"), "*.png"), (tr("Drawings"), "*.svg"))
        path = self._ask_where(tr("Export view"), f"{self._stem()}.png", kinds)
        if path is not None:
            self.export_view(path)

    def export_view(self, path: Path) -> None:
        """Write what the page shows; the file's name decides what it becomes."""
        page = self._window.page
        if page is None:
            return
        content = page.content(".svg") if path.suffix.lower() == ".svg" else None
        if content is not None:
            work = partial(write_bytes, path, content)
        else:
            picture = page.picture()
            work = partial(save_picture, picture, path)
        self._export(work, path)

    def _export_full(self) -> None:
        title, proposed = tr("Export pane at full resolution"), f"{self._stem()}-full.png"
        path = self._ask_where(title, proposed, _kinds((tr("Pictures"), "*.png")))
        if path is not None:
            self.export_full(path)

    def export_full(self, path: Path) -> None:
        """Write the active pane at full resolution, in the background: it may be large."""
        state, sheet = self._bench.state, sheet_now()
        self._export(lambda: save_picture(full_picture(state, sheet=sheet), path), path)

    def _export_trials(self) -> None:
        title, proposed = tr("Export trial table"), f"{self._stem()}-trials.csv"
        path = self._ask_where(title, proposed, _kinds(*_tables()))
        if path is not None:
            self.export_trials(path)

    def export_trials(self, path: Path) -> None:
        """Write the listed trials in their order."""
        library = self._desk.trials.library
        if library is not None:
            rows = self._desk.trials.rows
            self._export(
                lambda: write_table(path, library.names, library.cells(rows, library.names)), path
            )

    def _export_verdicts(self) -> None:
        book, dataset = self._desk.judging.book, self._bench.state.dataset
        if book is None or dataset is None or not book.entries:
            self._window.notice.tell(tr("There is no verdict yet"))
            return
        kinds = _kinds(
            *_tables(),
            (tr("Page with pictures"), f"*{PAGE}"),
            (tr("Archive of tables, pictures, page and logs"), f"*{ARCHIVE}"),
            (tr("My log, for another judge"), f"*{LOG_SUFFIX}"),
        )
        proposed = f"{dataset.name}-verdicts.csv"
        path = self._ask_where(tr("Export verdicts"), proposed, kinds)
        if path is not None and path.suffix.lower() in (PAGE, ARCHIVE):
            from forensicviewer.ui.judging.findings import export_findings

            export_findings(self._bench, book, path, self._window.notice.tell)
        elif path is not None:
            self._export(partial(write_verdicts, book, path), path)

    def _add_verdicts(self) -> None:
        kinds = _kinds((tr("Verdict logs"), f"*{LOG_SUFFIX}"), _any_file())
        title = tr("Add another judge's verdicts")
        name, _ = QFileDialog.getOpenFileName(self._window, title, filter=kinds)
        if name:
            self._desk.judging.add_log(Path(name))

    def _export(self, work: Callable[[], None], path: Path) -> None:
        write_in_background(self._bench, path, work, self._window.notice.tell)

    def _show_folder(self) -> None:
        self._with_media(lambda path: show_folder(path.parent))

    def _with_media(self, use: Callable[[Path], object]) -> None:
        """Find the file of the picture looked at, on a disk that may be slow, and use its path."""

        def take(path: Path | None) -> None:
            if path is not None:
                use(path)

        self._desk.jobs.submit(_PATH_LANE, partial(media_path, self._bench.state), take)

    def _stem(self) -> str:
        state = self._bench.state
        parts = (
            "" if state.dataset is None else state.dataset.name,
            state.trial_id or "",
            "" if state.submission is None else state.submission.name,
        )
        return "-".join(part.replace("/", "_") for part in parts if part)

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
            self._window.notice.tell(tr("The view is on the clipboard"))

    def _copy_pixel(self) -> None:
        if self._window.page is not None:
            self._window.page.copy_pixel()

    def _copy_position(self) -> None:
        report = inspect(self._bench.state)
        if report is not None:
            QGuiApplication.clipboard().setText(f"{report.x}, {report.y}")

    def _copy_command(self) -> None:
        QGuiApplication.clipboard().setText(score_command(self._bench.state))
        self._window.notice.tell(tr("The command is on the clipboard"))

    def _copy_path(self) -> None:
        self._with_media(lambda path: QGuiApplication.clipboard().setText(str(path)))

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
            self._window.notice.tell(tr("Done again: {edit}", edit=edit))

    def _copy_trials(self) -> None:
        """Copy the selected rows with the columns in sight."""
        library, browser = self._desk.trials.library, self._window.docks.browser
        rows = self._desk.trials.rows[browser.table.chosen_places]
        if library is None or not len(rows):
            return
        names = browser.columns.shown

        def take(text: str) -> None:
            QGuiApplication.clipboard().setText(text)
            self._window.notice.tell(
                tr_many(
                    "{count} row is on the clipboard",
                    "{count} rows are on the clipboard",
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
        desk, window = self._desk, self._window
        SettingsDialog(desk.settings, desk.jobs, window, tell=window.notice.tell).open()

    def _key_sheet(self) -> None:
        window = self._window
        show_once(window, KeySheet, lambda: KeySheet(window.commands, self._desk.settings, window))

    # Trials

    def _trials(self) -> dict[str, Handler]:
        desk, trials = self._desk, self._desk.trials
        found = {
            "trial.previous": Handler(partial(trials.step, -1)),
            "trial.next": Handler(partial(trials.step, 1)),
            "trial.first": Handler(partial(trials.select_place, 0)),
            "trial.last": Handler(lambda: trials.select_place(len(trials) - 1)),
            "trial.next_unreviewed": Handler(self._next_unreviewed),
            "trial.next_worst": Handler(self._next_worst),
            "trial.next_disagreement": Handler(self._next_disagreement),
            "trial.go_to": Handler(self._go_to_trial),
            "trial.rules": Handler(self._compare_rules),
            "verdict.retract": Handler(desk.judging.retract),
            "verdict.note": Handler(self._write_note),
            "verdict.note_pixel": Handler(self._write_note_here),
            "system.next": Handler(self._next_system),
            "system.rival": Handler(
                self._toggle_rival, lambda: self._bench.state.rival is not None
            ),
        }
        for ruling in Ruling:
            found[f"verdict.{ruling.value}"] = Handler(partial(self._say, ruling))
        return found

    def _say(self, ruling: Ruling) -> None:
        panel = self._window.docks.adjudicator
        is_writing = panel.note.hasFocus()
        told = tr("Verdict: {ruling}", ruling=tr(ruling.label))
        panel.say(ruling, then=partial(self._window.notice.tell, told))
        if is_writing:
            # The note is done: keys go to the trials again.
            self._window.docks.browser.focus_table()

    def _write_note(self) -> None:
        self._window.show_panel("adjudicator")
        self._window.docks.adjudicator.focus_note()

    def _write_note_here(self) -> None:
        pin = self._bench.state.cursor
        self._window.show_panel("adjudicator")
        self._window.docks.adjudicator.focus_note(pin)

    def _next_unreviewed(self) -> None:
        if not self._desk.trials.next_unreviewed():
            self._window.notice.tell(tr("Every listed trial has a verdict"))

    def _next_worst(self) -> None:
        if not self._desk.trials.next_worst():
            self._window.notice.tell(tr("No listed trial is scored yet"))

    def _next_disagreement(self) -> None:
        state = self._bench.state
        other = state.rival_submission or next(
            (found for found in state.submissions if found is not state.submission), None
        )
        if state.task is None or state.submission is None or other is None:
            return
        self._desk.jobs.submit(
            _DISAGREEMENT_LANE,
            partial(disagreements, state.task, state.submission, other, self._desk.trials.rows),
            self._show_disagreement,
            title=tr("Comparing the submissions"),
        )

    def _show_disagreement(self, disputed: tuple[TrialId, ...]) -> None:
        """The most disputed trial, or from one of them on the next."""
        if not disputed:
            self._window.notice.tell(tr("No listed trial has a confidence from both submissions"))
            return
        here = self._bench.state.trial_id
        is_walking = here == self._last_disputed and here in disputed
        following = disputed.index(here) + 1 if is_walking and here is not None else 0
        self._last_disputed = disputed[following % len(disputed)]
        self._bench.select_trial(self._last_disputed)

    def _compare_rules(self) -> None:
        state = self._bench.state
        if state.task is None or state.submission is None or state.trial_id is None:
            return
        from forensicviewer.app.trials.rule_comparison import compare_rules

        asked = (state.task, state.submission, state.scoring, state.trial_id, state.rules)
        self._desk.jobs.submit_long(
            _RULES_LANE,
            partial(compare_rules, *asked),
            self._show_rules,
            title=tr("Scoring by every rule set"),
            on_error=self._tell_unscored,
        )

    def _tell_unscored(self, error: BaseException) -> None:
        if not isinstance(error, ForensicViewerError):
            raise error
        self._window.notice.tell(tr("These answers cannot be scored: {why}", why=str(error)))

    def _show_rules(self, comparison: RuleComparison) -> None:
        from forensicviewer.ui.dialogs.rules import RulesDialog

        RulesDialog(comparison, self._bench.state.rules, self._window).show()

    def _go_to_trial(self) -> None:
        palette = trial_palette(self._window, self._desk.trials, self._bench.select_trial)
        palette.open_over(self._window)

    def _next_system(self) -> None:
        state = self._bench.state
        following = (state.system + 1) % max(1, len(state.submissions))
        self._bench.choose_systems(following, None if state.rival is None else state.system)

    def _toggle_rival(self) -> None:
        state = self._bench.state
        other = (state.system + 1) % max(1, len(state.submissions))
        self._bench.choose_systems(state.system, other if state.rival is None else None)

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
        for name in ("inspect", "annotate", "adjudicate", "video", "graph"):
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
        state = self._bench.state
        if state.task is None:
            self._window.notice.tell(tr(NOTHING_OPEN))
        else:
            self._bench.set_look(tr("explanations"), has_captions=not state.look.has_captions)

    def _explains(self) -> bool:
        return self._bench.state.look.has_captions

    def _manual(self) -> None:
        """Open the manual at the page about what is looked at."""
        task = self._bench.state.task
        scope = None if task is None else scope_of(task.kind)
        self._window.show_manual(page_about(scope, self._window.focused_panel()))

    def _help(self) -> dict[str, Handler]:
        window = self._window
        return {
            "help.palette": Handler(
                lambda: command_palette(window, window.commands, self._used).open_over(window)
            ),
            "help.manual": Handler(self._manual),
            "help.keys": Handler(self._key_sheet),
            "help.whats_this": Handler(self._explain, self._explains),
            "help.performance": Handler(
                lambda: show_once(
                    window, PerformanceDialog, lambda: PerformanceDialog(window.watch, window)
                )
            ),
            "help.log": Handler(
                lambda: show_once(window, LogDialog, lambda: LogDialog(window.logbook, window))
            ),
            "help.folder": Handler(show_report_folder),
            "help.about": Handler(lambda: AboutDialog(self._desk.jobs, window).open()),
        }
