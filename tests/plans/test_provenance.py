"""Provenance tasks of datasets with only the columns of the plans, and NIST's oracle pools."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from forensicviewer.app.datasets.named_tables import open_provenance_task
from forensicviewer.app.datasets.opening import open_submission
from forensicviewer.app.provenance.filtering import score_filtering
from forensicviewer.app.provenance.scoring import score_provenance
from forensicviewer.app.provenance.settings import ProvenanceSettings
from forensicviewer.app.report.score_output import ScoreOutput
from forensicviewer.cli import main
from forensicviewer.core.rules import RULE_SETS, RuleSet
from tests.build import write_table
from tests.plans.build import PlanDataset
from tests.plans.graphs import add_provenance, filtering_answers, graph_answers

by_year = pytest.mark.parametrize("year", ["NC2017", "MFC2019"])
by_rules = pytest.mark.parametrize("rules", RULE_SETS, ids=lambda rules: str(rules.name))
POOL = ["ProvenanceProbeFileID", "WorldFileID", "WorldFileName"]


def graphs(root: Path, submission: Path, rules: RuleSet, pool: Path | None = None) -> ScoreOutput:
    task = open_provenance_task(root, name="provenance", pool=pool)
    answers = open_submission(submission, task=task)
    return score_provenance(task, answers, ProvenanceSettings(rules=rules))


@by_rules
@by_year
def test_a_graph_is_scored(year: str, rules: RuleSet, tmp_path: Path) -> None:
    root = add_provenance(PlanDataset.of(tmp_path, year)).write()

    output = graphs(root, graph_answers(tmp_path, year).write(), rules)

    assert output.headline["MeanSimNLO"] == "1.0"
    assert output.settings["variation"] == "end-to-end"


@by_rules
@by_year
def test_a_ranking_is_scored(year: str, rules: RuleSet, tmp_path: Path) -> None:
    root = add_provenance(PlanDataset.of(tmp_path, year), "provenancefiltering").write()
    task = open_provenance_task(root, name="filtering")
    answers = open_submission(filtering_answers(tmp_path, year).write(), task=task)

    output = score_filtering(task, answers, ProvenanceSettings(rules=rules))

    recalls = {name: value for name, value in output.headline.items() if "Recall" in name}
    assert recalls
    assert set(recalls.values()) == {"1.0"}


def pool_of(root: Path, year: str, *numbers: str) -> Path:
    rows = [
        [f"{year}_0204", f"{year}_{number}", f"world/{year}_{number}.jpg"] for number in numbers
    ]
    return write_table(root / "indexes" / f"{year}-provenance-pool.csv", POOL, rows)


@by_year
def test_a_pool_restricts_what_a_graph_is_compared_with(year: str, tmp_path: Path) -> None:
    """The donor was not offered: what remains is base, interim and probe with their two links."""
    root = add_provenance(PlanDataset.of(tmp_path, year)).write()
    pool_of(root, year, "0201", "0203", "0204", "0999")

    output = graphs(root, graph_answers(tmp_path, year).write(), RULE_SETS[0])

    counts = output.tables[1].records()[0]
    assert (counts["NumRefNodes"], counts["NumRefLinks"]) == ("3", "2")
    named = {"NC2017": "oracle filter", "MFC2019": "oracle filter (with distractors)"}
    assert output.settings["variation"] == named[year]
    told = [problem for problem in output.problems if problem.rule == "provenance.outside-pool"]
    assert [problem.message for problem in told] == [
        f"1 images of the answer are outside the pool of the probe: world/{year}_0202.jpg"
    ]


def test_a_pool_of_related_images_has_no_distractors(tmp_path: Path) -> None:
    """MFC2019, 2.1.4.3."""
    root = add_provenance(PlanDataset.of(tmp_path, "MFC2019")).write()
    pool_of(root, "MFC2019", "0201", "0202", "0203", "0204")

    output = graphs(root, graph_answers(tmp_path, "MFC2019").write(), RULE_SETS[0])

    assert output.settings["variation"] == "oracle filter (without distractors)"
    assert output.headline["MeanSimNLO"] == "1.0"


@by_year
def test_info_says_the_variation(
    year: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = add_provenance(PlanDataset.of(tmp_path, year))
    root = add_provenance(plan, "provenancefiltering").write()

    assert main(["info", str(root), "--json"]) == 0
    tasks = {each["name"]: each for each in json.loads(capsys.readouterr().out)["dataset"]["tasks"]}
    assert tasks["provenance"]["variation"] == "end-to-end"
    assert tasks["filtering"]["variation"] == "", "2.1.3 knows no variations"
    assert main(["info", str(root)]) == 0
    assert "1 trial, end-to-end" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "told"),
    [("p-graph_1_Oracle", True), ("p-graph_1_EndToEnd", False), ("p-e2e_1", False)],
)
def test_a_name_that_says_another_variation_is_told(
    name: str, told: object, tmp_path: Path
) -> None:
    root = add_provenance(PlanDataset.of(tmp_path, "MFC2019")).write()
    answers = graph_answers(tmp_path, "MFC2019")
    folder = answers.write()
    (folder / f"{answers.name}.csv").rename(folder / f"{name}.csv")
    folder = folder.rename(folder.with_name(name))

    output = graphs(root, folder, RULE_SETS[0])

    rules = [problem.rule for problem in output.problems]
    assert ("provenance.variation" in rules) is told


def test_a_pool_of_one_probe_says_nothing_about_others(tmp_path: Path) -> None:
    root = add_provenance(PlanDataset.of(tmp_path, "MFC2019")).write()
    table = root / "indexes" / "MFC2019-provenance-pool.csv"
    write_table(table, POOL, [["MFC2019_0777", "MFC2019_0201", "world/MFC2019_0201.jpg"]])

    output = graphs(root, graph_answers(tmp_path, "MFC2019").write(), RULE_SETS[0])

    assert output.headline["MeanSimNLO"] == "1.0"


def test_a_pool_may_be_named_and_is_told_in_the_summary(tmp_path: Path) -> None:
    root = add_provenance(PlanDataset.of(tmp_path, "MFC2019")).write()
    answers = graph_answers(tmp_path, "MFC2019").write()
    pool = pool_of(tmp_path, "MFC2019", "0201", "0203", "0204")
    out = tmp_path / "out"

    main(["score", "provenance", str(root), str(answers), "--pool", str(pool), "--out", str(out)])

    summary = json.loads((out / "summary.json").read_text("utf-8"))
    assert "oracle filter" in json.dumps(summary)


def test_a_pool_restricts_what_a_ranking_should_find(tmp_path: Path) -> None:
    root = add_provenance(PlanDataset.of(tmp_path, "MFC2019"), "provenancefiltering").write()
    pool = pool_of(tmp_path, "MFC2019", "0203", "0204")
    task = open_provenance_task(root, name="filtering", pool=pool)
    answers = open_submission(filtering_answers(tmp_path, "MFC2019").write(), task=task)

    output = score_filtering(task, answers, ProvenanceSettings())

    assert "2" in output.tables[1].records()[0].values(), "two images to find"


@by_year
def test_a_ranking_is_known_by_its_documents(
    year: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Appendix A of MFC2019: a name says nothing about the task; both have the same columns."""
    plan = add_provenance(PlanDataset.of(tmp_path, year))
    root = add_provenance(plan, "provenancefiltering").write()
    for answers, scorer in ((filtering_answers, "filtering"), (graph_answers, "provenance")):
        submission = answers(tmp_path / scorer, year)
        submission.root.mkdir(parents=True, exist_ok=True)
        renamed = submission.root.rename(submission.root.with_name("p-x_1"))
        submission.name = "p-x_1"
        submission.write()

        assert main(["score", "all", str(root), str(renamed), "--out", str(tmp_path / "o")]) == 0

        assert capsys.readouterr().out.startswith(f"{scorer} ")
