"""``fv.load_trial`` gives arrays that can be counted by hand, and the numbers of the scorer."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import forensicviewer as fv
from forensicviewer.core.model import Edition
from tests.api.cells import RULES, score_by_command
from tests.build import SMALL, a_dataset, blurred, box, exact, nothing
from tests.genai_build import GenAIBuilder, GenAITrial
from tests.mask_build import MaskCase
from tests.video_build import PROBE, a_video_dataset


def assert_counted_by_hand(side: fv.TrialSide) -> None:
    """At every threshold, comparing the arrays gives the counts and the MCC of the sweep."""
    manipulated = side.regions == fv.Region.MANIPULATED
    background = side.regions == fv.Region.BACKGROUND
    for t in range(-1, 256):
        called, row = side.system <= t, side.at(t)
        tp, fp = int((called & manipulated).sum()), int((called & background).sum())
        fn, tn = int((~called & manipulated).sum()), int((~called & background).sum())
        assert (tp, fp, fn, tn) == (row.TP, row.FP, row.FN, row.TN)
        product = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
        mcc = (tp * tn - fp * fn) / math.sqrt(product) if product else 0.0
        assert pytest.approx(mcc, abs=1e-12) == row.MCC
        assert tp + fp + fn + tn == row.N


def an_image(folder: Path) -> tuple[fv.Task, fv.Submission]:
    built = (
        a_dataset(folder)
        .nist("MFC2018")
        .with_trial(
            "p1", manipulated={"PasteSplice": box(5, 5, 30, 30), "Blur": box(34, 5, 60, 40)}
        )
        .with_trial("p2")
        .with_trial("p3", manipulated=box(5, 5, 30, 30))
        .with_answer("p1", blurred(5))
        .with_answer("p2", exact())
        .write()
    )
    task = fv.open_dataset(built.root).task()
    return task, task.open_submission(built.submission)


def a_splice(folder: Path) -> tuple[fv.Task, fv.Submission]:
    built = (
        a_dataset(folder)
        .nist("NC2017")
        .with_trial("p1", donor="d1", manipulated=box(5, 5, 40, 40))
        .with_answer("p1+d1", blurred())
        .write()
    )
    task = fv.open_dataset(built.root).task()
    return task, task.open_submission(built.submission)


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("options", [{}, {"erode": 0, "dilate": 0}, {"kernel": "disc", "erode": 5}])
def test_counting_an_image_by_hand_gives_its_sweep(
    tmp_path: Path, rules: str, options: Any
) -> None:
    trial = fv.load_trial(*an_image(tmp_path), "p1", rules=rules, **options)

    assert_counted_by_hand(trial)
    assert trial.sweep.index.tolist() == list(range(-1, 256))
    assert trial.sweep.TP.iloc[0] == trial.sweep.FP.iloc[0] == 0


def test_counting_both_sides_of_a_splice_by_hand_gives_their_sweeps(tmp_path: Path) -> None:
    trial = fv.load_trial(*a_splice(tmp_path), "p1+d1")

    assert trial.donor is not None
    assert_counted_by_hand(trial)
    assert_counted_by_hand(trial.donor)
    assert trial.donor.image.shape == (SMALL.height, SMALL.width, 3)


def test_counting_around_opted_out_pixels_by_hand_gives_the_sweep(tmp_path: Path) -> None:
    case = MaskCase(tmp_path, edition="MFC2018")
    case.trial("p1", "aaaa..", "aaaa..", "......")
    mask = [[0, 40, 200, 40, 40, 255]] * 3
    case.answer("p1", mask, ProbeStatus="Processed", ProbeOptOutPixelValue="40")
    case.open()
    task = fv.open_dataset(case.root).task()
    submission = task.open_submission(case.system / "system.csv")
    kernels = {"erode": 0, "dilate": 0, "distraction": 0}

    trial = fv.load_trial(task, submission, "p1", opt_out_pixels=True, **kernels)  # type: ignore[arg-type] # all of them whole numbers

    batch = fv.score(task, submission, opt_out_pixels=True, **kernels).per_trial  # type: ignore[arg-type]
    assert_counted_by_hand(trial)
    assert (trial.regions == fv.Region.OPT_OUT).sum() == trial.at(0).PNS == batch.PixelPNS[0] == 9
    assert trial.sweep.MCC.max() == batch.OptimumMCC[0]


def test_counting_bit_planes_by_hand_gives_the_sweep(sample_folder: Path) -> None:
    task = fv.open_dataset(sample_folder / "MFC2019_Sample").task("manipulation")
    submission = task.open_submission(sample_folder / "submissions" / "p-noisy_1_MFC2019-image")

    trial = fv.load_trial(task, submission, "MFC2019_1002", bit_planes=True)

    batch = fv.score(task, submission, bit_planes=True).per_trial.set_index("ProbeFileID")
    for t in (-1, 0, 77, 254, 255):
        called = trial.system <= t
        counted = [(called & (trial.regions == code)).sum() for code in (1, 0)]
        assert counted == [trial.at(t).TP, trial.at(t).FP]
    assert trial.sweep.MCC.max() == batch.OptimumMCC["MFC2019_1002"]
    assert trial.sweep.MCC.idxmax() == batch.OptimumThreshold["MFC2019_1002"]


def test_terms_are_those_of_the_dataset(tmp_path: Path) -> None:
    trial = fv.load_trial(*an_image(tmp_path), "p1", erode=0, dilate=0)
    area = box(5, 5, 30, 30)(SMALL) | box(34, 5, 60, 40)(SMALL)

    assert np.array_equal(trial.reference, np.where(area, 0, 255))  # NIST: black is manipulated
    assert np.array_equal(trial.scores, 255 - trial.system)
    assert trial.system[20, 20] == 0
    assert trial.scores[20, 20] == 255
    assert np.array_equal(trial.regions == fv.Region.MANIPULATED, area)
    assert trial.probe.shape == (SMALL.height, SMALL.width, 3)


@pytest.mark.parametrize("rules", RULES)
def test_every_trial_has_the_numbers_of_the_scorer(tmp_path: Path, rules: str) -> None:
    task, submission = an_image(tmp_path)
    batch = fv.score(task, submission, rules=rules).per_trial.set_index("ProbeFileID")

    trial = fv.load_trial(task, submission, "p1", rules=rules)

    best = int(batch.OptimumThreshold["p1"])
    names = {"NMM": "OptimumNMM", "MCC": "OptimumMCC", "BWL1": "OptimumBWL1", "N": "PixelN"}
    names |= {name: f"OptimumPixel{name}" for name in ("TP", "TN", "FP", "FN")}
    names |= {name: f"Pixel{name}" for name in ("BNS", "SNS", "PNS")}
    found = {column: float(f"{trial.at(best)[name]:.16g}") for name, column in names.items()}
    assert found == batch.loc["p1", list(found)].to_dict()  # the files hold 16 digits
    assert trial.sweep.MCC.idxmax() == trial.optimum == best


def test_thresholds_are_those_of_nists_tables(tmp_path: Path) -> None:
    task, submission = an_image(tmp_path)
    tables = fv.score(task, submission, threshold_tables=True).tables
    listed = next(t for name, t in tables.items() if name.startswith("p1/")).set_index("Threshold")

    trial = fv.load_trial(task, submission, "p1")

    assert len(listed) > 3
    assert trial.sweep.loc[listed.index, listed.columns].equals(listed)


def test_chosen_operations_are_scored_as_the_query_for_them(tmp_path: Path) -> None:
    task, submission = an_image(tmp_path)
    batch = fv.score(task, submission, query_manipulation="Operation==['Blur']").per_trial

    trial = fv.load_trial(task, submission, "p1", operations=["Blur"])

    assert trial.operations == ("PasteSplice", "Blur")
    assert_counted_by_hand(trial)
    assert trial.sweep.MCC.max() == batch.OptimumMCC[0]
    assert (trial.regions == fv.Region.UNSELECTED).any()
    assert np.array_equal(trial.reference == 0, box(34, 5, 60, 40)(SMALL))


def test_a_missing_mask_is_scored_as_an_empty_one(tmp_path: Path) -> None:
    trial = fv.load_trial(*an_image(tmp_path), "p3")

    assert trial.is_scored
    assert (trial.system == 255).all()
    assert_counted_by_hand(trial)


def test_a_mask_of_another_size_is_scored_as_an_empty_one_and_says_so(tmp_path: Path) -> None:
    case = MaskCase(tmp_path)
    case.trial("p1", "aaaa..", "aaaa..", "......").answer("p1", [[0, 0], [0, 255]])
    case.open()
    task = fv.open_dataset(case.root).task()
    submission = task.open_submission(case.system / "system.csv")

    trial = fv.load_trial(task, submission, "p1", erode=0, dilate=0)

    assert "The system mask is 2×2, but the reference is 6×3" in trial.note  # noqa: RUF001 - as it is told
    assert trial.system.shape == (3, 6)
    assert_counted_by_hand(trial)
    assert not fv.load_trial(task, submission, "p1", rules="mediscore-verbatim").is_scored


def test_a_trial_without_a_scored_pixel_has_no_optimum(tmp_path: Path) -> None:
    case = MaskCase(tmp_path)
    case.trial("p1", "aa", "..").answer("p1", [[0, 0], [255, 255]]).open()
    task = fv.open_dataset(case.root).task()

    trial = fv.load_trial(task, task.open_submission(case.system / "system.csv"), "p1")

    assert repr(trial) == "<Trial p1: no pixel is scored>"
    assert trial.sweep.N.max() == 0
    with pytest.raises(fv.ForensicViewerError, match="No pixel of the trial is scored"):
        _ = trial.optimum


def test_what_is_not_there_says_why(tmp_path: Path) -> None:
    task, submission = an_image(tmp_path)

    clean = fv.load_trial(task, submission, "p2")
    alone = fv.load_trial(task, None, "p1")

    assert clean.is_target is False
    assert repr(clean) == f"<Trial p2: {clean.note}>"
    assert "Not manipulated" in clean.note
    with pytest.raises(fv.ForensicViewerError, match="there is no reference mask"):
        _ = clean.reference
    with pytest.raises(fv.ForensicViewerError, match="Not manipulated"):
        _ = clean.sweep
    assert (clean.scores == 0).all()
    assert alone.reference.min() == 0
    assert set(np.unique(alone.regions)) == {0, 1, 2}
    with pytest.raises(fv.ForensicViewerError, match="without a submission"):
        _ = alone.system


def test_files_that_are_missing_are_problems(tmp_path: Path) -> None:
    task, submission = an_image(tmp_path)
    (Path(task.model.root) / "probe" / "p1.png").unlink()

    trial = fv.load_trial(task, submission, "p1")

    assert trial.problems.message.tolist() == ["The file does not exist"]
    assert trial.problems.severity.tolist() == ["error"]
    assert "p1.png" in trial.problems["where"][0]
    with pytest.raises(fv.ForensicViewerError, match=r"The file does not exist.*p1\.png"):
        _ = trial.probe
    assert trial.is_scored


@pytest.mark.parametrize(
    ("asked", "message", "hint"),
    [
        (
            ("p",),
            "The task manipulation does not contain the trial 'p'",
            "did you mean p3 or p2 or p1?",
        ),
        (("zebra",), "does not contain the trial 'zebra'", "its trials are p1, p2, p3 …"),
    ],
)
def test_an_unknown_trial_is_refused_with_those_like_it(
    tmp_path: Path, asked: tuple[str], message: str, hint: str
) -> None:
    with pytest.raises(fv.ForensicViewerError) as refused:
        fv.load_trial(*an_image(tmp_path), *asked)

    assert message in refused.value.message
    assert refused.value.hint == hint
    assert "MFC2018" in refused.value.where


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"operations": ["Glue"]}, "has no operation 'Glue'.*it has PasteSplice, Blur"),
        ({"rules": "nist"}, "'nist' is not a rule set.*mediscore, mediscore-verbatim, plan"),
        ({"kernel": "star"}, "'star' is not a known kernel"),
        ({"erode": -1}, "not a valid kernel width"),
        ({"frame": 3}, "is not a video"),
    ],
    ids=str,
)
def test_unknown_options_are_refused(tmp_path: Path, options: Any, message: str) -> None:
    with pytest.raises(fv.ForensicViewerError, match=message):
        fv.load_trial(*an_image(tmp_path), "p1", **options)


def test_where_white_is_manipulated_what_is_above_a_threshold_is_called(tmp_path: Path) -> None:
    task, submission = an_image(tmp_path)
    nists = fv.load_trial(task, submission, "p1", erode=0, dilate=0)
    elsewhere = replace(task.model, edition=Edition.UNKNOWN, reference=None)
    request = replace(nists._request, task=elsewhere)

    trial = fv.TrialSide(nists._side, request)

    manipulated = trial.regions == fv.Region.MANIPULATED
    assert np.array_equal(trial.system, trial.scores)
    assert np.array_equal(trial.reference == 255, manipulated)
    for t in range(-1, 256):
        called = trial.system > t
        counted = [(called & manipulated).sum(), (called & ~manipulated).sum()]
        assert counted == [trial.at(t).TP, trial.at(t).FP]
    assert trial.at(trial.optimum).MCC == trial.sweep.MCC.max() == nists.sweep.MCC.max()


def test_media_that_participants_must_not_see_stay_hidden(tmp_path: Path) -> None:
    builder = GenAIBuilder(tmp_path / "test").of([GenAITrial("a.png", is_ai=True)])
    task = fv.open_dataset(builder.write()).task()

    trial = fv.load_trial(task, task.open_submission(builder.output([0.9])), "a.png")

    assert repr(trial) == "<Trial a.png: The trial is not scored>"
    with pytest.raises(fv.ForensicViewerError, match="are hidden"):
        _ = trial.probe


def test_a_threshold_beyond_the_scale_is_refused(tmp_path: Path) -> None:
    trial = fv.load_trial(*an_image(tmp_path), "p1")

    assert trial.at(-1).TP == 0
    assert trial.at(255).FN == 0
    for threshold in (-2, 256):
        with pytest.raises(fv.ForensicViewerError, match=r"not a valid threshold \(-1 to 255\)"):
            trial.at(threshold)


def test_a_frame_of_a_video_is_loaded_as_a_trial(tmp_path: Path) -> None:
    built = a_video_dataset(tmp_path)
    task = fv.open_dataset(built.root).task()
    submission = task.open_submission(built.submission)
    frames = fv.score(task, submission).tables["mask_scores_perframe.csv"].set_index("Frame")

    trial = fv.load_trial(task, submission, PROBE, frame=14)

    assert_counted_by_hand(trial)
    assert trial.sweep.MCC.max() == frames.OptimumMCC[15]  # NIST counts frames from 1
    with fv.open_video(built.probe) as video:
        assert np.array_equal(trial.probe, video[14])
        last = fv.load_trial(task, submission, PROBE, frame=-1)
        assert np.array_equal(last.probe, video[-1])
    with pytest.raises(fv.ForensicViewerError, match=r"is a video.*frame=9"):
        fv.load_trial(task, submission, PROBE)
    for frame in (900, -901):
        message = rf"has no frame {frame} \(its frames are 0 to 89\)"
        with pytest.raises(fv.ForensicViewerError, match=message):
            fv.load_trial(task, submission, PROBE, frame=frame)


def test_what_a_trial_is_scored_by_cannot_be_changed_by_mistake(tmp_path: Path) -> None:
    trial = fv.load_trial(*an_image(tmp_path), "p1")
    before = trial.at(128)

    trial.sweep["MCC"] = 0.0
    trial.sweep["Mine"] = 1

    assert trial.at(128).equals(before)
    for pixels in (trial.probe, trial.reference, trial.system, trial.scores, trial.regions):
        with pytest.raises(ValueError, match="read-only"):
            pixels[:] = 0


def test_a_trial_shows_itself(tmp_path: Path) -> None:
    built = (
        a_dataset(tmp_path)
        .nist("NC2017")
        .with_trial("p1", manipulated=box(5, 5, 40, 40), facts={"Scene": "beach"})
        .with_answer("p1", nothing())
        .write()
    )
    task = fv.open_dataset(built.root).task()

    trial = fv.load_trial(task, task.open_submission(built.submission), "p1")

    assert repr(trial) == "<Trial p1: MCC 0.0000 at threshold -1>"
    assert (trial.id, trial.facts["Scene"]) == ("p1", "beach")


def test_the_threshold_tables_of_the_command_line_are_the_sweep(tmp_path: Path) -> None:
    task, submission = a_splice(tmp_path)
    files = score_by_command(
        "mask", Path(task.model.root), submission.path, tmp_path / "out", "--threshold-tables"
    )
    trial = fv.load_trial(task, submission, "p1+d1")
    assert trial.donor is not None

    for side, word in ((trial, "probe"), (trial.donor, "donor")):
        (path,) = files.rglob(f"{word}/*.csv")
        lines = [line.split("|") for line in path.read_text(encoding="utf-8").splitlines()]
        for line in lines[1:]:
            numbers = side.at(int(line[0]))
            assert [numbers[name] for name in lines[0][1:]] == [float(cell) for cell in line[1:]]
