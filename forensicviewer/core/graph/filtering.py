"""Provenance filtering: a ranked list of images, and how many related ones it contains."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from forensicviewer.core.graph.provenance import FileName, Match, SystemNode
from forensicviewer.core.model import Edition
from forensicviewer.core.rules import RuleSet
from forensicviewer.core.rules.provenance import (
    FilteringCuts,
    FilteringRepeats,
    FilteringTies,
)

NODE_TYPES = ("donor", "base", "final", "interim")
PROBE_TYPE = "probe"

_CUTS: Mapping[FilteringCuts, tuple[int, ...]] = {
    FilteringCuts.ALL: (50, 100, 200, 300, 500),
    FilteringCuts.CODE: (50, 100, 200, 300),
}


@dataclass(frozen=True, slots=True)
class Wanted:
    """One image a system should find, and what it is in the journal."""

    file: FileName
    node_type: str
    journal_node: str = ""


@dataclass(frozen=True, slots=True)
class RowAtLength:
    """One line of the comparison at a list length; blank parts where one side has none."""

    file: FileName
    match: Match
    node_type: str
    system: SystemNode | None


@dataclass(frozen=True, slots=True)
class Recall:
    """The recall of the first ``n`` images of a ranking."""

    n: int
    wanted: int
    matched: int
    missed: int
    invented: int

    @property
    def value(self) -> float | None:
        return self.matched / self.wanted if self.wanted else None


def cuts(rules: RuleSet, edition: Edition) -> tuple[int, ...]:
    """The list lengths at which recall is taken."""
    choice = rules.choice(FilteringCuts)
    if choice is FilteringCuts.EDITION:
        return (50, 100, 200) if edition is Edition.NC2017 else (300,)
    return _CUTS[choice]


def ranking(nodes: Sequence[SystemNode], *, rules: RuleSet) -> tuple[SystemNode, ...]:
    """A system's images by falling confidence; images without confidence are last."""
    rated = [node for node in nodes if node.confidence is not None]
    unrated = [node for node in nodes if node.confidence is None]
    if rules.chooses(FilteringTies.UNSTABLE):
        ordered = _unstably_ranked(rated)
    else:
        ordered = sorted(rated, key=_confidence, reverse=True)
    ranked = (*ordered, *unrated)
    if rules.chooses(FilteringRepeats.EACH):
        return ranked
    best: dict[FileName, SystemNode] = {}
    for node in ranked:
        best.setdefault(node.file, node)
    return tuple(best.values())


def recall_at(n: int, ranked: Sequence[SystemNode], wanted: Sequence[Wanted]) -> Recall:
    """Matches of every wanted image with every entry of its name among the first ``n``."""
    listed = Counter(node.file for node in ranked[:n])
    sought = Counter(one.file for one in wanted)
    return Recall(
        n=n,
        wanted=len(wanted),
        matched=sum(times * listed[file] for file, times in sought.items()),
        missed=sum(times for file, times in sought.items() if file not in listed),
        invented=sum(times for file, times in listed.items() if file not in sought),
    )


def findings_at(
    n: int, ranked: Sequence[SystemNode], wanted: Sequence[Wanted]
) -> tuple[RowAtLength, ...]:
    """The comparison line by line: wanted images in their order, then false alarms."""
    listed: dict[FileName, list[SystemNode]] = {}
    for node in ranked[:n]:
        listed.setdefault(node.file, []).append(node)
    sought: dict[FileName, list[Wanted]] = {}
    for one in wanted:
        sought.setdefault(one.file, []).append(one)
    lines: list[RowAtLength] = []
    for file, kinds in sought.items():
        hits = listed.get(file)
        for kind in kinds:
            if hits is None:
                lines.append(RowAtLength(file, Match.MISSED, kind.node_type, None))
            else:
                lines += [RowAtLength(file, Match.MATCHED, kind.node_type, hit) for hit in hits]
    for file, entries in listed.items():
        if file not in sought:
            lines += [RowAtLength(file, Match.INVENTED, "", entry) for entry in entries]
    return tuple(lines)


def recall_curve(ranked: Sequence[SystemNode], wanted: Sequence[Wanted]) -> tuple[float, ...]:
    """Recall after each place of the ranking."""
    sought = Counter(one.file for one in wanted)
    total = len(wanted)
    found = 0
    curve = []
    for node in ranked:
        found += sought[node.file]
        curve.append(found / total if total else 0.0)
    return tuple(curve)


def _confidence(node: SystemNode) -> float:
    assert node.confidence is not None
    return node.confidence


def _unstably_ranked(nodes: Sequence[SystemNode]) -> list[SystemNode]:
    # The frame is turned round, sorted upwards by quicksort and turned round again, which keeps
    # the listed order of ties in short lists and scrambles it in long ones.
    turned = list(reversed(nodes))
    order = quicksort_order([_confidence(node) for node in turned])
    return [turned[i] for i in reversed(order)]


_SHORT = 15  # shorter stretches are sorted by insertion


def quicksort_order(values: Sequence[float]) -> list[int]:
    """Positions in ascending order, ties as numpy 1's introspective quicksort leaves them.

    Median of three, the smaller part first, insertion for short runs, heapsort where the parts
    stay too uneven. NIST's rankings depend on it wherever a tie lies across a list length.
    """
    order = list(range(len(values)))
    if not order:
        return order
    waiting = [(0, len(order) - 1, 2 * (len(order).bit_length() - 1))]
    while waiting:
        low, high, depth = waiting.pop()
        if depth < 0:
            _heap_sort(order, values, low, high)
            continue
        while high - low > _SHORT:
            middle = _partition(order, values, low, high)
            depth -= 1
            if middle - low < high - middle:
                waiting.append((middle + 1, high, depth))
                high = middle - 1
            else:
                waiting.append((low, middle - 1, depth))
                low = middle + 1
        _insertion_sort(order, values, low, high)
    return order


def _partition(order: list[int], values: Sequence[float], low: int, high: int) -> int:
    middle = low + ((high - low) >> 1)
    _exchange_if_falling(order, values, low, middle)
    _exchange_if_falling(order, values, middle, high)
    _exchange_if_falling(order, values, low, middle)
    pivot = values[order[middle]]
    i, j = low, high - 1
    order[middle], order[j] = order[j], order[middle]
    while True:
        i += 1
        while values[order[i]] < pivot:
            i += 1
        j -= 1
        while pivot < values[order[j]]:
            j -= 1
        if i >= j:
            break
        order[i], order[j] = order[j], order[i]
    order[i], order[high - 1] = order[high - 1], order[i]
    return i


def _exchange_if_falling(order: list[int], values: Sequence[float], i: int, j: int) -> None:
    if values[order[j]] < values[order[i]]:
        order[i], order[j] = order[j], order[i]


def _insertion_sort(order: list[int], values: Sequence[float], low: int, high: int) -> None:
    for i in range(low + 1, high + 1):
        moving = order[i]
        j = i
        while j > low and values[moving] < values[order[j - 1]]:
            order[j] = order[j - 1]
            j -= 1
        order[j] = moving


def _heap_sort(order: list[int], values: Sequence[float], low: int, high: int) -> None:
    heap = order[low : high + 1]
    for start in range(len(heap) // 2 - 1, -1, -1):
        _sink(heap, values, start, len(heap))
    for end in range(len(heap) - 1, 0, -1):
        heap[0], heap[end] = heap[end], heap[0]
        _sink(heap, values, 0, end)
    order[low : high + 1] = heap


def _sink(heap: list[int], values: Sequence[float], start: int, end: int) -> None:
    moving = heap[start]
    i = start
    while (child := 2 * i + 1) < end:
        if child + 1 < end and values[heap[child]] < values[heap[child + 1]]:
            child += 1
        if not values[moving] < values[heap[child]]:
            break
        heap[i] = heap[child]
        i = child
    heap[i] = moving
