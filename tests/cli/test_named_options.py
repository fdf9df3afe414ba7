"""Options named in the window, the manual, the README and in messages exist on the command line."""

import argparse
import ast
import re
from collections.abc import Iterator
from pathlib import Path

import polib

import benchmarks.__main__
import tests.fuzz.__main__
from forensicviewer.cli import _parser

ROOT = Path(__file__).parents[2]
PAGES = (ROOT / "README.md", ROOT / "CHANGELOG.md", *(ROOT / "resources" / "manual").glob("*.md"))
CATALOGUES = tuple((ROOT / "resources" / "languages").glob("*.po"))
# Names of colours in a style sheet, and the options of programs that play sound.
OTHER_OPTIONS = {"app/report/html_page.py", "app/video/sound.py"}
IN_PLACE_OF_A_COMMAND = "--selftest"
# Of tar, sha256sum and pip, where the manual tells how to install.
OF_OTHER_PROGRAMS = {"--zstd", "--check", "--ignore-missing", "--editable"}
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*[a-z]")


def options_of(parser: argparse.ArgumentParser) -> Iterator[str]:
    for action in parser._actions:
        yield from action.option_strings
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield from options_of(command)


def texts() -> Iterator[tuple[str, str]]:
    """Whatever a user may read, piece by piece, with where it stands."""
    for path in PAGES:
        for paragraph in path.read_text("utf-8").split("\n\n"):
            yield path.name, paragraph
    for path in CATALOGUES:
        for entry in polib.pofile(str(path)):
            yield path.name, entry.msgstr
    package = ROOT / "forensicviewer"
    for path in package.rglob("*.py"):
        where = path.relative_to(package).as_posix()
        if where in OTHER_OPTIONS:
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield f"{where}:{node.lineno}", node.value


def test_every_option_that_is_named_exists() -> None:
    # The README names those of the fuzzer and of the benchmarks as well.
    parsers = (_parser(), tests.fuzz.__main__.make_parser(), benchmarks.__main__.make_parser())
    known = {
        *(option for parser in parsers for option in options_of(parser)),
        IN_PLACE_OF_A_COMMAND,
        *OF_OTHER_PROGRAMS,
    }
    named = [(where, text, option) for where, text in texts() for option in OPTION.findall(text)]

    # MediScore's own options may be named where the text says whose they are.
    unknown = [
        f"{where}: {option}"
        for where, text, option in named
        if option not in known and "MediScore" not in text
    ]

    assert unknown == []
    assert len(named) > 100
