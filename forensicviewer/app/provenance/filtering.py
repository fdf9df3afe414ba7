"""Scores provenance filtering: how many of the right images are among the first ``n``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from forensicviewer.app.provenance.reading import ProvenanceReader
from forensicviewer.app.provenance.run import ProvenanceRun, variation_in_words
from forensicviewer.app.provenance.settings import (
    AverageLines,
    ProvenanceSettings,
    mean,
    printed_confidences,
    rounded,
)
from forensicviewer.app.provenance.trials import ProvenanceTrial
from forensicviewer.app.report.score_output import OutputTable, ScoreOutput
from forensicviewer.core.graph.filtering import (
    NODE_TYPES,
    Recall,
    RowAtLength,
    Wanted,
    cuts,
    findings_at,
    ranking,
    recall_at,
)
from forensicviewer.core.graph.provenance import SystemNode, world_id
from forensicviewer.core.model import Submission, Task
from forensicviewer.core.problem import ProblemLog, UsageError
from forensicviewer.core.rules.provenance import FILTERING_SWITCHES

ALL = "All"
EVERY_TYPE = ("*", "all")
_TRIAL = ("JournalName", "ProvenanceProbeFileID", "ProvenanceOutputFileName")


@dataclass(frozen=True, slots=True)
class ScoredRanking:
    """One trial: the images in the order they count, and those to find."""

    trial: ProvenanceTrial
    ranked: tuple[SystemNode, ...]
    wanted: tuple[Wanted, ...]

    def of_type(self, node_type: str) -> tuple[Wanted, ...]:
        if node_type == ALL:
            return self.wanted
        return tuple(one for one in self.wanted if one.node_type == node_type)

    def recalls(self, lengths: Sequence[int], node_type: str = ALL) -> list[Recall]:
        wanted = self.of_type(node_type)
        return [recall_at(n, self.ranked, wanted) for n in lengths]


def score_filtering(
    task: Task, submission: Submission, settings: ProvenanceSettings
) -> ScoreOutput:
    """Score every ranking of a submission."""
    run = ProvenanceRun.of(task, submission, settings, needs_links=False)
    scored = (score_ranking(run.reader, trial, settings) for trial in run.trials)
    rankings = [each for each in scored if each is not None]
    lengths = cuts(settings.rules, task.edition)
    lines = _lines(rankings, lengths, settings, run.log)
    averages = _averages(lines, lengths, run.selections, settings)
    return ScoreOutput(
        scorer="filtering",
        tables=(averages, _trial_table(lines, lengths, settings), _node_table(rankings, lengths)),
        headline=_headline(averages, len(rankings)),
        settings=_settings_of(settings, lengths, task),
        problems=run.log.freeze(),
    )


def score_ranking(
    reader: ProvenanceReader, trial: ProvenanceTrial, settings: ProvenanceSettings
) -> ScoredRanking | None:
    """One trial's ranking; ``None``, and reported, where what to find cannot be known."""
    wanted = reader.wanted(trial)
    if wanted is None:
        return None
    nodes = reader.system_graph(trial).nodes
    return ScoredRanking(trial, ranking(nodes, rules=settings.rules), wanted)


def node_types(asked: Sequence[str]) -> tuple[str, ...]:
    """The types to report beside all images; ``all`` means every type."""
    unknown = [name for name in asked if name not in (*NODE_TYPES, *EVERY_TYPE)]
    if unknown:
        raise UsageError(
            f"{unknown[0]!r} is not a type of image",
            hint="choose one of " + ", ".join((*NODE_TYPES, "all")),
        )
    return NODE_TYPES if set(asked) & set(EVERY_TYPE) else tuple(dict.fromkeys(asked))


@dataclass(frozen=True, slots=True)
class _Line:
    scored: ScoredRanking
    node_type: str
    wanted: int
    recalls: tuple[Recall, ...]


def _lines(
    rankings: Sequence[ScoredRanking],
    lengths: Sequence[int],
    settings: ProvenanceSettings,
    log: ProblemLog,
) -> list[_Line]:
    lines = []
    for scored in rankings:
        for node_type in (ALL, *node_types(settings.node_types)):
            wanted = scored.of_type(node_type)
            if not wanted:
                log.about(scored.trial.id).warn(
                    f"Probe {scored.trial.id} has no images of type {node_type} to find",
                    where=scored.trial.journal_file,
                    hint="its recall is left blank; NIST's program stops here",
                    rule="filtering.no-such-type",
                )
            recalls = tuple(scored.recalls(lengths, node_type))
            lines.append(_Line(scored, node_type, len(wanted), recalls))
    return lines


def _recall_columns(lengths: Sequence[int]) -> tuple[str, ...]:
    return tuple(f"NodeRecallAt{n}" for n in lengths)


def _averages(
    lines: Sequence[_Line],
    lengths: Sequence[int],
    selections: AverageLines,
    settings: ProvenanceSettings,
) -> OutputTable:
    rows = []
    for selection in selections.lines:
        for node_type in sorted({line.node_type for line in lines}):
            chosen = [
                line.recalls
                for line in lines
                if line.node_type == node_type and line.scored.trial in selection.trials
            ]
            means = [mean(_rounded(recalls[i]) for recalls in chosen) for i in range(len(lengths))]
            rows.append((*selection.labels, node_type, *(_unrounded(m, settings) for m in means)))
    columns = (*selections.columns, "NodeType", *_recall_columns(lengths))
    return OutputTable("scores.csv", columns, tuple(rows))


def _rounded(recall: Recall) -> float | None:
    # NIST's program rounds the recall of each trial before it averages.
    return None if recall.value is None else rounded(recall.value)


def _unrounded(value: float | None, settings: ProvenanceSettings) -> str:
    if value is None or settings.precision is not None:
        return settings.printed(value)
    return repr(value)


def _trial_cells(trial: ProvenanceTrial) -> tuple[str, ...]:
    return trial.journal_name, trial.id, trial.output_file


def _trial_table(
    lines: Sequence[_Line], lengths: Sequence[int], settings: ProvenanceSettings
) -> OutputTable:
    kinds = ("NumCorrectNodesAt", "NumMissingNodesAt", "NumFalseAlarmNodesAt")
    counts = tuple(f"{kind}{n}" for n in lengths for kind in kinds)
    columns = (*_TRIAL, "NumSysNodes", "NumRefNodes", "NodeType", *counts)
    rows = tuple(
        (
            *_trial_cells(line.scored.trial),
            str(len(line.scored.ranked)),
            str(line.wanted),
            line.node_type,
            *(str(n) for r in line.recalls for n in (r.matched, r.missed, r.invented)),
            *(settings.printed(recall.value) for recall in line.recalls),
        )
        for line in lines
    )
    return OutputTable("trial_scores.csv", (*columns, *_recall_columns(lengths)), rows)


def _node_table(rankings: Sequence[ScoredRanking], lengths: Sequence[int]) -> OutputTable:
    lines = [
        (scored.trial, n, found)
        for scored in rankings
        for n in lengths
        for found in sorted(findings_at(n, scored.ranked, scored.wanted), key=_by_finding)
    ]
    confidences = printed_confidences(
        [None if found.system is None else found.system.confidence for _, _, found in lines]
    )
    rows = tuple(
        (
            *_trial_cells(trial),
            f"NodeRecallAt{n}",
            world_id(found.file),
            confidence,
            found.match.value,
            found.node_type,
        )
        for (trial, n, found), confidence in zip(lines, confidences, strict=True)
    )
    columns = (*_TRIAL, "Measure", "WorldFileID", "NodeConfidence", "Mapping", "NodeType")
    return OutputTable("node_mapping.csv", columns, rows)


def _by_finding(found: RowAtLength) -> tuple[object, ...]:
    confidence = None if found.system is None else found.system.confidence
    return found.match.value, confidence is None, confidence or 0, world_id(found.file)


def _headline(averages: OutputTable, trials: int) -> dict[str, str]:
    whole = next((row for row in averages.records() if row["NodeType"] == ALL), {})
    return {**whole, "trials": str(trials)}


def _settings_of(
    settings: ProvenanceSettings, lengths: Sequence[int], task: Task
) -> dict[str, object]:
    return {
        "rules": settings.rules.label,
        "variation": variation_in_words(task),
        "node_types": list(node_types(settings.node_types)),
        "lengths": list(lengths),
        "queries": list(settings.queries),
        "partition": settings.partition,
        "leave_out_unprocessed": settings.leave_out_unprocessed,
        "precision": settings.precision,
        "switches": settings.rules.choices(FILTERING_SWITCHES),
    }
