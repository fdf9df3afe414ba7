"""Shows the open trial: read in the background, scored as asked, kept for the way back.

What was asked for is compared with every answer: one that comes too late is cached and not shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from forensicviewer.app.language.words import to_translate, tr
from forensicviewer.app.runtime.byte_cache import ByteBudgetCache
from forensicviewer.app.runtime.jobs import Jobs, Lane, Priority
from forensicviewer.app.runtime.observed import Observed
from forensicviewer.app.workbench import snapping
from forensicviewer.app.workbench.problems import merge_problems
from forensicviewer.app.workbench.read_ahead import ReadAhead, load_trial, rescored
from forensicviewer.app.workbench.request import as_shown, request_for
from forensicviewer.app.workbench.state import Change, ViewState
from forensicviewer.core.model import Side, TrialId
from forensicviewer.core.problem import ForensicViewerError, Problem, Severity, Topic

if TYPE_CHECKING:
    from forensicviewer.app.workbench.highlight import Highlight
    from forensicviewer.app.workbench.loaded_trial import LoadedTrial, TrialRequest


TRIAL_LANE = Lane("trial", Priority.WITH_PAGE)
SCORE_LANE = Lane("score")
_RELEASE_LANE = Lane("release", Priority.UPKEEP)
_HIGHLIGHT_LANE = Lane("highlight")
_LOADED = Change.TRIAL | Change.LOADED | Change.SCORES


class OpenTrial(Observed[ViewState, Change]):
    """Holds the state, and brings the trial it names into it, with the numbers it asks for."""

    def __init__(self, jobs: Jobs, *, cache_bytes: int) -> None:
        self.jobs = jobs
        super().__init__(ViewState())
        self._cache: ByteBudgetCache[TrialRequest, LoadedTrial] = ByteBudgetCache(cache_bytes)
        self._neighbours: tuple[TrialId, ...] = ()
        self._ahead = ReadAhead(jobs, self._cache, self._likely_next)
        self._awaited: TrialRequest | None = None  # while the state is loading
        self._scored_as = self._state.scoring  # that of what is loaded
        self._before: LoadedTrial | None = None  # while it is not shown, to go back to

    def clear_outdated(self) -> None:
        """Show nothing of the trial before: the one that was asked for takes its time."""
        state = self._state
        if state.is_loading and state.loaded is not None and not state.is_current:
            self._before = state.loaded
            self._set_followed(_LOADED, replace(state, loaded=None))

    def show_frame(self, loaded: LoadedTrial, *, is_passing: bool = False) -> None:
        """Show another image of the open trial, as the frames of a video are.

        A frame that is ``is_passing`` will be followed by another at once: only the panes show it.
        """
        if loaded.request != self.request:
            return
        self._scored_as = self._state.scoring
        state = replace(self._state, loaded=loaded, is_loading=False)
        # The pixel under the mouse is another one in either case.
        changed = Change.FRAME if is_passing else Change.LOADED | Change.SCORES | Change.THRESHOLD
        self._put(changed | Change.CURSOR, snapping.at_followed(state))
        if state.highlighted is not None:
            self.highlight_operation(state.highlighted)

    def set_neighbours(self, trial_ids: Iterable[TrialId]) -> None:
        """Say which trials are likely next, best guess first; they are read ahead of time."""
        self._neighbours = tuple(trial_ids)
        if not self._state.is_loading:
            self._ahead.go_on()

    def highlight_operation(self, operation: int | None) -> None:
        """Point at an operation, or at none; its area shows as soon as it is found."""
        from forensicviewer.app.workbench.highlight import highlight_of

        self._set(Change.HIGHLIGHT, replace(self._state, highlighted=operation, highlight=None))
        loaded, side = self._state.loaded, self._state.side
        if loaded is not None and operation is not None:
            find = partial(highlight_of, loaded.on(side), operation)
            self.jobs.submit(_HIGHLIGHT_LANE, find, self._show_highlight)

    def _show_highlight(self, found: Highlight | None) -> None:
        if found is not None and found.operation == self._state.highlighted:
            self._set(Change.HIGHLIGHT, replace(self._state, highlight=found))

    def read_again(self) -> None:
        """Read the open trial's files anew, because they have changed."""
        if self._state.loaded is not None:
            outdated = self._state.loaded.problems
            kept = tuple(one for one in self._state.problems if one not in outdated)
            self._forget_trials()
            self._set(Change.PROBLEMS, replace(self._state, problems=kept))
            self._load()

    @property
    def request(self) -> TrialRequest | None:
        """What is to be read of the open trial and how it is to be scored."""
        trial_id = self._state.trial_id
        return None if trial_id is None else request_for(self._state, trial_id)

    def report(
        self,
        problems: Iterable[Problem],
        *,
        is_aside: bool = False,
        instead_of: Topic | None = None,
    ) -> None:
        """Tell the user; each problem is kept once, and those of a topic make way for new ones."""
        change = Change.PROBLEMS | (Change.ASIDE if is_aside else Change(0))
        known = merge_problems(self._state.problems, problems, instead_of=instead_of)
        self._set(change, replace(self._state, problems=known))

    def _forget_trials(self) -> None:
        # A gigabyte of images takes longer to release than a window may stand still.
        self.jobs.submit(_RELEASE_LANE, self._cache.clear(), lambda _: None)

    def _load(self) -> None:
        request = self.request
        if request is None:
            return
        cached = self._cache.get(request)
        if cached is not None:
            self._show(cached)
            return
        if self._state.is_loading and request == self._awaited:
            return
        self._awaited = request
        self._set(Change.TRIAL, replace(self._state, is_loading=True))
        # It is read as it is to be scored.
        self.jobs.cancel(SCORE_LANE)
        self.jobs.submit(
            TRIAL_LANE,
            lambda: load_trial(request),
            self._show,
            title=tr("Reading {name}", name=request.trial.id),
            on_error=self._fail,
            on_cancel=self._stay,
        )

    def _show(self, loaded: LoadedTrial) -> None:
        if loaded.is_worth_keeping:
            self._cache.put(loaded.request, loaded, size=loaded.bytes_held)
        if loaded.request != self.request:
            # The user has moved on, or has changed the scoring meanwhile; the answer stays cached.
            return
        self._scored_as, self._before = self._state.scoring, None
        side = self._state.side if loaded.donor is not None else Side.PROBE
        state = replace(self._state, loaded=loaded, is_loading=False, side=side)
        self._set_followed(_LOADED, state)
        self.report(loaded.problems)
        self._ahead.begin(loaded)

    def _rescore(self) -> None:
        loaded, request = self._state.loaded, self.request
        if loaded is None or request is None or not loaded.has_pixels_for(request):
            self._load()
            return
        self.jobs.submit(
            SCORE_LANE,
            lambda: rescored(loaded, request),
            self._show_scores,
            title=tr("Scoring"),
            on_error=self._fail,
            on_cancel=self._stay,
        )

    def _show_scores(self, loaded: LoadedTrial) -> None:
        if loaded.request == self.request:
            self._scored_as = self._state.scoring
            state = replace(self._state, loaded=loaded, is_loading=False)
            self._set_followed(Change.SCORES, state)

    def _read_for_panes(self) -> None:
        """Read what a new pane shows; where it is gone again before that, nothing is awaited."""
        loaded, request = self._state.loaded, self.request
        if loaded is None or (request is not None and not loaded.has_pixels_for(request)):
            self._load()
        elif loaded.request == request:
            self._set(Change.TRIAL, replace(self._state, is_loading=False))
        elif self._state.is_loading:
            # What was read for the pane that is gone would have been scored as it is asked now.
            self._rescore()

    def _stay(self) -> None:
        """Take back what the user called off."""
        state = replace(self._state, loaded=self._state.loaded or self._before)
        self._put(_LOADED | Change.SCORING, as_shown(state, scoring=self._scored_as))

    def _likely_next(self) -> Iterator[TrialRequest]:
        found = (request_for(self._state, trial_id) for trial_id in self._neighbours)
        return (request for request in found if request is not None)

    def _fail(self, error: BaseException) -> None:
        """Show the trial that was asked for without its pixels, never those of another one."""
        from forensicviewer.app.workbench.loaded_trial import unread_trial

        is_known = isinstance(error, ForensicViewerError)
        why = str(error) if is_known else to_translate("Internal error; the log says more")
        loaded = None if self.request is None else unread_trial(self.request, why)
        self._set_followed(_LOADED, replace(self._state, loaded=loaded, is_loading=False))
        if not isinstance(error, ForensicViewerError):
            raise error
        self.report([error.as_problem(Severity.ERROR)])

    def _set_followed(self, change: Change, state: ViewState) -> None:
        """Go on with another state and the thresholds that follow it, told at once."""
        followed = snapping.at_followed(state)
        is_moved = followed.thresholds != self._state.thresholds
        self._set(change | (Change.THRESHOLD if is_moved else Change(0)), followed)
