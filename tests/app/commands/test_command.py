import pytest

from forensicviewer.app.commands.command import (
    Command,
    Need,
    available,
    conflicts,
    keys_in_force,
    matching,
    missing,
)
from forensicviewer.app.commands.table import COMMANDS, MENUS
from forensicviewer.app.workbench.scope import Scope, scope_of
from forensicviewer.app.workbench.state import ViewState
from forensicviewer.core.model import TaskKind


def test_no_two_commands_share_an_id() -> None:
    ids = [command.id for command in COMMANDS]

    assert len(ids) == len(set(ids))


def test_no_two_commands_that_can_meet_share_a_key() -> None:
    assert conflicts({}, COMMANDS) == {}


def test_every_command_has_a_place_in_a_menu_and_a_title() -> None:
    assert {command.menu.split("/")[0] for command in COMMANDS} == set(MENUS)
    assert all(command.title and not command.title.endswith(".") for command in COMMANDS)


def test_a_key_given_twice_is_a_conflict_however_it_is_written() -> None:
    found = conflicts({"trial.next": ("shift+ctrl+o",)}, COMMANDS)

    assert list(found) == ["Ctrl+Shift+O"]
    assert "Next trial" in found["Ctrl+Shift+O"]


def test_pages_that_never_meet_may_share_a_key() -> None:
    one = Command("a", "A", "File", ("E",), scope=Scope.VIDEO)
    other = Command("b", "B", "File", ("E",), scope=Scope.GRAPH)
    everywhere = Command("c", "C", "File", ("E",))
    panes = Command("d", "D", "File", ("E",), scope=Scope.PANES)

    assert conflicts({}, [one, other]) == conflicts({}, [panes, other]) == {}
    assert list(conflicts({}, [one, everywhere])) == ["E"]
    assert list(conflicts({}, [one, panes])) == ["E"]


def test_a_key_of_the_users_own_is_taken_from_whose_usual_one_it_is() -> None:
    found = keys_in_force({"file.quit": ("N", "Ctrl+Q")}, COMMANDS)

    assert found["file.quit"] == ("N", "Ctrl+Q")
    assert found["trial.next"] == ()
    assert found["trial.previous"] == ("P",)


def test_a_key_given_to_two_commands_is_that_of_the_first() -> None:
    own = {"trial.next": ("Q",), "file.reload": ("q", "F5")}

    found = keys_in_force(own, COMMANDS)

    assert found["file.reload"] == ("q", "F5")
    assert found["trial.next"] == ()


def test_pages_that_never_meet_keep_their_keys_in_force() -> None:
    assert keys_in_force({}, COMMANDS) == {command.id: command.keys for command in COMMANDS}


@pytest.mark.parametrize(
    ("name", "found", "scope", "told"),
    [
        ("trial.next", Need.NOTHING, Scope.STILLS, "open a dataset first"),
        ("edit.undo", Need.NOTHING, Scope.STILLS, "nothing to undo"),
        ("video.play", Need.NOTHING, Scope.STILLS, "open a dataset first"),
        ("video.play", Need.DATASET | Need.STILLS, Scope.STILLS, "only for videos"),
        ("compare.blink", Need.DATASET | Need.GRAPH, Scope.GRAPH, "only for images"),
        ("file.close_submission", Need.DATASET, Scope.STILLS, "open a submission first"),
        ("file.quit", Need.NOTHING, Scope.STILLS, ""),
    ],
)
def test_what_cannot_be_done_says_what_is_missing(
    name: str, found: Need, scope: Scope, told: str
) -> None:
    command = next(command for command in COMMANDS if command.id == name)

    assert missing(command, found, scope) == told


def test_an_empty_window_offers_nothing_that_needs_a_dataset() -> None:
    found = available(ViewState(), undo=None, redo="threshold")

    assert found == Need.REDO


@pytest.mark.parametrize(
    ("kind", "scope"),
    [
        (TaskKind.MANIPULATION, Scope.STILLS),
        (TaskKind.VIDEO, Scope.VIDEO),
        (TaskKind.FILTERING, Scope.GRAPH),
        (None, Scope.STILLS),
    ],
)
def test_each_kind_of_task_has_its_page(kind: TaskKind | None, scope: Scope) -> None:
    assert scope_of(kind) is scope


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("fit ima", "view.fit"),
        ("worst", "trial.next_worst"),
        ("opds", "file.open_dataset"),
        ("colour blind", None),
        ("zzzz", None),
    ],
)
def test_a_few_letters_find_a_command(typed: str, meant: str | None) -> None:
    found = matching(COMMANDS, typed)

    assert (found[0].id if found else None) == meant


def test_no_letters_list_every_command() -> None:
    assert len(matching(COMMANDS, "")) == len(COMMANDS)
