"""Trials whose files are special: bit planes, turned pictures, failed validations, second masks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image

from forensicviewer.app.masks.run import score_masks
from forensicviewer.app.masks.settings import MaskSettings
from forensicviewer.app.workbench.explanation import why_unscored
from forensicviewer.app.workbench.inspection import file_facts, inspect
from forensicviewer.app.workbench.metric_values import MetricValue, metric_values
from forensicviewer.app.workbench.state import Layer, Pane
from forensicviewer.core.array import Size
from forensicviewer.core.metric import METRIC_NOTES
from forensicviewer.core.model import Side
from forensicviewer.sources.media.masks import write_bit_planes
from tests.bench_build import loaded, opened
from tests.build import Built, a_dataset, box, exact, write_png

TWO = {"PasteSplice": box(4, 4, 34, 34), "Heal": box(20, 20, 60, 44)}
PLANES = "reference/manipulation/planes.jp2"


def with_planes(tmp_path: Path) -> Built:
    """A trial whose two operations overlap, in colours as well as in bit planes."""
    made = a_dataset(tmp_path).with_trial(
        "p1", manipulated=TWO, facts={"ProbeBitPlaneMaskFileName": PLANES}
    )
    built = made.with_answer("p1", exact()).write()
    size = Size(64, 48)
    planes = TWO["PasteSplice"](size).astype(np.uint8) + 2 * TWO["Heal"](size).astype(np.uint8)
    write_bit_planes(built.root / PLANES, planes[:, :, np.newaxis])
    journal = built.table("-journalmask.csv")
    head, *rows = journal.read_text(encoding="utf-8").splitlines()
    numbered = [f"{row}|{number}" for number, row in enumerate(rows, start=1)]
    journal.write_text("\n".join([f"{head}|BitPlane", *numbered]), encoding="utf-8")
    return built


def test_bit_planes_are_read_when_asked_for(tmp_path: Path) -> None:
    bench = opened(with_planes(tmp_path))
    assert loaded(bench).probe.planes is None

    bench.set_scoring(uses_bit_planes=True)
    bench.set_cursor((27, 27))

    assert loaded(bench).probe.planes is not None
    pixel = inspect(bench.state)
    assert pixel is not None
    assert [operation.name for operation in pixel.operations] == ["PasteSplice", "Heal"]
    assert "reference manipulated (bit 1+2)" in pixel.as_text()


def test_selected_planes_score_as_the_batch_does(tmp_path: Path) -> None:
    bench = opened(with_planes(tmp_path))
    task, submission = bench.state.task, bench.state.submission
    assert task is not None
    assert submission is not None

    bench.set_scoring(uses_bit_planes=True)
    bench.set_selected_operations([0])
    settings = MaskSettings(bit_planes=True, manipulation_queries=("Operation=='PasteSplice'",))
    output = score_masks(task, submission, settings)

    row = next(t for t in output.tables if "perimage" in t.name).records()[0]
    sweep = loaded(bench).sweep(Side.PROBE, 0)
    assert sweep is not None
    assert sweep.optimum is not None
    assert float(row["OptimumMCC"]) == sweep.mcc[sweep.optimum]


def test_without_colours_planes_count_only_when_asked_for_as_in_the_batch(tmp_path: Path) -> None:
    built = with_planes(tmp_path)
    forget_cell(built, "reference/manipulation/mask/p1.png")
    bench = opened(built)
    unasked = loaded(bench).sweep(Side.PROBE, 0)

    bench.set_scoring(uses_bit_planes=True)

    assert unasked is None
    assert loaded(bench).sweep(Side.PROBE, 0) is not None


def test_without_planes_colours_do_not_stand_in_for_them(tmp_path: Path) -> None:
    built = with_planes(tmp_path)
    forget_cell(built, PLANES)
    bench = opened(built)
    assert loaded(bench).sweep(Side.PROBE, 0) is not None

    bench.set_scoring(uses_bit_planes=True)

    assert loaded(bench).sweep(Side.PROBE, 0) is None
    assert why_unscored(bench.state) == "The reference of this trial has colours, but no bit planes"


def forget_cell(built: Built, cell: str) -> None:
    """Leave a cell of the reference table blank."""
    table = built.table("-ref.csv")
    text = table.read_text(encoding="utf-8")
    assert f"|{cell}" in text
    table.write_text(text.replace(f"|{cell}", "|"), encoding="utf-8")


def write_turned(path: Path, *, width: int, height: int) -> None:
    """A JPEG whose EXIF says that it must be turned by a quarter."""
    picture = Image.fromarray(np.full((height, width, 3), 90, np.uint8))
    exif = picture.getexif()
    exif[0x0112] = 6
    picture.save(path, format="JPEG", exif=exif)


def test_a_picture_is_shown_the_way_its_mask_lies(tmp_path: Path) -> None:
    built = a_dataset(tmp_path).with_trial("p1", manipulated=TWO).with_answer("p1", exact()).write()
    write_turned(built.root / "probe" / "p1.png", width=64, height=48)

    side = loaded(opened(built)).probe

    assert side.is_as_stored
    assert side.pictures is not None
    assert side.pictures.size == Size(64, 48)
    assert dict(file_facts(loaded(opened(built)), Side.PROBE))["Orientation"].startswith("EXIF 6")


def test_an_upright_mask_gets_an_upright_picture(tmp_path: Path) -> None:
    built = a_dataset(tmp_path).with_trial("p1", manipulated=TWO).with_answer("p1", exact()).write()
    write_turned(built.root / "probe" / "p1.png", width=48, height=64)

    side = loaded(opened(built)).probe

    assert not side.is_as_stored
    assert side.pictures is not None
    assert side.pictures.size == Size(64, 48)


def test_a_mask_that_failed_validation_is_empty(tmp_path: Path) -> None:
    made = a_dataset(tmp_path).nist("MFC2018").with_trial("p1", manipulated=TWO)
    built = made.with_answer("p1", exact(), status="FailedValidation").write()

    system = loaded(opened(built)).system(Side.PROBE, 0)

    assert system is not None
    assert system.is_stand_in


def test_a_broken_reference_says_so_and_is_not_scored(tmp_path: Path) -> None:
    built = a_dataset(tmp_path).with_trial("p1", manipulated=TWO).with_answer("p1", exact()).write()
    (mask,) = (built.root / "reference").rglob("p1.png")
    mask.write_bytes(b"nothing")

    trial = loaded(opened(built))

    assert trial.probe.reference is None
    assert trial.probe.reference_reason
    assert trial.sweep(Side.PROBE, 0) is None


def test_a_trial_without_a_base_says_so(tmp_path: Path) -> None:
    built = a_dataset(tmp_path).with_trial("p1", manipulated=TWO).with_answer("p1", exact()).write()
    bench = opened(built)

    bench.set_panes([Pane(Layer.BASE)])

    assert loaded(bench).probe.base is None
    assert loaded(bench).probe.base_reason == "The reference does not name a base image"


def test_pixels_beyond_the_reference_are_outside(tmp_path: Path) -> None:
    built = a_dataset(tmp_path).with_trial("p1", manipulated=TWO).with_answer("p1", exact()).write()
    write_png(built.submission / "mask" / "p1.png", np.zeros((48, 80), np.uint8))
    bench = opened(built)

    bench.set_cursor((70, 10))

    pixel = inspect(bench.state)
    assert pixel is not None
    assert pixel.reason == "outside the scored mask"


def test_metrics_without_a_value_are_blank(tmp_path: Path) -> None:
    built = a_dataset(tmp_path).with_trial("p1", manipulated=box(20, 20, 29, 29))
    bench = opened(built.with_answer("p1", exact()).write())
    names = [note.name for note in METRIC_NOTES]

    found = dict(zip(names, metric_values(bench.state, 0, 256), strict=True))

    assert found["NMM"] == MetricValue("", "")
    assert found["PixelTP"] == MetricValue("0", "0")
    assert set(metric_values(bench.state, 1, 256)) == {MetricValue("", "")}
