"""Light and dark: the colours of the window, its palette and its style sheet.

Text and its background differ by at least 4.5:1 in both themes (a test), and whatever has the
keyboard focus has a ring in the accent colour.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QColor, QGuiApplication, QIcon, QPainter, QPalette, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication

from forensicviewer.app.resources import resource, resource_folder


@dataclass(frozen=True, slots=True)
class Theme:
    """Named colours; ``canvas`` is the neutral grey around pictures."""

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

    @property
    def is_dark(self) -> bool:
        return self.name == "dark"


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


def theme_named(name: str) -> Theme:
    """The theme a setting means; ``system`` follows the desktop."""
    if name == "system":
        scheme = QGuiApplication.styleHints().colorScheme()
        return DARK if scheme is Qt.ColorScheme.Dark else LIGHT
    return DARK if name == "dark" else LIGHT


def apply_theme(application: QApplication, theme: Theme, *, font_scale: int) -> None:
    """Give the whole program the theme, at once."""
    font = application.font()
    font.setPointSizeF(_base_points(application) * font_scale / 100)
    application.setFont(font)
    application.setPalette(_palette(theme))
    application.setStyleSheet(_style_sheet(theme))


def current_theme() -> Theme:
    """The theme the window has now; the palette is where it is kept."""
    return DARK if QGuiApplication.palette().window().color().lightness() < 128 else LIGHT


@cache
def _base_points(application: QApplication) -> float:
    # Asked once: afterwards the application's font is the scaled one.
    return max(application.font().pointSizeF(), 9.0)


def icon(name: str, *, color: str = "") -> QIcon:
    """A drawn icon in the theme's text colour, paler where it is disabled."""
    theme = current_theme()
    made = QIcon()
    inks = {QIcon.Mode.Normal: color or theme.text, QIcon.Mode.Disabled: theme.border}
    for mode, ink in inks.items():
        for edge_px in (16, 20, 32, 40):
            made.addPixmap(_drawn(name, ink, edge_px), mode)
    return made


def application_icon() -> QIcon:
    made = QIcon()
    for edge_px in (16, 32, 48, 64, 128, 256):
        made.addPixmap(_drawn("app", "", edge_px))
    return made


@cache
def _drawn(name: str, ink: str, edge_px: int) -> QPixmap:
    path = resource(f"icons/{name}.svg")
    svg = path.read_text(encoding="utf-8") if path.is_file() else ""
    pixmap = QPixmap(edge_px, edge_px)
    pixmap.fill(Qt.GlobalColor.transparent)
    if svg:
        painter = QPainter(pixmap)
        painted = QByteArray(svg.replace("currentColor", ink).encode())
        QSvgRenderer(painted).render(painter, QRectF(0, 0, edge_px, edge_px))
        painter.end()
    return pixmap


def _palette(theme: Theme) -> QPalette:
    roles = {
        QPalette.ColorRole.Window: theme.window,
        QPalette.ColorRole.WindowText: theme.text,
        QPalette.ColorRole.Base: theme.surface,
        QPalette.ColorRole.AlternateBase: theme.window,
        QPalette.ColorRole.Text: theme.text,
        QPalette.ColorRole.PlaceholderText: theme.muted,
        QPalette.ColorRole.Button: theme.raised,
        QPalette.ColorRole.ButtonText: theme.text,
        QPalette.ColorRole.BrightText: theme.error,
        QPalette.ColorRole.Highlight: theme.accent,
        QPalette.ColorRole.HighlightedText: theme.on_accent,
        QPalette.ColorRole.Link: theme.accent,
        QPalette.ColorRole.LinkVisited: theme.accent,
        QPalette.ColorRole.ToolTipBase: theme.raised,
        QPalette.ColorRole.ToolTipText: theme.text,
        QPalette.ColorRole.Light: theme.raised,
        QPalette.ColorRole.Midlight: theme.hover,
        QPalette.ColorRole.Mid: theme.border,
        QPalette.ColorRole.Dark: theme.border,
        QPalette.ColorRole.Shadow: theme.border,
        QPalette.ColorRole.Accent: theme.accent,
    }
    palette = QPalette()
    for role, color in roles.items():
        palette.setColor(role, QColor(color))
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


def _style_sheet(theme: Theme) -> str:
    values = {
        name: getattr(theme, name)
        for name in Theme.__dataclass_fields__
        if name not in ("name", "canvas")
    }
    tone = "dark" if theme.is_dark else "light"
    values["chevron"] = _picture(f"chevron-{tone}")
    values["chevron_up"] = _picture(f"chevron-up-{tone}")
    values["tick"] = _picture(f"tick-{tone}")
    values["dash"] = _picture(f"dash-{tone}")
    sheet = (resource_folder() / "style.qss").read_text(encoding="utf-8")
    for name, value in values.items():
        sheet = sheet.replace(f"@{name};", f"{value};").replace(f"@{name} ", f"{value} ")
    return sheet


def _picture(name: str) -> str:
    return f'url("{resource(f"icons/{name}.svg").as_posix()}")'


def contrast(one: str, other: str) -> float:
    """How far two colours are apart in brightness, 1..21, as WCAG 2 defines it."""
    lights = sorted((_luminance(one), _luminance(other)))
    return (lights[1] + 0.05) / (lights[0] + 0.05)


def _luminance(color: str) -> float:
    channels = QColor(color)
    parts = (channels.redF(), channels.greenF(), channels.blueF())
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
