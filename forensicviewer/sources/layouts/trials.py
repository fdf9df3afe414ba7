"""The trials of a task, made from its tables one by one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from forensicviewer.core.array import Size
from forensicviewer.core.cached import cached_property
from forensicviewer.core.key_index import KeyIndex, TrialIds
from forensicviewer.core.model import Media, Operation, TaskKind, Trial, TrialId, key_columns
from forensicviewer.core.table.text_table import Column, Table
from forensicviewer.sources.layouts.galleries import Galleries
from forensicviewer.sources.media.headers import MAX_PIXELS
from forensicviewer.sources.media.masks import is_layered_name

_SPLICE_MASKS = ("BinaryProbeMaskFileName", "ProbeMaskFileName")
_PROBE_MASKS = ("ProbeMaskFileName", "BinaryProbeMaskFileName")
_MOST_KEPT = 64


class TableTrials:
    """Trials over the joined table of a task (a :class:`~forensicviewer.core.model.Trials`)."""

    def __init__(
        self,
        kind: TaskKind,
        table: Table,
        *,
        journal_masks: Table | None,
        probe_journals: Table | None,
        galleries: Galleries | None = None,
    ) -> None:
        self._kind = kind
        self._table = table
        self._journal_masks = journal_masks
        self._probe_journals = probe_journals
        self._galleries = galleries
        # Whoever looks at a trial asks for it again and again.
        self._kept: dict[int, Trial] = {}

    def __len__(self) -> int:
        return len(self._table)

    def __getitem__(self, row: int) -> Trial:
        if not 0 <= row < len(self._table):
            raise IndexError(row)
        found = self._kept.get(row)
        if found is None:
            if len(self._kept) >= _MOST_KEPT:
                self._kept.clear()
            found = self._kept[row] = self._made(row)
        return found

    def _made(self, row: int) -> Trial:
        facts = self._table.row(row)
        masks = _SPLICE_MASKS if self._kind.has_donor else _PROBE_MASKS
        reference = _first(facts, masks)
        bit_planes = _first(facts, ("ProbeBitPlaneMaskFileName",))
        if reference is not None and is_layered_name(reference):
            # MFC2019's plan names its only mask, which has bit planes, where others name colours.
            reference, bit_planes = None, bit_planes or reference
        return Trial(
            id=self._ids[row],
            row=row,
            probe=_probe(facts, self._kind),
            donor=_donor(facts) if self._kind.has_donor else None,
            is_target=_is_target(facts),
            reference=reference,
            bit_planes=bit_planes,
            donor_reference=_first(facts, ("DonorMaskFileName",)),
            control=_first(facts, ("CorrespondingControlFileName",)),
            gallery=None if self._galleries is None else self._galleries.of(facts),
            operations=self._operations_of(facts),
            facts=facts,
        )

    def ids(self) -> Sequence[TrialId]:
        return self._ids

    def row_of(self, trial_id: TrialId) -> int | None:
        """The row of a trial; of two equal ids the first, the other was reported when opening."""
        return self._index.row_of(trial_id)

    @cached_property
    def _ids(self) -> TrialIds:
        return TrialIds(self._keys)

    @cached_property
    def _index(self) -> KeyIndex:
        return KeyIndex(self._keys)

    @property
    def _keys(self) -> list[Column]:
        return [self._table[name] for name in key_columns(self._kind)]

    @cached_property
    def _operations(self) -> OperationTable | None:
        if self._probe_journals is None:
            return None
        return OperationTable(self._probe_journals, self._journal_masks)

    def _operations_of(self, facts: Mapping[str, str]) -> tuple[Operation, ...]:
        if self._operations is None:
            return ()
        return self._operations.of(facts.get("ProbeFileID", ""), facts.get("DonorFileID", ""))


@dataclass(frozen=True, slots=True)
class _JournalRow:
    row: int
    key: tuple[str, str, str]


class OperationTable:
    """The operations of each probe: its journal steps joined with their descriptions."""

    def __init__(self, probe_journals: Table, journal_masks: Table | None) -> None:
        self._joins = probe_journals
        self._masks = journal_masks
        self._has_donor = "DonorFileID" in probe_journals

    def of(self, probe: str, donor: str) -> tuple[Operation, ...]:
        """The operations of one probe in the order of the table; of the pair where pairs differ."""
        rows = self._rows.get((probe, donor if self._has_donor else ""), ())
        return tuple(self._operation(row) for row in rows)

    @cached_property
    def _rows(self) -> dict[tuple[str, str], list[_JournalRow]]:
        table = self._joins
        donors = iter(table["DonorFileID"]) if self._has_donor else iter([""] * len(table))
        found: dict[tuple[str, str], list[_JournalRow]] = {}
        keys = zip(
            table["ProbeFileID"],
            donors,
            table["JournalName"],
            table["StartNodeID"],
            table["EndNodeID"],
            strict=True,
        )
        for row, (probe, donor, *key) in enumerate(keys):
            step = _JournalRow(row, (key[0], key[1], key[2]))
            found.setdefault((probe, donor), []).append(step)
        return found

    @cached_property
    def _mask_rows(self) -> dict[tuple[str, str, str], int]:
        table = self._masks
        if table is None:
            return {}
        keys = zip(table["JournalName"], table["StartNodeID"], table["EndNodeID"], strict=True)
        rows: dict[tuple[str, str, str], int] = {}
        for row, key in enumerate(keys):
            rows.setdefault(key, row)
        return rows

    def _operation(self, step: _JournalRow) -> Operation:
        facts = self._joins.row(step.row)
        mask_row = self._mask_rows.get(step.key)
        if self._masks is not None and mask_row is not None:
            described = self._masks.row(mask_row)
            # BitPlane stands in either file; "None" or a blank must not hide the other one.
            filled = {k: v for k, v in described.items() if v not in ("", "None")}
            facts = {**described, **facts, **filled}
        return Operation(
            journal=step.key[0],
            start_node=step.key[1],
            end_node=step.key[2],
            name=facts.get("Operation", ""),
            purpose=facts.get("Purpose", ""),
            color=parse_color(facts.get("Color", "")),
            bit_plane=parse_whole(facts.get("BitPlane", "")),
            sequence=parse_whole(facts.get("Sequence", "")),
            facts=facts,
        )


def parse_color(text: str) -> tuple[int, int, int] | None:
    """``"R G B"`` as three numbers from 0 to 255; ``None`` where it is not a colour."""
    parts = [parse_whole(part) for part in text.split()]
    if len(parts) != 3:
        return None
    red, green, blue = parts
    if red is None or green is None or blue is None or max(red, green, blue) > 255:
        return None
    return red, green, blue


def parse_whole(text: str) -> int | None:
    """A whole number that is not negative, also written as ``11.0``; ``None`` for anything else."""
    text = text.strip()
    whole, _, fraction = text.partition(".")
    if not (whole.isascii() and whole.isdigit()) or fraction.strip("0") or len(whole) > 18:
        return None
    return int(whole)


def parse_size(width: str, height: str) -> Size | None:
    """A size in pixels; ``None`` unless both numbers are whole, positive and plausible.

    Blank masks are made from declared sizes, so an absurd one would ask for all memory there is.
    """
    columns, rows = parse_whole(width), parse_whole(height)
    if not columns or not rows or columns * rows > MAX_PIXELS:
        return None
    return Size(width=columns, height=rows)


def _probe(facts: Mapping[str, str], kind: TaskKind) -> Media:
    return _media(facts, "ProvenanceProbe" if kind.is_provenance else "Probe")


def _donor(facts: Mapping[str, str]) -> Media:
    return _media(facts, "Donor")


def _media(facts: Mapping[str, str], who: str) -> Media:
    return Media(
        id=facts.get(f"{who}FileID", ""),
        name=facts.get(f"{who}FileName", ""),
        size=parse_size(facts.get(f"{who}Width", ""), facts.get(f"{who}Height", "")),
    )


def _is_target(facts: Mapping[str, str]) -> bool | None:
    return {"y": True, "n": False}.get(facts.get("IsTarget", "").strip().lower())


def _first(facts: Mapping[str, str], columns: Sequence[str]) -> str | None:
    return next((facts[name] for name in columns if facts.get(name, "").strip()), None)
