"""What the program does about its memory."""

from __future__ import annotations

import gc

import pytest

from forensicviewer.app.memory import resident_bytes, unsearched


def test_the_memory_held_is_told_where_the_system_knows_it() -> None:
    held = resident_bytes()

    assert held is None or held > 1_000_000


def test_garbage_is_searched_again_after_something_large_was_read() -> None:
    gc.enable()

    with unsearched():
        assert not gc.isenabled()

    assert gc.isenabled()


def test_a_failed_reading_leaves_the_search_as_it_was() -> None:
    gc.enable()

    with pytest.raises(ValueError, match="broken"), unsearched():
        raise ValueError("broken")

    assert gc.isenabled()
