"""The trial list's rows; the sizes people really have, and what they see when they sort them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath

import numpy as np
import pytest

from forensicviewer.app.trials.column import TextColumn
from forensicviewer.app.trials.library import TRIAL, Library
from forensicviewer.app.trials.score_columns import MCC, NMM, THRESHOLD, Scores
from forensicviewer.app.trials.trial_filter import Sort, TrialFilter
from forensicviewer.core.array import Rows
from forensicviewer.core.model import (
    Answer,
    Edition,
    Media,
    Submission,
    Task,
    TaskKind,
    Trial,
    TrialId,
    trial_id,
)
from forensicviewer.core.problem import QueryError
from forensicviewer.core.table.text_table import Table


class ListedTrials:
    def __init__(self, ids: Sequence[str]) -> None:
        self._ids = tuple(TrialId(name) for name in ids)
        self._rows = {name: row for row, name in enumerate(self._ids)}

    def __len__(self) -> int:
        return len(self._ids)

    def __getitem__(self, row: int) -> Trial:
        return Trial(self._ids[row], row, Media(self._ids[row], f"{self._ids[row]}.jpg"))

    def ids(self) -> Sequence[TrialId]:
        return self._ids

    def row_of(self, trial_id: TrialId) -> int | None:
        return self._rows.get(trial_id)


class ListedAnswers:
    def __init__(self, table: Table) -> None:
        self._rows = {TrialId(name): row for row, name in enumerate(table["ProbeFileID"])}

    def __len__(self) -> int:
        return len(self._rows)

    def get(self, trial_id: TrialId) -> Answer | None:
        row = self._rows.get(trial_id)
        return None if row is None else Answer(trial_id, row)

    def rows_for(self, trial_ids: Sequence[TrialId]) -> Rows:
        return np.array([self._rows.get(name, -1) for name in trial_ids], dtype=np.intp)


def a_task(columns: Mapping[str, Sequence[str]]) -> Task:
    return Task(
        kind=TaskKind.MANIPULATION,
        edition=Edition.NC2017,
        root=PurePath("data"),
        table=Table.of("index.csv", columns),
        trials=ListedTrials(columns["ProbeFileID"]),
    )


def a_submission(columns: Mapping[str, Sequence[str]]) -> Submission:
    table = Table.of("system.csv", columns)
    root = PurePath("system")
    return Submission(root, root, "system", table, ListedAnswers(table))


@pytest.fixture
def library() -> Library:
    task = a_task(
        {
            "ProbeFileID": ["p10", "p9", "P11", "q1"],
            "IsTarget": ["Y", "N", "Y", "Y"],
            "Camera": ["Nikon", "", "nikon", "Leica"],
            "Width": ["64", "128", "", "9"],
        }
    )
    submission = a_submission(
        {
            "ProbeFileID": ["q1", "p10", "p9"],
            "ConfidenceScore": ["0.5", "0.25", "-1"],
            "ProbeStatus": ["Processed", "OptOutAll", "Processed"],
        }
    )
    scores = Scores.unknown(4)
    scores[MCC][[0, 3]] = [0.75, -0.25]
    return Library(task, submission, scores=scores, verdicts={TrialId("p9"): "unclear"})


def shown(library: Library, text: str = "", sort: Sort | None = None) -> list[str]:
    rows = library.arranged(TrialFilter(text), sort or Sort())
    return [library.id_of(int(row)) for row in rows]


@pytest.mark.parametrize(
    ("sort", "order"),
    [
        (Sort(), ["p10", "p9", "P11", "q1"]),
        (Sort(TRIAL), ["p9", "p10", "P11", "q1"]),
        (Sort(TRIAL, descending=True), ["q1", "P11", "p10", "p9"]),
        (Sort(MCC), ["q1", "p10", "p9", "P11"]),
        (Sort(MCC, descending=True), ["p10", "q1", "p9", "P11"]),
        (Sort("Width"), ["q1", "p10", "p9", "P11"]),
        (Sort("Width", descending=True), ["p9", "p10", "q1", "P11"]),
        (Sort("Camera"), ["q1", "p10", "P11", "p9"]),
        (Sort("Confidence", descending=True), ["q1", "p10", "p9", "P11"]),
        (Sort("No such column"), ["p10", "p9", "P11", "q1"]),
    ],
)
def test_any_column_sorts_and_blank_cells_come_last(
    library: Library, sort: Sort, order: list[str]
) -> None:
    assert shown(library, sort=sort) == order


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("nikon", ["p10", "P11"]),
        ("NIKON p1", ["p10", "P11"]),
        ("nikon 64", ["p10"]),
        ("no such word", []),
        ("IsTarget == 'Y' and Width > 10", ["p10"]),
        ("MCC < 0", ["q1"]),
        ("Confidence >= 0.25", ["p10", "q1"]),
        ("ConfidenceScore >= 0.25", ["p10", "q1"]),
        ("Status == 'not answered'", ["P11"]),
        ("ProbeStatus == ['OptOutAll']", ["p10"]),
        ("Verdict == 'unclear'", ["p9"]),
    ],
)
def test_the_filter_takes_words_and_queries(library: Library, text: str, found: list[str]) -> None:
    assert shown(library, text) == found


def test_a_query_nobody_can_read_says_why(library: Library) -> None:
    with pytest.raises(QueryError, match="no column 'Widht'"):
        shown(library, "Widht > 3")


def test_the_lists_own_columns_are_proposed_too(library: Library) -> None:
    with pytest.raises(QueryError) as error:
        shown(library, "mcc < 0.3")

    assert error.value.hint == "did you mean MCC?"


def test_facets_count_what_the_rest_of_the_filter_leaves(library: Library) -> None:
    wanted = TrialFilter("p1").toggled("Target", "Y")

    facets = {facet.column: facet.cells for facet in library.facets(wanted)}

    assert facets["Target"] == (("Y", 2, True), ("N", 0, False))
    assert {cell: count for cell, count, _ in facets["Status"]}["OptOutAll"] == 1
    assert "Trial" not in facets


def test_choosing_cells_of_a_facet_keeps_any_of_them(library: Library) -> None:
    wanted = TrialFilter().toggled("Camera", "Nikon").toggled("Camera", "Leica")

    assert list(library.arranged(wanted, Sort())) == [0, 3]
    assert wanted.toggled("Camera", "Nikon").toggled("Camera", "Leica").is_empty


def test_a_filter_survives_its_document() -> None:
    wanted = TrialFilter("x", {"Camera": frozenset({"Nikon", ""})})

    assert TrialFilter.from_document(wanted.as_document()) == wanted


def test_of_a_filter_somebody_else_wrote_only_lists_are_taken_for_cells() -> None:
    read = TrialFilter.from_document({"text": 4, "chosen": {"a": 5, "b": "word", "c": ["Y", 1]}})

    assert read == TrialFilter(text="4", chosen={"c": frozenset({"Y", "1"})})


def test_newer_scores_change_the_order_and_share_the_rest(library: Library) -> None:
    shown(library, sort=Sort(TRIAL))
    newer = library.scores.copy()
    newer[MCC][1] = -1.0

    renewed = library.with_scores(newer)

    assert shown(renewed, sort=Sort(MCC)) == ["p9", "q1", "p10", "P11"]
    assert shown(library, sort=Sort(MCC)) == ["q1", "p10", "p9", "P11"]
    assert renewed.column(TRIAL) is library.column(TRIAL)


def test_a_trial_without_a_number_says_why(library: Library) -> None:
    scored, clean, waiting, _ = range(4)

    assert library.why_unscored(MCC, scored) == ""
    assert library.why_unscored("Camera", clean) == ""
    assert library.why_unscored(MCC, clean) == "not manipulated, so not scored"
    assert library.why_unscored(MCC, waiting) == "the submission does not answer this trial"
    newer = library.scores.copy()
    newer[MCC][scored] = np.nan
    assert library.with_scores(newer).why_unscored(MCC, scored) == "not scored yet"
    complete = library.with_scores(newer.copy(is_complete=True))
    assert complete.why_unscored(MCC, scored).startswith("nothing in this trial can be scored")
    assert Library(library.task).why_unscored(MCC, scored) == "no submission is open"


@pytest.mark.parametrize(
    ("typed", "found"),
    [("p1", ["p10", "P11"]), ("11", ["P11"]), ("p0", ["p10"]), ("xyz", []), ("q1", ["q1"])],
)
def test_a_few_letters_find_a_trial(library: Library, typed: str, found: list[str]) -> None:
    assert [library.id_of(int(row)) for row in library.found(typed)] == found


def test_an_id_that_ends_with_the_letters_precedes_those_that_contain_them() -> None:
    names = [f"MFC2019_{n}" for n in range(1000, 1100)]
    table = Table.of("index.csv", {"ProbeFileID": names})
    ids = [TrialId(name) for name in names]
    task = Task(TaskKind.MANIPULATION, Edition.NC2017, PurePath("d"), table, ListedTrials(ids))
    library = Library(task)

    assert [library.id_of(int(row)) for row in library.found("19", limit=2)] == [
        "MFC2019_1019",
        "MFC2019_1000",
    ]


def test_what_begins_with_the_letters_is_found_behind_any_number_that_contain_them() -> None:
    names = [*(f"x{n}ab" for n in range(9_000)), "abc", "ab"]
    ids = [TrialId(name) for name in names]
    table = Table.of("index.csv", {"ProbeFileID": names})
    task = Task(TaskKind.MANIPULATION, Edition.NC2017, PurePath("d"), table, ListedTrials(ids))

    found = [Library(task).id_of(int(row)) for row in Library(task).found("AB", limit=3)]

    assert found[:2] == ["ab", "abc"]
    assert len(found) == 3


def a_splice_library() -> Library:
    table = Table.of(
        "index.csv",
        {
            "ProbeFileID": ["p9", "p10", "p10", "q1"],
            "ProbeFileName": ["a/p9.jpg", "a/p10.jpg", "a/p10.jpg", "a/q1.jpg"],
            "DonorFileID": ["d2", "d10", "d9", "d2"],
        },
    )
    keys = [table["ProbeFileID"], table["DonorFileID"]]
    ids = [trial_id(parts) for parts in zip(*keys, strict=True)]
    task = Task(TaskKind.SPLICE, Edition.NC2017, PurePath("d"), table, ListedTrials(ids))
    return Library(task)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("d2", ["p9+d2", "q1+d2"]),
        ("P10", ["p10+d10", "p10+d9"]),
        ("10+d1", ["p10+d10"]),
        ("1+d", ["q1+d2"]),
        ("+d", ["p9+d2", "p10+d10", "p10+d9", "q1+d2"]),
        ("a/p1", ["p10+d10", "p10+d9"]),
        ("0.jpg d9", ["p10+d9"]),
    ],
)
def test_words_find_pairs_of_probe_and_donor(text: str, found: list[str]) -> None:
    assert shown(a_splice_library(), text) == found


def test_pairs_sort_by_their_parts_and_few_letters_find_them() -> None:
    library = a_splice_library()

    assert shown(library, sort=Sort(TRIAL)) == ["p9+d2", "p10+d9", "p10+d10", "q1+d2"]
    assert [library.id_of(int(row)) for row in library.found("p0+d0")] == ["p10+d10"]
    assert [library.id_of(int(row)) for row in library.found("q1+d2")] == ["q1+d2"]
    assert library.column(TRIAL).text(2) == "p10+d9"
    assert "Trial" not in {facet.column for facet in library.facets(TrialFilter())}


def test_the_letters_of_older_editions_are_spoken_out() -> None:
    task = a_task({"ProbeFileID": ["p1", "p2", "p3", "p4"]})
    answers = {"ProbeFileID": ["p1", "p2", "p3"], "IsOptOut": ["N", "Y", ""]}

    column = Library(task, a_submission(answers)).column("Status")

    said = [column.text(row) for row in range(4)]
    assert said == ["answered", "opted out", "answered", "not answered"]
    assert isinstance(column, TextColumn)
    assert sorted(column.distinct) == ["answered", "not answered", "opted out"]


def test_without_a_submission_there_is_no_confidence_and_no_status() -> None:
    library = Library(a_task({"ProbeFileID": ["a", "b"], "IsTarget": ["Y", ""]}))

    assert library.column("Confidence").text(0) == ""
    assert library.column("Status").text(0) == ""
    assert library.column("Target").text(0) == "Y"
    assert library.shown_names == (TRIAL, "Verdict")
    known = replace(library.task, reference=library.task.table)
    assert Library(known).shown_names == (TRIAL, "Target", "Verdict")


def test_a_task_without_trials_has_an_empty_list() -> None:
    library = Library(a_task({"ProbeFileID": []}))

    assert shown(library, "word", Sort(TRIAL)) == []
    assert library.facets(TrialFilter()) == ()
    assert len(library.found("a")) == 0


def test_a_million_trials_are_filtered_sorted_and_found() -> None:
    n = 1_000_000
    numbers = np.arange(n) * 7919 % n
    ids = [f"probe{number:06d}" for number in numbers.tolist()]
    library = Library(a_task({"ProbeFileID": ids, "IsTarget": ["Y", "N"] * (n // 2)}))
    known = {MCC: numbers / n, NMM: numbers / n, THRESHOLD: (numbers % 256).astype(np.float64)}
    scores = Scores(n, known)

    library = library.with_scores(scores)

    worst = library.arranged(TrialFilter("IsTarget == 'N'"), Sort(MCC))
    assert len(worst) == n // 2
    assert [library.id_of(int(row)) for row in worst[:2]] == ["probe000001", "probe000003"]
    named = library.arranged(TrialFilter("99999"), Sort(TRIAL, descending=True))
    assert library.id_of(int(named[0])) == "probe999999"
    assert library.id_of(int(library.found("e123456")[0])) == "probe123456"


@pytest.mark.parametrize("text", ["p10 q1", " q1,p10 ", "p10;\tq1 nobody", "p10\nq1\nnobody\n"])
def test_a_pasted_list_of_ids_lists_these_trials(library: Library, text: str) -> None:
    assert sorted(shown(library, text)) == ["p10", "q1"]
    assert library.unknown_ids(text) == (("nobody",) if "nobody" in text else ())


@pytest.mark.parametrize("text", ['"p10","q1"', "['p10', 'q1']", "p10|q1", "(p10) (q1)"])
def test_ids_are_listed_out_of_the_quotes_of_a_table_or_program(
    library: Library, text: str
) -> None:
    assert sorted(shown(library, text)) == ["p10", "q1"]
    assert library.unknown_ids(text) == ()


def test_words_beside_one_id_are_words(library: Library) -> None:
    assert library.unknown_ids("p10 nobody") == ()
    assert shown(library, "p10 nobody") == []


def test_without_a_reference_the_list_begins_without_target_and_scores(library: Library) -> None:
    assert not library.task.has_reference

    assert library.shown_names == (TRIAL, "Confidence", "Status", "Verdict")


def test_only_a_query_about_operations_needs_the_journals(library: Library) -> None:
    assert library.asks_journals("Operation == 'Clone'")
    for text in ("MCC < 0.3 and Camera == 'Leica'", "clone", "Camera = "):
        assert not library.asks_journals(text)
