"""Where links leave and reach the cards of their nodes, and the lines they follow between them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Floats2 = NDArray[np.float64]  # (n, 2)
Ends = NDArray[np.intp]  # (n, 2)

_PORT_STEP = 11.0
_PORT_MARGIN = 16.0
_REACH = 24.0  # a curve may swing out that far beside its points
_LOOP = 40.0  # a link of a card to itself runs round a corner, within this of it


@dataclass(frozen=True, slots=True, eq=False)
class Routes:
    """The ways of all links: points in one array, each link's from ``starts[i]`` on.

    ``segments`` are the straight pieces of all ways, ``links`` the link each belongs to, ``boxes``
    left, top, right and bottom of all a link may touch.
    """

    points: Floats2
    starts: NDArray[np.intp]
    segments: NDArray[np.float64]
    links: NDArray[np.intp]
    boxes: NDArray[np.float64]
    ends: Ends
    offsets: NDArray[np.float64]  # (n, 2, 2): from the middles of both cards to the way

    def course(self, link: int) -> list[tuple[float, float]]:
        """The points of one way, each once."""
        stretch = self.points[self.starts[link] : self.starts[link + 1]].tolist()
        kept = [(stretch[0][0], stretch[0][1])]
        kept += [(b[0], b[1]) for a, b in pairwise(stretch) if a != b]
        return kept if len(kept) > 1 else kept * 2

    def following(self, places: Floats2, node: int) -> Routes:
        """The same ways after one node was moved: its links run straight to it."""
        touched = np.flatnonzero((self.ends == node).any(axis=1))
        points = self.points.copy()
        for link in touched.tolist():
            first, last = self.starts[link], self.starts[link + 1] - 1
            source, target = places[self.ends[link, 0]], places[self.ends[link, 1]]
            if self.ends[link, 0] == self.ends[link, 1]:
                points[first : last + 1] = source + self.offsets[link, 0]
                continue
            forward = target[0] > source[0]
            start, end = self.offsets[link].copy()
            start[0] = abs(start[0]) if forward else -abs(start[0])
            end[0] = -abs(end[0]) if forward else abs(end[0])
            points[first:last] = source + start
            points[last] = target + end
        return _finished(replace(self, points=points))


def routes_of(
    places: Floats2,
    ends: Ends,
    halves: Floats2,
    *,
    bends: Mapping[int, Floats2],
    is_layered: bool,
) -> Routes:
    """The way of every link from card to card, over its bends where it has some."""
    count = len(ends)
    source, target = places[ends[:, 0]], places[ends[:, 1]]
    extra = np.zeros(count, dtype=np.intp)
    for link, bend in bends.items():
        extra[link] = 2 * len(bend)
    starts = np.concatenate([[0], np.cumsum(extra + 2)]).astype(np.intp)
    points = np.empty((int(starts[-1]), 2))
    half = float(halves[:, 0].max(initial=0.0))
    for link, bend in bends.items():
        # Level beside the cards of the layer it passes, so that it turns between layers only.
        room = half if target[link, 0] > source[link, 0] else -half
        passed = np.repeat(bend, 2, axis=0)
        passed[0::2, 0] -= room
        passed[1::2, 0] += room
        points[starts[link] + 1 : starts[link + 1] - 1] = passed
    offsets = np.zeros((count, 2, 2))
    if is_layered and count:
        points[starts[:-1]], points[starts[1:] - 1] = source, target
        offsets = _ports(points, starts, ends, halves)
    loops = ends[:, 0] == ends[:, 1]
    offsets[loops] = (halves[ends[loops, 0]] * (1.0, -1.0))[:, None]
    points[starts[:-1]] = source + offsets[:, 0]
    points[starts[1:] - 1] = target + offsets[:, 1]
    nothing = np.zeros((0, 2, 2))
    bare = Routes(points, starts, nothing, np.zeros(0, np.intp), np.zeros((0, 4)), ends, offsets)
    return _finished(bare)


def _finished(routes: Routes) -> Routes:
    """With pieces and boxes made of the points."""
    starts, points = routes.starts, routes.points
    count = len(starts) - 1
    if not count:
        return routes
    owner = np.repeat(np.arange(count), np.diff(starts))
    inner = owner[1:] == owner[:-1]
    segments = np.stack([points[:-1][inner], points[1:][inner]], axis=1)
    low = np.minimum.reduceat(points, starts[:-1], axis=0)
    high = np.maximum.reduceat(points, starts[:-1], axis=0)
    room = np.array([_REACH, 0.0])
    boxes = np.concatenate([low - room, high + room], axis=1)
    boxes[routes.ends[:, 0] == routes.ends[:, 1]] += (-_LOOP, -_LOOP, _LOOP, _LOOP)
    return replace(routes, segments=segments, links=owner[:-1][inner], boxes=boxes)


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
