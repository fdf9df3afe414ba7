"""The panel of problems: how bad, what, where, and what to do; double-click goes there.

That is the trial a problem is about, or the folder of its file.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QPushButton,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from forensicviewer.app.language.words import to_translate, tr
from forensicviewer.app.report.separated_text import as_text
from forensicviewer.app.runtime.jobs import Lane
from forensicviewer.app.session.locate import folder_named_by, trial_named_by
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.app.workbench.state import Change, ViewState
from forensicviewer.core.problem import LINKS, Problem
from forensicviewer.ui.widgets.elided import ElidedLabel
from forensicviewer.ui.widgets.file_manager import show_folder
from forensicviewer.ui.widgets.panel import Panel
from forensicviewer.ui.widgets.problem_tree import (
    ProblemTree,
    count_listed,
    problem_of,
    worst_first,
)

_FOLDER_LANE = Lane("folder", is_far=True)

# By whether there are others than those listed.
_NONE = {
    False: to_translate("No problems: all files were read correctly"),
    True: to_translate("None of this kind"),
}
# As the program's own texts about problems, a table of them is English in every language.
_COPIED = ("severity", "message", "where", "hint")


class ProblemsPanel(Panel):
    """Lists the workbench's problems, worst first."""

    def __init__(
        self,
        workbench: Workbench,
        *,
        trust_links: Callable[[], None],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(workbench, parent)
        self.trust = QPushButton(tr("Trust links of this dataset"))
        self.trust.clicked.connect(lambda: trust_links())
        self._problems: tuple[Problem, ...] = ()
        self.tree = ProblemTree([tr("Problem"), tr("Where"), tr("What to do")])
        self._least = QComboBox()
        self.count = ElidedLabel()
        self._lay_out()
        self._fill()
        self.listen()

    def copy(self) -> None:
        """Put the listed problems onto the clipboard as a table."""
        rows = [(p.severity.value, p.message, p.where, p.hint) for p in self._listed()]
        text = as_text(_COPIED, rows, separator="\t")
        QGuiApplication.clipboard().setText(text)

    def _lay_out(self) -> None:
        self.tree.setAccessibleName(tr("Problems"))
        self.tree.itemActivated.connect(self._go_to)
        self._least.addItems([tr("All problems"), tr("Warnings and errors"), tr("Errors")])
        self._least.setAccessibleName(tr("Which problems are listed"))
        self._least.activated.connect(lambda: self._fill())
        copy = QPushButton(tr("Copy"))
        copy.setToolTip(tr("Copy the listed problems as a table"))
        copy.clicked.connect(self.copy)
        self.count.setProperty("role", "muted")
        top = QHBoxLayout()
        top.addWidget(self._least)
        top.addWidget(self.count, 1)
        top.addWidget(self.trust)
        top.addWidget(copy)
        layout = QVBoxLayout(self)
        # A low window has room for the list up to its edge.
        layout.setContentsMargins(8, 8, 8, 4)
        layout.addLayout(top)
        layout.addWidget(self.tree)

    def follow(self, state: ViewState, change: Change) -> None:
        if change & Change.PROBLEMS:
            self._show(state.problems)

    def _show(self, problems: tuple[Problem, ...]) -> None:
        if problems != self._problems:
            self._problems = problems
            self._fill()

    def _listed(self) -> list[Problem]:
        return worst_first(self._problems, least=self._least.currentIndex())

    def _fill(self) -> None:
        listed = self._listed()
        self.tree.show_problems(listed, _cells)
        self.trust.setVisible(any(problem.rule == LINKS for problem in listed))
        none = tr(_NONE[bool(self._problems)])
        self.count.setText(count_listed(len(listed)) if listed else none)

    def _go_to(self, item: QTreeWidgetItem) -> None:
        problem = problem_of(item)
        trial_id = trial_named_by(problem, self.workbench.state)
        if trial_id is not None:
            self.workbench.select_trial(trial_id)
            return
        look = partial(folder_named_by, problem, self.workbench.state)
        self.workbench.jobs.submit(_FOLDER_LANE, look, self._show_folder)

    def _show_folder(self, folder: Path | None) -> None:
        if folder is not None:
            show_folder(folder)
        else:
            self.count.setText(tr("This problem does not belong to a trial or to an existing file"))


def _cells(problem: Problem) -> tuple[str, str, str]:
    return problem.message, problem.where, problem.hint
