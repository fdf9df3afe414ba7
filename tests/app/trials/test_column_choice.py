"""What was changed about the columns of the trial list is read as it was written."""

from __future__ import annotations

import pytest

from forensicviewer.app.trials.column_choice import ColumnChoice


def test_a_choice_is_read_as_it_was_written() -> None:
    choice = ColumnChoice(widths={"MCC": 80}, order=("Trial", "MCC"))
    choice = choice.toggled("NMM", shown=False, usually=True)
    choice = choice.toggled("ProbeFileName", shown=True, usually=False)

    assert ColumnChoice.from_bytes(choice.as_bytes()) == choice


def test_a_width_no_column_can_have_is_limited() -> None:
    choice = ColumnChoice.from_bytes(b'{"widths": {"MCC": -5, "NMM": 1000000}}')

    assert choice.widths == {"MCC": 24, "NMM": 4000}


@pytest.mark.parametrize("content", [b"\xff", b"[]", b"{", b'{"widths": [], "order": [1, "NMM"]}'])
def test_whatever_was_kept_leaves_columns_to_show(content: bytes) -> None:
    choice = ColumnChoice.from_bytes(content)

    assert choice.shows("MCC", usually=True)
    assert not choice.widths
