"""What the window computes live is what the batch writes, on NIST's own data, digit by digit."""

from __future__ import annotations

from pathlib import Path

import pytest

from forensicviewer.app.masks.run import score_masks
from forensicviewer.app.masks.settings import MaskSettings
from forensicviewer.app.runtime.jobs import inline_jobs
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.app.workbench.metric_values import metric_values
from forensicviewer.core.metric import METRIC_NOTES
from forensicviewer.core.model import Side
from forensicviewer.core.rules import MEDISCORE, PLAN, VERBATIM, RuleSet
from tests.bench_build import put_dataset, put_row, put_submission

pytestmark = pytest.mark.nist
COLUMNS = (
    *("OptimumMCC", "OptimumNMM", "OptimumBWL1", "GWL1", "AUC", "EER"),
    *("PixelN", "PixelBNS", "PixelSNS", "PixelPNS"),
)
CASES = [
    ("manipulation:MFC18", "B_MFC18_Unittest_Manipulation_ImgOnly_p-me_1", MEDISCORE),
    ("manipulation:NC2016", "B_NC2016_Unittest_Manipulation_ImgOnly_c-me2_1", MEDISCORE),
    ("manipulation:NC2016", "B_NC2016_Unittest_Manipulation_ImgOnly_c-me2_1", PLAN),
    ("splice:NC2016", "B_NC2016_Unittest_Splice_ImgOnly_p-me_1", MEDISCORE),
    ("splice:NC2016", "B_NC2016_Unittest_Splice_ImgOnly_p-me_1", VERBATIM),
    ("splice:NC2017", "B_NC2017_Unittest_Splice_ImgOnly_p-me_1", MEDISCORE),
    ("splice:NC2017", "C_NC2017_Unittest_Splice_ImgOnly_p-me_1", PLAN),
    ("manipulation:NC2017", "p-failvalid_1_manip", MEDISCORE),
    ("manipulation:NC2017", "Error_NC2017_Unittest_Manipulation_ImgOnly_c-me_1", VERBATIM),
]


@pytest.mark.parametrize(("task", "submission", "rules"), CASES)
def test_every_trial_has_the_numbers_of_the_batch(
    nist_suite: Path, task: str, submission: str, rules: RuleSet
) -> None:
    root = nist_suite / "maskScorerTests"
    bench = Workbench(inline_jobs())
    put_dataset(bench, root, task=task)
    put_submission(bench, root / submission)
    bench.set_rules(rules)
    expected = _batch(bench)

    found = {}
    assert bench.state.task is not None
    for row in range(len(bench.state.task.trials)):
        put_row(bench, row)
        found.update(_live(bench))

    assert {key: found[key] for key in expected} == expected
    assert any(numbers["OptimumMCC"] for numbers in expected.values())


_Numbers = dict[tuple[str, Side], dict[str, str]]


def _batch(bench: Workbench) -> _Numbers:
    task, submission = bench.state.task, bench.state.submission
    assert task is not None
    assert submission is not None
    output = score_masks(task, submission, MaskSettings(rules=bench.state.rules))
    table = next(table for table in output.tables if "perimage" in table.name)
    expected = {}
    for row in table.records():
        for side in _sides(bench):
            prefix = side.prefix if task.kind.has_donor else ""
            trial = "+".join(row[f"{s.value.title()}FileID"] for s in _sides(bench))
            expected[trial, side] = {name: row[f"{prefix}{name}"] for name in COLUMNS}
    return expected


def _live(bench: Workbench) -> _Numbers:
    found = {}
    for side in _sides(bench):
        bench.choose_side(side)
        values = zip(METRIC_NOTES, metric_values(bench.state, 0, None), strict=True)
        full = {note.name: value.full for note, value in values}
        numbers = {name: full[name.removeprefix("Optimum")] for name in COLUMNS}
        found[str(bench.state.trial_id), side] = numbers
    return found


def _sides(bench: Workbench) -> tuple[Side, ...]:
    assert bench.state.task is not None
    return tuple(Side) if bench.state.task.kind.has_donor else (Side.PROBE,)
