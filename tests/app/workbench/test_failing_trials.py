"""Trials that cannot be read as a whole: nothing of another one is shown in their place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import pytest

from forensicviewer.app.runtime.jobs import inline_jobs
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.core.array import Size
from forensicviewer.core.model import Side, TrialId
from tests.bench_build import loaded, put_dataset, put_submission
from tests.build import a_dataset, box, exact

# Each trial has an image of its own size, by which a library can be made to fail at one.
WIDTHS = {"p1": 64, "p2": 80, "p3": 96}


class Failing:
    """OpenCV, failing in this process at images of one width."""

    def __init__(self, width: int, error: BaseException) -> None:
        self._width = width
        self._error = error
        self._convert = cv2.cvtColor

    def __call__(self, pixels: Any, *args: Any, **options: Any) -> Any:
        if pixels.shape[1] == self._width:
            raise self._error
        return self._convert(pixels, *args, **options)


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    building = a_dataset(tmp_path)
    for name, width in WIDTHS.items():
        building = building.with_trial(
            name, manipulated=box(4, 4, 24, 24), size=Size(width, 48)
        ).with_answer(name, exact())
    built = building.write()
    made = Workbench(inline_jobs())
    put_dataset(made, built.root)
    put_submission(made, built.submission)
    return made


def test_a_bug_shows_the_trial_without_pixels_and_not_the_one_before(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert loaded(bench).probe.pictures is not None
    monkeypatch.setattr(cv2, "cvtColor", Failing(WIDTHS["p2"], ZeroDivisionError()))

    with pytest.raises(ZeroDivisionError):
        bench.select_trial(TrialId("p2"))

    assert (bench.state.trial_id, bench.state.is_loading) == ("p2", False)
    shown = loaded(bench)
    assert shown.trial.id == "p2"
    assert (shown.probe.pictures, shown.probe.reference) == (None, None)
    assert shown.sweep(Side.PROBE, 0) is None
    assert "Internal error" in shown.probe.reason


def test_a_trial_that_failed_is_read_again_when_it_is_asked_for_again(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(cv2, "cvtColor", Failing(WIDTHS["p2"], ZeroDivisionError()))
        with pytest.raises(ZeroDivisionError):
            bench.select_trial(TrialId("p2"))

    bench.select_trial(TrialId("p1"))
    bench.select_trial(TrialId("p2"))

    assert loaded(bench).probe.pictures is not None


def test_an_image_there_is_no_memory_for_costs_its_pane_alone(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cv2, "cvtColor", Failing(WIDTHS["p2"], MemoryError()))

    bench.select_trial(TrialId("p2"))

    shown = loaded(bench)
    assert shown.probe.pictures is None
    assert "not enough memory" in shown.probe.reason
    assert shown.probe.reference is not None
    assert shown.sweep(Side.PROBE, 0) is not None
    assert any(problem.rule == "codec.no-memory" for problem in bench.state.problems)


def test_a_neighbour_that_fails_does_not_keep_others_from_being_read(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cv2, "cvtColor", Failing(WIDTHS["p2"], ZeroDivisionError()))

    with pytest.raises(ZeroDivisionError):
        bench.set_neighbours([TrialId("p2"), TrialId("p3")])

    assert {request.trial.id for request in bench._ahead.read} == {"p2", "p3"}
    assert loaded(bench).trial.id == "p1"
