"""Light and dark: the colours of the window, its palette and its style sheet.

Text and its background differ by at least 4.5:1 in both themes (a test), and whatever has the
keyboard focus has a ring in the accent colour.

The style sheet names colours by their role in the palette, so it is the same for both themes and
read once. Another theme is another palette; `ui.shell.restyling` has widgets that are there
already take it over.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QColor, QGuiApplication, QIcon, QPainter, QPalette, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication

from forensicviewer.app.runtime.resources import resource, resource_folder


@dataclass(frozen=True, slots=True)
class Theme:
    """Named colours; ``canvas`` is the neutral grey around images."""

    name: str
    window: str
    surface: str
    raised: str
    hover: str
    border: str
    text: str
    muted: str
    accent: str
    on_accent: str
    selection: str
    error: str
    warning: str
    good: str
    canvas: str

    def color_like(self, color: str, other: Theme) -> str:
        """What is to this theme as a colour is to another one."""
        for name in Theme.__dataclass_fields__:
            if getattr(other, name) == color:
                return str(getattr(self, name))
        return color


LIGHT = Theme(
    name="light",
    window="#f3f5f8",
    surface="#ffffff",
    raised="#ffffff",
    hover="#e7ecf4",
    border="#d3d9e3",
    text="#181d27",
    muted="#566072",
    accent="#1d5fd1",
    on_accent="#ffffff",
    selection="#dbe7fd",
    error="#b3261e",
    warning="#8a5300",
    good="#136c43",
    canvas="#d9dce1",
)
DARK = Theme(
    name="dark",
    window="#15181d",
    surface="#1b1f26",
    raised="#242932",
    hover="#2b313c",
    border="#363d49",
    text="#e6e9ef",
    muted="#a2acbb",
    accent="#7fb0ff",
    on_accent="#0b1526",
    selection="#253c66",
    error="#ff8f86",
    warning="#f3bd62",
    good="#6fd3a0",
    canvas="#0e1013",
)
# Of the second submission, wherever two are drawn beside each other; the same in both themes.
RIVAL_COLOR = QColor(214, 122, 0)


def theme_named(name: str) -> Theme:
    """The theme a setting means; ``system`` follows the desktop."""
    if name == "system":
        scheme = QGuiApplication.styleHints().colorScheme()
        return DARK if scheme is Qt.ColorScheme.Dark else LIGHT
    return DARK if name == "dark" else LIGHT


def apply_theme(application: QApplication, theme: Theme, *, font_scale: int) -> None:
    """Give the whole program the theme, at once; what has not changed is left alone."""
    font = application.font()
    points = _base_points(application) * font_scale / 100
    if font.pointSizeF() != points:
        font.setPointSizeF(points)
        application.setFont(font)
    application.setPalette(palette_of(theme))
    if not application.styleSheet():
        # Once: another sheet takes Qt half a second.
        application.setStyleSheet(_style_sheet())


def current_theme() -> Theme:
    """The theme the window has now; the palette is where it is kept."""
    return DARK if QGuiApplication.palette().window().color().lightness() < 128 else LIGHT


@cache
def _base_points(application: QApplication) -> float:
    # Asked once: afterwards the application's font is the scaled one.
    return max(application.font().pointSizeF(), 9.0)


def icon(name: str, *, color: str = "") -> QIcon:
    """A drawn icon in the theme's text colour."""
    theme = current_theme()
    return _icon(name, color or theme.text)


def icon_for(theme: Theme, shown: QIcon) -> QIcon | None:
    """The same icon as it is in a theme; ``None`` for icons that were not drawn here."""
    known = _DRAWN.get(shown.cacheKey())
    if known is None:
        return None
    name, ink = known
    other = LIGHT if theme is DARK else DARK
    return _icon(name, theme.color_like(ink, other))


@cache
def _icon(name: str, ink: str) -> QIcon:
    made = _drawn(name, ink, (16, 20, 40))
    # Copies keep the key: a button's icon is recognised by it when the theme changes.
    _DRAWN[made.cacheKey()] = (name, ink)
    return made


_DRAWN: dict[int, tuple[str, str]] = {}


@cache
def application_icon() -> QIcon:
    return _drawn("app", "", (16, 32, 48, 64, 128, 256))


@cache
def _svg(name: str) -> str:
    path = resource(f"icons/{name}.svg")
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def _drawn(name: str, ink: str, edges_px: Sequence[int]) -> QIcon:
    made, svg = QIcon(), _svg(name)
    drawing = QSvgRenderer(QByteArray(svg.replace("currentColor", ink).encode())) if svg else None
    for edge_px in edges_px:
        pixmap = QPixmap(edge_px, edge_px)
        pixmap.fill(Qt.GlobalColor.transparent)
        if drawing is not None:
            painter = QPainter(pixmap)
            drawing.render(painter, QRectF(0, 0, edge_px, edge_px))
            painter.end()
        made.addPixmap(pixmap)
    return made


# Where the palette keeps a theme's colours. Qt draws little by itself here, so that roles it would
# use for bevels are free for ours.
_ROLES = {
    QPalette.ColorRole.Window: "window",
    QPalette.ColorRole.WindowText: "text",
    QPalette.ColorRole.Base: "surface",
    QPalette.ColorRole.AlternateBase: "window",
    QPalette.ColorRole.Text: "text",
    QPalette.ColorRole.PlaceholderText: "muted",
    QPalette.ColorRole.Button: "raised",
    QPalette.ColorRole.ButtonText: "text",
    QPalette.ColorRole.BrightText: "error",
    QPalette.ColorRole.Highlight: "accent",
    QPalette.ColorRole.HighlightedText: "on_accent",
    QPalette.ColorRole.Link: "accent",
    QPalette.ColorRole.LinkVisited: "warning",
    QPalette.ColorRole.ToolTipBase: "raised",
    QPalette.ColorRole.ToolTipText: "text",
    QPalette.ColorRole.Light: "raised",
    QPalette.ColorRole.Midlight: "hover",
    QPalette.ColorRole.Mid: "border",
    QPalette.ColorRole.Dark: "border",
    QPalette.ColorRole.Shadow: "selection",
    QPalette.ColorRole.Accent: "accent",
}
_IN_SHEET = {
    "window": "window",
    "surface": "base",
    "raised": "button",
    "hover": "midlight",
    "border": "mid",
    "text": "text",
    "muted": "placeholder-text",
    "accent": "accent",
    "on_accent": "highlighted-text",
    "selection": "shadow",
    "error": "bright-text",
    "warning": "link-visited",
}


def palette_of(theme: Theme) -> QPalette:
    palette = QPalette()
    for role, name in _ROLES.items():
        palette.setColor(role, QColor(getattr(theme, name)))
    disabled = QPalette.ColorGroup.Disabled
    # Labels that are off still carry facts; controls that are off need only be recognised.
    palette.setColor(disabled, QPalette.ColorRole.WindowText, QColor(theme.muted))
    for role in (QPalette.ColorRole.Text, QPalette.ColorRole.ButtonText):
        palette.setColor(disabled, role, QColor(_between(theme)))
    return palette


def _between(theme: Theme) -> str:
    """Halfway from text to background: readable, yet visibly off."""
    one, other = QColor(theme.muted), QColor(theme.window)
    mixed = [(a + b) // 2 for a, b in zip(one.getRgb()[:3], other.getRgb()[:3], strict=True)]  # type: ignore[index]
    return QColor(*mixed).name()


def _style_sheet() -> str:
    values = {name: f"palette({role})" for name, role in _IN_SHEET.items()}
    for name in ("chevron", "chevron-up", "tick", "dash", "close", "float"):
        values[name.replace("-", "_")] = _picture(f"{name}-small")
    sheet = (resource_folder() / "style.qss").read_text(encoding="utf-8")
    for name, value in values.items():
        sheet = sheet.replace(f"@{name};", f"{value};").replace(f"@{name} ", f"{value} ")
    return sheet


def _picture(name: str) -> str:
    return f'url("{resource(f"icons/{name}.svg").as_posix()}")'
