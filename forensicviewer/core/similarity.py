"""The similarity of images: the structural similarity index, and groups of near-duplicates.

The index is that of Wang et al., "Image Quality Assessment: From Error Visibility to Structural
Similarity" (2004), with the usual choices: windows of 7 by 7 with equal weights, sample covariance,
K1 = 0.01, K2 = 0.03, mean over all windows inside the image. Images are compared as grey images of
256 by 256, whatever their size, as the index needs two of one size.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import cv2
import numpy as np
from numpy.typing import NDArray

from forensicviewer.core.array import RgbImage, U8Image
from forensicviewer.core.progress import Progress

EDGE_PX = 256
# Up to so many images every pair is compared; of more, only pairs with hashes alike.
MOST_COMPARED = 1000
_WINDOW = 7
_C1, _C2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2
_BLOCK = 50  # images whose statistics are held at once, twice
_HASH_EDGE = 8
_HASHES_ALIKE = 12  # of 64 bits; pairs beyond are not compared

Matrix = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Duplicates:
    """Similar images, by their numbers. ``groups`` have at least two, in rising order.

    ``pairs`` are those at or above the threshold with their index; ``matrix`` has all pairs and is
    ``None`` where hashes decided which to compare.
    """

    threshold: float
    pairs: tuple[tuple[int, int, float], ...]
    groups: tuple[tuple[int, ...], ...]
    matrix: Matrix | None


def comparable(pixels: RgbImage) -> U8Image:
    """An image in the form that is compared: grey, 256 by 256."""
    grey = cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY)
    resized = cv2.resize(grey, (EDGE_PX, EDGE_PX), interpolation=cv2.INTER_AREA)
    return np.asarray(resized, np.uint8)


def structural_similarity(one: U8Image, other: U8Image) -> float:
    """The index of two grey images of one size; 1 for equal ones."""
    return _index(_Statistics.of(one), _Statistics.of(other))


def find_duplicates(
    images: Sequence[U8Image], *, threshold: float, progress: Progress
) -> Duplicates:
    """Groups of similar images, connected directly or through others."""
    count = len(images)
    matrix = None
    if count <= MOST_COMPARED:
        matrix = similarity_matrix(images, progress=progress)
        alike = np.argwhere(np.triu(matrix >= threshold, k=1)).tolist()
        pairs = tuple((i, j, float(matrix[i, j])) for i, j in alike)
    else:
        hashes = [perceptual_hash(image) for image in images]
        pairs = pairs_by_hash(hashes, images.__getitem__, threshold=threshold, progress=progress)
    return Duplicates(threshold, pairs, groups_of(count, ((i, j) for i, j, _ in pairs)), matrix)


def similarity_matrix(images: Sequence[U8Image], *, progress: Progress) -> Matrix:
    """The index of every pair."""
    count = len(images)
    matrix = np.eye(count, dtype=np.float32)
    total, done = count * (count - 1) // 2, 0
    starts = [*range(0, count, _BLOCK), count]
    for top, bottom in pairwise(starts):
        rows = [_Statistics.of(image) for image in images[top:bottom]]
        for left, right in pairwise([start for start in starts if start >= top]):
            columns = rows if left == top else [_Statistics.of(i) for i in images[left:right]]
            for i, one in enumerate(rows, start=top):
                for j in range(max(left, i + 1), right):
                    matrix[i, j] = matrix[j, i] = _index(one, columns[j - left])
                done += max(0, right - max(left, i + 1))
                progress(done, total)
    return matrix


def groups_of(count: int, pairs: Iterable[tuple[int, int]]) -> tuple[tuple[int, ...], ...]:
    """The transitive closure of similarity: sets of two or more, by their first member."""
    parent = list(range(count))

    def root(i: int) -> int:
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    for i, j in pairs:
        one, other = sorted((root(i), root(j)))
        parent[other] = one
    members: dict[int, list[int]] = {}
    for i in range(count):
        members.setdefault(root(i), []).append(i)
    return tuple(tuple(group) for group in members.values() if len(group) > 1)


def perceptual_hash(image: U8Image) -> int:
    """64 bits: which low frequencies of the image are above their median."""
    small = cv2.resize(image, (32, 32), interpolation=cv2.INTER_AREA).astype(np.float32)
    low = np.asarray(cv2.dct(small))[:_HASH_EDGE, :_HASH_EDGE].ravel()
    bits = low > np.median(low[1:])
    return int.from_bytes(np.packbits(bits).tobytes(), "big")


@dataclass(frozen=True, slots=True, eq=False)
class _Statistics:
    """What the index needs of one image: values about their middle, window means, variances."""

    values: Matrix
    means: Matrix
    variances: Matrix

    @classmethod
    def of(cls, image: U8Image) -> _Statistics:
        # Around zero, squares stay small enough for four bytes; covariances do not change.
        values = image.astype(np.float32) - 128
        means = _windows(values)
        return cls(values, means, _sampled(_windows(values * values) - means * means))


def _index(one: _Statistics, other: _Statistics) -> float:
    covariance = _sampled(_windows(one.values * other.values) - one.means * other.means)
    x, y = one.means + 128, other.means + 128
    alike = (2 * x * y + _C1) * (2 * covariance + _C2)
    apart = (x * x + y * y + _C1) * (one.variances + other.variances + _C2)
    return float(np.mean(alike / apart, dtype=np.float64))


def _windows(values: Matrix) -> Matrix:
    """The mean of every window that lies inside."""
    half = _WINDOW // 2
    means = np.asarray(cv2.blur(values, (_WINDOW, _WINDOW)), np.float32)
    return means[half : means.shape[0] - half, half : means.shape[1] - half]


def _sampled(covariance: Matrix) -> Matrix:
    number = _WINDOW * _WINDOW
    return covariance * np.float32(number / (number - 1))


def pairs_by_hash(
    hashes: Sequence[int],
    image_of: Callable[[int], U8Image],
    *,
    threshold: float,
    progress: Progress,
) -> tuple[tuple[int, int, float], ...]:
    """Pairs of similar images; only those with similar hashes are compared."""

    @lru_cache(maxsize=2 * _BLOCK)
    def statistics(i: int) -> _Statistics:
        return _Statistics.of(image_of(i))

    found, pairs = [], list(_with_hashes_alike(hashes))
    for done, (i, j) in enumerate(pairs):
        progress(done, len(pairs))
        index = _index(statistics(i), statistics(j))
        if index >= threshold:
            found.append((i, j, index))
    return tuple(found)


def _with_hashes_alike(hashes: Sequence[int]) -> Iterator[tuple[int, int]]:
    known = np.array(hashes, np.uint64)
    for i in range(len(known) - 1):
        apart = np.bitwise_count(known[i + 1 :] ^ known[i])
        for j in np.flatnonzero(apart <= _HASHES_ALIKE).tolist():
            yield i, i + 1 + j
