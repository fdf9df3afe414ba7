"""Whether a window can be opened, checked before Qt ends the program because it has no display."""

from __future__ import annotations

import ctypes
import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from forensicviewer.core.problem import ForensicViewerError

# As in packaging/setup.sh: those that importing Qt takes, and those of a window on X.
_PACKAGES = (
    "libegl1 libgl1 libglib2.0-0 libdbus-1-3 libfontconfig1 libxkbcommon-x11-0 libxcb-cursor0"
    " libxcb-icccm4 libxcb-image0 libxcb-keysyms1 libxcb-render-util0 libxcb-shape0 libxcb-xkb1"
)


@contextmanager
def needing_qt(whats_wrong: str) -> Iterator[None]:
    """Context for importing Qt: a missing system library is an error to report, not a bug."""
    try:
        yield
    except ImportError as error:
        raise ForensicViewerError(
            f"{whats_wrong}: {error}",
            hint=f"install the system libraries that Qt needs, on Debian {_PACKAGES}; "
            "commands that do not draw work without them",
        ) from error


def why_no_display() -> str | None:
    """What keeps a window from opening; None if nothing does."""
    if not sys.platform.startswith("linux") or os.environ.get("QT_QPA_PLATFORM"):
        return None
    x_display, wayland_display = os.environ.get("DISPLAY"), os.environ.get("WAYLAND_DISPLAY")
    if not (x_display or wayland_display):
        return "There is no display for the window"
    if wayland_display and _is_wayland_open(wayland_display):
        return None
    if x_display:
        try:
            xcb = ctypes.CDLL("libxcb.so.1")
        except OSError:
            return (
                "The system library libxcb.so.1 is missing (on Debian: libxcb1), so the "
                "window cannot open"
            )
        if _is_x_open(xcb):
            return None
    # As from the shell of another user, or from one that is older than the desktop.
    return f"The display {x_display or wayland_display} cannot be reached"


def _is_x_open(xcb: ctypes.CDLL) -> bool:
    """Try to connect to the X server as Qt does, with the user's authority file."""
    xcb.xcb_connect.restype = ctypes.c_void_p
    connection = ctypes.c_void_p(xcb.xcb_connect(None, None))
    is_open = not xcb.xcb_connection_has_error(connection)
    xcb.xcb_disconnect(connection)
    return is_open


def _is_wayland_open(name: str) -> bool:
    door = Path(os.environ.get("XDG_RUNTIME_DIR", ""), name)
    with socket.socket(socket.AF_UNIX) as visitor:
        return visitor.connect_ex(str(door)) == 0
