"""Every page answers the commands of its scope, and draws itself."""

import subprocess
import sys

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from forensicviewer.app.commands.table import COMMANDS
from forensicviewer.app.runtime.jobs import inline_jobs
from forensicviewer.app.session.desk import Desk
from forensicviewer.app.settings import Settings
from forensicviewer.app.workbench.scope import Scope
from forensicviewer.ui.shell.parts import make_page
from forensicviewer.ui.shell.window import MainWindow

pytestmark = pytest.mark.ui


@pytest.mark.parametrize("scope", [Scope.STILLS, Scope.VIDEO, Scope.GRAPH])
def test_no_command_of_a_page_is_left_unanswered(scope: Scope, qtbot: QtBot) -> None:
    window = MainWindow(Desk(inline_jobs(), Settings()))
    qtbot.addWidget(window)

    page = make_page(scope, window.desk.workbench, QWidget(window))
    window.commands.bind(page.handlers())

    unanswered = {c.id for c in COMMANDS if c.scope is scope} - window.commands.bound
    page.let_go()
    assert unanswered == set()


@pytest.mark.parametrize("scope", [Scope.STILLS, Scope.VIDEO, Scope.GRAPH])
def test_an_empty_page_draws_without_a_trial(scope: Scope, qtbot: QtBot) -> None:
    window = MainWindow(Desk(inline_jobs(), Settings()))
    qtbot.addWidget(window)
    page = make_page(scope, window.desk.workbench, window)

    picture = page.picture()
    page.let_go()

    assert not picture.isNull()


def test_no_step_of_the_preparation_imports_much_at_once() -> None:
    program = (
        "import sys\n"
        "from forensicviewer.ui.shell import start\n"
        "from forensicviewer.ui.shell.parts import import_panels, import_work\n"
        "import_work()\n"
        "steps, before = import_panels(), len(sys.modules)\n"
        "for step in steps:\n"
        "    print(len(sys.modules) - before)\n"
        "    before = len(sys.modules)\n"
    )

    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )

    # All in one step were 45, which kept the window for 100 ms.
    assert max(map(int, run.stdout.split())) <= 20
