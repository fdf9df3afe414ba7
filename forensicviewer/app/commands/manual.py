"""The offline manual: its pages, what is filled into them from the program's own tables, a search.

Keys, commands, metrics, colours, rule sets and settings are never written into a page: a page names
them as ``{{do:trial.next}}`` or ``{{metrics}}``, so that it says what the program does today, with
the user's own keys. A test reads every page.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from forensicviewer.app.commands.command import Command
from forensicviewer.app.commands.markdown import ManualSection, code, escaped, sections
from forensicviewer.app.commands.table import COMMANDS
from forensicviewer.app.language.words import tr
from forensicviewer.app.plugins.lenses import LENSES
from forensicviewer.app.runtime.resources import resource
from forensicviewer.app.settings import SETTINGS, Choice, Setting, Toggle
from forensicviewer.app.workbench.scope import Scope
from forensicviewer.core.metric import METRIC_NOTES
from forensicviewer.core.palette import Outcome, Palette
from forensicviewer.core.rules import Switch
from forensicviewer.core.rules.catalog import all_switches
from forensicviewer.core.verdict import Ruling

CHAPTERS = (
    "first-steps",
    "checking-references",
    "finding-failures",
    "adjudicating",
    "disputes",
    "working-offline",
    "python",
    "plug-ins",
    "images-and-masks",
    "results-grid",
    "panes",
    "thresholds",
    "metrics",
    "operations",
    "trials",
    "video",
    "graphs",
    "genai",
    "files",
    "rules",
    "problems",
    "settings",
    "keys",
    "glossary",
)
_PAGE_OF_SCOPE = {Scope.STILLS: "panes", Scope.VIDEO: "video", Scope.GRAPH: "graphs"}
_PAGE_OF_PANEL = {
    "trials": "trials",
    "score": "thresholds",
    "metrics": "metrics",
    "detection": "thresholds",
    "operations": "operations",
    "legend": "panes",
    "picture": "panes",
    "adjudicator": "adjudicating",
    "suspects": "checking-references",
    "problems": "problems",
    "jobs": "problems",
}
_PLACEHOLDER = re.compile(r"\{\{([a-z]+)(?::([^}]+))?\}\}")
_EXCERPT = 90
# The scheme of images that are drawn: ``swatch:BNS/ffff00``, an outcome and its colour.
SWATCH = "swatch"

KeysOf = Callable[[Command], Sequence[str]]


@dataclass(frozen=True, slots=True)
class ManualPage:
    """One page; ``text`` is its markup with everything filled in."""

    id: str
    title: str
    text: str
    sections: tuple[ManualSection, ...]


@dataclass(frozen=True, slots=True)
class FoundSection:
    """A section that holds the words searched for."""

    page: ManualPage
    section: ManualSection
    excerpt: str


def page_about(scope: Scope | None, panel: str = "") -> str:
    """The manual page for the current panel or, without one, for the current view."""
    if panel in _PAGE_OF_PANEL:
        return _PAGE_OF_PANEL[panel]
    return CHAPTERS[0] if scope is None else _PAGE_OF_SCOPE.get(scope, CHAPTERS[0])


def link_to(page_id: str, words: str) -> str:
    """Words that lead to a page, as HTML."""
    return f'<a href="{page_id}">{html.escape(words)}</a>'


class Manual:
    """The pages for one user: ``keys`` are theirs, as their system writes them."""

    def __init__(
        self, *, keys: KeysOf, colors: Palette, outcomes: Mapping[Outcome, tuple[str, str]]
    ) -> None:
        self._keys = keys
        self._colors = colors
        self._outcomes = outcomes
        self._commands = {command.id: command for command in COMMANDS}
        self._pages: dict[str, ManualPage] = {}

    def page(self, page_id: str) -> ManualPage:
        """A page, filled in; read when it is first asked for."""
        if page_id not in self._pages:
            self._pages[page_id] = self._read(page_id)
        return self._pages[page_id]

    def outline(self, page_id: str) -> list[ManualSection]:
        """The headings of a page, without filling anything in: quicker."""
        return sections(_raw(page_id))

    def find(self, words: str) -> list[FoundSection]:
        """The sections that hold every word, those with one in their title first."""
        wanted = words.casefold().split()
        found = [
            FoundSection(page, section, _excerpt(section.text, wanted))
            for page in map(self.page, CHAPTERS)
            for section in page.sections
            if wanted and all(word in _searched(page, section) for word in wanted)
        ]

        def distance(match: FoundSection) -> int:
            return sum(word not in match.section.title.casefold() for word in wanted)

        return sorted(found, key=distance)

    def _read(self, page_id: str) -> ManualPage:
        text = _PLACEHOLDER.sub(self._filled, _raw(page_id))
        found = tuple(sections(text))
        title = found[0].title if found else page_id
        return ManualPage(page_id, title, text, found)

    def _filled(self, placeholder: re.Match[str]) -> str:
        kind, name = placeholder[1], placeholder[2] or ""
        if kind in ("do", "key", "name"):
            return self._command(kind, self._commands[name])
        if kind == "menu":
            return _menu(next(c.menu for c in COMMANDS if c.menu == name))
        if kind == "setting":
            return _setting_name(next(one for one in SETTINGS if one.key == name))
        tables: dict[str, Callable[[], str]] = {
            "metrics": _metrics,
            "lenses": _lenses,
            "colours": self._colours,
            "rules": _rules,
            "settings": _settings,
            "verdicts": self._verdicts,
            "keys": partial(self._key_table, name),
        }
        return tables[kind]()

    def _command(self, kind: str, command: Command) -> str:
        key = self._key(command)
        if kind == "key":
            return key or f"**{_title(command)}**"
        path = _menu(f"{command.menu}/{_title(command)}")
        return path + (f" ({key})" if key and kind == "do" else "")

    def _key(self, command: Command) -> str:
        return " ".join(map(code, self._keys(command)))

    def _colours(self) -> str:
        rows = []
        for outcome, (name, meaning) in self._outcomes.items():
            red, green, blue = self._colors[outcome]
            swatch = f"{SWATCH}:{outcome.short}/{red:02x}{green:02x}{blue:02x}"
            rows.append((f"![]({swatch})", outcome.short, escaped(name), escaped(meaning)))
        return _rows(("", "", "Outcome", "Means"), rows)

    def _verdicts(self) -> str:
        found = [(ruling.label, self._commands[f"verdict.{ruling.value}"]) for ruling in Ruling]
        return _rows(("Verdict", "Key"), [(label, self._key(one)) for label, one in found])

    def _key_table(self, menu: str) -> str:
        rows = [
            (_title(c), self._key(c), _plain(c.scope.value), _plain(c.help))
            for c in COMMANDS
            if c.menu.split("/")[0] == menu
        ]
        return _rows(("Command", "Keys", "On", "Does"), rows)


def _lenses() -> str:
    rows = [(escaped(lens.title), escaped(lens.name), escaped(lens.about)) for lens in LENSES]
    return _rows(("Lens", "Name in `render` and API", "Shows"), rows)


def _searched(page: ManualPage, section: ManualSection) -> str:
    return f"{page.title} {section.title} {section.text}".casefold()


def _raw(page_id: str) -> str:
    path = resource(f"manual/{page_id}.md")
    try:
        return path.read_text(encoding="utf-8")
    except OSError:
        return f"# {page_id}\n\nThis page is missing from the installation: {path.name}"


def _menu(path: str) -> str:
    return f"**{' ▸ '.join(map(_plain, path.split('/')))}**"


def _title(command: Command) -> str:
    return _plain(command.title).rstrip("…")


def _plain(text: str) -> str:
    return escaped(tr(text))


def _metrics() -> str:
    rows = [
        (
            f"**{note.name}**",
            escaped(note.title),
            escaped(note.formula),
            "" if note.best is None else f"{note.best:g}",
        )
        for note in METRIC_NOTES
    ]
    return _rows(("Name", "Is", "Formula", "Best"), rows)


def _rules() -> str:
    parts = []
    for scorer, switches in all_switches().items():
        parts.append(f"### {scorer.capitalize()}")
        for switch in switches:
            parts += [f"#### {escaped(switch.title)}", "\n".join(map(_choice, switch))]
    return "\n\n".join(parts)


def _choice(choice: Switch) -> str:
    by = ", ".join(f"`{rules.name}`" for rules in choice.chosen_by) or "no rule set"
    return f"- `{choice}` ({by}): {escaped(choice.explanation)}"


def _settings() -> str:
    rows = [
        (_plain(one.page), f"**{_setting_name(one)}**", _plain(one.help), _default(one))
        for one in SETTINGS
    ]
    return _rows(("Page", "Setting", "Does", "Default"), rows)


def _setting_name(setting: Setting[object]) -> str:
    return _plain(setting.title)


def _default(setting: Setting[object]) -> str:
    if isinstance(setting.kind, Choice):
        return _plain(setting.kind.titles[str(setting.default)])
    if isinstance(setting.kind, Toggle):
        return tr("on") if setting.default else tr("off")
    return escaped(str(setting.default))


def _rows(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["-"] * len(head), *rows]
    cells = ([cell.replace("|", "\\|") for cell in line] for line in lines)
    return "\n".join(f"| {' | '.join(line)} |" for line in cells)


def _excerpt(text: str, wanted: Sequence[str]) -> str:
    """Some words around the first of those searched for."""
    places = [text.casefold().find(word) for word in wanted]
    at = min((place for place in places if place >= 0), default=0)
    start = max(0, at - _EXCERPT // 3)
    part = text[start : start + _EXCERPT]
    return ("…" if start else "") + part.strip() + ("…" if start + _EXCERPT < len(text) else "")
