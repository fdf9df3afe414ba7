"""Asks where to save a file, gives its name the ending that was chosen, and writes it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget

from forensicviewer.app.language.words import tr
from forensicviewer.app.report.overwrite import folder_around, require_no_input
from forensicviewer.app.runtime.jobs import Lane, Ticket
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.app.workbench.state import ViewState
from forensicviewer.core.problem import ForensicViewerError, UsageError
from forensicviewer.ui.widgets.plain_text import PlainMessageBox

_EXPORT_LANE = Lane("export")


def kinds_of(*named: tuple[str, str]) -> str:
    """Kinds of files as Qt's dialogs take them, of names and endings."""
    return ";;".join(f"{name} ({endings})" for name, endings in named)


def kinds_of_tables() -> tuple[tuple[str, str], ...]:
    """The kinds of tables the program writes."""
    return (tr("Comma-separated"), "*.csv"), (tr("Tab-separated"), "*.tsv")


def ask_where(
    parent: QWidget, title: str, proposed: str, kinds: str, *, inputs: Sequence[Path] = ()
) -> Path | None:
    """The place the user names, with an ending of ``kinds``; ``None`` when they think better of it.

    ``kinds`` are Qt's: "Images (*.png);;Drawings (*.svg)". A name without one of these endings
    gets that of the chosen kind. A place among the ``inputs`` is asked about: what is written
    there becomes a part of what is judged.
    """
    path = _ask_name(parent, title, proposed, kinds)
    folder = None if path is None else folder_around(path, inputs=inputs)
    if path is None or folder is None or _is_meant(parent, path, folder):
        return path
    return None


def opened_places(state: ViewState) -> list[Path]:
    """The dataset and the submissions that are open."""
    places = [Path(each.origin) for each in state.submissions]
    return places + ([] if state.dataset is None else [Path(state.dataset.root)])


def _is_meant(parent: QWidget, path: Path, folder: Path) -> bool:
    box = PlainMessageBox(parent)
    box.setObjectName("among-inputs")
    box.setIcon(PlainMessageBox.Icon.Question)
    box.setWindowTitle(tr("Write into an open folder?"))
    box.setText(
        tr("{name} would be written to {folder}, which is open", name=path.name, folder=folder)
    )
    box.setInformativeText(tr("Files added there become part of the data."))
    write = box.addButton(tr("Write there"), PlainMessageBox.ButtonRole.AcceptRole)
    leave = box.addButton(tr("Cancel"), PlainMessageBox.ButtonRole.RejectRole)
    box.setDefaultButton(leave)
    box.setEscapeButton(leave)
    box.exec()
    is_meant = box.clickedButton() is write
    box.deleteLater()
    return is_meant


def _ask_name(parent: QWidget, title: str, proposed: str, kinds: str) -> Path | None:
    endings = re.findall(r"\*(\.[\w.]+)", kinds)
    while True:
        name, chosen = QFileDialog.getSaveFileName(parent, title, proposed, kinds)
        if not name or name.lower().endswith(tuple(endings)):
            return Path(name) if name else None
        path = Path(name + next(iter(re.findall(r"\*(\.[\w.]+)", chosen)), endings[0]))
        if not path.exists():
            return path
        # The dialog asked about the name without its ending; now it asks about the right one.
        proposed = str(path)


def write_in_background(
    workbench: Workbench, path: Path, write: Callable[[], None], tell: Callable[[str], None]
) -> None:
    """Write a file while the window goes on, and say where it is, or why it is not there.

    Files of the dataset and of the submissions are never replaced.
    """
    write_long_in_background(workbench, path, lambda _ticket: write(), tell)


def write_long_in_background(
    workbench: Workbench,
    path: Path,
    write: Callable[[Ticket], None],
    tell: Callable[[str], None],
) -> None:
    """As :func:`write_in_background`, for what reports progress and can be cancelled."""
    inputs = opened_places(workbench.state)

    def work(ticket: Ticket) -> None:
        require_no_input(path, inputs=inputs)
        write(ticket)

    def fail(error: BaseException) -> None:
        if isinstance(error, OSError):
            error = UsageError(
                f"The file could not be written: {error.strerror}",
                where=path,
                hint="choose another folder or name",
                rule="export",
            )
        if not isinstance(error, ForensicViewerError):
            raise error
        workbench.report([error.as_problem()])

    workbench.jobs.submit_long(
        _EXPORT_LANE,
        work,
        lambda _: tell(tr("Wrote {path}", path=path)),
        title=tr("Writing {name}", name=path.name),
        on_error=fail,
    )
