"""What is said of a file that cannot be decoded: it is damaged, or of a kind nobody here reads."""

from __future__ import annotations

from forensicviewer.core.problem import CodecError
from forensicviewer.sources.media.formats import Format


def damaged(format_: Format, where: object) -> CodecError:
    return CodecError(
        f"The {format_.value} file is damaged",
        where=where,
        hint="copy or download it again",
        rule="codec.unreadable",
    )


def unsupported(format_: Format, what: str, where: object) -> CodecError:
    """``what`` names the kind: a compression, a type of samples."""
    return CodecError(
        f"This kind of {format_.value} file is not supported ({what})",
        where=where,
        hint="convert it to PNG",
        rule="codec.unsupported",
    )
