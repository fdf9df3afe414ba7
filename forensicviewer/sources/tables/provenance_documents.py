"""Reads provenance documents: journals, and the graphs systems return (NIST's JSON schemas)."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from forensicviewer.core.graph.provenance import (
    Confidence,
    JournalLink,
    JournalNode,
    ProvenanceJournal,
    SystemGraph,
    SystemLink,
    SystemNode,
)
from forensicviewer.core.model import Submission, TaskKind
from forensicviewer.core.problem import (
    CodecError,
    ForensicViewerError,
    Problem,
    ProblemLog,
    Severity,
    UnsafePathError,
)
from forensicviewer.sources.files.json_parts import count_values, decode_in_parts
from forensicviewer.sources.files.limits import FileLimits
from forensicviewer.sources.files.paths import check_name, resolve_inside

LONGEST_TEXT = 4096  # as long as a path may be on most systems
# A broken document must not bury its user: this many places are named per kind of problem.
NAMED_PLACES = 5
_OUTPUT = "ProvenanceOutputFileName"
_LOOKED_AT = 5  # documents, until one can be read

_HINTS = {
    "graph.dangling": "source and target are positions in the list of nodes, counted from 0",
    "graph.repeated-id": "give every node a unique id",
    "graph.repeated-file": "return every image once; several links can use it",
    "graph.wrong-type": "write it as NIST's schema for these documents requires",
    "graph.missing-field": "write it as NIST's schema for these documents requires",
    "graph.long-text": "name images as the world table does",
    "graph.outside": "name images as the world table does; nothing outside the dataset is opened",
    "graph.no-links": 'write "links": [] if there are no links',
    "graph.no-nodes": 'write "nodes": [] if there are no nodes',
    "journal.id": "links and tables refer to the last one",
}
# Names that may lead elsewhere; all others need no closer look.
_ODD_NAME = re.compile(r"^[/~]|[\\:\x00-\x1f\x7f]|\.\.")

_Element = TypeVar("_Element")


def read_journal(path: Path, *, name: str, log: ProblemLog) -> ProvenanceJournal:
    """Read a journal; ``name`` is what messages call it.

    Invalid nodes and links are left out and reported. Raises :class:`CodecError` only where
    there is no list of nodes at all.
    """
    document = _Document.read(path, name=name, log=log)
    nodes = _parsed(document.nodes(), _journal_node)
    document.repeated((node.id for node in nodes.values()), "Journal node id", rule="journal.id")
    links = _parsed(document.links(), _link_parser(document, nodes, _journal_link))
    document.finish()
    return ProvenanceJournal(tuple(nodes.values()), tuple(links.values()))


def read_system_graph(
    path: Path, *, name: str, log: ProblemLog, needs_links: bool = True
) -> SystemGraph:
    """Read a system's answer; links may be absent where only images were asked for."""
    document = _Document.read(path, name=name, log=log)
    nodes = _parsed(document.nodes(), _system_node)
    document.repeated((node.id for node in nodes.values()), "Node id", rule="graph.repeated-id")
    document.repeated((node.file for node in nodes.values()), "Image", rule="graph.repeated-file")
    if needs_links and not document.has("links"):
        document.tell("The document has no list of links", rule="graph.no-links")
    make = _system_link if needs_links else _optional_system_link
    links = _parsed(document.links(), _link_parser(document, nodes, make))
    document.finish()
    return SystemGraph(tuple(nodes.values()), tuple(links.values()))


def ranks_only(submission: Submission) -> bool:
    """Whether the first document of a submission lists images without a link between them.

    That is what provenance filtering asks for (Appendix C of the plans): its tables have the same
    columns as those of graphs, and MFC2019's names say nothing about the task.
    """
    if submission.kind is not TaskKind.PROVENANCE or _OUTPUT not in submission.table:
        return False
    for row in range(min(_LOOKED_AT, len(submission.table))):
        cell = submission.table.cell(_OUTPUT, row)
        try:
            path = resolve_inside(Path(submission.root), cell)
            graph = read_system_graph(path, name=cell, log=ProblemLog(), needs_links=False)
        except (ForensicViewerError, OSError):
            continue
        return len(graph.nodes) > 1 and not graph.links
    return False


class _Document:
    """One JSON object and what is wrong with it.

    The first few problems of each kind are listed by place, the others counted.
    """

    def __init__(self, content: Mapping[str, Any], *, name: str, log: ProblemLog) -> None:
        self._content = content
        self._name = name
        self._log = log
        self._times: Counter[tuple[str, str, Severity]] = Counter()

    @classmethod
    def read(cls, path: Path, *, name: str, log: ProblemLog) -> _Document:
        content = _read_json(path, name=name)
        if not isinstance(content, dict):
            raise CodecError(
                "The document is not a JSON object",
                where=name,
                hint="it must start with { and contain nodes and links",
                rule="json.no-object",
            )
        return cls(content, name=name, log=log)

    def has(self, key: str) -> bool:
        return key in self._content

    def nodes(self) -> Iterator[_Entry]:
        if not isinstance(self._content.get("nodes"), list):
            raise CodecError(
                "The document has no list of nodes",
                where=self._name,
                hint=_HINTS["graph.no-nodes"],
                rule="graph.no-nodes",
            )
        return self._entries("nodes")

    def links(self) -> Iterator[_Entry]:
        if not isinstance(self._content.get("links", []), list):
            self.tell("The links are not a list", rule="graph.wrong-type")
            return iter(())
        return self._entries("links")

    def _entries(self, key: str) -> Iterator[_Entry]:
        for i, content in enumerate(self._content.get(key, ())):
            place = f"{key}[{i}]"
            if isinstance(content, dict):
                yield _Entry(self, i, content, place)
            else:
                self.tell(f"An entry of {key} is not an object", place, rule="graph.wrong-type")

    def tell(
        self, message: str, place: str = "", *, rule: str, severity: Severity = Severity.ERROR
    ) -> None:
        kind = (message, rule, severity)
        self._times[kind] += 1
        if self._times[kind] <= NAMED_PLACES:
            where = f"{self._name}:{place}" if place else self._name
            self._log.add(Problem(severity, message, where, _HINTS.get(rule, ""), rule))

    def repeated(self, keys: Iterator[str], what: str, *, rule: str) -> None:
        for key, times in Counter(keys).items():
            if times > 1 and key:
                message = f"{what} occurs more than once"
                self.tell(message, _shown(key), rule=rule, severity=Severity.WARNING)

    def finish(self) -> None:
        for (message, rule, severity), n in self._times.items():
            if n > NAMED_PLACES:
                more = f"{message} ({n - NAMED_PLACES} more times)"
                hint = _HINTS.get(rule, "")
                self._log.add(Problem(severity, more, self._name, hint, rule))


class _Entry:
    """One node or link of a document, read field by field."""

    def __init__(
        self, document: _Document, position: int, content: Mapping[str, Any], place: str
    ) -> None:
        self._document = document
        self.position = position
        self.content = content
        self.place = place

    def text(self, key: str, *, required: bool = True) -> str:
        """The field's text; blank where it has none."""
        value = self.content.get(key)
        if isinstance(value, str):
            return value if len(value) <= LONGEST_TEXT else self._shortened(key, value)
        if value is not None or required:
            self._wrong(key, value, "text")
        return "" if value is None or isinstance(value, dict | list) else str(value)

    def _shortened(self, key: str, value: str) -> str:
        """Shorten an overlong name so that it still differs from others."""
        self.tell(f"{key} is longer than {LONGEST_TEXT} characters", rule="graph.long-text")
        digest = hashlib.blake2b(value.encode("utf-8", "replace"), digest_size=8).hexdigest()
        return f"{value[:100]}…{digest}"

    def confidence(self, key: str, *, required: bool = True) -> Confidence | None:
        value = self.content.get(key)
        if isinstance(value, int | float) and not isinstance(value, bool) and _is_finite(value):
            return value
        if value is not None or required:
            self._wrong(key, value, "a number")
        return None

    def node(self, key: str) -> int | None:
        """Position of the node a link names; ``None`` where it names none."""
        value = self.content.get(key)
        if isinstance(value, bool) or not isinstance(value, int | float) or value % 1 != 0:
            self._wrong(key, value, "the position of a node")
            return None
        return int(value)

    def tell(self, message: str, *, rule: str) -> None:
        self._document.tell(message, self.place, rule=rule)

    def _wrong(self, key: str, value: object, expected: str) -> None:
        if value is None:
            self.tell(f"{key} is missing", rule="graph.missing-field")
        else:
            self.tell(f"{key} is not {expected}", rule="graph.wrong-type")


def _is_finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:
        # A whole number of hundreds of digits, which nothing else could compute with.
        return False


def _parsed(
    entries: Iterator[_Entry], parse: Callable[[_Entry], _Element | None]
) -> dict[int, _Element]:
    """The readable parts, by position in the document."""
    found = ((entry.position, parse(entry)) for entry in entries)
    return {position: element for position, element in found if element is not None}


def _journal_node(entry: _Entry) -> JournalNode | None:
    node_id = entry.text("id")
    if not node_id:
        return None
    return JournalNode(
        id=node_id,
        file=entry.text("file", required=False),
        kind=entry.text("nodetype", required=False),
        facts=entry.content,
    )


def _system_node(entry: _Entry) -> SystemNode | None:
    file = entry.text("file")
    if not file:
        return None
    if _ODD_NAME.search(file) and not _stays_inside(file):
        entry.tell("The image path leads outside the dataset", rule="graph.outside")
    return SystemNode(
        id=entry.text("id"),
        file=file,
        confidence=entry.confidence("nodeConfidenceScore"),
        file_id=entry.text("fileid", required=False),
    )


def _stays_inside(file: str) -> bool:
    try:
        check_name(file)
    except UnsafePathError:
        return False
    return True


def _link_parser(
    document: _Document,
    nodes: Mapping[int, object],
    make: Callable[[_Entry, int, int], _Element],
) -> Callable[[_Entry], _Element | None]:
    """Makes links whose ends exist; positions are counted without the nodes left out."""
    place = {old: new for new, old in enumerate(nodes)}

    def parse(entry: _Entry) -> _Element | None:
        ends = entry.node("source"), entry.node("target")
        if ends[0] is None or ends[1] is None:
            return None
        source, target = place.get(ends[0]), place.get(ends[1])
        if source is None or target is None:
            document.tell("A link refers to a missing node", entry.place, rule="graph.dangling")
            return None
        return make(entry, source, target)

    return parse


def _journal_link(entry: _Entry, source: int, target: int) -> JournalLink:
    return JournalLink(source, target, entry.text("op"), entry.content)


def _system_link(entry: _Entry, source: int, target: int) -> SystemLink:
    confidence = entry.confidence("relationshipConfidenceScore")
    return SystemLink(source, target, confidence, entry.text("operation", required=False))


def _optional_system_link(entry: _Entry, source: int, target: int) -> SystemLink:
    confidence = entry.confidence("relationshipConfidenceScore", required=False)
    return SystemLink(source, target, confidence, entry.text("operation", required=False))


def _read_json(path: Path, *, name: str) -> object:
    try:
        limits = FileLimits.from_environment()
        if path.stat().st_size > limits.document_mb * 1_000_000:
            raise _too_large(f"more than {limits.document_mb} MB", name)
        document = path.read_bytes()
        if count_values(document) > limits.document_values:
            raise _too_large(f"more than {limits.document_values} values", name)
        return decode_in_parts(document)
    except OSError as error:
        raise CodecError(
            f"The document cannot be read ({error.strerror})", where=name, rule="json.unreadable"
        ) from error
    except UnicodeDecodeError as error:
        raise CodecError(
            f"The document is not JSON: byte {error.start + 1} is not text",
            where=name,
            hint="save it as UTF-8",
            rule="json.broken",
        ) from error
    except ValueError as error:
        raise CodecError(
            f"The document is not JSON{_broken_at(error)}",
            where=name,
            hint="write it with a JSON library, or check it with one",
            rule="json.broken",
        ) from error
    except RecursionError as error:
        raise CodecError(
            "The document is nested too deeply",
            where=name,
            hint="nodes and links must be lists of plain objects",
            rule="json.nesting",
        ) from error


def _too_large(what: str, name: str) -> CodecError:
    return CodecError(
        f"The document is too large to read: {what}",
        where=name,
        hint="if it is trustworthy, raise “Size of a document” in the settings",
        rule="json.size",
    )


def _broken_at(error: ValueError) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f": {error.msg.lower()} in line {error.lineno}, column {error.colno}"
    # The only other thing Python refuses.
    return ": a number has thousands of digits"


def _shown(key: str) -> str:
    return key if len(key) <= 80 else key[:77] + "…"
