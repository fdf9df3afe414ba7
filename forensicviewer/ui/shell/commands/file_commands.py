"""What the commands of the File menu do: open, save, export, and find the file of an image."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFileDialog

from forensicviewer.app.language.words import tr
from forensicviewer.app.runtime.atomic import write_bytes
from forensicviewer.app.runtime.jobs import Lane
from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.app.session.recent import PlaceKind
from forensicviewer.app.session.session_file import SUFFIX
from forensicviewer.ui.shell.window_frame import Frame
from forensicviewer.ui.widgets.file_manager import show_folder
from forensicviewer.ui.widgets.page import Handler
from forensicviewer.ui.widgets.save_dialog import (
    ask_where,
    kinds_of,
    kinds_of_tables,
    opened_places,
    write_in_background,
)

if TYPE_CHECKING:
    pass

_PATH_LANE = Lane("path", is_far=True)

_SUBMISSIONS = "*.csv *.tgz *.tar.gz *.tar.bz2 *.tar.xz *.tar *.zip"


def _any_file() -> tuple[str, str]:
    return tr("All files"), "*"


def _sessions() -> str:
    return kinds_of((tr("Sessions"), f"*{SUFFIX}"))


class FileCommands:
    """The handlers of one window's File menu."""

    def __init__(self, window: Frame) -> None:
        self._window = window
        self._desk = window.desk
        self._bench = window.desk.workbench

    def handlers(self) -> dict[str, Handler]:
        desk = self._desk
        return {
            "file.open_dataset": Handler(self._open_dataset),
            "file.open_submission": Handler(self._open_submission),
            "file.open_table": Handler(self._open_table),
            "file.open_sample": Handler(desk.open_sample),
            "file.reload": Handler(desk.reload),
            "file.close_submission": Handler(desk.close_submission),
            "file.close_dataset": Handler(desk.close_dataset),
            "file.next_dataset": Handler(lambda: self._step_dataset(1)),
            "file.previous_dataset": Handler(lambda: self._step_dataset(-1)),
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

    def _step_dataset(self, by: int) -> None:
        if self._desk.shelf.waiting:
            self._desk.step_dataset(by)
        else:
            self._window.notice.tell(tr("No other dataset is open: open one to compare with"))

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
        kinds = kinds_of((tr("Submissions"), _SUBMISSIONS), _any_file())
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
            kinds_of((tr("Tables"), "*.csv"), (tr("Packed sets"), "*.tgz *.tar.gz"), _any_file()),
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
        kinds = kinds_of((tr("Images"), "*.png"), (tr("Drawings"), "*.svg"))
        path = self._ask_where(tr("Export view"), f"{self._stem()}.png", kinds)
        if path is not None:
            self.export_view(path)

    def export_view(self, path: Path) -> None:
        """Write what the page shows; the file's name decides what it becomes."""
        from forensicviewer.ui.panes.export import save_picture

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
        path = self._ask_where(title, proposed, kinds_of((tr("Images"), "*.png")))
        if path is not None:
            self.export_full(path)

    def export_full(self, path: Path) -> None:
        """Write the active pane at full resolution, in the background: it may be large."""
        from forensicviewer.ui.panes.export import full_picture, save_picture, sheet_now

        state, sheet = self._bench.state, sheet_now()
        self._export(lambda: save_picture(full_picture(state, sheet=sheet), path), path)

    def _export_trials(self) -> None:
        title, proposed = tr("Export trial table"), f"{self._stem()}-trials.csv"
        path = self._ask_where(title, proposed, kinds_of(*kinds_of_tables()))
        if path is not None:
            self.export_trials(path)

    def export_trials(self, path: Path) -> None:
        """Write the listed trials in their order."""
        from forensicviewer.app.report.separated_text import write_table

        library = self._desk.trials.library
        if library is not None:
            rows = self._desk.trials.rows
            self._export(
                lambda: write_table(path, library.names, library.cells(rows, library.names)), path
            )

    def _export_verdicts(self) -> None:
        from forensicviewer.app.judging.findings import ARCHIVE, PAGE
        from forensicviewer.app.judging.log_file import SUFFIX as LOG_SUFFIX
        from forensicviewer.app.judging.verdict_table import write_verdicts

        book, dataset = self._desk.judging.book, self._bench.state.dataset
        if book is None or dataset is None or not book.entries:
            self._window.notice.tell(tr("There is no verdict yet"))
            return
        kinds = kinds_of(
            *kinds_of_tables(),
            (tr("Page with images"), f"*{PAGE}"),
            (tr("Archive of tables, images, page and logs"), f"*{ARCHIVE}"),
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
        from forensicviewer.app.judging.log_file import SUFFIX as LOG_SUFFIX

        kinds = kinds_of((tr("Verdict logs"), f"*{LOG_SUFFIX}"), _any_file())
        title = tr("Add another judge's verdicts")
        name, _ = QFileDialog.getOpenFileName(self._window, title, filter=kinds)
        if name:
            self._desk.judging.add_log(Path(name))

    def _export(self, work: Callable[[], None], path: Path) -> None:
        write_in_background(self._bench, path, work, self._window.notice.tell)

    def _show_folder(self) -> None:
        self.with_media(lambda path: show_folder(path.parent))

    def with_media(self, use: Callable[[Path], object]) -> None:
        """Find the file of the current image, on a disk that may be slow, and use its path."""
        # Imports numpy, which the empty window does not need.
        from forensicviewer.app.workbench.inspection import media_path

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
