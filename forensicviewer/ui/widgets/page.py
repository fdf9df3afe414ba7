"""The pages that stand in the middle of the window: images, video, graph.

Which page is shown follows from the task's kind. A page is made when it is first needed, with the
workbench and its parent, listens to the workbench, and answers the commands of its scope::

    class VideoPage(Page):
        def __init__(self, workbench: Workbench, parent: QWidget | None = None) -> None: ...
        def handlers(self) -> Mapping[str, Handler]:
            return {"video.play": Handler(self.toggle_playing), ...}

The commands themselves (title, menu, keys) are in :mod:`forensicviewer.app.commands.view_table`; a
test fails when a page leaves one of its commands unanswered.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from PySide6.QtCore import QPoint, QSize
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QWidget

from forensicviewer.ui.widgets.key_names import Keys, usual_keys

MenuChoices = list[tuple[str, Callable[[], None]]]


@dataclass(frozen=True, slots=True)
class Handler:
    """What a command does, and for a checkable one whether it is on."""

    run: Callable[[], None]
    is_checked: Callable[[], bool] | None = None


class Page(QWidget):
    """One page of the window; ``tell`` is how it says that something is done.

    ``open_manual`` shows a page of the manual, ``keys`` knows what the user has bound.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.tell: Callable[[str], None] = _say_nothing
        self.open_manual: Callable[[str], None] = _say_nothing
        self.keys: Keys = usual_keys

    def handlers(self) -> Mapping[str, Handler]:
        """The commands this page answers, by id."""
        return {}

    def picture(self, size: QSize | None = None) -> QImage:
        """What the page shows, for the clipboard and for files; ``size`` draws it in that size."""
        if size is not None:
            self.resize(size)
        return self.grab().toImage()

    def show_place(self, place: int | None) -> None:
        """Show one place of what the page shows, as a frame; without one, a telling place."""

    def content(self, _ending: str) -> bytes | None:
        """What the page shows as a file of that ending, where it is not one of pixels."""
        return None

    def show_keys(self) -> None:
        """Name the keys of commands as they are bound now."""

    def copy_pixel(self) -> None:
        """Put the pixel under the cursor onto the clipboard, on pages that show pixels."""

    def choices_at(self, _place: QPoint) -> MenuChoices:
        """What a right click at a point of the screen offers beside the window's commands."""
        return []

    def let_go(self) -> None:
        """Stop listening and release files; called once, before the window closes."""

    def show_manual(self, link: str) -> None:
        """Open the manual, once the page stands in a window that has one."""
        self.open_manual(link)


def _say_nothing(_text: str) -> None:
    """Outside a window nobody listens."""
