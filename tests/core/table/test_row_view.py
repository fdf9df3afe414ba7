from __future__ import annotations

import pickle

import pytest

from forensicviewer.core.table.row_view import RowView

COLUMNS = {"ProbeFileID": ["p1", "p2"], "IsTarget": ["Y", "N"]}


def test_a_row_reads_like_a_dictionary_of_its_cells() -> None:
    row = RowView(COLUMNS, 1)

    assert row == {"ProbeFileID": "p2", "IsTarget": "N"}
    assert {**row, "IsTarget": "Y"} == {"ProbeFileID": "p2", "IsTarget": "Y"}
    assert row.get("DonorFileID", "") == ""
    with pytest.raises(KeyError, match="DonorFileID"):
        row["DonorFileID"]


def test_a_row_sent_to_another_process_takes_no_other_row_along() -> None:
    many = RowView({"ProbeFileID": [f"probe-{number}" for number in range(10_000)]}, 3)

    sent = pickle.dumps(many)

    assert pickle.loads(sent) == {"ProbeFileID": "probe-3"}
    assert len(sent) < 200
