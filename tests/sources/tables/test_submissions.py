import tarfile
import zipfile
from pathlib import Path

import pytest

from forensicviewer.core.model import Status, TaskKind, TrialId
from forensicviewer.core.problem import SubmissionError
from forensicviewer.sources.tables.submissions import parse_identity, read_submission
from tests.build import a_dataset, blurred, box, write_table

_MASK = "mask/p.png"


def _table(folder: Path, columns: str, *rows: str) -> Path:
    cells = [row.split("|") for row in rows]
    return write_table(folder / "sys" / "sys.csv", columns.split("|"), cells)


@pytest.mark.parametrize(
    ("columns", "row", "kind", "trial"),
    [
        (
            "ProbeFileID|ConfidenceScore|ProbeOutputMaskFileName",
            f"p|0.28|{_MASK}",
            TaskKind.MANIPULATION,
            "p",
        ),
        (
            "ProbeFileID|ConfidenceScore|OutputProbeMaskFileName|IsOptOut",
            f"p|0.28|{_MASK}|N",
            TaskKind.MANIPULATION,
            "p",
        ),
        (
            "ProbeFileID|ConfidenceScore|OutputProbeMaskFileName|ProbeStatus|ProbeOptOutPixelValue",
            f"p|0.28|{_MASK}|Processed|127",
            TaskKind.MANIPULATION,
            "p",
        ),
        (
            "ProbeFileID|DonorFileID|ConfidenceScore|ProbeOutputMaskFileName|DonorOutputMaskFileName",
            f"p|d|0.28|{_MASK}|mask/d.png",
            TaskKind.SPLICE,
            "p+d",
        ),
        (
            "ProbeFileID|TrainCamID|OutputProbeMaskFileName|ConfidenceScore|ProbeStatus",
            f"p|CAM-1_primary|{_MASK}|0.28|Processed",
            TaskKind.CAMERA,
            "p+CAM-1_primary",
        ),
        (
            "ProbeFileID|EventName|ConfidenceScore|ProbeStatus",
            "p|boston_marthon|0.28|Processed",
            TaskKind.EVENT,
            "p+boston_marthon",
        ),
        (
            "ProbeFileID|ConfidenceScore|ProbeStatus|VideoFrameSegments|AudioSampleSegments",
            "p|0.28|OptOutSpatial|[[30,30]]|[]",
            TaskKind.VIDEO,
            "p",
        ),
        (
            "ProvenanceProbeFileID|ConfidenceScore|ProvenanceOutputFileName|ProvenanceProbeStatus",
            "p|0.28|json/p.json|Processed",
            TaskKind.PROVENANCE,
            "p",
        ),
    ],
    ids=["NC2016", "NC2017", "MFC", "splice", "camera", "event", "video", "provenance"],
)
def test_every_years_columns_are_understood(
    tmp_path: Path, columns: str, row: str, kind: TaskKind, trial: str
) -> None:
    submission = read_submission(_table(tmp_path, columns, row), kind=None)

    answer = submission.answers.get(TrialId(trial))
    assert submission.kind is kind
    assert submission.problems == ()
    assert answer is not None
    assert answer.confidence == 0.28
    assert answer.mask == (_MASK if "Mask" in columns else None)
    assert answer.facts["ConfidenceScore"] == "0.28"


@pytest.mark.parametrize(
    ("column", "cell", "status"),
    [
        ("IsOptOut", "Y", Status.OPT_OUT_ALL),
        ("IsOptOut", "N", Status.PROCESSED),
        ("IsOptOut", "Localization", Status.OPT_OUT_LOCALIZATION),
        ("ProbeStatus", "OptOutDetection", Status.OPT_OUT_DETECTION),
        ("ProbeStatus", "FailedValidation", Status.FAILED_VALIDATION),
        ("ProbeStatus", "OptOut", Status.OPT_OUT_ALL),
        ("ProvenanceProbeStatus", "NonProcessed", Status.NON_PROCESSED),
        ("ProbeStatus", "", None),
    ],
)
def test_a_status_means_the_same_in_every_years_words(
    tmp_path: Path, column: str, cell: str, status: Status | None
) -> None:
    path = _table(tmp_path, f"ProbeFileID|ConfidenceScore|{column}", f"p|1|{cell}")

    answer = read_submission(path, kind=None).answers.get(TrialId("p"))

    assert answer is not None
    assert answer.status is status


def test_cells_that_cannot_be_meant_are_told_and_the_rest_is_used(tmp_path: Path) -> None:
    columns = "ProbeFileID|ConfidenceScore|ProbeStatus|ProbeOptOutPixelValue"
    path = _table(tmp_path, columns, "a|high|Processed|", "b|0.5|Maybe|300", "b|0.6|Processed|12")

    submission = read_submission(path, kind=TaskKind.MANIPULATION)

    assert [(p.rule, p.where) for p in submission.problems] == [
        ("submission.id-twice", "sys.csv:4"),
        ("submission.confidence", "sys.csv:2"),
        ("submission.status", "sys.csv:3"),
        ("submission.opt-out-pixel", "sys.csv:3"),
    ]
    first, second = (submission.answers.get(TrialId(trial)) for trial in "ab")
    assert first is not None
    assert first.confidence is None
    assert second is not None
    assert (second.confidence, second.status, second.opt_out_value) == (0.5, None, None)


def test_a_submission_without_its_key_column_opens_without_answers(tmp_path: Path) -> None:
    path = _table(tmp_path, "ProbeFileID|ConfidenceScore", "p|1")

    submission = read_submission(path, kind=TaskKind.SPLICE)

    assert [p.rule for p in submission.problems] == ["submission.column-missing"]
    assert len(submission.answers) == 0
    assert submission.answers.get(TrialId("p")) is None


@pytest.mark.parametrize("suffix", [".tgz", ".tar.gz", ".tar", ".zip"])
def test_an_archive_is_read_like_its_folder(tmp_path: Path, suffix: str) -> None:
    built = a_dataset(tmp_path).with_trial("p1", manipulated=box(0, 0, 9, 9))
    folder = built.with_answer("p1", blurred()).write().submission
    archive = folder.with_name(folder.name + suffix)
    _pack(folder, archive)

    submission = read_submission(archive, kind=None)

    answer = submission.answers.get(TrialId("p1"))
    assert submission.problems == ()
    assert submission.origin == archive
    assert submission.name == folder.name
    assert answer is not None
    assert (Path(submission.root) / str(answer.mask)).is_file()


def test_an_archive_is_unpacked_once(tmp_path: Path) -> None:
    folder = a_dataset(tmp_path).with_trial("p1").with_answer("p1").write().submission
    archive = folder.with_name(folder.name + ".zip")
    _pack(folder, archive)

    first = read_submission(archive, kind=None)
    table = Path(first.root) / f"{first.name}.csv"
    touched = table.stat().st_mtime_ns
    again = read_submission(archive, kind=None)

    assert again.root == first.root
    assert table.stat().st_mtime_ns == touched


def test_a_table_not_named_after_its_folder_is_told(tmp_path: Path) -> None:
    write_table(tmp_path / "a" / "b.csv", ["ProbeFileID", "ConfidenceScore"], [["p", "1"]])

    submission = read_submission(tmp_path / "a", kind=None)

    assert [p.rule for p in submission.problems] == ["submission.name"]
    assert submission.name == "b"


@pytest.mark.parametrize(
    ("tables", "rule"),
    [
        ([], "submission.no-table"),
        (["x.csv", "y.csv"], "submission.several"),
        (["a/a.csv", "b/b.csv"], "submission.several"),
    ],
)
def test_a_folder_with_no_or_several_tables_is_no_submission(
    tmp_path: Path, tables: list[str], rule: str
) -> None:
    for name in tables:
        write_table(tmp_path / "sub" / name, ["ProbeFileID"], [["p"]])
    (tmp_path / "sub").mkdir(exist_ok=True)

    with pytest.raises(SubmissionError) as refused:
        read_submission(tmp_path / "sub", kind=None)

    assert refused.value.rule == rule


def test_what_archivers_add_of_their_own_is_overlooked(tmp_path: Path) -> None:
    for name in ("s/s.csv", "s/._s.csv", "__MACOSX/s.csv", ".hidden/s.csv"):
        write_table(tmp_path / "sub" / name, ["ProbeFileID", "ConfidenceScore"], [["p", "1"]])

    submission = read_submission(tmp_path / "sub", kind=None)

    assert submission.name == "s"
    assert submission.root == tmp_path / "sub" / "s"


@pytest.mark.parametrize(
    ("name", "identity"),
    [
        (
            "NIST_NC2016_Splice_ImgOnly_p-me_1",
            "team=NIST evaluation=NC2016 task=Splice condition=ImgOnly system=p-me version=1",
        ),
        (
            "NIST_NC17_DRYRUN17_Splice_ImgMeta_p-baseline_3",
            "team=NIST evaluation=NC17 dataset=DRYRUN17 task=Splice condition=ImgMeta "
            "system=p-baseline version=3",
        ),
        (
            "Base_NC2016_Manipulation_ImgOnly_p-dct_02_optout",
            "team=Base evaluation=NC2016 task=Manipulation condition=ImgOnly system=p-dct "
            "version=02 suffix=optout",
        ),
        ("p-dct_02", "system=p-dct version=02"),
        ("c-dct_02_try_7", "system=c-dct version=02 suffix=try_7"),
        ("anything", ""),
        ("p-dct", ""),
    ],
)
def test_the_name_of_an_experiment_is_taken_apart(name: str, identity: str) -> None:
    assert parse_identity(name) == dict(part.split("=") for part in identity.split())


def _pack(folder: Path, archive: Path) -> None:
    if archive.suffix == ".zip":
        with zipfile.ZipFile(archive, "w") as packed:
            for path in sorted(folder.rglob("*")):
                packed.write(path, f"{folder.name}/{path.relative_to(folder).as_posix()}")
        return
    with tarfile.open(archive, "w:gz" if "gz" in archive.name else "w") as tape:
        tape.add(folder, arcname=folder.name)


@pytest.mark.parametrize(
    ("columns", "rule", "hint"),
    [
        (
            "ProbeFileID|ProbeFileName|ProbeWidth",
            "submission.no-answers",
            "its columns are ProbeFileID, ProbeFileName, ProbeWidth",
        ),
        (
            "ProbeFileID|Confidence_Score|OutputProbeMaskFileName",
            "submission.column-missing",
            "rename the column Confidence_Score to ConfidenceScore",
        ),
        (
            "probefileid|ConfidenceScore|OutputProbeMaskFileName",
            "submission.column-missing",
            "rename the column probefileid to ProbeFileID",
        ),
    ],
    ids=["an index", "a misspelled score", "a key in small letters"],
)
def test_missing_columns_are_told_with_the_one_probably_meant(
    tmp_path: Path, columns: str, rule: str, hint: str
) -> None:
    submission = read_submission(_table(tmp_path, columns, "p|1|"), kind=None)

    assert [(told.rule, told.hint) for told in submission.problems] == [(rule, hint)]


def test_a_flat_archive_is_called_by_its_own_name(tmp_path: Path) -> None:
    table = _table(tmp_path, "ProbeFileID|ConfidenceScore", "p|1")
    archive = tmp_path / "other.tgz"
    with tarfile.open(archive, "w:gz") as tape:
        tape.add(table, "sys.csv")

    (told,) = read_submission(archive, kind=None).problems

    assert told.message == "The table name differs from its archive other.tgz"


def test_segments_that_cannot_be_read_are_told(tmp_path: Path) -> None:
    table = _table(
        tmp_path, "ProbeFileID|ConfidenceScore|VideoFrameSegments", "a|1|[[1,2]]", "b|1|[[1"
    )

    (told,) = read_submission(table, kind=None).problems

    assert (told.rule, told.where) == ("submission.segments", "sys.csv:3")


@pytest.mark.parametrize("name", ["renamed.tgz", "renamed.zip"])
def test_an_archive_is_known_by_its_content(tmp_path: Path, name: str) -> None:
    table = _table(tmp_path, "ProbeFileID|ConfidenceScore", "p|1")
    if name.endswith(".zip"):
        with tarfile.open(tmp_path / name, "w:gz") as tape:
            tape.add(table, "sys/sys.csv")
    else:
        with zipfile.ZipFile(tmp_path / name, "w") as packed:
            packed.write(table, "sys/sys.csv")

    assert len(read_submission(tmp_path / name, kind=None).answers) == 1


def test_a_submission_packed_with_its_parents_is_found(tmp_path: Path) -> None:
    table = _table(tmp_path / "home" / "team", "ProbeFileID|ConfidenceScore", "p|1")

    submission = read_submission(tmp_path / "home", kind=None)

    assert (submission.root, submission.problems) == (table.parent, ())


def test_an_archive_whose_table_was_refused_says_so(tmp_path: Path) -> None:
    archive = tmp_path / "evil.tar"
    with tarfile.open(archive, "w") as tape:
        tape.addfile(tarfile.TarInfo("../evil.csv"))

    with pytest.raises(SubmissionError, match="The archive does not contain a table") as refused:
        read_submission(archive, kind=None)

    assert refused.value.hint == "the file name '../evil.csv' leaves its folder"
