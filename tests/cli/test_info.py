import json
import tarfile
from pathlib import Path

import pytest

from forensicviewer.cli import main
from tests.build import Built, a_dataset, blurred, box


@pytest.fixture
def built(tmp_path: Path) -> Built:
    dataset = a_dataset(tmp_path).nist("NC2017").with_trial("p1", manipulated=box(8, 8, 24, 24))
    dataset = dataset.with_trial("p2").with_answer("p1", blurred(), confidence="0.9")
    return dataset.write()


def test_info_says_what_was_recognised_and_why(
    built: Built, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main(["info", str(built.root), str(built.submission)])

    printed = capsys.readouterr().out
    assert code == 0
    assert "Dataset NC2017: NC2017" in printed
    assert "reference of task manipulation, NC2017 by its name" in printed
    assert "2 trials, 1 target, 1 non-target" in printed
    assert "1 answer, for 1 of 2 trials of manipulation" in printed
    assert "condition ImgOnly" in printed


def test_info_as_json_holds_everything(built: Built, capsys: pytest.CaptureFixture[str]) -> None:
    archive = built.submission.with_suffix(".tgz")
    with tarfile.open(archive, "w:gz") as tape:
        tape.add(built.submission, arcname=built.submission.name)

    code = main(["info", str(built.root), str(archive), "--json"])

    told = json.loads(capsys.readouterr().out)
    assert code == 0
    assert told["dataset"]["tasks"][0]["trials"] == 2
    assert told["submissions"][0]["answered"] == 1
    assert told["submissions"][0]["missing"] == 1
    assert told["submissions"][0]["identity"]["team"] == "Team"


def test_info_goes_on_after_a_submission_that_cannot_be_opened(
    built: Built, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main(["info", str(built.root), str(built.root / "nowhere"), str(built.submission)])

    printed = capsys.readouterr()
    assert code == 1
    assert "file or folder does not exist" in printed.err
    assert "1 of 2 trials" in printed.out


def test_info_is_silent_when_asked(built: Built, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", str(built.root), "--quiet"]) == 0
    assert capsys.readouterr().out == ""


def test_info_of_nothing_cannot_be_done(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", str(tmp_path)]) == 3
    assert "contains no index and no reference" in capsys.readouterr().err


def test_info_of_a_folder_of_datasets_names_them(
    built: Built, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["info", str(built.root.parent)]) == 3
    assert "it contains the datasets NC2017" in capsys.readouterr().err


def test_info_tells_when_a_submission_answers_nothing(
    built: Built, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "other.csv"
    table.write_text("ProbeFileID|ConfidenceScore\nzz|1\n", encoding="utf-8")

    assert main(["info", str(built.root), str(table)]) == 0
    assert "none for a trial of this dataset" in capsys.readouterr().out


def test_trials_are_listed_with_the_columns_asked_for(
    built: Built, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main(
        ["trials", str(built.root), "--query", "IsTarget=='N'", "--columns", "ProbeFileID,IsTarget"]
    )

    assert code == 0
    assert capsys.readouterr().out == "ProbeFileID|IsTarget\np2|N\n"


def test_trials_have_usual_columns_and_all_columns(
    built: Built, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["trials", str(built.root), "--task", "manipulation"])
    usual = capsys.readouterr().out.splitlines()[0]
    main(["trials", str(built.root), "--columns", "all", "--json"])
    every = json.loads(capsys.readouterr().out)

    assert usual.startswith("ProbeFileID|ProbeFileName|ProbeWidth|ProbeHeight|IsTarget")
    assert every[0]["JournalName"] == "journal-p1"
    assert [trial["ProbeFileID"] for trial in every] == ["p1", "p2"]


@pytest.mark.parametrize(
    ("extra", "said"),
    [
        (["--task", "splice"], "has no task splice"),
        (["--columns", "ProbeFile"], "no column 'ProbeFile'"),
        (["--index", "nowhere.csv"], "table does not exist"),
    ],
)
def test_wrong_usage_of_trials_is_told(
    built: Built, capsys: pytest.CaptureFixture[str], extra: list[str], said: str
) -> None:
    assert main(["trials", str(built.root), *extra]) == 2
    assert said in capsys.readouterr().err


def test_what_the_machine_refuses_is_no_bug(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", "x" * 5000]) == 3
    assert "error: File name too long" in capsys.readouterr().err


def test_only_the_dataset_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["info"])
    assert capsys.readouterr().err.rstrip().endswith("required: DATASET")


def test_a_path_that_does_not_exist_is_no_command(capsys: pytest.CaptureFixture[str]) -> None:
    main(["nowhere/dataset"])
    assert "invalid choice" not in capsys.readouterr().err


def test_info_says_that_it_looked_at_the_files(
    built: Built, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["info", str(built.root), "--files"])
    sound = capsys.readouterr().out
    (built.root / "probe" / "p2.png").unlink()
    main(["info", str(built.root), "--files"])

    assert "Files of 2 trials: all present and as declared" in sound
    assert "Files of 2 trials: 1 problem" in capsys.readouterr().out


def test_a_word_without_quotes_in_a_query_is_told(
    built: Built, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main(["trials", str(built.root), "--query", "IsTarget==Y"])

    assert code == 2
    assert "write words in quotes: 'Y'" in capsys.readouterr().err
