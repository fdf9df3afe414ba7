"""Scoring system outputs of a GenAI evaluation from the command line, as the plan writes them."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import numpy as np
import pytest
from sklearn import metrics

import forensicviewer as fv
from forensicviewer.cli import main
from forensicviewer.cli.command import ExitCode
from tests.build import a_dataset, box, exact
from tests.genai_build import (
    EXAMPLE_HEADER,
    SETS,
    GenAIBuilder,
    GenAITrial,
    packed,
    trials,
)

SUMMARY = (
    "System|DatasetID|Trials|Targets|AUC|pAUC|TPR@FPR|EER|Brier|BrierT|BrierN|Cutoff|TP|FP|FN|TN|"
    "Accuracy|Precision|Recall|F1|ECE"
)
INTERVALS = "AUC_CI_low|AUC_CI_high|TPR_CI_low|TPR_CI_high"


@pytest.fixture
def built(tmp_path: Path) -> GenAIBuilder:
    built = GenAIBuilder(tmp_path / "set", has_images=False).of(trials(20, 20))
    built.write()
    built.reference()
    return built


def scores_of(built: GenAIBuilder, *, seed: int = 1, by: float = 0.3) -> list[float]:
    random = np.random.default_rng(seed)
    return [
        round(float(np.clip(random.normal(0.35 + by * trial.is_ai, 0.2), 0, 1)), 2)
        for trial in built.trials
    ]


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8") as stream:
        return list(csv.DictReader(stream, delimiter="|"))


def score(built: GenAIBuilder, *given: str | Path, out: Path) -> int:
    return main(["score", "genai", str(built.folder), *map(str, given), "--out", str(out)])


def test_one_row_for_all_trials_and_one_for_each_generator(
    built: GenAIBuilder, tmp_path: Path
) -> None:
    scores = scores_of(built)
    path = built.output(scores)

    code = score(built, path, out=tmp_path / "out")

    text = (tmp_path / "out" / "genai_summary.csv").read_text(encoding="utf-8")
    rows = rows_of(tmp_path / "out" / "genai_summary.csv")
    assert code == ExitCode.FINE
    assert text.splitlines()[0] == SUMMARY
    assert [row["DatasetID"] for row in rows] == ["all", *SETS]
    assert {row["System"] for row in rows} == {path.stem}
    for row in rows:
        chosen = [
            number
            for number, trial in enumerate(built.trials)
            if row["DatasetID"] in ("all", trial.dataset)
        ]
        targets = [built.trials[number].is_ai for number in chosen]
        found = [scores[number] for number in chosen]
        called = [value >= 0.5 for value in found]
        assert float(row["AUC"]) == pytest.approx(metrics.roc_auc_score(targets, found))
        assert float(row["Brier"]) == pytest.approx(metrics.brier_score_loss(targets, found))
        assert float(row["F1"]) == pytest.approx(metrics.f1_score(targets, called))
        assert (row["Trials"], row["Targets"]) == (str(len(chosen)), str(sum(targets)))
        assert row["Cutoff"] == "0.5"


def test_every_trial_of_the_index_has_a_row(built: GenAIBuilder, tmp_path: Path) -> None:
    score(built, built.output([0.5, 0.49, *[0.0] * 38]), out=tmp_path / "out")

    rows = rows_of(tmp_path / "out" / "genai_trials.csv")
    assert len(rows) == 40
    assert [(row["Decision"], row["Outcome"], row["Error"]) for row in rows[:2]] == [
        ("Y", "TP", "0.5"),
        ("N", "FN", "0.51"),
    ]
    assert rows[39]["Outcome"] == "TN"


def test_several_systems_are_scored_at_once(built: GenAIBuilder, tmp_path: Path) -> None:
    one = built.output(scores_of(built), name="a_cutoff-50.csv")
    two = built.output(scores_of(built, seed=2), name="b_cutoff-30.csv", header=EXAMPLE_HEADER)
    three = packed(built.output(scores_of(built, seed=3), name="c_cutoff-5.csv"), name="c.tgz")

    code = score(built, one, two, three, out=tmp_path / "out")

    rows = rows_of(tmp_path / "out" / "genai_summary.csv")
    every = [row for row in rows if row["DatasetID"] == "all"]
    assert code == ExitCode.FINE
    assert [(row["System"], row["Cutoff"]) for row in every] == [
        ("a_cutoff-50", "0.5"),
        ("b_cutoff-30", "0.3"),
        ("c_cutoff-5", "0.05"),
    ]
    assert len(rows_of(tmp_path / "out" / "genai_trials.csv")) == 120


def test_a_folder_of_system_outputs_is_all_of_them(built: GenAIBuilder, tmp_path: Path) -> None:
    built.output(scores_of(built), name="a_cutoff-50.csv")
    folder = built.output(scores_of(built), name="b_cutoff-50.csv").parent

    score(built, folder, out=tmp_path / "out")

    rows = rows_of(tmp_path / "out" / "genai_summary.csv")
    assert {row["System"] for row in rows} == {"a_cutoff-50", "b_cutoff-50"}


def test_any_column_makes_parts(built: GenAIBuilder, tmp_path: Path) -> None:
    built.reference(more={"Topic": ["cats", "dogs"] * 20})

    score(built, built.output(scores_of(built)), "--by", "Topic", out=tmp_path / "out")

    rows = rows_of(tmp_path / "out" / "genai_summary.csv")
    assert [row["Topic"] for row in rows] == ["all", "cats", "dogs"]


def test_intervals_have_columns_of_their_own(built: GenAIBuilder, tmp_path: Path) -> None:
    score(built, built.output(scores_of(built)), "--ci", out=tmp_path / "out")

    text = (tmp_path / "out" / "genai_summary.csv").read_text(encoding="utf-8")
    row = rows_of(tmp_path / "out" / "genai_summary.csv")[0]
    assert text.splitlines()[0] == f"{SUMMARY}|{INTERVALS}"
    assert float(row["AUC_CI_low"]) < float(row["AUC"]) < float(row["AUC_CI_high"])


def test_a_reference_elsewhere_and_its_column_are_named_and_remembered(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    built = GenAIBuilder(tmp_path / "set", has_images=False).of(trials(4, 4))
    built.write()
    elsewhere = built.reference("Kind", ("1", "0")).rename(tmp_path / "truth.csv")
    path = built.output([0.9, 0.8, 0.7, 0.6, 0.4, 0.3, 0.2, 0.1])
    named = ("--reference", elsewhere)

    without = score(built, path, out=tmp_path / "o1")
    unknown = score(built, path, *named, out=tmp_path / "o2")
    told = capsys.readouterr().err
    known = score(built, path, *named, "--label-column", "Kind", out=tmp_path / "o3")
    again = score(built, path, *named, out=tmp_path / "o4")

    assert (without, unknown, known, again) == (
        ExitCode.CANNOT,
        ExitCode.CANNOT,
        ExitCode.FINE,
        ExitCode.FINE,
    )
    assert "--label-column" in told
    assert rows_of(tmp_path / "o4" / "genai_summary.csv")[0]["AUC"] == "1.0"


def test_what_cannot_be_computed_is_blank_and_says_why(tmp_path: Path) -> None:
    """One generator made all of one part, as in a set of one team's images alone."""
    built = GenAIBuilder(tmp_path / "set", has_images=False)
    built.of(
        GenAITrial(f"file_{n}.webp", is_ai=n < 4, dataset=SETS[0] if n < 2 else SETS[1])
        for n in range(8)
    )
    built.write()
    built.reference()

    code = score(built, built.output([0.6] * 8, name="x.csv"), out=tmp_path / "out")

    whole, first, _ = rows_of(tmp_path / "out" / "genai_summary.csv")
    summary = json.loads((tmp_path / "out" / "summary.json").read_text(encoding="utf-8"))
    told = {
        (each["part"], each["metric"]): each["why"] for each in summary["settings"]["undefined"]
    }
    assert code == ExitCode.PROBLEMS
    assert (whole["AUC"], whole["Accuracy"], whole["Cutoff"]) == ("0.5", "", "")
    assert told["all", "Accuracy"] == "the file name declares no cutoff"
    assert (first["AUC"], first["BrierN"], first["BrierT"]) == ("", "", "0.16")
    assert told[SETS[0], "AUC"] == "none of the images of these trials is human-made"


def test_trials_without_an_answer_are_told_and_left_out(
    built: GenAIBuilder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = built.output(scores_of(built))
    path.write_text("\n".join(path.read_text().splitlines()[:-5]) + "\n")

    code = score(built, path, out=tmp_path / "out")

    assert code == ExitCode.PROBLEMS
    assert "5 of 40 trials of the index have no answer" in capsys.readouterr().err
    assert rows_of(tmp_path / "out" / "genai_summary.csv")[0]["Trials"] == "35"


def test_the_set_may_stay_packed(built: GenAIBuilder, tmp_path: Path) -> None:
    path = built.output(scores_of(built))
    archive = packed(*built.folder.iterdir(), name="genai25.tar.gz")

    code = main(["score", "genai", str(archive), str(path), "--out", str(tmp_path / "out")])

    assert code == ExitCode.FINE
    assert rows_of(tmp_path / "out" / "genai_summary.csv")[0]["Trials"] == "40"


def test_other_commands_know_these_sets(
    built: GenAIBuilder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = built.output(scores_of(built))

    assert main(["info", str(built.folder), str(path), "--files"]) == ExitCode.FINE
    told = capsys.readouterr().out
    assert "genai  40 trials, 20 targets, 20 non-targets, GenAI" in told
    assert "40 answers, for 40 of 40 trials of genai" in told
    assert main(["trials", str(built.folder), "--query", "IsTarget=='N'"]) == ExitCode.FINE
    assert len(capsys.readouterr().out.splitlines()) == 21
    all_out = str(tmp_path / "all")
    assert main(["score", "all", str(built.folder), str(path), "--out", all_out]) == ExitCode.FINE
    assert (tmp_path / "all" / "genai" / "genai_summary.csv").is_file()


def test_scorers_of_other_evaluations_are_refused_with_the_right_one(
    built: GenAIBuilder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    medifor = a_dataset(tmp_path / "nc").with_trial("p1", manipulated=box(5, 5, 20, 20))
    other = medifor.with_answer("p1", exact()).write()
    path = built.output(scores_of(built))

    detection = main(["score", "detection", str(built.folder), str(path), "--out", "o1"])
    genai = main(["score", "genai", str(other.root), str(other.submission), "--out", "o2"])
    wrong_output = score(built, other.submission, out=tmp_path / "o3")

    told = capsys.readouterr().err
    assert (detection, genai) == (ExitCode.WRONG_USAGE, ExitCode.WRONG_USAGE)
    assert wrong_output == ExitCode.CANNOT
    assert "use score genai" in told
    assert "not a system output of a GenAI evaluation" in told


def test_the_page_has_the_curves_of_every_system(built: GenAIBuilder, tmp_path: Path) -> None:
    one = built.output(scores_of(built), name="a_cutoff-50.csv")
    two = built.output(scores_of(built, seed=2), name="b_cutoff-30.csv")

    score(built, one, two, "--html", out=tmp_path / "out")

    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    titles = re.findall(r"<figcaption>([^<]*)</figcaption>", page)
    assert titles[:3] == ["ROC", "DET", "Reliability, ten bins of equal width"]
    figures = page.split("<figure>")[1:]
    for figure in figures[:3]:
        assert "a_cutoff-50" in figure
        assert "b_cutoff-30" in figure
    assert "True positive rate" in figures[0]
    assert figures[0].count('class="mark"') == 2  # the operating points
    assert "the numbers the other way round" in page
    assert "NIST does not approve, recommend, or endorse any proprietary product" in page
    assert "not answered: the images are hidden" in page


def test_anonymised_files_name_no_team_anywhere(built: GenAIBuilder, tmp_path: Path) -> None:
    one = built.output(scores_of(built), name="acme_cutoff-50.csv")
    two = built.output(
        scores_of(built)[:20] + [""] * 20,
        name="zenith_cutoff-50.csv",
        row="{0}|detection|D-Zenith|v9|{1}|{2}",
    )

    score(built, one, two, "--html", "--anonymise", out=tmp_path / "out")

    for path in (tmp_path / "out").iterdir():
        written = path.read_text(encoding="utf-8")
        for name in ("acme", "zenith", "Zenith", "D-NIST_site", "MySystem", "v9"):
            assert name not in written, (path.name, name)
    rows = rows_of(tmp_path / "out" / "genai_summary.csv")
    assert list(dict.fromkeys(row["System"] for row in rows)) == ["Team 1", "Team 2"]


def test_python_gets_the_tables_of_the_command_line(built: GenAIBuilder, tmp_path: Path) -> None:
    paths = [built.output(scores_of(built, seed=n), name=f"s{n}_cutoff-50.csv") for n in (1, 2)]
    score(built, *paths, "--ci", "--fpr", "0.2", out=tmp_path / "cli")
    task = fv.open_dataset(built.folder).task()
    submissions = [task.open_submission(path) for path in paths]

    result = fv.score(task, submissions, kind="genai", ci=True, fpr=0.2)
    result.write(tmp_path / "api")

    for name in ("genai_summary.csv", "genai_trials.csv"):
        written = (tmp_path / "api" / name).read_text(encoding="utf-8")
        assert written == (tmp_path / "cli" / name).read_text(encoding="utf-8")
    assert len(result.per_trial) == 80
    assert result.summary["AUC"].between(0, 1).all()
    with pytest.raises(fv.ForensicViewerError, match="do not support rule sets"):
        fv.score(task, submissions, kind="genai", rules="plan")
    with pytest.raises(fv.ForensicViewerError, match="one submission"):
        fv.score(task, submissions, kind="detection")
