"""Reads catalogues of translations: gettext's .po files, as translators' tools write them.

Read as text at the start of the window, so that no compiled copy can be out of date. What a
program has no use for (comments, obsolete entries) is passed over; an unfinished (fuzzy) or empty
translation counts as none. A translation that has other placeholders than its original would stop
the window when it is filled in, so it is left out and told.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from gettext import c2py
from pathlib import Path
from string import Formatter

from forensicviewer.core.problem import ForensicViewerError, ProblemLog

_CONTEXT_END = "\x04"
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}
_ESCAPE = re.compile(r"\\(.)")
_PLURALS = re.compile(r"nplurals\s*=\s*(\d+)\s*;\s*plural\s*=\s*([^;\n]+)")


class CatalogueError(ForensicViewerError):
    """A catalogue cannot be read."""


@dataclass(slots=True)
class Entry:
    """One message of a catalogue; ``translations`` has one text for each plural form."""

    text: str = ""
    context: str = ""
    plural: str | None = None
    translations: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    is_fuzzy: bool = False

    @property
    def key(self) -> str:
        return key_of(self.text, self.context)

    @property
    def is_translated(self) -> bool:
        return bool(self.translations) and all(self.translations) and not self.is_fuzzy


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The translations of one language; ``plural_form`` says which of them a count needs."""

    texts: Mapping[str, tuple[str, ...]]
    plural_form: Callable[[int], int]


def key_of(text: str, context: str = "") -> str:
    """What a message is found by; the same words can mean two things in two contexts."""
    return f"{context}{_CONTEXT_END}{text}" if context else text


def read_catalogue(path: Path, log: ProblemLog) -> Catalogue:
    """The finished translations of a file; those that cannot be used are told to ``log``."""
    try:
        entries = list(read_entries(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise CatalogueError(f"Cannot be read: {error.strerror}", where=path) from error
    except UnicodeDecodeError as error:
        raise CatalogueError("The catalogue is not written in UTF-8", where=path) from error
    except ValueError as error:
        raise CatalogueError(f"Damaged catalogue: {error}", where=path) from error
    header = next((entry for entry in entries if not entry.text), Entry())
    count, plural_form = _plural_rule("".join(header.translations), path)
    texts = {}
    for entry in entries:
        if not entry.text or not entry.is_translated:
            continue
        if wrong := mismatch(entry, count):
            log.warn(f"The translation of “{entry.text}” {wrong}", where=str(path))
        else:
            texts[entry.key] = tuple(entry.translations)
    return Catalogue(texts, plural_form)


def mismatch(entry: Entry, plural_count: int) -> str:
    """What keeps a translation from being used; nothing if all is well."""
    expected = 1 if entry.plural is None else plural_count
    if len(entry.translations) != expected:
        return f"has {len(entry.translations)} forms instead of {expected}"
    if not any("{" in text or "}" in text for text in (entry.text, *entry.translations)):
        return ""
    known = placeholders(entry.text) | placeholders(entry.plural or "")
    try:
        strange = set[str]().union(*map(placeholders, entry.translations)) - known
    except ValueError:
        return "has a brace without its other half"
    return f"has a strange placeholder {{{min(strange)}}}" if strange else ""


def placeholders(text: str) -> frozenset[str]:
    """The parts of a text that are filled in, each with how it is to be written."""
    return frozenset(
        f"{name}!{conversion}:{spec}" if conversion else f"{name}:{spec}" if spec else name
        for _, name, spec, conversion in Formatter().parse(text)
        if name is not None
    )


def read_entries(text: str) -> Iterator[Entry]:
    """Every entry in the order of the file, the header first; ValueError says what is damaged."""
    entry, part = Entry(), ""
    for number, line in enumerate(text.splitlines(), start=1):
        line = line.strip()
        if line.startswith('"'):
            _extend(entry, part, _unquoted(line, number))
        elif not line or line.startswith("#"):
            if part.startswith("msgstr"):
                yield entry
                entry, part = Entry(), ""
            _remark(entry, line)
        else:
            before, (part, _, quoted) = part, line.partition(" ")
            if before.startswith("msgstr") and not part.startswith("msgstr"):
                yield entry
                entry = Entry()
            if not _begin(entry, part) or not quoted.startswith('"'):
                raise ValueError(f"line {number} is not understood")
            _extend(entry, part, _unquoted(quoted, number))
    if part.startswith("msgstr"):
        yield entry
    elif part:
        raise ValueError("it ends in the middle of a message")


def _remark(entry: Entry, line: str) -> None:
    if line.startswith("#,"):
        entry.is_fuzzy = "fuzzy" in line
    elif line.startswith("# "):
        entry.notes.append(line)


def _begin(entry: Entry, part: str) -> bool:
    """Make room for what a keyword announces; whether it is one."""
    if part.startswith("msgstr"):
        entry.translations.append("")
        return True
    return part in ("msgid", "msgctxt", "msgid_plural")


def _extend(entry: Entry, part: str, text: str) -> None:
    if part == "msgid":
        entry.text += text
    elif part.startswith("msgstr"):
        entry.translations[-1] += text
    elif part == "msgctxt":
        entry.context += text
    elif part == "msgid_plural":
        entry.plural = (entry.plural or "") + text
    else:
        raise ValueError("it begins with a text that belongs to no message")


def _unquoted(quoted: str, number: int) -> str:
    if len(quoted) < 2 or not quoted.endswith('"'):
        raise ValueError(f"line {number} has no closing quotation mark")
    text = quoted[1:-1]
    if "\\" not in text:
        return text
    return _ESCAPE.sub(lambda found: _ESCAPES.get(found[1], found[1]), text)


def _plural_rule(header: str, path: Path) -> tuple[int, Callable[[int], int]]:
    found = _PLURALS.search(header)
    if found is None:
        raise CatalogueError("The catalogue's header has no Plural-Forms", where=path)
    try:
        return int(found[1]), c2py(found[2].strip())
    except ValueError as error:
        raise CatalogueError(f"Plural-Forms cannot be used: {error}", where=path) from error
