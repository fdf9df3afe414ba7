"""The page of every scorer tells the numbers under all rule sets."""

from __future__ import annotations

from pathlib import Path

import pytest

from forensicviewer.cli import main
from forensicviewer.cli.command import ExitCode


@pytest.mark.nist
@pytest.mark.parametrize(
    ("scorer", "arguments"),
    [
        (
            "temporal",
            [
                "videoTemporalLocalizationScorerTests",
                "videoTemporalLocalizationScorerTests/test_case_1_system_output.csv",
                *("--index", "test_case_1_videotemploc-index.csv"),
                *("--reference", "test_case_1_videotemploc-ref.csv"),
            ],
        ),
        (
            "provenance",
            [
                "provenanceScorerTests",
                "provenanceScorerTests/test_case_1-system_output_0_index.csv",
                *("--index", "test_case_1-provenancegraphbuilding-index.csv"),
                *("--reference", "test_case_1-provenance-ref.csv"),
                *("--nodes", "test_case_1-provenance-node.csv"),
                *("--world", "test_case_1-provenancegraphbuilding-world.csv"),
            ],
        ),
        (
            "filtering",
            [
                "provenanceScorerTests",
                "provenanceScorerTests/test_case_2-filtering-system_output_0_index.csv",
                *("--index", "test_case_2-provenancegraphbuilding-index.csv"),
                *("--reference", "test_case_2-provenance-ref.csv"),
                *("--nodes", "test_case_2-provenance-node.csv"),
                *("--world", "test_case_2-provenancegraphbuilding-world.csv"),
            ],
        ),
    ],
)
def test_every_scorer_shows_what_each_rule_set_gives(
    scorer: str, arguments: list[str], nist_suite: Path, tmp_path: Path
) -> None:
    dataset, submission, *options = arguments

    code = main(
        [
            *("score", scorer, str(nist_suite / dataset), str(nist_suite / submission)),
            *("--out", str(tmp_path), "--html", "--quiet", *options),
        ]
    )

    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert code in (ExitCode.FINE, ExitCode.PROBLEMS)
    assert "Scores under each rule set" in page
    assert all(name in page for name in ("mediscore", "mediscore-verbatim", "plan"))
