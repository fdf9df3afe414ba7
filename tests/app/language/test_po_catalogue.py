from pathlib import Path

import pytest

from forensicviewer.app.language.po_catalogue import (
    Catalogue,
    CatalogueError,
    key_of,
    read_catalogue,
)
from forensicviewer.core.problem import ProblemLog

_HEADER = 'msgid ""\nmsgstr ""\n"Plural-Forms: nplurals=2; plural=(n > 1);\\n"\n\n'


def _read(tmp_path: Path, text: str, log: ProblemLog | None = None) -> Catalogue:
    path = tmp_path / "xx.po"
    path.write_text(_HEADER + text, encoding="utf-8")
    return read_catalogue(path, ProblemLog() if log is None else log)


def test_a_text_is_found_by_its_original(tmp_path: Path) -> None:
    found = _read(tmp_path, '#: ui/window.py\nmsgid "Trial"\nmsgstr "Fall"\n')

    assert found.texts == {"Trial": ("Fall",)}


def test_texts_go_on_over_several_lines_and_keep_what_is_escaped(tmp_path: Path) -> None:
    found = _read(
        tmp_path, 'msgid ""\n"A \\"b\\"\\n"\n"c\\\\"\nmsgstr ""\n"D \\"e\\"\\n"\n"\\tf\\\\"\n'
    )

    assert found.texts == {'A "b"\nc\\': ('D "e"\n\tf\\',)}


def test_the_same_words_mean_two_things_in_two_contexts(tmp_path: Path) -> None:
    found = _read(
        tmp_path,
        'msgid "Sound"\nmsgstr "Ton"\nmsgctxt "verdict"\nmsgid "Sound"\nmsgstr "In Ordnung"\n',
    )

    assert found.texts == {"Sound": ("Ton",), key_of("Sound", "verdict"): ("In Ordnung",)}


def test_plural_forms_follow_the_header(tmp_path: Path) -> None:
    found = _read(
        tmp_path,
        'msgid "{count} trial"\nmsgid_plural "{count} trials"\n'
        'msgstr[0] "{count} essai"\nmsgstr[1] "{count} essais"\n',
    )

    assert found.texts == {"{count} trial": ("{count} essai", "{count} essais")}
    assert [found.plural_form(n) for n in (0, 1, 2)] == [0, 0, 1]


@pytest.mark.parametrize(
    "entry",
    [
        'msgid "Trial"\nmsgstr ""\n',
        '#, fuzzy\nmsgid "Trial"\nmsgstr "Prozess"\n',
        '#~ msgid "Trial"\n#~ msgstr "Prozess"\n',
    ],
)
def test_what_is_not_finished_counts_as_not_translated(tmp_path: Path, entry: str) -> None:
    assert _read(tmp_path, entry).texts == {}


@pytest.mark.parametrize(
    ("translation", "wrong"),
    [
        ("{nome}", "strange placeholder {nome}"),
        ("{name:d}", "strange placeholder {name:d}"),
        ("{name} }", "brace without its other half"),
    ],
)
def test_a_translation_that_cannot_be_filled_in_is_left_out_and_told(
    tmp_path: Path, translation: str, wrong: str
) -> None:
    log = ProblemLog()

    found = _read(tmp_path, f'msgid "Wrote {{name}}"\nmsgstr "{translation}"\n', log)

    assert found.texts == {}
    assert [wrong in problem.message for problem in log] == [True]


def test_a_plural_with_too_few_forms_is_left_out_and_told(tmp_path: Path) -> None:
    log = ProblemLog()

    found = _read(tmp_path, 'msgid "one"\nmsgid_plural "many"\nmsgstr[0] "un"\n', log)

    assert found.texts == {}
    assert [problem.message for problem in log] == [
        "The translation of “one” has 1 forms instead of 2"
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (_HEADER.encode() + b'msgid "a\nmsgstr "b"\n', "line 5 has no closing"),
        (_HEADER.encode() + b'msgtext "a"\nmsgstr "b"\n', "line 5 is not understood"),
        (_HEADER.encode() + b'msgid a\nmsgstr "b"\n', "line 5 is not understood"),
        (_HEADER.encode() + b'msgid "a"\n"b\nmsgstr "b"\n', "line 6 has no closing"),
        (_HEADER.encode() + b"\x00\x01", "line 5 is not understood"),
        (_HEADER.encode() + b'msgid "a"\n', "ends in the middle"),
        (b'"text"\n', "belongs to no message"),
        (b"\xff\xfe", "not written in UTF-8"),
        (b'msgid "a"\nmsgstr "b"\n', "no Plural-Forms"),
        (b'msgid ""\nmsgstr "Plural-Forms: nplurals=2; plural=(import os);"\n', "cannot be used"),
    ],
)
def test_a_damaged_catalogue_is_told_with_its_place(
    tmp_path: Path, content: bytes, message: str
) -> None:
    path = tmp_path / "xx.po"
    path.write_bytes(content)

    with pytest.raises(CatalogueError, match=message) as caught:
        read_catalogue(path, ProblemLog())

    assert caught.value.where == str(path)


def test_a_missing_catalogue_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(CatalogueError, match="Cannot be read"):
        read_catalogue(tmp_path / "xx.po", ProblemLog())
