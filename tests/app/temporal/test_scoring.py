"""Temporal scoring: rules switch by switch, statuses, queries and what is reported."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath

import numpy as np
import pytest

from forensicviewer.app.report.score_output import ScoreOutput
from forensicviewer.app.temporal.scoring import score_temporal
from forensicviewer.app.temporal.trials import Extent, TemporalSettings
from forensicviewer.core.array import Rows
from forensicviewer.core.model import Answer, Edition, Submission, Task, TaskKind, Trial, TrialId
from forensicviewer.core.problem import QueryError, ScoringError, UsageError
from forensicviewer.core.rules import MEDISCORE, PLAN, VERBATIM, RuleSet, Switch
from forensicviewer.core.rules import temporal as switches
from forensicviewer.core.table.text_table import Column, Table


@dataclass(frozen=True)
class Nobody:
    """No trials and no answers: the scorer reads the tables."""

    def __len__(self) -> int:
        return 0

    def __getitem__(self, row: int) -> Trial:
        raise IndexError(row)

    def ids(self) -> Sequence[TrialId]:
        return ()

    def row_of(self, trial_id: TrialId) -> int | None:
        return dict[TrialId, int]().get(trial_id)

    def get(self, trial_id: TrialId) -> Answer | None:
        return dict[TrialId, Answer]().get(trial_id)

    def rows_for(self, trial_ids: Sequence[TrialId]) -> Rows:
        return np.full(len(trial_ids), -1)


def table(name: str, header: str, *rows: str) -> Table:
    cells = [row.split("|") for row in rows]
    columns = {key: [row[i] for row in cells] for i, key in enumerate(header.split("|"))}
    return Table.of(name, columns)


def a_task(
    operations: Mapping[str, Sequence[tuple[str, str]]],
    *,
    frames: str = "100",
    audio: str = "[]",
) -> Task:
    """Probes with their operations, each a name and its frames."""
    steps = [
        (probe, f"{i}", name, frames_)
        for probe, listed in operations.items()
        for i, (name, frames_) in enumerate(listed)
    ]
    index = table(
        "index.csv",
        "TaskID|ProbeFileID|ProbeFileName|FrameCount",
        *(f"manipulation|{probe}|probe/{probe}.mp4|{frames}" for probe in operations),
    )
    return Task(
        kind=TaskKind.VIDEO,
        edition=Edition.MFC2019,
        root=PurePath("dataset"),
        table=index,
        trials=Nobody(),
        index=index,
        journal_masks=table(
            "journalmask.csv",
            "JournalName|StartNodeID|EndNodeID|Operation|VideoFrame|AudioSample",
            *(
                f"j-{probe}|{step}|{step}+|{name}|{cell}|{audio}"
                for probe, step, name, cell in steps
            ),
        ),
        probe_journals=table(
            "join.csv",
            "ProbeFileID|JournalName|StartNodeID|EndNodeID",
            *(f"{probe}|j-{probe}|{step}|{step}+" for probe, step, *_ in steps),
        ),
    )


def with_designations(task: Task, *words: str) -> Task:
    """The task whose operations are for these tasks of video localization."""
    assert task.probe_journals is not None
    column = Column.of(words)
    joins = task.probe_journals.with_columns({"VideoTaskDesignation": column})
    return replace(task, probe_journals=joins)


def with_times(task: Task, cell: str, *, later: str, rate: str) -> Task:
    """The task whose only operation has a time, moved later, in a video of this frame rate."""
    assert task.journal_masks is not None
    assert task.index is not None
    times = {"VideoTime": Column.of([cell]), "FrameTimeAdjustment": Column.of([later])}
    index = task.index.with_columns({"FrameRate": Column.of([rate])})
    return replace(task, journal_masks=task.journal_masks.with_columns(times), index=index)


def a_submission(*rows: str) -> Submission:
    header = (
        "ProbeFileID|ProbeStatus|VideoFrameSegments|AudioSampleSegments|VideoFrameOptOutSegments"
    )
    return Submission(
        root=PurePath("s"),
        origin=PurePath("s"),
        name="s",
        table=table("s.csv", header, *rows),
        answers=Nobody(),
    )


def mccs(output: ScoreOutput, *, name: str = "scores_probes.csv") -> dict[str, float]:
    found = next(each for each in output.tables if each.name == name)
    return {row["ProbeFileID"]: float(row["MCC"]) for row in found.records()}


def rules_of(output: ScoreOutput) -> set[str]:
    return {problem.rule for problem in output.problems}


def score(
    task: Task, submission: Submission, rules: RuleSet = MEDISCORE, **changes: object
) -> ScoreOutput:
    return score_temporal(task, submission, replace(TemporalSettings(rules=rules), **changes))  # type: ignore[arg-type] # the tests name the fields


ONE = a_task({"p": [("Paste", "[[10,20]]")]})


def test_a_perfect_answer_scores_1() -> None:
    output = score(ONE, a_submission("p|Processed|[[10,20]]|[]|[]"))

    assert mccs(output) == {"p": 1.0}
    assert output.headline["MCC"] == "1.0"
    assert output.problems == ()


def test_the_mean_is_taken_from_rounded_values() -> None:
    task = a_task({"p": [("Paste", "[[10,20]]")], "q": [("Paste", "[[10,20]]")]})

    output = score(task, a_submission("p|Processed|[[10,25]]|[]|[]", "q|Processed|[]|[]|[]"))

    means = next(each for each in output.tables if each.name == "scores.csv")
    assert means.records() == [{"query": "0", "MCC": repr(round(mccs(output)["p"] / 2, 12))}]


def test_an_operation_many_probes_share_is_found_for_each_of_them() -> None:
    task = a_task({"p": [("Paste", "[[10,20]]")], "q": [("Paste", "[[10,20]]")]})
    shared = table(
        "join.csv", "ProbeFileID|JournalName|StartNodeID|EndNodeID", "p|j-p|0|0+", "q|j-p|0|0+"
    )
    both = a_submission("p|Processed|[[10,20]]|[]|[]", "q|Processed|[[10,20]]|[]|[]")

    assert mccs(score(replace(task, probe_journals=shared), both)) == {"p": 1.0, "q": 1.0}


DEFAULT = TemporalSettings()


def mcc_of_p(output: ScoreOutput) -> float | None:
    return mccs(output).get("p")


def count_of_tables(output: ScoreOutput) -> float | None:
    return len(output.tables)


@dataclass(frozen=True)
class Difference:
    """A case, and the number that shows the difference: its value under each choice."""

    switch: type[Switch]
    answer: str
    shown: Mapping[str, float | None]
    task: Task = ONE
    settings: TemporalSettings = DEFAULT
    look: Callable[[ScoreOutput], float | None] = mcc_of_p


FOUND = "[[10,20]]|[]|[]"
TWO_STEPS = a_task({"p": [("Paste", "[[10,20]]"), ("Blur", "[[15,30]]")]})
BLANK_STEP = a_task({"p": [("", "[[10,20]]"), ("Paste", "[[50,60]]")]})
DIFFERENCES = [
    Difference(
        switches.IntervalMeasure,
        "p|Processed|[[10,14],[15,20]]|[]|[]",
        {"line": 0.943, "frames": 1.0},
    ),
    Difference(
        switches.IntervalMeasure,
        "p|Processed|[[10,10]]|[]|[]",
        {"line": 0.0, "frames": 1.0},
        a_task({"p": [("Paste", "[[10,10]]")]}),
    ),
    *(
        Difference(
            switches.StatusScope, f"p|{status}|{FOUND}", {"processed-only": None, "by-part": value}
        )
        for status, value in {
            "OptOutSpatial": 1.0,
            "OptOutDetection": 1.0,
            "NonProcessed": 0.0,
            "FailedValidation": 0.0,
            "OptOutTemporal": None,
            "": 1.0,
        }.items()
    ),
    Difference(
        switches.BeyondEnd,
        "p|Processed|[[10,150]]|[]|[]",
        {"always-cut": 0.649, "as-asked": 0.0},
        a_task({"p": [("Paste", "[[10,90]]")]}),
        TemporalSettings(refuse_beyond_end=True),
    ),
    Difference(
        switches.Unselected,
        "p|Processed|[[10,30]]|[]|[]",
        {"background": 0.666, "no-score": 1.0},
        TWO_STEPS,
        TemporalSettings(queries=("Operation == 'Paste'",)),
    ),
    Difference(
        switches.Designation,
        "p|Processed|[[10,20]]|[]|[]",
        {"respected": 1.0, "ignored": 0.666},
        with_designations(TWO_STEPS, "temporal", "spatial"),
    ),
    Difference(
        switches.Times,
        "p|Processed|[[11,30]]|[]|[]",
        {"converted": 1.0, "ignored": 0.0},
        with_times(a_task({"p": [("Paste", "[]")]}), "[[900,2900]]", later="100", rate="10"),
    ),
    Difference(
        switches.QueryCells,
        f"p|Processed|{FOUND}",
        {"apart": 0.666, "python2": -0.112},
        BLANK_STEP,
        TemporalSettings(queries=("Operation=='' or Operation=='Paste'",)),
    ),
    Difference(
        switches.Audio,
        "p|Processed|[]|[[1000,2000]]|[]",
        {"ignored": 3, "scored": 5},
        a_task({"p": [("Dub", "[]")]}, audio="[[1000,2000]]"),
        look=count_of_tables,
    ),
]


@pytest.mark.parametrize(
    "difference", DIFFERENCES, ids=lambda one: f"{one.switch.key} {one.answer}"
)
def test_a_switch_turned_alone_changes_exactly_the_number_it_says(difference: Difference) -> None:
    for choice in difference.switch:
        settings = replace(difference.settings, rules=MEDISCORE.with_choice(choice))
        output = score_temporal(difference.task, a_submission(difference.answer), settings)

        expected = difference.shown[choice.value]
        assert difference.look(output) == (expected and pytest.approx(expected, abs=1e-3))


def test_every_switch_has_a_case_that_shows_it() -> None:
    shown = {one.switch for one in DIFFERENCES if len(set(one.shown.values())) == len(one.switch)}

    assert shown == set(switches.SWITCHES)


def test_times_of_a_video_without_frame_rate_are_told() -> None:
    task = with_times(a_task({"p": [("Paste", "[]")]}), "[[900,2900]]", later="0", rate="")

    output = score(task, a_submission("p|Processed|[[11,30]]|[]|[]"))

    (told,) = [problem for problem in output.problems if problem.rule == switches.Times.key]
    assert told.message == "The times [[900,2900]] of p cannot be converted to frames"
    assert "FrameRate" in told.hint


def test_an_interval_beyond_the_end_is_cut_and_reported_unless_refused() -> None:
    late = a_submission("p|Processed|[[10,150]]|[]|[]")
    task = a_task({"p": [("Paste", "[[10,90]]")]})

    cut = score(task, late)

    assert mccs(score(task, late, refuse_beyond_end=True)) == {"p": 0.0}
    assert mccs(cut) == mccs(score(task, a_submission("p|Processed|[[10,100]]|[]|[]")))
    assert "temporal-beyond-end" in rules_of(cut)


def test_a_start_before_frame_1_is_cut_and_reported() -> None:
    output = score(ONE, a_submission("p|Processed|[[0,20]]|[]|[]"), VERBATIM)

    assert mccs(output) == mccs(score(ONE, a_submission("p|Processed|[[1,20]]|[]|[]"), VERBATIM))
    assert "temporal-beyond-end" in rules_of(output)


def test_a_reference_that_leaves_the_video_is_cut_and_reported() -> None:
    task = a_task({"p": [("Paste", "[[90,150]]")]})

    output = score(task, a_submission("p|Processed|[[90,100]]|[]|[]"))

    assert mccs(output) == {"p": 1.0}
    assert "temporal-reference-beyond-end" in rules_of(output)


def test_sound_is_scored_in_its_own_files_by_the_length_of_the_media_file() -> None:
    task = a_task({"p": [("Dub", "[]")]}, audio="[[1000,2000]]")
    answer = a_submission("p|Processed|[]|[[1000,2000]]|[]")
    settings = TemporalSettings(collar=5)

    output = score_temporal(
        task, answer, settings, extents=lambda _: Extent(samples=48_000, samples_per_frame=10)
    )

    assert mccs(output, name="scores_audio_probes.csv") == {"p": 1.0}
    assert output.headline["audio MCC"] == "1.0"


def test_sound_of_unknown_length_is_reported_not_guessed() -> None:
    task = a_task({"p": [("Dub", "[]")]}, audio="[[1000,2000]]")

    output = score(task, a_submission("p|Processed|[]|[[1000,2000]]|[]"))

    assert mccs(output, name="scores_audio_probes.csv") == {}
    assert "temporal-length" in rules_of(output)


def test_nists_program_does_not_score_sound() -> None:
    task = a_task({"p": [("Dub", "[]")]}, audio="[[1000,2000]]")

    output = score(task, a_submission("p|Processed|[]|[[1000,2000]]|[]"), VERBATIM)

    assert [each.name for each in output.tables] == [
        "scores.csv",
        "scores_probes.csv",
        "query_table_join.csv",
    ]


def test_every_rule_set_chooses_for_every_switch() -> None:
    for rules in (MEDISCORE, VERBATIM, PLAN):
        chosen = score(ONE, a_submission("p|Processed|[]|[]|[]"), rules).settings["switches"]

        assert chosen == {each.key: rules.choice(each).value for each in switches.SWITCHES}


def test_opted_out_frames_are_not_scored_unless_ignored() -> None:
    answer = a_submission("p|Processed|[[10,40]]|[]|[[20,40]]")

    assert mccs(score(ONE, answer)) == {"p": 1.0}
    assert mccs(score(ONE, answer, ignore_opt_out_segments=True))["p"] < 0.6


def test_scoring_all_ignores_the_status() -> None:
    answer = a_submission("p|OptOutAll|[[10,20]]|[]|[]")

    assert mccs(score(ONE, answer, VERBATIM)) == {}
    assert mccs(score(ONE, answer, VERBATIM, score_all=True)) == {"p": 1.0}


def test_overlapping_intervals_are_merged_or_refused() -> None:
    answer = a_submission("p|Processed|[[10,18],[15,20]]|[]|[]")

    assert mccs(score(ONE, answer)) == {"p": 1.0}
    assert mccs(score(ONE, answer, refuse_overlap=True)) == {"p": 0.0}


def test_a_submission_without_status_column_is_scored() -> None:
    bare = replace(
        a_submission(), table=table("s.csv", "ProbeFileID|VideoFrameSegments", "p|[[10,20]]")
    )

    assert mccs(score(ONE, bare)) == {"p": 1.0}


def test_unreadable_intervals_are_reported_and_the_rest_is_scored() -> None:
    task = a_task({"p": [("Paste", "[[10,20]]")], "q": [("Paste", "[[10,20]]")]})

    output = score(task, a_submission("p|Processed|[[oops]]|[]|[]", "q|Processed|[[10,20]]|[]|[]"))

    assert mccs(output) == {"p": 0.0, "q": 1.0}
    assert [(each.rule, each.where) for each in output.problems] == [
        ("temporal-intervals", "s.csv:2")
    ]


def test_a_probe_without_frame_count_is_reported_unless_its_file_tells() -> None:
    task = a_task({"p": [("Paste", "[[10,20]]")]}, frames="")
    answer = a_submission("p|Processed|[[10,20]]|[]|[]")

    unknown = score(task, answer)
    told = score_temporal(task, answer, TemporalSettings(), extents=lambda _: Extent(frames=100))

    assert mccs(unknown) == {}
    assert "temporal-length" in rules_of(unknown)
    assert mccs(told) == {"p": 1.0}


def test_a_query_that_selects_nothing_has_a_blank_mean() -> None:
    output = score(ONE, a_submission("p|Processed|[]|[]|[]"), queries=("*", "Operation == 'Never'"))

    means = next(each for each in output.tables if each.name == "scores.csv")
    assert [row["MCC"] for row in means.records()] == ["0.0", ""]
    assert "temporal-query" in rules_of(output)


def test_a_query_with_an_unknown_column_is_refused() -> None:
    with pytest.raises(QueryError, match="Colour"):
        score(ONE, a_submission("p|Processed|[]|[]|[]"), queries=("Colour == 'red'",))


def test_columns_of_both_tables_are_told_apart() -> None:
    assert ONE.probe_journals is not None
    joins = table(
        "join.csv", "ProbeFileID|JournalName|StartNodeID|EndNodeID|Operation", "p|j-p|0|0+|Left"
    )

    output = score(
        replace(ONE, probe_journals=joins),
        a_submission("p|Processed|[[10,20]]|[]|[]"),
        queries=("Operation_x == 'Left'", "Operation_y == 'Paste'"),
    )

    rows = next(each for each in output.tables if each.name == "scores_probes.csv").records()
    assert [row["query"] for row in rows] == ["0", "1"]


def test_what_cannot_be_scored_is_said() -> None:
    answer = a_submission("p|Processed|[]|[]|[]")

    with pytest.raises(UsageError, match="negative"):
        score(ONE, answer, collar=-1)
    with pytest.raises(ScoringError, match="journalmask"):
        score(replace(ONE, journal_masks=None), answer)
    with pytest.raises(ScoringError, match="no column JournalName"):
        score(replace(ONE, journal_masks=table("j.csv", "Operation", "Paste")), answer)


def test_a_partition_scores_every_combination() -> None:
    task = a_task({"p": [("Paste", "[[10,20]]"), ("Blur", "[[30,40]]")]})

    output = score(
        task,
        a_submission("p|Processed|[[10,20]]|[]|[]"),
        partition="Operation==['Paste','Blur'] & Operation!='x'",
    )

    queries = next(each for each in output.tables if each.name == "query_table_join.csv")
    means = next(each for each in output.tables if each.name == "scores.csv").records()
    assert len(queries.rows) == 2
    assert float(means[0]["MCC"]) == 1.0
    assert float(means[1]["MCC"]) < 0
    assert "temporal-query" in rules_of(output)


def test_the_number_of_digits_can_be_chosen() -> None:
    answer = a_submission("p|Processed|[[10,25]]|[]|[]")

    output = score(ONE, answer, precision=3)

    assert mccs(output) == {"p": round(mccs(score(ONE, answer))["p"], 3)}
    with pytest.raises(UsageError, match="digit"):
        score(ONE, answer, precision=0)


def test_a_probe_without_answer_is_scored_as_empty_and_told() -> None:
    for rules in (MEDISCORE, VERBATIM, PLAN):
        output = score(ONE, a_submission("other|Processed|[[10,20]]|[]|[]"), rules)

        assert mccs(output) == {"p": 0.0}
        assert "temporal-missing" in rules_of(output)


def test_verbatim_orders_texts_above_numbers_in_queries() -> None:
    answer = a_submission("p|Processed|[[10,20]]|[]|[]")

    assert mccs(score(ONE, answer, VERBATIM, queries=("Operation>5",))) == {"p": 1.0}
    with pytest.raises(QueryError, match="is text"):
        score(ONE, answer, queries=("Operation>5",))


@pytest.mark.parametrize(
    ("reference", "system"),
    [("", "[[10,20]]"), ("[[10,20]]", "[[100,120]]"), ("[[10,10]]", "[[10,20]]")],
)
def test_verbatim_says_where_nists_program_would_stop(reference: str, system: str) -> None:
    task = a_task({"p": [("Paste", reference)]})
    answer = a_submission(f"p|Processed|{system}|[]|[]")

    assert "temporal-nist-stops" in rules_of(score(task, answer, VERBATIM))
    assert "temporal-nist-stops" not in rules_of(score(task, answer))


@pytest.mark.parametrize(
    ("probes", "queries", "stops"),
    [
        ("qp", ("*", "Operation=='Paste'"), False),
        ("qp", ("*", "ProbeFileID=='p'"), True),
        ("qp", ("ProbeFileID=='q'", "ProbeFileID=='p'"), False),
        ("pq", ("*", "ProbeFileID=='p'"), False),
        ("qp", ("Operation=='Nothing'",), False),
        ("pq", ("*", "Operation=='Nothing'"), False),
        ("qp", ("*", "Operation=='Nothing'"), True),
    ],
)
def test_nists_program_needs_sorted_probes_for_several_queries(
    probes: str, queries: tuple[str, ...], *, stops: bool
) -> None:
    task = a_task({probe: [("Paste", "[[10,20]]")] for probe in probes})
    answer = a_submission(*(f"{probe}|Processed|[[10,20]]|[]|[]" for probe in probes))

    rules = rules_of(score(task, answer, VERBATIM, queries=queries))

    assert ("temporal-nist-stops" in rules) == stops


def test_a_submission_to_another_task_is_refused_instead_of_scored_as_finding_nothing() -> None:
    masks = table("s.csv", "ProbeFileID|OutputProbeMaskFileName", "p|mask/p.png")

    with pytest.raises(ScoringError, match="no intervals"):
        score(ONE, replace(a_submission(), table=masks))
