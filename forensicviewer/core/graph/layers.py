"""Arranges a graph in layers: breaks cycles, assigns layers and reduces crossings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from graphlib import TopologicalSorter
from itertools import pairwise
from math import ceil, sqrt
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Ends: TypeAlias = Sequence[tuple[int, int]]
Column: TypeAlias = NDArray[np.intp]

# Bends of long links are placed like nodes; a graph that would need more goes without.
MAX_BENDS = 20_000
_MOST_EXCHANGED = 2500  # nodes and bends; larger graphs have more crossings than anybody untangles


@dataclass(slots=True, eq=False)
class Layers:
    """Nodes and bends by layer; positions from ``count`` on are bends."""

    count: int
    levels: NDArray[np.int64]
    columns: list[Column]
    before: list[list[int]]
    after: list[list[int]]
    chains: dict[int, list[int]]  # link → its bends from left to right

    @property
    def beside(self) -> list[list[int]]:
        return [[*a, *b] for a, b in zip(self.before, self.after, strict=True)]


def components(count: int, ends: Ends) -> tuple[list[list[int]], list[list[int]]]:
    """Nodes of each connected part and the positions of its links, the largest part first."""
    head = list(range(count))

    def root(node: int) -> int:
        while head[node] != node:
            head[node] = head[head[node]]
            node = head[node]
        return node

    for a, b in ends:
        head[root(a)] = root(b)
    groups: dict[int, list[int]] = {}
    for node in range(count):
        groups.setdefault(root(node), []).append(node)
    links: dict[int, list[int]] = {top: [] for top in groups}
    for i, (a, _) in enumerate(ends):
        links[root(a)].append(i)
    order = sorted(groups, key=lambda top: (-len(groups[top]), groups[top][0]))
    return [groups[top] for top in order], [links[top] for top in order]


def break_cycles(count: int, ends: Ends) -> list[tuple[int, int]]:
    """The links without cycles: back links of a depth-first walk are reversed."""
    outgoing: list[list[int]] = [[] for _ in range(count)]
    has_way_in = [False] * count
    for i, (a, b) in enumerate(ends):
        outgoing[a].append(i)
        has_way_in[b] = True
    forward = list(ends)
    state = [0] * count  # 0 unseen, 1 on the way, 2 done
    # Nodes without a way in first: walks from them turn nothing round needlessly.
    for start in sorted(range(count), key=has_way_in.__getitem__):
        stack = [] if state[start] else [(start, iter(outgoing[start]))]
        state[start] = state[start] or 1
        while stack:
            node, rest = stack[-1]
            link = next(rest, None)
            if link is None:
                state[node] = 2
                stack.pop()
                continue
            target = ends[link][1]
            if state[target] == 1:
                forward[link] = (target, node)
            elif state[target] == 0:
                state[target] = 1
                stack.append((target, iter(outgoing[target])))
    return forward


def layers_of(count: int, ends: Ends) -> NDArray[np.int64]:
    """The lowest layer for every node that is right of all its sources.

    ``ends`` have no cycles (links of a node to itself do not count).
    """
    links = [(a, b) for a, b in ends if a != b]
    after: list[list[int]] = [[] for _ in range(count)]
    before: list[list[int]] = [[] for _ in range(count)]
    # Given first, all nodes keep their order wherever nothing else decides.
    sorter = TopologicalSorter(dict.fromkeys(range(count), ()))
    for a, b in links:
        after[a].append(b)
        before[b].append(a)
        sorter.add(b, a)
    order = list(sorter.static_order())
    highest = max(8, ceil(2.2 * sqrt(count)))
    level = np.zeros(count, dtype=np.int64)
    held: dict[int, int] = {}
    for node in order:
        place = max((level[other] + 1 for other in before[node]), default=0)
        while held.get(int(place), 0) >= highest:
            place += 1
        level[node] = place
        held[int(place)] = held.get(int(place), 0) + 1
    _draw_together(level, order, before, after)
    level -= level.min()
    return level


def _draw_together(
    level: NDArray[np.int64],
    order: Sequence[int],
    before: Sequence[Sequence[int]],
    after: Sequence[Sequence[int]],
) -> None:
    """Move nodes right, next to what they lead to, where that shortens links on the whole.

    So a donor is placed beside the image it is pasted into, together with what alone leads to it.
    """
    for node in reversed(order):
        gain = len(after[node]) - len(before[node])
        follow = all(len(after[other]) == 1 for other in before[node])
        if after[node] and (gain > 0 or (gain == 0 and follow)):
            nearest = min(int(level[other]) for other in after[node]) - 1
            level[node] = max(int(level[node]), nearest)


def insert_bends(
    count: int, ends: Ends, levels: NDArray[np.int64], bundles: Sequence[int]
) -> Layers:
    """Give links that span several layers a bend in each layer between.

    Links of one bundle from the same node share their bends, so that a fan takes the room of one
    link until it opens.
    """
    all_levels = [int(level) for level in levels]
    shared: dict[tuple[int, int, int], int] = {}
    chains: dict[int, list[int]] = {}
    for i, (a, b) in enumerate(ends):
        if all_levels[b] - all_levels[a] > 1 and len(all_levels) - count <= MAX_BENDS:
            chains[i] = []
            for level in range(all_levels[a] + 1, all_levels[b]):
                key = (a, bundles[i], level)
                if key not in shared:
                    shared[key] = len(all_levels)
                    all_levels.append(level)
                chains[i].append(shared[key])
    if len(all_levels) - count > MAX_BENDS:
        all_levels, chains = all_levels[:count], {}
    before, after = _neighbours(len(all_levels), ends, chains)
    columns = _columns(count, all_levels, before, after)
    return Layers(count, np.array(all_levels), columns, before, after, chains)


def _neighbours(
    size: int, ends: Ends, chains: Mapping[int, Sequence[int]]
) -> tuple[list[list[int]], list[list[int]]]:
    before: list[list[int]] = [[] for _ in range(size)]
    after: list[list[int]] = [[] for _ in range(size)]
    steps: dict[tuple[int, int], None] = {}
    for i, (a, b) in enumerate(ends):
        if a != b:
            steps.update(dict.fromkeys(pairwise((a, *chains.get(i, ()), b))))
    for left, right in steps:
        after[left].append(right)
        before[right].append(left)
    return before, after


def _columns(
    count: int,
    levels: Sequence[int],
    before: Sequence[Sequence[int]],
    after: Sequence[Sequence[int]],
) -> list[Column]:
    """Layers in the order of a depth-first walk, which keeps related nodes together."""
    columns: list[list[int]] = [[] for _ in range(max(levels, default=0) + 1)]
    seen = [False] * len(levels)
    starts = sorted(range(len(levels)), key=lambda node: (bool(before[node]), levels[node]))
    for start in starts:
        stack = [start]
        while stack:
            node = stack.pop()
            if seen[node]:
                continue
            seen[node] = True
            columns[levels[node]].append(node)
            stack.extend(reversed(_bends_in_the_middle(after[node], count)))
    return [np.array(column, dtype=np.intp) for column in columns]


def _bends_in_the_middle(nodes: Sequence[int], count: int) -> list[int]:
    # A folded fan goes on behind its bend: at the edge, each further layer would hang lower.
    bends = [node for node in nodes if node >= count]
    others = [node for node in nodes if node < count]
    half = len(others) // 2
    return [*others[:half], *bends, *others[half:]]


def order_layers(layers: Layers, check: Callable[[], None]) -> None:
    """Order every layer by the mean place of its neighbours; the order with fewest crossings."""
    place = np.zeros(len(layers.levels))
    for column in layers.columns:
        place[column] = np.arange(len(column))
    best, fewest = [column.copy() for column in layers.columns], crossings(layers, place)
    rounds = 12 if len(place) < 3000 else 5
    for i in range(rounds):
        check()
        if not fewest:
            break
        forwards = i % 2 == 0
        neighbours = layers.before if forwards else layers.after
        positions = range(len(layers.columns))
        for at in positions if forwards else reversed(positions):
            column = layers.columns[at]
            wished = [_mean_place(int(node), neighbours, place) for node in column]
            column = column[np.argsort(wished, kind="stable")]
            layers.columns[at] = column
            place[column] = np.arange(len(column))
        if len(place) < _MOST_EXCHANGED:
            _exchange(layers, place)
        found = crossings(layers, place)
        if found < fewest:
            best, fewest = [column.copy() for column in layers.columns], found
    layers.columns = best


def _exchange(layers: Layers, place: NDArray[np.float64]) -> None:
    """Exchange neighbours within a layer while that removes crossings."""
    for column in layers.columns:
        for i in range(len(column) - 1):
            upper, lower = int(column[i]), int(column[i + 1])
            now = _pair_crossings(upper, lower, layers, place)
            if now and _pair_crossings(lower, upper, layers, place) < now:
                column[i], column[i + 1] = lower, upper
                place[lower], place[upper] = i, i + 1


def _pair_crossings(upper: int, lower: int, layers: Layers, place: NDArray[np.float64]) -> int:
    """How often links of one node cross links of the node below it."""
    return sum(
        place[a] > place[b]
        for neighbours in (layers.before, layers.after)
        for a in neighbours[upper]
        for b in neighbours[lower]
    )


def _mean_place(
    node: int, neighbours: Sequence[Sequence[int]], place: NDArray[np.float64]
) -> float:
    near = neighbours[node]
    if not near:
        return float(place[node])
    return float(sum(place[other] for other in near)) / len(near)


def crossings(layers: Layers, place: NDArray[np.float64]) -> int:
    """How often links between neighbouring layers cross."""
    total = 0
    for column in layers.columns:
        pairs = [(place[node], place[other]) for node in column for other in layers.after[node]]
        pairs.sort()
        total += _inversions([int(right) for _, right in pairs])
    return total


def _inversions(values: Sequence[int]) -> int:
    """Pairs in falling order, counted with a tree of sums (Fenwick)."""
    size = max(values, default=0) + 2
    tree = [0] * (size + 1)
    total = 0
    for seen, value in enumerate(values):
        i = value + 1
        smaller = 0
        while i:
            smaller += tree[i]
            i &= i - 1
        total += seen - smaller
        i = value + 1
        while i <= size:
            tree[i] += 1
            i += i & -i
    return total
