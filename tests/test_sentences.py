"""Texts for users are plain English: the worst patterns do not come back."""

from collections import Counter

import pytest

from tests.sentences import draw, sentences, stilted, stilted_code


def test_no_sentence_for_users_reads_as_translated() -> None:
    found = [(each.where, stilted(each.text), each.text) for each in sentences()]

    assert [each for each in found if each[1]] == []
    assert len(found) > 3000


def test_no_docstring_reads_as_translated() -> None:
    assert stilted_code() == []


@pytest.mark.parametrize(
    "text",
    [
        "1.5 is no opacity",
        "The key is told in the key sheet",
        "whoever asks what other rules would have given it",
        "The number stands below the pane",
        "No other answer can be had",
        "What was recognised is said in a message",
        "Every picture has a mask",
        "marked, but in no journal",
        "While pressed in, the threshold follows it",
        "200 images, as the plans want",
    ],
)
def test_the_patterns_find_what_readers_stumbled_over(text: str) -> None:
    assert stilted(text)


@pytest.mark.parametrize(
    "text", ["There is no reference mask", "The file is no longer open", "The mask is not valid"]
)
def test_plain_sentences_pass(text: str) -> None:
    assert stilted(text) == ""


def test_a_draw_can_be_repeated_and_has_every_kind() -> None:
    kinds = Counter(each.kind for each in draw(7, 60))

    assert draw(7, 60) == draw(7, 60)
    assert draw(7, 60) != draw(8, 60)
    assert {"window", "help", "problem", "manual", "readme", "changelog", "table"} <= set(kinds)
