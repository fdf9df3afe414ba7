"""The manual says only what the program does: its commands, settings and links exist."""

import re

import pytest

from forensicviewer.app.commands.command import Command
from forensicviewer.app.commands.manual import CHAPTERS, SWATCH, Manual, page_about
from forensicviewer.app.commands.markdown import anchor_of, links, plain, sections, to_html
from forensicviewer.app.commands.table import COMMANDS, MENUS
from forensicviewer.app.commands.view_table import PANELS
from forensicviewer.app.runtime.resources import resource, resource_folder
from forensicviewer.app.settings import SETTINGS
from forensicviewer.app.workbench.scope import Scope
from forensicviewer.core.metric import METRIC_NOTES
from forensicviewer.core.overlay import Outcome, PaletteName, palette
from forensicviewer.core.query.grammar import parse
from forensicviewer.core.rules.catalog import all_switches
from forensicviewer.core.verdict import Ruling


def keys_of(command: Command) -> tuple[str, ...]:
    return command.keys


def a_manual(keys: object = keys_of) -> Manual:
    assert callable(keys)
    outcomes = {each: (each.value, each.short) for each in Outcome}
    return Manual(keys=keys, colors=palette(PaletteName.NIST), outcomes=outcomes)


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_page_names_only_what_there_is(name: str) -> None:
    page = a_manual().page(name)

    assert page.sections[0].level == 1
    assert "{{" not in page.text  # an unknown command or table would have raised
    assert len(plain(page.text)) > 200


def test_every_page_is_in_the_contents() -> None:
    files = {path.stem for path in (resource_folder() / "manual").glob("*.md")}

    assert files == set(CHAPTERS)


@pytest.mark.parametrize("name", CHAPTERS)
def test_links_and_pictures_lead_somewhere(name: str) -> None:
    manual = a_manual()
    for link in links(manual.page(name).text):
        if link.startswith("pictures/"):
            assert resource(f"manual/{link}-light.jpg").is_file()
            assert resource(f"manual/{link}-dark.jpg").is_file()
            continue
        if link.startswith(SWATCH):
            short, color = link.removeprefix(f"{SWATCH}:").split("/")
            drawn = {each.short: palette(PaletteName.NIST)[each] for each in Outcome}[short]
            assert bytes.fromhex(color) == bytes(drawn)
            continue
        page, _, anchor = link.partition("#")
        assert page in CHAPTERS, link
        known = {section.anchor for section in manual.page(page).sections}
        assert not anchor or anchor in known, link


def test_no_key_is_written_by_hand() -> None:
    """A key that is not filled in would be wrong once it is changed."""
    keys = {key for command in COMMANDS for key in command.keys if "+" in key and len(key) > 2}
    for name in CHAPTERS:
        raw = resource(f"manual/{name}.md").read_text(encoding="utf-8")
        assert not [key for key in keys if re.search(rf"{re.escape(key)}\b", raw)], name


def test_a_key_the_user_changed_is_the_one_the_manual_says() -> None:
    def rebound(command: Command) -> tuple[str, ...]:
        return ("Ctrl+Alt+J",) if command.id == "trial.next" else command.keys

    page = a_manual(rebound).page("first-steps")

    assert "<kbd>Ctrl+Alt+J</kbd>" in page.text
    assert "<kbd>N</kbd>" not in page.text


def test_tables_are_those_of_the_program() -> None:
    manual = a_manual()
    everything = {name: plain(manual.page(name).text) for name in CHAPTERS}

    assert all(plain(note.title) in everything["thresholds"] for note in METRIC_NOTES)
    assert all(plain(note.formula) in everything["thresholds"] for note in METRIC_NOTES)
    assert all(command.title.rstrip("…") in everything["keys"] for command in COMMANDS)
    assert all(setting.title in everything["settings"] for setting in SETTINGS)
    assert all(ruling.label in everything["adjudicating"] for ruling in Ruling)
    titles = [switch.title for each in all_switches().values() for switch in each]
    assert all(plain(title) in everything["rules"] for title in titles)
    assert {section.title for section in manual.page("keys").sections} >= set(MENUS)


def test_the_queries_of_the_manual_are_queries() -> None:
    text = a_manual().page("trials").text
    table = text.split("| Query |", 1)[1].split("\n\n", 1)[0]
    queries = re.findall(r"^\| `([^`]+)`", table, flags=re.MULTILINE)

    assert len(queries) == 5
    assert all(parse(query).columns for query in queries)


def test_a_search_finds_every_word_and_titles_first() -> None:
    manual = a_manual()

    found = manual.find("histograms curves")

    assert found[0].section.title == "Curves and histograms"
    assert all("…" in finding.excerpt or finding.excerpt for finding in found)
    assert manual.find("") == manual.find("zzyzx") == []


def test_the_page_about_what_is_looked_at() -> None:
    assert page_about(None) == "first-steps"
    assert page_about(Scope.STILLS) == "panes"
    assert page_about(Scope.VIDEO) == "video"
    assert page_about(Scope.GRAPH) == "graphs"
    assert page_about(Scope.STILLS, "score") == "thresholds"
    assert {page_about(None, panel) for panel in PANELS} <= set(CHAPTERS)


def test_markup_becomes_html() -> None:
    text = (
        "# A title\n\nWords **bold** and `x<1`, [a link](panes#colours).\n"
        "more words\n\n- one\n- two\n  goes on\n\n1. first\n2. second\n\n"
        "| a | b |\n|---|---|\n| <kbd><</kbd> | \\|x\\| |\n\n## Below\n\n![Alt](pictures/x)\n"
    )

    first, second = to_html(text)

    assert '<h1><a name="a-title"></a>A title</h1>' in first
    assert "<b>bold</b>" in first
    assert "<code>x&lt;1</code>" in first
    assert '<a href="panes#colours">a link</a>. more words</p>' in first
    assert "<li>two goes on</li>" in first
    assert "<ol><li>first</li><li>second</li></ol>" in first
    assert "<th>a</th>" in first
    assert "<td><kbd>&lt;</kbd></td><td>|x|</td>" in first
    assert '<img src="pictures/x" alt="Alt">' in second


def test_sections_have_their_words() -> None:
    found = sections("# One\n\nfirst `x`\n\n## Two & more\n\n| a | b |\n")

    assert [(each.title, each.level, each.text) for each in found] == [
        ("One", 1, "first x"),
        ("Two & more", 2, "a b"),
    ]
    assert anchor_of("Two & more") == found[1].anchor == "two-more"


def test_a_page_missing_from_an_installation_says_so() -> None:
    assert "missing" in a_manual().page("nothing").text
