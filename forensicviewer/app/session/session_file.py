"""A session: which datasets and submissions were open, and how they were looked at.

A session file names its places relative to itself, so that a folder can move as a whole, and
carries a digest of each, so that a changed dataset is noticed.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from forensicviewer.app.runtime.folders import state_folder
from forensicviewer.app.runtime.json_file import Document, JsonFile
from forensicviewer.app.session.settled import Settled
from forensicviewer.app.trials.trial_filter import Sort, TrialFilter
from forensicviewer.app.workbench.problems import MISSING_PLACE
from forensicviewer.app.workbench.state import ViewEdits, Viewpoint
from forensicviewer.core.problem import Problem, ProblemLog, Severity, Topic
from forensicviewer.sources.files.dataclass_json import from_json_value, to_json_value

SUFFIX = ".fvsession"
_TABLES = (".csv", ".json", ".txt")
_TABLE_DEPTH = 2
# What the window itself can make of a view.
_MOST_PANES = 6
_WIDEST_PX = 9_999
_FARTHEST_PX = 1e7
_SMALLEST, _LARGEST = 0.01, 64.0
_MOST_OPEN = 100  # datasets; a file can claim any number
_DERIVED = ("mean", "any")  # ways to score an image by its map; "max" is what is done unasked
_SHOWN = 300  # letters of a place that is not there


@dataclass(frozen=True, slots=True)
class Place:
    """A dataset or submission on disk and what it looked like when it was opened."""

    path: Path
    digest: str = ""


@dataclass(frozen=True, slots=True)
class PaneView:
    """Where a pane looks that does not show all of its image."""

    pane: int
    viewpoint: Viewpoint


@dataclass(frozen=True, slots=True)
class Session:
    """Everything needed to continue.

    ``layout`` is blank where the user chose none; ``rules`` names the rule set that scored the
    view, blank where that is not known. ``notes`` are those begun for verdicts that ``judge`` has
    not given yet, ``aside`` what other judges began here. ``moved_from`` is where the dataset was,
    where it is elsewhere now. ``inverted`` are the positions of submissions whose maps are read
    with black as manipulated, ``derived`` those whose image scores come from their maps in a way
    the user chose, with its name. ``others`` are the
    datasets open behind the one shown, which stands at ``position`` among all. ``review`` is the
    folder of the review the dataset is judged in.
    """

    dataset: Place | None = None
    moved_from: Path | None = None
    task: str | None = None
    submissions: tuple[Place, ...] = ()
    system: int = 0
    rival: int | None = None
    trial: str | None = None
    filter: TrialFilter = field(default_factory=TrialFilter)
    sort: Sort = field(default_factory=Sort)
    view: ViewEdits | None = None
    rules: str = ""
    is_linked: bool = True
    zooms: tuple[PaneView, ...] = ()
    layout: str = ""
    judge: str = ""
    notes: Mapping[str, str] = field(default_factory=dict)
    examined: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    aside: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    settled: Settled | None = None
    review: Path | None = None
    inverted: tuple[int, ...] = ()
    derived: tuple[tuple[int, str], ...] = ()
    others: tuple[Session, ...] = ()
    position: int = 0

    def with_one_shown(self) -> Session:
        """The same, another dataset in the place of the shown one where that is not there."""
        if self.dataset is not None or not self.others:
            return self
        first, *rest = self.others
        return replace(first, others=tuple(rest), layout=self.layout)


def autosave_path() -> Path:
    """Where the session in progress is kept."""
    return state_folder() / f"last{SUFFIX}"


def rescue_session() -> Path | None:
    """Put the session in progress of a run that was cut off beside the one that begins now."""
    rescued = autosave_path().with_name(f"rescued{SUFFIX}")
    try:
        session, _ = read_session(autosave_path())
        if session is None or session.dataset is None:
            return None
        shutil.copyfile(autosave_path(), rescued)
    except OSError:
        return None
    return rescued


def write_session(session: Session, path: Path) -> None:
    JsonFile(path, "session", _MIGRATIONS).write(_document(session, path.parent))


def write_view(session: Session, path: Path) -> None:
    """Write how a session looks at its dataset, without where anything lies."""
    view = session.view
    if view is not None:
        # Thresholds of trials and submissions are kept by their places.
        view = replace(view, thresholds=replace(view.thresholds, own=(), maxima=()))
    bare = Session(
        task=session.task,
        system=session.system,
        rival=session.rival,
        trial=session.trial,
        view=view,
        rules=session.rules,
        is_linked=session.is_linked,
        zooms=session.zooms,
        layout=session.layout,
    )
    JsonFile(path, "session", _MIGRATIONS).write(_document(bare, path.parent))


def read_view(path: Path, dataset: Path, submissions: Sequence[Path]) -> Session:
    """The view of a file on a dataset and submissions; whatever places it names are not looked at.

    A view that is not understood is the usual one.
    """
    document = JsonFile(path, "session", _MIGRATIONS, is_ours=False).read().document or {}
    bare = {
        **document,
        "dataset": None,
        "submissions": [],
        "others": [],
        "notes": {},
        "examined": {},
        "aside": {},
    }
    places = _Places(path.absolute().parent, bare, None)
    session = _session({**bare, "settled": None}, places, ProblemLog())
    return replace(
        session,
        **_systems(document, list(range(len(submissions)))),
        dataset=Place(dataset, digest_of(dataset)),
        submissions=tuple(Place(one, digest_of(one)) for one in submissions),
    )


def keep_session(session: Session, path: Path) -> Problem | None:
    """Write the session in progress; where that fails, the answer says so."""
    return JsonFile(path, "session", _MIGRATIONS).keep(_document(session, path.parent))


def read_session(
    path: Path, *, dataset: Path | None = None
) -> tuple[Session | None, tuple[Problem, ...]]:
    """The session of a file and what is wrong with it; a broken autosave is set aside.

    ``dataset`` is where its dataset is now; submissions that moved with it are found again.
    """
    is_ours = path == autosave_path()
    reading = JsonFile(path, "session", _MIGRATIONS, is_ours=is_ours).read()
    log = ProblemLog([reading.problem] if reading.problem else (), topic=Topic.PROGRAM)
    if reading.document is None:
        return None, log.freeze()
    places = _Places(path.absolute().parent, reading.document, dataset)
    return _session(reading.document, places, log), log.freeze()


def without_dataset(problems: Sequence[Problem], path: Path) -> tuple[Problem, ...]:
    """Why a session that somebody named cannot be continued."""
    nothing = Problem(
        Severity.ERROR,
        "The session does not name a dataset",
        str(path),
        rule="session-empty",
        topic=Topic.PROGRAM,
    )
    return tuple(replace(one, severity=Severity.ERROR) for one in problems) or (nothing,)


def digest_of(path: Path) -> str:
    """A digest that changes when a table file does.

    For a folder: of names and sizes of the tables in it and one level below, because a dataset
    can hold terabytes.
    """
    from forensicviewer.app.runtime.atomic import file_digest
    from forensicviewer.sources.tables.packages import package_of

    path = package_of(path)
    if path.is_file():
        return file_digest(path)
    found = hashlib.sha256()
    for table in sorted(_tables_under(path)):
        entry = f"{table.relative_to(path).as_posix()}\0{table.stat().st_size}\n"
        # Names that are not valid text are told apart as well.
        found.update(entry.encode("utf-8", "surrogateescape"))
    return found.hexdigest()


def _tables_under(folder: Path) -> list[Path]:
    found: list[Path] = []
    # It follows no links: they may lead to any folder, however large.
    for place, folders, names in os.walk(folder):
        paths = (Path(place) / name for name in names if name.endswith(_TABLES))
        found += [path for path in paths if path.is_file() and not path.is_symlink()]
        if len(Path(place).relative_to(folder).parts) == _TABLE_DEPTH:
            folders.clear()
    return found


def _document(session: Session, folder: Path) -> Document:
    dataset = session.dataset
    return {
        "dataset": None if dataset is None else _place_document(dataset, folder),
        "task": session.task,
        "submissions": [_place_document(place, folder) for place in session.submissions],
        "system": session.system,
        "rival": session.rival,
        "trial": session.trial,
        "filter": session.filter.as_document(),
        "sort": to_json_value(session.sort),
        "view": to_json_value(session.view),
        "rules": session.rules,
        "linked": session.is_linked,
        "zooms": to_json_value(session.zooms),
        "layout": session.layout,
        "judge": session.judge,
        "notes": dict(session.notes),
        "examined": dict(session.examined),
        "aside": dict(session.aside),
        "settled": to_json_value(session.settled),
        "review": None
        if session.review is None
        else _place_document(Place(session.review, ""), folder),
        "inverted": list(session.inverted),
        "derived": [list(each) for each in session.derived],
        "others": [_document(other, folder) for other in session.others],
        "position": session.position,
    }


def _place_document(place: Place, folder: Path) -> dict[str, str]:
    absolute = Path(os.path.abspath(place.path))  # noqa: PTH100 - keeps links as the user named them
    document = {"absolute": str(absolute), "digest": place.digest}
    try:
        document["path"] = Path(os.path.relpath(absolute, folder)).as_posix()
    except ValueError:
        # Another drive on Windows: there is no relative way.
        document["path"] = str(absolute)
    return document


def _session(document: Document, places: _Places, log: ProblemLog) -> Session:
    named = document.get("submissions")
    submissions = [places.find(found, log) for found in (named if isinstance(named, list) else ())]
    dataset = places.dataset(log)
    session = Session(
        dataset=dataset,
        moved_from=None if dataset is None else places.left_by(dataset),
        task=_text(document.get("task")),
        submissions=tuple(place for place in submissions if place is not None),
        trial=_text(document.get("trial")),
        filter=TrialFilter.from_document(_mapping(document.get("filter"))),
        rules=_text(document.get("rules")) or "",
        is_linked=document.get("linked") is not False,
        layout=_text(document.get("layout")) or "",
        review=places.review(),
        judge=_text(document.get("judge")) or "",
        **_begun(document),
        aside={
            judge: _begun(_mapping(one)) for judge, one in _mapping(document.get("aside")).items()
        },
    )
    kept = [number for number, place in enumerate(submissions) if place is not None]
    session = replace(session, **_systems(document, kept), **_settled(document, kept, log))
    return _with_others(_with_view(session, document, log), document, places, log)


def _begun(document: Mapping[str, Any]) -> dict[str, Any]:
    """What a judge began; whatever else is in its place is passed over."""
    notes = _mapping(document.get("notes")).items()
    examined = _mapping(document.get("examined")).items()
    return {
        "notes": {name: note for name, note in notes if isinstance(note, str)},
        "examined": {name: _mapping(one) for name, one in examined},
    }


def _settled(document: Document, kept: list[int], log: ProblemLog) -> dict[str, Any]:
    """What was settled about the dataset and those ``kept`` of its submissions."""
    listed = document.get("inverted")
    inverted = [kept.index(n) for n in (listed if isinstance(listed, list) else ()) if n in kept]
    pairs = document.get("derived")
    derived = [
        (kept.index(pair[0]), pair[1])
        for pair in (pairs if isinstance(pairs, list) else ())
        if isinstance(pair, list) and len(pair) == 2 and pair[0] in kept and pair[1] in _DERIVED
    ]
    settled = None
    try:
        if document.get("settled") is not None:
            settled = from_json_value(Settled, document["settled"])
    except ValueError as error:
        log.note(f"The settings of the session cannot be read: {error}", rule="session-settled")
    return {"inverted": tuple(inverted), "derived": tuple(derived), "settled": settled}


def _with_others(session: Session, document: Document, places: _Places, log: ProblemLog) -> Session:
    """The session with the datasets that were open behind it, those that are still there."""
    listed = document.get("others")
    found = [dict(_mapping(each)) for each in (listed if isinstance(listed, list) else ())]
    others = [
        _session({**each, "others": []}, _Places(places.folder, each, None), log)
        for each in found[:_MOST_OPEN]
    ]
    position = document.get("position")
    before = position if type(position) is int and 0 <= position <= len(others) else len(others)
    gone_before = sum(other.dataset is None for other in others[:before])
    kept = tuple(other for other in others if other.dataset is not None)
    return replace(session, others=kept, position=before - gone_before)


def _with_view(session: Session, document: Document, log: ProblemLog) -> Session:
    try:
        sort = from_json_value(Sort, document.get("sort") or {})
        found = document.get("view")
        view = None if found is None else _within_bounds(from_json_value(ViewEdits, found))
        zooms = _zooms(document.get("zooms") or [], view)
    except ValueError as error:
        log.note(f"The view of the session cannot be read: {error}", rule="session-view")
        return session
    return replace(session, sort=sort, view=view, zooms=zooms)


def _zooms(found: object, view: ViewEdits | None) -> tuple[PaneView, ...]:
    """Where panes looked, if they could."""
    panes = 0 if view is None else len(view.arrangement.panes)
    zooms = from_json_value(tuple[PaneView, ...], found)
    for zoom in zooms:
        at = zoom.viewpoint
        is_finite = abs(at.x) < _FARTHEST_PX and abs(at.y) < _FARTHEST_PX
        if not (zoom.pane in range(panes) and is_finite and _SMALLEST <= at.scale <= _LARGEST):
            raise ValueError(f"{zoom} is not a valid view of a pane")
    return zooms


def _within_bounds(view: ViewEdits) -> ViewEdits:
    """The view, if the window could have made it; a file can claim anything."""
    thresholds, panes = view.thresholds, view.arrangement.panes
    named = (*thresholds.own, *thresholds.maxima)
    kernels = view.scoring.kernels
    positions = (view.arrangement.active, view.arrangement.maximised or 0)
    bounded = (
        ("threshold", 256, (thresholds.main, thresholds.rival, thresholds.actual or 0)),
        ("threshold", 256, [one.threshold for one in named]),
        ("kernel", _WIDEST_PX, (kernels.erode_px, kernels.dilate_px, kernels.distraction_px)),
        ("number of panes", _MOST_PANES, (len(panes), view.arrangement.columns)),
        ("pane", len(panes) - 1, positions),
        ("system", 1, [pane.system for pane in (*panes, view.compare.first, view.compare.second)]),
        ("opacity", 1, (view.look.opacity, view.compare.amount)),
        ("lens", _WIDEST_PX, (view.compare.lens_radius_px,)),
    )
    for what, most, values in bounded:
        for value in values:
            if not 0 <= value <= most:
                raise ValueError(f"{value} is not a valid {what}")
    return view


def _systems(document: Document, kept: list[int]) -> dict[str, Any]:
    """Which submissions were looked at, among those ``kept`` of the list."""

    def position(name: str) -> int | None:
        found = document.get(name)
        return kept.index(found) if type(found) is int and found in kept else None

    return {"system": position("system") or 0, "rival": position("rival")}


@dataclass(frozen=True, slots=True)
class _Places:
    """Where a session in ``folder`` has its places, its dataset perhaps being elsewhere now."""

    folder: Path
    document: Document
    moved_to: Path | None

    def dataset(self, log: ProblemLog) -> Place | None:
        found = self.document.get("dataset")
        if self.moved_to is not None:
            return Place(self.moved_to.absolute(), _text(_mapping(found).get("digest")) or "")
        return self.find(found, log)

    def left_by(self, dataset: Place) -> Path | None:
        """Where the dataset was when the session was kept, if nothing is there any more."""
        before = _text(_mapping(self.document.get("dataset")).get("absolute"))
        if before is None or Path(before) == dataset.path or _exists(Path(before)):
            return None
        return Path(before)

    def find(self, found: object, log: ProblemLog) -> Place | None:
        document = _mapping(found)
        absolute = _text(document.get("absolute"))
        candidates = self._candidates(_text(document.get("path")), absolute)
        if not candidates:
            return None
        path = next((path for path in candidates if _exists(path)), None)
        if path is None:
            where = (absolute or str(candidates[0]))[:_SHOWN]
            hint = "open it from its current location"
            message = "The session names a file or folder that does not exist"
            log.add(Problem(Severity.ERROR, message, where, hint, MISSING_PLACE))
            return None
        return Place(Path(os.path.normpath(path)), _text(document.get("digest")) or "")

    def review(self) -> Path | None:
        """The review, also where it is not there: then it cannot be opened, which says so."""
        found = self.document.get("review")
        # Older sessions name only the path.
        place = {"absolute": found} if isinstance(found, str) else _mapping(found)
        candidates = self._candidates(_text(place.get("path")), _text(place.get("absolute")))
        places = [self.folder / path for path in candidates]
        return next((path for path in places if _exists(path)), places[-1] if places else None)

    def _candidates(self, relative: str | None, absolute: str | None) -> list[Path]:
        candidates = [self.folder / relative] if relative else []
        if absolute:
            candidates.append(Path(absolute))
        before = _text(_mapping(self.document.get("dataset")).get("absolute"))
        if self.moved_to is not None and absolute and before:
            # What lay beside the dataset has probably moved with it.
            with contextlib.suppress(ValueError):
                candidates.append(self.moved_to.absolute() / os.path.relpath(absolute, before))
        return candidates


def _exists(path: Path) -> bool:
    from forensicviewer.sources.tables.packages import package_of

    try:
        return package_of(path).exists()
    except OSError:
        # A name longer than any name can be.
        return False


def _text(found: object) -> str | None:
    return found if isinstance(found, str) else None


def _mapping(found: object) -> Mapping[str, Any]:
    return found if isinstance(found, dict) else {}


def _name_places(document: Document) -> Document:
    """Version 1 named places by a bare path; version 2 adds digests."""

    def place(found: object) -> object:
        return {"path": found, "absolute": found} if isinstance(found, str) else found

    submissions = document.get("submissions")
    listed = submissions if isinstance(submissions, list) else []
    return {
        **document,
        "dataset": place(document.get("dataset")),
        "submissions": [place(found) for found in listed],
    }


def _name_compared_panes(document: Document) -> Document:
    """Version 2 compared layers of one system; version 3 says whose they are."""
    view = _mapping(document.get("view"))
    compare = _mapping(view.get("compare"))
    layers = {
        name: {"layer": compare[name]}
        for name in ("first", "second")
        if isinstance(compare.get(name), str)
    }
    return {**document, "view": {**view, "compare": {**compare, **layers}}} if layers else document


def _open_alone(document: Document) -> Document:
    """Version 3 had one dataset open; version 4 keeps others behind it."""
    return {**document, "others": [], "position": 0}


_MIGRATIONS = (_name_places, _name_compared_panes, _open_alone)
