"""A decoder has imported everything before it is locked in: afterwards nothing can be loaded."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from forensicviewer import decoder_worker
from tests.conftest import ROOT
from tests.sources.decoders import decoder_deeds as deeds

SOURCES = ROOT / "forensicviewer" / "sources"
READERS = sorted([*(SOURCES / "media").glob("*.py"), *(SOURCES / "video").glob("*.py")])


def _late_imports(tree: ast.AST) -> Iterator[str]:
    """What functions import, which is only imported when they are called."""
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef) or function.name.startswith("write"):
            continue
        for statement in ast.walk(function):
            if isinstance(statement, ast.Import):
                yield from (alias.name for alias in statement.names)
            if isinstance(statement, ast.ImportFrom) and statement.module:
                yield from (f"{statement.module}.{alias.name}" for alias in statement.names)


def _codecs(text: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "imagecodecs":
            yield from [node.attr] if node.attr.endswith("_decode") else ()
        if isinstance(node, ast.ImportFrom) and node.module == "imagecodecs":
            yield from (alias.name for alias in node.names)


@pytest.mark.usefixtures("pool")
@pytest.mark.parametrize("path", READERS, ids=lambda path: path.stem)
def test_whatever_a_reader_imports_late_is_there(path: Path) -> None:
    loaded = set(deeds.loaded_modules())

    for name in _late_imports(ast.parse(path.read_text(encoding="utf-8"))):
        # A module, or something in one.
        assert name in loaded or name.rpartition(".")[0] in loaded, name


@pytest.mark.parametrize("path", READERS, ids=lambda path: path.stem)
def test_every_codec_of_imagecodecs_is_named_ahead(path: Path) -> None:
    assert set(_codecs(path.read_text(encoding="utf-8"))) <= set(decoder_worker._CODECS)
