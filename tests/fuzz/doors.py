"""Writes one hostile input of any kind and opens it as the window does."""

from __future__ import annotations

import os
import shutil
import socket
from collections.abc import Callable
from contextlib import closing, suppress
from functools import cache, partial
from pathlib import Path
from random import Random

from forensicviewer.app.graph.review import GraphReview
from forensicviewer.app.judging.verdict_log import VerdictBook
from forensicviewer.app.masks.result_store import ResultStore
from forensicviewer.app.runtime.jobs import inline_jobs
from forensicviewer.app.session.desk import Desk
from forensicviewer.app.session.recent import RecentPlaces
from forensicviewer.app.session.recognise import recognise
from forensicviewer.app.settings import Settings
from forensicviewer.app.trials.trial_filter import TrialFilter
from forensicviewer.app.validation import ValidationOptions, validate
from forensicviewer.app.video.player import VideoPlayer
from forensicviewer.core.model import TaskKind, TrialId
from forensicviewer.core.problem import ForensicViewerError
from forensicviewer.sources.media.headers import read_header
from forensicviewer.sources.media.images import image_size, read_image, thumbnail
from forensicviewer.sources.media.masks import (
    Polarity,
    read_bit_planes,
    read_colour_reference,
    read_system_mask,
)
from forensicviewer.sources.video.audio import read_waveform
from forensicviewer.sources.video.frame_reader import video_thumbnail
from forensicviewer.sources.video.masks import open_video_mask
from forensicviewer.sources.video.video_file import VideoFile
from tests.fuzz.asking import ask, check, write
from tests.fuzz.hostile import BUILDERS
from tests.fuzz.imports import Imports
from tests.fuzz.mutation import mutate
from tests.fuzz.seeds import media_seeds
from tests.fuzz.worlds import World, mutate_json, mutate_table, own_files, packed, worlds

IMAGES = ("png", "jpeg", "jp2", "tiff", "bmp", "gif", "webp", "heic", "avif", "raw", "npz")
MEDIA = (*IMAGES, "hdf5", "video")
TABLES = ("table", "submission", "provenance", "trial")
ARCHIVES = ("zip", "tar")
OWN = ("session", "settings", "verdicts", "anchor", "store")
KINDS = (*MEDIA, *TABLES, *ARCHIVES, *OWN, *Imports.KINDS)
# What opens in milliseconds is tried more often than what takes a tenth of a second.
WEIGHTS = {**dict.fromkeys(IMAGES, 8), "hdf5": 8, "video": 6, **dict.fromkeys(TABLES, 2)}


class Supply:
    """Makes inputs below a folder; ``trap`` is a file outside that nobody may open."""

    def __init__(self, base: Path, trap: Path, *, port: int) -> None:
        self._base = base
        self._trap = str(trap)
        self._port = port
        self._worlds = cache(worlds)
        self._seeds = cache(media_seeds)
        self._own = cache(self._made_own)
        self._imports = Imports(self._worlds, self._media, self._trap)

    def make(self, kind: str, folder: Path, chance: Random) -> Callable[[], None]:
        """Write an input of a kind into a new folder; what is returned opens it."""
        shutil.rmtree(folder, ignore_errors=True)  # of a run before that kept its inputs
        folder.mkdir(parents=True)
        if kind in MEDIA:
            path = self._media(kind, folder, chance)
            return lambda: _open_media(kind, path, chance)
        if kind in TABLES:
            return self._world(kind, folder, chance)
        if kind in Imports.KINDS:
            return self._imports.make(kind, folder, chance, _open_world)
        if kind in ARCHIVES:
            return self._archive(kind, folder, chance)
        if kind in FAULTS:
            return partial(FAULTS[kind], Path(self._trap), self._port)
        return self._own_file(kind, folder, chance)

    def refusals(self, kind: str, folder: Path) -> list[str]:
        """The rules by which valid files of a kind are refused: none."""
        folder.mkdir(parents=True)
        said = []
        for number, (suffix, content) in enumerate(self._seeds(kind)):
            path = folder / f"{number}{suffix}"
            path.write_bytes(content)
            try:
                if kind == "hdf5":
                    open_video_mask(path).close()
                elif kind == "video":
                    VideoFile(path).close()
                elif kind == "npz":
                    _read_mask(path)
                else:
                    read_image(path)
            except ForensicViewerError as error:
                said.append(error.rule)
        return said

    def _media(self, kind: str, folder: Path, chance: Random) -> Path:
        if kind in BUILDERS and chance.random() < 0.15:
            suffix, build = BUILDERS[kind]
            content = build(chance, self._trap).replace(b"{port}", b"%d" % self._port)
            if chance.random() < 0.3:
                content = mutate(content, kind, chance, [content]) if content else content
        else:
            seeds = self._seeds(kind)
            suffix, content = chance.choice(seeds)
            structure = suffix[1:] if kind == "video" else kind
            content = mutate(content, structure, chance, [other for _, other in seeds])
        path = folder / f"input{suffix}"
        path.write_bytes(content)
        return path

    def _world(self, kind: str, folder: Path, chance: Random) -> Callable[[], None]:
        world = self._worlds()["provenance"]
        if kind != "provenance":
            world = chance.choice(list(self._worlds().values()))
        files = dict(world.files)
        if kind == "trial":
            # Mostly a file that is opened with the first trial.
            name = chance.choice(world.named(".png", ".hdf5", ".mp4", ".webp", ".csv"))
            other = self._media(chance.choice(MEDIA), folder, chance)
            files[name] = other.read_bytes()
        else:
            name = chance.choice(_targets(world, kind))
            change = mutate_json if name.endswith(".json") else mutate_table
            files[name] = change(files[name], chance, self._trap)
            if chance.random() < 0.1:
                files[name] = mutate(files[name], "text", chance, list(world.files.values()))
        write(folder, files)
        self._add_links(folder / world.dataset)
        return lambda: _open_world(folder, world, chance)

    def _add_links(self, dataset: Path) -> None:
        """Ways out of the dataset that its tables may name."""
        if (dataset / "probe").is_dir():
            (dataset / "probe" / "linked.png").symlink_to(self._trap)
        if dataset.is_dir():
            (dataset / "linked").symlink_to(Path(self._trap).parent)

    def _archive(self, kind: str, folder: Path, chance: Random) -> Callable[[], None]:
        world = self._worlds()["manipulation"]
        suffix, build = BUILDERS[kind]
        if chance.random() < 0.4:
            content = build(chance, self._trap)
        else:
            suffix = ".zip" if kind == "zip" else chance.choice((".tar", ".tgz"))
            content = packed(world, suffix)
            structure = "any" if suffix == ".tgz" else kind
            content = mutate(content, structure, chance, [content])
        write(folder, {n: c for n, c in world.files.items() if n.startswith(world.dataset)})
        (folder / f"s{suffix}").write_bytes(content)
        answered = World(world.files, world.dataset, f"s{suffix}")
        return lambda: _open_world(folder, answered, chance)

    def _made_own(self) -> dict[str, bytes]:
        folder = self._base / "own"
        write(folder, self._worlds()["manipulation"].files)
        return own_files(self._worlds()["manipulation"], folder)

    def _own_file(self, kind: str, folder: Path, chance: Random) -> Callable[[], None]:
        content = self._own()[kind]
        if kind in ("store", "anchor") or chance.random() < 0.2:
            content = mutate(content, kind, chance, [content])
        else:
            content = mutate_json(content, chance, "../own")
        path = folder / _OWN_NAMES[kind]
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
        log = folder / _OWN_NAMES["verdicts"]
        if kind == "anchor":
            log.write_bytes(self._own()["verdicts"])
        elif kind == "verdicts" and chance.random() < 0.5:
            log.with_name(log.name + ".anchor").write_bytes(self._own()["anchor"])
        if kind == "session":
            # It names its dataset relative to itself.
            write(folder, self._worlds()["manipulation"].files)
        return lambda: _OWN_DOORS[kind](log if kind == "anchor" else path)


def _targets(world: World, kind: str) -> list[str]:
    tables = world.named(".csv", ".json")
    if kind == "provenance":
        return world.named(".json")
    answers = [name for name in tables if world.submission and name.startswith(world.submission)]
    if kind == "submission":
        return answers or tables
    return [name for name in tables if name not in answers]


def _open_media(kind: str, path: Path, chance: Random) -> None:
    if kind == "video" or path.suffix == ".gif":
        ask(lambda: _open_video(path))
        ask(lambda: video_thumbnail(path, edge_px=40))
    elif kind == "hdf5":
        ask(lambda: _open_video_mask(path))
    elif kind == "npz":
        ask(lambda: _read_mask(path))
    if kind not in ("video", "hdf5") or chance.random() < 0.1:
        ask(lambda: read_image(path))
        ask(lambda: chance.choice(_IMAGE_DOORS)(path))


def _read_mask(path: Path) -> object:
    return read_system_mask(path, manipulated_is=Polarity.WHITE)


_IMAGE_DOORS: tuple[Callable[[Path], object], ...] = (
    lambda path: read_system_mask(path, manipulated_is=Polarity.BLACK),
    _read_mask,
    read_colour_reference,
    read_bit_planes,
    read_header,
    image_size,
    lambda path: thumbnail(path, edge_px=40),
)


def _open_video(path: Path) -> None:
    with closing(VideoFile(path)) as video:
        ask(video.first_picture)
        frames = len(video.load_index())
        for frame in {1, max(1, frames // 2), max(1, frames)}:
            ask(partial(video.picture, frame))
    ask(lambda: read_waveform(path))


def _open_video_mask(path: Path) -> None:
    with open_video_mask(path) as mask:
        for block in mask.blocks[:3]:
            for index in (block.start, block.end - 1, block.end):
                ask(partial(mask.levels_at, index))
                ask(partial(mask.planes_at, index))
        ask(lambda: mask.has_bit_planes([1, 2]))


def _open_world(folder: Path, world: World, chance: Random) -> None:
    paths = [folder / world.dataset]
    paths += [folder / world.submission] if world.submission else []
    for path in paths:
        recognise(path)
    desk = Desk(inline_jobs(), Settings(folder / "set.json"), recent=_recent(folder), cache_bytes=0)
    try:
        desk.open_paths(paths)
        _look_around(desk, chance)
        for problem in desk.workbench.state.problems:
            check(problem)
    finally:
        desk.close()


def _recent(folder: Path) -> RecentPlaces:
    return RecentPlaces(folder / "recent.json")


def _look_around(desk: Desk, chance: Random) -> None:
    """Visit the first trials, filter the list, and check the submission."""
    state = desk.workbench.state
    if state.task is None:
        return
    player = VideoPlayer(desk.workbench) if state.task.kind is TaskKind.VIDEO else None
    for trial in [TrialId(str(trial)) for trial in state.task.trials.ids()[:2]]:
        desk.workbench.select_trial(trial)
    if player is not None:
        player.close()
    desk.trials.set_filter(TrialFilter("IsTarget=='Y'"))
    submission = next(iter(state.submissions), None)
    if state.task.kind.is_provenance:
        GraphReview(desk.jobs).show(state.task, submission)
    if submission is not None and chance.random() < 0.5:
        ask(lambda: validate(desk.workbench.state.task, submission, ValidationOptions()))  # type: ignore[arg-type]  # checked above


def _open_session(path: Path) -> None:
    settings = Settings(path.with_name("set.json"))
    desk = Desk(inline_jobs(), settings, recent=_recent(path.parent), cache_bytes=0)
    try:
        desk.open_paths([path])
    finally:
        desk.close()


def _open_settings(path: Path) -> None:
    desk = Desk(inline_jobs(), Settings(path), recent=_recent(path.parent), cache_bytes=0)
    desk.close()
    RecentPlaces(path)


def _open_verdicts(path: Path) -> None:
    book = VerdictBook(path.parent, judge="Ada")
    for task in ("manipulation", ""):
        book.standings(task)
        book.history(TrialId("p1"), task)
    with suppress(OSError):
        ask(lambda: VerdictBook(path.parent / "mine", judge="Eve").add_log(path))


def _open_store(path: Path) -> None:
    with ResultStore(path) as store:
        store.get(["key"])
        store.known_digests([path])
        store.put({"new": b"payload"})


def _spy(trap: Path, port: int) -> None:
    """Do everything that must be noticed."""
    trap.read_bytes()
    with suppress(OSError), socket.create_connection(("127.0.0.1", port)) as connection:
        connection.recv(1)
    raise ValueError("spied")


def _die(_trap: Path, _port: int) -> None:
    os.abort()


# Not files but misdeeds, to see that they are noticed.
FAULTS: dict[str, Callable[[Path, int], None]] = {"spy": _spy, "suicide": _die}
_OWN_DOORS: dict[str, Callable[[Path], None]] = {
    "session": _open_session,
    "settings": _open_settings,
    "verdicts": _open_verdicts,
    "anchor": _open_verdicts,
    "store": _open_store,
}
_OWN_NAMES = {
    "session": "work.fvsession",
    "settings": "settings.json",
    "verdicts": "verdicts/Ada.verdicts.jsonl",
    "anchor": "verdicts/Ada.verdicts.jsonl.anchor",
    "store": "scores.sqlite",
}
