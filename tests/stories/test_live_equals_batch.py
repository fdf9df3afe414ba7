"""What the window computes live is what the batch writes, on NIST's own data."""

from __future__ import annotations

from pathlib import Path

import pytest

from forensicviewer.app.jobs import inline_jobs
from forensicviewer.app.mask_scoring import score_masks
from forensicviewer.app.mask_settings import MaskSettings
from forensicviewer.app.trialview import LoadedTrial, Side
from forensicviewer.app.workbench import Workbench

pytestmark = pytest.mark.nist
CASES = [
    ("manipulation:MFC18", "B_MFC18_Unittest_Manipulation_ImgOnly_p-me_1"),
    ("manipulation:NC2016", "B_NC2016_Unittest_Manipulation_ImgOnly_c-me2_1"),
    ("splice:NC2016", "B_NC2016_Unittest_Splice_ImgOnly_p-me_1"),
    ("manipulation:NC2017", "p-failvalid_1_manip"),
]


@pytest.mark.parametrize(("task", "submission"), CASES)
def test_every_trial_has_the_optimum_of_the_batch(
    nist_suite: Path, task: str, submission: str
) -> None:
    root = nist_suite / "maskScorerTests"
    bench = Workbench(inline_jobs())
    bench.open_dataset(root, task=task)
    bench.open_submission(root / submission)
    expected = _batch(bench)

    found = {}
    assert bench.state.task is not None
    for row in range(len(bench.state.task.trials)):
        bench.select_row(row)
        assert bench.state.loaded is not None
        found.update(_live(bench.state.loaded))

    assert found.keys() >= expected.keys()
    for key, cell in expected.items():
        assert found[key] == (pytest.approx(float(cell), rel=1e-12) if cell else None), key


def _batch(bench: Workbench) -> dict[tuple[str, Side], str]:
    task, submission = bench.state.task, bench.state.submission
    assert task is not None
    assert submission is not None
    output = score_masks(task, submission, MaskSettings())
    table = next(table for table in output.tables if "perimage" in table.name)
    expected = {}
    for row in table.records():
        if task.kind.has_donor:
            trial = f"{row['ProbeFileID']}+{row['DonorFileID']}"
            expected[trial, Side.PROBE] = row["pOptimumMCC"]
            expected[trial, Side.DONOR] = row["dOptimumMCC"]
        else:
            expected[row["ProbeFileID"], Side.PROBE] = row["OptimumMCC"]
    return expected


def _live(loaded: LoadedTrial) -> dict[tuple[str, Side], float | None]:
    sides = [side for side in Side if side is Side.PROBE or loaded.donor is not None]
    found: dict[tuple[str, Side], float | None] = {}
    for side in sides:
        sweep = loaded.sweep(side, 0)
        best = None if sweep is None else sweep.optimum
        mcc = None if sweep is None or best is None else float(sweep.mcc[best])
        found[str(loaded.trial.id), side] = mcc
    return found
