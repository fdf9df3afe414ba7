"""``fv.score`` gives the numbers of ``forensicviewer score``, cell by cell, as pandas tables."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import forensicviewer as fv
from tests.api.cells import RULES, assert_same_cells, score_by_command
from tests.build import Built, a_dataset, blurred, box, exact, inverted, two_answered_trials
from tests.provenance_build import a_provenance_dataset
from tests.video_build import a_video_dataset

Places = tuple[Path, Path]


def images(folder: Path) -> Places:
    """Targets, a non-target, a probe without a mask and one without an answer."""
    built = (
        a_dataset(folder)
        .nist("MFC2018")
        .with_trial(
            "p1", manipulated={"PasteSplice": box(5, 5, 30, 30), "Blur": box(40, 5, 60, 30)}
        )
        .with_trial("p2", manipulated=box(10, 10, 40, 40), facts={"Category": "007"})
        .with_trial("p3")
        .with_trial("p4", manipulated=box(1, 1, 40, 40))
        .with_trial("p5", manipulated=box(1, 1, 40, 40))
        .with_answer("p1", blurred(), confidence="0.75")
        .with_answer("p2", inverted(), confidence="1")
        .with_answer("p3", exact(), confidence="0.125")
        .with_answer("p4", status="OptOutAll", confidence="0")
        .write()
    )
    return built.root, built.submission


def splices(folder: Path) -> Places:
    built = (
        a_dataset(folder)
        .nist("NC2017")
        .with_trial("p1", donor="d1", manipulated=box(5, 5, 40, 40))
        .with_trial("p2", donor="d2", manipulated=box(10, 10, 50, 40))
        .with_answer("p1+d1", blurred())
        .with_answer("p2+d2", inverted())
        .write()
    )
    return built.root, built.submission


def videos(folder: Path) -> Places:
    built = a_video_dataset(folder)
    return built.root, built.submission


def graphs(folder: Path) -> Places:
    builder = a_provenance_dataset(folder).with_probe(
        "b",
        links=[("a", "b", "PasteSplice"), ("d", "b", "Donor"), ("b", "c")],
        kinds={"a": "base", "d": "donor", "c": "final"},
    )
    found = {"a": 0.9, "b": 1, "c": 0.25, "d": None}
    return builder.with_answer("b", nodes=found, links={("a", "b"): 0.5, ("c", "a"): 0.1}).write()


CASES: list[tuple[str, str, Callable[[Path], Places], str]] = [
    ("mask", "manipulation", images, "mask_scores_perimage.csv"),
    ("mask", "splice", splices, "mask_scores_perimage.csv"),
    ("mask", "video", videos, "mask_scores_perimage.csv"),
    ("detection", "manipulation", images, "meta_scored.csv"),
    ("temporal", "video", videos, "scores_probes.csv"),
    ("provenance", "provenance", graphs, "trial_scores.csv"),
    ("filtering", "filtering", graphs, "trial_scores.csv"),
]
SUMMARIES = {"mask": "mask_score.csv", "detection": "report.csv"}


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize(
    ("kind", "name", "build", "per_trial"), CASES, ids=[f"{c[0]}-{c[1]}" for c in CASES]
)
def test_every_cell_is_that_of_the_command_line(
    kind: Any,
    name: str,
    build: Callable[[Path], Places],
    per_trial: str,
    rules: str,
    tmp_path: Path,
) -> None:
    dataset, submission = build(tmp_path)
    more = ["--dump-meta"] if kind == "detection" else []
    files = score_by_command(
        kind, dataset, submission, tmp_path / "out", "--rules", rules, "--task", name, *more
    )

    task = fv.open_dataset(dataset).task(name)
    result = fv.score(task, task.open_submission(submission), kind=kind, rules=rules)

    summary = json.loads((files / "summary.json").read_text(encoding="utf-8"))
    assert_same_cells(result.per_trial, files / per_trial)
    assert_same_cells(result.summary, files / SUMMARIES.get(kind, "scores.csv"))
    assert result.settings == summary["settings"]
    assert [*result.problems.message] == [problem["message"] for problem in summary["problems"]]
    assert set(summary["files"]) >= set(result.tables)
    for file, table in result.tables.items():
        assert_same_cells(table, files / file)


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize(
    ("options", "arguments"),
    [
        ({"query": "IsTarget=='Y'"}, ["--query", "IsTarget=='Y'"]),
        (
            {"query": ["IsTarget=='Y'", "Category=='007'"]},
            ["--query", "IsTarget=='Y'", "Category=='007'"],
        ),
        ({"query_partition": "Category==['007']"}, ["--query-partition", "Category==['007']"]),
        (
            {"query_manipulation": "Operation==['Blur']"},
            ["--query-manipulation", "Operation==['Blur']"],
        ),
        (
            {"kernel": "disc", "erode": 0, "dilate": 3, "distraction": 7, "threshold": 100},
            [
                "--kernel",
                "disc",
                "--erode",
                "0",
                "--dilate",
                "3",
                "--distraction",
                "7",
                "--threshold",
                "100",
            ],
        ),
        (
            {"opt_out": True, "scored_only": True, "index_filter": True, "precision": 4},
            ["--opt-out", "--scored-only", "--index-filter", "--precision", "4"],
        ),
        ({"threshold_tables": True}, ["--threshold-tables"]),
        ({"rule": "mask-distraction=11"}, ["--rule", "mask-distraction=11"]),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_every_option_means_what_it_means_on_the_command_line(
    options: Any, arguments: list[str], rules: str, tmp_path: Path
) -> None:
    dataset, submission = images(tmp_path)
    files = score_by_command(
        "mask", dataset, submission, tmp_path / "out", "--rules", rules, *arguments
    )

    task = fv.open_dataset(dataset).task()
    result = fv.score(task, task.open_submission(submission), "mask", rules, **options)

    written = {path.relative_to(files).as_posix() for path in files.rglob("*.csv")}
    assert set(result.tables) == written
    for file, table in result.tables.items():
        assert_same_cells(table, files / file)


def test_several_queries_are_put_together(tmp_path: Path) -> None:
    dataset, submission = images(tmp_path)
    task = fv.open_dataset(dataset).task()
    answers = task.open_submission(submission)
    queries = ["Operation==['Blur']", "Operation==['PasteSplice']"]

    masks = fv.score(task, answers, query_manipulation=queries)
    trials = fv.score(task, answers, kind="detection", query=["IsTarget=='Y'", "IsTarget!=''"])

    assert masks.summary.Query.tolist() == queries
    assert masks.per_trial.groupby("Query").ProbeFileID.agg(list).to_dict() == {
        queries[0]: ["p1"],
        queries[1]: ["p1", "p2", "p4", "p5"],
    }
    assert trials.summary.QUERY.tolist() == ["IsTarget=='Y'", "IsTarget!=''"]
    assert trials.per_trial.Query.value_counts().to_dict() == {
        "IsTarget=='Y'": 4,
        "IsTarget!=''": 5,
    }


def test_numbers_are_numbers_and_identifiers_are_text(tmp_path: Path) -> None:
    task = fv.open_dataset(images(tmp_path)[0]).task()
    result = fv.score(task, task.open_submission(images(tmp_path)[1]))

    types = {name: str(kind) for name, kind in result.per_trial.dtypes.items()}
    assert types["OptimumMCC"] == types["ConfidenceScore"] == "float64"
    assert types["OptimumThreshold"] == types["PixelN"] == "int64"
    assert pd.api.types.is_string_dtype(result.per_trial.ProbeFileID)
    assert result.per_trial.OptimumMCC.mean() == pytest.approx(result.summary.OptimumMCC[0])


def test_the_files_are_written_as_the_command_line_writes_them(tmp_path: Path) -> None:
    dataset, submission = images(tmp_path)
    files = score_by_command("mask", dataset, submission, tmp_path / "out")
    task = fv.open_dataset(dataset).task()
    result = fv.score(task, task.open_submission(submission))

    written = result.write(tmp_path / "again")

    assert {path.name: path.read_bytes() for path in written} == {
        path.name: path.read_bytes() for path in files.iterdir()
    }
    with pytest.raises(
        fv.ForensicViewerError, match="cannot be written among the files that are scored"
    ):
        result.write(dataset)


def test_processes_count_what_is_counted_here(tmp_path: Path) -> None:
    dataset, submission = images(tmp_path)
    task = fv.open_dataset(dataset).task()
    answers = task.open_submission(submission)
    seen: list[tuple[int, int]] = []
    here = fv.score(task, answers, erode=1)
    # Other kernels, so that nothing comes from the cache.
    again = fv.score(
        task, answers, erode=3, progress=lambda done, total: seen.append((done, total))
    )

    apart = fv.score(task, answers, erode=1, workers=2)

    pd.testing.assert_frame_equal(here.per_trial, apart.per_trial)
    assert not here.per_trial.equals(again.per_trial)
    assert seen[-1][0] == seen[-1][1]


def test_a_script_without_a_guard_may_ask_for_processes(tmp_path: Path) -> None:
    built = two_answered_trials(tmp_path)
    script = tmp_path / "script.py"
    script.write_text(
        "import forensicviewer as fv\n"
        "print('begins')\n"
        f"task = fv.open_dataset({str(built.root)!r}).task()\n"
        f"result = fv.score(task, task.open_submission({str(built.submission)!r}), workers=2)\n"
        "print(*result.per_trial.Scored, len(result.problems))\n",
        encoding="utf-8",
    )

    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, check=False, env=os.environ
    )

    assert done.stdout.splitlines() == ["begins", "Y Y 0"], done.stderr


def test_a_result_shows_itself(tmp_path: Path) -> None:
    built = two_answered_trials(tmp_path)
    task = fv.open_dataset(built.root).task()
    result = fv.score(task, task.open_submission(built.submission))

    assert repr(result).startswith(f"<ScoreResult mask of {built.submission.name}: OptimumNMM ")
    assert "<table" in result._repr_html_()
    assert "OptimumMCC" in result._repr_html_()


@pytest.fixture
def opened(tmp_path: Path) -> tuple[fv.Task, fv.Submission]:
    built: Built = two_answered_trials(tmp_path)
    task = fv.open_dataset(built.root).task()
    return task, task.open_submission(built.submission)


@pytest.mark.parametrize(
    ("asked", "message", "hint"),
    [
        ({"kind": "masks"}, "'masks' is not a kind of score", "mask, detection, temporal"),
        ({"rules": "nist"}, "'nist' is not a rule set", "mediscore, mediscore-verbatim, plan"),
        ({"rule": "x=1"}, "'x' is not a switch here", "forensicviewer rules"),
        ({"rule": ["mask-distraction=9"]}, "'9' is not a choice", "15, 11"),
        ({"kernel": "star"}, "'star' is not a known kernel", "box, disc, diamond, gaussian, line"),
        ({"collar": 3}, "Scores of kind mask have no option 'collar'", "kernel, erode, dilate"),
        ({"kind": "filtering", "direct": True}, "no option 'direct'", "node_type"),
        ({"kind": "provenance"}, "has no provenance graphs", "provenance or filtering"),
        ({"kind": "temporal"}, "The submission has no intervals", "VideoFrameSegments"),
        ({"query": "Colour=='red'"}, "Colour", ""),
        ({"workers": -1}, "at least 1", ""),
        ({"kind": "imdl", "rules": "plan"}, "take no query and no rules", "per_trial"),
        ({"kind": ["mask"]}, "['mask'] is not a kind of score", "mask, detection"),
    ],
    ids=str,
)
def test_what_cannot_be_scored_is_refused_with_what_can(
    opened: tuple[fv.Task, fv.Submission], asked: Any, message: str, hint: str
) -> None:
    with pytest.raises(fv.ForensicViewerError) as refused:
        fv.score(*opened, **asked)

    assert message in refused.value.message
    assert hint in refused.value.hint


def test_types_of_images_are_named_where_one_is_unknown(tmp_path: Path) -> None:
    dataset, submission = graphs(tmp_path)
    task = fv.open_dataset(dataset).task("filtering")
    answers = task.open_submission(submission)

    with pytest.raises(fv.ForensicViewerError, match="'doner' is not a type of image") as refused:
        fv.score(task, answers, kind="filtering", node_type="doner")

    assert "donor, base, final, interim, all" in refused.value.hint
    assert "donor" in set(
        fv.score(task, answers, "filtering", node_type=["donor"]).summary.NodeType
    )


@dataclass(frozen=True)
class NistCase:
    """A run on NIST's data: a task by its name, or by its tables, which begin alike."""

    kind: Any
    folder: str
    submission: str
    task: str = ""
    tables: tuple[str, str] | None = None

    def open(self, root: Path) -> fv.Task:
        if self.tables is None:
            return fv.open_dataset(root).task(self.task)
        return fv.open_dataset(root, index=self.tables[0], reference=self.tables[1]).task()

    @property
    def arguments(self) -> list[str]:
        if self.tables is None:
            return ["--task", self.task]
        return ["--index", self.tables[0], "--reference", self.tables[1]]


MASKS = "maskScorerTests"
GRAPHS = ("test_case_2-provenancegraphbuilding-index.csv", "test_case_2-provenance-ref.csv")
NIST_CASES = [
    NistCase("mask", MASKS, "B_MFC18_Unittest_Manipulation_ImgOnly_p-me_1", "manipulation:MFC18"),
    NistCase("mask", MASKS, "B_NC2017_Unittest_Splice_ImgOnly_p-me_1", "splice:NC2017"),
    NistCase(
        "detection",
        "detectionScorerTests",
        "baseline/Base_NC2016_Manipulation_ImgOnly_p-dct_02.csv",
        tables=(
            "reference/NC2016-manipulation-index.csv",
            "reference/NC2016-manipulation-ref.csv",
        ),
    ),
    NistCase(
        "temporal",
        "videoTemporalLocalizationScorerTests",
        "test_case_1_system_output.csv",
        tables=("test_case_1_videotemploc-index.csv", "test_case_1_videotemploc-ref.csv"),
    ),
    NistCase(
        "provenance",
        "provenanceScorerTests",
        "test_case_2-system_output_1_index.csv",
        tables=GRAPHS,
    ),
    NistCase(
        "filtering",
        "provenanceScorerTests",
        "test_case_2-filtering-system_output_1_index.csv",
        tables=GRAPHS,
    ),
]


@pytest.mark.nist
@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("case", NIST_CASES, ids=lambda case: f"{case.kind}-{case.task}")
def test_nists_own_data_has_the_same_cells(
    nist_suite: Path, tmp_path: Path, case: NistCase, rules: str
) -> None:
    root = nist_suite / case.folder
    submission = root / case.submission
    more = [*case.arguments, "--rules", rules]
    files = score_by_command(case.kind, root, submission, tmp_path / "out", *more)

    task = case.open(root)
    result = fv.score(task, task.open_submission(submission), kind=case.kind, rules=rules)

    assert len(result.per_trial) > 0
    for file, table in result.tables.items():
        assert_same_cells(table, files / file)
