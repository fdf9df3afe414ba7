"""How each scorer runs over a whole submission, and which of its cells are results."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from forensicviewer.app.detection.report import detection_output
from forensicviewer.app.detection.scoring import DetectionSettings, run_detection
from forensicviewer.app.genai.report import SUMMARY as GENAI_SUMMARY
from forensicviewer.app.genai.report import TRIALS as GENAI_TRIALS
from forensicviewer.app.genai.report import genai_output
from forensicviewer.app.genai.scoring import GenAISettings, run_genai
from forensicviewer.app.masks.result_store import ResultStore
from forensicviewer.app.masks.run import score_masks
from forensicviewer.app.masks.settings import MaskSettings
from forensicviewer.app.provenance.filtering import score_filtering
from forensicviewer.app.provenance.scoring import score_provenance
from forensicviewer.app.provenance.settings import ProvenanceSettings
from forensicviewer.app.report.score_output import OutputTable, ScoreOutput
from forensicviewer.app.results.request import (
    ALL,
    DIRECT,
    DIRECT_IN,
    FULL,
    FULL_IN,
    OPTED_IN,
    Options,
    RunRequest,
    Variant,
)
from forensicviewer.app.runtime.batch import Crew, inline_crew
from forensicviewer.app.temporal.extents import extents_in
from forensicviewer.app.temporal.scoring import score_temporal
from forensicviewer.app.temporal.trials import TemporalSettings
from forensicviewer.core.model import TaskKind, TrialId, key_columns, trial_id
from forensicviewer.core.progress import Progress

_QUERIES = "query_table_join.csv"


@dataclass(frozen=True, slots=True)
class Ran:
    """What a scorer gave, and the trials it scored."""

    output: ScoreOutput
    scored: frozenset[TrialId]


@dataclass(frozen=True, slots=True)
class Scorer:
    """One scorer: its variants, what makes its settings, how it runs, and its file of averages.

    ``summary`` matches the names of the files whose rows are lines of results; columns that
    ``hides`` matches are neither results nor labels.
    """

    word: str
    variants: tuple[Variant, ...]
    make: Callable[..., Any]
    run: Callable[[RunRequest, Any, int, Progress], Ran]
    summary: str
    measures: str
    hides: str = ""

    def options(self, request: RunRequest, variant: Variant, *, divided: bool) -> dict[str, object]:
        if self.word == "genai":
            return {}  # its plan leaves nothing for rule sets to decide
        options = request.shared_options(variant, divided=divided)
        return options | (request.mask_options() if self.word == "mask" else {})

    def settings(self, options: Options) -> Any:
        return self.make(**options)

    def lines(self, output: ScoreOutput) -> list[tuple[dict[str, str], dict[str, str]]]:
        """(labels, results) of each line of the averages, in the order of the files."""
        tables = [table for table in output.tables if re.fullmatch(self.summary, table.name)]
        return [self._split(record) for table in tables for record in table.records()]

    def _split(self, record: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
        kept = {n: cell for n, cell in record.items() if not re.fullmatch(self.hides, n)}
        results = {name: cell for name, cell in kept.items() if re.fullmatch(self.measures, name)}
        return {name: cell for name, cell in kept.items() if name not in results}, results


def _crew(workers: int) -> Crew:
    make: Callable[[], ThreadPoolExecutor] = partial(ThreadPoolExecutor, workers)
    return inline_crew() if workers == 1 else Crew(make, workers)


def _run_masks(
    request: RunRequest, settings: MaskSettings, workers: int, progress: Progress
) -> Ran:
    with ResultStore.of_user() as store:
        output = score_masks(
            request.task,
            request.submission,
            settings,
            crew=_crew(workers),
            store=store,
            progress=progress,
        )
    keys = key_columns(request.task.kind)
    found = (
        trial_id(record[name] for name in keys)
        for record in _records(output, r"(query_\d+/)?mask_scores_perimage\.csv")
        if "Y" in (record.get("Scored"), record.get("ProbeScored"), record.get("DonorScored"))
    )
    return Ran(output, frozenset(found))


def _run_detection(
    request: RunRequest, settings: DetectionSettings, _workers: int, progress: Progress
) -> Ran:
    run = run_detection(request.task, request.submission, settings, progress=progress)
    columns = [run.all_trials.table[name] for name in key_columns(request.task.kind)]
    rows = {int(row) for result in run.results for row in result.selection.rows}
    return Ran(detection_output(run), frozenset(trial_id(c[row] for c in columns) for row in rows))


def _run_temporal(
    request: RunRequest, settings: TemporalSettings, _workers: int, _progress: Progress
) -> Ran:
    extents = extents_in(Path(request.task.root))
    output = _with_audio(
        score_temporal(request.task, request.submission, settings, extents=extents)
    )
    probes = _records(output, r"scores_probes\.csv")
    return Ran(output, frozenset(TrialId(r["ProbeFileID"]) for r in probes if r["MCC"]))


def _with_audio(output: ScoreOutput) -> ScoreOutput:
    """The averages of frames and of sound in one table, each line with its query in words."""
    by_name = {table.name: table for table in output.tables}
    video, audio = by_name["scores.csv"], by_name.get("scores_audio.csv")
    asked = {record["id"]: record["query"] for record in by_name[_QUERIES].records()}
    heard = {} if audio is None else {r["query"]: r["MCC"] for r in audio.records()}
    rows = [
        (asked[record["query"]], record["MCC"], *([heard[record["query"]]] if heard else []))
        for record in video.records()
    ]
    columns = ("Query", "MCC", *(("AudioMCC",) if heard else ()))
    both = OutputTable(video.name, columns, rows)
    tables = tuple(both if table is video else table for table in output.tables)
    return replace(output, tables=tables)


def _run_provenance(
    request: RunRequest, settings: ProvenanceSettings, _workers: int, _progress: Progress
) -> Ran:
    is_filtering = request.task.kind is TaskKind.FILTERING
    score = score_filtering if is_filtering else score_provenance
    output = score(request.task, request.submission, settings)
    trials = _records(output, r"trial_scores\.csv")
    return Ran(output, frozenset(TrialId(record["ProvenanceProbeFileID"]) for record in trials))


def _run_genai(
    request: RunRequest, settings: GenAISettings, _workers: int, progress: Progress
) -> Ran:
    run = run_genai(request.task, [request.submission], settings, progress=progress)
    output = genai_output(run, opening=())
    trials = _records(output, re.escape(GENAI_TRIALS))
    return Ran(output, frozenset(TrialId(r["FileID"]) for r in trials if r["Error"]))


def _records(output: ScoreOutput, pattern: str) -> Iterable[dict[str, str]]:
    for table in output.tables:
        if re.fullmatch(pattern, table.name):
            yield from table.records()


_MASK_RESULTS = (
    r"[pd]?(Optimum|Maximum|Actual)(NMM|MCC|BWL1|Threshold)|[pd]?(GWL1|AUC|EER)"
    r"|[pd]?(Pixel|Mask)AverageAUC|TRR"
)
_DETECTION_RESULTS = r"TRR|AUC|EER|FAR_STOP|AUC@FAR|CDR@FAR"

SCORERS = {
    scorer.word: scorer
    for scorer in (
        Scorer(
            "mask",
            (ALL, OPTED_IN),
            MaskSettings.from_options,
            _run_masks,
            r"(query_\d+/)?mask_scores?(_\d+)?\.csv",
            _MASK_RESULTS,
            r"stddev_.*|TaskID|total.*|Scoreable.*|optOutScoring",
        ),
        Scorer(
            "detection",
            (ALL, OPTED_IN),
            DetectionSettings.from_options,
            _run_detection,
            r"(query_\d+_)?report\.csv",
            _DETECTION_RESULTS,
            r"SYS_RESPONSE|CI_LEVEL|.*_CI_.*",
        ),
        Scorer(
            "temporal",
            (ALL, OPTED_IN),
            TemporalSettings.from_options,
            _run_temporal,
            r"scores\.csv",
            r"MCC|AudioMCC",
        ),
        Scorer(
            "provenance",
            (FULL, DIRECT, FULL_IN, DIRECT_IN),
            ProvenanceSettings.from_options,
            _run_provenance,
            r"scores\.csv",
            r"Mean.*",
            "Direct",
        ),
        Scorer(
            "filtering",
            (ALL, OPTED_IN),
            ProvenanceSettings.from_options,
            _run_provenance,
            r"scores\.csv",
            r"NodeRecallAt\d+",
        ),
        Scorer(
            "genai",
            (ALL,),
            GenAISettings,
            _run_genai,
            re.escape(GENAI_SUMMARY),
            r"(?!System|DatasetID).*",
            "System",
        ),
    )
}
