"""The manual says only what the program does: its commands, settings and links exist."""

import re
from urllib.parse import unquote

import pytest

from forensicviewer.app.commands.command import Command
from forensicviewer.app.commands.manual import CHAPTERS, SWATCH, Manual, ManualPage, page_about
from forensicviewer.app.commands.markdown import anchor_of, code, escaped, sections
from forensicviewer.app.commands.table import COMMANDS, MENUS
from forensicviewer.app.commands.view_table import PANELS
from forensicviewer.app.runtime.resources import resource, resource_folder
from forensicviewer.app.settings import SETTINGS
from forensicviewer.app.workbench.scope import Scope
from forensicviewer.core.metric import METRIC_NOTES
from forensicviewer.core.palette import Outcome, PaletteName, palette
from forensicviewer.core.query.grammar import parse
from forensicviewer.core.rules.catalog import all_switches
from forensicviewer.core.verdict import Ruling


def keys_of(command: Command) -> tuple[str, ...]:
    return command.keys


def a_manual(keys: object = keys_of) -> Manual:
    assert callable(keys)
    outcomes = {each: (each.value, each.short) for each in Outcome}
    return Manual(keys=keys, colors=palette(PaletteName.NIST), outcomes=outcomes)


def words_of(page: ManualPage) -> str:
    return " ".join(f"{section.title} {section.text}" for section in page.sections)


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_page_names_only_what_there_is(name: str) -> None:
    page = a_manual().page(name)

    assert page.sections[0].level == 1
    assert "{{" not in page.text  # an unknown command or table would have raised
    assert len(words_of(page)) > 200


def test_every_page_is_in_the_contents() -> None:
    files = {path.stem for path in (resource_folder() / "manual").glob("*.md")}

    assert files == set(CHAPTERS)


@pytest.mark.parametrize("name", CHAPTERS)
def test_links_and_pictures_lead_somewhere(name: str) -> None:
    manual = a_manual()
    shown = "".join(section.html for section in manual.page(name).sections)
    for link in re.findall(r'(?:href|src)="([^"]*)"', shown):
        if link.startswith("pictures/"):
            assert resource(f"manual/{link}-light.jpg").is_file()
            assert resource(f"manual/{link}-dark.jpg").is_file()
            continue
        if link.startswith(SWATCH):
            short, color = unquote(link).removeprefix(f"{SWATCH}:").split("/")
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

    assert "`Ctrl+Alt+J`" in page.text
    assert "`N`" not in page.text


def test_tables_are_those_of_the_program() -> None:
    manual = a_manual()
    everything = {name: words_of(manual.page(name)) for name in CHAPTERS}

    assert all(note.title in everything["thresholds"] for note in METRIC_NOTES)
    assert all(note.formula in everything["thresholds"] for note in METRIC_NOTES)
    assert all(command.title.rstrip("…") in everything["keys"] for command in COMMANDS)
    assert all(setting.title in everything["settings"] for setting in SETTINGS)
    assert all(ruling.label in everything["adjudicating"] for ruling in Ruling)
    titles = [switch.title for each in all_switches().values() for switch in each]
    assert all(title in everything["rules"] for title in titles)
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
        "| a | b |\n|---|---|\n| `<` | \\|x\\| |\n\n## Below\n\n![Alt](pictures/x)\n"
    )

    first, second = (section.html for section in sections(text))

    assert '<h1 id="a-title">A title</h1>' in first
    assert "<strong>bold</strong>" in first
    assert "<code>x&lt;1</code>" in first
    assert '<a href="panes#colours">a link</a>.\nmore words</p>' in first
    assert "<li>two\ngoes on</li>" in first
    assert "<ol>\n<li>first</li>\n<li>second</li>\n</ol>" in first
    assert '<table cellspacing="0" cellpadding="6">' in first
    assert "<td><code>&lt;</code></td>\n<td>|x|</td>" in first
    assert '<p style="line-height:100%"><img src="pictures/x" alt="Alt" /></p>' in second


def test_html_on_a_page_is_shown_and_not_obeyed() -> None:
    (section,) = sections("# One\n\n<script>x</script> <b>bold</b>\n\n[a](javascript:x)\n")

    assert "&lt;script&gt;x&lt;/script&gt; &lt;b&gt;bold&lt;/b&gt;" in section.html
    assert "href" not in section.html


@pytest.mark.parametrize("words", ["[a, b] *c* _d_", "<, <= & >", "`x`", "\\", "![i](j)", "&amp;"])
def test_words_of_the_program_are_shown_as_they_are(words: str) -> None:
    (as_words, as_code) = sections(f"# One\n\n{escaped(words)}\n\n# Two\n\n{code(words)}\n")

    assert (as_words.text, as_code.text) == (words, words)


def test_sections_have_their_words() -> None:
    found = sections(
        "# One\n\nfirst `x`\nand **y**\n\n## Two & more\n\n| a | b |\n|-|-|\n| c | d |\n"
    )

    assert [(each.title, each.level, each.text) for each in found] == [
        ("One", 1, "first x and y"),
        ("Two & more", 2, "a b c d"),
    ]
    assert anchor_of("Two & more") == found[1].anchor == "two-more"


def test_a_page_missing_from_an_installation_says_so() -> None:
    assert "missing" in a_manual().page("nothing").text
