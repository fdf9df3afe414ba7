"""Collects every text of the window that is translated, and keeps the catalogues up to date.

``make messages`` writes what is new into resources/languages/*.po for a translator to fill in,
drops what the window no longer says and keeps every translation there is. Of what is translated it
compiles the .mo files the window reads: run it again when the translations are filled in.

Texts are found where they are written, as arguments of ``tr``, ``tr_many`` and ``to_translate``,
and in the tables the window shows (``declared``). ``bare_texts`` finds those nobody translates.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TypeAlias

import polib

from forensicviewer.app.commands.table import COMMANDS, MENUS
from forensicviewer.app.commands.view_table import PANELS
from forensicviewer.app.graph.drawing import LayoutKind
from forensicviewer.app.graph.state import Focus
from forensicviewer.app.language.words import languages
from forensicviewer.app.settings import LANGUAGE, SETTINGS, Choice, Text
from forensicviewer.app.workbench.scope import Scope
from forensicviewer.app.workbench.state import OverlayStyle, Snap, SystemStyle
from forensicviewer.core.examination import ChecklistQuestion, Reply
from forensicviewer.core.graph.reason import Because
from forensicviewer.core.lens.built_in import LENSES
from forensicviewer.core.metric import METRIC_NOTES
from forensicviewer.core.palette import Outcome, PaletteName
from forensicviewer.core.rules import Switch, mask, provenance, temporal
from forensicviewer.core.verdict import CONTESTED, Fate, Ruling

ROOT = Path(__file__).resolve().parent.parent
LANGUAGES = ROOT / "resources" / "languages"
# Spaces that belong to a sign: a line never ends between the two. Translators write plain ones.
_TIED = {
    "fr": {" :": "\u00a0:", "« ": "«\u00a0", " »": "\u00a0»"}
    | {f" {sign}": f"\u202f{sign}" for sign in ";!?%"}
}
_TRANSLATING = {"tr", "tr_many", "to_translate"}


Key: TypeAlias = tuple[str, str]  # a text and what tells it apart from the same words


@dataclass(frozen=True, slots=True)
class Message:
    """A text to be translated and the files that say it."""

    text: str
    context: str = ""
    plural: str | None = None
    sources: tuple[str, ...] = ()

    @property
    def key(self) -> Key:
        return self.text, self.context


@cache
def messages() -> dict[Key, Message]:
    """Every message by its key, in the order of the files that say them."""
    found: dict[Key, Message] = {}
    for message in sorted([*declared(), *written()], key=lambda message: message.sources):
        before = found.setdefault(message.key, message)
        sources = tuple(dict.fromkeys(before.sources + message.sources))
        found[message.key] = replace(
            before, sources=sources, plural=before.plural or message.plural
        )
    return found


def declared() -> Iterator[Message]:
    """The texts of tables that are translated where they are shown."""
    commands = "app/commands/table.py"
    yield from _of(commands, MENUS)
    for command in COMMANDS:
        yield from _of(commands, (*command.menu.split("/"), command.title, command.help))
    yield from _of("app/commands/command.py", (scope.value for scope in Scope))
    yield from _of("app/commands/view_table.py", PANELS.values())
    yield from _of("app/graph/drawing.py", (kind.value for kind in LayoutKind))
    yield from _of("app/graph/state.py", (focus.value for focus in Focus))
    yield from _of("core/graph/reason.py", (each.value for each in Because))
    examined = (*ChecklistQuestion, *Reply)
    yield from _of("core/examination.py", (one.label for one in examined))
    yield from _of("core/overlay.py", (outcome.value for outcome in Outcome))
    yield from _of("core/overlay.py", (name.value for name in PaletteName))
    for lens in LENSES:
        values = (parameter.title for parameter in lens.parameters)
        yield from _of("core/lens", (lens.title, lens.about, *values))
    for note in METRIC_NOTES:
        has_words = re.search(r"[a-z]{4}", note.formula)
        yield from _of("core/metric.py", (note.title, note.formula if has_words else ""))
    yield from _of("core/verdict.py", (ruling.label for ruling in Ruling))
    yield from _of("core/verdict.py", (CONTESTED, *(fate.value for fate in Fate)))
    shown = (*mask.SWITCHES, *provenance.GRAPH_SWITCHES)
    switches: tuple[type[Switch], ...] = (*shown, temporal.IntervalMeasure)
    for switch in switches:
        yield from _of("core/rules", (switch.title, *(each.explanation for each in switch)))
    for choice in (*Snap, *OverlayStyle, *SystemStyle):
        yield from _of("app/workbench/state.py", (choice.value,))
    for setting in SETTINGS:
        yield from _of("app/settings.py", (setting.page, setting.title, setting.help))
        match setting.kind:
            case Choice(titles):
                # Each language is called by its own name, whatever is spoken.
                own = languages().values() if setting is LANGUAGE else ()
                yield from _of("app/settings.py", (t for t in titles.values() if t not in own))
            case Text(placeholder):
                yield from _of("app/settings.py", (placeholder,))


def _of(source: str, texts: Iterable[str]) -> Iterator[Message]:
    return (Message(text, sources=(source,)) for text in texts if text)


def written() -> Iterator[Message]:
    """The texts that stand in calls of ``tr`` and the like."""
    for path in sorted(source_files("ui") + source_files("app")):
        source = path.relative_to(ROOT / "forensicviewer").as_posix()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and _name_of(node) in _TRANSLATING and node.args:
                yield from _messages_of(node, source)


def source_files(package: str) -> list[Path]:
    return sorted((ROOT / "forensicviewer" / package).rglob("*.py"))


def _name_of(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else ""


def _messages_of(call: ast.Call, source: str) -> Iterator[Message]:
    texts = [node.value for node in call.args if isinstance(node, ast.Constant)]
    context = next((k.value for k in call.keywords if k.arg == "context"), None)
    said = str(context.value) if isinstance(context, ast.Constant) else ""
    if _name_of(call) == "tr_many":
        yield Message(str(texts[0]), plural=str(texts[1]), sources=(source,))
    else:
        yield from (Message(str(text), said, sources=(source,)) for text in texts)


def unclear_calls(path: Path) -> list[str]:
    """Calls whose text is put together before it is translated, so no catalogue can hold it."""
    return [
        f"{path.name}:{node.lineno}"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and _name_of(node) in _TRANSLATING
        if any(isinstance(each, ast.JoinedStr | ast.BinOp | ast.IfExp) for each in node.args)
    ]


# Names, units and formats that are the same in every language.
_SAME = {
    *("MCC", "NMM", "BWL1", "AUC", "EER", "CDR", "FAR", "ROC", "DET", "TP", "FP", "FN", "TN"),
    *("px", "ms", "s", "min", "MB", "fps"),
    *("NIST", "forensicviewer", "Fusion", "MIT", "Qt", "id", "PTS", "Recall", "EXIF", "RGB"),
}
_WORD = re.compile(r"[^\W\d_][^\W\d_]+")
_PROSE = re.compile(r"^[A-Z][a-z]+\b(?![.\w/:{(+#-])|\b[a-z]+ [a-z]+\b")


def bare_texts(path: Path) -> list[str]:
    """Texts of a file that read like words for the user and are not translated."""
    return bare_texts_of(path.read_text(encoding="utf-8"))


def bare_texts_of(code: str) -> list[str]:
    tree = ast.parse(code)
    quiet = {id(inner) for node in ast.walk(tree) if _is_quiet(node) for inner in ast.walk(node)}
    found = (text for node in ast.walk(tree) if id(node) not in quiet for text in _texts_of(node))
    return [text for text in dict.fromkeys(found) if not set(_WORD.findall(text)) <= _SAME]


def _is_quiet(node: ast.AST) -> bool:
    """Whether what stands in a node never reaches the user, or does so translated."""
    match node:
        case ast.Call(func=ast.Name(id="tr" | "tr_many" | "to_translate")):
            return True
        case ast.Call(func=ast.Name(id=name)) if name.endswith("Error"):
            return True
        case ast.Call(func=ast.Attribute(attr="startswith")):
            return True
        case ast.Subscript(value=ast.Name() | ast.Attribute(), slice=ast.Constant()):
            return True
        case ast.Expr(value=ast.Constant()) | ast.Raise() | ast.Assert():
            return True
        case ast.AnnAssign(annotation=ast.Constant()) | ast.arg():
            return True
    return False


def _texts_of(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.JoinedStr(values=parts):
            for part in parts:
                if isinstance(part, ast.Constant) and " " in str(part.value):
                    yield str(part.value)
        case ast.Constant(value=str(text)) if _PROSE.search(text):
            yield text


def key_of(entry: polib.POEntry) -> Key:
    return entry.msgid, entry.msgctxt or ""


def catalogue(language: str) -> polib.POFile:
    return polib.pofile(str(LANGUAGES / f"{language}.po"), wrapwidth=0)


def refreshed(old: polib.POFile, wanted: Iterable[Message]) -> polib.POFile:
    """A catalogue with an entry for each message, translated as it was."""
    before = {key_of(entry): entry for entry in old}
    tied = _TIED.get(old.metadata["Language"], {})
    new = polib.POFile(wrapwidth=0)
    new.header, new.metadata = old.header, old.metadata
    for message in wanted:
        new.append(_entry(message, before.get(message.key) or polib.POEntry(), tied))
    return new


def _entry(message: Message, old: polib.POEntry, tied: Mapping[str, str]) -> polib.POEntry:
    entry = polib.POEntry(
        msgid=message.text,
        msgctxt=message.context or None,
        msgid_plural=message.plural or "",
        tcomment=old.tcomment,
        flags=old.flags,
        occurrences=[(source, "") for source in message.sources],
    )
    if message.plural is None:
        entry.msgstr = _tie(old.msgstr, tied)
    else:
        forms = old.msgstr_plural or {0: "", 1: ""}
        entry.msgstr_plural = {i: _tie(form, tied) for i, form in forms.items()}
    return entry


def _tie(text: str, tied: Mapping[str, str]) -> str:
    for apart, together in tied.items():
        text = text.replace(apart, together)
    return text


def refresh() -> None:
    """Bring every catalogue up to date with what the window says, and compile it."""
    wanted = list(messages().values())
    for path in LANGUAGES.glob("*.po"):
        new = refreshed(catalogue(path.stem), wanted)
        path.write_text(f"{new}\n", encoding="utf-8")
        path.with_suffix(".mo").write_bytes(new.to_binary())


if __name__ == "__main__":
    refresh()
