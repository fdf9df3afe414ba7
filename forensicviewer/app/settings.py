"""The settings a user can change, each declared once.

The declaration makes the dialog's field, checks what the file says and names the default. Values
are read with ``settings.of(THEME)``, so a misspelt setting does not pass the type checker.
"""

from __future__ import annotations

import copy
import reprlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Generic, TypeVar

from forensicviewer.app.language.units import AreaUnit, TimeUnit
from forensicviewer.app.language.words import languages
from forensicviewer.app.runtime.folders import config_folder
from forensicviewer.app.runtime.jobs import Lane
from forensicviewer.app.runtime.json_file import Document, JsonFile, Reading
from forensicviewer.app.runtime.late_writer import LateWriter
from forensicviewer.app.runtime.memory import memory_for_pictures_mb
from forensicviewer.core.palette import PaletteName
from forensicviewer.core.problem import Problem, ProblemLog, Topic
from forensicviewer.sources.decoders.limits import Limits
from forensicviewer.sources.files.limits import FileLimits

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Toggle:
    """On or off."""

    def accepts(self, value: object) -> bool:
        return isinstance(value, bool)


@dataclass(frozen=True, slots=True)
class Choice:
    """One of a few words; ``titles`` say them to the user."""

    titles: Mapping[str, str]

    def accepts(self, value: object) -> bool:
        return isinstance(value, str) and value in self.titles


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole number within bounds, both included."""

    least: int
    most: int
    unit: str = ""

    def accepts(self, value: object) -> bool:
        if not isinstance(value, int) or isinstance(value, bool):
            return False
        return self.least <= value <= self.most


@dataclass(frozen=True, slots=True)
class Text:
    """One line of text."""

    placeholder: str = ""

    def accepts(self, value: object) -> bool:
        return isinstance(value, str)


@dataclass(frozen=True, slots=True)
class Setting(Generic[T]):
    """One thing a user can decide; ``page`` is where the dialog shows it."""

    key: str
    title: str
    page: str
    default: T
    kind: Toggle | Choice | Whole | Text
    help: str = ""


THEME = Setting(
    "appearance.theme",
    "Theme",
    "Appearance",
    default="system",
    kind=Choice({"system": "Follow the system", "light": "Light", "dark": "Dark"}),
    help="Follows the system's light or dark setting unless you choose one",
)
LANGUAGE = Setting(
    "appearance.language",
    "Language",
    "Appearance",
    default="system",
    kind=Choice({"system": "Follow the system", **languages()}),
    help="Language of the window; NIST's names, problems and the manual stay in English. "
    "Takes effect at the next start",
)
FONT_SCALE = Setting(
    "appearance.font_scale",
    "Text size",
    "Appearance",
    default=100,
    kind=Whole(75, 200, "%"),
    help="Scales all text of the window",
)
PALETTE = Setting(
    "appearance.palette",
    "Outcome colours",
    "Appearance",
    default=PaletteName.NIST.name,
    kind=Choice({palette.name: palette.value for palette in PaletteName}),
    help="Colours of hits, misses and false alarms; the second palette suits most "
    "colour-blind people",
)
AREAS = Setting(
    "appearance.areas",
    "Areas in",
    "Appearance",
    default=AreaUnit.BOTH.name,
    kind=Choice({unit.name: unit.value for unit in AreaUnit}),
    help="In the legend, operations and image facts",
)
TIMES = Setting(
    "appearance.times",
    "Times in",
    "Appearance",
    default=TimeUnit.CLOCK.name,
    kind=Choice({unit.name: unit.value for unit in TimeUnit}),
    help="Below the lanes of a video, next to frame numbers and intervals, and on contact sheets",
)
THUMBNAILS = Setting(
    "browser.thumbnails",
    "Show thumbnails",
    "Trials",
    default=True,
    kind=Toggle(),
    help="Small images of the probes in the trial list",
)
THUMBNAIL_EDGE = Setting(
    "browser.thumbnail_edge", "Thumbnail size", "Trials", default=40, kind=Whole(24, 160, "px")
)
INVERT_WHEEL = Setting(
    "mouse.invert_wheel",
    "Reverse the mouse wheel",
    "Mouse",
    default=False,
    kind=Toggle(),
    help="Turning the wheel towards you enlarges images and raises thresholds",
)
SCORE_IN_BACKGROUND = Setting(
    "browser.score",
    "Score all trials in the background",
    "Trials",
    default=True,
    kind=Toggle(),
    help="Fills the scores of the trial list; masks already scored are kept",
)
WORKERS = Setting(
    "scoring.workers",
    "Processes for scoring",
    "Scoring",
    default=1,
    kind=Whole(1, 64),
    help="How many trials are scored at the same time",
)
RULES = Setting(
    "scoring.rules",
    "Rule set",
    "Scoring",
    default="mediscore",
    kind=Choice(
        {
            "mediscore": "MediScore",
            "mediscore-verbatim": "MediScore verbatim",
            "plan": "Evaluation plan",
        }
    ),
    help="Decides between NIST's programs and plans where they differ",
)
RESTORE_SESSION = Setting(
    "session.restore",
    "Open where I left off",
    "Session",
    default=True,
    kind=Toggle(),
    help="Restores the last dataset, trial and view at start; --fresh skips this once",
)
ASK_BEFORE_CLOSING = Setting(
    "session.ask_before_closing",
    "Confirm closing while work is running",
    "Session",
    default=True,
    kind=Toggle(),
    help="For work that lasts longer than two seconds, such as scoring all trials",
)
JUDGE = Setting(
    "session.judge",
    "Name of the judge",
    "Session",
    default="",
    kind=Text("your account name"),
    help="Written into every verdict you give",
)
MEMORY = Setting(
    "session.memory_mb",
    "Memory for open images",
    "Session",
    default=memory_for_pictures_mb(),
    kind=Whole(128, 65536, "MB"),
    help="More memory keeps more trials ready to show; takes effect at the next start",
)

DECODER_MEMORY = Setting(
    "decoding.memory_mb",
    "Memory for decoding a file",
    "Decoding",
    default=Limits().memory_mb,
    kind=Whole(256, 65536, "MB"),
    help="A file that needs more memory is refused; raise the limit for very large images",
)
DECODER_SECONDS = Setting(
    "decoding.seconds",
    "Time for decoding a file",
    "Decoding",
    default=round(Limits().seconds),
    kind=Whole(5, 3600, "s"),
    help="A decoder that does not respond for this long is stopped; the program continues",
)

UNPACKED_SIZE = Setting(
    "files.unpacked_gb",
    "Size of an unpacked archive",
    "Decoding",
    default=FileLimits().unpacked_gb,
    kind=Whole(1, 10_000, "GB"),
    help="A larger archive is refused and not unpacked",
)
DOCUMENT_SIZE = Setting(
    "files.document_mb",
    "Size of a document",
    "Decoding",
    default=FileLimits().document_mb,
    kind=Whole(1, 10_000, "MB"),
    help="A larger provenance document or journal is not read",
)

TRUSTED_LINKS = Setting(
    "files.trusted_links",
    "Datasets whose links are trusted",
    "Decoding",
    default="",
    kind=Text("none"),
    help="Folders whose links may be followed outside; removing one takes effect at the next start",
)

SETTINGS: tuple[Setting[Any], ...] = (
    THEME,
    LANGUAGE,
    FONT_SCALE,
    PALETTE,
    AREAS,
    TIMES,
    THUMBNAILS,
    THUMBNAIL_EDGE,
    INVERT_WHEEL,
    SCORE_IN_BACKGROUND,
    WORKERS,
    RULES,
    RESTORE_SESSION,
    ASK_BEFORE_CLOSING,
    JUDGE,
    MEMORY,
    DECODER_MEMORY,
    DECODER_SECONDS,
    UNPACKED_SIZE,
    DOCUMENT_SIZE,
    TRUSTED_LINKS,
)


def _name_keys_by_page(document: Document) -> Document:
    """Version 1 kept bare names; version 2 names the page first, so that pages can grow."""
    pages = {setting.key.split(".")[1]: setting.key for setting in SETTINGS}
    named = _mapping(document.get("values"))
    values = {pages.get(key, key): value for key, value in named.items()}
    return {**document, "values": values}


MIGRATIONS = (_name_keys_by_page,)


class Settings:
    """The values in force, the user's own keys and saved filters; saved when they change."""

    def __init__(self, path: Path | None = None) -> None:
        self._file = JsonFile(path or config_folder() / "settings.json", "settings", MIGRATIONS)
        self._values: dict[str, Any] = {}
        # What this version does not understand; the one that wrote it may be started again.
        self._foreign: dict[str, Any] = {}
        self._shortcuts: dict[str, tuple[str, ...]] = {}
        self._filters: dict[str, dict[str, Any]] = {}
        self._listeners: list[Callable[[str], None]] = []
        self.writer = LateWriter(Lane("settings"))
        self.problems: tuple[Problem, ...] = self._load()

    @property
    def folder(self) -> Path:
        """Where the settings lie; what else is kept about the window lies beside them."""
        return self._file.path.parent

    def of(self, setting: Setting[T]) -> T:
        value: T = self._values.get(setting.key, setting.default)
        return value

    def change(self, setting: Setting[T], value: T) -> None:
        if not setting.kind.accepts(value):
            raise ValueError(f"{value!r} is not a valid value of {setting.title}")
        self._foreign.pop(setting.key, None)
        if value == setting.default:
            self._values.pop(setting.key, None)
        else:
            self._values[setting.key] = value
        self._changed(setting.key)

    def reset(self, settings: Iterable[Setting[Any]]) -> None:
        """Give settings their defaults."""
        for setting in settings:
            self.change(setting, setting.default)

    @property
    def shortcuts(self) -> Mapping[str, tuple[str, ...]]:
        """The user's own keys by command; what is not listed has its default keys."""
        return self._shortcuts

    def change_shortcuts(self, shortcuts: Mapping[str, tuple[str, ...]]) -> None:
        self._shortcuts = dict(shortcuts)
        self._changed("shortcuts")

    @property
    def filters(self) -> Mapping[str, Mapping[str, Any]]:
        """Saved filters of the trial list, by the name the user gave them."""
        return self._filters

    def save_filter(self, name: str, content: Mapping[str, Any]) -> None:
        self._filters[name] = dict(content)
        self._changed("filters")

    def rename_filter(self, name: str, now: str) -> None:
        content = self._filters.pop(name, None)
        if content is not None:
            self.save_filter(now, content)

    def forget_filter(self, name: str) -> None:
        self._filters.pop(name, None)
        self._changed("filters")

    def subscribe(self, listener: Callable[[str], None]) -> None:
        """Get the key of every setting that changes."""
        self._listeners.append(listener)

    def exporting(self, path: Path) -> Callable[[], None]:
        """The work of writing everything as it is now into a file to take elsewhere."""
        written = JsonFile(path, "settings", MIGRATIONS)
        return partial(written.write, copy.deepcopy(self._document))

    def take_over(self, reading: Reading, path: Path) -> tuple[Problem, ...]:
        """Take over what another settings file says; what it does not say stays as it is.

        A file nobody can read changes nothing, and the answer says why.
        """
        problems = self._take(reading, path)
        for setting in SETTINGS:
            self._tell(setting.key)
        self._changed("shortcuts")
        return problems

    @property
    def _document(self) -> Document:
        values = {**self._foreign, **self._values}
        return {"values": values, "shortcuts": self._shortcuts, "filters": self._filters}

    def _changed(self, key: str) -> None:
        self.writer.write(partial(self._file.keep, copy.deepcopy(self._document)))
        self._tell(key)

    def _tell(self, key: str) -> None:
        for listener in self._listeners:
            listener(key)

    def _load(self) -> tuple[Problem, ...]:
        return self._take(self._file.read_own(), self._file.path)

    def _take(self, reading: Reading, path: Path) -> tuple[Problem, ...]:
        log = ProblemLog([reading.problem] if reading.problem else (), topic=Topic.PROGRAM)
        document = reading.document or {}
        known = {setting.key: setting for setting in SETTINGS}
        for key, value in _mapping(document.get("values")).items():
            setting = known.get(key)
            if setting is not None and setting.kind.accepts(value):
                self._values[key] = value
            else:
                self._foreign[key] = value
                log.note(
                    f"This version ignores the setting {key} = {reprlib.repr(value)}",
                    where=str(path),
                    rule="settings-value",
                )
        for command, keys in _mapping(document.get("shortcuts")).items():
            if isinstance(keys, list):
                self._shortcuts[command] = tuple(key for key in keys if isinstance(key, str))
        for name, content in _mapping(document.get("filters")).items():
            self._filters[name] = _mapping(content)
        return log.freeze()


def read_settings(path: Path) -> Reading:
    """What a file the user named says; :meth:`Settings.take_over` makes something of it."""
    return JsonFile(path, "settings", MIGRATIONS, is_ours=False).read()


def _mapping(found: object) -> dict[str, Any]:
    return dict(found) if isinstance(found, dict) else {}
