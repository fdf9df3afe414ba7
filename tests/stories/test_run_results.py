"""The results of a whole run are those the command line writes, number by number."""

from __future__ import annotations

import csv
import shlex
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from forensicviewer.app.datasets.answered_task import open_answered_task
from forensicviewer.app.results.request import Division, RunRequest
from forensicviewer.app.results.run_results import (
    RunResults,
    ScorerResults,
    VariantResults,
    score_run,
)
from forensicviewer.app.workbench.state import Scoring
from forensicviewer.cli import main
from forensicviewer.core.rules import RULE_SETS, RuleSet
from tests.build import Built, a_dataset, blurred, box, inverted, write_png
from tests.genai_build import GenAIBuilder, trials

by_rules = pytest.mark.parametrize("rules", RULE_SETS, ids=lambda rules: rules.name)


def results_of(
    dataset: Path,
    submission: Path,
    rules: RuleSet,
    *,
    division: Division = Division.WHOLE,
    text: str = "",
    task: str | None = None,
) -> RunResults:
    answered, opened = open_answered_task(dataset, submission, name=task)
    request = RunRequest(dataset, answered, opened, rules, Scoring(), division=division, text=text)
    return score_run(request, progress=lambda _done, _total: None)


def written(command: str, folder: Path) -> list[dict[str, str]]:
    """The lines of averages that a command writes."""
    program, *words = shlex.split(command)
    assert program == "forensicviewer"
    main([*words[:-1], str(folder), "--quiet"])
    names = (
        *("mask_score*.csv", "*report.csv", "scores.csv", "scores_audio.csv", "genai_summary.csv"),
    )
    found = [path for name in names for path in sorted(folder.rglob(name))]
    averages = [path for path in found if "_per" not in path.name]
    return [record for path in averages for record in records(path)]


def records(path: Path) -> Iterator[dict[str, str]]:
    lines = path.read_text("utf-8").splitlines()
    yield from csv.DictReader(lines, delimiter="|")


def assert_same_numbers(results: RunResults, tmp_path: Path) -> int:
    """Every number of the page is in the files its commands write; how many were compared."""
    compared = 0
    for scorer in results.scorers:
        for number, found in enumerate(scorer.variants):
            assert found.failure == ""
            wanted = [
                record
                for place, command in enumerate(found.commands)
                for record in written(command, tmp_path / f"{scorer.scorer}-{number}-{place}")
            ]
            compared += compare(found, wanted, scorer)
    return compared


def compare(found: VariantResults, wanted: list[dict[str, str]], scorer: ScorerResults) -> int:
    cells = [dict(figures.cells) for figures in found.lines.values()]
    if scorer.scorer == "temporal":
        heard = [record["MCC"] for record in wanted]
        assert sorted(cell for line in cells for cell in line.values()) == sorted(heard)
        return len(heard)
    # NIST's code to the letter writes the last part of a partition once for each.
    wanted = [dict(each) for each in dict.fromkeys(tuple(record.items()) for record in wanted)]
    assert len(cells) == len(wanted)
    for line, record in zip(cells, wanted, strict=True):
        assert line == {name: record[name] for name in line}
    return sum(map(len, cells))


@pytest.fixture
def built(tmp_path: Path) -> Built:
    """Six trials: good, inverted, opted out, of a wrong size, not answered, not manipulated."""
    made = a_dataset(tmp_path).nist("MFC2019")
    for number, kind in enumerate(("a", "a", "b", "b", "b")):
        made.with_trial(f"p{number}", manipulated=box(4, 4, 30, 30), facts={"Kind": kind})
    made.with_trial("clean", facts={"Kind": "a"})
    made.with_answer("p0", blurred(), confidence="0.9")
    made.with_answer("p1", inverted(), confidence="0.2")
    made.with_answer("p2", confidence="0", status="OptOutAll")
    made.with_answer("p3", blurred(), confidence="0.7")
    built = made.with_answer("clean", blurred(), confidence="0.3").write()
    write_png(built.submission / "mask" / "p3.png", np.zeros((9, 9), np.uint8))
    return built


@by_rules
@pytest.mark.parametrize(
    ("division", "text"),
    [
        (Division.WHOLE, ""),
        (Division.QUERY, "Kind=='a'\nKind=='b' and IsTarget=='Y'"),
        (Division.PARTITION, "Kind==['a','b']"),
        (Division.OPERATIONS, "Operation=='PasteSplice'\nPurpose=='paste'"),
    ],
)
def test_masks_and_detection_are_those_of_the_files(
    built: Built, tmp_path: Path, rules: RuleSet, division: Division, text: str
) -> None:
    found = results_of(built.root, built.submission, rules, division=division, text=text)

    assert [scorer.scorer for scorer in found.scorers] == ["mask", "detection"]
    assert assert_same_numbers(found, tmp_path / "out") > 30


def test_trials_are_counted_by_what_became_of_them(built: Built) -> None:
    found = results_of(
        built.root,
        built.submission,
        RULE_SETS[0],
        division=Division.PARTITION,
        text="Kind==['a','b']",
    )

    counted = {
        (scorer.scorer, v.variant.title, label): tuple(figures.counted().values())
        for scorer in found.scorers
        for v in scorer.variants
        for label, figures in v.lines.items()
    }
    # trials, scored, opted out, missing, failed
    assert counted["mask", "All trials", ""] == ("5", "5", "1", "1", "1")
    assert counted["mask", "Opted-in trials", ""] == ("5", "4", "1", "1", "1")
    assert counted["mask", "All trials", "Kind 'b'"] == ("3", "3", "1", "1", "1")
    assert counted["detection", "All trials", ""] == ("6", "6", "1", "1", "0")
    assert counted["detection", "Opted-in trials", ""] == ("6", "4", "1", "1", "0")
    assert counted["detection", "All trials", "Kind 'a'"] == ("3", "3", "0", "0", "0")


@by_rules
@pytest.mark.parametrize(
    "name",
    [
        "p-careful_1_MFC2019-splice",
        "p-noisy_1_MFC2019-video",
        "p-noisy_1_MFC2019-provenance",
        "p-noisy_1_MFC2019-provenancefiltering",
    ],
)
def test_every_task_of_the_sample_is_shown_as_it_is_scored(
    sample_folder: Path, tmp_path: Path, rules: RuleSet, name: str
) -> None:
    submission = sample_folder / "submissions" / name

    found = results_of(sample_folder / "MFC2019_Sample", submission, rules)

    assert assert_same_numbers(found, tmp_path / "out") > 0
    by_name = {scorer.scorer: scorer for scorer in found.scorers}
    if "provenance" in by_name:
        titles = [v.variant.title for v in by_name["provenance"].variants]
        assert titles[:2] == ["Full graph", "Direct graph"]
        full, direct, *_ = (v.lines[""].cells["MeanSimNLO"] for v in by_name["provenance"].variants)
        assert full
        assert full != direct


def test_system_outputs_of_genai_are_shown_by_generator(tmp_path: Path) -> None:
    made = GenAIBuilder(tmp_path / "set", has_images=False).of(trials(3, 3))
    made.write()
    made.reference()
    output = made.output([0.9, 0.8, 0.4, 0.1, 0.5, 0.3], name="sys_cutoff-50.csv")

    found = results_of(made.folder, output, RULE_SETS[0])

    assert assert_same_numbers(found, tmp_path / "out") > 0
    (variant,) = found.scorers[0].variants
    assert variant.lines[""].counted()["Scored"] == "6"


def test_a_query_nobody_can_read_is_said_and_nothing_else_is_lost(built: Built) -> None:
    found = results_of(
        built.root, built.submission, RULE_SETS[0], division=Division.QUERY, text="Colour=='red'"
    )

    for scorer in found.scorers:
        for variant in scorer.variants:
            assert "Colour" in variant.failure
            assert variant.lines[""].cells
