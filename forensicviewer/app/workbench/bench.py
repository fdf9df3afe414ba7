"""The workbench: the one place that changes what the window shows.

Every method makes a new :class:`ViewState` and tells every listener once, with the flags of what
changed. Calls that change nothing tell nobody. All methods belong to one thread (in the window: the
main one); anything slow goes through :class:`Jobs`, and its answer comes
back as another change.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Unpack

from forensicviewer.app.language.units import Units
from forensicviewer.app.language.words import tr
from forensicviewer.app.masks.settings import kernels_after
from forensicviewer.app.runtime.jobs import Jobs
from forensicviewer.app.workbench import snapping
from forensicviewer.app.workbench.history import Deed, History
from forensicviewer.app.workbench.lens_work import LensWork, with_lens
from forensicviewer.app.workbench.open_trial import OpenTrial
from forensicviewer.app.workbench.problems import merge_problems, problems_once_open
from forensicviewer.app.workbench.request import lacks_images
from forensicviewer.app.workbench.state import (
    MOST_PANES,
    Arrangement,
    Change,
    CompareMode,
    LookChanges,
    Moment,
    Pane,
    Scoring,
    Snap,
    Thresholds,
    ViewEdits,
    Viewpoint,
)
from forensicviewer.core.examination import Mark
from forensicviewer.core.kernel import Kernels
from forensicviewer.core.model import Dataset, Side, Submission, Task, TrialId
from forensicviewer.core.palette import Outcome
from forensicviewer.core.problem import Problem
from forensicviewer.core.rules import RuleSet

if TYPE_CHECKING:
    from forensicviewer.app.workbench.drawn_lens import DrawnLens


DEFAULT_CACHE_BYTES = 1 << 30


class Workbench(OpenTrial):
    """Holds the state, changes it on request and tells its listeners.

    ``subscribe`` returns how to unsubscribe. A listener added during a notification hears of the
    next one.
    """

    def __init__(self, jobs: Jobs, *, cache_bytes: int = DEFAULT_CACHE_BYTES) -> None:
        super().__init__(jobs, cache_bytes=cache_bytes)
        self._history = History()
        self.subscribe(LensWork(jobs, self._show_lenses, self.report).follow)

    # Opening

    def show_dataset(
        self,
        dataset: Dataset,
        task: Task,
        *,
        submissions: tuple[Submission, ...] = (),
        trial_id: TrialId | None = None,
        problems: Sequence[Problem] = (),
        unveiled: frozenset[TrialId] | None = None,
    ) -> None:
        """Show an opened dataset with its submissions; what was open before is put away.

        ``problems`` came up while both were opened together; ``unveiled`` as for ``unveil``.
        """
        # What is wrong with answers tells of the systems.
        answers = submissions if unveiled is None else ()
        found = problems_once_open(self._state.problems, dataset, answers)
        self._history.clear()
        self._forget_trials()
        opened = self._state.with_dataset(dataset, task, submissions)
        # Hidden from the first moment on: a listener would show what a blind judge may not see.
        opened = replace(opened, problems=merge_problems(found, problems), unveiled=unveiled)
        self._set(Change.OPENED, opened)
        if trial_id is not None and task.trials.row_of(trial_id) is not None:
            self.select_trial(trial_id)
        elif len(task.trials):
            self.select_trial(task.trials.ids()[0])

    def close_dataset(self) -> None:
        """Put the dataset and its submissions away; the look and what is set for all stay."""
        self._forget_trials()
        self._history.clear()
        self._put(~Change(0), self._state.without_dataset())

    def restore(self, view: ViewEdits, *, is_linked: bool) -> None:
        """Show the open trial as it was shown in a session; there is nothing to undo."""
        self._history.clear()
        self._set(Change.VIEWPOINT, replace(self._state, is_linked=is_linked))
        self._apply(view, Change.HISTORY)

    def choose_task(
        self,
        name: str,
        *,
        submissions: tuple[Submission, ...] = (),
        unveiled: frozenset[TrialId] | None = None,
    ) -> None:
        """Look at another task of the same dataset, and at submissions to it."""
        # The readers of every layout: not needed before a dataset is open.
        from forensicviewer.app.datasets.opening import choose_task

        dataset = self._state.dataset
        if dataset is not None:
            task = choose_task(dataset, name)
            self.show_dataset(dataset, task, submissions=submissions, unveiled=unveiled)

    def add_submissions(self, added: Sequence[Submission]) -> None:
        """Show the last of some opened submissions, and beside it the current one."""
        if added:
            self._set(Change.SUBMISSIONS, self._state.with_submissions(added))
            if self._state.unveiled is None:
                self.report(problem for submission in added for problem in submission.problems)
            self._load()

    def remove_submission(self, position: int) -> None:
        """Put a submission away."""
        kept = tuple(s for i, s in enumerate(self._state.submissions) if i != position)
        rival = 1 if len(kept) > 1 else None
        self._set(Change.SUBMISSIONS, replace(self._state, submissions=kept, system=0, rival=rival))
        self._load()

    def unveil(self, trials: frozenset[TrialId] | None) -> None:
        """Hide systems but for these trials, as a blind review does; ``None`` hides nothing."""
        if trials != self._state.unveiled:
            change = Change.SUBMISSIONS if self._state.submissions else Change(0)
            self._set(change, replace(self._state, unveiled=trials))
            if trials is None:
                self.report(one for s in self._state.submissions for one in s.problems)
            self._load()

    def choose_systems(self, system: int, rival: int | None = None) -> None:
        """Look at one submission, and at a second one beside it."""
        other = None if rival == system else rival
        self._set(Change.SUBMISSIONS, replace(self._state, system=system, rival=other))
        self._load()

    # Trials

    def select_trial(self, trial_id: TrialId) -> None:
        """Ask for a trial: shown at once when it is cached, otherwise when it has been read."""
        task = self._state.task
        if task is None or task.trials.row_of(trial_id) is None:
            return
        if trial_id != self._state.trial_id:
            change = Change.TRIAL | Change.CURSOR | Change.HIGHLIGHT
            self._set(change, self._state.with_trial(trial_id))
            self._load()

    def choose_side(self, side: Side) -> None:
        """Score and inspect the probe or the donor side of a splice."""
        if side is not self._state.side:
            state = replace(self._state, side=side)
            self._set_followed(Change.SCORES | Change.THRESHOLD, state)

    # Thresholds

    def set_threshold(self, threshold: int, *, system: int = 0) -> None:
        """Call pixels manipulated from this score on (0..256) and stop following any snap."""
        self._move_threshold(system, min(256, max(0, threshold)), None)

    def nudge_threshold(self, steps: int, *, system: int = 0) -> None:
        """Move the threshold as the user sees it: up is up in the dataset's own terms."""
        direction = -1 if self._state.speaks_nist else 1
        self.set_threshold(self._state.threshold(system) + direction * steps, system=system)

    def snap_threshold(self, snap: Snap, *, system: int = 0) -> None:
        """Follow the optimum, maximum, actual or submission threshold from trial to trial."""
        found = snapping.snapped(self._state, snap, system=system)
        if found is not None:
            # A choice, however the threshold was moved just before.
            self._history.end_gesture()
            self._move_threshold(system, found, snap)

    def _move_threshold(self, system: int, threshold: int, snap: Snap | None) -> None:
        before = self._state.thresholds
        if system == 0:
            label, after = tr("threshold"), replace(before, main=threshold, snap=snap)
        else:
            after = replace(before, rival=threshold, rival_snap=snap)
            label = tr("second threshold")
        self._edit(label, replace(self._edits, thresholds=after))

    def snaps(self, *, system: int = 0) -> dict[Snap, int]:
        """The thresholds that can be snapped to now."""
        return snapping.available(self._state, system=system)

    def cycle_snap(self) -> None:
        """Snap to the next of the thresholds there are."""
        following = snapping.next_snap(self._state)
        if following is not None:
            self.snap_threshold(following)

    def set_maximum(
        self, threshold: int | None, *, system: int = 0, side: Side = Side.PROBE
    ) -> None:
        """Say what ``Snap.MAXIMUM`` means for a submission; it is found, not chosen."""
        submission, thresholds = self._state.submission_of(system), self._state.thresholds
        if submission is not None:
            maxima = snapping.with_threshold(
                thresholds.maxima, snapping.maximum_key(submission, side), threshold
            )
            after = replace(thresholds, maxima=maxima)
            self._set_followed(Change.THRESHOLD, replace(self._state, thresholds=after))

    def forget_maxima(self) -> None:
        """What was the best threshold is not, once masks are scored otherwise."""
        thresholds = replace(self._state.thresholds, maxima=())
        self._set(Change.THRESHOLD, replace(self._state, thresholds=thresholds))

    def set_actual(self, threshold: int | None) -> None:
        """Say which threshold the evaluation is run with."""
        after = replace(self._state.thresholds, actual=threshold)
        self._edit_followed(tr("actual threshold"), after)

    def set_own_threshold(self, threshold: int | None, *, system: int = 0) -> None:
        """Say which threshold a submission is made for, where its table does not."""
        submission = self._state.submission_of(system)
        if submission is not None:
            own = snapping.with_threshold(self._state.thresholds.own, submission.name, threshold)
            after = replace(self._state.thresholds, own=own)
            self._edit_followed(tr("submission's threshold"), after)

    # Scoring

    def set_kernels(self, kernels: Kernels) -> None:
        """Score with other kernels; the numbers follow when the job is done."""
        self._edit_scoring(tr("kernels"), replace(self._state.scoring, kernels=kernels))

    def set_selected_operations(self, selected: Iterable[int] | None) -> None:
        """Score only some operations of the trial (positions); ``None`` or all of them is all."""
        chosen = None if selected is None else frozenset(selected)
        if not self._state.is_current:
            # It was meant for the trial that is still to be seen, not for the one that comes.
            return
        loaded = self._state.loaded
        if chosen is not None and loaded is not None:
            everything = frozenset(range(len(loaded.trial.operations)))
            chosen = None if chosen == everything else chosen
        self._edit_scoring(tr("operations"), replace(self._state.scoring, selected=chosen))

    def set_scoring(
        self, *, uses_bit_planes: bool | None = None, honours_opt_out: bool | None = None
    ) -> None:
        """Score by bit planes or colours, with or without the pixels that were opted out of."""
        scoring = self._state.scoring
        if uses_bit_planes is not None:
            scoring = replace(scoring, uses_bit_planes=uses_bit_planes)
        if honours_opt_out is not None:
            scoring = replace(scoring, honours_opt_out=honours_opt_out)
        self._edit_scoring(tr("scoring"), scoring)

    def _edit_scoring(self, label: str, scoring: Scoring) -> None:
        self._edit(label, replace(self._edits, scoring=scoring))

    def set_rules(self, rules: RuleSet) -> None:
        """Score by another rule set, with its own kernels unless others were chosen."""
        before, scoring = self._state.rules, self._state.scoring
        if rules == before:
            return
        kernels = kernels_after(scoring.kernels, before, rules)
        change = Change.RULES | (Change.SCORING if kernels != scoring.kernels else Change(0))
        scoring = replace(scoring, kernels=kernels)
        self._set(change, replace(self._state, rules=rules, scoring=scoring))
        self._rescore()

    def set_units(self, units: Units) -> None:
        self._set(Change.LOOK, replace(self._state, units=units))

    # Look

    def set_look(self, label: str, **changes: Unpack[LookChanges]) -> None:
        """Change fields of :class:`Look`; ``label`` names the step."""
        look = replace(self._state.look, **changes)
        self._edit(label, replace(self._edits, look=look))

    def toggle_outcome(self, outcome: Outcome) -> None:
        """Hide an outcome in every overlay, or show it again."""
        self.set_look(tr("legend"), hidden=self._state.look.hidden ^ {outcome})

    def set_compare(
        self,
        *,
        mode: CompareMode | None = None,
        first: Pane | None = None,
        second: Pane | None = None,
    ) -> None:
        """Compare in another way, or other layers; what is not given stays."""
        before = self._state.compare
        compare = replace(
            before,
            mode=before.mode if mode is None else mode,
            first=first or before.first,
            second=second or before.second,
        )
        self._edit(tr("comparison"), replace(self._edits, compare=compare))

    def set_lens(self, lens: str, values: Mapping[str, int]) -> None:
        """Look through a lens with other values."""
        self._edit(tr("lens"), with_lens(self._edits, lens, values))

    def _show_lenses(self, drawn: tuple[DrawnLens, ...]) -> None:
        self._set(Change.LENS, replace(self._state, drawn_lenses=drawn))

    def move_comparison(self, amount: float) -> None:
        """Move the swipe edge or the fade, 0..1; like a cursor, it leaves no step to undo."""
        compare = replace(self._state.compare, amount=min(1.0, max(0.0, amount)))
        self._set(Change.COMPARE, replace(self._state, compare=compare))

    def blink(self) -> None:
        """Show the other layer of a blink comparison."""
        compare = self._state.compare
        blinked = replace(compare, shows_second=not compare.shows_second)
        self._set(Change.COMPARE, replace(self._state, compare=blinked))

    # Panes

    def set_panes(self, panes: Iterable[Pane], *, columns: int = 0) -> None:
        """Show one to six panes."""
        shown = tuple(panes)[:MOST_PANES]
        if shown:
            arrangement = self._state.arrangement.with_panes(shown, columns=columns)
            self._edit(tr("panes"), replace(self._edits, arrangement=arrangement))

    def step_example(self, by: int) -> None:
        """Show another of the images known to be of the trial's camera or event."""
        self._set(Change.PANES, replace(self._state, example=self._state.example + by))
        self._read_for_panes()

    def set_pane(self, position: int, pane: Pane) -> None:
        """Show something else in one pane."""
        before = self._state.arrangement
        panes = tuple(pane if n == position else one for n, one in enumerate(before.panes))
        self._edit(tr("pane"), replace(self._edits, arrangement=replace(before, panes=panes)))

    def activate_pane(self, position: int) -> None:
        arrangement = self._state.arrangement
        if position < len(arrangement.panes):
            self._arrange(replace(arrangement, active=position))
            self.choose_side(arrangement.panes[position].side)

    def maximise_pane(self, position: int | None) -> None:
        """Show one pane alone, or with ``None`` all of them again."""
        arrangement = self._state.arrangement
        if position is None:
            self._arrange(replace(arrangement, maximised=None))
        elif position < len(arrangement.panes):
            self._arrange(replace(arrangement, maximised=position))
            self.activate_pane(position)

    def _arrange(self, arrangement: Arrangement) -> None:
        self._set(Change.PANES, replace(self._state, arrangement=arrangement))

    def set_viewpoint(self, pane: int, viewpoint: Viewpoint | None) -> None:
        """Move a pane, and the panes linked to it; ``None`` fits the image again."""
        viewpoints = self._state.viewpoints_with(pane, viewpoint)
        self._set(Change.VIEWPOINT, replace(self._state, viewpoints=viewpoints))

    def set_linked(self, *, linked: bool) -> None:
        """Let panes move together or each for itself; unlinking moves nothing."""
        state = self._state
        if linked is state.is_linked:
            return
        viewpoints = state.viewpoints_if(linked=linked)
        self._set(Change.VIEWPOINT, replace(self._state, is_linked=linked, viewpoints=viewpoints))

    def set_cursor(self, cursor: tuple[int, int] | None, *, side: Side = Side.PROBE) -> None:
        """Point at a pixel (column, row), or at none."""
        self._set(Change.CURSOR, replace(self._state, cursor=cursor, cursor_side=side))

    def show_marks(self, marks: Iterable[Mark]) -> None:
        """Show the marks that go with a verdict on the open trial."""
        self._set(Change.MARKS, replace(self._state, marks=tuple(marks)))

    def draw_mark(self, mark: Mark | None) -> None:
        """Go on drawing a mark, or with ``None`` stop."""
        self._set(Change.MARKS, replace(self._state, drawn=mark, is_drawn=False))

    def place_corner(self, point: tuple[int, int]) -> None:
        """Give the mark that is drawn another corner; the last one finishes it."""
        drawn = self._state.drawn
        if drawn is not None and not self._state.is_drawn:
            self.draw_mark(drawn.with_point(point))
            if self._state.drawn is not None and self._state.drawn.is_full:
                self.finish_mark()

    def step_back(self) -> None:
        """Take the last corner back; without one, nothing is drawn any more."""
        drawn = self._state.drawn
        if drawn is not None:
            points = drawn.points[:-1]
            self.draw_mark(replace(drawn, points=points) if points else None)

    def finish_mark(self) -> None:
        """Draw no further corner; one without enough of them is still drawn."""
        if self._state.drawn is not None and self._state.drawn.is_complete:
            self._set(Change.MARKS, replace(self._state, is_drawn=True))

    def set_moment(self, moment: Moment) -> None:
        """Set the position of the video, silently: ``show_frame`` announces its image."""
        self._put(Change(0), replace(self._state, moment=moment))

    # Undo

    @property
    def undo_label(self) -> str | None:
        """What undo would take back."""
        return self._history.undo_label

    @property
    def redo_label(self) -> str | None:
        return self._history.redo_label

    def undo(self) -> None:
        self._reach(self._history.undo(self._state))

    def redo(self) -> None:
        self._reach(self._history.redo(self._state))

    def forget_history(self) -> None:
        """Let nothing be undone of what was done until now."""
        self._history.clear()
        self._put(Change.HISTORY, self._state)

    def record_deed(self, label: str, deed: Deed) -> None:
        """Let undo take back something that was done outside the view."""
        self._history.record_deed(label, deed, self._state)
        self._put(Change.HISTORY, self._state)

    def _reach(self, goal: ViewEdits | None) -> None:
        self._apply(self._edits if goal is None else goal, Change.HISTORY)

    def end_gesture(self) -> None:
        """Make the next edit a separate step, though edits of one kind in a row are one."""
        self._history.end_gesture()

    @property
    def _edits(self) -> ViewEdits:
        return ViewEdits.of(self._state)

    def _edit(self, label: str, after: ViewEdits) -> None:
        if after != self._edits:
            is_new = self._history.record(label, self._state)
            self._apply(after, Change.HISTORY if is_new else Change(0))

    def _apply(self, edits: ViewEdits, also: Change) -> None:
        change = self._edits.difference(edits)
        self._put(change | also, edits.applied_to(self._state))
        if Change.SCORING in change:
            self._rescore()
        elif Change.PANES in change or (Change.COMPARE in change and lacks_images(self._state)):
            self._read_for_panes()

    def _edit_followed(self, label: str, thresholds: Thresholds) -> None:
        state = snapping.at_followed(replace(self._state, thresholds=thresholds))
        self._edit(label, ViewEdits.of(state))
