"""The log: what was opened and what was wrong, once each, in memory and in a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from forensicviewer.app.runtime.jobs import inline_jobs
from forensicviewer.app.session import logbook
from forensicviewer.app.session.logbook import Logbook
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.core.problem import Problem, Severity
from tests.bench_build import put_dataset, put_submission
from tests.build import two_answered_trials


@pytest.fixture
def bench() -> Workbench:
    return Workbench(inline_jobs())


def test_the_log_tells_what_was_opened_and_what_was_wrong(bench: Workbench, tmp_path: Path) -> None:
    log = Logbook(bench)
    built = two_answered_trials(tmp_path)
    odd = Problem(Severity.WARNING, "odd", "x.csv:3", "look")

    put_dataset(bench, built.root)
    put_submission(bench, built.submission)
    bench.report([odd])
    bench.report([odd])
    bench.close_dataset()

    assert "Opened NC2017: manipulation, 2 trials" in log.text
    assert "2 answers" in log.text
    assert log.text.count("warning x.csv:3: odd (look)") == 1
    assert log.text.splitlines()[-1].endswith("Everything closed")


def test_the_file_holds_what_came_before_it_and_after(bench: Workbench, tmp_path: Path) -> None:
    log = Logbook(bench)
    path = tmp_path / "log" / "x.log"

    log.keep_in(path)
    log.add("info", "first line\nsecond line")

    assert path.read_text(encoding="utf-8") == f"{log.text}\n"
    assert "first line | second line" in log.text


def test_a_large_file_begins_anew_beside_the_old_one(
    bench: Workbench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logbook, "_LARGEST_BYTES", 10)
    log = Logbook(bench)
    path = tmp_path / "x.log"

    log.keep_in(path)
    log.add("info", "anew")

    assert path.read_text(encoding="utf-8").count("\n") == 1
    assert "begins" in (tmp_path / "x.old.log").read_text(encoding="utf-8")


def test_a_place_nobody_can_write_to_disturbs_nothing(bench: Workbench, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.touch()
    log = Logbook(bench)

    log.keep_in(blocked / "x.log")
    log.add("info", "goes on")

    assert log.text.endswith("goes on")
