"""The keys of commands in words, as the user has bound them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import TypeAlias

from PySide6.QtGui import QKeySequence

from forensicviewer.app.commands.command import keys_in_force
from forensicviewer.app.commands.table import COMMANDS
from forensicviewer.app.language.words import tr
from forensicviewer.app.settings import Settings

# The keys of a command, by its id.
Keys: TypeAlias = Callable[[str], Sequence[str]]
_WIDEST = 60  # letters of a line in a menu
_USUAL = {command.id: command.keys for command in COMMANDS}


def usual_keys(command_id: str) -> Sequence[str]:
    """The keys a command has while nobody chose others."""
    return _USUAL[command_id]


def keys_in(settings: Settings) -> Keys:
    """The keys a command has for this user, also after they were changed."""
    return lambda command_id: _in_force(tuple(settings.shortcuts.items()))[command_id]


# The manual asks for the keys of every command.
@lru_cache(maxsize=2)
def _in_force(own: tuple[tuple[str, tuple[str, ...]], ...]) -> Mapping[str, tuple[str, ...]]:
    return keys_in_force(dict(own), COMMANDS)


def with_keys(title: str, keys: Sequence[str]) -> str:
    """A title with its first two keys behind it, as this system writes them."""
    native = QKeySequence.SequenceFormat.NativeText
    names = [QKeySequence(key).toString(native) for key in keys[:2]]
    if not names:
        return title
    said = names[0] if len(names) == 1 else tr("{key} or {other}", key=names[0], other=names[1])
    return f"{title} ({said})"


def as_menu_text(name: str) -> str:
    """A user's words as a menu writes them: in one line, and no wider than a menu should be.

    Qt takes a single & for the mark of a key, and what follows a tab for its name.
    """
    line = " ".join(name.split())
    if len(line) > _WIDEST:
        line = f"{line[: _WIDEST // 2]}…{line[-_WIDEST // 3 :]}"
    return line.replace("&", "&&")
