"""Says the window's texts and numbers in the user's language.

English stands in the code and needs no catalogue; a text that a catalogue lacks is said in
English. Tables of commands, settings and the like keep their English and are translated where
they are shown, so no text depends on what was imported first.

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

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from types import MappingProxyType

from forensicviewer.app.language.po_catalogue import (
    Catalogue,
    CatalogueError,
    key_of,
    read_catalogue,
)
from forensicviewer.app.runtime.resources import resource
from forensicviewer.core.problem import Problem, ProblemLog, Severity

ENGLISH = "en"
_APART = "\u202f"


# Spaces that belong to a sign: a line never ends between the two.
_TIED = {
    " :": "\u00a0:",
    "« ": "«\u00a0",
    " »": "\u00a0»",
    **{f" {sign}": f"{_APART}{sign}" for sign in ";!?%"},
}


@dataclass(frozen=True, slots=True)
class _Language:
    """``is_tied`` where signs stand apart from words; translators write plain spaces there."""

    title: str
    decimal_sign: str
    is_tied: bool = False


_LANGUAGES = {
    ENGLISH: _Language("English", "."),
    "de": _Language("Deutsch", ","),
    "fr": _Language("Français", ",", is_tied=True),
}
_IN_ENGLISH = Catalogue(MappingProxyType({}), lambda count: int(count != 1))

_language = ENGLISH
_catalogue = _IN_ENGLISH
# Of each thread by itself: a worker may write a file while the window goes on speaking.
_only_english = ContextVar("only_english", default=False)


def languages() -> Mapping[str, str]:
    """The codes of the languages the window speaks, and what each calls itself."""
    return {code: language.title for code, language in _LANGUAGES.items()}


def use_language(code: str) -> tuple[Problem, ...]:
    """Say everything in this language from now on; what stands in the window already stays.

    A catalogue that cannot be read leaves the window English, and the answer says why.
    """
    global _language, _catalogue
    log = ProblemLog()
    catalogue = _IN_ENGLISH
    if code != ENGLISH:
        try:
            catalogue = read_catalogue(resource(f"languages/{code}.po"), log)
            catalogue = _tied(catalogue) if _LANGUAGES[code].is_tied else catalogue
        except CatalogueError as error:
            log.add(error.as_problem(Severity.WARNING))
            code = ENGLISH
    _language, _catalogue = code, catalogue
    return log.freeze()


def _tied(catalogue: Catalogue) -> Catalogue:
    def tie(text: str) -> str:
        for apart, tied in _TIED.items():
            text = text.replace(apart, tied)
        return text

    texts = {key: tuple(map(tie, forms)) for key, forms in catalogue.texts.items()}
    return replace(catalogue, texts=texts)


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


def _spoken() -> Catalogue:
    return _IN_ENGLISH if _only_english.get() else _catalogue


def tr(text: str, /, *, context: str = "", **parts: object) -> str:
    """The text in the user's language, its ``{parts}`` filled in.

    ``context`` tells apart texts that are the same in English only.
    """
    found = _spoken().texts.get(key_of(text, context))
    said = text if found is None else found[0]
    return said.format(**parts) if parts else said


def tr_many(singular: str, plural: str, count: int, /, **parts: object) -> str:
    """The form that fits a count, ``{count}`` and other ``{parts}`` filled in."""
    spoken = _spoken()
    found = spoken.texts.get(singular)
    if found is not None and (form := spoken.plural_form(count)) < len(found):
        said = found[form]
    else:
        said = singular if count == 1 else plural
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
