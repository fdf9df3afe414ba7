"""Checks a submission against the rules of its evaluation and lists what is wrong with it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFileDialog,
    QHBoxLayout,
    QPushButton,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from forensicviewer.app.language.words import to_translate, tr, tr_many
from forensicviewer.app.report.separated_text import as_text, write_table
from forensicviewer.app.runtime.jobs import Lane, Ticket
from forensicviewer.app.session.locate import trial_named_by
from forensicviewer.app.validation import Finding, RuleFamily, Validation, ValidationOptions
from forensicviewer.app.validation.checking import (
    CheckedSubmission,
    check_open,
    check_package,
    judge_together,
    package_around,
    validate_command,
)
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.app.workbench.state import Change, ViewState
from forensicviewer.core.model import Submission, Task, TaskKind
from forensicviewer.core.problem import ForensicViewerError, Problem, Severity, Topic
from forensicviewer.ui.widgets.dialog_size import open_in
from forensicviewer.ui.widgets.elided import ElidedLabel
from forensicviewer.ui.widgets.flow import FlowBox
from forensicviewer.ui.widgets.heading import Heading
from forensicviewer.ui.widgets.plain_text import PlainLabel
from forensicviewer.ui.widgets.problem_tree import (
    ProblemTree,
    count_listed,
    problem_of,
    worst_first,
)
from forensicviewer.ui.widgets.save_dialog import (
    ask_where,
    kinds_of,
    kinds_of_tables,
    opened_places,
    write_in_background,
)
from forensicviewer.ui.widgets.work_dialog import WorkDialog

_LANE = Lane("validate", is_far=True)
_RULES: tuple[tuple[str, RuleFamily | None], ...] = (
    (to_translate("NIST's program, recognised by the columns"), None),
    (to_translate("NIST's program of NC2016"), RuleFamily.NC16),
    (to_translate("NIST's program of NC2017"), RuleFamily.NC17),
    (to_translate("NIST's program of MFC2018 and MFC2019"), RuleFamily.MFC),
    (to_translate("The evaluation plan of the dataset's year"), RuleFamily.PLAN),
)
# As the findings themselves, tables of them are English in every language.
_COPIED = ("severity", "rule", "section", "message", "file", "row", "expected", "hint")


class ValidationDialog(WorkDialog):
    """The rules, how far the check is, the verdict, and the findings; one opens its trial."""

    def __init__(
        self, workbench: Workbench, tell: Callable[[str], None], parent: QWidget | None = None
    ) -> None:
        super().__init__(workbench, _LANE, title=tr("Validate submission"), parent=parent)
        self._tell = tell
        self.checked: tuple[CheckedSubmission, ...] = ()
        self._file: Path | None = None
        self._packages: list[Path] = []
        self._make_choices()
        self._make_findings()
        self._lay_out()
        self.listen()
        self._list_submissions(workbench.state)
        open_in(self, 1080, 640)
        self.check()

    def _make_choices(self) -> None:
        self.submission = QComboBox()
        self.submission.setAccessibleName(tr("Submission"))
        self.submission.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.submission.setMinimumContentsLength(24)
        self.submission.activated.connect(self._choose)
        self.other = QPushButton(tr("Other file…"))
        self.other.setAutoDefault(False)
        self.other.setToolTip(tr("Check a file or archive that is not open"))
        self.other.clicked.connect(self._ask_file)
        self.folder = QPushButton(tr("Other folder…"))
        self.folder.setAutoDefault(False)
        self.folder.setToolTip(tr("Check a folder that is not open, or a package of several"))
        self.folder.clicked.connect(self._ask_folder)
        self.rules = QComboBox()
        self.rules.setAccessibleName(tr("Rules"))
        self.rules.addItems([tr(title) for title, _ in _RULES])
        self.rules.activated.connect(self.check)
        self.names = self._option(tr("Name"), tr("Also check the naming convention (--check-name)"))
        self.masks = self._option(tr("Mask files"), tr("Open every mask (off: --no-masks)"))
        self.masks.setChecked(True)
        self.strict = self._option(
            tr("Strict"), tr("Also reject submissions with warnings (--strict)")
        )

    def _option(self, text: str, tip: str) -> QCheckBox:
        box = QCheckBox(text)
        box.setToolTip(tip)
        box.clicked.connect(self.check)
        return box

    def _make_findings(self) -> None:
        self.verdict = Heading()
        self.about = PlainLabel()
        self.about.setProperty("role", "muted")
        self.about.setWordWrap(True)
        titles = [tr("Finding"), tr("Row"), tr("Rule"), tr("Expected"), tr("What to do")]
        self.tree = ProblemTree(titles)
        self.tree.setAccessibleName(tr("Findings"))
        self.tree.setToolTip(tr("Double-click a finding to open its trial"))
        self.tree.itemActivated.connect(self._go_to)
        self.least = QComboBox()
        self.least.addItems([tr("All findings"), tr("Warnings and errors"), tr("Errors")])
        self.least.setAccessibleName(tr("Which findings are listed"))
        self.least.activated.connect(lambda: self._list())
        self.count = ElidedLabel()
        self.count.setProperty("role", "muted")

    def _lay_out(self) -> None:
        choices = FlowBox(self)
        choices.row.setSpacing(8)
        for widget in (self.submission, self.other, self.folder, self.rules):
            choices.row.addWidget(widget)
        for box in (self.names, self.masks, self.strict):
            choices.row.addWidget(box)
        listed = QHBoxLayout()
        listed.addWidget(self.least)
        listed.addWidget(self.count, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(18, 18, 18, 18)
        layout.setSpacing(10)
        parts: tuple[QWidget, ...] = (choices, self.verdict, self.about, self.progress)
        for part in parts:
            layout.addWidget(part)
        layout.addLayout(listed)
        layout.addWidget(self.tree, stretch=1)
        layout.addWidget(
            self._button_box(
                ("check", tr("Check again"), tr("Read the files again"), self.check),
                ("copy", tr("Copy"), tr("Copy the findings as a table"), self.copy),
                (
                    "command",
                    tr("Copy command"),
                    tr("Copy the command that runs the same check"),
                    self.copy_command,
                ),
                ("export", tr("Export…"), tr("Save the findings as CSV or TSV"), self._ask_export),
                (
                    "revised",
                    tr("Write revised table…"),
                    tr("Write the table with masks of wrong size marked FailedValidation"),
                    self._ask_revised,
                ),
            )
        )

    # What is checked

    def _follow(self, state: ViewState, change: Change) -> None:
        if not change & (Change.DATASET | Change.SUBMISSIONS):
            return
        if state.task is None:
            self.close()
            return
        before = self._subject()
        self._list_submissions(state)
        if self._subject() != before:
            self.check()

    def _list_submissions(self, state: ViewState) -> None:
        self.submission.clear()
        self.submission.addItems([submission.name for submission in state.submissions])
        origins = [Path(submission.origin) for submission in state.submissions]
        found = dict.fromkeys(package_around(origin) for origin in origins)
        self._packages = [package for package in found if package is not None]
        for package in self._packages:
            self.submission.addItem(tr("All of {package}", package=package.name))
        if self._file in self._packages:
            place = len(state.submissions) + self._packages.index(self._file)
            self.submission.setCurrentIndex(place)
        elif self._file is not None:
            self.submission.addItem(self._file.name)
            self.submission.setCurrentIndex(self.submission.count() - 1)
        elif state.submissions:
            self.submission.setCurrentIndex(state.system)
        self.submission.setToolTip(self.submission.currentText())

    def _choose(self, _place: int = 0) -> None:
        place = self.submission.currentIndex() - len(self._bench.state.submissions)
        if place < 0:
            self._file = None
        elif place < len(self._packages):
            self._file = self._packages[place]
        self.submission.setToolTip(self.submission.currentText())
        self.check()

    def _ask_file(self) -> None:
        near = [str(Path(one.origin).parent) for one in self._bench.state.submissions]
        name, _ = QFileDialog.getOpenFileName(self, tr("Validate submission"), next(iter(near), ""))
        if name:
            self.check_other(Path(name))

    def _ask_folder(self) -> None:
        near = [str(Path(one.origin).parent) for one in self._bench.state.submissions]
        name = QFileDialog.getExistingDirectory(
            self, tr("Validate submission"), next(iter(near), "")
        )
        if name:
            self.check_other(Path(name))

    def check_other(self, path: Path) -> None:
        """Check a file that is not open."""
        self._file = path
        self._list_submissions(self._bench.state)
        self.check()

    def _subject(self) -> object:
        """What is checked: a path, or a task and a submission to it."""
        state, place = self._bench.state, self.submission.currentIndex()
        if self._file is not None:
            return self._file
        if place < 0 or place >= len(state.submissions):
            return None
        return state.task, state.submissions[place]

    def options(self) -> ValidationOptions:
        """What the choices ask for."""
        return ValidationOptions(
            family=_RULES[self.rules.currentIndex()][1],
            names=self.names.isChecked(),
            masks=self.masks.isChecked(),
            strict=self.strict.isChecked(),
        )

    def check(self) -> None:
        """Check in the background what is chosen, by the chosen rules."""
        work, task = self._work(), self._bench.state.task
        self.rules.setEnabled(task is None or task.kind is not TaskKind.GENAI)
        self.checked = ()
        if work is None:
            self._show_verdict(tr("Choose a submission or a file to check"))
            return
        self._show_verdict(tr("Checking…"))
        name = self.submission.currentText()
        self._begin(work, self._take, title=tr("Validating {name}", name=name))

    def _work(self) -> Callable[[Ticket], tuple[CheckedSubmission, ...]] | None:
        state, options, place = self._bench.state, self.options(), self.submission.currentIndex()
        if state.dataset is None or state.task is None:
            return None
        if self._file is not None:
            return partial(_check_file, Path(state.dataset.root), self._file, options)
        if not 0 <= place < len(state.submissions):
            return None
        task, submission = state.task, state.submissions[place]
        return partial(_check_open, task, submission, options)

    def _take(self, found: tuple[CheckedSubmission, ...]) -> None:
        self.checked = found
        self._show_verdict(_verdict(found))
        faults = [problem for problem in self._problems() if problem.severity is not Severity.NOTE]
        own = [replace(problem, topic=Topic.VALIDATED) for problem in faults]
        self._bench.report(own, is_aside=True, instead_of=Topic.VALIDATED)

    def _say_failed(self, error: ForensicViewerError) -> None:
        self._show_verdict(tr("This cannot be checked: {why}", why=str(error)))

    def _say_cancelled(self) -> None:
        self._show_verdict(tr("Cancelled"))

    # What was found

    def _problems(self) -> list[Problem]:
        return [
            finding.as_problem()
            for checked in self.checked
            for finding in checked.validation.findings
        ]

    def _show_verdict(self, text: str) -> None:
        self.verdict.setText(text)
        self.about.setText("\n".join(_about(checked) for checked in self.checked))
        self.about.setVisible(bool(self.checked))
        self.buttons["revised"].setVisible(
            any(checked.validation.revised is not None for checked in self.checked)
        )
        for name in ("copy", "export"):
            self.buttons[name].setEnabled(bool(self.checked))
        self._list()

    def _list(self) -> None:
        by_problem = {
            finding.as_problem(): finding
            for checked in self.checked
            for finding in checked.validation.findings
        }
        listed = worst_first(list(by_problem), least=self.least.currentIndex())

        def cells(problem: Problem) -> Sequence[str]:
            finding = by_problem[problem]
            row = "" if finding.row is None else str(finding.row)
            rule = tr("{rule}, plan {section}", rule=finding.rule, section=finding.section)
            cited = rule if finding.section else finding.rule
            return finding.message, row, cited, finding.expected, finding.hint

        self.tree.show_problems(listed, cells)
        none = tr("Nothing to report") if self.checked and not by_problem else ""
        self.count.setText(count_listed(len(listed)) if listed else none)

    def _go_to(self, item: QTreeWidgetItem) -> None:
        problem, state = problem_of(item), self._bench.state
        for checked in self.checked:
            if checked.task is not state.task or checked.submission is None:
                continue
            judged = replace(state, submissions=(checked.submission,), system=0, rival=None)
            trial = trial_named_by(problem, judged)
            if trial is not None:
                self._show_system(checked)
                self._bench.select_trial(trial)
                return
        self.count.setText(tr("This finding does not belong to an open trial"))

    def _show_system(self, checked: CheckedSubmission) -> None:
        """Look at the submission a finding is about, if it is open."""
        state = self._bench.state
        place = next(
            (n for n, one in enumerate(state.submissions) if one is checked.submission), None
        )
        if place is not None and place != state.system:
            self._bench.choose_systems(place, None if state.rival == place else state.rival)

    # What is done with it

    def _rows(self) -> list[tuple[str, ...]]:
        found = [finding for one in self.checked for finding in one.validation.findings]
        records = [finding.as_record() for finding in found]
        return [
            tuple("" if record[name] is None else str(record[name]) for name in _COPIED)
            for record in records
        ]

    def copy(self) -> None:
        """Put the findings onto the clipboard as a table."""
        QGuiApplication.clipboard().setText(as_text(_COPIED, self._rows(), separator="\t"))

    def copy_command(self) -> None:
        """Put the command line that checks the same onto the clipboard."""
        state, place = self._bench.state, self.submission.currentIndex()
        if state.dataset is None or state.task is None:
            return
        origin = self._file or Path(state.submissions[place].origin)
        task = None if self._file is not None else state.task.name
        command = validate_command(Path(state.dataset.root), origin, self.options(), task=task)
        QGuiApplication.clipboard().setText(command)

    def _ask_export(self) -> None:
        kinds = kinds_of(*kinds_of_tables())
        path = self._ask_where(tr("Export findings"), "findings.csv", kinds)
        if path is not None:
            self.export(path)

    def _ask_where(self, title: str, ending: str, kinds: str) -> Path | None:
        proposed = f"{self.submission.currentText()}-{ending}"
        inputs = opened_places(self._bench.state)
        return ask_where(self, title, proposed, kinds, inputs=inputs)

    def export(self, path: Path) -> None:
        """Write the findings as a table no spreadsheet calculates with."""
        write = partial(write_table, path, _COPIED, self._rows())
        write_in_background(self._bench, path, write, self._tell)

    def _ask_revised(self) -> None:
        path = self._ask_where(
            tr("Write revised table"), "revised.csv", kinds_of((tr("Tables"), "*.csv"))
        )
        revised = [one.validation for one in self.checked if one.validation.revised is not None]
        if path is not None and revised:
            write_in_background(
                self._bench, path, lambda: _write_revised(revised[0], path), self._tell
            )


def _check_file(
    dataset: Path, path: Path, options: ValidationOptions, ticket: Ticket
) -> tuple[CheckedSubmission, ...]:
    return check_package(dataset, path, options, progress=ticket.report)


def _check_open(
    task: Task, submission: Submission, options: ValidationOptions, ticket: Ticket
) -> tuple[CheckedSubmission, ...]:
    checked = check_open(task, submission, options, progress=ticket.report)
    return judge_together((checked,), Path(submission.origin))


def _verdict(found: Sequence[CheckedSubmission]) -> str:
    """Whether all that was checked is accepted, and by how much it is not."""
    findings = [finding for checked in found for finding in checked.validation.findings]
    counted = [
        tr_many("{count} error", "{count} errors", _count(findings, Severity.ERROR)),
        tr_many("{count} warning", "{count} warnings", _count(findings, Severity.WARNING)),
    ]
    counts = ", ".join(counted)
    if all(checked.validation.is_accepted for checked in found):
        return tr("Accepted: {counts}", counts=counts)
    return tr("Rejected: {counts}", counts=counts)


def _count(findings: Sequence[Finding], severity: Severity) -> int:
    return sum(finding.severity is severity for finding in findings)


def _about(checked: CheckedSubmission) -> str:
    """What was checked by which rules."""
    validation = checked.validation
    if validation.family is None or validation.task is None:
        return tr("{name} cannot be opened", name=validation.submission)
    return tr(
        "{name}, task {task}, by the rules of {rules}",
        name=validation.submission,
        task=validation.task,
        rules=validation.family.value,
    )


def _write_revised(validation: Validation, path: Path) -> None:
    validation.write_revised(path)
