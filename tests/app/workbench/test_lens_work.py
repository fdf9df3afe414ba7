"""Lenses on the workbench: computed in the background, kept, undone and restored."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from forensicviewer.app.plugins.lenses import LENSES
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.app.workbench.lens_work import drawn_lens, lens_image
from forensicviewer.app.workbench.state import CompareMode, Layer, Pane, ViewEdits
from forensicviewer.core.lens.lens import Lens, LensImage, LensPixels, Values
from forensicviewer.sources.files.dataclass_json import from_json_value, to_json_value
from tests.bench_build import loaded, opened, put_dataset, put_row
from tests.build import Built, a_dataset, box, exact
from tests.hall import Hall

ELA = Pane(Layer.LENS, lens="ela")


@pytest.fixture
def built(tmp_path: Path) -> Built:
    dataset = a_dataset(tmp_path).nist("NC2017")
    for name in ("p1", "p2"):
        dataset = dataset.with_trial(name, manipulated=box(10, 10, 30, 30))
        dataset = dataset.with_answer(name, exact())
    return dataset.write()


def shown(bench: Workbench, pane: Pane = ELA) -> LensPixels | None:
    drawn = drawn_lens(bench.state, pane)
    return None if drawn is None or drawn.pixels is None else drawn.pixels.levels[0]


def test_a_pane_shows_its_lens_over_the_very_pixels_of_the_probe(built: Built) -> None:
    bench = opened(built)
    bench.set_panes([Pane(Layer.PICTURE), ELA])

    image = lens_image(loaded(bench).probe)
    ela = LENSES.get("ela")

    assert image is not None
    assert ela is not None
    found = shown(bench)
    assert found is not None
    assert (found == ela.draw(image, {})).all()
    assert found.shape == loaded(bench).probe.pictures.levels[0].shape  # type: ignore[union-attr]


def test_other_values_and_trials_show_at_once_and_undo_brings_them_back(built: Built) -> None:
    bench = opened(built)
    bench.set_panes([ELA])
    first = shown(bench)

    bench.set_lens("ela", {"quality": 40})
    second = shown(bench)
    bench.undo()

    assert first is not None
    assert second is not None
    assert not np.array_equal(first, second)
    assert shown(bench) is first
    put_row(bench, 1)
    assert shown(bench) is not first
    put_row(bench, 0)


def test_lenses_are_computed_only_where_they_are_looked_at(built: Built) -> None:
    bench = opened(built)
    bench.set_compare(first=Pane(Layer.PICTURE), second=ELA)
    assert bench.state.drawn_lenses == ()

    bench.set_compare(mode=CompareMode.BLINK)
    assert shown(bench) is not None

    bench.set_compare(mode=CompareMode.OFF)
    assert bench.state.drawn_lenses == ()


def test_the_values_of_lenses_are_kept_with_the_session(built: Built) -> None:
    bench = opened(built)
    bench.set_panes([ELA])
    bench.set_lens("ela", {"quality": 40, "gain": 3})

    document = to_json_value(ViewEdits.of(bench.state))

    assert from_json_value(ViewEdits, document) == ViewEdits.of(bench.state)


def failing(_image: LensImage, _values: Values) -> LensPixels:
    raise ZeroDivisionError("no\nmore")


@pytest.fixture
def broken_lens(monkeypatch: pytest.MonkeyPatch) -> Lens:
    lens = Lens("broken", "Broken", "", failing)
    monkeypatch.setitem(LENSES._load(), "broken", lens)
    return lens


def test_a_lens_that_fails_is_a_problem_once_and_the_rest_goes_on(
    built: Built, broken_lens: Lens
) -> None:
    bench = opened(built)
    pane = Pane(Layer.LENS, lens=broken_lens.name)

    bench.set_panes([pane, ELA])

    drawn = drawn_lens(bench.state, pane)
    assert drawn is not None
    assert drawn.reason.startswith("The lens broken failed: ZeroDivisionError: no")
    assert [p.rule for p in bench.state.problems] == ["lens.failed"]
    assert shown(bench) is not None


def test_six_lenses_are_computed_one_after_another_on_threads(built: Built) -> None:
    hall = Hall()
    bench = Workbench(hall.jobs)
    put_dataset(bench, built.root)
    hall.fetch_until(lambda: bench.state.loaded is not None)
    panes = [Pane(Layer.LENS, lens=lens.name) for lens in LENSES][:6]

    bench.set_panes(panes)
    hall.fetch_until(lambda: all(drawn_lens(bench.state, pane) for pane in panes))
    hall.settle()

    assert len(bench.state.drawn_lenses) == 6
    hall.jobs.close()
