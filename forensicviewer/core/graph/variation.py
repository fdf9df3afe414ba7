"""The variations of building provenance graphs: which images a system chose from.

NC2017's plan has two (2.1.4.1, 2.1.4.2), MFC2019's three (2.1.4.1 to 2.1.4.3). No file says which
one a task is: where NIST filtered the world, the dataset has a pool of images for each probe.
"""

from __future__ import annotations

import re
from enum import Enum

from forensicviewer.core.model import Edition, Task, TaskKind
from forensicviewer.core.table.text_table import Table

_PROBE, _WORLD = "ProvenanceProbeFileID", "WorldFileID"
_ORACLE = re.compile(r"oracle", re.IGNORECASE)
_END_TO_END = re.compile(r"end[-_ ]?(2|to)[-_ ]?end|(?<![a-z0-9])e2e(?![a-z0-9])", re.IGNORECASE)


class Variation(Enum):
    """The words of the plans."""

    END_TO_END = "end-to-end"
    ORACLE = "oracle filter"
    DISTRACTORS = "oracle filter (with distractors)"
    NO_DISTRACTORS = "oracle filter (without distractors)"

    @property
    def is_oracle(self) -> bool:
        return self is not Variation.END_TO_END


def variation_of(task: Task) -> Variation | None:
    """The variation of a task of provenance graphs, by its pool or the names of its tables."""
    if not task.kind.is_provenance:
        return None
    if task.pools is not None:
        return _oracle(task, task.pools)
    if task.kind is not TaskKind.PROVENANCE:
        return None
    named = {variation_named(name) for name in (task.label, *task.files.values())}
    return Variation.ORACLE if named == {None, Variation.ORACLE} else Variation.END_TO_END


def variation_named(name: str) -> Variation | None:
    """The variation that a name states; ``None`` if it states none or both."""
    says_oracle, says_all = bool(_ORACLE.search(name)), bool(_END_TO_END.search(name))
    if says_oracle == says_all:
        return None
    return Variation.ORACLE if says_oracle else Variation.END_TO_END


def _oracle(task: Task, pools: Table) -> Variation:
    """The oracle variation; only MFC2019 distinguishes pools with and without distractors."""
    nodes = task.nodes
    lacks = nodes is None or any(
        name not in table for table in (nodes, pools) for name in (_PROBE, _WORLD)
    )
    if lacks or nodes is None or task.edition in (Edition.NC2016, Edition.NC2017):
        return Variation.ORACLE
    related = set(zip(nodes[_PROBE], nodes[_WORLD], strict=True))
    offered = zip(pools[_PROBE], pools[_WORLD], strict=True)
    probes = {probe for probe, _ in related}
    has_others = any(pair not in related for pair in offered if pair[0] in probes)
    return Variation.DISTRACTORS if has_others else Variation.NO_DISTRACTORS
