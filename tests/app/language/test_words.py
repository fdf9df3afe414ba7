from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import polib
import pytest

from forensicviewer.app.language import words
from forensicviewer.app.language.words import (
    decimal,
    in_english,
    languages,
    spoken_language,
    tr,
    tr_many,
    use_language,
    whole,
)

_HEADER = (
    'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n'
    '"Plural-Forms: nplurals=2; plural=(n > 1);\\n"\n\n'
)
_COMPILED = polib.pofile(_HEADER + 'msgid "Trial"\nmsgstr "Fall"\n').to_binary()


@pytest.fixture(autouse=True)
def _back_to_english() -> Iterator[None]:
    yield
    use_language("en")


def _speak(code: str, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / f"{code}.mo").write_bytes(polib.pofile(_HEADER + text).to_binary())
    monkeypatch.setattr(words, "resource", lambda name: tmp_path / Path(name).name)
    assert use_language(code) == ()


def test_english_needs_no_catalogue(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(words, "resource", lambda name: tmp_path / name)

    assert use_language("en") == ()
    assert tr("Wrote {name}", name="a.png") == "Wrote a.png"
    assert tr_many("{count} trial", "{count} trials", 1) == "1 trial"
    assert tr_many("{count} trial", "{count} trials", 0) == "0 trials"


def test_texts_are_said_in_the_language_and_what_is_missing_in_english(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _speak("de", 'msgid "Wrote {name}"\nmsgstr "{name} geschrieben"\n', tmp_path, monkeypatch)

    assert tr("Wrote {name}", name="a.png") == "a.png geschrieben"
    assert tr("Trial") == "Trial"
    assert tr_many("{count} trial", "{count} trials", 2) == "2 trials"


def test_the_form_of_a_count_is_that_of_the_language(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = (
        'msgid "{count} trial of {name}"\nmsgid_plural "{count} trials of {name}"\n'
        'msgstr[0] "{count} essai de {name}"\nmsgstr[1] "{count} essais de {name}"\n'
    )
    _speak("fr", entry, tmp_path, monkeypatch)

    said = [
        tr_many("{count} trial of {name}", "{count} trials of {name}", count, name="A")
        for count in (0, 1, 2, 1000)
    ]

    assert said == ["0 essai de A", "1 essai de A", "2 essais de A", "1\u202f000 essais de A"]


def test_a_context_tells_apart_what_is_one_word_in_english(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entries = 'msgid "Sound"\nmsgstr "Ton"\n\nmsgctxt "verdict"\nmsgid "Sound"\nmsgstr "Gut"\n'
    _speak("de", entries, tmp_path, monkeypatch)

    assert (tr("Sound"), tr("Sound", context="verdict")) == ("Ton", "Gut")


def test_no_words_are_no_words_in_every_language() -> None:
    use_language("de")

    assert tr("") == ""


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"not a catalogue at all",
        b"\xde\x12\x04\x95",
        _COMPILED[: len(_COMPILED) // 2],
        _COMPILED.replace(b"UTF-8", b"UTF-0"),
        _COMPILED.replace(b"plural=(n > 1)", b"plural=(import)"),
        _COMPILED.replace(b"Trial", b"\xff\xfeial"),
    ],
)
def test_a_damaged_catalogue_leaves_english_and_says_so(
    content: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "de.mo").write_bytes(content)
    monkeypatch.setattr(words, "resource", lambda name: tmp_path / Path(name).name)

    (problem,) = use_language("de")

    assert "The Deutsch translation cannot be read" in problem.message
    assert (tr("Trial"), words.spoken_language()) == ("Trial", "en")


def test_a_catalogue_nobody_can_read_leaves_english_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(words, "resource", lambda name: tmp_path / name)

    problems = use_language("de")

    assert [problem.where for problem in problems] == [str(tmp_path / "languages" / "de.mo")]
    assert (tr("Trial"), decimal(0.5, 1), words.spoken_language()) == ("Trial", "0.5", "en")


@pytest.mark.parametrize("code", languages())
def test_every_language_is_shipped_whole(code: str) -> None:
    assert use_language(code) == ()
    assert words.spoken_language() == code


@pytest.mark.parametrize(("code", "said"), [("en", "12.5"), ("de", "12,5"), ("fr", "12,5")])
def test_measures_have_the_decimal_sign_of_the_language(code: str, said: str) -> None:
    use_language(code)

    assert decimal(12.5, 1) == said
    assert decimal(1234.56, 1) == f"1\u202f234{said[2]}6"
    assert whole(1234567) == "1\u202f234\u202f567"


def test_what_leaves_the_window_is_english_whatever_is_spoken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _speak("de", 'msgid "Hit"\nmsgstr "Treffer"\n', tmp_path, monkeypatch)

    with in_english():
        written = (tr("Hit"), decimal(12.5, 1), spoken_language())
        with ThreadPoolExecutor(1) as another:
            shown = another.submit(tr, "Hit").result()

    assert written == ("Hit", "12.5", "en")
    assert (shown, tr("Hit"), decimal(12.5, 1)) == ("Treffer", "Treffer", "12,5")
