import json
import os
import shutil
import sys
from pathlib import Path

import pytest

from forensicviewer.app.runtime.jobs import inline_jobs
from forensicviewer.app.session.desk import Desk
from forensicviewer.app.session.recent import KEPT, PlaceKind, RecentPlaces
from forensicviewer.app.session.session_file import (
    Place,
    Session,
    autosave_path,
    digest_of,
    read_session,
    write_session,
)
from forensicviewer.app.settings import Settings
from forensicviewer.app.trials.trial_filter import Sort, TrialFilter
from forensicviewer.app.workbench.state import (
    Compare,
    CompareMode,
    Layer,
    Look,
    Pane,
    Scoring,
    Snap,
    Thresholds,
    ViewEdits,
    ViewState,
)
from forensicviewer.core.palette import Outcome, PaletteName
from forensicviewer.sources.files.dataclass_json import to_json_value


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    dataset = tmp_path / "study" / "data" / "indexes"
    dataset.mkdir(parents=True)
    (dataset / "index.csv").write_text("TaskID|ProbeFileID\n")
    (tmp_path / "study" / "system").mkdir()
    (tmp_path / "study" / "review").mkdir()
    return tmp_path / "study"


def a_session(folder: Path) -> Session:
    edits = ViewEdits.of(ViewState())
    view = ViewEdits(
        thresholds=Thresholds(main=12, snap=Snap.MAXIMUM),
        scoring=Scoring(selected=frozenset({1, 3})),
        look=Look(palette=PaletteName.OKABE_ITO, opacity=0.25, hidden=frozenset({Outcome.MISS})),
        arrangement=edits.arrangement.__class__(panes=(Pane(Layer.SYSTEM, system=1),)),
        compare=Compare(mode=CompareMode.SWIPE),
    )
    return Session(
        dataset=Place(folder / "data", digest_of(folder / "data")),
        task="manipulation",
        submissions=(Place(folder / "system"),),
        trial="p1",
        filter=TrialFilter("MCC < 0.5", {"Target": frozenset({"Y"})}),
        sort=Sort("MCC", descending=True),
        view=view,
        is_linked=False,
        layout="adjudicate",
        review=folder / "review",
    )


def test_a_session_is_read_as_it_was_written(folder: Path) -> None:
    session = a_session(folder)

    write_session(session, folder / "mine.fvsession")

    assert read_session(folder / "mine.fvsession") == (session, ())


def test_a_session_moves_with_its_folder(folder: Path, tmp_path: Path) -> None:
    write_session(a_session(folder), folder / "mine.fvsession")
    shutil.move(folder, tmp_path / "elsewhere")

    session, problems = read_session(tmp_path / "elsewhere" / "mine.fvsession")

    assert session is not None
    assert session.dataset is not None
    assert session.dataset.path == tmp_path / "elsewhere" / "data"
    assert session.review == tmp_path / "elsewhere" / "review"
    assert problems == ()


def test_a_review_is_never_looked_for_where_the_program_was_started(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder / "data")
    path = folder / "mine.fvsession"
    write_session(a_session(folder), path)
    document = json.loads(path.read_text()) | {"review": "../review"}
    path.write_text(json.dumps(document))

    session, _ = read_session(path)

    assert session is not None
    assert session.review == folder / "../review"


def test_a_place_that_is_gone_is_named(folder: Path) -> None:
    write_session(a_session(folder), folder / "mine.fvsession")
    shutil.rmtree(folder / "system")

    session, problems = read_session(folder / "mine.fvsession")

    assert session is not None
    assert session.submissions == ()
    assert problems[0].where == str(folder / "system")


BROKEN = {
    "cut short": '{"kind": "session", "vers',
    "nested too deeply": '{"a":' * 100_000,
    "a number of ten thousand digits": '{"kind": "session", "version": ' + "9" * 10_000 + "}",
    "something else": '{"kind": "notebook"}',
}


@pytest.mark.parametrize("content", BROKEN.values(), ids=BROKEN)
def test_a_broken_autosave_is_set_aside(content: str) -> None:
    path = autosave_path()
    path.parent.mkdir(parents=True)
    path.write_text(content)

    session, problems = read_session(path)

    assert session is None
    assert problems[0].rule == "session-file"
    assert path.with_name("last.fvsession.broken").read_text() == content


@pytest.mark.parametrize("content", BROKEN.values(), ids=BROKEN)
def test_a_broken_session_the_user_named_stays_where_it_is(tmp_path: Path, content: str) -> None:
    path = tmp_path / "mine.fvsession"
    path.write_text(content)

    session, problems = read_session(path)

    assert session is None
    assert problems[0].rule == "session-file"
    assert [found.name for found in tmp_path.iterdir()] == ["mine.fvsession"]


def test_places_with_impossible_names_are_not_there(tmp_path: Path) -> None:
    path = tmp_path / "mine.fvsession"
    place = {"path": "x" * 5_000, "absolute": "/" + "y" * 5_000}
    path.write_text(json.dumps({"kind": "session", "version": 2, "dataset": place}))

    session, problems = read_session(path)

    assert session is not None
    assert session.dataset is None
    assert problems[0].rule == "session-missing"
    assert len(problems[0].where) <= 300


def test_a_view_nobody_understands_does_not_cost_the_rest(folder: Path) -> None:
    path = folder / "mine.fvsession"
    write_session(a_session(folder), path)
    document = json.loads(path.read_text())
    document["view"]["look"]["palette"] = "INFRARED"
    path.write_text(json.dumps(document))

    session, problems = read_session(path)

    assert session is not None
    assert (session.trial, session.view) == ("p1", None)
    assert "INFRARED" in problems[0].message


@pytest.mark.parametrize(
    ("part", "name", "value"),
    [
        ("thresholds", "main", 10**9),
        ("thresholds", "rival", -1),
        ("thresholds", "own", [{"name": "x", "threshold": 300}]),
        ("arrangement", "panes", []),
        ("arrangement", "panes", [{"layer": "PICTURE"}] * 1000),
        ("arrangement", "columns", 77),
        ("arrangement", "active", 4),
        ("arrangement", "maximised", 9),
        ("look", "opacity", float("nan")),
        ("compare", "amount", -3.0),
        ("compare", "lens_radius_px", 10**8),
        ("scoring", "kernels", {"erode_px": 10**7}),
        ("scoring", "kernels", {"erode_px": -1}),
    ],
)
def test_a_view_no_window_could_have_made_does_not_cost_the_rest(
    folder: Path, part: str, name: str, value: object
) -> None:
    path = folder / "mine.fvsession"
    write_session(a_session(folder), path)
    document = json.loads(path.read_text())
    document["view"][part][name] = value
    path.write_text(json.dumps(document))

    session, problems = read_session(path)

    assert session is not None
    assert (session.trial, session.view) == ("p1", None)
    assert [problem.rule for problem in problems] == ["session-view"]


def test_a_session_of_the_first_version_is_brought_up(folder: Path) -> None:
    path = folder / "old.fvsession"
    path.write_text(json.dumps({"kind": "session", "version": 1, "dataset": "data"}))

    session, _ = read_session(path)

    assert session is not None
    assert session.dataset == Place(folder / "data")


def test_a_session_of_the_second_version_compares_what_it_compared(folder: Path) -> None:
    path = folder / "old.fvsession"
    view = to_json_value(ViewEdits.of(ViewState(compare=Compare(mode=CompareMode.FADE))))
    view["compare"] |= {"first": "PICTURE", "second": "COMPARISON"}
    path.write_text(json.dumps({"kind": "session", "version": 2, "view": view}))

    session, problems = read_session(path)

    assert problems == ()
    assert session is not None
    assert session.view is not None
    compare = session.view.compare
    assert compare.mode is CompareMode.FADE
    assert (compare.first, compare.second) == (Pane(Layer.PICTURE), Pane(Layer.COMPARISON))


def test_the_digest_of_a_folder_follows_its_tables(folder: Path) -> None:
    before = digest_of(folder / "data")

    (folder / "data" / "indexes" / "index.csv").write_text("TaskID|ProbeFileID\nmanipulation|p1\n")

    assert digest_of(folder / "data") != before


def test_the_digest_of_a_folder_follows_no_links(folder: Path, tmp_path: Path) -> None:
    before = digest_of(folder / "data")
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "other.csv").write_text("secret")

    (folder / "data" / "linked").symlink_to(outside)
    (folder / "data" / "linked.csv").symlink_to(outside / "other.csv")

    assert digest_of(folder / "data") == before


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such names")
def test_the_digest_of_a_folder_takes_names_that_are_not_text(folder: Path) -> None:
    before = digest_of(folder / "data")

    (folder / "data" / os.fsdecode(b"\xff.csv")).write_text("")

    assert digest_of(folder / "data") != before


def test_recent_places_are_newest_first_once_each_and_pinned_ones_in_front(tmp_path: Path) -> None:
    recent = RecentPlaces(tmp_path / "recent.json")
    for name in ("a", "b", "c", "a"):
        recent.add(tmp_path / name, PlaceKind.DATASET)

    recent.toggle_pin(str(tmp_path / "b"))

    again = RecentPlaces(tmp_path / "recent.json")
    assert [Path(place.path).name for place in again.places] == ["b", "a", "c"]
    again.look(inline_jobs(), lambda: None)
    assert again.missing == {place.path for place in again.places}


def test_only_so_many_recent_places_are_kept_but_every_pinned_one(tmp_path: Path) -> None:
    recent = RecentPlaces(tmp_path / "recent.json")
    recent.add(tmp_path / "kept", PlaceKind.SESSION)
    recent.toggle_pin(str(tmp_path / "kept"))

    for n in range(KEPT + 5):
        recent.add(tmp_path / str(n), PlaceKind.DATASET)

    assert len(recent.places) == KEPT + 1
    assert recent.places[0].is_pinned


@pytest.mark.parametrize("content", ['{"kind": "recent", "version": 1, "places": [3]}', "{"])
def test_a_recent_list_nobody_can_read_is_kept_and_told(tmp_path: Path, content: str) -> None:
    (tmp_path / "recent.json").write_text(content)

    recent = RecentPlaces(tmp_path / "recent.json")
    desk = Desk(inline_jobs(), Settings(tmp_path / "settings.json"), recent=recent)

    assert recent.places == ()
    assert (tmp_path / "recent.json.broken").read_text() == content
    assert [problem.rule for problem in desk.workbench.state.problems] == ["recent-file"]


def test_arrangements_nobody_can_read_are_kept_and_told(tmp_path: Path) -> None:
    (tmp_path / "window.json").write_text("[]")

    desk = Desk(inline_jobs(), Settings(tmp_path / "settings.json"))

    assert (tmp_path / "window.json.broken").read_text() == "[]"
    assert [problem.rule for problem in desk.workbench.state.problems] == ["window-file"]
