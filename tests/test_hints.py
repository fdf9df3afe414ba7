"""Hints follow their message in brackets, so all of them are written alike."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

_PACKAGE = Path(__file__).parents[1] / "forensicviewer"
# Fields of dialogs are called hint as well; their text stands alone.
_DIALOGS = {"command_palette.py"}
# Names as NIST or IsTarget keep their capitals; a word like "The" starts a sentence.
_CAPITALISED = re.compile(r"[A-Z][a-z]*\b")


def _hints() -> Iterator[tuple[str, str]]:
    for path in _PACKAGE.rglob("*.py"):
        if path.name in _DIALOGS:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.keyword) and node.arg == "hint":
                text = _first_text(node.value)
                if text:
                    yield f"{path.name}:{node.value.lineno}", text


def _first_text(value: ast.expr) -> str:
    """The text a hint begins with, as far as it stands in the source."""
    if isinstance(value, ast.Constant):
        return str(value.value or "")
    if isinstance(value, ast.JoinedStr) and value.values:
        return _first_text(value.values[0])
    return _first_text(value.left) if isinstance(value, ast.BinOp) else ""


def test_hints_start_small_and_end_without_a_full_stop() -> None:
    hints = list(_hints())

    wrong = [
        (where, hint)
        for where, hint in hints
        if _CAPITALISED.match(hint) or hint.rstrip().endswith(".")
    ]
    assert wrong == []
    assert len(hints) > 100
