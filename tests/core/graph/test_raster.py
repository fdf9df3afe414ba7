"""A graph from far away as pixels, and the ways its links take."""

from __future__ import annotations

import numpy as np
import pytest

from forensicviewer.core.array import RgbImage, Size
from forensicviewer.core.graph.ports import Routes, routes_of
from forensicviewer.core.graph.raster import Inks, Strokes, raster
from forensicviewer.core.overlay import Packed

WHITE, RED, BLUE = (255, 255, 255), (255, 0, 0), (0, 0, 255)
INKS = Inks(paper=WHITE, lines=(RED, BLUE), boxes=(BLUE, RED))


def colors(image: Packed) -> RgbImage:
    """The pixels with red first."""
    return image.view(np.uint8).reshape(*image.shape, 4)[..., 2::-1]


def strokes(count: int, *, codes: list[int]) -> Strokes:
    """A row of boxes ten units apart with a level line below them."""
    points = np.array([(10.0 * i + 5, 5.0) for i in range(count)])
    line = np.array([[(0.0, 15.0), (10.0 * count, 15.0)]])
    return Strokes(
        segments=line,
        segment_codes=np.array(codes[:1], dtype=np.int8),
        points=points,
        halves=np.full((count, 2), (2.0, 1.0)),
        point_codes=np.array(codes, dtype=np.int8),
    )


def test_boxes_and_lines_have_the_colours_of_their_outcomes() -> None:
    few = strokes(3, codes=[0, 1, -1])
    image = colors(raster(few, INKS, size=Size(30, 20), scale=1, corner=(0, 0)))

    assert tuple(image[5, 5]) == BLUE
    assert tuple(image[5, 15]) == RED
    assert tuple(image[5, 25]) == WHITE
    red, green, _ = image[15, 12]
    assert red > 200 > 100 > green


def test_the_corner_and_the_scale_choose_what_is_seen() -> None:
    few = strokes(3, codes=[0, 1, 1])
    image = colors(raster(few, INKS, size=Size(20, 20), scale=2, corner=(10, 0)))

    assert tuple(image[10, 10]) == RED
    assert tuple(image[10, 2]) == WHITE


def test_many_boxes_look_like_few() -> None:
    count = 400
    size = Size(10 * count, 12)
    drawn = raster(strokes(count, codes=[0] * count), INKS, size=size, scale=1, corner=(0, 0))
    few = raster(strokes(3, codes=[0] * 3), INKS, size=Size(30, 12), scale=1, corner=(0, 0))

    assert np.array_equal(drawn[:10, :30], few[:10])
    assert np.array_equal(drawn[:10, :30], drawn[:10, -30:])


def test_boxes_across_the_border_are_cut() -> None:
    many = strokes(400, codes=[1] * 400)
    image = colors(raster(many, INKS, size=Size(6, 6), scale=1, corner=(4, 5)))

    assert tuple(image[0, 0]) == RED
    assert tuple(image[0, 4]) == WHITE


def routes(ends: list[tuple[int, int]], **options: object) -> Routes:
    places = np.array([(0.0, 0.0), (300.0, 0.0), (300.0, 100.0), (600.0, 0.0)])
    halves = np.full((4, 2), (98.0, 38.0))
    bends = options.get("bends", {})
    assert isinstance(bends, dict)
    return routes_of(
        places,
        np.array(ends, dtype=np.intp).reshape(-1, 2),
        halves,
        bends=bends,
        is_layered=bool(options.get("is_layered", True)),
    )


def test_links_leave_on_the_side_they_go_to_in_the_order_of_their_targets() -> None:
    found = routes([(0, 2), (0, 1)])

    first, second = found.course(0), found.course(1)
    assert first[0][0] == second[0][0] == 98
    assert first[0][1] > second[0][1]
    assert first[-1] == (300 - 98, 100)


def test_links_both_ways_run_side_by_side() -> None:
    there, back = (routes([(0, 1), (1, 0)]).course(i) for i in range(2))

    assert there[0][1] == there[-1][1]
    assert back[0][1] == back[-1][1]
    assert there[0][1] != back[0][1]


def test_bends_lie_between_and_all_is_inside_its_box() -> None:
    found = routes([(0, 3)], bends={0: np.array([(300.0, -80.0)])})

    assert found.course(0)[1:3] == [(300 - 98, -80), (300 + 98, -80)]
    left, top, right, bottom = found.boxes[0]
    assert (left < 98, top == -80, right > 502, bottom == 0) == (True, True, True, True)
    assert len(found.pieces[0]) == 3


def test_a_moved_node_takes_its_links_along() -> None:
    found = routes([(0, 3), (1, 2)], bends={0: np.array([(300.0, -80.0)])})
    places = np.array([(0.0, 0.0), (300.0, 0.0), (300.0, 100.0), (-600.0, 50.0)])

    moved = found.following(places, 3)

    assert moved.course(0) == [(-98, 0), (-600 + 98, 50)]
    assert moved.course(1) == found.course(1)


def test_without_layers_ways_go_from_middle_to_middle() -> None:
    assert routes([(0, 3)], is_layered=False).course(0) == [(0, 0), (600, 0)]


def test_a_way_of_a_node_to_itself_stays_at_a_corner_of_its_card() -> None:
    for is_layered in (True, False):
        found = routes([(1, 1)], is_layered=is_layered)
        assert found.course(0) == [(398, -38), (398, -38)]


def test_no_links_are_no_ways() -> None:
    assert len(routes([]).pieces[0]) == 0
    with pytest.raises(IndexError):
        routes([]).course(0)


def test_the_loop_of_a_card_that_is_moved_goes_along() -> None:
    places, ends = np.array([(0.0, 0.0), (200.0, 0.0)]), np.array([(0, 0), (0, 1)])
    before = routes_of(places, ends, np.full((2, 2), 20.0), bends={}, is_layered=True)
    moved = np.array([(30.0, 70.0), (200.0, 0.0)])

    after = before.following(moved, 0)

    shift = np.subtract(after.course(0), before.course(0))
    assert np.allclose(shift, (30.0, 70.0))
    assert np.allclose(after.boxes[0] - before.boxes[0], (30.0, 70.0, 30.0, 70.0))
