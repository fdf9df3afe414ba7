"""What the window does with a whole submission or dataset: validate, score, compare images."""

from __future__ import annotations

from collections.abc import Mapping

from forensicviewer.app.settings import WORKERS
from forensicviewer.ui.shell.window_frame import Frame
from forensicviewer.ui.widgets.page import Handler


class SubmissionCommands:
    """The handlers of one window; each dialog is imported when it is first opened."""

    def __init__(self, window: Frame) -> None:
        self._window = window
        self._bench = window.desk.workbench

    def handlers(self) -> Mapping[str, Handler]:
        return {
            "file.validate": Handler(self._validate),
            "trial.results": Handler(self._show_results),
            "trial.duplicates": Handler(self._show_duplicates),
            "trial.grid": Handler(self._show_grid),
            "trial.robustness": Handler(self._show_robustness),
        }

    def _validate(self) -> None:
        from forensicviewer.ui.validation.dialog import ValidationDialog

        window = self._window
        window.show_once(
            ValidationDialog,
            lambda: ValidationDialog(self._bench, window.notice.tell, window),
        )

    def _show_grid(self) -> None:
        from forensicviewer.ui.grid.dialog import GridDialog

        window = self._window
        window.show_once(GridDialog, lambda: GridDialog(self._bench, window.notice.tell, window))

    def _show_robustness(self) -> None:
        from forensicviewer.ui.imdl.robustness_dialog import RobustnessDialog

        window = self._window
        window.show_once(
            RobustnessDialog,
            lambda: RobustnessDialog(self._bench, window.notice.tell, window),
        )

    def _show_duplicates(self) -> None:
        from forensicviewer.ui.duplicates.dialog import DuplicatesDialog

        window = self._window
        trials, tell = window.desk.trials, window.notice.tell
        window.show_once(
            DuplicatesDialog,
            lambda: DuplicatesDialog(self._bench, trials, tell, window),
        )

    def _show_results(self) -> None:
        from forensicviewer.ui.results.dialog import ResultsDialog

        window = self._window
        workers = window.desk.settings.of(WORKERS)
        window.show_once(
            ResultsDialog,
            lambda: ResultsDialog(self._bench, window.notice.tell, workers=workers, parent=window),
        )
