"""Positions of the nodes of a graph: layered from left to right, or by forces.

Pure functions of the graph alone: the same graph always gets the same layout. ``check`` is called
often and may raise to stop the work.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from forensicviewer.core.graph.layers import (
    Ends,
    Layers,
    break_cycles,
    components,
    insert_bends,
    layers_of,
    order_layers,
)

Points = NDArray[np.float64]  # (n, 2): x, y
StopCheck = Callable[[], None]


def _go_on() -> None:
    """Never stop the work."""


@dataclass(frozen=True, slots=True)
class Spacing:
    """Distances between the centres of neighbours, in scene units."""

    across: float = 210.0  # from layer to layer
    along: float = 96.0  # within a layer
    bend: float = 34.0  # beside a bend of a long link


@dataclass(frozen=True, slots=True, eq=False)
class GraphLayout:
    """A place for every node, and the bends of the links that have some (by position)."""

    points: Points
    bends: dict[int, Points] = field(default_factory=dict)


def layered(
    count: int,
    ends: Ends,
    *,
    bundles: Sequence[int] | None = None,
    spacing: Spacing | None = None,
    check: StopCheck = _go_on,
) -> GraphLayout:
    """Nodes in layers so that links run to the right; unlinked nodes in rows below.

    Long links from one node with the same number in ``bundles`` run together.
    """
    space = spacing or Spacing()
    bundle_of = bundles or [0] * len(ends)
    points = np.zeros((count, 2))
    bends: dict[int, Points] = {}
    groups, links_of = components(count, ends)
    shelves = _Shelves(space)
    for group, links in zip(groups, links_of, strict=True):
        if len(group) == 1:
            continue
        check()
        placed = _component(
            group, [ends[i] for i in links], [bundle_of[i] for i in links], space, check
        )
        offset = shelves.take(placed.points)
        points[group] = placed.points[: len(group)] + offset
        bends |= {links[i]: bend + offset for i, bend in placed.bends.items()}
    alone = [group[0] for group in groups if len(group) == 1]
    _place_rows(points, alone, shelves.bottom, space)
    return GraphLayout(points, bends)


class _Shelves:
    """Parts of a graph side by side, in rows as wide as the first and largest part."""

    def __init__(self, space: Spacing) -> None:
        self._space = space
        self._width = 0.0
        self._left = 0.0
        self._top = 0.0
        self.bottom = 0.0

    def take(self, points: Points) -> Points:
        """The shift that moves a part to its place."""
        low, size = points.min(axis=0), np.ptp(points, axis=0)
        if self._left and self._left + size[0] > self._width:
            self._left, self._top = 0.0, self.bottom
        self._width = max(self._width, float(size[0]))
        offset: Points = np.array([self._left, self._top]) - low
        self._left += float(size[0]) + 1.2 * self._space.across
        self.bottom = max(self.bottom, self._top + float(size[1]) + 1.3 * self._space.along)
        return offset


def _place_rows(points: Points, alone: Sequence[int], top: float, space: Spacing) -> None:
    if not alone:
        return
    others = np.setdiff1d(np.arange(len(points)), alone)
    width = float(np.ptp(points[others, 0])) if len(others) else 0.0
    # Twice as wide as high where nothing else decides: screens and pages are.
    columns = max(int(width // space.across) + 1, int(np.sqrt(len(alone)) + 0.5), 1)
    place = np.arange(len(alone))
    points[alone, 0] = (place % columns) * space.across
    points[alone, 1] = top + (place // columns) * space.along


def _component(
    group: Sequence[int], ends: Ends, bundles: Sequence[int], space: Spacing, check: StopCheck
) -> GraphLayout:
    local = {node: i for i, node in enumerate(group)}
    inner = [(local[a], local[b]) for a, b in ends]
    forward = break_cycles(len(group), inner)
    levels = layers_of(len(group), forward)
    check()
    layers = insert_bends(len(group), forward, levels, bundles)
    order_layers(layers, check)
    y = _heights(layers, space, check)
    x = layers.levels * space.across
    points = np.column_stack([x, y])
    bends = {
        i: points[chain if forward[i] == inner[i] else chain[::-1]]
        for i, chain in layers.chains.items()
    }
    return GraphLayout(points, bends)


def _heights(layers: Layers, space: Spacing, check: StopCheck) -> NDArray[np.float64]:
    """Heights near the neighbours' mean, in the order of each layer and never too close."""
    gap = np.where(np.arange(len(layers.levels)) < layers.count, space.along, space.bend)
    y = np.zeros(len(layers.levels))
    offsets = []
    for column in layers.columns:
        # Half of each neighbour's room: a bend needs less than a node.
        offset = np.concatenate([[0.0], np.cumsum((gap[column][:-1] + gap[column][1:]) / 2)])
        offsets.append(offset)
        y[column] = offset - offset[-1] / 2
    rounds = 14 if len(y) < 4000 else 6
    for i in range(rounds):
        check()
        sides = (layers.before, layers.after) if i % 2 == 0 else (layers.after, layers.before)
        if i >= rounds - 2:
            sides = (layers.beside, layers.beside)
        _sweep(y, layers, offsets, sides[0], forwards=i % 2 == 0)
    return y


def _sweep(
    y: NDArray[np.float64],
    layers: Layers,
    offsets: Sequence[NDArray[np.float64]],
    neighbours: Sequence[Sequence[int]],
    *,
    forwards: bool,
) -> None:
    positions = range(len(layers.columns))
    for i in positions if forwards else reversed(positions):
        column = layers.columns[i]
        wished = np.array([_mean_height(node, neighbours, y) for node in column])
        weights = np.where(column < layers.count, 1.0, 4.0)
        y[column] = spread(wished - offsets[i], weights) + offsets[i]


def _mean_height(node: int, neighbours: Sequence[Sequence[int]], y: NDArray[np.float64]) -> float:
    near = neighbours[node]
    if not near:
        return float(y[node])
    return float(sum(y[other] for other in near) / len(near))


def spread(wished: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """The nearest values (least squares) that never fall: pools neighbours that would cross."""
    values: list[float] = []
    masses: list[float] = []
    sizes: list[int] = []
    for value, mass in zip(wished.tolist(), weights.tolist(), strict=True):
        size = 1
        while values and values[-1] > value:
            total = masses[-1] + mass
            value = (values.pop() * masses[-1] + value * mass) / total
            masses.pop()
            mass = total
            size += sizes.pop()
        values.append(value)
        masses.append(mass)
        sizes.append(size)
    return np.repeat(values, sizes)


def force(
    count: int,
    ends: Ends,
    *,
    start: Points,
    spacing: Spacing | None = None,
    check: StopCheck = _go_on,
) -> GraphLayout:
    """Layout by forces between nodes (Fruchterman and Reingold 1991).

    Starts from given places, so that it is the same every time and resembles them. Large graphs
    are pushed apart by a sample of the others.
    """
    space = spacing or Spacing()
    if count == 0:
        return GraphLayout(np.zeros((0, 2)))
    ideal = (space.across + space.along) / 2
    links = np.array([end for end in ends if end[0] != end[1]], dtype=np.intp).reshape(-1, 2)
    # A shiver keeps nodes that start in one line from staying there.
    random = np.random.default_rng(7)
    points = start * 0.8 + random.normal(scale=ideal / 10, size=start.shape)
    rounds = 120 if count <= _EXACT_UP_TO else 80
    for i in range(rounds):
        check()
        heat = ideal * 1.5 * (1 - i / rounds) + 1.0
        push = _repulsion(points, ideal, random)
        pull = _attraction(points, links, ideal)
        move = push + pull - points * 0.01
        length = np.maximum(np.linalg.norm(move, axis=1, keepdims=True), 1e-9)
        points = points + move / length * np.minimum(length, heat)
    return GraphLayout(points - points.min(axis=0))


_SAMPLE = 48
_EXACT_UP_TO = 250


def _repulsion(points: Points, ideal: float, random: np.random.Generator) -> Points:
    count = len(points)
    if count <= _EXACT_UP_TO:
        apart = points[:, None, :] - points[None, :, :]
        weight = 1.0
    else:
        others = random.integers(0, count, size=(count, _SAMPLE))
        apart = points[:, None, :] - points[others]
        weight = count / _SAMPLE
    square = np.maximum(np.einsum("ijk,ijk->ij", apart, apart), 1.0)
    # Far nodes hardly push: without a reach, a large graph blows itself up.
    strength = ideal**2 / square * (square < (8 * ideal) ** 2) * min(weight, 12.0)
    pushed: Points = np.einsum("ij,ijk->ik", strength, apart)
    return pushed


def _attraction(points: Points, links: NDArray[np.intp], ideal: float) -> Points:
    pull = np.zeros_like(points)
    if len(links):
        apart = points[links[:, 1]] - points[links[:, 0]]
        length = np.linalg.norm(apart, axis=1, keepdims=True)
        tug = apart * length / ideal
        np.add.at(pull, links[:, 0], tug)
        np.add.at(pull, links[:, 1], -tug)
    return pull
