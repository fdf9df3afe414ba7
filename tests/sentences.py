"""Draws sentences that users read, for somebody to judge: ``python -m tests.sentences --seed 7``.

They come from the window (``tests.messages``), the command line's ``--help``, messages and hints of
problems, tables and templates of reports, rules and samples, the manual, README, changelog and the
other pages at the top. ``stilted`` finds those that read as translated; a test keeps them out.
"""

from __future__ import annotations

import argparse
import ast
import random
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from forensicviewer.app.commands.manual import CHAPTERS
from forensicviewer.cli import COMMANDS
from tests.messages import ROOT, messages, source_files

# Pages at the top and the kind of their sentences.
PAGES = {
    "README.md": "readme",
    "SECURITY.md": "readme",
    "CONTRIBUTING.md": "readme",
    "CHANGELOG.md": "changelog",
}
# What readers stumbled over, written by people who thought in another language.
STILTED = re.compile(
    r"(?<!there )\b(?:is|are) no (?!longer\b|more\b|one\b)|\b(?:is|are|was|were) told\b"
    r"|\b(?:is|are) said\b|\bwhoever\b|\bwhatever (?:is|was|of)\b|\bcan be had\b"
    r"|\bstands? (?:below|above|beside|for|before|under)\b|\btold apart\b|\bmade anew\b|\banew\b"
    r"|\bof (?:its|their) own\b|\bcomes? along\b|\bat all ways\b|\bwhere there (?:is|are) none\b"
    r"|\b(?:is|are) not there\b"
    r"|\b(?:(?:in|to|of|for|on) no (?:journal|image|mask|operation|other)s?\b)|\bpressed in\b"
    r"|\b(?:plan|rule|scorer)s? wants?\b|\bwhenever you like\b|\bbrings? out\b|\bcannot do it\b"
    r"|\bblink only so long\b|\bnobody asked\b|\b(?:exclude each other|by way of)\b"
    r"|\bpictures?\b",
    re.IGNORECASE,
)
# The worst of these, which docstrings avoid as well.
STILTED_CODE = re.compile(
    r"(?<!there )\b(?:is|are) no (?!longer|more\b|one\b)|\b(?:is|are|was) told\b|\bwhoever\b"
    r"|\bcan be had\b|\bstands (?:below|above|beside|for)\b",
    re.IGNORECASE,
)
_SENTENCE_ENDS = re.compile(r"(?<=[.!?:])\s+(?=[A-Z*“`])|\n\s*\n|\n(?=[-*|#] ?|\d+\. )")
_MARKUP = re.compile(
    r"<!--.*?-->|```.*?```|!\[[^\]]*\]\[[^\]]*\]|!?\[([^\]]*)\]\([^)]*\)|\{\{[^}]*\}\}|\*\*",
    re.DOTALL,
)
_CODE = re.compile(r"`[^`]*`")
_COUNTED = re.compile(r"^\d+\. ")
_WORDS = re.compile(r"[A-Za-z]{2,}")
_PLAIN_WORDS = re.compile(r"(?<![\w.<&])[a-z]{2,}(?=[ ,.;:?]|$)")
_CODE_LIKE = re.compile(r"[<{\\]\w|\{ |;\n|^\s*(?:SELECT|INSERT|CREATE|DELETE|UPDATE|PRAGMA)|\(\?")


@dataclass(frozen=True, slots=True)
class Sentence:
    """Something a user reads; ``kind`` and ``where`` say on which occasion and in which file."""

    kind: str
    where: str
    text: str


def sentences() -> list[Sentence]:
    """Everything a user reads, each once."""
    found = [*_window(), *_help(), *_problems(), *_pages()]
    known = "\n".join(each.text for each in found)
    found += [each for each in _tables() if each.text not in known]
    worded = [each for each in found if " " in each.text and len(_WORDS.findall(each.text)) > 1]
    return list({each.text: each for each in worded}.values())


def stilted(text: str) -> str:
    """The part of a text that reads as translated, if any."""
    found = STILTED.search(_CODE.sub("", text))
    return found[0] if found else ""


def stilted_code() -> list[str]:
    """Where texts and docstrings of the package read as translated: ``file:line: part``."""
    return [
        f"{path.relative_to(ROOT).as_posix()}:{node.lineno}: {found[0]}"
        for path in sorted((ROOT / "forensicviewer").rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        for found in STILTED_CODE.finditer(node.value)
    ]


def draw(seed: int, count: int) -> list[Sentence]:
    """Sentences by chance, of each kind about as many."""
    by_kind: dict[str, list[Sentence]] = defaultdict(list)
    for each in sentences():
        by_kind[each.kind].append(each)
    chance = random.Random(seed)
    kinds = [chance.sample(own, len(own)) for own in by_kind.values()]
    drawn = [own[turn] for turn in range(count) for own in kinds if turn < len(own)]
    return drawn[:count]


def _window() -> Iterator[Sentence]:
    for message in messages().values():
        for text in filter(None, (message.text, message.plural)):
            yield Sentence("window", message.sources[0], text)


def _help() -> Iterator[Sentence]:
    parser = argparse.ArgumentParser()
    commands = parser.add_subparsers()
    for command in COMMANDS:
        command.add_to(commands)
    yield from _help_of(parser, "forensicviewer")


def _help_of(parser: argparse.ArgumentParser, name: str) -> Iterator[Sentence]:
    for text in filter(None, (parser.description, parser.epilog)):
        yield from (Sentence("help", name, part) for part in _SENTENCE_ENDS.split(text))
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for choice in action._choices_actions:
                yield Sentence("help", name, str(choice.help))
            for word, inner in action.choices.items():
                yield from _help_of(inner, f"{name} {word}")
        elif action.help and action.help != argparse.SUPPRESS:
            yield Sentence("help", f"{name} {'/'.join(action.option_strings)}", action.help)


def _problems() -> Iterator[Sentence]:
    """Arguments of errors and problems, in sources, app, core, cli and ui."""
    floors = ("core", "sources", "app", "api", "cli", "ui")
    for path in (path for floor in floors for path in source_files(floor)):
        where = path.relative_to(ROOT / "forensicviewer").as_posix()
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and _says_what_is_wrong(node):
                values = [*node.args, *(k.value for k in node.keywords if k.arg == "message")]
                values += [k.value for k in node.keywords if k.arg == "hint"]
                yield from (Sentence("problem", where, text) for text in map(_text, values) if text)


def _says_what_is_wrong(call: ast.Call) -> bool:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    return (
        (name.endswith("Error") and name not in {"ValueError", "TypeError", "AssertionError"})
        or name in {"Problem", "error", "warn", "note", "refused", "finding", "Finding"}
        or any(keyword.arg == "hint" for keyword in call.keywords)
    )


def _tables() -> Iterator[Sentence]:
    """Other texts in the source: reasons, remedies, rules, templates; no docstrings, no code."""
    for path in sorted((ROOT / "forensicviewer").rglob("*.py")):
        where = path.relative_to(ROOT / "forensicviewer").as_posix()
        tree = ast.parse(path.read_text("utf-8"))
        aside = {id(part) for node in ast.walk(tree) for part in _not_read_alone(node)}
        for node in ast.walk(tree):
            text = _text(node) if isinstance(node, ast.expr) and id(node) not in aside else ""
            for part in _SENTENCE_ENDS.split(text):
                if len(_PLAIN_WORDS.findall(part)) > 3 and not _CODE_LIKE.search(part):
                    yield Sentence("table", where, " ".join(part.split()))


def _not_read_alone(node: ast.AST) -> Iterator[ast.expr]:
    """Docstrings, and the parts of a text with something filled in."""
    if isinstance(node, ast.Expr):
        yield node.value
    elif isinstance(node, ast.JoinedStr):
        yield from node.values


def _text(value: ast.expr) -> str:
    """What a message reads like, with names in braces where something is filled in."""
    match value:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(
                str(part.value) if isinstance(part, ast.Constant) else "{…}" for part in parts
            )
    return ""


def _pages() -> Iterator[Sentence]:
    manual = [f"resources/manual/{chapter}.md" for chapter in CHAPTERS]
    for name, kind in {**PAGES, **dict.fromkeys(manual, "manual")}.items():
        path = ROOT / name
        text = _MARKUP.sub(
            lambda found: "" if found[0] == "**" else found[1] or "…", path.read_text("utf-8")
        )
        for part in _SENTENCE_ENDS.split(text):
            line = _COUNTED.sub("", " ".join(part.strip(" \n-|#").removeprefix("* ").split()))
            if line:
                yield Sentence(kind, name, line)


def main() -> None:
    parser = argparse.ArgumentParser(description="Draw sentences that users read")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--stilted", action="store_true", help="list those that read as translated")
    options = parser.parse_args()
    if options.stilted:
        chosen = [each for each in sentences() if stilted(each.text)]
    else:
        chosen = draw(options.seed, options.count)
    for number, each in enumerate(chosen, 1):
        print(f"{number:2} [{each.kind}] {each.text}  ({each.where})")  # noqa: T201


if __name__ == "__main__":
    main()
