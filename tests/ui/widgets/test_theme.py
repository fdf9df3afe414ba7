import pytest
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QListWidget,
    QTableWidget,
    QTreeWidget,
)
from pytestqt.qtbot import QtBot

from forensicviewer.app.commands.table import COMMANDS
from forensicviewer.app.runtime.resources import resource
from forensicviewer.ui.widgets.theme import (
    DARK,
    LIGHT,
    Theme,
    apply_theme,
    current_theme,
    icon,
    theme_named,
)

pytestmark = pytest.mark.ui
BACKGROUNDS = ("window", "surface", "raised", "hover", "selection")


def contrast(one: str, other: str) -> float:
    """How far two colours are apart in brightness, 1..21, as WCAG 2 defines it."""
    lights = sorted((_luminance(one), _luminance(other)))
    return (lights[1] + 0.05) / (lights[0] + 0.05)


def _luminance(color: str) -> float:
    channels = QColor(color)
    parts = (channels.redF(), channels.greenF(), channels.blueF())
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
@pytest.mark.parametrize("ink", ["text", "muted"])
@pytest.mark.parametrize("paper", BACKGROUNDS)
def test_text_stands_out_from_every_background(theme: Theme, ink: str, paper: str) -> None:
    assert contrast(getattr(theme, ink), getattr(theme, paper)) >= 4.5


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_signs_and_buttons_stand_out(theme: Theme) -> None:
    for ink in ("error", "warning", "good", "accent"):
        assert contrast(getattr(theme, ink), theme.surface) >= 4.5
    assert contrast(theme.on_accent, theme.accent) >= 4.5


def test_black_and_white_are_21_to_1() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_applying_a_theme_changes_palette_and_style_at_once(
    qapp: QApplication, theme: Theme
) -> None:
    apply_theme(qapp, theme, font_scale=150)

    assert qapp.palette().color(QPalette.ColorRole.Window).name() == theme.window
    assert current_theme() is theme
    assert "@" not in qapp.styleSheet().replace("@names", "")


def test_the_font_scales_from_the_same_size_each_time(qapp: QApplication) -> None:
    normal = qapp.font().pointSizeF()
    for scale in (200, 200):
        apply_theme(qapp, LIGHT, font_scale=scale)

    assert qapp.font().pointSizeF() == pytest.approx(2 * normal)


def test_a_theme_is_found_by_its_setting() -> None:
    assert (theme_named("dark"), theme_named("light")) == (DARK, LIGHT)
    assert theme_named("system") in (LIGHT, DARK)


def test_every_icon_a_command_names_is_there_and_drawn(qapp: QApplication) -> None:
    names = {command.icon for command in COMMANDS if command.icon}

    missing = [name for name in names if not resource(f"icons/{name}.svg").is_file()]

    assert missing == []
    assert not icon("folder").pixmap(20, 20).isNull()
    assert qapp is not None


@pytest.mark.parametrize("kind", [QTableWidget, QTreeWidget, QListWidget])
def test_the_ring_of_the_focus_is_whole(
    qapp: QApplication, qtbot: QtBot, kind: type[QAbstractItemView]
) -> None:
    apply_theme(qapp, LIGHT, font_scale=100)
    view = kind()
    qtbot.addWidget(view)
    view.resize(200, 120)
    with qtbot.waitExposed(view):
        view.show()
    view.clearFocus()
    unfocused = view.viewport().geometry()
    view.setFocus()
    qtbot.waitUntil(view.hasFocus)

    picture = view.grab().toImage()

    rim = {picture.pixelColor(0, y).name() for y in range(picture.height())}
    rim |= {picture.pixelColor(x, 0).name() for x in range(picture.width())}
    assert rim == {LIGHT.accent}
    assert view.viewport().geometry() == unfocused
