"""Lists of trials in files, one id a line, as selections of what is scored."""

from __future__ import annotations

from pathlib import Path

from forensicviewer.core.problem import UsageError

_MOST_BYTES = 64 << 20


def probes_listed(path: Path) -> str:
    """The query for the probes a file lists; blank lines and comments after # are passed over."""
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise UsageError("The list of trials is too long", where=path)
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            "The list of trials cannot be read",
            where=path,
            hint="name a text file with an id a line",
        ) from error
    lines = (line.split("#", 1)[0].strip() for line in text.splitlines())
    # Of a splice the probe comes first; what follows its id is the donor.
    ids = list(dict.fromkeys(line.split("+")[0] for line in lines if line))
    wrong = next((each for each in ids if "'" in each), None)
    if not ids or wrong is not None:
        said = "lists no trials" if wrong is None else f"names {wrong!r}, which is not an id"
        raise UsageError(f"The file {said}", where=path, hint="write one id a line")
    return f"ProbeFileID in [{', '.join(repr(each) for each in ids)}]"
