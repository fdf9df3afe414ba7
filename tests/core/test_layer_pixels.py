"""What is drawn of names: all of their areas, or their rims only."""

import numpy as np

from forensicviewer.core.array import Size
from forensicviewer.core.layer_pixels import IndexFrame, area_pyramid, crop_of, grey_table
from forensicviewer.core.pyramid import Pyramid, Reduce, Window


def test_of_an_outlined_area_only_the_rim_is_left() -> None:
    names = np.zeros((20, 20), np.uint8)
    names[4:16, 4:16] = 3

    frame = IndexFrame.outlined(Pyramid.of(names, Reduce.MAX), Window(0, 0, 1.0, Size(20, 20)))

    (drawn,) = (band.copy() for _, band in frame.bands(grey_table(manipulated_is_black=False)))
    levels = drawn.view(np.uint8).reshape(20, 20, 4)[..., 0]
    assert levels[4, 4:16].tolist() == [3] * 12
    assert not levels[7:13, 7:13].any()


def test_a_single_pixel_of_an_area_is_there_at_every_size() -> None:
    area = np.zeros((300, 400), np.bool_)
    area[201, 333] = True

    levels = area_pyramid(area).levels

    assert len(levels) > 1
    assert [int(level.sum()) for level in levels] == [1] * len(levels)


def test_a_crop_has_the_stored_pixels_as_far_as_there_are_some() -> None:
    pyramid = Pyramid.of(np.arange(12, dtype=np.uint8).reshape(3, 4), Reduce.MEAN)

    found = crop_of(pyramid, left=2, top=1, size=Size(5, 1))

    assert found.tolist() == [[6, 7]]
