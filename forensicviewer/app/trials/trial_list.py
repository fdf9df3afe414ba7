"""The list of trials the user walks through: which are listed, in which order, and what is next.

Follows the workbench; tells its own listeners what changed. Everything that takes time for a
million trials runs in the lane ``list``; short lists answer at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import Flag, auto
from functools import partial
from typing import TYPE_CHECKING

from forensicviewer.app.language.words import tr
from forensicviewer.app.runtime.jobs import Lane
from forensicviewer.app.trials.trial_filter import SHORT_LIST, Sort, TrialFilter
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.app.workbench.state import Change, ViewState
from forensicviewer.core.model import Task, TrialId
from forensicviewer.core.problem import QueryError

if TYPE_CHECKING:
    from forensicviewer.app.imdl.pair_job import PairAnswer
    from forensicviewer.app.trials.library import Facet, Library
    from forensicviewer.app.trials.query import JournalCells
    from forensicviewer.app.trials.score_columns import Scores
    from forensicviewer.core.array import Rows


_LIBRARY_LANE = Lane("library")
_FIND_LANE = Lane("find")
LIST_LANE = Lane("list")
_JOURNALS_LANE = Lane("journals")


class ListChange(Flag):
    """What differs in the list."""

    ROWS = auto()  # other trials, or another order; with CELLS only because of what came in
    COLUMNS = auto()  # another task or submission: the columns may be others
    CELLS = auto()  # scores or verdicts came in
    CURRENT = auto()  # another trial is looked at
    FILTER = auto()  # the filter, its error, or the facets


@dataclass(frozen=True, slots=True)
class FoundTrial:
    """A trial found by a search, with the text that distinguishes it."""

    id: TrialId
    text: str


ListListener = Callable[[ListChange], None]


class TrialList:
    """Filter, order and place in the list; selecting a trial goes through the workbench."""

    def __init__(self, workbench: Workbench) -> None:
        self._workbench = workbench
        self._listeners: list[ListListener] = []
        self._verdicts: Mapping[TrialId, str] = {}
        self.library: Library | None = None
        # What was measured of each row, where predictions are scored by definitions.
        self.answers: dict[int, PairAnswer] = {}
        self._rows: Rows | None = None
        self.facets: tuple[Facet, ...] = ()
        self.filter = TrialFilter()
        self.sort = Sort()
        self.error: QueryError | None = None
        # Of a list of ids in the filter, those that name no trial.
        self.unknown_ids: tuple[str, ...] = ()
        self._last_worst: int | None = None
        # Why the rows being arranged may be others; a later reason does not replace an earlier.
        self._due = ListChange(0)
        # Where the current trial stood before its verdict or score hid it.
        self._left_at: int | None = None
        # A long list whose cells are not made ready for searching yet.
        self._unprepared: Library | None = None
        workbench.subscribe(self._follow)

    def subscribe(self, listener: ListListener) -> Callable[[], None]:
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def __len__(self) -> int:
        return 0 if self._rows is None else len(self._rows)

    @property
    def rows(self) -> Rows:
        """The positions in the table of what is listed, in order."""
        import numpy as np

        return np.empty(0, dtype=np.intp) if self._rows is None else self._rows

    def id_at(self, place: int) -> TrialId:
        """The trial at a place of the list."""
        assert self.library is not None
        return self.library.id_of(int(self.rows[place]))

    @property
    def place(self) -> int | None:
        """The position of the current trial in the list; ``None`` when the filter hides it."""
        import numpy as np

        row = self._current_row
        if row is None:
            return None
        found = np.flatnonzero(self.rows == row)
        return int(found[0]) if len(found) else None

    # Filter and order

    def set_filter(self, wanted: TrialFilter) -> None:
        if wanted != self.filter:
            self.filter = wanted
            self._arrange()

    def set_text(self, text: str) -> None:
        self.set_filter(TrialFilter(text, self.filter.chosen))

    def set_sort(self, sort: Sort) -> None:
        if sort != self.sort:
            self.sort = sort
            self._arrange()

    def find(
        self, text: str, *, limit: int, then: Callable[[tuple[FoundTrial, ...]], None]
    ) -> None:
        """Tell ``then`` the trials whose id is nearest to what was typed, best first."""
        library = self.library
        if library is None:
            then(())
        elif len(library) <= SHORT_LIST:
            then(_found(library, text, limit))
        else:
            self._workbench.jobs.submit(_FIND_LANE, partial(_found, library, text, limit), then)

    # Walking

    def select_place(self, place: int) -> None:
        if 0 <= place < len(self.rows):
            self._workbench.select_trial(self.id_at(place))

    def step(self, steps: int) -> None:
        """Walk down the list, or up; from a hidden trial to where it stood, or the first one."""
        here = self.place
        if here is None and self._left_at is not None and steps < 0:
            here = self._left_at
        place = (self._left_at or 0) if here is None else here + steps
        self.select_place(max(0, min(len(self) - 1, place)))

    def next_among(self, *, done: Iterable[TrialId], only: Iterable[TrialId] | None = None) -> bool:
        """Go to the next listed trial that is not done, around the end; whether there was one.

        ``only`` are those that count; ``None`` counts all.
        """
        import numpy as np

        if self.library is None or not len(self.rows):
            return False
        is_open = np.full(len(self.library), only is None)
        is_open[self._rows_of(only or ())] = True
        is_open[self._rows_of(done)] = False
        here = self.place
        start = (self._left_at or 0) if here is None else here + 1
        following = np.roll(np.arange(len(self.rows)), -start)
        waiting = following[is_open[self.rows][following]]
        if len(waiting):
            self.select_place(int(waiting[0]))
        return len(waiting) > 0

    def _rows_of(self, trials: Iterable[TrialId]) -> list[int]:
        assert self.library is not None
        rows = (self.library.task.trials.row_of(trial) for trial in trials)
        return [row for row in rows if row is not None]

    def next_worst(self) -> bool:
        """Go to the listed trial with the worst score, and called again there to the next."""
        import numpy as np

        from forensicviewer.app.trials.column import NumberColumn

        column = None if self.library is None else self.library.worst_first
        if self.library is None or column is None:
            return False
        keep = np.zeros(len(self.library), dtype=np.bool_)
        keep[self.rows] = True
        scores = self.library.column(column)
        assert isinstance(scores, NumberColumn)
        keep &= ~np.isnan(scores.numbers)
        worst = scores.ordered(keep, descending=self.library.worst_is_highest)
        if not len(worst):
            return False
        here = np.flatnonzero(worst == self._current_row)
        is_walking = len(here) > 0 and self._current_row == self._last_worst
        following = int(here[0]) + 1 if is_walking else 0
        self._last_worst = int(worst[following % len(worst)])
        self._workbench.select_trial(self.library.id_of(self._last_worst))
        return True

    # Scores and verdicts

    def put_scores(self, scores: Scores) -> None:
        """Show newer scores; the order follows when it depends on them."""
        if self.library is None or scores.trials != len(self.library):
            return
        self.library = self.library.with_scores(scores)
        self._renewed()

    def put_answers(self, answers: Mapping[int, PairAnswer]) -> None:
        """Keep what was measured; the scores notify those who show it."""
        self.answers.update(answers)

    def put_verdicts(self, verdicts: Mapping[TrialId, str]) -> None:
        self._verdicts = verdicts
        if self.library is not None:
            self.library = self.library.with_verdicts(verdicts)
            self._renewed()

    def _renewed(self) -> None:
        self._tell(ListChange.CELLS)
        if self.sort.column or not self.filter.is_empty:
            self._arrange(because=ListChange.CELLS)

    @property
    def _current_row(self) -> int | None:
        state = self._workbench.state
        if state.task is None or state.trial_id is None:
            return None
        return state.task.trials.row_of(state.trial_id)

    def _follow(self, state: ViewState, change: Change) -> None:
        if Change.DATASET in change:
            self.filter, self.sort = TrialFilter(), first_sort(state.task)
            # Those of what was open before; whoever keeps verdicts tells those of this.
            self._verdicts = {}
        if change & (Change.DATASET | Change.SUBMISSIONS):
            self._replace_library(state)
        elif Change.TRIAL in change:
            self._left_at = None
            self._tell(ListChange.CURRENT)
            self._tell_neighbours()

    def _replace_library(self, state: ViewState) -> None:
        from forensicviewer.app.trials.library import Library

        self.answers = {}
        # What is still arranged is of the list that goes; the next one begins with its own.
        self._workbench.jobs.cancel(LIST_LANE)
        if state.task is None:
            self.library, self._rows, self.facets = None, None, ()
            self._tell(ListChange.ROWS | ListChange.COLUMNS | ListChange.FILTER)
            return
        before = self.library
        known = before.journals if before is not None and before.task is state.task else {}
        made = partial(
            Library, state.task, state.listed_submission, verdicts=self._verdicts, journals=known
        )
        if len(state.task.trials) <= SHORT_LIST:
            self._show_library(made())
            return
        self._workbench.jobs.submit(
            _LIBRARY_LANE, partial(_begun, made), self._show_library, title=tr("Reading the list")
        )

    def _show_library(self, library: Library) -> None:
        import numpy as np

        from forensicviewer.app.trials.library import journals_of

        state = self._workbench.state
        if library.task is not state.task or library.submission is not state.listed_submission:
            return
        # Verdicts may have come while the list was read.
        known = library.verdicts == self._verdicts
        self.library = library if known else library.with_verdicts(self._verdicts)
        self._rows = np.arange(len(library), dtype=np.intp)
        self._unprepared = library if len(library) > SHORT_LIST else None
        self._tell(ListChange.COLUMNS | ListChange.ROWS)
        self._arrange()
        if self._unprepared is None and not library.journals:
            take = partial(self._take_journals, library.task)
            self._workbench.jobs.submit(_JOURNALS_LANE, partial(journals_of, library.task), take)

    def _prepare(self) -> None:
        """Make searching ready while the list is looked at; who types first does not wait."""
        library = self._unprepared
        if library is not None and not self._workbench.jobs.is_busy(LIST_LANE):
            work, take = partial(_prepared, library), partial(self._take_prepared, library)
            title = tr("Preparing the filter")
            self._workbench.jobs.submit(LIST_LANE, work, take, title=title)

    def _take_prepared(self, library: Library, journals: Mapping[str, JournalCells]) -> None:
        self._unprepared = None
        self._take_journals(library.task, journals)

    def _take_journals(self, task: Task, journals: Mapping[str, JournalCells]) -> None:
        """Offer what the journals say as facets, too."""
        if journals and self.library is not None and self.library.task is task:
            self.library = self.library.with_journals(journals)
            self._arrange()

    def _arrange(self, *, because: ListChange = ListChange.FILTER) -> None:
        library = self.library
        if library is None or library.task is not self._workbench.state.task:
            # It is arranged once it is read.
            self._tell(ListChange.FILTER)
            return
        self._due |= because
        work = partial(_arranged, library, self.filter, self.sort)
        show = partial(self._show_rows, because=self._due)
        if len(library) <= SHORT_LIST and not library.asks_journals(self.filter.text):
            # An answer to what was asked before would come after this one.
            self._workbench.jobs.cancel(LIST_LANE)
            try:
                show(work())
            except QueryError as error:
                self._refuse(error)
            return
        self._workbench.jobs.submit(LIST_LANE, work, show, on_error=self._refuse)

    def _show_rows(self, answer: tuple[Rows, tuple[Facet, ...]], *, because: ListChange) -> None:
        import numpy as np

        self._prepare()
        rows, self.facets = answer
        self._due &= ~because
        # Whoever asked for other trials or another order sees them as asked for.
        is_aside = because is ListChange.CELLS
        self.error = None
        library = self.library
        self.unknown_ids = () if library is None else library.unknown_ids(self.filter.text)
        if is_aside and np.array_equal(rows, self.rows):
            # What came in moved nothing; a list that is scrolled or read is left alone.
            self._tell(ListChange.FILTER)
            return
        before, self._rows = self.place, rows
        is_hidden = self.place is None
        if not is_aside or not is_hidden:
            self._left_at = None
        elif before is not None:
            self._left_at = before
        moved = ListChange.ROWS | ListChange.FILTER
        self._tell(moved | ListChange.CELLS if is_aside else moved)
        self._tell_neighbours()

    def _refuse(self, error: BaseException) -> None:
        """A query nobody can read leaves the list as it was and says why."""
        if not isinstance(error, QueryError):
            raise error
        self._prepare()
        self.error = error
        self._due = ListChange(0)
        self._tell(ListChange.FILTER)

    def _tell_neighbours(self) -> None:
        here = self.place
        if here is None:
            return
        places = (here + 1, here - 1, here + 2)
        near = [self.id_at(place) for place in places if 0 <= place < len(self.rows)]
        self._workbench.set_neighbours(near)

    def _tell(self, change: ListChange) -> None:
        for listener in tuple(self._listeners):
            listener(change)


def first_sort(task: Task | None) -> Sort:
    """The order a list begins with: where errors are all there is to see, the largest first."""
    from forensicviewer.app.trials.score_columns import score_columns

    columns = () if task is None else score_columns(task)
    return Sort(columns[0].name, descending=True) if columns and columns[0].is_error else Sort()


def _found(library: Library, text: str, limit: int) -> tuple[FoundTrial, ...]:
    from forensicviewer.app.trials.library import TARGET

    rows = [int(row) for row in library.found(text, limit=limit)]
    names = [name for name in (TARGET, library.worst_first) if name is not None]
    texts = (filter(None, (library.column(name).text(row) for name in names)) for row in rows)
    return tuple(
        FoundTrial(library.id_of(row), "  ".join(of)) for row, of in zip(rows, texts, strict=True)
    )


def _begun(made: Callable[[], Library]) -> Library:
    library = made()
    library.begin()
    return library


def _prepared(library: Library) -> Mapping[str, JournalCells]:
    from forensicviewer.app.trials.library import journals_of

    library.prepare()
    return library.journals or journals_of(library.task)


def _arranged(library: Library, wanted: TrialFilter, sort: Sort) -> tuple[Rows, tuple[Facet, ...]]:
    return library.arranged(wanted, sort), library.facets(wanted)
