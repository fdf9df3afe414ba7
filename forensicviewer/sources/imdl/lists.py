"""Lists of images and masks: IMDL-BenCo's JSON in its three shapes, and rows of text."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from forensicviewer.core.problem import DatasetError
from forensicviewer.sources.files.json_parts import count_values
from forensicviewer.sources.files.limits import FileLimits
from forensicviewer.sources.imdl.pair import is_image

MEMBER_KINDS = ("ManiDataset", "JsonDataset")
TEXT_SUFFIXES = (".txt", ".csv", ".tsv", ".lst", ".list")
# What lists write in place of a mask; IMDL-BenCo knows "Negative" alone.
_NO_MASK = frozenset({"negative", "neagative", "none", "n", "null", ""})
_LABELS = {"1": True, "0": False, "-1": None, "1.0": True, "0.0": False}
_MOST_ROWS = 5_000_000
_MOST_MEMBERS = 200
_SIGNS = re.compile(r"[,|\t]")


@dataclass(frozen=True, slots=True)
class ListRow:
    """One line: an image, its mask where there is one, and whether it is manipulated."""

    line: int
    image: str
    mask: str
    is_target: bool | None


@dataclass(frozen=True, slots=True)
class ListFile:
    """What a list holds: ``rows`` of pairs, or other datasets as ``members`` by name."""

    rows: tuple[ListRow, ...] = ()
    members: tuple[tuple[str, str], ...] = ()
    kind: str = ""


def read_list(path: Path) -> ListFile:
    """The list, whichever of its shapes it has; told apart by content."""
    try:
        limits = FileLimits.from_environment()
        if not path.is_file():
            raise _unusable(path, "The list is not an ordinary file")
        if path.stat().st_size > limits.document_mb << 20:
            raise _unusable(path, "The list exceeds the size limit of documents")
        content = path.read_bytes()
        if path.suffix.lower() == ".json" and count_values(content) > limits.document_values:
            raise _unusable(path, "The list exceeds the value limit of documents")
    except OSError as error:
        raise _unusable(path, f"The list cannot be read ({error.strerror})") from error
    if path.suffix.lower() == ".json":
        return _read_json(path, content)
    return _read_text(path, content)


def looks_like_list(path: Path) -> bool:
    """Whether the first lines of a text name images and masks."""
    if path.suffix.lower() == ".json":
        return _begins_like_json(path)
    if path.suffix.lower() not in TEXT_SUFFIXES:
        return False
    try:
        with path.open("rb") as stream:
            lines = stream.read(4096).decode("utf-8", "replace").splitlines()[:5]
    except OSError:
        return False
    cells = [_cells(line) for line in lines if line.strip()]
    return bool(cells) and any(len(row) >= 2 and is_image(row[0]) for row in cells)


def _begins_like_json(path: Path) -> bool:
    try:
        with path.open("rb") as stream:
            start = stream.read(4096).lstrip()
    except OSError:
        return False
    names = (b"Dataset", b"Negative", *(f'.{s}"'.encode() for s in ("jpg", "png", "tif", "json")))
    is_test_list = start.startswith(b"{") and re.match(rb'\{\s*"[^"]*"\s*:\s*"', start) is not None
    is_pairs = re.match(rb'\[\s*\[\s*"', start) is not None
    return is_test_list or (is_pairs and any(name in start for name in names))


def _read_json(path: Path, content: bytes) -> ListFile:
    try:
        document = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise _unusable(path, f"The list is not valid JSON ({error})") from error
    if isinstance(document, dict):
        members = [(str(name), each) for name, each in document.items() if isinstance(each, str)]
        if len(members) < len(document) or not members:
            raise _unusable(path, "The document is not a list of test sets")
        return _of_members(members, path, kind="test list")
    if not isinstance(document, list) or not document:
        raise _unusable(path, "The document is not a list of images and masks")
    first = document[0]
    if _is_member(first):
        members = [_member(each, path) for each in document]
        return _of_members(members, path, kind="BalancedDataset")
    rows = tuple(_row(number, each, path) for number, each in enumerate(document, start=1))
    return ListFile(rows, kind="JsonDataset")


def _is_member(entry: object) -> bool:
    """Whether an entry names a class of datasets, IMDL-BenCo's or one registered with it."""
    kind = entry[0] if isinstance(entry, list) and len(entry) == 2 else None
    return isinstance(kind, str) and (
        kind in MEMBER_KINDS or (kind.isidentifier() and kind.lower().endswith("dataset"))
    )


def _of_members(members: Sequence[tuple[str, str]], path: Path, *, kind: str) -> ListFile:
    """A list of datasets; one that is named again, to be drawn from more often, is read once."""
    different = tuple(dict.fromkeys(members))
    if len(different) > _MOST_MEMBERS:
        raise _unusable(path, f"The list names more than {_MOST_MEMBERS} datasets")
    return ListFile(members=different, kind=kind)


def _member(entry: object, path: Path) -> tuple[str, str]:
    if isinstance(entry, list) and len(entry) == 2 and isinstance(entry[1], str):
        return entry[1].rstrip("/").rpartition("/")[2].removesuffix(".json"), entry[1]
    raise _unusable(path, "A member of the list is not a pair of kind and path")


def _row(number: int, entry: object, path: Path) -> ListRow:
    if (
        isinstance(entry, list)
        and len(entry) >= 2
        and isinstance(entry[0], str)
        and isinstance(entry[1], str)
    ):
        is_authentic = entry[1].strip().lower() in _NO_MASK
        return ListRow(number, entry[0], "" if is_authentic else entry[1], not is_authentic)
    raise DatasetError(
        "An entry of the list is not a pair of image and mask",
        where=f"{path}, entry {number}",
        hint='write ["image.jpg", "mask.png"], or "Negative" in place of the mask',
        rule="imdl.list-entry",
    )


def _read_text(path: Path, content: bytes) -> ListFile:
    rows = []
    text = content.decode("utf-8-sig", "replace")
    for number, line in enumerate(text.splitlines()[:_MOST_ROWS], start=1):
        cells = _cells(line)
        if not cells or not is_image(cells[0]):
            continue  # a blank line, or a header
        mask = cells[1] if len(cells) > 1 else ""
        has_mask = mask.lower() not in _NO_MASK
        is_target: bool | None = has_mask
        if len(cells) > 2 and cells[2] in _LABELS:
            is_target = _LABELS[cells[2]]
        rows.append(ListRow(number, cells[0], mask if has_mask else "", is_target))
    if not rows:
        raise _unusable(path, "The list does not name any image")
    return ListFile(tuple(rows), kind="list")


def _cells(line: str) -> list[str]:
    sign = _SIGNS.search(line)
    parts = line.split(sign[0]) if sign else line.split()
    return [part.strip() for part in parts] if line.strip() else []


def _unusable(path: Path, message: str) -> DatasetError:
    return DatasetError(
        message,
        where=path,
        hint='lists are [["image", "mask"], …], {"name": "path"} or rows of image and mask',
        rule="imdl.list",
    )
