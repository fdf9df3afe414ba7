"""Window, trial list, command line and Python give a prediction the same numbers."""

from __future__ import annotations

import csv
import math
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import forensicviewer as fv
from forensicviewer.app.datasets.opening import open_dataset, open_submission
from forensicviewer.app.runtime.jobs import Ticket, inline_jobs
from forensicviewer.app.trials.definitions import live_numbers
from forensicviewer.app.trials.imdl_plan import ImdlPlan, ImdlScored
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.cli import main
from forensicviewer.core.imdl.pixel_scores import BEST, METRICS
from tests.sources.imdl import build

# As large as the image, cropped to a square as IMDL-BenCo pads them, and of a network's own size.
SIZES = st.sampled_from([build.SIZE, build.SIZE, (48, 48), (16, 16)])
NUMBERS = ("F1", "F1_inverse", "F1_permute", "IoU", "IoU_inverse", "Accuracy", "AUC")
# Every evaluator of IMDL-BenCo, and what the model says of the whole image.
LISTED = (*METRICS, *BEST, "ImageScore")
HALF = 128


@settings(max_examples=10, deadline=None)
@given(seeds=st.lists(st.tuples(st.integers(0, 9999), SIZES, st.integers(0, 3)), min_size=4))
def test_random_predictions_have_one_score(
    seeds: list[tuple[int, tuple[int, int], int]],
) -> None:
    with TemporaryDirectory() as folder:
        data, maps = build.json_list(Path(folder) / "data"), Path(folder) / "run"
        for name, (seed, size, kind) in zip(("0", "1", "2", "n"), seeds, strict=False):
            build.write(maps / f"{name}.png", prediction(seed, size, kind))
        out = Path(folder) / "out"

        # Said white, so that maps that look inverted are scored all the same.
        white = ["--prediction-polarity", "white", "--workers", "1", "--quiet"]
        assert main(["score", "imdl", str(data), str(maps), "--out", str(out), *white]) in (0, 1)

        with (out / "imdl_perimage.csv").open(newline="") as stream:
            rows = {row["Image"]: row for row in csv.DictReader(stream, delimiter="|")}
        for caller, columns in (
            (numbers_of_python, NUMBERS),
            (numbers_of_list, LISTED),
            (numbers_of_window, NUMBERS),
        ):
            expected = {
                name: {column: float(row[column] or "nan") for column in columns}
                for name, row in rows.items()
            }
            found = caller(data, maps)
            assert len(expected) == 4
            assert found.keys() == expected.keys()
            for name, numbers in found.items():  # files have ten digits
                assert numbers == pytest.approx(expected[name], abs=1e-10, nan_ok=True)


def prediction(seed: int, size: tuple[int, int], kind: int) -> NDArray[np.uint8]:
    """Soft, of few levels, all white or all black."""
    random = np.random.default_rng(seed)
    if kind > 1:
        return np.full(size, 255 * (kind - 2), np.uint8)
    near = build.area()[: size[0], : size[1]]
    levels = np.clip(random.normal(np.where(near, 170, 80), 60), 0, 255)
    return (levels if kind == 0 else np.floor(levels / 64) * 64).astype(np.uint8)


def numbers_of_python(data: Path, maps: Path) -> dict[str, dict[str, float]]:
    task = fv.open_dataset(data).task()
    found = fv.score(task, task.open_submission(maps), kind="imdl", prediction_polarity="white")
    rows = found.per_trial.set_index("Image").iterrows()
    return {str(name): {each: float(row[each]) for each in NUMBERS} for name, row in rows}


def numbers_of_list(data: Path, maps: Path) -> dict[str, dict[str, float]]:
    task = open_dataset(data).tasks[0]
    plan = ImdlPlan(task, open_submission(maps, task=task))
    scored, _ = plan.score(0, lambda: False, Ticket())
    found = {}
    for one in scored:
        assert isinstance(one, ImdlScored)
        found[str(task.trials.ids()[one.row])] = {
            name: math.nan if number is None else number for name, number in one.numbers.items()
        }
    return found


def numbers_of_window(data: Path, maps: Path) -> dict[str, dict[str, float]]:
    """What the panel says of each image at a threshold of one half."""
    dataset = open_dataset(data)
    task = dataset.tasks[0]
    bench = Workbench(inline_jobs())
    bench.show_dataset(dataset, task)
    bench.add_submissions([open_submission(maps, task=task)])
    found = {}
    for trial in task.trials.ids():
        bench.select_trial(trial)
        bench.set_threshold(HALF)
        numbers = live_numbers(bench.state)
        found[str(trial)] = {name: numbers[name] for name in NUMBERS}
    return found
