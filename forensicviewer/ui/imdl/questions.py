"""Asks how images find their masks where nobody can know it but the user."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QWidget

from forensicviewer.app.session.desk import Desk
from forensicviewer.app.workbench.state import ViewState
from forensicviewer.core.model import Edition
from forensicviewer.core.problem import Problem, Severity
from forensicviewer.ui.widgets.page import Handler


class PairingQuestions:
    """Opens the preview of pairings: by command, and once by itself for uncertain datasets."""

    def __init__(self, window: QWidget, desk: Desk) -> None:
        self._window, self._desk = window, desk
        self._asked: set[Path] = set()
        self.dialog: QWidget | None = None

    def handlers(self) -> Mapping[str, Handler]:
        return {
            "file.open_imdl_sample": Handler(self._desk.open_imdl_sample),
            "file.pairing": Handler(self.ask),
        }

    def follow(self, state: ViewState) -> None:
        """Ask about the dataset that is shown, if it is uncertain and was not settled."""
        path = self._desk.shown_path
        if state.dataset is None or state.dataset.edition is not Edition.IMDL or path is None:
            return
        if _doubts(state.dataset.problems) and not self._desk.settled_about(path).is_said:
            self._ask_once(path)

    def follow_errors(self, errors: Iterable[Problem]) -> None:
        """Ask about a list that could not be opened: its files lie where nobody may look yet."""
        for error in errors:
            if _doubts([error]) and Path(error.where).is_absolute():
                self._ask_once(Path(error.where))

    def ask(self) -> None:
        """Show the preview of the dataset that is shown."""
        if self._desk.shown_path is not None:
            self.ask_about(self._desk.shown_path)

    def _ask_once(self, path: Path) -> None:
        if path not in self._asked:
            self._asked.add(path)
            self.ask_about(path)

    def ask_about(self, path: Path) -> None:
        # Imported here: it brings the readers along, which the window's start does not need.
        from forensicviewer.ui.imdl.pairing_dialog import PairingDialog

        if self.dialog is not None:
            self.dialog.close()
        dialog = PairingDialog(self._desk, path, self._window)
        self.dialog = dialog
        dialog.finished.connect(partial(self._forget, dialog))
        dialog.open()

    def _forget(self, dialog: QWidget, _result: int) -> None:
        if self.dialog is dialog:
            self.dialog = None

    def let_go(self) -> None:
        if self.dialog is not None:
            self.dialog.close()


def _doubts(problems: Iterable[Problem]) -> bool:
    """Whether something can only be settled by the user."""
    own = [one for one in problems if one.rule.startswith("imdl.")]
    if not own:
        return False
    # It brings the readers along; where there is such a problem, they are there already.
    from forensicviewer.app.imdl.preview import DOUBTS

    return any(one.rule in DOUBTS and one.severity is not Severity.NOTE for one in own)
