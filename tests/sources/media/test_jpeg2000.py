"""JPEG 2000 files keep every component in its place."""

from itertools import product
from pathlib import Path

import numpy as np
import pytest

from forensicviewer.sources.media.jpeg2000 import read_components, write_components


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_small_images_of_many_components_are_read_as_they_were_written(
    tmp_path: Path, dtype: type[np.unsignedinteger]
) -> None:
    path = tmp_path / "planes.jp2"
    random = np.random.default_rng(7)
    changed = []
    for shape in product(range(1, 7), range(1, 7), range(1, 10)):
        written = random.integers(0, np.iinfo(dtype).max, shape, dtype, endpoint=True)
        write_components(path, written)
        if not np.array_equal(read_components(path), written):
            changed.append(shape)

    assert changed == []
