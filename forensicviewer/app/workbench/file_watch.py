"""Finds out that files of the current trial have changed since they were read."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from forensicviewer.app.runtime.jobs import Lane, Priority
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.app.workbench.state import Change, ViewState

if TYPE_CHECKING:
    from forensicviewer.app.workbench.loaded_trial import LoadedTrial


_STAMP_LANE = Lane("stamps", Priority.UPKEEP)


class FileWatch:
    """Has the current trial read again where one of its files is another by now.

    It looks whenever a trial is shown, which may have been read long ago, and when it is asked to.
    """

    def __init__(self, workbench: Workbench) -> None:
        self._workbench = workbench
        workbench.subscribe(self._follow)

    def look(self) -> None:
        """Compare the files with what was read of them, in the background."""
        loaded = self._workbench.state.loaded
        if loaded is not None and loaded.stamps:
            self._workbench.jobs.submit(
                _STAMP_LANE, partial(_has_changed, loaded), partial(self._take, loaded)
            )

    def _follow(self, _state: ViewState, change: Change) -> None:
        if Change.LOADED in change:
            self.look()

    def _take(self, loaded: LoadedTrial, has_changed: bool) -> None:  # noqa: FBT001 - a job's answer
        if has_changed and self._workbench.state.loaded is loaded:
            self._workbench.read_again()


def _has_changed(loaded: LoadedTrial) -> bool:
    from forensicviewer.app.workbench.loaded_trial import FileStamp

    return any(FileStamp.of(stamp.path) != stamp for stamp in loaded.stamps)
