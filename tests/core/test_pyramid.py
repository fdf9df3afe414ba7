"""Pyramids: nothing is hidden when minified, nothing is blurred when magnified."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from forensicviewer.core.array import Size
from forensicviewer.core.pyramid import Clip, Pyramid, Reduce, Window, gathered


def whole(pyramid: Pyramid, scale: float) -> Window:
    size = pyramid.size
    screen = Size(max(1, int(size.width * scale)), max(1, int(size.height * scale)))
    return Window(0, 0, scale, screen)


@settings(max_examples=25, deadline=None)
@given(
    width=st.integers(65, 400),
    height=st.integers(65, 300),
    spot=st.tuples(st.floats(0, 0.999), st.floats(0, 0.999)),
    scale=st.floats(0.02, 0.999),
)
def test_a_single_pixel_is_still_on_a_minified_screen(
    width: int, height: int, spot: tuple[float, float], scale: float
) -> None:
    image = np.zeros((height, width), np.uint8)
    image[int(spot[1] * height), int(spot[0] * width)] = 200
    pyramid = Pyramid.of(image, Reduce.MAX)
    screen = Size(int(np.ceil(width * scale)) + 1, int(np.ceil(height * scale)) + 1)
    clip = Window(0, 0, scale, screen).clipped(pyramid.size)
    assert clip is not None

    # Not more than one on each axis, or two where the image ends within a screen pixel.
    assert 1 <= np.count_nonzero(pyramid.combined(clip.window)) <= 4


@settings(max_examples=25, deadline=None)
@given(scale=st.sampled_from([1.0, 2.0, 3.0, 7.5, 64.0]), left=st.floats(0, 20))
def test_magnified_pixels_are_squares_of_their_own_value(scale: float, left: float) -> None:
    image = np.arange(30 * 40, dtype=np.uint16).reshape(30, 40).astype(np.uint8)
    window = Window(left, 3.0, scale, Size(50, 30))
    clip = window.clipped(Size(40, 30))
    assert clip is not None

    shown = Pyramid.of(image, Reduce.MEAN).shown(clip.window)

    for x, y in ((0, 0), (clip.window.size.width - 1, clip.window.size.height - 1)):
        column = int(np.floor(clip.window.left + (x + 0.5) / scale))
        row = int(np.floor(clip.window.top + (y + 0.5) / scale))
        assert shown[y, x] == image[row, column]


def test_an_odd_last_row_and_column_are_kept() -> None:
    image = np.zeros((129, 67), np.uint8)
    image[128, 66] = 9

    pyramid = Pyramid.of(image, Reduce.MAX)

    assert [level.shape for level in pyramid.levels[:4]] == [(129, 67), (65, 34), (33, 17), (17, 9)]
    assert pyramid.levels[1][-1, -1] == 9
    assert pyramid.levels[2][-1, -1] == 9


@pytest.mark.parametrize(
    ("reduce", "expected"),
    [(Reduce.MAX, 8), (Reduce.MIN, 1), (Reduce.UNION, 15), (Reduce.MEAN, 4)],
)
def test_what_a_halved_pixel_tells(reduce: Reduce, expected: int) -> None:
    image = np.tile(np.array([[1, 2], [4, 8]], np.uint8), (64, 64))

    halved = Pyramid.of(image, reduce).levels[1]

    assert halved[0, 0] == expected


def test_a_minified_colour_picture_fills_its_window_exactly() -> None:
    image = np.full((300, 401, 3), (10, 20, 30), np.uint8)
    clip = Window(-50, -20, 0.37, Size(300, 200)).clipped(Size(401, 300))
    assert clip is not None

    shown = Pyramid.of(image, Reduce.MEAN).shown(clip.window)

    assert shown.shape == (clip.window.size.height, clip.window.size.width, 4)
    assert (shown == (30, 20, 10, 255)).all()


@example(image=(42, 126), screen=(105, 782))
@given(
    image=st.tuples(st.integers(1, 300), st.integers(1, 300)),
    screen=st.tuples(st.integers(20, 900), st.integers(20, 900)),
)
def test_what_an_image_covers_is_not_clipped_again(
    image: tuple[int, int], screen: tuple[int, int]
) -> None:
    size, pane = Size(*image), Size(*screen)
    scale = min(pane.width / size.width, pane.height / size.height)
    left = size.width / 2 - pane.width / 2 / scale
    top = size.height / 2 - pane.height / 2 / scale

    clip = Window(left, top, scale, pane).clipped(size)

    assert clip is not None
    assert clip.window.clipped(size) == Clip(0, 0, clip.window)


def test_a_window_beside_the_image_shows_nothing_of_it() -> None:
    assert Window(500, 0, 1.0, Size(100, 100)).clipped(Size(400, 300)) is None


def test_a_clip_says_where_on_the_screen_the_image_begins() -> None:
    clip = Window(-10, -5, 2.0, Size(100, 100)).clipped(Size(20, 20))

    assert clip is not None
    assert (clip.x, clip.y) == (20, 10)
    assert clip.window.size == Size(40, 40)
    assert (clip.window.left, clip.window.top) == (0, 0)


def test_screen_and_image_points_are_each_others_inverse() -> None:
    window = Window(12.5, 7.25, 0.3, Size(100, 80))

    assert window.image_point(*window.screen_point(40.0, 90.0)) == pytest.approx((40.0, 90.0))


def test_positions_outside_show_the_edge() -> None:
    image = np.array([[1, 2], [3, 4]], np.uint8)

    shown = gathered(image, np.array([-3, 0, 9]), np.array([0, 5]))

    assert shown.tolist() == [[1, 2], [1, 2], [3, 4]]


def test_the_bytes_of_all_levels_are_counted() -> None:
    pyramid = Pyramid.of(np.zeros((128, 128), np.uint8), Reduce.MEAN)

    assert pyramid.bytes_held == sum(4**power for power in range(8))
