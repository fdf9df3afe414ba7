"""The table of everything a user can do.

Menus, toolbar, context menus, shortcuts, the key sheet, the palette and the manual are made from
it. A command says when it is available and which keys it has unless the user gave it others; what
it does is bound to its id by the part of the window that does it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Flag, auto

from forensicviewer.app.language.words import to_translate, tr
from forensicviewer.app.workbench.scope import Scope, scope_of
from forensicviewer.app.workbench.state import ViewState
from forensicviewer.core.model import TaskKind, Viewing


class Need(Flag):
    """What must be there for a command to make sense."""

    NOTHING = 0
    DATASET = auto()
    SUBMISSION = auto()
    TRIAL = auto()
    PICTURE = auto()
    RIVAL = auto()
    DONOR = auto()
    UNDO = auto()
    REDO = auto()
    PANES = auto()
    STILLS = auto()
    VIDEO = auto()
    GRAPH = auto()
    TEST_SET = auto()
    GENAI = auto()
    GALLERY = auto()
    IMDL = auto()
    RUN = auto()


@dataclass(frozen=True, slots=True)
class Command:
    """One thing to do. ``menu`` is a path (``View/Palette``); a new ``group`` draws a line.

    ``is_momentary``: holding its key does it only while the key is held.
    """

    id: str
    title: str
    menu: str
    keys: tuple[str, ...] = ()
    help: str = ""
    needs: Need = Need.NOTHING
    scope: Scope = Scope.WINDOW
    checkable: bool = False
    group: int = 0
    icon: str = ""
    on_toolbar: bool = False
    in_context: bool = False
    is_momentary: bool = False


def conflicts(keys: Mapping[str, Sequence[str]], commands: Iterable[Command]) -> dict[str, str]:
    """Key → what is wrong, for each key that two commands of overlapping scopes share."""
    holders: dict[str, list[Command]] = {}
    for command in commands:
        for key in keys.get(command.id, command.keys):
            holders.setdefault(_normal(key), []).append(command)
    found: dict[str, str] = {}
    for key, held in holders.items():
        for i, one in enumerate(held):
            clash = next(
                (other for other in held[i + 1 :] if one.scope.overlaps(other.scope)), None
            )
            if clash is not None:
                found[key] = tr(
                    "{key} is assigned to both “{one}” and “{other}”",
                    key=key,
                    one=tr(one.title),
                    other=tr(clash.title),
                )
    return found


def keys_in_force(
    own: Mapping[str, Sequence[str]], commands: Iterable[Command]
) -> dict[str, tuple[str, ...]]:
    """The keys each command has: the user's own, then the usual ones nobody else has taken.

    A file can give one key to two commands, and so can a new command whose usual key the user has
    given to another. Qt would do neither of them.
    """
    holders: dict[str, list[Command]] = {}
    found: dict[str, tuple[str, ...]] = {}
    for command in sorted(commands, key=lambda command: command.id not in own):
        kept = []
        for key in own.get(command.id, command.keys):
            held = holders.setdefault(_normal(key), [])
            if not any(command.scope.overlaps(other.scope) for other in held):
                held.append(command)
                kept.append(key)
        found[command.id] = tuple(kept)
    return found


# What is missing, in the order in which a user would mend it.
_MISSING = {
    Need.DATASET: to_translate("open a dataset first"),
    Need.GRAPH: to_translate("only for provenance graphs"),
    Need.VIDEO: to_translate("only for videos"),
    Need.STILLS: to_translate("only for images"),
    Need.PANES: to_translate("only for images and videos"),
    Need.GENAI: to_translate("only for GenAI evaluations"),
    Need.IMDL: to_translate("only for datasets of images and masks"),
    Need.TEST_SET: to_translate("only for test sets of GenAI evaluations"),
    Need.DONOR: to_translate("only for splices"),
    Need.GALLERY: to_translate("only if images of a camera or event are known"),
    Need.SUBMISSION: to_translate("open a submission first"),
    Need.RUN: to_translate("hidden in a blind review until you have judged all your trials"),
    Need.RIVAL: to_translate("open a second submission first"),
    Need.TRIAL: to_translate("choose a trial first"),
    Need.PICTURE: to_translate("no image is shown"),
    Need.UNDO: to_translate("nothing to undo"),
    Need.REDO: to_translate("nothing to redo"),
}
_PAGE = {
    Scope.PANES: Need.PANES,
    Scope.STILLS: Need.STILLS,
    Scope.VIDEO: Need.VIDEO,
    Scope.GRAPH: Need.GRAPH,
}


def missing(command: Command, found: Need, scope: Scope) -> str:
    """Why a command cannot be done now; empty where it can."""
    lacking = command.needs & ~found
    if scope not in command.scope.pages:
        lacking |= _PAGE[command.scope]
    if lacking & ~(Need.UNDO | Need.REDO) and Need.DATASET not in found:
        lacking |= Need.DATASET
    return next((tr(why) for need, why in _MISSING.items() if need in lacking), "")


def available(state: ViewState, *, undo: str | None, redo: str | None) -> Need:
    """The current state."""
    kind = state.task.kind if state.task is not None else None
    facts = {
        Need.DATASET: state.dataset is not None,
        Need.SUBMISSION: state.submission is not None,
        Need.RUN: state.dataset is not None and state.unveiled is None,
        Need.TRIAL: state.trial_id is not None,
        Need.PICTURE: state.loaded is not None,
        Need.RIVAL: len(state.submissions) > 1,
        Need.DONOR: kind is not None and kind.has_donor,
        Need.UNDO: undo is not None,
        Need.REDO: redo is not None,
        Need.PANES: kind is not None and scope_of(kind) in Scope.PANES.pages,
        Need.STILLS: kind is not None and scope_of(kind) is Scope.STILLS,
        Need.VIDEO: kind is TaskKind.VIDEO,
        Need.GRAPH: kind is not None and kind.is_provenance,
        Need.GENAI: kind is TaskKind.GENAI,
        Need.IMDL: kind is TaskKind.IMDL,
        Need.TEST_SET: state.task is not None and state.task.viewing is not Viewing.FREE,
        Need.GALLERY: state.loaded is not None and state.loaded.trial.gallery is not None,
    }
    found = Need.NOTHING
    for need, is_met in facts.items():
        if is_met:
            found |= need
    return found


def _normal(key: str) -> str:
    *modifiers, last = key.replace("++", "+Plus").split("+") if key != "+" else ["Plus"]
    return "+".join([*sorted(part.capitalize() for part in modifiers), last.capitalize()])


def matching(commands: Iterable[Command], text: str) -> list[Command]:
    """The commands a few typed letters mean, best first; all of them for no letters."""
    return [command for _, command in ranked(commands, text)]


def ranked(commands: Iterable[Command], text: str) -> list[tuple[int, Command]]:
    """The commands a few typed letters mean, each with how far it is from them, best first.

    They are found by what the user reads, and in English as well. Only letters that are words of
    no command are taken for scattered ones.
    """
    wanted = text.casefold().split()
    if not wanted:
        return [(0, command) for command in commands]
    distances = [(_distance(command, wanted), command) for command in commands]
    found = [(distance, command) for distance, command in distances if distance is not None]
    by_words = [pair for pair in found if pair[0] < _SCATTERED]
    return sorted(by_words or found, key=lambda pair: (pair[0], tr(pair[1].title).casefold()))


def menu_path(command: Command) -> tuple[str, ...]:
    """The menus that lead to a command, as the user reads them."""
    return tuple(tr(menu) for menu in command.menu.split("/"))


# Farther than any title is long: what is found only by scattered letters.
_SCATTERED = 10_000


def _distance(command: Command, wanted: list[str]) -> int | None:
    titles = tr(command.title).casefold(), command.title.casefold()
    said = (*titles, *menu_path(command), tr(command.help), command.id, command.help)
    everything = " ".join(said).casefold()
    if not all(word in everything for word in wanted):
        return _letters_apart(titles[0], "".join(wanted))
    return min(
        sum(title.find(word) if word in title else 200 for word in wanted) for title in titles
    )


def _letters_apart(title: str, letters: str) -> int | None:
    """How spread the letters are when the title holds them in order; ``None`` when it does not."""
    place, first = -1, None
    for letter in letters:
        place = title.find(letter, place + 1)
        if place < 0:
            return None
        first = place if first is None else first
    return _SCATTERED + place - (first or 0)
