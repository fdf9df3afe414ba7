"""Nothing the window says is left out of the catalogues, and nothing else is in them."""

from pathlib import Path
from string import Formatter

import polib
import pytest

from forensicviewer.app.language.words import ENGLISH, languages
from tests.messages import (
    LANGUAGES,
    ROOT,
    Key,
    Message,
    bare_texts,
    bare_texts_of,
    catalogue,
    key_of,
    messages,
    refreshed,
    source_files,
    unclear_calls,
)

# Writes pictures for papers and reports, which are English whatever the window speaks.
FOR_EVERYBODY = frozenset(
    ROOT / "forensicviewer" / "ui" / name for name in ("panes/export.py", "judging/findings.py")
)
SPOKEN = [path for path in source_files("ui") if path not in FOR_EVERYBODY]
TRANSLATED = [code for code in languages() if code != ENGLISH]


def _translated(language: str) -> dict[Key, polib.POEntry]:
    return {key_of(entry): entry for entry in catalogue(language).translated_entries()}


@pytest.mark.parametrize("language", TRANSLATED)
def test_every_message_is_translated(language: str) -> None:
    missing = messages().keys() - _translated(language).keys()

    assert missing == set(), "make messages, then translate"


@pytest.mark.parametrize("language", TRANSLATED)
def test_a_catalogue_holds_nothing_the_window_does_not_say(language: str) -> None:
    assert _translated(language).keys() - messages().keys() == set(), "make messages"


@pytest.mark.parametrize("language", TRANSLATED)
def test_the_window_reads_what_the_translators_wrote(language: str) -> None:
    compiled = (LANGUAGES / f"{language}.mo").read_bytes()
    written = refreshed(catalogue(language), messages().values())

    assert compiled == written.to_binary(), "make messages"


@pytest.mark.parametrize("language", TRANSLATED)
def test_translations_keep_placeholders_plural_forms_and_signs(language: str) -> None:
    wrong = {
        entry.msgid: found for entry in _translated(language).values() if (found := _unlike(entry))
    }

    assert wrong == {}


def _unlike(entry: polib.POEntry) -> str:
    pairs = {entry.msgid: entry.msgstr}
    if entry.msgid_plural:
        if len(entry.msgstr_plural) != 2:
            return f"{len(entry.msgstr_plural)} forms instead of 2"
        pairs = dict(
            zip((entry.msgid, entry.msgid_plural), entry.msgstr_plural.values(), strict=True)
        )
    for original, said in pairs.items():
        if _placeholders(original) != _placeholders(said):
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


def _placeholders(text: str) -> set[tuple[str | None, str | None, str | None]]:
    """The parts of a text that are filled in, each with how it is to be written."""
    return {(name, spec, conversion) for _, name, spec, conversion in Formatter().parse(text)} - {
        (None, None, None)
    }


@pytest.mark.parametrize("path", SPOKEN, ids=lambda path: f"{path.parent.name}/{path.name}")
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
        '# All of it\nmsgid ""\nmsgstr "Language: fr\\n"\n\n# A translator\'s note\n#: ui/a.py\n'
        'msgid "Old \\"one\\": {x}"\nmsgstr "Vieux : {x}"\n\nmsgid "Gone"\nmsgstr "Parti"\n'
    )
    wanted = [
        Message('Old "one": {x}', sources=("ui/b.py", "ui/c.py")),
        Message("{count} trial", plural="{count} trials", sources=("ui/c.py",)),
    ]

    after = refreshed(polib.pofile(before), wanted)

    assert str(after) == (
        '# All of it\nmsgid ""\nmsgstr "Language: fr\\n"\n\n# A translator\'s note\n'
        '#: ui/b.py ui/c.py\nmsgid "Old \\"one\\": {x}"\nmsgstr "Vieux\u00a0: {x}"\n\n'
        '#: ui/c.py\nmsgid "{count} trial"\n'
        'msgid_plural "{count} trials"\nmsgstr[0] ""\nmsgstr[1] ""\n'
    )
    assert str(refreshed(after, wanted)) == str(after)
