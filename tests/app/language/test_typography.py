"""Signs stand as each language has them: French apart from the word, German quotes low and high."""

import re
from collections.abc import Iterator

import pytest

from forensicviewer.app.language.words import labelled, tr, use_language
from tests.messages import catalogue, messages

NO_BREAK = "\u00a0\u202f"


@pytest.fixture
def _french() -> Iterator[None]:
    assert use_language("fr") == ()
    yield
    use_language("en")


def texts_of(language: str) -> list[str]:
    entries = catalogue(language)
    return [text for entry in entries for text in (entry.msgstr, *entry.msgstr_plural.values())]


@pytest.mark.usefixtures("_french")
def test_french_has_a_space_before_a_colon_at_which_no_line_ends() -> None:
    assert labelled("Fichier", "Ouvrir") == "Fichier\u00a0: Ouvrir"


@pytest.mark.usefixtures("_french")
def test_no_french_sign_follows_a_plain_space_or_none() -> None:
    said = [tr(text, context=context) for text, context in messages()]

    wrong = [text for text in said if re.search(rf"[^{NO_BREAK}\n][:;!?»](?=\s|$)", text)]

    assert len(said) > 500
    assert wrong == []


def test_german_quotes_are_low_and_high() -> None:
    quoted = [text for text in texts_of("de") if re.search('["„“”«»]', text)]

    assert [t for t in quoted if re.search('["”«»]', t) or t.count("„") != t.count("“")] == []
    assert quoted


def test_german_has_no_space_before_signs() -> None:
    assert [text for text in texts_of("de") if re.search(r"\s[:;!?]", text)] == []
