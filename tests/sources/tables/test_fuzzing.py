"""Whatever bytes a file holds: a table comes out, or one clean refusal."""

import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from forensicviewer.app.datasets.opening import open_dataset, open_submission
from forensicviewer.core.model import TrialId
from forensicviewer.core.problem import CodecError, ForensicViewerError, ProblemLog
from forensicviewer.core.table.text_table import Table
from forensicviewer.sources.tables.separated_text import read_table

_HEADER = b"TaskID|ProbeFileID|ProbeFileName|ProbeWidth|ProbeHeight|IsTarget\n"
_SIGNS = [b"|", b"\n", b"\r\n", b"\r", b'"', b'""', b",", b"\t", b"\0", b" ", b"\xff", b"\xc3"]
_WORDS = [
    b"a",
    b"p1",
    b"\xef\xbb\xbf",
    b"\xe2\x80\xa8",
    b"../",
    b"/",
    b"C:\\",
    b"-1",
    b"1e999",
    b"nan",
]
_PIECES = st.sampled_from([*_SIGNS, *_WORDS])
_CONTENT = st.lists(_PIECES, max_size=40).map(b"".join)


@given(st.one_of(st.binary(max_size=300), _CONTENT))
def test_any_bytes_are_a_table_or_are_refused(content: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.csv"
        path.write_bytes(content)
        log = ProblemLog()
        try:
            table = read_table(path, name="t.csv", log=log)
        except CodecError as error:
            table, log = Table("none", {}), ProblemLog([error.as_problem()])

    assert [len(row) for row in table.rows()] == [len(table.names)] * len(table)
    assert all(problem.rule.startswith("table.") for problem in log)


@given(_CONTENT)
def test_any_rows_make_a_dataset_whose_trials_can_be_looked_at(content: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "NC2017-manipulation-ref.csv"
        path.write_bytes(_HEADER + content)

        dataset = open_dataset(path)

    trials = dataset.tasks[0].trials
    assert all(trials[row].probe.id.strip() for row in range(len(trials)))
    assert all(problem.rule and problem.where for problem in dataset.problems)


@given(_CONTENT)
def test_any_rows_make_a_submission_whose_answers_can_be_looked_at(content: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "s.csv"
        path.write_bytes(
            b"ProbeFileID|ConfidenceScore|OutputProbeMaskFileName|IsOptOut\n" + content
        )

        submission = open_submission(path)

    cells = submission.table["ProbeFileID"]
    answers = [submission.answers.get(TrialId(cell)) for cell in cells]
    assert all(answer is not None for answer in answers)


@given(st.binary(max_size=200), st.sampled_from([".zip", ".tgz", ".tar"]))
def test_any_bytes_called_an_archive_are_refused(content: bytes, suffix: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"s{suffix}"
        path.write_bytes(content)
        try:
            open_submission(path)
        except ForensicViewerError as error:
            refused = error

    assert refused.rule in ("archive.broken", "submission.no-table")
