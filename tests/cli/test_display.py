"""Which screens a window can be opened on."""

import socket
from pathlib import Path

import pytest

from forensicviewer.cli.display import needing_qt, why_no_display
from forensicviewer.core.problem import ForensicViewerError


@pytest.fixture(autouse=True)
def nothing_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    for variable in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(variable, raising=False)


def test_a_machine_without_a_screen_has_none() -> None:
    assert why_no_display() == "There is no display for the window"


def test_a_screen_nobody_serves_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISPLAY", ":9876")

    assert why_no_display() == "The display :9876 cannot be reached"


def test_a_missing_library_of_x_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(name: str) -> None:
        raise OSError(f"{name}: cannot open shared object file")

    monkeypatch.setenv("DISPLAY", ":9876")
    monkeypatch.setattr("ctypes.CDLL", refuse)

    why = why_no_display()

    assert why is not None
    assert "libxcb.so.1" in why
    assert "libxcb1" in why


@pytest.mark.parametrize("is_absolute", [True, False])
def test_a_compositor_that_listens_is_a_screen(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, *, is_absolute: bool
) -> None:
    door = tmp_path / "wayland-7"
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    monkeypatch.setenv("WAYLAND_DISPLAY", str(door) if is_absolute else door.name)

    with socket.socket(socket.AF_UNIX) as compositor:
        compositor.bind(str(door))
        compositor.listen()
        assert why_no_display() is None

    assert why_no_display() == f"The display {door if is_absolute else door.name} cannot be reached"


def test_whoever_names_a_platform_is_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QT_QPA_PLATFORM", "vnc")

    assert why_no_display() is None


def test_the_packages_that_are_told_are_those_of_the_set_up() -> None:
    setup = Path(__file__).resolve().parents[2] / "packaging" / "setup.sh"

    with pytest.raises(ForensicViewerError) as told, needing_qt("Nothing can be drawn"):
        raise ImportError("libEGL.so.1")

    packages = told.value.hint.partition("on Debian ")[2].partition(";")[0].split()
    assert "libegl1" in packages
    assert set(packages) <= set(setup.read_text(encoding="utf-8").replace('"', " ").split())
