"""Sessions of blind reviews: saved, restored and passed on, they give nothing away."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.app.settings import JUDGE
from forensicviewer.app.trials.trial_filter import Sort
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.app.workbench.state import Change, ViewState
from forensicviewer.cli import main
from forensicviewer.core.model import TrialId
from forensicviewer.ui.shell.window import MainWindow
from tests.build import Built, a_dataset, blurred, box
from tests.desk_work import CTRL, press, start_program
from tests.stories.judging.test_a_blind_judge_learns_nothing import texts_of as every_text_of

pytestmark = pytest.mark.ui
PANELS = ("adjudicator", "checklist", "metrics", "detection", "legend", "score")


@pytest.fixture
def built(tmp_path: Path) -> Built:
    made = a_dataset(tmp_path / "data").nist("NC2017")
    for number, name in enumerate(("p1", "p2", "p3"), start=1):
        made = made.with_trial(name, manipulated=box(8 * number, 10, 8 * number + 8, 30))
        made = made.with_answer(name, blurred())
    return made.write()


@pytest.fixture
def review(built: Built, tmp_path: Path) -> Path:
    folder = tmp_path / "review"
    words = ["review", "init", str(folder), str(built.root), "--judge", "Ada", "--judge", "Grace"]
    assert main([*words, "--second", "1", "--blind"]) == 0
    return folder


def texts_of(window: MainWindow) -> list[str]:
    """But for the start page and the recent places: they list what this account opened itself."""
    recent = [place.path for place in window.desk.recent.places]
    recent += [f"{Path(one).name}\n{Path(one).parent}" for one in recent]
    return [one for one in every_text_of(window) if not any(place in one for place in recent)]


def become(window: MainWindow, name: str) -> None:
    window.desk.settings.change(JUDGE, name)
    window.refresh()


def ada_works(qtbot: QtBot, built: Built, review: Path, saved: Path) -> None:
    """She judges p1, begins a note on p2, sorts by a score, and saves her session."""
    window = start_program(qtbot)
    become(window, "Ada")
    window.desk.open(OpenRequest(built.root, (built.submission,), review=review))
    window.refresh()
    window.show_panel("adjudicator")
    window.docks.browser.focus_table()
    press(Qt.Key.Key_1, CTRL)
    assert window.desk.workbench.state.submission is not None
    window.desk.workbench.select_trial(TrialId("p2"))
    window.docks.adjudicator.note.setPlainText("secretdraft")
    window.desk.trials.set_sort(Sort("MCC", descending=True))
    window.desk.save_session(saved)
    window.refresh()
    window.close()


def watch(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What anybody who listens to any workbench is shown of systems that are hidden."""
    leaks: list[str] = []
    subscribe = Workbench.subscribe

    def look(state: ViewState, _change: Change) -> None:
        shown = state.loaded
        if state.run_submissions and state.dataset is not None:
            leaks.append(f"runs, at {state.trial_id}")
        if state.submission is not None and state.trial_id != "p1":
            leaks.append(f"the submission, at {state.trial_id}")
        if shown is not None and shown.trial.id != "p1" and shown.request.systems:
            leaks.append(f"the answer to {shown.trial.id}")

    def watched(
        self: Workbench, listener: Callable[[ViewState, Change], None]
    ) -> Callable[[], None]:
        def heard(state: ViewState, change: Change) -> None:
            look(state, change)
            listener(state, change)

        return subscribe(self, heard)

    monkeypatch.setattr(Workbench, "subscribe", watched)
    return leaks


def restored(qtbot: QtBot, judge: str, session: Path | None) -> MainWindow:
    window = start_program(qtbot)
    become(window, judge)
    if session is None:
        window.desk.restore_last()
    else:
        window.desk.open_session(session)
    window.refresh()
    for name in PANELS:
        window.show_panel(name)
    assert window.desk.workbench.state.dataset is not None
    return window


@pytest.mark.parametrize("is_named", [True, False])
def test_a_restored_session_shows_the_same_judge_no_more_than_before(
    qtbot: QtBot,
    built: Built,
    review: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    is_named: bool,
) -> None:
    saved = tmp_path / "ada.fvsession"
    ada_works(qtbot, built, review, saved)
    leaks = watch(monkeypatch)

    window = restored(qtbot, "Ada", saved if is_named else None)
    assert window.docks.adjudicator.note.toPlainText() == "secretdraft"
    assert window.desk.workbench.state.trial_id == "p2"
    assert [one for one in texts_of(window) if built.submission.stem in one] == []
    window.desk.reload()
    window.refresh()
    window.desk.workbench.select_trial(TrialId("p3"))
    window.refresh()
    window.close()

    assert leaks == []


@pytest.mark.parametrize("is_named", [True, False])
def test_another_judge_who_restores_a_session_learns_nothing(
    qtbot: QtBot,
    built: Built,
    review: Path,
    tmp_path: Path,
    *,
    is_named: bool,
) -> None:
    saved = tmp_path / "ada.fvsession"
    ada_works(qtbot, built, review, saved)

    window = restored(qtbot, "Grace", saved if is_named else None)
    for trial in ("p1", "p2", "p3"):
        window.desk.workbench.select_trial(TrialId(trial))
        window.refresh()
        said = texts_of(window)
        for secret in ("secretdraft", built.submission.stem, "erdict on p1"):
            assert [one for one in said if secret in one] == [], (trial, secret)
    # What Ada began is still hers, also after Grace closed the program.
    window.close()
    window = restored(qtbot, "Ada", None)
    window.desk.workbench.select_trial(TrialId("p2"))
    window.refresh()
    assert window.docks.adjudicator.note.toPlainText() == "secretdraft"
    window.close()


def test_a_session_file_holds_only_what_its_own_judge_began(
    qtbot: QtBot, built: Built, review: Path, tmp_path: Path
) -> None:
    saved, passed_on = tmp_path / "ada.fvsession", tmp_path / "grace.fvsession"
    ada_works(qtbot, built, review, saved)
    window = restored(qtbot, "Grace", saved)
    window.docks.adjudicator.note.setPlainText("mine")
    window.desk.save_session(passed_on)
    window.refresh()
    window.close()

    written = passed_on.read_text("utf-8")
    assert "mine" in written
    assert "secretdraft" not in written


def test_a_session_whose_review_is_gone_opens_nothing(
    qtbot: QtBot, built: Built, review: Path, tmp_path: Path
) -> None:
    saved = tmp_path / "ada.fvsession"
    ada_works(qtbot, built, review, saved)
    review.rename(tmp_path / "elsewhere")

    window = start_program(qtbot)
    become(window, "Ada")
    window.desk.open_session(saved)
    window.refresh()

    assert window.desk.workbench.state.dataset is None
    problems = [one.message for one in window.desk.workbench.state.problems]
    assert "This folder is not a review" in problems
    window.close()
