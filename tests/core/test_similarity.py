"""The similarity of images against a computation window by window, and the groups it makes."""

from __future__ import annotations

import networkx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forensicviewer.core import similarity
from forensicviewer.core.array import U8Image
from forensicviewer.core.similarity import (
    comparable,
    find_duplicates,
    groups_of,
    perceptual_hash,
    similarity_matrix,
    structural_similarity,
)


def by_hand(one: U8Image, other: U8Image) -> float:
    """The index as its authors write it, window by window, in double precision."""
    c1, c2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2
    values = []
    for top in range(one.shape[0] - 6):
        for left in range(one.shape[1] - 6):
            x = one[top : top + 7, left : left + 7].astype(float).ravel()
            y = other[top : top + 7, left : left + 7].astype(float).ravel()
            covariance = float(((x - x.mean()) * (y - y.mean())).sum() / 48)
            alike = (2 * x.mean() * y.mean() + c1) * (2 * covariance + c2)
            apart = (x.mean() ** 2 + y.mean() ** 2 + c1) * (x.var(ddof=1) + y.var(ddof=1) + c2)
            values.append(alike / apart)
    return float(np.mean(values))


def texture(seed: int, edge: int = 24) -> U8Image:
    return np.random.default_rng(seed).integers(0, 256, (edge, edge)).astype(np.uint8)


def changed(image: U8Image, noise: int, seed: int = 9) -> U8Image:
    added = np.random.default_rng(seed).integers(-noise, noise + 1, image.shape)
    return np.clip(image.astype(int) + added, 0, 255).astype(np.uint8)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (texture(1), texture(2)),
        (texture(1), changed(texture(1), 20)),
        (texture(1), 255 - texture(1)),
        (np.full((9, 11), 7, np.uint8), np.full((9, 11), 250, np.uint8)),
        (np.zeros((8, 8), np.uint8), texture(4, 8)),
    ],
)
def test_the_index_is_that_of_a_computation_by_hand(one: U8Image, other: U8Image) -> None:
    assert structural_similarity(one, other) == pytest.approx(by_hand(one, other), abs=2e-6)


def test_an_image_is_like_itself() -> None:
    assert structural_similarity(texture(3), texture(3)) == pytest.approx(1.0, abs=1e-6)


def test_the_matrix_has_every_pair_also_across_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(similarity, "_BLOCK", 3)
    images = [changed(texture(n % 3), 40, seed=n) for n in range(8)]
    steps: list[tuple[int, int]] = []

    matrix = similarity_matrix(images, progress=lambda done, total: steps.append((done, total)))

    for i in range(8):
        for j in range(8):
            wanted = structural_similarity(images[i], images[j])
            assert matrix[i, j] == pytest.approx(wanted, abs=1e-6)
    assert steps[-1] == (28, 28)


edges = st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=14)


@given(edges)
def test_groups_are_the_connected_components(pairs: list[tuple[int, int]]) -> None:
    graph: networkx.Graph[int] = networkx.Graph()
    graph.add_nodes_from(range(12))
    graph.add_edges_from(pairs)

    found = groups_of(12, pairs)

    wanted = [c for c in networkx.connected_components(graph) if len(c) > 1]
    assert sorted(map(sorted, found)) == sorted(map(sorted, wanted))
    assert all(list(group) == sorted(group) for group in found)


def scene(seed: int) -> U8Image:
    coarse = np.random.default_rng(seed).integers(0, 256, (12, 12, 1)).repeat(3, axis=2)
    return comparable(np.kron(coarse, np.ones((30, 30, 1))).astype(np.uint8))


def test_hashes_of_many_images_lead_to_the_groups_of_the_whole_matrix(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    images = [changed(scene(n // 3), 2, seed=n) for n in range(30)]
    whole = find_duplicates(images, threshold=0.9, progress=lambda *_: None)
    monkeypatch.setattr(similarity, "MOST_COMPARED", 10)

    filtered = find_duplicates(images, threshold=0.9, progress=lambda *_: None)

    assert whole.groups == tuple(tuple(range(n, n + 3)) for n in range(0, 30, 3))
    assert whole.matrix is not None
    assert filtered.groups == whole.groups
    assert filtered.matrix is None
    assert [p[:2] for p in filtered.pairs] == [p[:2] for p in whole.pairs]


def test_hashes_of_the_same_scene_are_alike_and_of_others_are_not() -> None:
    one, again, other = scene(1), changed(scene(1), 10), scene(2)

    assert (perceptual_hash(one) ^ perceptual_hash(again)).bit_count() <= 12
    assert (perceptual_hash(one) ^ perceptual_hash(other)).bit_count() > 12
