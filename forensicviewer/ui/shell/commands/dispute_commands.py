"""What the window does in a dispute: claims, rulings, case files and reports."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFileDialog

from forensicviewer.app.language.words import tr
from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.ui.shell.window_frame import Frame
from forensicviewer.ui.widgets.page import Handler
from forensicviewer.ui.widgets.save_dialog import kinds_of

if TYPE_CHECKING:
    from forensicviewer.app.cases.opening import OpenedCase
    from forensicviewer.app.claims.search import ExplainedClaim


class DisputeCommands:
    """The handlers of one window; each dialog is imported when it is first opened."""

    def __init__(self, window: Frame) -> None:
        self._window, self._desk = window, window.desk
        self._bench = window.desk.workbench
        self._explained: ExplainedClaim | None = None
        self._desk.cases.subscribe(lambda _: self._show_case())

    def handlers(self) -> Mapping[str, Handler]:
        return {
            "trial.claim": Handler(self._explain_claim),
            "trial.ruling": Handler(self._show_ruling),
            "file.open_case": Handler(self._open_case),
            "file.case": Handler(self._show_case),
            "file.export_case": Handler(self._export_case),
            "file.report": Handler(self._report),
        }

    def _explain_claim(self) -> None:
        from forensicviewer.ui.claims.dialog import ClaimDialog

        window, tell = self._window, self._window.notice.tell
        keep = self._keep_explained
        window.show_once(ClaimDialog, lambda: ClaimDialog(self._bench, tell, window, keep=keep))

    def _keep_explained(self, explained: ExplainedClaim) -> None:
        """What a claim search found goes into the reports and cases that follow."""
        self._explained = explained

    @property
    def explained(self) -> ExplainedClaim | None:
        """The claim that was explained last, where it is about what is looked at."""
        state, found = self._bench.state, self._explained
        if found is None or found.dispute.trial_id != state.trial_id:
            return None
        is_same = found.dispute.task is state.task and found.dispute.submission is state.submission
        return found if is_same else None

    def _show_ruling(self) -> None:
        from forensicviewer.ui.rulings.dialog import RulingDialog

        window, tell = self._window, self._window.notice.tell
        window.show_once(RulingDialog, lambda: RulingDialog(self._bench, tell, window))

    # Cases and reports

    def _open_case(self) -> None:
        from forensicviewer.app.cases.manifest import SUFFIX

        title, kinds = tr("Open case"), kinds_of((tr("Case files"), f"*{SUFFIX}"))
        name, _ = QFileDialog.getOpenFileName(self._window, title, filter=kinds)
        if name:
            self._desk.open(OpenRequest(Path(name)))

    def _show_case(self) -> None:
        opened = self._desk.cases.opened
        if opened is None:
            self._window.notice.tell(tr("No case file was opened"))
            return
        self._show_details(opened)

    def _show_details(self, opened: OpenedCase) -> None:
        from forensicviewer.ui.cases.case_dialog import CaseDialog

        window, tell = self._window, self._window.notice.tell
        for before in window.findChildren(CaseDialog):
            before.close()
        window.show_once(CaseDialog, lambda: CaseDialog(opened, self._desk, tell, window))

    def _export_case(self) -> None:
        from forensicviewer.ui.cases.export_dialog import ExportCaseDialog

        window, tell = self._window, self._window.notice.tell
        window.show_once(
            ExportCaseDialog,
            lambda: ExportCaseDialog(self._desk, tell, explained=self.explained, parent=window),
        )

    def _report(self) -> None:
        from forensicviewer.ui.reports.dialog import ReportDialog

        window, tell = self._window, self._window.notice.tell
        window.show_once(
            ReportDialog,
            lambda: ReportDialog(self._desk, tell, explained=self.explained, parent=window),
        )
