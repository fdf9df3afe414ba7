"""How provenance is scored, which trials each line of results covers, and how numbers print."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal

from forensicviewer.app.provenance.trials import ProvenanceTrial
from forensicviewer.core.graph.provenance import Confidence
from forensicviewer.core.problem import UsageError
from forensicviewer.core.query.grammar import Queries, parse, queries_of
from forensicviewer.core.query.partition import partitions
from forensicviewer.core.rules import MEDISCORE, VERBATIM, RuleSet, Switch, rule_set
from forensicviewer.core.table.text_table import Table

DECIMALS = 12


@dataclass(frozen=True, slots=True)
class ProvenanceSettings:
    """What a user decides about scoring graphs and rankings."""

    rules: RuleSet = MEDISCORE
    direct: bool = False
    undirected: bool = False
    node_types: tuple[str, ...] = ()
    queries: tuple[str, ...] = ()
    partition: str = ""
    leave_out_unprocessed: bool = False
    precision: int | None = None

    @classmethod
    def from_options(
        cls,
        *,
        rules: str = MEDISCORE.name,
        rule: Iterable[Switch] = (),
        query: Queries = None,
        query_partition: str | None = None,
        query_manipulation: Queries = None,
        opt_out: bool = False,
        precision: int | None = None,
        direct: bool = False,
        undirected: bool = False,
        node_type: Iterable[str] = (),
    ) -> ProvenanceSettings:
        """The settings that options of the command line and the Python API mean, by their names."""
        if query_manipulation:
            raise UsageError(
                "Provenance graphs have no operations to select",
                hint="select trials with --query instead",
            )
        if precision is not None and precision < 1:
            raise UsageError("The precision must be at least one digit")
        return cls(
            rules=rule_set(rules, rule),
            direct=direct,
            undirected=undirected,
            node_types=tuple(node_type),
            queries=queries_of(query),
            partition=query_partition or "",
            leave_out_unprocessed=opt_out,
            precision=precision,
        )

    def printed(self, value: float | None) -> str:
        """A metric as it is written: 12 decimals, or as many significant digits as asked for."""
        if value is None or math.isnan(value):
            return ""
        if self.precision is not None:
            return repr(float(f"{value:.{self.precision}g}"))
        return repr(rounded(value))


def rounded(value: float) -> float:
    """Twelve decimals, halves away from zero as NIST's Python 2 rounds."""
    step = Decimal(1).scaleb(-DECIMALS)
    return float(Decimal(value).quantize(step, rounding=ROUND_HALF_UP))


def mean(values: Iterable[float | None]) -> float | None:
    """The mean of what there is; ``None`` where there is nothing."""
    total, count = 0.0, 0
    for value in values:
        if value is not None:
            # Added one after the other, as NIST's libraries do: the last digit shows in the files.
            total += value
            count += 1
    return total / count if count else None


def printed_confidences(values: Sequence[Confidence | None]) -> list[str]:
    """A column of confidences: whole numbers stay whole only where the whole column is."""
    if all(isinstance(value, int) for value in values):
        return [str(value) for value in values]
    return ["" if value is None else repr(float(value)) for value in values]


@dataclass(frozen=True, slots=True)
class AveragedTrials:
    """The trials one line of averages covers, and the cells that say which."""

    labels: tuple[str, ...] = ()
    trials: frozenset[ProvenanceTrial] = field(default_factory=frozenset)


@dataclass(frozen=True, slots=True)
class AverageLines:
    """Every line of averages; ``columns`` name the labels."""

    columns: tuple[str, ...]
    lines: tuple[AveragedTrials, ...]

    @property
    def trials(self) -> frozenset[ProvenanceTrial]:
        return frozenset().union(*(line.trials for line in self.lines))


def select(trials: Sequence[ProvenanceTrial], settings: ProvenanceSettings) -> AverageLines:
    """One line over all trials, or one for each query or part."""
    if settings.queries and settings.partition:
        raise UsageError("Queries and a partition cannot be combined", hint="use only one of them")
    if settings.queries:
        lines = [AveragedTrials((text,), _matching(trials, text)) for text in settings.queries]
        return AverageLines(("Query",), tuple(lines))
    if settings.partition:
        verbatim = settings.rules.name == VERBATIM.name
        columns = trials[0].facts if trials else {}
        parts = partitions(
            settings.partition, columns=columns, knows_greater=True, verbatim=verbatim
        )
        lines = [AveragedTrials(part.labels, _matching(trials, part.query)) for part in parts.parts]
        return AverageLines(parts.factors, tuple(lines))
    return AverageLines((), (AveragedTrials((), frozenset(trials)),))


def _matching(trials: Sequence[ProvenanceTrial], query: str) -> frozenset[ProvenanceTrial]:
    names = dict.fromkeys(name for trial in trials for name in trial.facts)
    cells = {name: [trial.facts.get(name, "") for trial in trials] for name in names}
    chosen = parse(query).matches(Table.of("trials", cells))
    return frozenset(trial for trial, is_chosen in zip(trials, chosen, strict=True) if is_chosen)
