"""The settings that reproduce a claimed number are those ``score mask`` gives it with."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from forensicviewer.app.claims.claim import Claim, parse_claims
from forensicviewer.app.claims.search import Dispute, also_text, command_of, explain
from forensicviewer.app.masks.run import score_masks
from forensicviewer.app.masks.settings import MaskSettings
from forensicviewer.app.runtime.jobs import CancelledError
from forensicviewer.cli import main
from forensicviewer.core.kernel import KernelShape
from forensicviewer.core.model import Submission, Task, TrialId
from forensicviewer.core.problem import UsageError
from forensicviewer.sources.media.masks import write_grey
from tests.mask_build import Grey, MaskCase, records

SIZE = 72


def painted() -> list[str]:
    """Two operations of different shape on a white ground."""
    rows = [["."] * SIZE for _ in range(SIZE)]
    for y in range(6, 40):
        for x in range(6, 34 + y % 5):
            rows[y][x] = "a"
    for y in range(42, 68):
        for x in range(40, 68):
            rows[y][x] = "b"
    return ["".join(row) for row in rows]


def system_mask() -> Grey:
    """Darker around the first operation and a part of the second, with much noise."""
    mask = np.random.default_rng(17).integers(60, 256, (SIZE, SIZE))
    mask[10:44, 4:32] -= 60
    mask[50:72, 36:60] -= 40
    return mask.astype(np.uint8)


@pytest.fixture
def case(tmp_path: Path) -> MaskCase:
    return MaskCase(tmp_path).trial("p1", *painted()).answer("p1", system_mask())


def score_of(task: Task, submission: Submission, settings: MaskSettings, name: str) -> str:
    return records(score_masks(task, submission, settings), "mask_scores_perimage.csv")[0][name]


def dispute_of(case: MaskCase, metric: str, text: str) -> Dispute:
    return Dispute(*case.open(), TrialId("p1"), (Claim.of(metric, text),))


def test_a_number_made_with_another_kernel_is_traced_to_it(case: MaskCase) -> None:
    task, submission = case.open()
    told = MaskSettings(shape=KernelShape.DISC, erode_px=7)
    claimed = score_of(task, submission, told, "OptimumMCC")

    explained = explain(Dispute(task, submission, TrialId("p1"), (Claim.of("MCC", claimed),)))

    assert not explained.is_correct
    assert [(one.variant.settings.shape, one.variant.settings.erode_px) for one in explained.found]
    best = explained.found[0]
    assert (best.variant.settings.shape, best.variant.settings.erode_px) == (KernelShape.DISC, 7)
    assert best.is_at_optimum
    assert repr(best.numbers["MCC"]) == claimed


def test_what_leaves_the_number_as_it_is_asks_for_no_more_digits(case: MaskCase) -> None:
    task, submission = case.open()
    claimed = score_of(task, submission, MaskSettings(erode_px=7), "OptimumMCC")

    explained = explain(Dispute(task, submission, TrialId("p1"), (Claim.of("MCC", claimed),)))

    best = explained.found[0]
    assert [d.dimension.value for d in best.departures] == ["erode"]
    assert "Switch mask-maximum: own, not at-best-mcc" in also_text(best)
    assert not any(
        set(best.departures) < set(one.departures) and one.numbers == best.numbers
        for one in explained.found
    )
    assert not explained.wants_digits
    # Single differences are listed, their combinations counted: there are hundreds.
    one, other, *_ = (more[0] for more in best.also if len(more) == 1)
    together = replace(best, also=((one,), (other,), (one, other)))
    assert also_text(together) == f"{one.text}; {other.text}; 1 combination of these"
    alone = replace(best, also=((one,), (one, other)))
    assert also_text(alone) == f"{one.text}; {one.text} + {other.text}"


def test_every_setting_found_gives_its_number_in_the_score_files(
    case: MaskCase, tmp_path: Path
) -> None:
    dispute = dispute_of(case, "MCC", "0.37")
    explained = explain(dispute, depth=2)
    found = [one for one in explained.found if command_of(dispute, one, case.root)]

    assert len(found) > 3
    for place, one in enumerate(found[:: max(1, len(found) // 12)]):
        words = shlex.split(command_of(dispute, one, case.root))[1:]
        words[words.index("--out") + 1] = str(tmp_path / f"out{place}")
        main([*words, "--quiet"])
        (table,) = (tmp_path / f"out{place}").glob("*perimage.csv")
        head, row = (line.split("|") for line in table.read_text("utf-8").splitlines()[:2])
        column = "OptimumMCC" if one.is_at_optimum else "ActualMCC"
        written = dict(zip(head, row, strict=True))[column]
        assert float(written) == one.numbers["MCC"]
        assert dispute.claims[0].is_met_by(float(written))


def test_the_evaluations_own_number_needs_no_explanation(case: MaskCase) -> None:
    task, submission = case.open()
    claimed = score_of(task, submission, MaskSettings(), "OptimumMCC")

    explained = explain(dispute_of(case, "MCC", claimed), depth=1)

    assert explained.is_correct
    assert explained.found[0].steps == 0
    assert not explained.wants_digits


@pytest.mark.parametrize(
    ("told", "dimension"),
    [
        (MaskSettings(dilate_px=0), "dilate"),
        (MaskSettings(manipulation_queries=("Color=='255 0 0'",)), "operations"),
        (MaskSettings(threshold=100), "threshold"),
    ],
    ids=["kernel", "operations", "threshold"],
)
def test_one_difference_is_found_first(case: MaskCase, told: MaskSettings, dimension: str) -> None:
    task, submission = case.open()
    name = "OptimumMCC" if told.threshold is None else "ActualMCC"
    claimed = score_of(task, submission, told, name)

    explained = explain(dispute_of(case, "MCC", claimed), depth=1)

    simplest = explained.simplest
    assert {one.steps for one in simplest} == {1}
    named = [{d.dimension.value for d in one.departures} or {"threshold"} for one in simplest]
    assert {dimension} in named


def test_an_inverted_mask_and_another_file_are_found(case: MaskCase) -> None:
    task, submission = case.open()
    mask = system_mask()
    other = MaskCase(case.folder / "other").trial("p1", *painted())
    inverted = other.answer("p1", np.asarray(255 - np.asarray(mask), np.uint8)).open()
    claimed = score_of(*inverted, MaskSettings(), "AUC")

    explained = explain(dispute_of(case, "AUC", claimed), depth=1)
    assert "polarity" in {d.dimension.value for d in explained.simplest[0].departures}

    older = np.roll(np.asarray(mask, np.uint8), 5, axis=0)
    (path,) = case.system.rglob("m0*.png")
    write_grey(path.with_name(f"{path.stem}_old.png"), older)
    second = MaskCase(case.folder / "second").trial("p1", *painted()).answer("p1", older).open()
    claimed = score_of(*second, MaskSettings(), "OptimumMCC")

    explained = explain(Dispute(task, submission, TrialId("p1"), (Claim.of("MCC", claimed),)))
    assert [d.text for d in explained.simplest[0].departures] == [
        f"Different mask file: {path.stem}_old.png"
    ]


def test_few_digits_leave_many_settings_and_more_leave_fewer(case: MaskCase) -> None:
    few = explain(dispute_of(case, "MCC", "0.4"), depth=1)
    number = few.found[-1].numbers["MCC"]
    more = explain(dispute_of(case, "MCC", repr(number)), depth=1)

    assert few.wants_digits
    assert 0 < len(more.found) < len(few.found)


def test_a_second_number_tells_settings_apart(case: MaskCase) -> None:
    one = explain(dispute_of(case, "MCC", "0.4"), depth=1)
    nmm = explain(replace(dispute_of(case, "MCC", "0.4"), claims=parse_claims("MCC 0.4, NMM -0.1")))

    assert all(claim in {"MCC", "NMM"} for e in nmm.found for claim in e.numbers)
    assert len(explain(replace(nmm.dispute), depth=1).found) < len(one.found)


def test_a_search_stops_when_nobody_waits(case: MaskCase) -> None:
    def stop(_done: int, total: int) -> None:
        if total:
            raise CancelledError("The work was cancelled")

    with pytest.raises(CancelledError):
        explain(dispute_of(case, "MCC", "0.4"), report=stop)


@pytest.mark.parametrize("text", ["", "zero", "nan", "1e999999999", "0.5" * 99, "__import__('os')"])
def test_what_is_no_number_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        Claim.of("MCC", text)


def test_printed_digits_are_all_that_is_compared() -> None:
    claim = Claim.of("OptimumMCC", "0,577")

    assert (claim.metric, claim.text, claim.decimals) == ("MCC", "0.577", 3)
    assert claim.is_met_by(0.5774999)
    assert claim.is_met_by(0.5765)
    assert not claim.is_met_by(0.57751)
    assert not claim.is_met_by(float("nan"))


def test_the_command_lists_settings_as_json(
    case: MaskCase, capsys: pytest.CaptureFixture[str]
) -> None:
    case.open()
    words = ["claim", str(case.root), str(case.system / "system.csv"), "--trial", "p1"]

    code = main([*words, "--metric", "MCC", "--value", "0.4", "--steps", "1", "--json"])

    document = json.loads(capsys.readouterr().out)
    assert code == 1
    assert document["wants_digits"]
    assert document["found"][0]["steps"] == 1
