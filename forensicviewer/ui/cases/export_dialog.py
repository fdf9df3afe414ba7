"""Asks what goes into a case file, and writes it in the background."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QGroupBox,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from forensicviewer.app.cases.manifest import SUFFIX
from forensicviewer.app.cases.writing import BASE, CaseRequest, write_case
from forensicviewer.app.claims.search import ExplainedClaim
from forensicviewer.app.language.words import to_translate, tr
from forensicviewer.app.runtime.jobs import Ticket
from forensicviewer.app.session.case_desk import view_of
from forensicviewer.app.session.desk import Desk
from forensicviewer.core.measurement import DONOR, PROBE, REFERENCE, SYSTEM_MASK
from forensicviewer.ui.widgets.dialog_size import open_in
from forensicviewer.ui.widgets.flow import FlowRow
from forensicviewer.ui.widgets.heading import Heading
from forensicviewer.ui.widgets.heading_form import HeadingForm
from forensicviewer.ui.widgets.plain_text import PlainLabel
from forensicviewer.ui.widgets.save_dialog import (
    ask_where,
    kinds_of,
    opened_places,
    write_long_in_background,
)

_WITHHELD = {
    PROBE: to_translate("Probe"),
    DONOR: to_translate("Donor"),
    BASE: to_translate("Base image"),
    REFERENCE: to_translate("Reference masks"),
    SYSTEM_MASK: to_translate("System masks"),
}


class ExportCaseDialog(QDialog):
    """The open trial as a case: who makes it, what may be done with it, what is left out."""

    def __init__(
        self,
        desk: Desk,
        tell: Callable[[str], None],
        *,
        explained: ExplainedClaim | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Export case"))
        self._desk, self._tell, self._explained = desk, tell, explained
        state = desk.workbench.state
        self.title, self.about = Heading(str(state.trial_id)), PlainLabel(self._content())
        self.about.setWordWrap(True)
        self.form = HeadingForm(desk.judge)
        self.licence = QLineEdit()
        self.licence.setPlaceholderText(tr("What the recipient may do with the files"))
        self.form.add(tr("Licence note"), self.licence)
        self.alone = QCheckBox(tr("Only the current submission"))
        self.alone.setVisible(len(state.submissions) > 1)
        self.anonymous = QCheckBox(tr("Replace names of judges and submissions by numbers"))
        self.withheld = {role: QCheckBox(tr(name)) for role, name in _WITHHELD.items()}
        self._lay_out()
        open_in(self, 640, 580)
        self.form.case.setFocus()

    def _content(self) -> str:
        standing = self._desk.judging.standing
        verdicts = 0 if standing is None else len(standing.verdicts)
        lines = [
            tr(
                "The file contains the rows, images and masks of this trial, the "
                "evaluation's numbers and your current view. It is verified before it is "
                "written."
            )
        ]
        lines.append(tr("Verdicts included: {count}.", count=verdicts))
        if self._explained is not None:
            claims = ", ".join(f"{one.metric} {one.text}" for one in self._explained.dispute.claims)
            lines.append(tr("The explained claim is included: {claims}.", claims=claims))
        return " ".join(lines)

    def _lay_out(self) -> None:
        group = QGroupBox(tr("Exclude, and keep only the digest"))
        boxes = FlowRow(group)
        for choice in self.withheld.values():
            boxes.addWidget(choice)
            choice.toggled.connect(self._warn)
        self.warning = PlainLabel()
        self.warning.setWordWrap(True)
        self.warning.setProperty("role", "muted")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(18, 18, 18, 18)
        layout.setSpacing(10)
        layout.addWidget(self.title)
        layout.addWidget(self.about)
        layout.addLayout(self.form)
        layout.addWidget(self.alone)
        layout.addWidget(self.anonymous)
        layout.addWidget(group)
        layout.addWidget(self.warning)
        layout.addStretch(1)
        box = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self.save = QPushButton(tr("Save…"))
        self.save.setDefault(True)
        self.save.clicked.connect(self.export)
        box.addButton(self.save, QDialogButtonBox.ButtonRole.ActionRole)
        box.rejected.connect(self.close)
        layout.addWidget(box)
        self._warn()

    def _warn(self) -> None:
        chosen = {role for role, box in self.withheld.items() if box.isChecked()}
        text = ""
        if chosen & {REFERENCE, SYSTEM_MASK}:
            text = tr(
                "Where the case is opened, the numbers will be marked “recorded, not checked”"
            )
        elif chosen - {BASE}:
            text = tr("The report in the case will have no images")
        self.warning.setText(text)

    def request(self) -> CaseRequest | None:
        """What the boxes say; ``None`` where nothing is open any more."""
        state, standing = self._desk.workbench.state, self._desk.judging.standing
        if state.task is None or state.trial_id is None or state.submission is None:
            return None
        # The claim and the report are about the shown one; it comes first, its rival second.
        named = (state.submission, state.rival_submission, *state.submissions)
        ordered = [one for one in dict.fromkeys(named) if one is not None]
        chosen = ordered[:1] if self.alone.isChecked() else ordered
        has_rival = state.rival_submission is not None and len(chosen) > 1
        heading = self.form.heading
        return CaseRequest(
            state.task,
            state.trial_id,
            tuple(chosen),
            "dataset" if state.dataset is None else state.dataset.name,
            verdicts=() if standing is None else standing.verdicts,
            heading=heading,
            licence=self.licence.text().strip(),
            who=heading.judge or self._desk.judge,
            withheld=frozenset(role for role, box in self.withheld.items() if box.isChecked()),
            is_anonymous=self.anonymous.isChecked(),
            put_view=view_of(self._desk.session(), has_rival=has_rival),
            explained=self._explained,
        )

    def export(self) -> None:
        """Ask where to, and write."""
        request = self.request()
        if request is None:
            return
        bench = self._desk.workbench
        kinds = kinds_of((tr("Case files"), f"*{SUFFIX}"))
        named = "-".join(filter(None, (request.heading.case, str(request.trial_id))))
        proposed = f"{named.replace('/', '_')}{SUFFIX}"
        title, inputs = tr("Export case"), opened_places(bench.state)
        path = ask_where(self, title, proposed, kinds, inputs=inputs)
        if path is None:
            return

        def write(ticket: Ticket) -> None:
            write_case(request, path, progress=ticket.report)

        write_long_in_background(bench, Path(path), write, self._tell)
        self.close()
