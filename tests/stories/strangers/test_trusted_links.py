"""A dataset whose files are links to elsewhere: refused as one problem, then trusted."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

import forensicviewer as fv
from forensicviewer.app.session.handover import message_of, request_of
from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.app.settings import TRUSTED_LINKS
from forensicviewer.core.problem import LINKS
from forensicviewer.sources.files import links
from forensicviewer.ui.shell.problems import ProblemsPanel
from tests.build import Built, two_answered_trials
from tests.desk_work import start_program
from tests.window_checks import beginning_of_the_program, nothing_left_behind

__all__ = ["beginning_of_the_program", "nothing_left_behind"]

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links need rights on Windows")
TRUST = "Trust links of this dataset"


@pytest.fixture(autouse=True)
def _nothing_is_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(links._TRUSTED, raising=False)
    # What is trusted during a test is forgotten after it.
    monkeypatch.setenv(links._TRUSTED, "[]")


@pytest.fixture
def built(tmp_path: Path) -> Built:
    """A dataset whose probes and reference lie on another disk, so to say."""
    built = two_answered_trials(tmp_path / "here")
    for name in ("probe", "reference/manipulation/mask"):
        place = tmp_path / "elsewhere" / name.replace("/", "-")
        place.parent.mkdir(exist_ok=True)
        (built.root / name).rename(place)
        (built.root / name).symlink_to(place)
    return built


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "forensicviewer", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ)


def test_the_window_refuses_links_once_and_trusts_them_for_good(qtbot: QtBot, built: Built) -> None:
    window = start_program(qtbot)
    bench = window.desk.workbench
    window.desk.open(OpenRequest(built.root, (built.submission,)))

    told = [problem for problem in bench.state.problems if problem.rule == LINKS]
    for trial in ("p1", "p2"):
        bench.select_trial(bench.state.task.trials.ids()[int(trial[1]) - 1])  # type: ignore[union-attr]  # it is open
    refused = [problem for problem in bench.state.problems if "link" in problem.message.lower()]

    assert len(told) == 1
    assert refused == told
    assert bench.state.loaded is not None
    assert bench.state.loaded.probe.pictures is None

    every = [each for each in window.findChildren(QPushButton) if each.text() == TRUST]
    offered = [each for each in every if each.isVisible()]
    assert len(offered) == 1
    QTest.mouseClick(offered[0], Qt.MouseButton.LeftButton)

    assert bench.state.loaded.probe.pictures is not None
    assert bench.state.loaded.probe.reference is not None
    assert [problem for problem in bench.state.problems if problem.rule == LINKS] == []
    assert window.desk.settings.of(TRUSTED_LINKS) == str(built.root)
    window.close()


def test_what_was_trusted_is_trusted_at_the_next_start(qtbot: QtBot, built: Built) -> None:
    window = start_program(qtbot)
    window.desk.settings.change(TRUSTED_LINKS, os.pathsep.join(("/other", str(built.root))))

    window.desk.open(OpenRequest(built.root, (built.submission,)))

    assert window.desk.workbench.state.loaded is not None
    assert window.desk.workbench.state.loaded.probe.pictures is not None
    window.close()


def test_the_command_line_refuses_links_once_or_follows_them(built: Built, tmp_path: Path) -> None:
    refused = run("info", built.root, "--json")
    scored = run("score", "mask", built.root, built.submission, "--out", tmp_path / "a")
    followed = run(
        *("score", "mask", built.root, built.submission, "--out", tmp_path / "b"), "--follow-links"
    )

    told = [one for one in json.loads(refused.stdout)["problems"] if "inks" in one["message"]]
    assert [one["hint"].endswith("--follow-links") for one in told] == [True]
    assert (scored.stdout + scored.stderr).count("Links of this dataset") == 1
    assert followed.returncode == 0, followed.stderr
    assert "inks of this" not in followed.stdout + followed.stderr
    header, *rows = (tmp_path / "b" / "mask_scores_perimage.csv").read_text().splitlines()
    scored_at = header.split("|").index("Scored")
    assert [row.split("|")[scored_at] for row in rows] == ["Y", "Y"]


def test_the_python_api_follows_links_when_told(built: Built) -> None:
    refused = fv.open_dataset(built.root)
    assert (
        list(refused.problems["message"]).count(
            "Links of this dataset lead outside its folder and are not followed"
        )
        == 1
    )
    task = fv.open_dataset(built.root, follow_links=True).task()
    trial = fv.load_trial(task, task.open_submission(built.submission), "p1")

    assert trial.image is not None
    assert trial.regions is not None


def test_links_of_submissions_are_never_followed(built: Built, tmp_path: Path) -> None:
    mask = built.submission / "mask" / "p1.png"
    mask.rename(tmp_path / "elsewhere" / "p1.png")
    mask.symlink_to(tmp_path / "elsewhere" / "p1.png")

    # Even where the submission lies in the dataset whose links are trusted.
    inside = built.root / built.submission.name
    built.submission.rename(inside)
    done = run("score", "mask", built.root, inside, "--out", tmp_path / "o", "--follow-links")

    assert "leads outside the folder through a link" in done.stdout + done.stderr


def test_tables_behind_links_are_read_when_trusted(tmp_path: Path) -> None:
    built = two_answered_trials(tmp_path / "here")
    (built.root / "reference").rename(tmp_path / "reference")
    (built.root / "reference").symlink_to(tmp_path / "reference")

    refused = fv.open_dataset(built.root)
    trusted = fv.open_dataset(built.root, follow_links=True)

    assert refused.task().model.reference is None
    assert trusted.task().model.reference is not None


def test_a_request_to_an_open_window_says_whether_to_follow_links(tmp_path: Path) -> None:
    request = OpenRequest(tmp_path, follows_links=True)

    assert request_of(message_of(request)) == request


def test_the_panel_of_problems_offers_to_trust_links(qtbot: QtBot, built: Built) -> None:
    window = start_program(qtbot)
    bench = window.desk.workbench
    window.desk.open(OpenRequest(built.root, (built.submission,)))
    window.show_panel("problems")
    panel = window.docks.panel("problems")
    assert isinstance(panel, ProblemsPanel)
    assert panel.trust.isVisible()

    QTest.mouseClick(panel.trust, Qt.MouseButton.LeftButton)

    assert [problem for problem in bench.state.problems if problem.rule == LINKS] == []
    assert not panel.trust.isVisible()
    assert window.desk.settings.of(TRUSTED_LINKS) == str(built.root)
    window.close()


@pytest.fixture
def linked_masks(tmp_path: Path) -> Path:
    """Images and masks, some of them links to another place."""
    root = tmp_path / "set"
    for number in range(3):
        for folder in ("Tp", "Gt"):
            (root / folder).mkdir(parents=True, exist_ok=True)
            pixels = np.zeros((24, 32), np.uint8)
            pixels[:8] = 255
            assert cv2.imwrite(str(root / folder / f"{number}.png"), pixels)
    for folder in ("Tp", "Gt"):
        place = tmp_path / f"far-{folder}.png"
        (root / folder / "2.png").rename(place)
        (root / folder / "2.png").symlink_to(place)
    (root / "Tp" / "round").symlink_to(root)
    return root


def test_trusted_links_of_images_and_masks_are_followed(linked_masks: Path) -> None:
    refused = fv.open_dataset(linked_masks)
    assert len(refused.task().trials) == 2
    assert [rule for rule in refused.problems["rule"] if rule == LINKS] == [LINKS]

    trusted = fv.open_dataset(linked_masks, follow_links=True)

    assert len(trusted.task().trials) == 3
    assert LINKS not in set(trusted.problems["rule"])


def test_the_command_line_follows_links_of_images_and_masks(linked_masks: Path) -> None:
    refused = run("info", linked_masks)
    followed = run("info", linked_masks, "--follow-links")

    assert "2 trials" in refused.stdout
    assert "Links of this dataset" in refused.stdout + refused.stderr
    assert "3 trials" in followed.stdout
    assert "Links of this dataset" not in followed.stdout + followed.stderr


def test_links_that_lead_round_in_a_circle_cost_nothing_else(tmp_path: Path) -> None:
    built = two_answered_trials(tmp_path)
    (built.root / "a").symlink_to("b")
    (built.root / "b").symlink_to("a")
    first = next((built.root / "probe").glob("*.png"))
    first.unlink()
    first.symlink_to(first.name)

    done = run("info", "--files", built.root)

    assert done.returncode == 1
    assert "Files of 2 trials" in done.stdout
    assert f"{first.name}" in done.stderr
