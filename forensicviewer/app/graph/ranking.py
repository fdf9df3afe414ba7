"""The ranked list of a provenance trial as it is shown: hits, misses and recalls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from forensicviewer.app.language.words import tr, whole
from forensicviewer.app.provenance.filtering import ALL, ScoredRanking
from forensicviewer.core.graph.filtering import NODE_TYPES, Recall, recall_curve
from forensicviewer.core.graph.provenance import Confidence, FileName, Match


@dataclass(frozen=True, slots=True)
class RankedLine:
    """One returned image, or one that was never returned (without a rank)."""

    rank: int | None
    file: FileName
    confidence: Confidence | None
    match: Match
    node_types: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class FilteringRanking:
    """Everything shown of a ranked list; recalls and curves are by type of image."""

    lengths: tuple[int, ...]
    lines: tuple[RankedLine, ...]
    rows: Mapping[FileName, int]  # where each image stands in ``lines``
    returned: int
    recalls: Mapping[str, tuple[Recall, ...]]
    curves: Mapping[str, tuple[float, ...]]

    def place_of(self, file: FileName) -> str:
        """``3 of 200``, the surest first; blank where the system did not return it."""
        row = self.rows.get(file)
        return "" if row is None or row >= self.returned else _place(row, self.returned)


def _place(row: int, returned: int) -> str:
    return tr("{rank} of {count}", rank=whole(row + 1), count=whole(returned))


def ranking_of(scored: ScoredRanking, lengths: Sequence[int]) -> FilteringRanking:
    """The list in order, then the wanted images it does not hold."""
    lines = _lines(scored)
    rows: dict[FileName, int] = {}
    for row, line in enumerate(lines):
        rows.setdefault(line.file, row)
    types = [ALL, *(each for each in NODE_TYPES if scored.of_type(each))]
    return FilteringRanking(
        lengths=tuple(lengths),
        lines=lines,
        rows=rows,
        returned=len(scored.ranked),
        recalls={each: tuple(scored.recalls(lengths, each)) for each in types},
        curves={each: recall_curve(scored.ranked, scored.of_type(each)) for each in types},
    )


def _lines(scored: ScoredRanking) -> tuple[RankedLine, ...]:
    # The probe is asked for once more as the probe, whatever else it is in the journal.
    kinds: dict[FileName, list[str]] = {}
    for one in scored.wanted:
        kinds.setdefault(one.file, []).append(one.node_type)
    types = {file: tuple(dict.fromkeys(each)) for file, each in kinds.items()}
    lines = [
        RankedLine(
            rank,
            node.file,
            node.confidence,
            Match.MATCHED if node.file in types else Match.INVENTED,
            types.get(node.file, ()),
        )
        for rank, node in enumerate(scored.ranked, start=1)
    ]
    returned = {line.file for line in lines}
    lines += [
        RankedLine(None, file, None, Match.MISSED, node_types)
        for file, node_types in types.items()
        if file not in returned
    ]
    return tuple(lines)
