"""Polygons of a document, drawn or refused whatever numbers they hold."""

from __future__ import annotations

import pytest

from forensicviewer.core.array import Size
from forensicviewer.core.problem import CodecError
from forensicviewer.sources.imdl.masks import draw_polygons

SIZE = Size(40, 24)
SQUARE = "[2, 3, 11, 3, 11, 12, 2, 12]"


def test_a_polygon_without_points_draws_nothing() -> None:
    """COCO files have them; OpenCV refuses them with an error of its own."""
    assert not draw_polygons("[[]]", SIZE).any()
    assert draw_polygons(f"[[], {SQUARE}]", SIZE).sum() == 100


@pytest.mark.parametrize(
    "polygons", ["[[1, 2, 3]]", f"[[{'9' * 400}, 2, 3, 4]]", "[[NaN, 1, 5, 6]]", "{}", "5", '["a"]']
)
def test_places_that_are_no_numbers_are_refused(polygons: str) -> None:
    with pytest.raises(CodecError, match="polygons of the image cannot be read") as caught:
        draw_polygons(polygons, SIZE)
    assert "pairs x, y" in caught.value.hint
