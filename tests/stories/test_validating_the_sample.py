"""The sample's README says which submissions are rejected; ``validate`` says the same."""

from pathlib import Path

import pytest

from forensicviewer.cli import main
from forensicviewer.sources.sample.locations import datasets, submissions_for


def test_only_the_partial_submissions_of_the_sample_are_rejected(
    sample_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    codes = {
        submission.name: main(["validate", str(dataset), str(submission), "--quiet"])
        for dataset in datasets(sample_folder)
        for submission in submissions_for(dataset)
    }

    assert capsys.readouterr().err == ""
    assert len(codes) == 36
    assert {name for name, code in codes.items() if code} == {
        name for name in codes if "partial" in name
    }
