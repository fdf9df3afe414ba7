"""Hands the user's settings to the workbench, now and whenever they change."""

from __future__ import annotations

from dataclasses import replace

from forensicviewer.app.language.units import AreaUnit, TimeUnit, Units
from forensicviewer.app.settings import AREAS, PALETTE, RULES, TIMES, Settings
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.app.workbench.state import Change, ViewEdits, ViewState
from forensicviewer.core.palette import PaletteName
from forensicviewer.core.rules import rule_set


class Preferences:
    """Palette, rule set and units; a rule set chosen at the workbench becomes the setting."""

    def __init__(self, workbench: Workbench, settings: Settings) -> None:
        self._workbench = workbench
        self._settings = settings
        self._take_palette()
        for key in (RULES.key, AREAS.key):
            self._take(key)
        settings.subscribe(self._take)
        workbench.subscribe(self._keep)

    def _take_palette(self) -> None:
        view = ViewEdits.of(self._workbench.state)
        palette = PaletteName[self._settings.of(PALETTE)]
        self._workbench.restore(
            replace(view, look=replace(view.look, palette=palette)), is_linked=True
        )

    def _take(self, key: str) -> None:
        if key == RULES.key:
            self._workbench.set_rules(rule_set(self._settings.of(RULES)))
        elif key in (AREAS.key, TIMES.key):
            areas, times = self._settings.of(AREAS), self._settings.of(TIMES)
            self._workbench.set_units(Units(AreaUnit[areas], TimeUnit[times]))

    def _keep(self, state: ViewState, change: Change) -> None:
        if Change.RULES in change and state.rules.name != self._settings.of(RULES):
            self._settings.change(RULES, state.rules.name)
