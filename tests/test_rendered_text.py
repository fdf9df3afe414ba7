"""Nothing in the window renders text that may come from users' files."""

import ast
from collections.abc import Iterator
from pathlib import Path

UI = Path(__file__).resolve().parent.parent / "forensicviewer" / "ui"
# What of Qt and pyqtgraph renders text that looks like HTML, and reads the files it names.
RENDERS_TEXT = {
    *("QLabel", "QMessageBox", "QInputDialog", "QProgressDialog", "QErrorMessage", "QSplashScreen"),
    *("QTextBrowser", "QTextEdit", "QTextDocument", "QTextDocumentFragment", "QStaticText"),
    *("QGraphicsTextItem", "QWhatsThis", "QWizardPage", "LabelItem", "TextItem", "LegendItem"),
    *("addLegend", "setHtml", "insertHtml", "appendHtml", "setMarkdown", "insertMarkdown"),
    *("setTextFormat", "RichText", "MarkdownText", "AutoText"),
}
# Where only words of our own are rendered: the manual, links into it, and the units of a timeline.
OWN_WORDS = {
    "plain_text.py": {"QLabel", "QMessageBox", "QInputDialog", "setTextFormat"},
    "manual.py": {"QTextBrowser", "QTextDocument", "setHtml", "insertHtml"},
    "explanation_strip.py": {"QLabel", "setTextFormat", "RichText"},
    "timeline.py": {"LabelItem"},
}
# These make labels of Qt's own out of one of their arguments.
MAKES_LABEL = {"addRow": 0, "getText": 2, "getInt": 2, "getDouble": 2, "getItem": 2}


def test_no_text_in_the_window_is_rendered() -> None:
    found = [
        f"{path.relative_to(UI)}:{line}: {name}"
        for path in sorted(UI.rglob("*.py"))
        for line, name in _rendering(ast.parse(path.read_text(encoding="utf-8")))
        if name not in OWN_WORDS.get(path.name, ())
    ]

    assert found == [], "use forensicviewer.ui.widgets.plain_text"


def _rendering(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and name of everything that may take a text for HTML."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) if name in RENDERS_TEXT:
                yield node.lineno, name
            case ast.Call(func=ast.Attribute(attr=name), args=arguments) if name in MAKES_LABEL:
                place = MAKES_LABEL[name]
                if len(arguments) > max(place, 1) and not _is_own_word(arguments[place]):
                    yield node.lineno, name


def _is_own_word(node: ast.expr) -> bool:
    """Whether it is a translated text without places to fill in."""
    match node:
        case ast.Call(func=ast.Name(id="tr"), args=[ast.Constant()], keywords=[]):
            return True
    return False
