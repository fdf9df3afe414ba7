"""The self-contained report page of a scoring run: results and method."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from forensicviewer import __version__
from forensicviewer.app.report.overwrite import PAGE_NAME
from forensicviewer.app.report.score_output import OutputTable, ScoreOutput
from forensicviewer.app.report.svg_figure import Figure, draw
from forensicviewer.app.runtime.atomic import write_atomically
from forensicviewer.core.problem import Problem
from forensicviewer.core.rules import RULE_SETS, RuleSet, Switch

# Longer tables and longer lists of them are cut on the page; the files hold them whole.
MAX_ROWS = 200
MAX_TABLES = 40


@dataclass(frozen=True, slots=True)
class RulesUsed:
    """The rules that made the numbers, where the sets differ, and the headline under each set."""

    rules: RuleSet
    switches: Sequence[type[Switch]] = ()
    headlines: Mapping[str, Mapping[str, str]] | None = None


def write_page(
    output: ScoreOutput,
    folder: Path,
    *,
    figures: Iterable[Figure] = (),
    comparison: RulesUsed | None = None,
    subpages: Mapping[str, str] | None = None,
) -> Path:
    """Write the page of one scoring run into its folder; ``subpages`` are title → address."""
    path = folder / PAGE_NAME
    text = page_of(output, figures=figures, comparison=comparison, subpages=subpages or {})
    write_atomically(path, text)
    return path


def page_of(
    output: ScoreOutput,
    *,
    figures: Iterable[Figure] = (),
    comparison: RulesUsed | None = None,
    subpages: Mapping[str, str] | None = None,
) -> str:
    """The page as text."""
    title = f"{output.scorer.capitalize()} scores"
    sections = [
        _headline(output.headline),
        _links(subpages or {}),
        _figures(figures),
        *(f"<p>{escape(note)}</p>" for note in output.notes),
        _rules(comparison),
        *_table_sections(output.tables),
        _settings(output.settings),
        _problems(output.problems),
    ]
    return html_document(title, sections)


def html_document(title: str, sections: Iterable[str], *, has_pictures: bool = False) -> str:
    """A whole page of sections; it loads nothing, because its images are inside it."""
    pictures = "; img-src data:" if has_pictures else ""
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta http-equiv="Content-Security-Policy" '
            f"content=\"default-src 'none'; style-src 'unsafe-inline'{pictures}\">",
            f"<title>{escape(title)}</title>",
            f"<style>{_STYLE}</style>",
            "</head>",
            "<body>",
            "<main>",
            f"<h1>{escape(title)}</h1>",
            *(section for section in sections if section),
            "</main>",
            f"<footer>forensicviewer {escape(__version__)}</footer>",
            "</body>",
            "</html>",
            "",
        ]
    )


def _headline(headline: Mapping[str, str]) -> str:
    cards = [
        f"<div><dt>{escape(name)}</dt><dd>{escape(value) or '–'}</dd></div>"  # noqa: RUF001
        for name, value in headline.items()
    ]
    return f'<dl class="headline">{"".join(cards)}</dl>' if cards else ""


def _links(subpages: Mapping[str, str]) -> str:
    links = [
        f'<li><a href="{escape(address, quote=True)}">{escape(title)}</a></li>'
        for title, address in subpages.items()
    ]
    return f"<h2>Pages</h2><ul>{''.join(links)}</ul>" if links else ""


def _figures(figures: Iterable[Figure]) -> str:
    drawn = [
        f"<figure>{draw(figure)}<figcaption>{escape(figure.title)}</figcaption></figure>"
        for figure in figures
    ]
    return f'<h2>Curves</h2><div class="figures">{"".join(drawn)}</div>' if drawn else ""


def _rules(comparison: RulesUsed | None) -> str:
    if comparison is None:
        return ""
    rules = comparison.rules
    parts = [
        "<h2>Rules</h2>",
        "<p>These numbers were computed with the rule set "
        f"<strong>{escape(rules.label)}</strong>.</p>",
    ]
    if comparison.headlines:
        parts += ["<h3>Scores under each rule set</h3>", _headlines(comparison.headlines)]
    if comparison.switches:
        parts += ["<h3>Where the rule sets differ</h3>", _switches(rules, comparison.switches)]
    return "\n".join(parts)


def _headlines(headlines: Mapping[str, Mapping[str, str]]) -> str:
    names = list(dict.fromkeys(name for numbers in headlines.values() for name in numbers))
    rows = [
        (rule_set, *(numbers.get(name, "") for name in names))
        for rule_set, numbers in headlines.items()
    ]
    return html_table(("Rule set", *names), rows)


def _switches(rules: RuleSet, switches: Iterable[type[Switch]]) -> str:
    rows = []
    for switch in switches:
        others = [
            f"{other.name}: {other.explain(switch)}"
            for other in RULE_SETS
            if not other.chooses(rules.choice(switch))
        ]
        rows.append((switch.title, rules.explain(switch), "\n".join(others) or "the same"))
    return html_table(("Question", f"Answer of {rules.label}", "Other rule sets"), rows)


def _table_sections(tables: Sequence[OutputTable]) -> list[str]:
    shown = [table for table in tables if not table.is_detail][:MAX_TABLES]
    more = len(tables) - len(shown)
    note = [f"<p>{more} more tables are in the folder</p>"] if more else []
    return [_table_section(table) for table in shown] + note


def _table_section(table: OutputTable) -> str:
    cut = len(table.rows) - MAX_ROWS
    more = f"<p>… and {cut} more rows in the file</p>" if cut > 0 else ""
    return (
        f"<h2>{escape(table.name)}</h2>" + html_table(table.columns, table.rows[:MAX_ROWS]) + more
    )


def html_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; cells are shown as text, with all special characters escaped."""
    head = "".join(f'<th scope="col">{escape(column)}</th>' for column in columns)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>\n" for row in rows
    )
    return (
        f'<div class="wide"><table><thead><tr>{head}</tr></thead>'
        f"<tbody>\n{body}</tbody></table></div>"
    )


def _settings(settings: Mapping[str, object]) -> str:
    rows = [(name, _format(value)) for name, value in settings.items()]
    return "<h2>Settings</h2>" + html_table(("Setting", "Value"), rows) if rows else ""


def _format(value: object) -> str:
    if value is None or value == "":
        return "not given"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return "\n".join(f"{name}: {_format(part)}" for name, part in value.items())
    if isinstance(value, list | tuple):
        return "\n".join(str(part) for part in value)
    return str(value)


def _problems(problems: Sequence[Problem]) -> str:
    if not problems:
        return "<h2>Problems</h2><p>None</p>"
    rows = [
        (problem.severity.value, problem.where, problem.message, problem.hint)
        for problem in problems[:MAX_ROWS]
    ]
    cut = len(problems) - len(rows)
    more = f"<p>… and {cut} more</p>" if cut else ""
    return "<h2>Problems</h2>" + html_table(("Severity", "Where", "What", "Hint"), rows) + more


_STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --paper: #ffffff; --quiet: #57606a;
  --line: #d0d7de; --card: #f6f8fa; --c0: #0b5fa5; --c1: #c2410c; --c2: #15803d; --c3: #7e22ce;
  --c4: #b45309; --c5: #0f766e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --paper: #0d1117; --quiet: #9da7b1;
  --line: #30363d; --card: #161b22; --c0: #6cb6ff; --c1: #ff9b5e; --c2: #5fd38a; --c3: #d2a8ff;
  --c4: #f2cc60; --c5: #4fd1c5; } }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, "Segoe UI", Roboto, "Helvetica Neue", sans-serif; }
main { max-width: 76rem; margin: 0 auto; padding: 1.5rem; }
h1 { font-size: 1.7rem; } h2 { font-size: 1.2rem; margin-top: 2rem; } h3 { font-size: 1rem; }
.headline { display: flex; flex-wrap: wrap; gap: .75rem; margin: 0; }
.headline div { background: var(--card); border: 1px solid var(--line); border-radius: .5rem;
  padding: .6rem 1rem; }
dt { color: var(--quiet); font-size: .85rem; }
dd { margin: 0; font-size: 1.35rem; font-variant-numeric: tabular-nums; }
.figures { display: flex; flex-wrap: wrap; gap: 1rem; }
figure { margin: 0; flex: 1 1 22rem; max-width: 34rem; }
figcaption { color: var(--quiet); text-align: center; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .88rem; font-variant-numeric: tabular-nums; }
th, td { border: 1px solid var(--line); padding: .3rem .55rem; text-align: left;
  vertical-align: top; white-space: pre-line; }
th { background: var(--card); }
svg { width: 100%; height: auto; }
svg text { fill: var(--ink); font-size: 11px; }
.frame { fill: none; stroke: var(--quiet); } .grid { stroke: var(--line); stroke-width: .6; }
.curve { fill: none; stroke-width: 2; stroke-linejoin: round; }
.guide { fill: none; stroke: var(--quiet); stroke-width: 1; }
.c0 { stroke: var(--c0); } .c1 { stroke: var(--c1); } .c2 { stroke: var(--c2); }
.c3 { stroke: var(--c3); } .c4 { stroke: var(--c4); } .c5 { stroke: var(--c5); }
.mark { fill: var(--ink); }
footer { color: var(--quiet); text-align: center; padding: 1rem; font-size: .85rem; }
@media print { main { max-width: none; padding: 0; } figure, tr { break-inside: avoid; }
  .wide { overflow: visible; } }
"""
