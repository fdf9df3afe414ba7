"""The desk: everything a user has before them, and what can be done with whole files.

Opens whatever there is in the background, keeps the recent list, the session and the verdicts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from forensicviewer.app.datasets.sample import (
    DEMO,
    GENAI,
    IMDL,
    paint_in_subprocess,
    sample_places,
)
from forensicviewer.app.judging.judging import Judging, user_name
from forensicviewer.app.language.words import tr
from forensicviewer.app.runtime.jobs import Jobs, Lane, Priority
from forensicviewer.app.runtime.late_writer import LateWriter
from forensicviewer.app.session.announcement import problem_of, without_its_dataset
from forensicviewer.app.session.case_desk import Cases
from forensicviewer.app.session.open_request import Answering, Opened, OpenRequest
from forensicviewer.app.session.opening_job import open_in_background
from forensicviewer.app.session.panel_places import Arrangements
from forensicviewer.app.session.preferences import Preferences
from forensicviewer.app.session.presence import look_for_files
from forensicviewer.app.session.recent import PlaceKind, Recent, RecentPlaces
from forensicviewer.app.session.resuming import resume
from forensicviewer.app.session.session_file import (
    SUFFIX,
    PaneView,
    Session,
    autosave_path,
    keep_session,
    read_session,
    without_dataset,
    write_session,
)
from forensicviewer.app.session.settled import Settled, derived_among, inverted_among
from forensicviewer.app.session.shelf import Content, OpenPlaces, Shelf, Waiting
from forensicviewer.app.session.trusted_links import trust_folder, trusted_folders
from forensicviewer.app.settings import JUDGE, MEMORY, Settings
from forensicviewer.app.trials.trial_list import ListChange, TrialList
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.app.workbench.file_watch import FileWatch
from forensicviewer.app.workbench.state import Change, ViewEdits, ViewState
from forensicviewer.core.model import Dataset, Task, TrialId
from forensicviewer.core.problem import Problem

if TYPE_CHECKING:
    from forensicviewer.app.session.recognise import Meant
    from forensicviewer.app.trials.scoreboard import Scoreboard

_OPEN_LANE = Lane("open", is_far=True)
_SAMPLE_LANE = Lane("sample")
_SAVE_LANE = Lane("save")
_RECOGNISE_LANE = Lane("recognise", is_far=True)
_SESSION_LANE = Lane("session", is_far=True)

T = TypeVar("T")


class Desk:
    """Owns the workbench, the list of trials and the files around them.

    ``cache_bytes`` takes the place of the user's setting; with 0 no trial is read ahead.
    """

    def __init__(
        self,
        jobs: Jobs,
        settings: Settings,
        *,
        recent: RecentPlaces | None = None,
        cache_bytes: int | None = None,
    ) -> None:
        self.jobs = jobs
        self.settings = settings
        self.recent = recent or RecentPlaces()
        if cache_bytes is None:
            cache_bytes = settings.of(MEMORY) << 20
        self.workbench = Workbench(jobs, cache_bytes=cache_bytes)
        self.trials = TrialList(self.workbench)
        self.files = FileWatch(self.workbench)
        # Made with the first dataset: it brings every scorer along.
        self._scoreboard: Scoreboard | None = None
        self.layout = "inspect"
        # Until the user chooses a layout, the one shown follows what is open.
        self.has_chosen_layout = False
        self.judging = Judging(self.workbench, self.trials)
        self.is_dirty = False
        # The session whose dataset was not found where it was.
        self.lost_session: Path | None = None
        self._places = OpenPlaces()
        self.cases = Cases(self.workbench, self.recent, show=self.open, fail=self.fail)
        # The datasets that are open behind the one that is shown.
        self.shelf = Shelf()
        # Submissions to the tasks that are not looked at now.
        self._aside: dict[str, Answering] = {}
        # Until something was opened, the session in progress is still the one of the last run.
        self._has_begun = False
        self._listed = self.trials.filter, self.trials.sort
        self._preferences = Preferences(self.workbench, settings)
        settings.subscribe(self._take_judge)
        self.workbench.subscribe(self._follow)
        self.trials.subscribe(self._follow_list)
        self.workbench.report(settings.problems)
        self._session_writer = LateWriter(Lane("autosave", Priority.UPKEEP))
        self.arrangements = Arrangements(settings.folder / "window.json")
        for writer in self._writers:
            writer.use(jobs)
            writer.on_problem = lambda problem: self.workbench.report([problem])
        possible = (self.recent.problem, self.arrangements.problem)
        self.workbench.report([problem for problem in possible if problem is not None])

    def choose_layout(self, name: str) -> None:
        """Keep a layout from now on, whatever is opened."""
        self.layout = name
        self.has_chosen_layout = True
        self.is_dirty = True

    def _take_judge(self, key: str) -> None:
        if key == JUDGE.key and self.judging.book is not None:
            self.judging.become(self.judge)

    # Opening

    def open_paths(self, paths: Sequence[Path]) -> None:
        """Open paths of any kind: a session, a dataset and submissions, a trial's file."""
        state = self.workbench.state

        def look() -> TrialId | Meant:
            from forensicviewer.app.session import locate, recognise

            return locate.trial_of_files(paths, state) or recognise.sort_out(paths)

        self._look_at(paths, look, self._open_meant)

    def _look_at(
        self, paths: Sequence[Path], look: Callable[[], T], then: Callable[[T], None]
    ) -> None:
        """Find out in the background what paths are; a disk may answer late, or never."""
        if paths:
            title = tr("Opening {name}", name=paths[0].name)
            self.jobs.submit(_RECOGNISE_LANE, look, then, title=title, on_error=self.fail)

    def _open_meant(self, found: TrialId | Meant) -> None:
        if isinstance(found, str):
            self.workbench.select_trial(found)
        elif found.request is None:
            self.workbench.report(found.refused)
        else:
            self.open(found.request)

    def open_named(self, request: OpenRequest) -> None:
        """Open what a command line names, whichever it names first."""
        state = self.workbench.state
        named = [path for path in (request.dataset, *request.submissions) if path is not None]
        is_open, waiting = self._places.dataset, [one.path for one in self.shelf.waiting]

        def look() -> TrialId | OpenRequest:
            from forensicviewer.app.session import locate, recognise

            found = locate.trial_of_files(named, state)
            return found or recognise.as_meant(request).beside(is_open, waiting)

        def go_on(found: TrialId | OpenRequest) -> None:
            if isinstance(found, OpenRequest):
                self.open(found)
            else:
                self.workbench.select_trial(found)

        self._look_at(named, look, go_on)

    def open(self, request: OpenRequest) -> None:
        """Open a dataset, or submissions to the one that is open, without blocking anybody."""
        named = request.dataset or (request.submissions[0] if request.submissions else None)
        if named is None:
            return
        if named.suffix.lower() == SUFFIX:
            self.open_session(named, asked=request)
            return
        if self.cases.is_case(named):
            self.cases.open(named, refused=request.refused)
            return
        if request.dataset is None and self.workbench.state.task is None:
            self.workbench.report(without_its_dataset(request.submissions))
            self.workbench.report(request.refused)
            return
        request, trusted = request.once_each(), trusted_folders(self.settings)
        waiting = self.shelf.at(request.dataset) if request.is_about_one else None
        if waiting is not None:
            self._go_back_to(waiting, request)
            return
        self.jobs.submit_long(
            _OPEN_LANE,
            partial(open_in_background, trusted, request, self._open_now, self.judge),
            self._show_all,
            title=tr("Opening {name}", name=named.name),
            on_error=self.fail,
        )

    def trust_links(self) -> None:
        """Follow the links of the dataset that is open, now and whenever it is opened again."""
        dataset = self.workbench.state.dataset
        if dataset is not None:
            trust_folder(self.settings, dataset.root)
            self.reload()

    def open_dataset(self, path: Path) -> None:
        self.open(OpenRequest(path))

    def open_submissions(self, paths: Sequence[Path]) -> None:
        """Open answers to the dataset that is open."""
        self.open(OpenRequest(submissions=tuple(paths)))

    def open_strangers(self, paths: Sequence[Path]) -> None:
        """Open submissions although they answer no trial of the dataset: the user says so."""
        self.open(OpenRequest(submissions=tuple(paths), accepts_strangers=True))

    def open_recent(self, place: Recent) -> None:
        """Open a place again; a submission brings the dataset it was opened with."""
        path = Path(place.path)
        if place.kind is PlaceKind.SESSION:
            self.open_session(path)
        elif place.kind in (PlaceKind.DATASET, PlaceKind.CASE):
            self.open_dataset(path)
        elif place.partner and self.workbench.state.dataset is None:
            self.open(OpenRequest(Path(place.partner), (path,)))
        else:
            self.open_submissions([path])

    def open_genai_sample(self) -> None:
        """Open the sample of AI-generated images."""
        self.open_sample(GENAI)

    def open_imdl_sample(self) -> None:
        """Open the sample of images, masks and predictions."""
        self.open_sample(IMDL)

    def open_sample(self, name: str = DEMO) -> None:
        """Write one dataset of the sample where it is not there yet, and open it."""
        self.jobs.submit_long(
            _SAMPLE_LANE,
            lambda ticket: sample_places(name, progress=ticket.report, paint=paint_in_subprocess),
            lambda places: self.open(OpenRequest(*places)),
            title=tr("Preparing the sample"),
            on_error=self.fail,
        )

    def open_session(
        self, path: Path, *, dataset: Path | None = None, asked: OpenRequest | None = None
    ) -> None:
        """Continue a saved session, whose dataset may be somewhere else now.

        ``asked`` may name another of its trials, and what is not opened beside it.
        """
        asked = asked or OpenRequest()

        def take(answer: tuple[Session | None, tuple[Problem, ...]]) -> None:
            session, problems = answer
            problems = (*problems, *asked.refused)
            is_lost = session is not None and session.dataset is None
            session = None if session is None else session.with_one_shown()
            if session is None or session.dataset is None:
                self.lost_session = None if session is None else path
                # Nobody asked for the last session by name; whoever names one waits for it.
                is_named = path != autosave_path()
                self.workbench.report(without_dataset(problems, path) if is_named else problems)
                return
            self.lost_session = path if is_lost else None
            if path != autosave_path():
                self.recent.add(path, PlaceKind.SESSION)
            # Told once the dataset is shown: it puts away what was told about the one before.
            session = replace(
                session, task=asked.task or session.task, trial=asked.trial or session.trial
            )
            request = OpenRequest.resuming(session)
            self.open(replace(request, refused=problems, replaces=True))

        title = tr("Reading {name}", name=path.name)
        self.jobs.submit(
            _SESSION_LANE, partial(read_session, path, dataset=dataset), take, title=title
        )

    def reload(self) -> None:
        """Read everything again and show it as before."""
        session = self._shown_session()
        if session.dataset is not None:
            self.open(OpenRequest.resuming(session))

    def choose_task(self, name: str) -> None:
        """Look at another task of the same dataset; submissions stay with the task they answer."""
        state = self.workbench.state
        if state.dataset is not None and (state.task is None or state.task.name != name):
            self._put_aside()
            kept = self._aside.pop(name, Answering())
            self._places.submissions = list(kept.places)
            self.workbench.choose_task(
                name, submissions=kept.submissions, unveiled=self.judging.unveiled_in(name)
            )

    def _put_aside(self) -> None:
        """Keep the submissions to the current task until it is looked at again."""
        state = self.workbench.state
        if state.task is not None and state.submissions:
            places = tuple(self._places.submissions)
            self._aside[state.task.name] = Answering(state.submissions, places)

    @property
    def shown_path(self) -> Path | None:
        return None if self._places.dataset is None else self._places.dataset.path

    def settled_about(self, path: Path) -> Settled:
        """What the user settled about the dataset at a path."""
        settled = self._places.settled if path == self.shown_path else None
        return settled or Settled()

    def settle(self, path: Path, settled: Settled) -> None:
        """Open a dataset as the user says it is to be read; what is shown stays as it was left."""
        if path == self.shown_path:
            session = replace(self._shown_session(), settled=settled)
            self.open(OpenRequest.resuming(session))
        else:
            self.open(OpenRequest(path, settled=settled))

    # Several datasets

    @property
    def dataset_names(self) -> tuple[str, ...]:
        """What is open, in the order of opening; ``shelf.position`` is the one that is shown."""
        return () if self._places.dataset is None else self.shelf.names(self._dataset_path)

    def choose_dataset(self, position: int) -> None:
        """Show another of the open datasets, as it was left."""
        if position != self.shelf.position:
            self._turn_to(self.shelf.waiting[position - (position > self.shelf.position)])

    def step_dataset(self, by: int) -> None:
        """Show the next open dataset, or the one before; behind the last comes the first."""
        if self.shelf.waiting:
            self.choose_dataset((self.shelf.position + by) % (len(self.shelf.waiting) + 1))

    def _go_back_to(self, waiting: Waiting, request: OpenRequest) -> None:
        """Show a dataset that is open already, and what else is asked for."""
        if waiting.content is None:
            self.open(OpenRequest.resuming(waiting.session).with_more(request))
            return
        self._turn_to(waiting)
        if request.task is not None:
            self.choose_task(request.task)
        if request.trial is not None:
            self.workbench.select_trial(TrialId(request.trial))
        self.open(replace(request, dataset=None))

    def _turn_to(self, waiting: Waiting) -> None:
        content, session = waiting.content, waiting.session
        if content is None:
            self.open(OpenRequest.resuming(session))
            return
        self.shelf.make_room(waiting.path, shown=self._shown())
        self._places = OpenPlaces(
            session.dataset, list(session.submissions), session.settled, session.review
        )
        self._aside = dict(content.aside)
        if content.book is not None:
            content.book.judge = self.judge
            self.judging.begin(content.book)
        self.workbench.show_dataset(
            content.dataset,
            content.task,
            submissions=content.submissions,
            trial_id=None if session.trial is None else TrialId(session.trial),
            problems=content.problems,
            unveiled=self.judging.unveiled_in(content.task.name),
        )
        resume(session, self._places, self.workbench, self.trials, self.judging)

    def _shown(self) -> Waiting | None:
        """What is shown, as it is put on the shelf; what it takes to draw it is not kept."""
        state = self.workbench.state
        if state.dataset is None or state.task is None:
            return None
        content = Content(
            state.dataset,
            state.task,
            state.submissions,
            dict(self._aside),
            self.judging.book,
            state.problems,
        )
        return Waiting(replace(self._shown_session(), layout=""), content)

    def close_dataset(self) -> None:
        """Close the dataset that is shown; another one that is open takes its place."""
        neighbour = self.shelf.neighbour
        self._places = OpenPlaces()
        self._aside.clear()
        if self._scoreboard is not None:
            self._scoreboard.stop()
        self.workbench.close_dataset()
        if neighbour is not None:
            self._turn_to(neighbour)

    def close_submission(self) -> None:
        position = self.workbench.state.system
        if position < len(self._places.submissions):
            del self._places.submissions[position]
            self.workbench.remove_submission(position)

    # Sessions

    def session(self) -> Session:
        """Everything open and how it is looked at, as a value."""
        others = tuple(waiting.session for waiting in self.shelf.waiting)
        return replace(self._shown_session(), others=others, position=self.shelf.position)

    def _shown_session(self) -> Session:
        state = self.workbench.state
        looking = [(n, state.viewpoint(n)) for n in range(len(state.arrangement.panes))]
        return Session(
            dataset=self._places.dataset,
            task=None if state.task is None else state.task.name,
            submissions=tuple(self._places.submissions),
            system=state.system,
            rival=state.rival,
            trial=state.trial_id,
            filter=self.trials.filter,
            sort=self.trials.sort,
            view=ViewEdits.of(state),
            rules=state.rules.name,
            is_linked=state.is_linked,
            zooms=tuple(PaneView(n, view) for n, view in looking if view is not None),
            layout=self.layout if self.has_chosen_layout else "",
            **self.judging.begun(),
            settled=self._places.settled,
            review=self._places.review,
            inverted=inverted_among(state.submissions),
            derived=derived_among(state.submissions),
        )

    def save_session(self, path: Path) -> None:
        self.jobs.submit(
            _SAVE_LANE,
            # A file may be passed on: what other judges began here stays here.
            partial(write_session, replace(self.session(), aside={}), path),
            lambda _: self.recent.add(path, PlaceKind.SESSION),
            title=tr("Saving {name}", name=path.name),
            on_error=self.fail,
        )

    def autosave(self) -> None:
        """Keep the session in the background when something changed since the last time."""
        if self.is_dirty and self._has_begun:
            self.is_dirty = False
            self._session_writer.write(partial(keep_session, self.session(), autosave_path()))

    def restore_last(self) -> None:
        """Continue the last session, where there was one."""
        self.open_session(autosave_path())

    def close(self) -> None:
        """Keep the session and end all work; called once."""
        # At once: the jobs end with the program, and what they have not written yet would be lost.
        if self._has_begun:
            self._session_writer.finish(partial(keep_session, self.session(), autosave_path()))
        for writer in self._writers:
            writer.finish()
        self.judging.finish()
        self.jobs.close()

    @property
    def _writers(self) -> tuple[LateWriter, ...]:
        return (
            self.settings.writer,
            self.recent.writer,
            self.arrangements.writer,
            self._session_writer,
        )

    # Verdicts

    @property
    def judge(self) -> str:
        return self.settings.of(JUDGE) or user_name()

    # Answers of jobs

    def _show_all(self, opened: tuple[Opened, ...]) -> None:
        """Show the first; the others wait, and are listed as soon as it is shown."""
        first, *others = opened
        session = first.request.session
        if first.request.replaces and session is not None:
            self.shelf = Shelf(tuple(map(Waiting, session.others)), session.position)
        elif first.dataset is not None:
            self.shelf.make_room(first.places[0].path, shown=self._shown())
        for other in others:
            self.shelf.add_last(Waiting.of(other))
            self.recent.add(other.places[0].path, PlaceKind.DATASET)
        self._show(first)

    def _show(self, opened: Opened) -> None:
        if opened.dataset is None and self.workbench.state.dataset is None:
            # It was closed while answers to it were read.
            return
        self._has_begun = True
        session = opened.request.session
        if session is not None and session.layout:
            self.choose_layout(session.layout)
        if opened.dataset is not None:
            asked = opened.request
            self._places = OpenPlaces(
                opened.places[0], list(opened.places[1:]), asked.settled, asked.review
            )
            self._aside = {}
            if opened.verdicts is not None:
                self.judging.begin(opened.verdicts)
            trial = None if opened.request.trial is None else TrialId(opened.request.trial)
            self.workbench.show_dataset(
                opened.dataset,
                opened.task,
                submissions=opened.submissions,
                trial_id=trial,
                problems=opened.problems,
                unveiled=self.judging.unveiled_in(opened.task.name),
            )
            self.recent.add(opened.places[0].path, PlaceKind.DATASET)
            self.workbench.report(() if opened.verdicts is None else opened.verdicts.problems)
        elif opened.task is not self.workbench.state.task:
            self._show_other_task(opened)
        else:
            known = {place.path: place for place in self._places.submissions}
            self._places.submissions = [
                *(known | {place.path: place for place in opened.places}).values()
            ]
            self.workbench.add_submissions(opened.submissions)
        if opened.dataset is None and opened.request.trial is not None:
            self.workbench.select_trial(TrialId(opened.request.trial))
        places = [*opened.places[len(opened.places) - len(opened.submissions) :]]
        for name, found in opened.elsewhere.items():
            self._aside[name] = found.beside(self._aside.get(name, Answering()))
            places += found.places
        for place in places:
            self.recent.add(place.path, PlaceKind.SUBMISSION, partner=self._dataset_path)
        self.workbench.report(opened.problems)
        if session is not None:
            resume(session, self._places, self.workbench, self.trials, self.judging)

    def _show_other_task(self, opened: Opened) -> None:
        """The submissions answer another task of the dataset that is open."""
        dataset = self.workbench.state.dataset
        if dataset is not None:
            self._put_aside()
            found = Answering(opened.submissions, opened.places)
            found = found.beside(self._aside.pop(opened.task.name, Answering()))
            self._places.submissions = list(found.places)
            self.workbench.show_dataset(
                dataset,
                opened.task,
                submissions=found.submissions,
                unveiled=self.judging.unveiled_in(opened.task.name),
            )

    @property
    def _open_now(self) -> tuple[Dataset, Task] | None:
        state = self.workbench.state
        return None if state.dataset is None or state.task is None else (state.dataset, state.task)

    @property
    def _dataset_path(self) -> Path:
        assert self._places.dataset is not None
        return self._places.dataset.path

    def _follow(self, state: ViewState, change: Change) -> None:
        self.is_dirty = self.is_dirty or bool(change & Change.SAVED)
        if Change.DATASET in change:
            self.judging.show()
        if Change.DATASET in change and self._scoreboard is None:
            from forensicviewer.app.trials.scoreboard import Scoreboard

            self._scoreboard = Scoreboard(self.workbench, self.trials, self.settings)
        if Change.DATASET in change and state.task is not None:
            look_for_files(state.task, self.jobs, self.workbench)

    def _follow_list(self, _change: ListChange) -> None:
        listed = self.trials.filter, self.trials.sort
        self.is_dirty = self.is_dirty or listed != self._listed
        self._listed = listed

    def fail(self, error: BaseException) -> None:
        """Make a problem of what a job could not do; anything unexpected is a bug and raised."""
        problem = problem_of(error)
        if problem is None:
            raise error
        self.workbench.report([problem])
