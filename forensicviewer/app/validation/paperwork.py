"""The documents of a dataset and its submissions: README, papers, system descriptions."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path

from forensicviewer.app.datasets.overview import describe_identity
from forensicviewer.app.language.words import to_translate, tr
from forensicviewer.app.validation.description import PLAN_SECTIONS, check_description
from forensicviewer.core.model import Dataset, Edition, Submission
from forensicviewer.core.problem import ForensicViewerError

_READ_BYTES = 1 << 20
_MOST_FILES = 200
_TEXTS = {".txt", ".md", ".csv", ".json", ".log", ""}
_NO_TEXT = to_translate("This file is not a text file; open its folder to read it")
_NO_DESCRIPTION = to_translate("There is no system description (<name>.txt) beside the table")


@dataclass(frozen=True, slots=True)
class Paper:
    """One document; ``path`` is the file or, if it is missing, its folder."""

    title: str
    text: str
    path: Path


def papers_of(dataset: Dataset, submissions: Sequence[Submission]) -> tuple[Paper, ...]:
    """The README and documents of a dataset, then the description of each system."""
    root = Path(dataset.root)
    found = [*_readmes(root), *_documents(root / "documents")]
    return (
        *(Paper(path.relative_to(root).as_posix(), _text(path), path) for path in found),
        *(_description(submission, dataset.edition) for submission in submissions),
    )


def _readmes(root: Path) -> list[Path]:
    return [path for path in _files(root) if path.stem.lower() == "readme"]


def _documents(folder: Path) -> list[Path]:
    return _files(folder) if folder.is_dir() else []


def _files(folder: Path) -> list[Path]:
    """The files of a folder, without links, which may lead anywhere."""
    try:
        entries: Iterable[Path] = islice(folder.iterdir(), _MOST_FILES)
        return sorted(path for path in entries if path.is_file() and not path.is_symlink())
    except OSError:
        return []


def _description(submission: Submission, edition: Edition) -> Paper:
    root = Path(submission.root)
    digests = [describe_identity(submission), *_digests(submission)]
    if not submission.description:
        return Paper(submission.name, "\n".join([*digests, tr(_NO_DESCRIPTION)]), root)
    path = root / submission.description
    lines = [] if edition is Edition.NC2016 else list(_missed(path))
    return Paper(path.name, "\n".join([*digests, *lines, "", _text(path)]), path)


def _digests(submission: Submission) -> list[str]:
    """MD5 and SHA-256 of what was handed in: an archive, or else the table (NC2017, App. A-c)."""
    origin = Path(submission.origin)
    path = origin if origin.is_file() else Path(submission.root) / Path(submission.table.name).name
    found = []
    for name, make in (("MD5", hashlib.md5), ("SHA-256", hashlib.sha256)):
        try:
            with path.open("rb") as stream:
                digest = hashlib.file_digest(stream, partial(make, usedforsecurity=False))
        except OSError:
            continue
        found.append(f"{name} {digest.hexdigest()}  {path.name}")
    return found


def _missed(path: Path) -> Iterator[str]:
    """The sections required by the plans that the description lacks."""
    try:
        for finding in check_description(path, PLAN_SECTIONS):
            yield f"• {finding.message}"
    except (ForensicViewerError, OSError):
        return


def _text(path: Path) -> str:
    if path.suffix.lower() not in _TEXTS:
        return tr(_NO_TEXT)
    try:
        with path.open("rb") as stream:
            return stream.read(_READ_BYTES).decode("utf-8", "replace")
    except OSError as error:
        return str(error.strerror or error)
