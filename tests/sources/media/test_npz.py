"""Score maps in NPZ archives: which array is taken, and what its numbers mean."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from forensicviewer.core.problem import CodecError
from forensicviewer.sources.media.npz import read_score_map


@pytest.mark.parametrize(
    ("stored", "levels"),
    [
        (np.array([[0, 7, 255]], np.uint8), [[0, 7, 255]]),
        (np.array([[False, True]]), [[0, 255]]),
        (np.array([[0, 255, 256, 65535]], np.uint16), [[0, 0, 1, 255]]),
        (np.array([[0.0, 0.5, 1.0]], np.float32), [[0, 128, 255]]),
        (np.array([[[3], [4]]], np.uint8), [[3, 4]]),
        (np.array([[1, 2], [3, 4]], np.uint8, order="F"), [[1, 2], [3, 4]]),
    ],
    ids=["bytes", "flags", "16 bits", "floats", "with a channel axis", "columns first"],
)
def test_numbers_become_levels(
    tmp_path: Path, stored: NDArray[np.generic], levels: list[object]
) -> None:
    np.savez(tmp_path / "m.npz", mask=stored)

    assert read_score_map(tmp_path / "m.npz").tolist() == levels


def test_the_map_is_found_by_its_name_among_other_arrays(tmp_path: Path) -> None:
    map_ = np.full((2, 3), 9, np.uint8)
    np.savez(tmp_path / "m.npz", conf=np.zeros((2, 3), np.uint8), map=map_, score=np.float32(0.3))

    np.testing.assert_array_equal(read_score_map(tmp_path / "m.npz"), map_)


def test_the_only_image_needs_no_name(tmp_path: Path) -> None:
    np.savez(tmp_path / "m.npz", anything=np.zeros((2, 3), np.uint8), size=np.array([3, 2]))

    assert read_score_map(tmp_path / "m.npz").shape == (2, 3)


def test_two_images_without_known_names_are_refused_by_name(tmp_path: Path) -> None:
    np.savez(tmp_path / "m.npz", one=np.zeros((2, 3)), two=np.zeros((2, 3)))

    with pytest.raises(CodecError, match="one") as caught:
        read_score_map(tmp_path / "m.npz")

    assert caught.value.rule == "codec.wrong-shape"


@pytest.mark.parametrize(
    "stored", [np.zeros((2, 2), np.int64), np.full((2, 2), np.nan), np.full((2, 2), -0.1)]
)
def test_numbers_that_are_no_scores_are_refused(
    tmp_path: Path, stored: NDArray[np.generic]
) -> None:
    np.savez(tmp_path / "m.npz", mask=stored)

    with pytest.raises(CodecError) as caught:
        read_score_map(tmp_path / "m.npz")

    assert caught.value.rule == "codec.wrong-type"
