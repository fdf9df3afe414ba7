"""Scores a submission, by the functions of ``forensicviewer score``, into pandas tables."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict, Unpack

from forensicviewer.api.arguments import (
    StrPath,
    choices_of,
    make_settings,
    path_of,
    require,
    whole,
)
from forensicviewer.api.dataset import Submission, Task
from forensicviewer.api.frames import problem_table, table_of
from forensicviewer.app.datasets.opening import tables_read
from forensicviewer.app.detection.report import detection_output, scored_trials
from forensicviewer.app.detection.scoring import DetectionSettings, run_detection
from forensicviewer.app.genai.report import genai_output
from forensicviewer.app.genai.scoring import GenAISettings, run_genai
from forensicviewer.app.imdl.report import imdl_output
from forensicviewer.app.imdl.run import score_imdl
from forensicviewer.app.imdl.settings import ImdlSettings
from forensicviewer.app.masks.result_store import ResultStore
from forensicviewer.app.masks.run import score_masks
from forensicviewer.app.masks.settings import MaskSettings
from forensicviewer.app.provenance.filtering import score_filtering
from forensicviewer.app.provenance.scoring import score_provenance
from forensicviewer.app.provenance.settings import ProvenanceSettings
from forensicviewer.app.report.overwrite import require_results_folder
from forensicviewer.app.report.score_output import OutputTable, ScoreOutput, write_output
from forensicviewer.app.runtime.batch import inline_crew, process_crew
from forensicviewer.app.temporal.extents import extents_in
from forensicviewer.app.temporal.scoring import score_temporal
from forensicviewer.app.temporal.trials import TemporalSettings
from forensicviewer.core import model
from forensicviewer.core.cached import cached_property
from forensicviewer.core.problem import UsageError
from forensicviewer.core.progress import Progress
from forensicviewer.core.rules import RULE_SETS
from forensicviewer.core.table.text_table import Column

if TYPE_CHECKING:
    import pandas as pd

ScoreKind: TypeAlias = Literal[
    "mask", "detection", "temporal", "provenance", "filtering", "genai", "imdl"
]


class ScoreOptions(TypedDict, total=False):
    """The options of single kinds of scores; ``forensicviewer score KIND --help`` explains them."""

    rule: str | Iterable[str]
    query_partition: str
    query_manipulation: str | Iterable[str]
    opt_out: bool
    precision: int
    # masks
    kernel: str
    erode: int
    dilate: int
    distraction: int
    threshold: float
    no_score_value: int
    opt_out_pixels: bool
    bit_planes: bool
    scored_only: bool
    index_filter: bool
    threshold_tables: bool
    # detection
    ci: bool
    ci_level: float
    far_stop: float
    # temporal
    collar: int
    score_all: bool
    ignore_opt_out_segments: bool
    refuse_beyond_end: bool
    refuse_overlap: bool
    # GenAI
    fpr: float
    by: str
    # provenance and filtering
    direct: bool
    undirected: bool
    node_type: Iterable[str]
    # images and masks
    manipulated_only: bool
    prediction_polarity: str
    image_score: str
    trials: Iterable[str]


def score(
    task: Task,
    submission: Submission | Sequence[Submission],
    kind: ScoreKind = "mask",
    rules: str = "mediscore",
    query: str | Iterable[str] | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
    **options: Unpack[ScoreOptions],
) -> ScoreResult:
    """Score a submission with NIST's metrics; the numbers are those of ``forensicviewer score``.

    ``kind`` is ``"mask"``, ``"detection"``, ``"temporal"``, ``"provenance"``, ``"filtering"``,
    ``"genai"`` or, for datasets of images and masks, ``"imdl"``. The last two know neither rules
    nor queries; ``"genai"`` takes several submissions at once.
    ``rules`` is ``"mediscore"``, ``"mediscore-verbatim"`` or ``"plan"``. ``query`` is one of NIST's
    queries, as ``"IsTarget=='Y' and ProbeWidth>1000"``, or several: each gets a line of its own in
    the summary.

    Masks are counted here, in this process, unless ``workers`` says how many processes count them;
    that needs no ``if __name__ == "__main__"``. What was counted is kept in the user's cache
    folder, so a second run is quick. ``progress`` is called with how many are done and how many
    there are.

    Other options have the names they have on the command line, with ``_`` for ``-``:

    * all kinds: ``rule`` (``"SWITCH=CHOICE"``, or several: single switches of the rule set),
      ``query_partition``, ``query_manipulation``, ``opt_out``, ``precision``
    * masks: ``kernel``, ``erode``, ``dilate``, ``distraction``, ``threshold``, ``no_score_value``,
      ``opt_out_pixels``, ``bit_planes``, ``scored_only``, ``index_filter``, ``threshold_tables``
    * detection: ``ci``, ``ci_level``, ``far_stop``
    * temporal: ``collar``, ``score_all``, ``ignore_opt_out_segments``, ``refuse_beyond_end``,
      ``refuse_overlap``
    * provenance: ``direct``, ``undirected``; filtering: ``node_type``
    * GenAI: ``fpr`` (where pAUC and TPR@FPR are taken), ``by`` (the column whose values are scored
      one by one), ``ci``
    * imdl: ``threshold`` (0 to 1, pixels above it are called), ``manipulated_only``,
      ``prediction_polarity`` (``"white"`` or ``"black"``), ``image_score`` (``"max"``, ``"mean"``,
      ``"any"``: how it is derived where the model gives none), ``trials`` (the images to score)
    """
    scorer = _scorer_for(kind, options)
    asked = _Asked.of(kind, task, submission, workers, progress)
    settings = scorer.settings(kind, {**options, "rules": rules, "query": query})
    return ScoreResult(asked, scorer.run(asked, settings), scorer)


def _scorer_for(kind: str, options: Iterable[str]) -> _Scorer:
    """The scorer of a kind; an option that it does not know is refused by name."""
    scorer = _SCORERS.get(kind) if isinstance(kind, str) else None
    if scorer is None:
        raise UsageError(
            f"{kind!r} is not a kind of score", hint=f"choose one of {', '.join(_SCORERS)}"
        )
    for name in options:
        if name not in scorer.options:
            raise UsageError(
                f"Scores of kind {kind} have no option {name!r}",
                hint=f"their options are {', '.join(scorer.options)}",
            )
    return scorer


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is scored, and how the work is done."""

    task: Task
    submissions: tuple[Submission, ...]
    workers: int | None
    progress: Progress | None

    @classmethod
    def of(
        cls,
        kind: str,
        task: Task,
        submission: Submission | Sequence[Submission],
        workers: int | None,
        progress: Progress | None,
    ) -> _Asked:
        require(task, Task, hint="dataset.task(name) returns one")
        several = submission if isinstance(submission, (list, tuple)) else (submission,)
        given: tuple[Submission, ...] = tuple(several)
        for each in given:
            require(each, Submission, hint="task.open_submission(path) returns one")
        if len(given) != 1 and kind != "genai":
            raise UsageError(f"Scores of kind {kind} need one submission", hint="pass exactly one")
        if progress is not None and not callable(progress):
            raise TypeError(f"progress must be a function of two counts, not {progress!r}")
        return cls(task, given, None if workers is None else whole("workers", workers), progress)

    @property
    def models(self) -> tuple[model.Task, model.Submission]:
        return self.task.model, self.submissions[0].model


@dataclass(frozen=True, slots=True)
class _Scored:
    """What a scorer found.

    ``make_trials`` makes the tables with a row per trial when they are asked for, where they are
    not among the files. Of several such tables each is that of one of the ``queries``, by its
    number.
    """

    output: ScoreOutput
    queries: tuple[str, ...] = ()
    make_trials: Callable[[], Sequence[OutputTable]] | None = None

    @property
    def trials(self) -> Sequence[OutputTable]:
        return self.output.tables if self.make_trials is None else self.make_trials()


@dataclass(frozen=True, slots=True)
class _Scorer:
    """One kind of scores: how it is made, and the names of its files, as regular expressions."""

    make_settings: Callable[..., Any]
    run: Callable[[_Asked, Any], _Scored]
    per_trial: str
    summary: str
    lacks: tuple[str, ...] = ()
    has_rules: bool = True

    @property
    def options(self) -> tuple[str, ...]:
        """What can be asked beside rules and queries, by name."""
        known = inspect.signature(self.make_settings).parameters
        return tuple(n for n in known if n in ScoreOptions.__annotations__ and n not in self.lacks)

    def settings(self, kind: str, given: dict[str, Any]) -> Any:
        """What is asked for, as the scorer knows it."""
        if self.has_rules:
            given["rule"] = choices_of(given.get("rule", ()), scorer=kind)
        elif (given.pop("rules"), given.pop("query")) != (RULE_SETS[0].name, None):
            raise UsageError(
                f"Scores of kind {kind} take no query and no rules", hint="filter per_trial instead"
            )
        return make_settings(self.make_settings, given)


class ScoreResult:
    """The scores of a submission as tables with NIST's column names.

    ``kind`` is what was scored and ``settings`` how; ``model`` is the result as the rest of the
    program holds it.
    """

    def __init__(self, asked: _Asked, scored: _Scored, scorer: _Scorer) -> None:
        self.model = scored.output
        self.kind = scored.output.scorer
        self.settings: Mapping[str, object] = dict(scored.output.settings)
        self._asked = asked
        self._scored = scored
        self._scorer = scorer

    def __repr__(self) -> str:
        numbers = list(self.model.headline.items())[:3]
        shown = ", ".join(f"{name} {value or 'none'}" for name, value in numbers)
        names = ", ".join(submission.name for submission in self._asked.submissions)
        return f"<ScoreResult {self.kind} of {names}: {shown}>"

    def _repr_html_(self) -> str:
        return self.summary.to_html()

    @cached_property
    def per_trial(self) -> pd.DataFrame:
        """One row per scored trial: the file of the command line, its numbers as numbers.

        For detection these are the joined tables that were scored. Where queries make several
        files, they are put together, with the query of each row in the column ``Query``.
        """
        named = _named(self._scored.trials, self._scorer.per_trial)
        return _joined(named, self._scored.queries)

    @cached_property
    def summary(self) -> pd.DataFrame:
        """The averages over all trials, or one row for each query or part of a partition."""
        return _joined(_named(self.model.tables, self._scorer.summary))

    @cached_property
    def problems(self) -> pd.DataFrame:
        """What was wrong with the files that were scored: severity, message, where, hint."""
        return problem_table(self.model.problems)

    @cached_property
    def tables(self) -> Mapping[str, pd.DataFrame]:
        """Every file of the command line by its name, as ``tables["journalResults.csv"]``."""
        return {table.name: _joined([table]) for table in self.model.tables}

    def write(self, folder: StrPath) -> list[Path]:
        """Write the files of ``forensicviewer score`` and ``summary.json``; return their paths.

        Only files of an earlier run are replaced, and nothing goes among the files that were
        scored.
        """
        place, task = path_of(folder), self._asked.task.model
        answers = [submission.model for submission in self._asked.submissions]
        origins = [Path(submission.origin) for submission in answers]
        require_results_folder(place, inputs=(Path(task.root), *origins))
        read = dict.fromkeys(path for each in answers for path in tables_read(task, each))
        return write_output(self.model, place, inputs=read)


def _named(tables: Iterable[OutputTable], pattern: str) -> list[OutputTable]:
    return [table for table in tables if re.fullmatch(pattern, table.name)]


def _joined(tables: Sequence[OutputTable], queries: Sequence[str] = ()) -> pd.DataFrame:
    """Tables of the same columns below each other, and the query of each if there are several."""
    columns = tables[0].columns if tables else ()
    rows = [row for table in tables for row in table.rows]
    cells: list[Sequence[str]] = list(zip(*rows, strict=True)) or [()] * len(columns)
    named = dict(zip(columns, map(Column.of, cells), strict=True))
    if len(tables) > 1 and queries:
        numbers = [int(re.findall(r"query_(\d+)", table.name)[0]) for table in tables]
        repeated = zip(numbers, tables, strict=True)
        asked = Column.of(queries[number] for number, table in repeated for _ in table.rows)
        named = {"Query": asked, **named}
    return table_of(named)


def _score_masks(asked: _Asked, settings: MaskSettings) -> _Scored:
    crew = inline_crew() if asked.workers is None else process_crew(asked.workers)
    with ResultStore.of_user() as store:
        output = score_masks(
            *asked.models, settings, crew=crew, store=store, progress=asked.progress
        )
    return _Scored(output, settings.manipulation_queries)


def _score_imdl(asked: _Asked, settings: ImdlSettings) -> _Scored:
    crew = inline_crew() if asked.workers is None else process_crew(asked.workers)
    opening = asked.task.opening_problems
    with ResultStore.of_user() as store:
        run = score_imdl(
            *asked.models,
            settings,
            opening=opening,
            crew=crew,
            store=store,
            progress=asked.progress,
        )
    output = imdl_output(run, opening=opening)
    return _Scored(output)


def _score_detection(asked: _Asked, settings: DetectionSettings) -> _Scored:
    run = run_detection(*asked.models, settings, progress=asked.progress)
    queries = tuple(result.query or "" for result in run.results)
    return _Scored(detection_output(run), queries, partial(scored_trials, run))


def _score_temporal(asked: _Asked, settings: TemporalSettings) -> _Scored:
    task, submission = asked.models
    output = score_temporal(task, submission, settings, extents=extents_in(Path(task.root)))
    return _Scored(output)


def _score_provenance(asked: _Asked, settings: ProvenanceSettings) -> _Scored:
    output = score_provenance(*asked.models, settings)
    return _Scored(output)


def _score_filtering(asked: _Asked, settings: ProvenanceSettings) -> _Scored:
    output = score_filtering(*asked.models, settings)
    return _Scored(output)


def _score_genai(asked: _Asked, settings: GenAISettings) -> _Scored:
    submissions = [submission.model for submission in asked.submissions]
    run = run_genai(asked.task.model, submissions, settings, progress=asked.progress)
    output = genai_output(run)
    return _Scored(output)


def _genai_settings(
    *,
    rules: str,
    rule: Sequence[object],
    query: object,
    fpr: float = 0.1,
    by: str = "DatasetID",
    ci: bool = False,
) -> GenAISettings:
    """What a GenAI run is asked for; its plan leaves nothing for rule sets to decide."""
    if rules != RULE_SETS[0].name or rule or query is not None:
        raise UsageError(
            "GenAI scores do not support rule sets or queries",
            hint="divide the scores with by='COLUMN'; omit rules, rule and query",
        )
    return GenAISettings(fpr, by, with_intervals=ci)


_SCORERS: Mapping[str, _Scorer] = {
    "mask": _Scorer(
        MaskSettings.from_options,
        _score_masks,
        r"(query_\d+/)?mask_scores_perimage\.csv",
        r"(query_\d+/)?mask_scores?(_\d+)?\.csv",
    ),
    "detection": _Scorer(
        DetectionSettings.from_options,
        _score_detection,
        r"meta_scored\.csv|query_\d+_allmeta\.csv",
        r"(query_\d+_)?report\.csv",
    ),
    "temporal": _Scorer(
        TemporalSettings.from_options, _score_temporal, r"scores_probes\.csv", r"scores\.csv"
    ),
    "provenance": _Scorer(
        ProvenanceSettings.from_options,
        _score_provenance,
        r"trial_scores\.csv",
        r"scores\.csv",
        lacks=("node_type",),
    ),
    "filtering": _Scorer(
        ProvenanceSettings.from_options,
        _score_filtering,
        r"trial_scores\.csv",
        r"scores\.csv",
        lacks=("direct", "undirected"),
    ),
    "genai": _Scorer(_genai_settings, _score_genai, r"genai_trials\.csv", r"genai_summary\.csv"),
    "imdl": _Scorer(
        ImdlSettings.from_options,
        _score_imdl,
        r"imdl_perimage\.csv",
        r"imdl_summary\.csv",
        has_rules=False,
    ),
}
