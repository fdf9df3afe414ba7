"""Images with masks, runs of models, cases and lists of trials, and the command line over all."""

from __future__ import annotations

import hashlib
import io
import json
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from forensicviewer.app.cases.manifest import Manifest
from forensicviewer.app.cases.opening import open_case
from forensicviewer.app.datasets.opening import open_dataset
from forensicviewer.app.grid.grid import METRICS, WRITERS, make_grid
from forensicviewer.app.imdl.preview import preview_of, row_pictures
from forensicviewer.app.imdl.robustness import (
    PANELS,
    points_of,
    read_runs,
    robustness_csv,
    view_levels,
)
from forensicviewer.app.judging.merging import merge
from forensicviewer.app.judging.review import open_review, status_of
from forensicviewer.app.judging.review_export import export_review
from forensicviewer.app.judging.verdict_log import VerdictBook
from forensicviewer.cli import main
from forensicviewer.core.model import TrialId
from forensicviewer.core.problem import ProblemLog
from forensicviewer.core.verdict import Ruling
from forensicviewer.sources.imdl.dataset import DatasetChoices
from forensicviewer.sources.tables.benchmark_runs import read_run
from forensicviewer.sources.tables.trial_file import images_listed, probes_listed
from tests.fuzz.asking import ask, command, write
from tests.fuzz.mutation import mutate
from tests.fuzz.worlds import World, collected, mutate_json, mutate_table
from tests.sources.imdl import build

_KIND_OF = {".jpg": "jpeg", ".png": "png", ".npz": "npz", ".tif": "tiff", ".bmp": "bmp"}
_ATTACKED = ("None", "GaussianBlur_3", "GaussNoise(var_limit=(7, 7), p=1.0)", "JpegCompression_70")
# Changes a file of a kind of media, by the kind's name.
Media = Callable[[str, Path, Random], Path]


def imdl_worlds() -> dict[str, World]:
    """Datasets of images and masks in every shape, with predictions in theirs."""
    made = {
        "folders": lambda folder: (build.mani(folder / "data"), _benco(folder / "run")),
        "archives": lambda folder: (build.korus(folder / "data"), _trufor(folder / "run")),
        "polygons": lambda folder: (build.openforensics(folder / "data"), None),
        "casia": lambda folder: (build.casia1(folder / "data"), None),
        "npz masks": lambda folder: (build.fantastic_reality(folder / "data"), None),
        "pairs": lambda folder: (build.json_list(folder / "data"), _benco(folder / "run")),
        "rows": lambda folder: (build.tampered_coco_list(folder / "data"), None),
        "test sets": _test_sets,
        "balanced": _balanced,
    }
    return {name: collected(make) for name, make in made.items()}


def _benco(folder: Path) -> Path:
    levels = np.where(build.area(), 230, 25).astype(np.uint8)
    for number in range(3):
        build.write(folder / "pred" / f"{number}.png", levels)
    scores = {f"{number}.jpg": number / 3 for number in range(3)}
    (folder / "pred_label_combined.json").write_text(json.dumps(scores))
    return folder


def _trufor(folder: Path) -> Path:
    scores = np.where(build.area(), 0.9, 0.1).astype(np.float32)
    for camera in ("Canon_60D", "Sony_A57"):
        path = folder / camera / "tampered-realistic" / "DPP0012.TIF.npz"
        path.parent.mkdir(parents=True)
        np.savez(path, map=scores, conf=scores, score=np.float32(0.9), imgsize=np.array([48, 64]))
    return folder


def _test_sets(folder: Path) -> tuple[Path, Path]:
    build.mani(folder / "data" / "one")
    build.json_list(folder / "data" / "two")
    path = folder / "data" / "sets.json"
    path.write_text(json.dumps({"one": "one", "two": "two/list.json"}))
    return path, _benco(folder / "run")


def _balanced(folder: Path) -> tuple[Path, Path]:
    build.mani(folder / "data" / "one")
    path = folder / "data" / "balanced.json"
    path.write_text(json.dumps([["ManiDataset", "one"], ["JsonDataset", "two/list.json"]]))
    return path, _benco(folder / "run")


def a_run() -> dict[str, bytes]:
    """A run with everything a folder of results may hold."""
    tests = [
        {"epoch": level, "test_pixel-level F1": 0.5, "test_pixel-level IOU": 0.4, "test_loss": 1}
        for level in (3, 7)
    ]
    log = "".join(json.dumps(line) + "\n" for line in tests).encode()
    card = {"model": "Net", "protocol": "MVSS", "input_size": "512", "test_sets": ["CASIA", "NIST"]}
    card |= {"trained_on": ["CASIA2"], "parameters": "30 M"}
    files = {"model.json": json.dumps(card).encode(), "log.txt": log}
    table = b"Dataset|Images|F1|IoU|AUC\nCASIA|3|0.5|0.4|0.9\nNIST|2|0.25|0.2|0.8\n"
    files |= {"imdl_summary.csv": table}
    levels = np.where(build.area(), 230, 25).astype(np.uint8)
    with tempfile.TemporaryDirectory() as name:
        shown = build.write(Path(name) / "0.png", levels).read_bytes()
    for attack in _ATTACKED:
        files |= {f"{attack}/log.txt": log, f"{attack}/imdl_summary.csv": table}
        files |= {f"{attack}/pred/0.png": shown}
    return files


def a_case(world: World) -> dict[str, bytes]:
    """The entries of a case about a world."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder, world.files)
        words = ["case", "write", str(folder / world.dataset), str(folder / world.submission)]
        out = folder / "c.fvcase"
        assert main([*words, "--trial", "p1", "--out", str(out), "--who", "Ada", "--quiet"]) == 0
        with zipfile.ZipFile(out) as packed:
            return {entry: packed.read(entry) for entry in packed.namelist()}


def a_review(world: World) -> dict[str, bytes]:
    """A review of a world with verdicts of one judge, and a log that another sends."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder, world.files)
        words = ["review", "init", str(folder / "all" / "review"), str(folder / world.dataset)]
        words += ["--judge", "Ada", "--judge", "Eve", "--chair", "Chair", "--quiet"]
        assert main([*words, "--honeypot", "p3=sound"]) == 0
        for judge, place in (("Ada", "review/logs"), ("Eve", "sent")):
            book = VerdictBook(folder / "all" / place, judge=judge)
            for trial, ruling in (("p1", Ruling.SOUND), ("p2", Ruling.UNCLEAR)):
                book.say(TrialId(trial), ruling, note="a note", facts={}, task="manipulation")
        made = [path for path in (folder / "all").rglob("*") if path.is_file()]
        return {path.relative_to(folder / "all").as_posix(): path.read_bytes() for path in made}


class Imports:
    """Makes inputs of these kinds; ``media`` writes a changed file of a kind of media."""

    KINDS = ("imdl", "run", "case", "review", "list", "command")

    def __init__(self, worlds: Callable[[], Mapping[str, World]], media: Media, trap: str) -> None:
        self._nist, self._media, self._trap = worlds, media, trap
        self._imdl = cache(imdl_worlds)
        self._run = cache(a_run)
        self._review = cache(lambda: a_review(self._nist()["manipulation"]))
        self._case = cache(lambda: a_case(self._nist()["manipulation"]))

    def make(
        self, kind: str, folder: Path, chance: Random, open_world: Callable[..., None]
    ) -> Callable[[], None]:
        """Write an input of a kind into a folder; what is returned opens it."""
        if kind == "run":
            return self._make_run(folder, chance)
        if kind == "case":
            return self._make_case(folder, chance)
        if kind == "review":
            return self._make_review(folder, chance)
        if kind == "list":
            return self._make_list(folder, chance)
        choices = {**self._imdl(), **(self._nist() if kind == "command" else {})}
        world = choices[chance.choice(list(choices))]
        write(folder, self._changed(world.files, folder, chance))
        if kind == "command":
            words = _words(folder, world, chance)
            return lambda: command(words)

        def look() -> None:
            open_world(folder, world, chance)
            ask(lambda: _preview(folder / world.dataset, chance))

        return look

    def _changed(
        self, files: Mapping[str, bytes], folder: Path, chance: Random
    ) -> dict[str, bytes]:
        """The files with one or two of them changed, mostly a text."""
        found = dict(files)
        texts = [name for name in files if name.endswith((".json", ".csv", ".txt", ".list"))]
        for _ in range(chance.choice((1, 1, 2))):
            of_texts = texts and chance.random() < 0.7
            name = chance.choice(texts if of_texts else list(files))
            if kind := _KIND_OF.get(Path(name).suffix.lower()):
                found[name] = self._media(kind, folder, chance).read_bytes()
            elif chance.random() < 0.15:
                found[name] = mutate(found[name], "text", chance, list(files.values()))
            else:
                change = mutate_json if name.endswith((".json", "log.txt")) else mutate_table
                found[name] = change(found[name], chance, self._trap)
        return found

    def _make_run(self, folder: Path, chance: Random) -> Callable[[], None]:
        files = self._changed(self._run(), folder, chance)
        if chance.random() < 0.5:
            files.pop("imdl_summary.csv", None)  # the log alone is read
        write(folder / "run", files)
        world = self._imdl()["folders"]
        write(folder, {n: c for n, c in world.files.items() if n.startswith(world.dataset)})
        metric = chance.choice(METRICS)
        return lambda: _open_run(folder / "run", folder / world.dataset, metric)

    def _make_case(self, folder: Path, chance: Random) -> Callable[[], None]:
        entries = dict(self._case())
        way = chance.random()
        if way < 0.5:
            entries["manifest.json"] = mutate_json(entries["manifest.json"], chance, self._trap)
        elif way < 0.8:
            inner = {n: c for n, c in entries.items() if n.startswith(("dataset", "submissions"))}
            entries |= self._changed(inner, folder, chance)
        if chance.random() < 0.85:
            entries = resealed(entries)
        content = zipped(entries)
        if way >= 0.8:
            content = mutate(content, "zip", chance, [content])
        path = folder / "c.fvcase"
        path.write_bytes(content)
        return lambda: ask(lambda: open_case(path, folder / "opened"))

    def _make_review(self, folder: Path, chance: Random) -> Callable[[], None]:
        files = dict(self._review())
        name = chance.choice(list(files))
        is_json = name.endswith((".json", ".jsonl")) and chance.random() < 0.8
        files[name] = (
            mutate_json(files[name], chance, self._trap)
            if is_json
            else mutate(files[name], "text", chance, list(files.values()))
        )
        if chance.random() < 0.3:
            files = {name: content for name, content in files.items() if "anchor" not in name}
        write(folder, files)
        return lambda: _open_review(folder / "review", folder / "sent")

    def _make_list(self, folder: Path, chance: Random) -> Callable[[], None]:
        is_nist = chance.random() < 0.5
        world = self._nist()["manipulation"] if is_nist else self._imdl()["folders"]
        names = ("p1", "p2 # a note", "p3") if is_nist else ("0.jpg", "# a note", "1.jpg")
        write(folder, world.files)
        path = folder / "kept.txt"
        content = mutate_table("\n".join(names).encode(), chance, self._trap)
        if chance.random() < 0.3:
            content = mutate(content, "text", chance, [content])
        path.write_bytes(content)
        words = ["score", "mask" if is_nist else "imdl", str(folder / world.dataset)]
        words += [str(folder / world.submission), "--out", str(folder / "out"), "--workers", "1"]

        def look() -> None:
            ask(lambda: probes_listed(path))
            ask(lambda: images_listed(path))
            if chance.random() < 0.3:
                command([*words, "--trials", str(path)])

        return look


def resealed(entries: Mapping[str, bytes]) -> dict[str, bytes]:
    """Entries whose manifest lists them as they are, and whose custody begins with it."""
    try:
        manifest = json.loads(entries["manifest.json"])
        listed = {one["path"]: one for one in manifest["files"]}
        for name, content in entries.items():
            if name in listed:
                digest = hashlib.sha256(content).hexdigest()
                listed[name] |= {"size": len(content), "sha256": digest}
        manifest.pop("custody", None)
        sealed = Manifest(manifest).handed_on("Eve", "made")
        text = json.dumps(sealed.content)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return dict(entries)
    return {**entries, "manifest.json": text.encode()}


def zipped(entries: Mapping[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in entries.items():
            packed.writestr(name, content)
    return stream.getvalue()


def _preview(dataset: Path, chance: Random) -> None:
    preview = preview_of(dataset, DatasetChoices())
    for image in preview.images[:2]:
        pairing = chance.choice(preview.pairings or (preview.usual,))
        row_pictures(preview, image, preview.mask_of(image, pairing), edge_px=40)


def _open_run(run: Path, dataset: Path, metric: str) -> None:
    log = ProblemLog()

    def show() -> None:
        grid = make_grid([read_run(run, log)], metric)
        for as_text in WRITERS.values():
            as_text(grid)

    ask(show)
    runs = read_runs([run], log)
    for attack in PANELS:
        points_of(runs[0], attack) if runs else ()
    robustness_csv(runs)
    (task,) = open_dataset(dataset).tasks
    view_levels(task, task.trials[0], runs, edge_px=40)


def _open_review(folder: Path, sent: Path) -> None:
    log = ProblemLog()

    def look() -> None:
        review = open_review(folder)
        status_of(review, review.book())
        merge(review, [sent], log)
        for judge in review.judges:
            review.book(judge.name).standings(review.task.name)
        export_review(review, folder.parent / "exported")

    ask(look)
    for step in ("status", "verify"):
        command(["review", step, str(folder)])


def _words(folder: Path, world: World, chance: Random) -> list[str]:
    """A command about a world, mostly a quick one."""
    dataset = str(folder / world.dataset)
    answers = [str(folder / world.submission)] if world.submission else []
    out = ["--out", str(folder / "out")]
    quick: list[list[Any]] = [["info", dataset], ["trials", dataset], ["trials", dataset, "--json"]]
    quick += [["info", dataset, *answers, "--json"], ["qa", dataset, *answers]]
    slow: list[list[Any]] = [["duplicates", dataset, *out], ["qa", dataset, *answers, *out]]
    if answers:
        quick += [["validate", dataset, *answers], ["validate", dataset, *answers, "--json"]]
        slow += [["score", kind, dataset, *answers, *out] for kind in ("mask", "imdl", "detection")]
        slow += [["ruling", dataset, *answers, "--leave-out", "p1"]]
        page = ["--out", str(folder / "page.html")]
        slow += [["report", "submission", dataset, *answers, *page]]
        slow += [["report", "trial", dataset, *answers, "--trial", "p1", *page]]
        case = ["--trial", "p1", "--out", str(folder / "c.fvcase")]
        slow += [["case", "write", dataset, *answers, *case]]
        claimed = ["--trial", "p1", "--metric", "MCC", "--value", "0.5", "--steps", "0"]
        slow += [["claim", dataset, *answers, *claimed]]
    return list(map(str, chance.choice(quick if chance.random() < 0.7 else slow)))
