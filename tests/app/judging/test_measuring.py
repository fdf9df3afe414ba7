"""Numbers with everything they depend on come out again, or what changed is named."""

import csv
import json
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from forensicviewer.app.judging.measuring import check, measured_in, rules_of, state_of
from forensicviewer.app.judging.verdict_table import write_verdicts
from forensicviewer.app.runtime.jobs import inline_jobs
from forensicviewer.app.session.desk import Desk
from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.app.settings import Settings
from forensicviewer.core.kernel import Kernels, KernelShape
from forensicviewer.core.measurement import Measurement, differences
from forensicviewer.core.rules import PLAN
from forensicviewer.core.rules.mask import OptOutPixels
from forensicviewer.core.verdict import Ruling
from tests.build import Built, two_answered_trials


@pytest.fixture
def built(tmp_path: Path) -> Built:
    return two_answered_trials(tmp_path)


@pytest.fixture
def desk(built: Built, tmp_path: Path) -> Desk:
    made = Desk(inline_jobs(), Settings(tmp_path / "settings.json"))
    made.open(OpenRequest(built.root, (built.submission,)))
    return made


def judged(desk: Desk) -> Measurement:
    desk.judging.say(Ruling.SOUND)
    own = desk.judging.own
    assert own is not None
    return own.measured[0]


def again(desk: Desk, measured: Measurement) -> Measurement:
    state = desk.workbench.state
    assert state.task is not None
    return measured_in(state_of(measured, state.task, state.submission), measured)


def test_a_verdict_records_settings_numbers_and_digests(desk: Desk) -> None:
    bench = desk.workbench
    bench.set_kernels(Kernels(KernelShape.DISC, 5, 3, 7))
    bench.set_rules(PLAN.with_choice(OptOutPixels.LEFT_OUT))
    bench.set_threshold(100)

    measured = judged(desk)

    assert (measured.kernel, measured.erode_px, measured.dilate_px) == ("disc", 5, 3)
    assert (measured.rules, rules_of(measured)) == ("plan", bench.state.rules)
    assert (measured.threshold, measured.shown_threshold) == (100, 155)
    assert {file.role for file in measured.files} == {"probe", "reference", "system mask"}
    assert all(len(file.sha256) == 64 for file in measured.files)
    loaded = bench.state.loaded
    assert loaded is not None
    sweep = loaded.sweep(bench.state.side, 0)
    assert sweep is not None
    assert measured.metrics["MCC"] == sweep.mcc[100]


def test_a_recorded_number_comes_out_again_whatever_the_window_shows_now(desk: Desk) -> None:
    desk.workbench.set_kernels(Kernels(KernelShape.DIAMOND, 9, 5, 3))
    desk.workbench.set_threshold(60)
    measured = judged(desk)
    desk.workbench.set_kernels(Kernels())
    desk.workbench.set_threshold(200)

    found = again(desk, measured)

    assert differences(measured, found) == ()
    assert found == measured
    assert differences(replace(measured, erode_px=1), again(desk, replace(measured, erode_px=1)))


def test_a_replaced_reference_is_named_with_the_number_it_changes(desk: Desk, built: Built) -> None:
    measured = judged(desk)
    reference = built.root / next(f.name for f in measured.files if f.role == "reference")
    pixels = cv2.imread(str(reference))
    assert pixels is not None
    cv2.imwrite(str(reference), np.roll(pixels, 6, axis=1))

    state = desk.workbench.state
    found = check(measured, state.task, state.submissions)

    assert not found.is_same
    assert f"the reference {measured.files[1].name} has changed" in found.words
    assert "MCC was" in found.words


def test_a_number_of_a_submission_that_is_not_open_is_not_checked(desk: Desk) -> None:
    measured = judged(desk)

    found = check(measured, desk.workbench.state.task, ())

    assert found.words == (
        f"Recorded, not checked: the submission {measured.submission} is not open"
    )


def test_a_measurement_is_the_same_after_json(desk: Desk) -> None:
    measured = replace(
        judged(desk), operations=(("j", "1", "2"),), frame=3, stretch=(1, 9), actual=4
    )

    read = Measurement.from_json(json.loads(json.dumps(measured.as_json())))

    assert read == measured
    with pytest.raises(TypeError):
        Measurement.from_json({**measured.as_json(), "erode_px": "15"})


def test_notes_that_look_like_formulas_are_text_in_spreadsheets(desk: Desk, tmp_path: Path) -> None:
    desk.judging.say(Ruling.UNCLEAR, note="=HYPERLINK(1)")
    assert desk.judging.book is not None

    path = tmp_path / "verdicts.csv"
    write_verdicts(desk.judging.book, path)

    with path.open(encoding="utf-8", newline="") as stream:
        (row,) = csv.DictReader(stream)
    assert row["Note"] == "'=HYPERLINK(1)"
