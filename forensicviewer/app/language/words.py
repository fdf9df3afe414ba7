"""Says the window's texts and numbers in the user's language.

English stands in the code and needs no catalogue; a text that a catalogue lacks is said in
English. Catalogues are the .mo files ``make messages`` compiles from the translators' .po files.
Tables of commands, settings and the like keep their English and are translated where they are
shown, so no text depends on what was imported first.

On purpose English everywhere: NIST's names (MCC, columns, file formats, the query language),
problems and errors about files, logs, reports, exported tables, the manual's pages (commands in
them are named as the menus name them), and the command line, which never asks for another language.

Numbers on screen have the decimal sign of the language. Thousands stand apart by a narrow space
in every language, as ISO 80000 has it: beside a score such as 0.731 neither a point nor a comma
could be taken for anything else. NIST's scores keep their point, so that they match NIST's files
to the last printed digit; they are formatted as ever, not with ``decimal``. Files and what is
copied are always in English and the C locale: what makes them out of the window's own texts does so
``in_english``.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from gettext import GNUTranslations, NullTranslations

from forensicviewer.app.runtime.resources import resource
from forensicviewer.core.problem import Problem, Severity

ENGLISH = "en"
NO_NUMBER = "–"  # noqa: RUF001 - what people write where there is no number
_APART = "\u202f"


@dataclass(frozen=True, slots=True)
class _Language:
    title: str
    decimal_sign: str


_LANGUAGES = {
    ENGLISH: _Language("English", "."),
    "de": _Language("Deutsch", ","),
    "fr": _Language("Français", ","),
}
_IN_ENGLISH = NullTranslations()

_language = ENGLISH
_catalogue = _IN_ENGLISH
# Of each thread by itself: a worker may write a file while the window goes on speaking.
_only_english = ContextVar("only_english", default=False)


def languages() -> Mapping[str, str]:
    """The codes of the languages the window speaks, and what each calls itself."""
    return {code: language.title for code, language in _LANGUAGES.items()}


def use_language(code: str) -> tuple[Problem, ...]:
    """Use this language from now on; existing texts of the window stay.

    A catalogue that cannot be read leaves the window English, and the answer says why.
    """
    global _language, _catalogue
    _language, _catalogue = ENGLISH, _IN_ENGLISH
    if code == ENGLISH:
        return ()
    path = resource(f"languages/{code}.mo")
    try:
        with path.open("rb") as file:
            _catalogue = GNUTranslations(file)
    except (OSError, ValueError, LookupError, struct.error) as error:
        message = f"The {_LANGUAGES[code].title} translation cannot be read: {error}"
        hint = "install forensicviewer again"
        return (Problem(Severity.WARNING, message, str(path), hint),)
    _language = code
    return ()


def spoken_language() -> str:
    """The code of the language in use."""
    return ENGLISH if _only_english.get() else _language


@contextmanager
def in_english() -> Iterator[None]:
    """Say everything in English meanwhile: what leaves the window is for everybody."""
    before = _only_english.set(True)
    try:
        yield
    finally:
        _only_english.reset(before)


def _spoken() -> NullTranslations:
    return _IN_ENGLISH if _only_english.get() else _catalogue


def tr(text: str, /, *, context: str = "", **parts: object) -> str:
    """The text in the user's language, its ``{parts}`` filled in.

    ``context`` tells apart texts that are the same in English only.
    """
    spoken = _spoken()
    # What a catalogue has for the empty text is its header.
    said = text and (spoken.pgettext(context, text) if context else spoken.gettext(text))
    return said.format(**parts) if parts else said


def tr_many(singular: str, plural: str, count: int, /, **parts: object) -> str:
    """The form that fits a count, ``{count}`` and other ``{parts}`` filled in."""
    said = _spoken().ngettext(singular, plural, count)
    return said.format(count=whole(count), **parts)


def labelled(name: str, value: str) -> str:
    """A name with what belongs to it: French has a space before the colon."""
    return tr("{name}: {value}", name=name, value=value)


def to_translate(text: str, /) -> str:
    """Marks a text of a table that is translated where it is shown: ``tr(TABLE[key])``."""
    return text


def whole(number: int) -> str:
    """A count as it is read on screen: 1 234 567."""
    return f"{number:,}".replace(",", _APART)


def decimal(number: float, places: int) -> str:
    """A measure as it is read on screen (12.5 or 12,5); not for NIST's scores and thresholds."""
    said = f"{number:,.{places}f}".replace(",", _APART)
    return said.replace(".", _LANGUAGES[spoken_language()].decimal_sign)
