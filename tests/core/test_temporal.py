"""Intervals, their outcome and their MCC."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forensicviewer.core.problem import CodecError
from forensicviewer.core.temporal import (
    Interval,
    IntervalOutcome,
    Intervals,
    Measure,
    NoScore,
    OutcomeStretch,
    TemporalConfusion,
    clip,
    compare,
    leaving,
    merge,
    overlapping,
    parse_intervals,
)

LENGTH = 40


def intervals(*pairs: tuple[int, int]) -> Intervals:
    return tuple(Interval(first, last) for first, last in pairs)


def line(
    reference: Intervals,
    system: Intervals,
    *,
    length: int = 100,
    collar: int = 0,
    opt_out: Intervals = (),
) -> TemporalConfusion:
    return compare(
        reference=reference,
        system=system,
        length=length,
        measure=Measure.LINE,
        no_score=NoScore(collar=collar, opt_out=opt_out),
    )


def test_an_interval_covers_the_distance_between_its_frames_on_the_line() -> None:
    outcome = line(intervals((10, 20)), intervals((15, 30)))

    assert (outcome.tp, outcome.fp, outcome.fn, outcome.tn) == (5, 10, 5, 79)


def test_an_interval_covers_its_frames_when_frames_are_counted() -> None:
    outcome = compare(
        reference=intervals((10, 20)),
        system=intervals((15, 30)),
        length=100,
        measure=Measure.FRAMES,
    )

    assert (outcome.tp, outcome.fp, outcome.fn, outcome.tn) == (6, 10, 5, 79)


def test_neighbouring_intervals_leave_a_gap_on_the_line() -> None:
    outcome = line(intervals((10, 20)), intervals((10, 14), (15, 20)))

    assert outcome.mcc == pytest.approx(0.9434, abs=1e-4)


def test_neighbouring_intervals_leave_no_gap_between_frames() -> None:
    outcome = compare(
        reference=intervals((10, 20)),
        system=intervals((10, 14), (15, 20)),
        length=100,
        measure=Measure.FRAMES,
    )

    assert outcome.mcc == 1.0


def test_a_single_frame_covers_nothing_on_the_line_but_has_collars() -> None:
    outcome = line(intervals((10, 20), (50, 50)), intervals((50, 50)), collar=2)

    assert outcome.tp == 0
    assert OutcomeStretch(48, 52, IntervalOutcome.COLLAR) in outcome.cells


def test_collars_surround_every_boundary_and_end_with_the_video() -> None:
    outcome = line(intervals((1, 20)), (), length=22, collar=5)

    assert outcome.cells == (
        OutcomeStretch(1, 6, IntervalOutcome.COLLAR),
        OutcomeStretch(6, 15, IntervalOutcome.MISS),
        OutcomeStretch(15, 22, IntervalOutcome.COLLAR),
    )


def test_opted_out_frames_beat_collars() -> None:
    outcome = line(intervals((10, 20)), (), collar=5, opt_out=intervals((1, 12)))

    assert outcome.cells[0] == OutcomeStretch(1, 12, IntervalOutcome.OPT_OUT)
    assert outcome.amount(IntervalOutcome.COLLAR) == 13


def test_unselected_frames_are_kept_apart() -> None:
    outcome = compare(
        reference=intervals((10, 20)),
        system=intervals((10, 40)),
        length=100,
        measure=Measure.LINE,
        no_score=NoScore(unselected=intervals((30, 40))),
    )

    assert outcome.fp == 10
    assert outcome.amount(IntervalOutcome.UNSELECTED) == 10


@pytest.mark.parametrize(
    ("reference", "system", "collar"),
    [
        (((1, 100),), ((1, 100),), 0),
        ((), (), 0),
        (((10, 20),), ((10, 20),), 5),
    ],
    ids=["everything found", "nothing to find", "all within the collar"],
)
def test_the_mcc_is_0_where_it_is_not_defined(
    reference: tuple[tuple[int, int], ...], system: tuple[tuple[int, int], ...], collar: int
) -> None:
    assert line(intervals(*reference), intervals(*system), collar=collar).mcc == 0.0


def test_intervals_outside_the_video_are_ignored() -> None:
    inside = line(intervals((10, 20)), intervals((15, 100)))

    assert line(intervals((10, 20)), intervals((15, 150), (100, 120))) == inside
    assert line(intervals((-5, 20)), ()).fn == 19


def test_reversed_bounds_are_swapped() -> None:
    assert line(intervals((20, 10)), ()) == line(intervals((10, 20)), ())


def test_a_video_of_one_frame_has_nothing_to_score_on_the_line() -> None:
    assert line(intervals((1, 1)), (), length=1).cells == ()


def test_errors_are_misses_and_false_alarms_in_order() -> None:
    outcome = line(intervals((10, 20)), intervals((15, 30)))

    assert outcome.errors() == (
        OutcomeStretch(10, 15, IntervalOutcome.MISS),
        OutcomeStretch(20, 30, IntervalOutcome.FALSE_ALARM),
    )


def test_the_outcome_at_a_frame_is_that_of_its_stretch() -> None:
    outcome = line(intervals((10, 20)), intervals((15, 30)))

    assert outcome.outcome_at(12) is IntervalOutcome.MISS
    assert outcome.outcome_at(100) is IntervalOutcome.CORRECT_REJECTION
    assert outcome.outcome_at(101) is None
    assert outcome.outcome_at(0) is None


def test_merging_joins_what_touches() -> None:
    listed = intervals((15, 20), (1, 5), (5, 8), (9, 12))

    assert merge(listed, measure=Measure.LINE) == intervals((1, 8), (9, 12), (15, 20))
    assert merge(listed, measure=Measure.FRAMES) == intervals((1, 12), (15, 20))


def test_clipping_keeps_what_lies_in_the_video() -> None:
    listed = intervals((0, 5), (30, 60), (80, 90), (-9, 0))

    assert clip(listed, length=40) == intervals((1, 5), (30, 40))
    assert leaving(listed, length=40) == listed
    assert leaving(intervals((1, 40)), length=40) == ()


def test_overlapping_intervals_share_a_frame() -> None:
    assert overlapping(intervals((1, 5), (5, 9), (10, 12))) == intervals((5, 9))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ()),
        ("[]", ()),
        ("[ ]", ()),
        ("[[1,61]]", ((1, 61),)),
        ("[[100,250], [450, 700]]", ((100, 250), (450, 700))),
        ("[[10.0, 20]]", ((10, 20),)),
    ],
)
def test_intervals_are_read_as_nist_writes_them(
    text: str, expected: tuple[tuple[int, int], ...]
) -> None:
    assert parse_intervals(text) == intervals(*expected)


@pytest.mark.parametrize(
    "text",
    ["[[1,2,3]]", "[1, 2]", "[[1.5, 2]]", "[[true, 2]]", "nonsense", '{"a": 1}', "[[1,2]" * 40],
)
def test_unreadable_intervals_say_what_is_expected(text: str) -> None:
    with pytest.raises(CodecError, match="cannot be read") as raised:
        parse_intervals(text, where="system.csv:3")

    assert raised.value.where == "system.csv:3"
    assert "[[1, 20], [40, 230]]" in raised.value.hint


pairs = st.tuples(st.integers(1, LENGTH), st.integers(1, LENGTH)).map(
    lambda pair: Interval(min(pair), max(pair))
)
lists = st.lists(pairs, max_size=4).map(tuple)


@given(reference=lists, system=lists, opt_out=lists, collar=st.integers(0, 5))
def test_counting_frames_one_by_one_gives_the_same_confusion(
    reference: Intervals, system: Intervals, opt_out: Intervals, collar: int
) -> None:
    outcome = compare(
        reference=reference,
        system=system,
        length=LENGTH,
        measure=Measure.FRAMES,
        no_score=NoScore(collar=collar, opt_out=opt_out),
    )

    def covered(by: Intervals, frame: int) -> bool:
        return any(each.first <= frame <= each.last for each in by)

    bounds = [
        edge
        for each in merge(reference, measure=Measure.FRAMES)
        for edge in (each.first, each.last + 1)
    ]
    scored = [
        frame
        for frame in range(1, LENGTH + 1)
        if not covered(opt_out, frame)
        and not any(edge - collar <= frame < edge + collar for edge in bounds)
    ]
    hits = sum(covered(reference, frame) and covered(system, frame) for frame in scored)
    alarms = sum(not covered(reference, frame) and covered(system, frame) for frame in scored)
    misses = sum(covered(reference, frame) and not covered(system, frame) for frame in scored)

    assert (outcome.tp, outcome.fp, outcome.fn) == (hits, alarms, misses)
    assert outcome.tn == len(scored) - hits - alarms - misses


@given(reference=lists, system=lists, measure=st.sampled_from(Measure))
def test_the_mcc_is_symmetric_and_between_minus_one_and_one(
    reference: Intervals, system: Intervals, measure: Measure
) -> None:
    forth = compare(reference=reference, system=system, length=LENGTH, measure=measure).mcc
    back = compare(reference=system, system=reference, length=LENGTH, measure=measure).mcc

    assert forth == back
    assert -1 - 1e-12 <= forth <= 1 + 1e-12
    assert math.isfinite(forth)


@given(st.lists(st.tuples(st.integers(-5, 30), st.integers(-5, 30)), max_size=40))
def test_overlaps_are_those_of_all_pairs(bounds: list[tuple[int, int]]) -> None:
    listed = intervals(*bounds)

    expected = tuple(
        later
        for i, later in enumerate(listed)
        if any(later.first <= each.last and each.first <= later.last for each in listed[:i])
    )
    assert overlapping(listed) == expected
