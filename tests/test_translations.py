"""Nothing the window says is left out of the catalogues, and nothing else is in them."""

from pathlib import Path

import pytest

from forensicviewer.app.language.po_catalogue import Entry, mismatch, placeholders, read_entries
from forensicviewer.app.language.words import ENGLISH, languages
from tests.messages import (
    LANGUAGES,
    Message,
    bare_texts,
    bare_texts_of,
    messages,
    refreshed,
    source_files,
    unclear_calls,
)

# Writes pictures for papers and reports, which are English whatever the window speaks.
FOR_EVERYBODY = frozenset({"export.py", "findings.py"})
SPOKEN = [path for path in source_files("ui") if path.name not in FOR_EVERYBODY]
TRANSLATED = [code for code in languages() if code != ENGLISH]


def _catalogue(language: str) -> dict[str, Entry]:
    text = (LANGUAGES / f"{language}.po").read_text(encoding="utf-8")
    return {entry.key: entry for entry in read_entries(text) if entry.text}


@pytest.mark.parametrize("language", TRANSLATED)
def test_every_message_is_translated(language: str) -> None:
    catalogue = _catalogue(language)

    missing = [
        message.text
        for key, message in messages().items()
        if key not in catalogue or not catalogue[key].is_translated
    ]

    assert missing == [], "make messages, then translate"


@pytest.mark.parametrize("language", TRANSLATED)
def test_a_catalogue_holds_nothing_the_window_does_not_say(language: str) -> None:
    assert _catalogue(language).keys() - messages().keys() == set(), "make messages"


@pytest.mark.parametrize("language", TRANSLATED)
def test_translations_keep_placeholders_plural_forms_and_signs(language: str) -> None:
    wrong = {
        entry.text: found
        for entry in _catalogue(language).values()
        if entry.is_translated and (found := mismatch(entry, 2) or _unlike(entry))
    }

    assert wrong == {}


def _unlike(entry: Entry) -> str:
    for original, said in zip((entry.text, entry.plural), entry.translations, strict=False):
        if original is None or placeholders(original) != placeholders(said):
            return f"placeholders of {said!r}"
        for sign in ("…", "&", "(*.", "\n"):
            if original.count(sign) != said.count(sign):
                return f"{sign!r} in {said!r}"
        if original[:1].isspace() != said[:1].isspace():
            return f"space before {said!r}"
        if original[-1:].isspace() != said[-1:].isspace() or said.endswith(".") != (
            original.endswith(".")
        ):
            return f"end of {said!r}"
    return ""


@pytest.mark.parametrize("path", SPOKEN, ids=lambda path: path.name)
def test_what_the_window_says_is_translated(path: Path) -> None:
    assert bare_texts(path) == []


def test_texts_are_put_together_after_they_are_translated() -> None:
    paths = source_files("ui") + source_files("app")

    assert [call for path in paths for call in unclear_calls(path)] == []


def test_bare_texts_are_found_and_names_are_not() -> None:
    code = (
        '"""A module."""\n'
        'label.setText("Open dataset")\n'
        'label.setText(f"{count} trials left")\n'
        'label.setText(tr("Close dataset"))\n'
        'label.setText(f"MCC {mcc:.4f}, {size} px")\n'
        'label.setProperty("role", "muted")\n'
        'raise KeyError("not in the table")\n'
    )

    assert bare_texts_of(code) == ["Open dataset", " trials left"]


def test_refreshing_keeps_translations_and_drops_what_is_no_longer_said() -> None:
    before = (
        'msgid ""\nmsgstr "Language: de\\n"\n\n# A translator\'s note\n#: ui/a.py\n'
        'msgid "Old \\"one\\""\nmsgstr "Alt"\n\nmsgid "Gone"\nmsgstr "Weg"\n'
    )
    wanted = [
        Message('Old "one"', sources=("ui/b.py",)),
        Message("{count} trial", plural="{count} trials", sources=("ui/c.py",)),
    ]

    after = refreshed(before, "de", wanted)

    assert after == (
        'msgid ""\nmsgstr "Language: de\\n"\n\n# A translator\'s note\n#: ui/b.py\n'
        'msgid "Old \\"one\\""\nmsgstr "Alt"\n\n#: ui/c.py\nmsgid "{count} trial"\n'
        'msgid_plural "{count} trials"\nmsgstr[0] ""\nmsgstr[1] ""\n'
    )
    assert refreshed(after, "de", wanted) == after
