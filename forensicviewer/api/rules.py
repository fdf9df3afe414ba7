"""Single switches of a rule set, as a user turns them."""

from __future__ import annotations

from collections.abc import Iterable

from forensicviewer.core.rules import Switch
from forensicviewer.core.rules.catalog import choice_named


def choices_of(rule: str | Iterable[str], *, scorer: str) -> list[Switch]:
    """The choices that ``"SWITCH=CHOICE"``, or several of them, mean to a scorer."""
    named = [rule] if isinstance(rule, str) else rule
    return [choice_named(text, scorer=scorer) for text in named]
