"""The words of GenAI evaluations: what a table is, what a label says, what a name declares."""

from __future__ import annotations

import pytest

from forensicviewer.core import genai

NC2016 = (
    ("TaskID", "FileID", "ImgFName", "MaskFName", "isTarget"),
    ("TaskID", "FileID", "ImgFName", "ImgWidth", "ImgHeight"),
    ("FileID", "ConfidenceScore", "OutputMaskFName", "IsOptOut"),
    ("ProbeFileID", "ConfidenceScore", "ProbeOutputMaskFileName"),
    ("FileID", "ConfidenceScore"),
)


@pytest.mark.parametrize("columns", NC2016)
def test_tables_of_2016_are_not_taken_for_genai(columns: tuple[str, ...]) -> None:
    name = "NC2016-manipulation-ref.csv"

    assert not genai.is_index(columns, name=name)
    assert not genai.is_output(columns, name=name)


@pytest.mark.parametrize(
    ("columns", "name"),
    [
        (("DatasetID", "TaskID", "FileID"), "index.csv"),
        (("datasetid", "taskid", "fileid"), "index.csv"),
        (("TaskID", "FileID"), "genai25_Image-D_detection_index.csv"),
        (("DatasetID", "TaskID", "FileID", "IsTarget"), "ref.csv"),
    ],
)
def test_an_index_is_known_by_its_columns_or_its_name(columns: tuple[str, ...], name: str) -> None:
    assert genai.is_index(columns, name=name)


@pytest.mark.parametrize("score", ["ConfidenceScore", "ConfScore", "confscore"])
def test_both_spellings_of_the_score_make_a_system_output(score: str) -> None:
    columns = ("DatasetID", "TaskID", "DiscriminatorID", "ModelVersion", "FileID", score)

    assert genai.is_output(columns, name="anything.csv")
    assert not genai.is_index(columns, name="genai25_index.csv")


@pytest.mark.parametrize(
    ("name", "cutoff"),
    [
        ("genai25_image_d_sys_model-01_cutoff-50", 0.5),
        ("x_cutoff-29", 0.29),
        ("x_cutoff-05", 0.05),
        ("x_cutoff-5", 0.05),
        ("x_cutoff-0", 0.0),
        ("x_cutoff-100", 1.0),
        ("x_CUTOFF_75", 0.75),
        ("x_cutoff-0.5", 0.5),
        ("x_cutoff-XX", None),
        ("x_cutoff-101", None),
        ("x_cutoff-5000", None),
        ("x", None),
    ],
)
def test_the_cutoff_is_read_from_the_file_name(name: str, cutoff: float | None) -> None:
    assert genai.cutoff_of(name) == cutoff


def test_a_cutoff_is_the_very_number_a_score_in_hundredths_is() -> None:
    for hundredths in range(101):
        assert genai.cutoff_of(f"a_cutoff-{hundredths}") == float(f"{hundredths / 100:.2f}")


@pytest.mark.parametrize(
    ("column", "ai", "human"),
    [
        ("IsTarget", "Y", "N"),
        ("Target", "1", "0"),
        ("Label", "ai", "human"),
        ("Label", "AI-Generated", "Real"),
        ("AIGenerated", "true", "false"),
        ("ai_generated", "True", "False"),
        ("Ground Truth", "fake", "authentic"),
        ("IsAI", "yes", "no"),
        ("Class", "1.0", "0.0"),
        ("IsHuman", "N", "Y"),
        ("Real", "0", "1"),
        ("Whatever", "synthetic", "photograph"),
    ],
)
def test_a_label_column_is_found_and_read(column: str, ai: str, human: str) -> None:
    found = genai.find_labels([("Size", ["1", "2"]), (column, [ai, human, ""])])

    assert found is not None
    assert (found.column, found.meanings) == (column, ("Y", "N", ""))


def test_a_column_nobody_knows_is_not_guessed() -> None:
    """Two letters in a column of any name may mean anything."""
    assert genai.find_labels([("Kind", ["Y", "N"]), ("Size", ["1", "0"])]) is None


def test_a_label_column_with_unknown_words_is_passed_over() -> None:
    found = genai.find_labels([("Label", ["cat", "dog"]), ("AIGenerated", ["1", "0"])])

    assert found is not None
    assert found.column == "AIGenerated"


def test_cells_that_say_nothing_are_named() -> None:
    assert genai.read_labels("Kind", ["Y", "maybe", ""]).unread == ("maybe",)


@pytest.mark.parametrize(
    ("one", "other"),
    [("file_0001.webP", "file_0001.webp"), ("a.b.PNG", "a.b.png")],
)
def test_the_case_of_a_suffix_makes_no_other_file(one: str, other: str) -> None:
    assert genai.same_file(one) == genai.same_file(other)


def test_the_case_of_a_name_does_make_another_file() -> None:
    assert genai.same_file("File_0001.webp") != genai.same_file("file_0001.webp")
    assert genai.bare_file("file_0001.webp") == "file_0001"
    assert genai.bare_file("file_0001") == "file_0001"
