"""GenAI sets open as the plan writes them, and are told from the evaluations before."""

from __future__ import annotations

from pathlib import Path

import pytest

from forensicviewer.core.model import Edition, TaskKind, TrialId, Viewing
from forensicviewer.core.problem import DatasetError, SubmissionError
from forensicviewer.sources.datasets import detect, read_dataset
from forensicviewer.sources.layouts.genai import GenAITrials, NamedTables
from forensicviewer.sources.tables.submissions import read_submission
from tests.build import a_dataset, box, exact
from tests.genai_build import (
    DRY_RUN,
    EXAMPLE_HEADER,
    OUTPUT_HEADER,
    GenAIBuilder,
    GenAITrial,
    packed,
    trials,
)

PLAIN = "DatasetID|TaskID|FileID"


@pytest.fixture
def built(tmp_path: Path) -> GenAIBuilder:
    return GenAIBuilder(tmp_path / "set").of(trials(3, 3))


@pytest.mark.parametrize(
    ("header", "row"),
    [
        ("DatasetID      |      TaskID   |      FileID      |", "{0} | detection | {1} |"),
        (PLAIN, "{0}|detection|{1}"),
        (f"{PLAIN}|", "{0}|detection|{1}"),
        (PLAIN, "{0}|detection|{1}|"),
        (PLAIN, "{0} | detection | {1} |  "),
        (f"\ufeff{PLAIN}", "{0}|detection|{1}"),
        (f'"{PLAIN.replace("|", chr(34) + "|" + chr(34))}"', '"{0}"|"detection"|"{1}"'),
        (PLAIN.lower(), "{0}|detection|{1}"),
    ],
)
def test_every_spelling_of_the_index_opens(built: GenAIBuilder, header: str, row: str) -> None:
    dataset = read_dataset(built.write(header=header, row=row))

    (task,) = dataset.tasks
    assert (dataset.edition, task.kind, len(task.trials)) == (Edition.GENAI, TaskKind.GENAI, 6)
    assert dataset.problems == ()
    assert list(task.table.names) == ["DatasetID", "TaskID", "FileID"]
    assert task.trials[0].id == "file_0001.webp"
    assert task.trials[0].facts["DatasetID"] == "GenAI25-G1-Image-set1"


def test_a_dry_run_is_told_from_a_test_by_its_name(built: GenAIBuilder) -> None:
    built.index_name = DRY_RUN

    (task,) = read_dataset(built.write()).tasks

    assert task.viewing is Viewing.FREE
    assert task.trials[0].probe.name == "files/file_0001.webp"


def test_a_dry_run_is_told_by_the_plans_dataset_id(tmp_path: Path) -> None:
    built = GenAIBuilder(tmp_path).of(
        [GenAITrial("a.webp", is_ai=True, dataset="GenAI25-Image-dryrunset")]
    )

    assert read_dataset(built.write()).tasks[0].viewing is Viewing.FREE


def test_a_test_set_hides_its_images_until_somebody_says_otherwise(built: GenAIBuilder) -> None:
    (task,) = read_dataset(built.write()).tasks

    assert task.viewing is Viewing.UNASKED
    assert (task.trials[0].probe.name, task.trials[0].probe.is_hidden) == ("", True)


def test_a_tarball_opens_like_its_folder(built: GenAIBuilder) -> None:
    folder = built.write()
    flat = packed(*folder.iterdir(), name="genai25_dryrun.tar.gz")
    nested = packed(folder, name="nested.tgz")

    for archive in (flat, nested):
        dataset = read_dataset(archive)

        assert dataset.name == archive.name.split(".")[0]
        assert len(dataset.tasks[0].trials) == 6
        assert isinstance(dataset.tasks[0].trials, GenAITrials)
        shown = dataset.tasks[0].trials.showing(media=True)
        assert (Path(dataset.root) / shown[0].probe.name).is_file()


def test_an_archive_of_something_else_is_refused_with_the_remedy(tmp_path: Path) -> None:
    other = a_dataset(tmp_path).nist("NC2017").with_trial("p1").write()

    with pytest.raises(DatasetError, match="Only datasets of GenAI") as refused:
        read_dataset(packed(*other.root.iterdir(), name="nc.tgz"))

    assert "unpack it" in refused.value.hint


@pytest.mark.parametrize(
    ("file_id", "on_disk"),
    [
        ("file_0001.webP", "file_0001.webp"),
        ("file_0001.webp", "file_0001.webP"),
        ("file_0001", "file_0001.webp"),
    ],
)
def test_an_image_is_found_however_its_suffix_is_spelled(
    tmp_path: Path, file_id: str, on_disk: str
) -> None:
    built = GenAIBuilder(tmp_path, index_name=DRY_RUN, has_images=False)
    built.of([GenAITrial(file_id, is_ai=True)]).write()
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / on_disk).write_bytes(b"")

    (task,) = read_dataset(tmp_path).tasks

    assert task.trials[0].probe.name == f"files/{on_disk}"


def test_a_missing_image_is_no_problem(tmp_path: Path) -> None:
    """Text-only rows have none, and few users have all images at hand."""
    built = GenAIBuilder(tmp_path, index_name=DRY_RUN, has_images=False).of(trials(1, 1, suffix=""))

    dataset = read_dataset(built.write())

    assert dataset.problems == ()
    assert dataset.tasks[0].trials[0].probe.name == ""


def test_an_index_cannot_lead_outside_its_folder(tmp_path: Path) -> None:
    (tmp_path / "secret.webp").write_bytes(b"")
    built = GenAIBuilder(tmp_path / "set", index_name=DRY_RUN, has_images=False)
    built.of([GenAITrial("../../secret.webp", is_ai=True)])

    dataset = read_dataset(built.write())

    assert [problem.rule for problem in dataset.problems] == ["path.climbs"]
    assert dataset.tasks[0].trials[0].probe.name == ""


@pytest.mark.parametrize(
    ("column", "words"),
    [
        ("IsTarget", ("Y", "N")),
        ("isTarget", ("y", "n")),
        ("Label", ("ai", "human")),
        ("AIGenerated", ("true", "false")),
        ("Target", ("1", "0")),
        ("IsHuman", ("0", "1")),
    ],
)
def test_a_reference_beside_the_index_gives_the_labels(
    built: GenAIBuilder, column: str, words: tuple[str, str]
) -> None:
    built.write()
    built.reference(column, words)

    (task,) = read_dataset(built.folder).tasks

    assert task.has_reference
    assert [task.trials[row].is_target for row in range(6)] == [True] * 3 + [False] * 3
    assert set(task.files) == {"index", "reference"}


@pytest.mark.parametrize("suffix", [".webP", ".WEBP", ""])
def test_a_reference_may_spell_files_otherwise_than_the_index(tmp_path: Path, suffix: str) -> None:
    built = GenAIBuilder(tmp_path / "set", has_images=False).of(trials(2, 2))
    built.write()
    other = GenAIBuilder(tmp_path / "set", has_images=False).of(trials(2, 2, suffix=suffix))
    other.reference()

    dataset = read_dataset(built.folder)

    (task,) = dataset.tasks
    assert dataset.problems == ()
    assert [task.trials[row].is_target for row in range(4)] == [True, True, False, False]
    assert task.trials[0].id == "file_0001.webp"


def test_a_label_column_that_is_not_there_is_told(built: GenAIBuilder) -> None:
    built.write()
    built.reference()

    dataset = read_dataset(built.folder, named=NamedTables(labels=lambda _columns: "Nope"))

    (told,) = dataset.problems
    assert told.rule == "genai.no-labels"
    assert told.message == "The reference has no column 'Nope'"
    assert "IsTarget" in told.hint
    assert not dataset.tasks[0].has_reference


def test_labels_in_the_index_itself_are_used(tmp_path: Path) -> None:
    built = GenAIBuilder(tmp_path, index_name=DRY_RUN).of(trials(1, 1))

    built.write(header=f"{PLAIN}|Label", row="{0}|detection|{1}|ai")

    assert read_dataset(tmp_path).tasks[0].trials[1].is_target is True


def test_labels_nobody_knows_leave_the_set_open_and_are_asked_for(built: GenAIBuilder) -> None:
    built.write()
    reference = built.reference("Kind", ("1", "0"))

    dataset = read_dataset(built.folder)
    named = read_dataset(built.folder, named=NamedTables(labels=lambda _names: "Kind"))

    (told,) = dataset.problems
    assert (told.rule, told.where) == ("genai.no-labels", f"{reference.name}:1")
    assert "--label-column" in told.hint
    assert "Kind" in told.hint
    assert not dataset.tasks[0].has_reference
    assert named.tasks[0].trials[0].is_target is True


def test_a_label_that_says_nothing_is_told_with_its_row(built: GenAIBuilder) -> None:
    built.write()
    built.reference("IsTarget", ("Y", "maybe"))

    dataset = read_dataset(built.folder, named=NamedTables(labels=lambda _names: "IsTarget"))

    (told,) = dataset.problems
    assert (told.rule, told.where) == ("trial.target", "genai25_Image-D_detection_ref.csv:5")
    assert dataset.tasks[0].trials[5].is_target is None


def test_two_indexes_in_one_folder_are_two_tasks_with_their_own_references(
    built: GenAIBuilder,
) -> None:
    built.write()
    built.reference()
    built.index_name = DRY_RUN
    built.write()

    dataset = read_dataset(built.folder)

    assert [task.name for task in dataset.tasks] == [
        "genai:genai25_image_d_detection",
        "genai:genai25_image_d_dryrun",
    ]
    assert dataset.tasks[0].files["reference"] == "genai25_Image-D_detection_ref.csv"


def test_a_trial_is_found_however_its_suffix_is_spelled(built: GenAIBuilder) -> None:
    (task,) = read_dataset(built.write()).tasks

    for spelled in ("file_0002.webp", "file_0002.webP", "file_0002"):
        assert task.trials.row_of(TrialId(spelled)) == 1
    assert task.trials.row_of(TrialId("file_0002.png")) is None


@pytest.mark.parametrize(
    ("header", "row"),
    [
        (OUTPUT_HEADER, "{0}|detection|D-NIST_site|MySystem_Dalle|{1}|{2}"),
        (EXAMPLE_HEADER, "{0} | detection | D-NIST-site | MySys_Dalle | {1} | {2}"),
        (f"{OUTPUT_HEADER}|", "{0}|detection|D-NIST_site|V1|{1}|{2}|"),
    ],
)
def test_both_headers_of_a_system_output_open(built: GenAIBuilder, header: str, row: str) -> None:
    (task,) = read_dataset(built.write()).tasks
    path = built.output([0.1, 0.2, 0.3, 0.4, 0.5, 0.6], header=header, row=row)

    submission = read_submission(path, kind=None)

    assert (submission.kind, submission.problems) == (TaskKind.GENAI, ())
    assert submission.answers.rows_for(task.trials.ids()).tolist() == [0, 1, 2, 3, 4, 5]
    answer = submission.answers.get(TrialId("file_0003.webp"))
    assert answer is not None
    assert answer.confidence == 0.3
    assert submission.identity["cutoff"] == "0.5"


def test_answers_are_found_where_index_and_output_spell_suffixes_differently(
    tmp_path: Path,
) -> None:
    upper = GenAIBuilder(tmp_path / "set", has_images=False).of(trials(1, 1, suffix=".webP"))
    lower = GenAIBuilder(tmp_path / "set", has_images=False).of(trials(1, 1, suffix=".webp"))
    bare = GenAIBuilder(tmp_path / "set", has_images=False).of(trials(1, 1, suffix=""))
    (task,) = read_dataset(upper.write()).tasks

    for number, spelled in enumerate((lower, bare)):
        path = spelled.output([0.1, 0.2], name=f"a{number}_cutoff-50.csv")
        rows = read_submission(path, kind=None).answers.rows_for(task.trials.ids())
        assert rows.tolist() == [0, 1]


def test_an_archive_holds_one_table_whatever_both_are_called(built: GenAIBuilder) -> None:
    path = built.output([0.5] * 6)

    submission = read_submission(packed(path, name="my_submission.tgz"), kind=None)

    assert (submission.name, submission.problems) == (path.stem, ())


def test_a_table_of_2016_is_not_a_system_output_of_genai(tmp_path: Path) -> None:
    built = (
        a_dataset(tmp_path)
        .nist("NC2016")
        .with_trial("p1", manipulated=box(5, 5, 20, 20))
        .with_answer("p1", exact())
        .write()
    )

    assert read_submission(built.submission, kind=TaskKind.GENAI).kind is TaskKind.MANIPULATION
    assert read_dataset(built.root).edition is Edition.NC2016


def test_genai_tables_are_not_taken_for_a_dataset_of_2016(built: GenAIBuilder) -> None:
    """Their reference has the FileID and IsTarget of 2016's kick-off data."""
    built.write()
    reference = built.reference()

    for path in (built.folder, reference, built.folder / built.index_name):
        found = detect(path)
        assert found is not None
        assert (found.layout, found.editions) == ("genai", (Edition.GENAI,))
    assert detect(built.output([0.5] * 6).parent) is None


@pytest.mark.nist
def test_no_table_of_nists_suite_is_taken_for_genai(nist_suite: Path) -> None:
    tables = [path for path in nist_suite.rglob("*") if path.suffix in (".csv", ".psv")]
    folders = {path.parent for path in tables}

    found = [detect(path) for path in (*tables, *folders)]

    assert len(found) > 300
    assert {each.layout for each in found[: len(tables)] if each is not None} == {"nist"}
    # A submission has a folder of masks, as datasets of images and masks have.
    assert "genai" not in {each.layout for each in found if each is not None}


@pytest.mark.nist
def test_no_submission_of_nists_suite_is_taken_for_genai(nist_suite: Path) -> None:
    tables = [path for path in nist_suite.rglob("*.csv") if path.parent.name == path.stem]

    kinds = {_kind_of(path) for path in tables}

    assert tables
    assert TaskKind.GENAI not in kinds


def _kind_of(path: Path) -> TaskKind | None:
    try:
        return read_submission(path, kind=None).kind
    except SubmissionError:
        return None  # some of the suite are empty on purpose
