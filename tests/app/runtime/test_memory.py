"""What the program does about its memory."""

from __future__ import annotations

import gc
import os

import pytest

from forensicviewer.app.runtime.memory import memory_for_pictures_mb, resident_bytes, unsearched


def test_the_memory_held_is_told_where_the_system_knows_it() -> None:
    held = resident_bytes()

    assert held is None or held > 1_000_000


@pytest.mark.parametrize(
    ("installed_gb", "expected_mb"), [(2, 1024), (16, 2048), (24, 3072), (256, 4096)]
)
def test_pictures_get_an_eighth_of_the_memory(
    monkeypatch: pytest.MonkeyPatch, installed_gb: int, expected_mb: int
) -> None:
    told = {"SC_PAGE_SIZE": 4096, "SC_PHYS_PAGES": (installed_gb << 30) // 4096}
    monkeypatch.setattr(os, "sysconf", told.__getitem__)

    assert memory_for_pictures_mb() == expected_mb


def test_a_system_that_does_not_tell_its_memory_is_taken_to_have_little(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr(os, "sysconf")

    assert memory_for_pictures_mb() == 1024


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
