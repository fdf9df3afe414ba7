from pathlib import Path

import pytest

from forensicviewer.app.datasets.answered_task import open_answered_task
from forensicviewer.core.model import TaskKind
from forensicviewer.core.problem import UsageError
from tests.build import write_table


@pytest.mark.nist
@pytest.mark.parametrize(
    ("submission", "task"),
    [
        ("B_NC2017_Unittest_Manipulation_ImgOnly_c-me2_1", "manipulation:NC2017"),
        ("B_MFC18_Unittest_Manipulation_ImgOnly_p-me_1", "manipulation:MFC18"),
        ("B_NC2016_Unittest_Splice_ImgOnly_p-me_1", "splice:NC2016"),
    ],
)
def test_the_task_is_the_one_whose_trials_are_answered(
    nist_suite: Path, submission: str, task: str
) -> None:
    masks = nist_suite / "maskScorerTests"

    opened, _ = open_answered_task(masks, masks / submission, name=None)

    assert opened.name == task


@pytest.mark.nist
def test_a_submission_to_something_else_leaves_the_choice_to_the_user(
    nist_suite: Path, tmp_path: Path
) -> None:
    table = tmp_path / "other.csv"
    table.write_text("ProbeFileID|ConfidenceScore|OutputProbeMaskFileName|IsOptOut\nnobody|1||N\n")

    with pytest.raises(UsageError, match="does not answer any trial"):
        open_answered_task(nist_suite / "maskScorerTests", table, name=None)


@pytest.mark.parametrize(
    ("name", "task"), [("p-a_1_provenancefiltering", "filtering"), ("p-a_1_graph", "provenance")]
)
def test_of_two_tasks_about_the_same_probes_the_submissions_name_decides(
    tmp_path: Path, name: str, task: str
) -> None:
    columns = [f"ProvenanceProbe{what}" for what in ("FileID", "FileName", "Width", "Height")]
    for kind in ("provenance", "provenancefiltering"):
        write_table(
            tmp_path / f"indexes/MFC2019-{kind}-index.csv", columns, [["p", "p.png", *"12"]]
        )
    table = write_table(
        tmp_path / name / f"{name}.csv",
        ["ProvenanceProbeFileID", "ConfidenceScore", "ProvenanceOutputFileName"],
        [["p", "1", "p.json"]],
    )

    opened, _ = open_answered_task(tmp_path, table, name=None)

    assert opened.name == task


def test_an_index_of_graphs_also_asks_for_rankings(tmp_path: Path) -> None:
    columns = [f"ProvenanceProbe{what}" for what in ("FileID", "FileName", "Width", "Height")]
    write_table(tmp_path / "indexes/NC2017-provenance-index.csv", columns, [["p", "p.png", *"12"]])
    table = write_table(
        tmp_path / "ProvenanceFiltering_p-a_1.csv",
        ["ProvenanceProbeFileID", "ProvenanceOutputFileName"],
        [["p", "p.json"]],
    )

    opened, _ = open_answered_task(tmp_path, table, name=None)

    assert opened.kind is TaskKind.FILTERING
