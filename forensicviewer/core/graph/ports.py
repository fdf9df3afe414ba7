"""The routes of links: where they leave and reach the cards, and the lines between."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from forensicviewer.core.array import Flags
from forensicviewer.core.cached import cached_property

Floats2 = NDArray[np.float64]  # (n, 2)
Ends = NDArray[np.intp]  # (n, 2)
Boxes = NDArray[np.float64]  # (n, 4): left, top, right, bottom

_PORT_STEP = 11.0
_PORT_MARGIN = 16.0
_REACH = 24.0  # a curve may swing out that far beside its points
_LOOP = 40.0  # a link of a card to itself runs round a corner, within this of it


@dataclass(frozen=True, eq=False)
class Routes:
    """The routes of all links: points in one array, those of link ``i`` from ``starts[i]`` on.

    ``boxes`` are all that a link may touch.
    """

    points: Floats2
    starts: NDArray[np.intp]
    boxes: Boxes
    ends: Ends
    offsets: NDArray[np.float64]  # (n, 2, 2): from the middles of both cards to the way

    @cached_property
    def pieces(self) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
        """The straight segments of all routes, and the link of each."""
        owner = np.repeat(np.arange(len(self.ends)), np.diff(self.starts))
        inner = owner[1:] == owner[:-1]
        pieces = np.stack([self.points[:-1][inner], self.points[1:][inner]], axis=1)
        return pieces, owner[:-1][inner]

    @cached_property
    def piece_boxes(self) -> Boxes:
        """The bounding boxes of the segments."""
        pieces, links = self.pieces
        first, last = pieces[:, 0], pieces[:, 1]
        boxes = np.concatenate([np.minimum(first, last), np.maximum(first, last)], axis=1)
        boxes += (-_REACH, 0.0, _REACH, 0.0)
        loops = self.ends[links, 0] == self.ends[links, 1]
        boxes[loops] = self.boxes[links[loops]]
        return boxes

    def course(self, link: int) -> list[tuple[float, float]]:
        """The points of one route, each once."""
        stretch = self.points[self.starts[link] : self.starts[link + 1]].tolist()
        kept = [(stretch[0][0], stretch[0][1])]
        kept += [(b[0], b[1]) for a, b in pairwise(stretch) if a != b]
        return kept if len(kept) > 1 else kept * 2

    def following(self, places: Floats2, node: int) -> Routes:
        """The routes after one node was moved: its links run straight to it."""
        points, boxes = self.points.copy(), self.boxes.copy()
        for link in self.touching(node).tolist():
            first, last = self.starts[link], self.starts[link + 1] - 1
            source, target = places[self.ends[link, 0]], places[self.ends[link, 1]]
            if self.ends[link, 0] == self.ends[link, 1]:
                points[first : last + 1] = source + self.offsets[link, 0]
            else:
                forward = target[0] > source[0]
                start, end = self.offsets[link].copy()
                start[0] = abs(start[0]) if forward else -abs(start[0])
                end[0] = -abs(end[0]) if forward else abs(end[0])
                points[first:last] = source + start
                points[last] = target + end
            way = slice(link, link + 1)
            boxes[way] = _boxes(points[first : last + 1], np.zeros(1, np.intp), self.ends[way])
        return replace(self, points=points, boxes=boxes)

    def touching(self, node: int) -> NDArray[np.intp]:
        """The links of a node."""
        return np.flatnonzero((self.ends == node).any(axis=1))

    def changed_since(self, before: Routes) -> Flags:
        """The links of the same graph whose route has changed."""
        changed: Flags = np.diff(self.starts) != np.diff(before.starts)
        changed |= (self.points[self.starts[:-1]] != before.points[before.starts[:-1]]).any(axis=1)
        changed |= (self.points[self.starts[1:] - 1] != before.points[before.starts[1:] - 1]).any(
            axis=1
        )
        return changed


def routes_of(
    places: Floats2,
    ends: Ends,
    halves: Floats2,
    *,
    bends: Mapping[int, Floats2],
    is_layered: bool,
) -> Routes:
    """The route of every link from card to card, through its bends if any."""
    count = len(ends)
    source, target = places[ends[:, 0]], places[ends[:, 1]]
    extra = np.zeros(count, dtype=np.intp)
    bent = np.fromiter(bends, np.intp, len(bends))
    lengths = np.fromiter(map(len, bends.values()), np.intp, len(bends))
    extra[bent] = 2 * lengths
    starts = np.concatenate([[0], np.cumsum(extra + 2)]).astype(np.intp)
    points = np.empty((int(starts[-1]), 2))
    half = float(halves[:, 0].max(initial=0.0))
    if bends:
        # Level beside the cards of the layer it passes, so that it turns between layers only.
        room = np.where(target[bent, 0] > source[bent, 0], half, -half)
        passed = np.repeat(np.concatenate(list(bends.values())), 2, axis=0)
        passed[0::2, 0] -= np.repeat(room, lengths)
        passed[1::2, 0] += np.repeat(room, lengths)
        before = np.cumsum(2 * lengths) - 2 * lengths
        points[np.repeat(starts[bent] + 1 - before, 2 * lengths) + np.arange(len(passed))] = passed
    offsets = np.zeros((count, 2, 2))
    if is_layered and count:
        points[starts[:-1]], points[starts[1:] - 1] = source, target
        offsets = _ports(points, starts, ends, halves)
    loops = ends[:, 0] == ends[:, 1]
    offsets[loops] = (halves[ends[loops, 0]] * (1.0, -1.0))[:, None]
    points[starts[:-1]] = source + offsets[:, 0]
    points[starts[1:] - 1] = target + offsets[:, 1]
    return Routes(points, starts, _boxes(points, starts[:-1], ends), ends, offsets)


def _boxes(points: Floats2, starts: NDArray[np.intp], ends: Ends) -> Boxes:
    if not len(starts):
        return np.zeros((0, 4))
    low = np.minimum.reduceat(points, starts, axis=0)
    high = np.maximum.reduceat(points, starts, axis=0)
    room = np.array([_REACH, 0.0])
    boxes = np.concatenate([low - room, high + room], axis=1)
    boxes[ends[:, 0] == ends[:, 1]] += (-_LOOP, -_LOOP, _LOOP, _LOOP)
    return boxes


def _ports(
    points: Floats2, starts: NDArray[np.intp], ends: Ends, halves: Floats2
) -> NDArray[np.float64]:
    """From the middles of both cards to where each link leaves and arrives.

    The links on one side of a card stand in the order of where they come from or go to, so that
    they do not cross at once; where they go alike, in the same order on both cards.
    """
    count = len(ends)
    first, last = points[starts[:-1]], points[starts[1:] - 1]
    forward = last[:, 0] > first[:, 0]
    node = np.concatenate([ends[:, 0], ends[:, 1]])
    is_right = np.concatenate([forward, ~forward])
    toward = np.concatenate([points[starts[:-1] + 1, 1], points[starts[1:] - 2, 1]])
    side = node * 2 + is_right
    order = np.lexsort((np.tile(np.arange(count), 2), toward, side))
    _, begins, sizes = np.unique(side[order], return_index=True, return_counts=True)
    rank = np.empty(2 * count)
    rank[order] = np.arange(2 * count) - np.repeat(begins, sizes)
    crowd = np.empty(2 * count)
    crowd[order] = np.repeat(sizes, sizes)
    step = np.minimum(_PORT_STEP, (2 * halves[node, 1] - _PORT_MARGIN) / crowd)
    down = (rank - (crowd - 1) / 2) * step
    across = np.where(is_right, halves[node, 0], -halves[node, 0])
    found = np.stack([across, down], axis=1)
    return np.stack([found[:count], found[count:]], axis=1)
