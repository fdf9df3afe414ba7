"""The review of a video: lanes, outcome, differences, errors, and the numbers of the scorer."""

import csv
from dataclasses import replace
from pathlib import Path

import pytest

from forensicviewer.app.datasets.opening import open_submission, open_task
from forensicviewer.app.runtime.jobs import Ticket
from forensicviewer.app.temporal.extents import extent_of
from forensicviewer.app.temporal.trials import Extent, TemporalSettings
from forensicviewer.app.trials.score_columns import MCC
from forensicviewer.app.trials.score_plans import VideoPlan
from forensicviewer.app.video.review import (
    FrameClock,
    ReviewRequest,
    pair_intervals,
    review_video,
)
from forensicviewer.cli import main
from forensicviewer.core.rules import MEDISCORE, PLAN, RULE_SETS, VERBATIM, RuleSet, rule_set
from forensicviewer.core.temporal import Interval, IntervalOutcome, Measure
from forensicviewer.sources.files.deadline import Deadline
from forensicviewer.sources.video.packet_index import load_index
from tests.video_build import FRAMES, BuiltVideo, Step, a_video_dataset


def a_request(built: BuiltVideo, **changes: object) -> ReviewRequest:
    _, task = open_task(built.root, name="video")
    request = ReviewRequest(
        task=task,
        trial=task.trials[0],
        submission=open_submission(built.submission, task=task),
        settings=TemporalSettings(),
        index=load_index(built.probe, deadline=Deadline(30)),
        extent=extent_of(built.probe),
    )
    return replace(request, **changes)  # type: ignore[arg-type] # the tests name the fields


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> BuiltVideo:
    return a_video_dataset(tmp_path_factory.mktemp("review"))


@pytest.mark.parametrize("collar", [0, 3])
@pytest.mark.parametrize("rules", ["mediscore", "plan", "mediscore-verbatim"])
def test_the_numbers_are_those_of_the_command_line(
    built: BuiltVideo, tmp_path: Path, collar: int, rules: str
) -> None:
    settings = TemporalSettings(collar=collar, rules=rule_set(rules))
    review = review_video(a_request(built, settings=settings))

    _score(built, tmp_path, "--collar", str(collar), "--rules", rules)

    assert review.video.mcc == pytest.approx(_mcc(tmp_path / "scores_probes.csv"), abs=1e-12)
    if rules != "mediscore-verbatim":
        assert review.audio is not None
        audio = _mcc(tmp_path / "scores_audio_probes.csv")
        assert review.audio.mcc == pytest.approx(audio, abs=1e-12)


def test_frames_count_otherwise_by_the_plan_in_both_ways_to_score(
    built: BuiltVideo, tmp_path: Path
) -> None:
    reviewed, scored = {}, {}
    for rules in (MEDISCORE, PLAN):
        settings = TemporalSettings(rules=rules)
        reviewed[rules.name] = review_video(a_request(built, settings=settings)).video.mcc
        _score(built, tmp_path / rules.name, "--rules", rules.name)
        scored[rules.name] = _mcc(tmp_path / rules.name / "scores_probes.csv")

    assert reviewed == pytest.approx(scored, abs=1e-12)
    assert abs(scored["mediscore"] - scored["plan"]) > 1e-4


@pytest.mark.parametrize("rules", RULE_SETS, ids=lambda rules: rules.name)
def test_who_opted_out_of_detection_is_scored_by_the_rules_in_both_ways_to_score(
    tmp_path: Path, rules: RuleSet
) -> None:
    built = a_video_dataset(tmp_path, status="OptOutDetection", masks=False)
    review = review_video(a_request(built, settings=TemporalSettings(rules=rules)))

    _score(built, tmp_path / "scores", "--rules", rules.name)

    scored = _cell(tmp_path / "scores/scores_probes.csv", "MCC")
    assert (review.video.mcc is None) == (rules is VERBATIM)
    if rules is not VERBATIM:
        assert review.video.mcc == pytest.approx(float(scored), abs=1e-12)
    else:
        assert scored == ""


def _score(built: BuiltVideo, out: Path, *options: str) -> None:
    places = (str(built.root), str(built.submission))
    main(["score", "temporal", *places, "--out", str(out), "--quiet", *options])


def _cell(path: Path, column: str) -> str:
    """The first row's; blank where nothing was scored."""
    with path.open(encoding="utf-8", newline="") as stream:
        return next(csv.DictReader(stream, delimiter="|"), {}).get(column, "")


def _mcc(path: Path) -> float:
    return float(_cell(path, "MCC"))


def test_a_list_of_trials_has_the_reviews_score(built: BuiltVideo) -> None:
    request = a_request(built, settings=TemporalSettings(rules=PLAN))
    assert request.submission is not None
    plan = VideoPlan(request.task, request.submission, PLAN)

    scored, following = plan.score(0, lambda: False, Ticket())

    (found,) = scored
    assert following == plan.length
    assert request.task.trials[found.row].id == request.trial.id
    assert found.numbers == {MCC: pytest.approx(review_video(request).video.mcc, abs=1e-12)}


def test_selecting_an_operation_equals_a_query(built: BuiltVideo, tmp_path: Path) -> None:
    review = review_video(a_request(built, selected=frozenset({1})))

    main(
        [
            *("score", "temporal", str(built.root), str(built.submission), "--quiet"),
            *("--query", "Operation == 'Blur'", "--out", str(tmp_path)),
        ]
    )

    assert review.video.mcc == pytest.approx(_mcc(tmp_path / "scores_probes.csv"), abs=1e-12)
    assert [lane.is_selected for lane in review.lanes] == [False, True, False]


def test_lanes_follow_the_journal(built: BuiltVideo) -> None:
    review = review_video(a_request(built))

    assert [lane.operation.name for lane in review.lanes] == ["PasteFrames", "Blur", "AudioDub"]
    assert review.lanes[0].frames == (Interval(10, 30),)
    assert review.lanes[2].samples == (Interval(8000, 16000),)
    assert review.video.reference == (Interval(10, 30), Interval(50, 60))
    assert review.video.system == (Interval(12, 35), Interval(70, 75))
    assert review.frame_count == FRAMES


def test_errors_are_visited_in_a_circle(built: BuiltVideo) -> None:
    review = review_video(a_request(built))
    kinds = [cell.outcome for cell in review.errors]

    assert kinds == [
        IntervalOutcome.MISS,
        IntervalOutcome.FALSE_ALARM,
        IntervalOutcome.MISS,
        IntervalOutcome.FALSE_ALARM,
    ]
    assert [review.next_error(frame) for frame in (1, 10, 70)] == [
        review.errors[0],
        review.errors[1],
        review.errors[0],
    ]
    assert review.previous_error(31) == review.errors[1]
    assert review.previous_error(1) == review.errors[-1]


def test_differences_are_told_in_frames_and_milliseconds(built: BuiltVideo) -> None:
    rows = review_video(a_request(built)).video.pairings

    assert [row.verdict for row in rows] == ["found", "missed", "false alarm"]
    assert (rows[0].start_frames, rows[0].end_frames) == (2, 5)
    assert rows[0].start_ms == pytest.approx(2000 / 30, abs=0.1)
    assert rows[0].end_ms == pytest.approx(5000 / 30, abs=0.1)
    assert rows[1].system is None
    assert rows[2].reference is None


def test_the_best_overlap_is_paired_and_equal_intervals_are_exact() -> None:
    rows = pair_intervals(
        (Interval(10, 20),),
        (Interval(1, 11), Interval(13, 20)),
        length=50,
        measure=Measure.LINE,
        clock=FrameClock(25.0),
    )
    same = pair_intervals(
        (Interval(10, 20),), (Interval(10, 20),), length=50, measure=Measure.LINE, clock=None
    )

    assert [row.system for row in rows] == [Interval(13, 20)]
    assert rows[0].start_ms == pytest.approx(120)
    assert same[0].verdict == "exact"


def test_a_collar_takes_the_boundaries_out_of_the_score(built: BuiltVideo) -> None:
    review = review_video(a_request(built))

    wider = review_video(a_request(built, settings=TemporalSettings(collar=4)))

    assert wider.video.confusion is not None
    assert wider.video.confusion.amount(IntervalOutcome.COLLAR) == 32
    assert wider.video.mcc != review.video.mcc


def test_intervals_beyond_the_video_are_flagged(tmp_path: Path) -> None:
    built = a_video_dataset(tmp_path, system="[[80,500]]", masks=False)

    review = review_video(a_request(built))

    assert review.video.beyond == (Interval(80, 500),)
    assert "temporal-beyond-end" in {problem.rule for problem in review.problems}


def test_a_frame_count_that_differs_from_the_file_is_told(tmp_path: Path) -> None:
    built = a_video_dataset(tmp_path, frame_count=100, masks=False)

    review = review_video(a_request(built))

    assert "video-frame-count" in {problem.rule for problem in review.problems}
    assert review.frame_count == 100


@pytest.mark.parametrize("count", ["nan", "inf", "many"])
def test_a_frame_count_that_is_not_a_number_gives_way_to_the_files(
    built: BuiltVideo, count: str
) -> None:
    request = a_request(built)
    trial = replace(request.trial, facts={**request.trial.facts, "FrameCount": count})

    review = review_video(replace(request, trial=trial))

    assert review.frame_count == FRAMES


def test_the_frame_time_adjustment_moves_the_journals_times(tmp_path: Path) -> None:
    late = Step("Paste", "[[31,60]]", times="[[700,1700]]", adjustment="300")
    wrong = Step("Blur", "[[31,60]]", times="[[100,1100]]")
    built = a_video_dataset(tmp_path, steps=[late, wrong], masks=False)

    review = review_video(a_request(built))

    assert review.lanes[0].times_ms == ((1000.0, 2000.0),)
    told = [each for each in review.problems if each.rule == "video-time-adjustment"]
    assert [each.message.split()[0] for each in told] == ["Blur"]


def test_without_a_submission_the_reference_is_still_shown(built: BuiltVideo) -> None:
    review = review_video(a_request(built, submission=None))

    assert review.video.reference
    assert (review.video.mcc, review.video.why_unscored) == (None, "No submission is open")
    assert review.errors == ()
    assert review.next_error(1) is None
    assert review.previous_error(1) is None


def test_what_cannot_be_scored_says_why(built: BuiltVideo) -> None:
    request = a_request(built)

    nothing = review_video(replace(request, selected=frozenset()))
    tableless = review_video(replace(request, task=replace(request.task, journal_masks=None)))
    silent = review_video(replace(request, extent=Extent()))

    assert "No operation" in nothing.video.why_unscored
    assert "journalmask" in tableless.video.why_unscored
    assert silent.audio is not None
    assert silent.audio.mcc is None


def test_the_plans_rules_count_frames(built: BuiltVideo) -> None:
    review = review_video(a_request(built, settings=TemporalSettings(rules=PLAN)))

    assert review.video.confusion is not None
    assert sum(cell.length for cell in review.video.confusion.cells) == FRAMES


@pytest.mark.parametrize(
    "times", ["[" * 100_000, f"[[1,{10**400}]]", "[[1]]", "[[NaN,true]]", "{}"]
)
def test_times_nobody_can_read_are_left_to_frames(tmp_path: Path, times: str) -> None:
    step = Step("Paste", "[[31,60]]", times=times)

    review = review_video(a_request(a_video_dataset(tmp_path, steps=[step], masks=False)))

    assert review.lanes[0].times_ms == ()


def test_without_an_index_times_follow_the_declared_rate(built: BuiltVideo) -> None:
    review = review_video(a_request(built, index=None))

    assert review.clock.ms(31) == pytest.approx(1000)
    assert review.clock.frame_at(1000) == 31


def test_time_goes_on_beyond_the_last_frame(built: BuiltVideo) -> None:
    clock = review_video(a_request(built)).clock

    assert clock.ms(FRAMES + 30) == pytest.approx(clock.ms(FRAMES) + 1000, abs=1)


@pytest.mark.parametrize(
    ("rules", "scored"),
    [(MEDISCORE, (Interval(31, 60),)), (PLAN, (Interval(31, 60),)), (VERBATIM, ())],
)
def test_times_without_frames_are_shown_and_scored_by_the_rules(
    rules: RuleSet, scored: tuple[Interval, ...], tmp_path: Path
) -> None:
    timed = Step("Paste", "[]", times="[[900,1900]]", adjustment="100")
    built = a_video_dataset(tmp_path, steps=[timed], masks=False, sound=False)

    review = review_video(a_request(built, settings=TemporalSettings(rules=rules)))

    assert review.lanes[0].by_time == (Interval(31, 60),)
    assert review.video.reference == scored
