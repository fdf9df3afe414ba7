"""Lists of trials in files, one id per line, that select what is scored."""

from __future__ import annotations

from pathlib import Path

from forensicviewer.core.problem import UsageError

_MOST_BYTES = 64 << 20


def probes_listed(path: Path) -> str:
    """The query for the probes that a file lists; blank lines and # comments are skipped."""
    lines = (line.split("#", 1)[0].strip() for line in _lines(path))
    # Of a splice the probe comes first; what follows its id is the donor.
    ids = list(dict.fromkeys(line.split("+")[0] for line in lines if line))
    wrong = next((each for each in ids if "'" in each), None)
    if not ids or wrong is not None:
        raise _unusable(path, "contains no trials" if wrong is None else _no_id(wrong))
    return f"ProbeFileID in [{', '.join(repr(each) for each in ids)}]"


def images_listed(path: Path) -> tuple[str, ...]:
    """The images that a file lists, one per line; their names cannot start with #."""
    lines = (line.strip() for line in _lines(path))
    names = tuple(dict.fromkeys(line for line in lines if line and not line.startswith("#")))
    if not names:
        raise _unusable(path, "contains no trials")
    return names


def _lines(path: Path) -> list[str]:
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise UsageError("The list of trials is too long", where=path)
        return path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            "The list of trials cannot be read",
            where=path,
            hint="name a text file with one id per line",
        ) from error


def _no_id(name: str) -> str:
    return f"names {name!r}, which is not an id"


def _unusable(path: Path, said: str) -> UsageError:
    return UsageError(f"The file {said}", where=path, hint="write one id per line")
