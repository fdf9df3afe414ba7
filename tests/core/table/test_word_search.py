"""Words in very many cells: what is found must be what looking at each cell finds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forensicviewer.core.table.word_search import FramedCells, SearchedCells

letters = st.text(alphabet="abA1ß+\n", max_size=6)
words = st.text(alphabet="abA1ß+", min_size=1, max_size=4)


def held(cells: list[str], word: str) -> list[bool]:
    return [word.casefold() in cell.casefold() for cell in cells]


@given(cells=st.lists(letters, max_size=12), word=words)
def test_a_word_is_found_wherever_it_stands(cells: list[str], word: str) -> None:
    assert SearchedCells(cells).containing(word).tolist() == held(cells, word)


@given(cells=st.lists(letters, max_size=12), word=words)
def test_beginnings_ends_and_whole_cells_are_told_apart(cells: list[str], word: str) -> None:
    folded = [cell.casefold() for cell in cells]
    searched = SearchedCells(cells)

    sought = word.casefold()
    assert searched.beginning_with(word).tolist() == [c.startswith(sought) for c in folded]
    assert searched.ending_with(word).tolist() == [c.endswith(sought) for c in folded]
    assert searched.being(word).tolist() == [c == sought for c in folded]


@pytest.mark.parametrize("word", ["0", "7", "99", "12345", "cell", "x", "9\u0301"])
def test_many_blocks_of_cells_are_searched_as_one(word: str) -> None:
    cells = [f"Cell {number} {number % 7 * 'padding '}" for number in range(60_000)]

    assert SearchedCells(cells).containing(word).tolist() == held(cells, word)


def test_asking_again_gives_the_same_answer() -> None:
    searched = SearchedCells(["ab", "bc", "cd", "de", "ef"])

    for word in ("a", "b", "c", "d", "e", "a"):
        assert searched.containing(word).tolist() == held(["ab", "bc", "cd", "de", "ef"], word)


@given(
    inner=st.lists(st.text(alphabet="ab1", max_size=4), min_size=1, max_size=8),
    before=st.text(alphabet="ab/", max_size=3),
    after=st.text(alphabet="a.j", max_size=3),
    word=st.text(alphabet="ab1/.j", min_size=1, max_size=6),
)
def test_framed_cells_find_what_their_text_holds(
    inner: list[str], before: str, after: str, word: str
) -> None:
    cells = [f"{before}{cell}{after}" for cell in inner]
    framed = FramedCells.of(cells, inner, SearchedCells(inner))

    if framed is not None:
        assert framed.containing(word).tolist() == held(cells, word)


def test_only_cells_in_one_frame_share_the_search_of_others() -> None:
    ids = ["p1", "p2"]
    searched = SearchedCells(ids)

    assert FramedCells.of(["a/p1.jpg", "a/p2.jpg"], ids, searched) is not None
    assert FramedCells.of(["a/p1.jpg", "b/p2.jpg"], ids, searched) is None
    assert FramedCells.of(["a/p1.jpg"], ids, searched) is None
    assert FramedCells.of([], [], SearchedCells([])) is None


def test_letters_in_order_find_a_cell() -> None:
    searched = SearchedCells(["alpha-17", "beta-27", "gamma", "AlphA-71"])

    assert searched.holding_letters("aa7", limit=9).tolist() == [0, 3]
    assert searched.holding_letters("aa7", limit=1).tolist() == [0]
    assert searched.holding_letters("zz", limit=9).tolist() == []


def test_nothing_is_found_in_nothing() -> None:
    assert SearchedCells([]).containing("a").tolist() == []
    assert SearchedCells([]).holding_letters("a", limit=3).dtype == np.intp


@pytest.mark.parametrize("word", ["e/p1.j", "probe/p2.jpg", "/p.", "e/p10.j", "ee.j"])
def test_a_word_may_span_a_whole_cell_and_its_frame(word: str) -> None:
    ids = ["p1", "p2", "p10"]
    cells = [f"probe/{name}.jpg" for name in ids]

    framed = FramedCells.of(cells, ids, SearchedCells(ids))

    assert framed is not None
    assert framed.containing(word).tolist() == held(cells, word)


def test_a_word_that_fits_into_both_frames_is_not_found_in_an_unlike_cell() -> None:
    inner = ["x", "", "a"]

    framed = FramedCells.of([f"aa{cell}aa" for cell in inner], inner, SearchedCells(inner))

    assert framed is not None
    assert framed.containing("aaa").tolist() == [False, True, True]
