"""Outcomes and their colours: exact per pixel, and no error hidden when minified."""

from __future__ import annotations

import colorsys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forensicviewer.core.array import BoolImage, Size, U8Image
from forensicviewer.core.layer_pixels import (
    grey_table,
    heat_table,
    highlight_table,
    level_at,
    operation_color,
    operations_table,
    threshold_table,
)
from forensicviewer.core.mask import Region
from forensicviewer.core.model import Edition
from forensicviewer.core.overlay import (
    OUTSIDE_CODE,
    ColorTable,
    OutcomePyramid,
    OutcomeView,
    Packed,
    color_of,
    color_table,
    outcome_of,
    outcome_table,
    takes_black,
)
from forensicviewer.core.palette import SCORED, Outcome, PaletteName, palette
from forensicviewer.core.pyramid import Pyramid, Reduce, Window

KINDS = list(Outcome)
ALL_SHOWN: tuple[Outcome, ...] = ()


def rgba(value: int) -> tuple[int, int, int, int]:
    blue, green, red, alpha = np.array([value], np.int32).view(np.uint8).tolist()
    return red, green, blue, alpha


@st.composite
def masks(draw: st.DrawFn) -> tuple[U8Image, U8Image]:
    height, width = draw(st.integers(1, 90)), draw(st.integers(1, 90))
    seed = draw(st.integers(0, 2**32 - 1))
    made = np.random.default_rng(seed)
    codes = made.integers(0, 6, (height, width), dtype=np.uint8)
    scores = made.integers(0, 256, (height, width), dtype=np.uint8)
    return codes, scores


@settings(max_examples=25, deadline=None)
@given(found=masks(), threshold=st.integers(0, 256))
def test_at_full_size_every_pixel_shows_its_own_outcome(
    found: tuple[U8Image, U8Image], threshold: int
) -> None:
    codes, scores = found
    window = Window(0, 0, 1.0, Size.of(codes))

    shown = OutcomePyramid.of(codes, scores).view(window, hatched=True).outcomes(threshold)

    expected = [
        KINDS.index(outcome_of(int(code), int(score), threshold))
        for code, score in zip(codes.ravel(), scores.ravel(), strict=True)
    ]
    assert shown.ravel().tolist() == expected


@settings(max_examples=25, deadline=None)
@given(
    width=st.integers(70, 300),
    scale=st.floats(0.25, 0.99),
    spot=st.floats(0, 0.999),
    threshold=st.integers(1, 255),
    kind=st.sampled_from([Outcome.MISS, Outcome.FALSE_ALARM]),
)
def test_one_wrong_pixel_shows_at_every_minification(
    width: int, scale: float, spot: float, threshold: int, kind: Outcome
) -> None:
    is_miss = kind is Outcome.MISS
    codes = np.full((80, width), Region.MANIPULATED if is_miss else Region.BACKGROUND, np.uint8)
    scores = np.full((80, width), 255 if is_miss else 0, np.uint8)
    scores[int(spot * 80), int(spot * width)] = threshold - 1 if is_miss else threshold
    screen = Size(int(np.ceil(width * scale)) + 1, int(np.ceil(80 * scale)) + 1)
    clip = Window(0, 0, scale, screen).clipped(Size.of(codes))
    assert clip is not None

    view = OutcomePyramid.of(codes, scores).view(clip.window, hatched=False)

    assert KINDS.index(kind) in view.outcomes(threshold)


@pytest.mark.parametrize("scale", [0.01, 0.013, 0.0371, 0.1, 0.249])
@pytest.mark.parametrize("kind", [Outcome.MISS, Outcome.FALSE_ALARM])
def test_one_wrong_speck_in_a_large_mask_shows_when_all_of_it_fits(
    scale: float, kind: Outcome
) -> None:
    size = Size(5003, 3001)
    is_miss = kind is Outcome.MISS
    codes = np.full(
        (size.height, size.width), Region.MANIPULATED if is_miss else Region.BACKGROUND, np.uint8
    )
    scores = np.full_like(codes, 255 if is_miss else 0)
    scores[2999, 5001] = scores[0, 0] = 127 if is_miss else 128
    screen = Size(int(np.ceil(size.width * scale)), int(np.ceil(size.height * scale)))
    clip = Window(0, 0, scale, screen).clipped(size)
    assert clip is not None

    view = OutcomePyramid.of(codes, scores).view(clip.window, hatched=False)

    wrong = np.argwhere(view.outcomes(128) == KINDS.index(kind)).tolist()
    assert [0, 0] in wrong
    assert any(row > 2995 * scale - 1 and column > 4995 * scale - 1 for row, column in wrong)


def test_nists_colours_are_exact() -> None:
    nist = palette(PaletteName.NIST)

    assert nist[Outcome.HIT] == (0, 207, 0)
    assert nist[Outcome.FALSE_ALARM] == (255, 0, 0)
    assert nist[Outcome.MISS] == (51, 51, 255)
    assert nist[Outcome.CORRECT_REJECTION] == (255, 255, 255)
    assert nist[Outcome.BOUNDARY] == (255, 255, 0)
    assert nist[Outcome.UNSELECTED] == (255, 182, 193)
    assert nist[Outcome.OPT_OUT] == (148, 0, 211)


@pytest.mark.parametrize("name", PaletteName)
def test_no_palette_uses_a_colour_twice(name: PaletteName) -> None:
    colors = palette(name)

    assert len({colors[outcome] for outcome in Outcome}) == len(Outcome)


@pytest.mark.parametrize(
    ("region", "score", "expected"),
    [
        (Region.MANIPULATED, 100, Outcome.HIT),
        (Region.MANIPULATED, 99, Outcome.MISS),
        (Region.BACKGROUND, 100, Outcome.FALSE_ALARM),
        (Region.BACKGROUND, 99, Outcome.CORRECT_REJECTION),
        (Region.BOUNDARY, 255, Outcome.BOUNDARY),
        (Region.UNSELECTED, 0, Outcome.UNSELECTED),
        (Region.OPT_OUT, 7, Outcome.OPT_OUT),
        (OUTSIDE_CODE, 7, Outcome.OUTSIDE),
    ],
)
def test_a_tie_with_the_threshold_is_called(region: int, score: int, expected: Outcome) -> None:
    assert outcome_of(region, score, 100) is expected


def painted(
    view: OutcomeView, table: ColorTable, threshold: int, *, contours: bool = False
) -> Packed:
    bands = view.bands(threshold, table, contours=contours)
    return np.concatenate([pixels.copy() for _, pixels in bands])


def paint(codes: U8Image, scores: U8Image, threshold: int, **options: object) -> list[object]:
    table = outcome_table(
        palette(PaletteName.NIST),
        opacity=float(str(options.get("opacity", 1.0))),
        hidden=options.get("hidden", ALL_SHOWN),  # type: ignore[arg-type]
        plain=options.get("plain", ALL_SHOWN),  # type: ignore[arg-type]
    )
    window = Window(0, 0, 1.0, Size.of(codes))
    out = painted(OutcomePyramid.of(codes, scores).view(window, hatched=False), table, threshold)
    return [rgba(int(value)) for value in out.ravel()]


def test_hidden_misses_leave_the_hits_beside_them_when_minified() -> None:
    codes = np.full((64, 64), Region.MANIPULATED, np.uint8)
    scores = np.zeros((64, 64), np.uint8)
    scores[::2, ::2] = 255
    scores[32:] = 0
    table = outcome_table(palette(PaletteName.NIST), opacity=1, hidden=(Outcome.MISS,), plain=())
    window = Window(0, 0, 0.25, Size(16, 16))
    view = OutcomePyramid.of(codes, scores).view(window, hatched=False, without_misses=True)

    _, shown = next(view.bands(128, table, contours=False))

    assert {rgba(value) for value in shown[:8].ravel().tolist()} == {(0, 207, 0, 255)}
    assert not shown[8:].any()


def test_a_hidden_false_alarm_does_not_pass_for_a_correct_rejection() -> None:
    codes = np.full((1, 2), Region.BACKGROUND, np.uint8)

    shown = paint(codes, np.array([[255, 0]], np.uint8), 128, hidden=(Outcome.FALSE_ALARM,))

    assert shown == [(0, 0, 0, 0), (255, 255, 255, 255)]


def test_a_hidden_outcome_leaves_no_colour() -> None:
    codes = np.array([[Region.MANIPULATED, Region.BACKGROUND]], np.uint8)
    scores = np.array([[0, 255]], np.uint8)

    shown = paint(codes, scores, 128, hidden=(Outcome.MISS,))

    assert shown == [(0, 0, 0, 0), (255, 0, 0, 255)]


def test_opacity_is_premultiplied() -> None:
    codes = np.array([[Region.MANIPULATED]], np.uint8)

    assert paint(codes, np.array([[255]], np.uint8), 128, opacity=0.5) == [(0, 104, 0, 128)]


def test_plain_outcomes_show_what_is_behind_them() -> None:
    codes = np.array([[Region.BACKGROUND]], np.uint8)

    shown = paint(codes, np.zeros((1, 1), np.uint8), 128, plain=(Outcome.CORRECT_REJECTION,))

    assert shown == [(0, 0, 0, 0)]


def test_contours_colour_rims_and_leave_the_inside_free() -> None:
    codes = np.zeros((17, 17), np.uint8)
    codes[4:13, 4:13] = Region.MANIPULATED
    table = outcome_table(palette(PaletteName.NIST), opacity=1, hidden=(), plain=())
    view = OutcomePyramid.of(codes, np.zeros((17, 17), np.uint8)).view(
        Window(0, 0, 1.0, Size(17, 17)), hatched=False
    )

    out = painted(view, table, 128, contours=True)

    assert rgba(int(out[4, 4])) == (51, 51, 255, 255)
    assert rgba(int(out[8, 8])) == (0, 0, 0, 0)
    assert rgba(int(out[0, 0])) == (0, 0, 0, 0)


@pytest.mark.parametrize("contours", [False, True])
def test_a_large_view_is_coloured_in_bands_without_seams(contours: bool) -> None:  # noqa: FBT001
    size = Size(2100, 1200)
    made = np.random.default_rng(3)
    codes = made.integers(0, 6, (size.height // 8, size.width // 7), dtype=np.uint8)
    codes = codes.repeat(8, axis=0).repeat(7, axis=1)
    scores = made.integers(0, 256, codes.shape, dtype=np.uint8) & np.uint8(0xC0)
    table = outcome_table(palette(PaletteName.NIST), opacity=1, hidden=(), plain=())
    pyramid = OutcomePyramid.of(codes, scores)
    whole = pyramid.view(Window(0, 0, 1.0, size), hatched=False)
    starts = [top for top, _ in whole.bands(128, table, contours=contours)]

    out = painted(whole, table, 128, contours=contours)

    assert len(starts) > 1
    seam = starts[1]
    across = pyramid.view(Window(0, seam - 20, 1.0, Size(size.width, 40)), hatched=False)
    expected = painted(across, table, 128, contours=contours)
    # The outermost rows of the smaller view do not see their neighbours.
    assert np.array_equal(out[seam - 18 : seam + 18], expected[2:-2])


def test_no_line_is_too_thin_for_its_rim() -> None:
    codes = np.zeros((9, 9), np.uint8)
    scores = np.zeros((9, 9), np.uint8)
    scores[4, :] = 255
    table = outcome_table(palette(PaletteName.NIST), opacity=1, hidden=(), plain=())
    view = OutcomePyramid.of(codes, scores).view(Window(0, 0, 1.0, Size(9, 9)), hatched=False)

    out = painted(view, table, 128, contours=True)

    assert {rgba(int(value)) for value in out[4]} == {(255, 0, 0, 255)}


def test_no_score_zones_are_hatched_each_in_its_own_way() -> None:
    colors = {}
    for region in (Region.BOUNDARY, Region.UNSELECTED, Region.OPT_OUT):
        codes = np.full((16, 16), region, np.uint8)
        table = outcome_table(palette(PaletteName.NIST), opacity=1, hidden=(), plain=())
        view = OutcomePyramid.of(codes, codes).view(Window(0, 0, 1.0, Size(16, 16)), hatched=True)
        out = painted(view, table, 128)
        colors[region] = (out != out[0, 4]).tobytes()

    assert len(set(colors.values())) == 3
    assert all(any(stripes) for stripes in colors.values())


def test_scored_outcomes_know_that_they_are() -> None:
    assert [outcome for outcome in Outcome if outcome.is_scored] == list(SCORED)
    assert [outcome for outcome in Outcome if outcome.is_error] == [
        Outcome.MISS,
        Outcome.FALSE_ALARM,
    ]


def test_grey_tables_speak_the_files_polarity() -> None:
    assert rgba(int(grey_table(manipulated_is_black=True)[0, 255])) == (0, 0, 0, 255)
    assert rgba(int(grey_table(manipulated_is_black=False)[0, 255])) == (255, 255, 255, 255)


def test_a_thresholded_mask_changes_at_the_threshold() -> None:
    table = threshold_table(128, manipulated_is_black=True)

    assert rgba(int(table[0, 127]))[:3] == (255, 255, 255)
    assert rgba(int(table[0, 128]))[:3] == (0, 0, 0)


def test_heat_rises_from_dark_to_bright() -> None:
    brightness = [sum(rgba(int(heat_table()[0, i]))[:3]) for i in (0, 128, 255)]

    assert brightness == sorted(brightness)


def test_operations_not_selected_are_dimmed() -> None:
    table = operations_table(((200, 0, 0), (0, 0, 200)), selected=frozenset({0}), highlighted=None)

    assert rgba(int(table[0, 0]))[:3] == (255, 255, 255)
    assert rgba(int(table[0, 1]))[:3] == (200, 0, 0)
    assert min(rgba(int(table[0, 2]))[:3]) > 190


def test_a_highlighted_operation_dims_the_others() -> None:
    table = operations_table(((200, 0, 0), (0, 0, 200)), selected=None, highlighted=1)

    assert min(rgba(int(table[0, 1]))[:3]) > 190
    assert rgba(int(table[0, 2]))[:3] == (0, 0, 200)


def test_a_highlight_leaves_the_rest_clear() -> None:
    table = highlight_table([2, 5], (10, 200, 30), opacity=0.5)

    assert np.flatnonzero(table).tolist() == [2, 5]


def test_an_operation_without_a_colour_gets_one() -> None:
    assert operation_color(0, None) != operation_color(1, None)
    assert operation_color(0, (1, 2, 3)) == (1, 2, 3)


def test_a_pixel_outside_the_image_has_no_value() -> None:
    pyramid = Pyramid.of(np.array([[7, 8]], np.uint8), Reduce.MEAN)

    assert level_at(pyramid, 1, 0) == (8,)
    assert level_at(pyramid, 2, 0) is None


def test_a_table_says_the_colour_it_was_made_of() -> None:
    table = color_table([(1, 2, 3), (40, 50, 60)])

    assert color_of(table, 1) == (40, 50, 60)


@pytest.mark.parametrize(
    ("color", "opacity", "over", "expected"),
    [
        ((255, 255, 0), 1.0, 0, True),
        ((0, 0, 255), 1.0, 255, False),
        ((0, 0, 255), 0.2, 255, True),
        ((255, 255, 0), 0.2, 0, False),
    ],
)
def test_black_is_written_on_what_is_light_enough(
    color: tuple[int, int, int], opacity: float, over: int, *, expected: bool
) -> None:
    assert takes_black(color, opacity=opacity, over=over) is expected


@pytest.mark.parametrize(
    ("edition", "false_alarm", "zone", "is_crossed"),
    [
        (Edition.NC2016, "blue", "beige", False),
        (Edition.NC2017, "orange", "purple", True),
        (Edition.MFC2019, "orange", "purple", True),
        (Edition.MFC2018, "orange", "purple", True),
    ],
)
def test_the_colours_of_the_plans_are_those_of_their_section_6_2_1(
    edition: Edition, false_alarm: str, zone: str, *, is_crossed: bool
) -> None:
    hues = {"green": 140, "red": 0, "blue": 232, "orange": 35, "purple": 281, "beige": 39}
    colors = palette(PaletteName.PLAN, edition)

    def hue(outcome: Outcome) -> float:
        red, green, blue = (part / 255 for part in colors[outcome])
        return 360 * colorsys.rgb_to_hsv(red, green, blue)[0]

    named = {Outcome.HIT: "green", Outcome.MISS: "red", Outcome.FALSE_ALARM: false_alarm}
    named[Outcome.BOUNDARY] = zone
    for outcome, name in named.items():
        assert hue(outcome) == pytest.approx(hues[name], abs=6)
    assert colors[Outcome.CORRECT_REJECTION] == (255, 255, 255)
    assert colors.is_crossed is is_crossed
    # NIST's code has them the other way round, so both are offered and said.
    assert palette(PaletteName.NIST, edition)[Outcome.FALSE_ALARM] == (255, 0, 0)


def test_a_crossed_boundary_zone_has_stripes_in_both_directions() -> None:
    codes = np.full((16, 16), Region.BOUNDARY, np.uint8)
    pyramid = OutcomePyramid.of(codes, np.zeros_like(codes))
    colors = palette(PaletteName.PLAN, Edition.NC2017)
    table = outcome_table(colors, opacity=1, hidden=(), plain=())
    whole = Window(0, 0, 1.0, Size(16, 16))

    def striped(*, crossed: bool) -> BoolImage:
        view = pyramid.view(whole, hatched=True, crossed=crossed)
        drawn = np.concatenate([rows.copy() for _, rows in view.bands(1, table, contours=False)])
        return np.asarray(drawn != drawn[2, 0])

    rising, both = striped(crossed=False), striped(crossed=True)
    falling = np.eye(16, dtype=np.bool_)
    assert not rising[falling].all()
    assert both[falling].all()
    assert both[rising].all()
