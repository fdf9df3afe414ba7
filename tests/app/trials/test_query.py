from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from forensicviewer.app.datasets.opening import choose_task, open_dataset
from forensicviewer.app.trials import library as library_module
from forensicviewer.app.trials.library import Library, journals_of
from forensicviewer.app.trials.query import journal_cells, trials_matching
from forensicviewer.app.trials.trial_filter import TrialFilter
from forensicviewer.core.problem import QueryError
from forensicviewer.core.query.grammar import parse
from tests.build import a_dataset, box


@pytest.mark.parametrize(
    ("query", "selected"),
    [
        ("Operation=='Clone'", [True, True, False]),
        ("Operation==['PasteSplice','Clone'] and ProbeFileID=='p1'", [True, False, False]),
        ("IsTarget=='N'", [False, False, True]),
    ],
)
def test_a_query_may_name_columns_of_the_journals(
    tmp_path: Path, query: str, selected: list[bool]
) -> None:
    dataset = a_dataset(tmp_path).nist("NC2017")
    both = {"PasteSplice": box(1, 1, 9, 9), "Clone": box(20, 20, 30, 30)}
    dataset.with_trial("p1", manipulated=both)
    dataset.with_trial("p2", manipulated={"Clone": box(1, 1, 9, 9)}).with_trial("p3")
    task = choose_task(open_dataset(dataset.write().root), None)

    assert trials_matching(task, parse(query)).tolist() == selected


def test_a_column_of_neither_is_named(tmp_path: Path) -> None:
    built = a_dataset(tmp_path).with_trial("p1", manipulated=box(1, 1, 9, 9)).write()

    with pytest.raises(QueryError, match="no column 'Nope'"):
        trials_matching(choose_task(open_dataset(built.root), None), parse("Nope==1"))


def test_operations_are_facets_that_count_each_trial_once(tmp_path: Path) -> None:
    dataset = a_dataset(tmp_path).nist("NC2017")
    both = {"PasteSplice": box(1, 1, 9, 9), "Clone": box(20, 20, 30, 30)}
    dataset.with_trial("p1", manipulated=both)
    dataset.with_trial("p2", manipulated={"Clone": box(1, 1, 9, 9)}).with_trial("p3")
    task = choose_task(open_dataset(dataset.write().root), None)
    library = Library(task).with_journals(journals_of(task))

    wanted = TrialFilter().toggled("Operation", "PasteSplice")
    facets = {facet.column: facet.cells for facet in library.facets(wanted)}

    assert facets["Operation"] == (("Clone", 2, False), ("PasteSplice", 1, True))
    assert library.passing(wanted).tolist() == [True, False, False]
    either = wanted.toggled("Operation", "Clone")
    assert library.passing(either).tolist() == [True, True, False]


def test_an_operation_named_twice_counts_its_trial_once(tmp_path: Path) -> None:
    dataset = a_dataset(tmp_path).nist("NC2017")
    both = {"PasteSplice": box(1, 1, 9, 9), "Clone": box(20, 20, 30, 30)}
    dataset.with_trial("p1", manipulated=both).with_trial("p2")
    task = choose_task(open_dataset(dataset.write().root), None)
    steps = task.probe_journals
    assert steps is not None
    twice = replace(task, probe_journals=steps.take(np.repeat(np.arange(len(steps)), 2)))

    cells = journal_cells(twice, ("Operation",))["Operation"]

    everything = np.ones(2, dtype=np.bool_)
    assert cells.counts(everything) == [("Clone", 1), ("PasteSplice", 1)]
    assert cells.among({"Clone"}).tolist() == [True, False]


def test_journals_of_too_many_steps_are_no_facets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built = a_dataset(tmp_path).nist("NC2017")
    built.with_trial("p1", manipulated={"Clone": box(1, 1, 9, 9)})
    task = choose_task(open_dataset(built.write().root), None)
    offered = journals_of(task)

    monkeypatch.setattr(library_module, "_MOST_STEPS", 0)

    assert "Operation" in offered
    assert journals_of(task) == {}
    assert journals_of(replace(task, probe_journals=None)) == {}
