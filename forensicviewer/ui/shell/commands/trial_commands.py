"""What the commands of the Trial and Verdict menus do."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from forensicviewer.app.language.words import tr
from forensicviewer.app.runtime.jobs import Lane
from forensicviewer.core.model import TrialId
from forensicviewer.core.problem import ForensicViewerError
from forensicviewer.core.verdict import Ruling
from forensicviewer.ui.shell.window_frame import Frame
from forensicviewer.ui.widgets.page import Handler

if TYPE_CHECKING:
    from forensicviewer.app.trials.rule_comparison import RuleComparison

_DISAGREEMENT_LANE = Lane("disagreement")
_RULES_LANE = Lane("rules")


class TrialCommands:
    """The handlers of one window's Trial and Verdict menus."""

    def __init__(self, window: Frame) -> None:
        self._window = window
        self._desk = window.desk
        self._bench = window.desk.workbench
        self._last_disputed: TrialId | None = None

    def handlers(self) -> dict[str, Handler]:
        trials = self._desk.trials
        found = {
            "trial.previous": Handler(partial(trials.step, -1)),
            "trial.next": Handler(partial(trials.step, 1)),
            "trial.first": Handler(partial(trials.select_place, 0)),
            "trial.last": Handler(lambda: trials.select_place(len(trials) - 1)),
            "trial.next_worst": Handler(self._next_worst),
            "trial.next_disagreement": Handler(self._next_disagreement),
            "trial.go_to": Handler(self._go_to_trial),
            "trial.rules": Handler(self._compare_rules),
            "verdict.retract": Handler(lambda: self._window.docks.adjudicator.retract()),
            "verdict.note": Handler(self._write_note),
            "verdict.note_pixel": Handler(self._write_note_here),
            "system.next": Handler(self._next_system),
            "system.rival": Handler(
                self._toggle_rival, lambda: self._bench.state.rival is not None
            ),
        }
        for ruling in Ruling:
            found[f"verdict.{ruling.value}"] = Handler(partial(self._say, ruling))
        return found

    def _say(self, ruling: Ruling) -> None:
        panel = self._window.docks.adjudicator
        is_writing = panel.note.hasFocus()
        text = tr("Verdict: {ruling}", ruling=tr(ruling.label))
        chosen = self._window.docks.browser.selected_trials()
        if len(chosen) > 1:
            text = tr(
                "Verdict on each of {count} trials: {ruling}",
                count=len(chosen),
                ruling=tr(ruling.label),
            )
        panel.say(ruling, chosen, then=partial(self._window.notice.tell, text))
        if is_writing:
            # The note is done: keys go to the trials again.
            self._window.docks.browser.focus_table()

    def _write_note(self) -> None:
        self._window.show_panel("adjudicator")
        self._window.docks.adjudicator.focus_note()

    def _write_note_here(self) -> None:
        pin = self._bench.state.cursor
        self._window.show_panel("adjudicator")
        self._window.docks.adjudicator.focus_note(pin)

    def _next_worst(self) -> None:
        if not self._desk.trials.next_worst():
            self._window.notice.tell(tr("No listed trial is scored yet"))

    def _next_disagreement(self) -> None:
        from forensicviewer.app.detection.disagreement import disagreements

        state = self._bench.state
        other = state.rival_submission or next(
            (found for found in state.submissions if found is not state.submission), None
        )
        if state.task is None or state.submission is None or other is None:
            return
        self._desk.jobs.submit(
            _DISAGREEMENT_LANE,
            partial(disagreements, state.task, state.submission, other, self._desk.trials.rows),
            self._show_disagreement,
            title=tr("Comparing the submissions"),
        )

    def _show_disagreement(self, disputed: tuple[TrialId, ...]) -> None:
        """The most disputed trial, or from one of them on the next."""
        if not disputed:
            self._window.notice.tell(tr("No listed trial has a confidence from both submissions"))
            return
        here = self._bench.state.trial_id
        is_walking = here == self._last_disputed and here in disputed
        following = disputed.index(here) + 1 if is_walking and here is not None else 0
        self._last_disputed = disputed[following % len(disputed)]
        self._bench.select_trial(self._last_disputed)

    def _compare_rules(self) -> None:
        state = self._bench.state
        if state.task is None or state.submission is None or state.trial_id is None:
            return
        from forensicviewer.app.trials.rule_comparison import compare_rules

        asked = (state.task, state.submission, state.scoring, state.trial_id, state.rules)
        self._desk.jobs.submit_long(
            _RULES_LANE,
            partial(compare_rules, *asked),
            self._show_rules,
            title=tr("Scoring by every rule set"),
            on_error=self._tell_unscored,
        )

    def _tell_unscored(self, error: BaseException) -> None:
        if not isinstance(error, ForensicViewerError):
            raise error
        self._window.notice.tell(tr("These answers cannot be scored: {why}", why=str(error)))

    def _show_rules(self, comparison: RuleComparison) -> None:
        from forensicviewer.ui.dialogs.rules import RulesDialog

        RulesDialog(comparison, self._bench.state.rules, self._window).show()

    def _go_to_trial(self) -> None:
        from forensicviewer.ui.dialogs.command_palette import trial_palette

        palette = trial_palette(self._window, self._desk.trials, self._bench.select_trial)
        palette.open_over(self._window)

    def _next_system(self) -> None:
        state = self._bench.state
        following = (state.system + 1) % max(1, len(state.submissions))
        self._bench.choose_systems(following, None if state.rival is None else state.system)

    def _toggle_rival(self) -> None:
        state = self._bench.state
        other = (state.system + 1) % max(1, len(state.submissions))
        self._bench.choose_systems(state.system, other if state.rival is None else None)
