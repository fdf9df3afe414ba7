"""Reads text tables of any dialect: pipes, tabs, commas, quotes, irregular rows."""

from __future__ import annotations

import codecs
import csv
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from forensicviewer.core.problem import CodecError, ProblemLog
from forensicviewer.core.table.text_table import Column, Table
from forensicviewer.sources.tables.row_scan import UTF16_MARKS, Count, FoundRows, TableBytes

SUFFIXES = (".csv", ".tsv", ".psv")
MAX_BYTES = 4_000_000_000
# NIST's widest table has under a hundred; a header of a million would only eat memory and time.
MAX_COLUMNS = 10_000
# A broken table must not bury its user: this many rows are named per kind of problem.
NAMED_ROWS = 20

_HEADER_BYTES = 1 << 16
_SEPARATORS = ("|", "\t", ",", ";")


def read_table(path: Path, *, name: str, log: ProblemLog, count: Count | None = None) -> Table:
    """Read a whole table; ``name`` is what messages call it, ``count`` receives the bytes read.

    Rows that are too short are filled with blank cells, cells beyond the header are dropped, and
    both are reported. Raises :class:`CodecError` only where there is no table at all.
    """
    content = _read_bytes(path, name=name, count=count)
    _report_nul(content, name=name, log=log)
    if content.is_plain:
        header, separator = _header_of(content.first_line, name=name)
        names = _unique_names(header, name=name, log=log)
        found = content.rows(separator=separator, width=len(names))
        if found is not None:
            _report_ragged(found.short, found.long, width=len(names), name=name, log=log)
            quoted = _quoted(names, content.first_line, separator)
            return _packed_table(found, names, name=name, quoted_names=quoted)
    return _read_by_record(content.as_bytes(), name=name, log=log)


def _packed_table(
    found: FoundRows, names: Sequence[str], *, name: str, quoted_names: Iterable[str]
) -> Table:
    columns: dict[str, Column] = dict(zip(names, found.columns, strict=True))
    return Table(name, columns, lines=found.lines, quoted_names=frozenset(quoted_names))


def _quoted(names: Iterable[str], line: str, separator: str) -> Iterator[str]:
    plain = {cell.strip() for cell in line.split(separator)}
    return (name for name in names if f'"{name}"' in plain and name not in plain)


def _read_by_record(content: bytes, *, name: str, log: ProblemLog) -> Table:
    """Read cell by cell with the csv module: slower, but for every kind of quotes."""
    lines = _lines(_decode(content, name=name, log=log))
    header, separator = _header_of(lines[0] if lines else "", name=name)
    names = _unique_names(header, name=name, log=log)
    numbers, rows = _rows(lines[1:], separator=separator, name=name, log=log)
    cells = _rectangular(rows, numbers, width=len(names), name=name, log=log)
    columns = {key: Column.of(column) for key, column in zip(names, cells, strict=True)}
    quoted = frozenset(_quoted(names, lines[0], separator))
    return Table(name, columns, lines=np.asarray(numbers, dtype=np.intp), quoted_names=quoted)


def read_header(path: Path) -> tuple[str, ...]:
    """The column names of a table; empty where the file has none or cannot be read."""
    return read_first_rows(path)[0]


def read_first_rows(path: Path) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The header and the first row, without reading the rest."""
    try:
        with path.open("rb") as stream:
            start = stream.read(_HEADER_BYTES)
    except OSError:
        return (), ()
    lines = _lines(_decode(start, name="", log=ProblemLog()))
    if not lines or not lines[0].strip():
        return (), ()
    separator = separator_of(lines[0])
    header = tuple(_names_of(_cells(lines[0], separator)))
    return header, tuple(_cells(lines[1], separator)) if len(lines) > 1 else ()


def separator_of(header: str) -> str:
    """The separator of a header line: a pipe if there is one, as NIST writes.

    Otherwise the most frequent one, as a column name may contain a comma.
    """
    return "|" if "|" in header else max(_SEPARATORS, key=header.count)


def _read_bytes(path: Path, *, name: str, count: Count | None) -> TableBytes:
    try:
        if path.stat().st_size > MAX_BYTES:
            raise CodecError(
                "The table is too large to read",
                where=name,
                hint=f"tables can have up to {MAX_BYTES // 1_000_000_000} GB",
                rule="table.size",
            )
        return TableBytes.read(path, count=count)
    except MemoryError as error:
        raise CodecError(
            "The table does not fit into memory", where=name, rule="table.size"
        ) from error
    except OSError as error:
        raise CodecError(
            f"The table cannot be read ({error.strerror})", where=name, rule="table.unreadable"
        ) from error


def _report_nul(content: TableBytes, *, name: str, log: ProblemLog) -> None:
    if not content.count("\0"):
        return
    lines = content.as_bytes().split(b"\n")
    _report(
        [number for number, line in enumerate(lines, start=1) if b"\0" in line],
        "Row contains NUL bytes, which are not text",
        hint="save the table as UTF-8; its cells were read unchanged",
        rule="table.nul",
        name=name,
        log=log,
    )


def _decode(content: bytes, *, name: str, log: ProblemLog) -> str:
    if content.startswith(UTF16_MARKS):
        return content.decode("utf-16", errors="replace")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return _decode_by_line(content.removeprefix(codecs.BOM_UTF8), name=name, log=log)


def _decode_by_line(content: bytes, *, name: str, log: ProblemLog) -> str:
    decoded: list[str] = []
    broken: list[int] = []
    for number, line in enumerate(content.split(b"\n"), start=1):
        try:
            decoded.append(line.decode("utf-8"))
        except UnicodeDecodeError:
            # Most such lines come from Western spreadsheets; Latin-1 has a letter for every byte.
            decoded.append(line.decode("latin-1"))
            broken.append(number)
    _report(
        broken,
        "Row is not UTF-8 text and was read as Latin-1",
        hint="save the table as UTF-8",
        rule="table.encoding",
        name=name,
        log=log,
    )
    return "\n".join(decoded)


def _lines(text: str) -> list[str]:
    # Not str.splitlines: it also splits at signs that only look like line ends, such as U+2028.
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if not lines[-1]:
        lines.pop()
    return [line + "\n" for line in lines]


def _header_of(line: str, *, name: str) -> tuple[list[str], str]:
    if not line.strip():
        raise CodecError(
            "The table is empty",
            where=name,
            hint="its first row must name the columns",
            rule="table.empty",
        )
    separator = separator_of(line)
    if line.count(separator) >= MAX_COLUMNS:
        raise CodecError(
            f"The table has more than {MAX_COLUMNS} columns",
            where=name,
            hint="check that its first row holds the names of the columns",
            rule="table.columns",
        )
    try:
        cells = _cells(line, separator)
    except csv.Error as error:
        raise CodecError(
            "The first row does not name columns",
            where=name,
            hint="check whether this is a table",
            rule="table.header",
        ) from error
    return _names_of(cells), separator


def _names_of(cells: Sequence[str]) -> list[str]:
    """The names in a header; a separator at its end, as in NIST's GenAI plan, is ignored."""
    names = [cell.strip() for cell in cells]
    while len(names) > 1 and not names[-1]:
        names.pop()
    return names


def _cells(line: str, separator: str) -> list[str]:
    return next(csv.reader([line], delimiter=separator), [])


def _unique_names(header: Iterable[str], *, name: str, log: ProblemLog) -> list[str]:
    seen: dict[str, int] = {}
    names: list[str] = []
    for position, column in enumerate(header, start=1):
        title = column or f"Column{position}"
        seen[title] = seen.get(title, 0) + 1
        if seen[title] > 1:
            log.warn(
                f"Column {title} occurs more than once",
                where=f"{name}:1",
                hint=f"the first one is used; this one is named {title}_{seen[title]}",
                rule="table.column-twice",
            )
            title = f"{title}_{seen[title]}"
        names.append(title)
    return names


def _rows(
    lines: Sequence[str], *, separator: str, name: str, log: ProblemLog
) -> tuple[list[int], list[list[str]]]:
    numbers: list[int] = []
    rows: list[list[str]] = []
    for number, row in _records(lines, separator=separator, name=name, log=log):
        if any(row):
            numbers.append(number)
            rows.append(row)
    return numbers, rows


def _records(
    lines: Sequence[str], *, separator: str, name: str, log: ProblemLog
) -> Iterator[tuple[int, list[str]]]:
    """(line number, cells) of each record; a quote that is never closed ends with its line."""
    start = 0
    while start < len(lines):
        reader = csv.reader((lines[i] for i in range(start, len(lines))), delimiter=separator)
        before = 0
        try:
            for row in reader:
                record = lines[start + before : start + reader.line_num]
                if _is_unclosed(record, separator, is_last=start + reader.line_num == len(lines)):
                    break
                yield start + before + 2, row
                before = reader.line_num
            else:
                return
        except csv.Error:
            # The csv module refuses cells over 128 KiB, which is what a lost quote looks like.
            pass
        number = start + before
        log.warn(
            "A quotation mark is not closed",
            where=f"{name}:{number + 2}",
            hint="the row was read unchanged",
            rule="table.quote",
        )
        yield number + 2, lines[number].rstrip("\n").split(separator)
        start = number + 1


def _is_unclosed(record: Sequence[str], separator: str, *, is_last: bool) -> bool:
    """Whether a record continues only because a closing quote is missing.

    The csv module ends it at whatever quote comes next, which then stands in front of a cell's
    text instead of behind it; its strict reading refuses that, and an end of file inside quotes.
    """
    if len(record) == 1 and not is_last:
        return False
    if len(record) == 1 and record[0].count('"') % 2 == 0:
        return False
    try:
        list(csv.reader(record, delimiter=separator, strict=True))
    except csv.Error:
        return True
    return False


def _rectangular(
    rows: Sequence[list[str]],
    numbers: Sequence[int],
    *,
    width: int,
    name: str,
    log: ProblemLog,
) -> list[list[str]]:
    """The cells by column; every row has the length of the header."""
    short = [number for number, row in zip(numbers, rows, strict=True) if len(row) < width]
    long = [
        number
        for number, row in zip(numbers, rows, strict=True)
        if any(cell.strip(" \t") for cell in row[width:])
    ]
    _report_ragged(short, long, width=width, name=name, log=log)
    return [[row[i] if i < len(row) else "" for row in rows] for i in range(width)]


def _report_ragged(
    short: Sequence[int], long: Sequence[int], *, width: int, name: str, log: ProblemLog
) -> None:
    _report(
        short,
        f"Row has fewer cells than the {width} columns",
        hint="the missing cells are treated as blank",
        rule="table.short-row",
        name=name,
        log=log,
    )
    _report(
        long,
        f"Row has more cells than the {width} columns",
        hint="the extra cells are ignored",
        rule="table.long-row",
        name=name,
        log=log,
    )


def _report(
    numbers: Sequence[int], message: str, *, hint: str, rule: str, name: str, log: ProblemLog
) -> None:
    for number in numbers[:NAMED_ROWS]:
        log.warn(message, where=f"{name}:{number}", hint=hint, rule=rule)
    if len(numbers) > NAMED_ROWS:
        log.warn(
            f"{message}: {len(numbers) - NAMED_ROWS} more rows", where=name, hint=hint, rule=rule
        )
