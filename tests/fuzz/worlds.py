"""Small valid datasets and files of the program itself, and changes to their texts."""

from __future__ import annotations

import io
import json
import sqlite3
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from forensicviewer.app.judging.verdict_log import VerdictBook
from forensicviewer.app.masks.result_store import ResultStore
from forensicviewer.app.runtime.jobs import inline_jobs
from forensicviewer.app.session.desk import Desk
from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.app.settings import FONT_SCALE, JUDGE, THEME, Settings
from forensicviewer.core.model import TrialId
from forensicviewer.core.verdict import Ruling
from tests.build import a_dataset, blurred, box, nothing
from tests.fuzz.hostile import deep_json, json_value
from tests.genai_build import GenAIBuilder, GenAITrial
from tests.provenance_build import a_provenance_dataset
from tests.video_build import a_video_dataset


@dataclass(frozen=True)
class World:
    """Files by their names in a folder; ``dataset`` and ``submission`` are two of the names."""

    files: Mapping[str, bytes]
    dataset: str
    submission: str = ""
    others: Mapping[str, bytes] = field(default_factory=dict)

    def named(self, *suffixes: str) -> list[str]:
        return [name for name in self.files if name.endswith(suffixes)]


def worlds() -> dict[str, World]:
    """One of every kind the program opens."""
    return {name: collected(make) for name, make in _WORLDS.items()}


def collected(make: Callable[[Path], tuple[Path, Path | None]]) -> World:
    """Everything that is made in a folder, as a world."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        dataset, submission = make(folder)
        files = {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in sorted(folder.rglob("*"))
            if path.is_file()
        }
        answer = "" if submission is None else submission.relative_to(folder).as_posix()
        return World(files, dataset.relative_to(folder).as_posix(), answer)


def _manipulation(folder: Path) -> tuple[Path, Path]:
    builder = a_dataset(folder).nist("MFC2019")
    shapes = {"PasteSplice": box(5, 5, 30, 30), "Blur": box(20, 20, 50, 40)}
    builder.with_trial("p1", manipulated=shapes, facts={"BaseFileName": "probe/p2.png"})
    builder.with_trial("p2", manipulated=box(10, 10, 40, 40)).with_trial("p3")
    for name in ("p1", "p2", "p3"):
        builder.with_answer(name, blurred() if name != "p3" else nothing())
    built = builder.write()
    return built.root, built.submission


def _splice(folder: Path) -> tuple[Path, Path]:
    builder = a_dataset(folder).with_trial("p1", manipulated=box(5, 5, 30, 30), donor="d1")
    built = builder.with_trial("p2", donor="d2").with_answer("p1+d1", blurred()).write()
    return built.root, built.submission


def _video(folder: Path) -> tuple[Path, Path]:
    built = a_video_dataset(folder, sound=False)
    return built.root, built.submission


def _provenance(folder: Path) -> tuple[Path, Path]:
    links = [("base", "crop"), ("crop", "paste", "PasteSplice"), ("donor", "paste", "Donor")]
    builder = a_provenance_dataset(folder).with_probe("probe", links=[*links, ("paste", "probe")])
    nodes = {"base": 0.9, "crop": 0.8, "paste": 0.7, "probe": 1, "stranger": 0.2}
    builder.with_answer("probe", nodes=nodes, links={("base", "crop"): 0.9, ("paste", "crop"): 0.4})
    dataset, table = builder.write()
    return dataset, table.parent


def _genai(folder: Path) -> tuple[Path, Path | None]:
    trials = [GenAITrial(f"f{number}.jpg", is_ai=number % 2 == 0) for number in range(4)]
    builder = GenAIBuilder(folder / "genai").of(trials)
    root = builder.write()
    builder.reference()
    return root, None


_WORLDS: dict[str, Callable[[Path], tuple[Path, Path | None]]] = {
    "manipulation": _manipulation,
    "splice": _splice,
    "video": _video,
    "provenance": _provenance,
    "genai": _genai,
}


def packed(world: World, suffix: str) -> bytes:
    """The submission of a world as an archive."""
    inside = {n: c for n, c in world.files.items() if n.startswith(world.submission + "/")}
    stream = io.BytesIO()
    if suffix == ".zip":
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in inside.items():
                archive.writestr(name, content)
    else:
        mode: Any = "w:gz" if suffix == ".tgz" else "w"
        with tarfile.open(fileobj=stream, mode=mode) as tape:
            for name, content in inside.items():
                entry = tarfile.TarInfo(name)
                entry.size = len(content)
                tape.addfile(entry, io.BytesIO(content))
    return stream.getvalue()


def own_files(world: World, folder: Path) -> dict[str, bytes]:
    """What the program itself writes about a world that lies in a folder."""
    desk = Desk(inline_jobs(), Settings(folder / "settings.json"), cache_bytes=0)
    desk.settings.change(FONT_SCALE, 125)
    desk.settings.change(THEME, "dark")
    desk.settings.change(JUDGE, "Ada")
    desk.settings.save_filter("targets", {"query": "IsTarget=='Y'"})
    desk.open(OpenRequest(folder / world.dataset, (folder / world.submission,)))
    desk.save_session(folder / "work.fvsession")
    book = VerdictBook(folder / "verdicts", judge="Ada")
    for trial, ruling in (("p1", Ruling.SOUND), ("p2", Ruling.UNCLEAR)):
        book.say(TrialId(trial), ruling, task="manipulation", note="a note", facts={"F1": "0.5"})
    with ResultStore(folder / "scores.sqlite") as store:
        store.put({"key": bytes(300), "other": bytes(9000)})
    with sqlite3.connect(folder / "scores.sqlite") as database:
        database.execute("PRAGMA journal_mode = DELETE")
    database.close()
    desk.close()
    return {
        "session": (folder / "work.fvsession").read_bytes(),
        "settings": (folder / "settings.json").read_bytes(),
        "verdicts": book.log_path.read_bytes(),
        "anchor": book.log_path.with_name(book.log_path.name + ".anchor").read_bytes(),
        "store": (folder / "scores.sqlite").read_bytes(),
    }


def mutate_table(content: bytes, chance: Random, trap: str) -> bytes:
    """Change cells, rows, columns, signs and encoding of a table."""
    text = content.decode("utf-8", "replace")
    rows = [line.split("|") for line in text.splitlines()]
    for _ in range(chance.choice((1, 1, 2, 4))):
        rows = _change_rows(rows, chance, trap)
    separator = chance.choices(("|", ",", "\t", ";"), (12, 1, 1, 1))[0]
    end = chance.choices(("\n", "\r\n", "\r", "\n\n"), (12, 2, 1, 1))[0]
    joined = end.join(separator.join(row) for row in rows) + end * chance.choice((0, 1, 1))
    coding = chance.choices(("utf-8", "utf-8-sig", "utf-16", "latin-1"), (16, 1, 1, 1))[0]
    return joined.encode(coding, "replace")


def _change_rows(rows: list[list[str]], chance: Random, trap: str) -> list[list[str]]:
    if not rows:
        return [["ProbeFileID"]]
    row, way = chance.randrange(len(rows)), chance.random()
    if way < 0.55 and rows[row]:
        rows[row][chance.randrange(len(rows[row]))] = _cell(chance, trap)
    elif way < 0.62:
        del rows[row]
    elif way < 0.70:
        rows[row:row] = [list(rows[row])] * chance.choice((1, 3, 300))
    elif way < 0.76 and rows[0]:
        column = chance.randrange(len(rows[0]))
        rows = [line[:column] + line[column + 1 :] for line in rows]
    elif way < 0.82 and rows[0]:
        column = chance.randrange(len(rows[0]))
        rows = [line[: column + 1] + line[column:] for line in rows]
    elif way < 0.88:
        rows[row] = rows[row] + [_cell(chance, trap)] * chance.choice((1, 3, 500))
    elif way < 0.94:
        rows[row] = rows[row][: chance.randrange(len(rows[row]) + 1)]
    else:
        chance.shuffle(rows[0])
    return rows


def _cell(chance: Random, trap: str) -> str:
    return chance.choice(
        (
            *("", " ", "p1", "p2", "0", "1", "-1", "1e999", "nan", "inf", "99999999999999999999"),
            *("Y", "N", "y", "True", "manipulation", "splice", "provenance", "1.5", "\uff11"),
            *("../secret.png", trap, f"file://{trap}", "C:\\x", "probe/linked.png", "linked/a.png"),
            *('"', '"a', 'a"b', "a|b", "a,b", "\0", "\x1b[31m", "\u202e", "\ufeff", "é" * 50),
            *("[[1,2]]", "[[5,1],[0,-3]]", "[[1,99999999999]]", "[[", "[]", "[[1]]", "[['a',2]]"),
            *("=1+1", "<img src='file:///dev/zero'>", "x" * 5000, "255 0 0", "256 -1 z", "/"),
            *("probe", "mask", ".", "probe/p1.png", "reference/../probe/p1.png", "//", "a\\b"),
            *("Processed", "NonProcessed", "OptOutAll", "OptOutTemporal", "FailedValidation"),
            "9" * 5000,
        )
    )


def mutate_json(content: bytes, chance: Random, trap: str) -> bytes:
    """Change values, keys and members of a document."""
    if chance.random() < 0.05:
        return deep_json(chance)
    lines = content.splitlines()
    if len(lines) > 1 and content[:1] == b"{" and lines[0][-1:] == b"}":
        at = chance.randrange(len(lines))
        lines[at] = mutate_json(lines[at], chance, trap)
        return b"\n".join(lines) + b"\n"
    try:
        document = json.loads(content)
    except (ValueError, RecursionError):
        return content
    for _ in range(chance.choice((1, 1, 2, 4))):
        document = _change_value(document, chance, trap)
    text = json.dumps(document, ensure_ascii=chance.random() < 0.9)
    return text.encode("utf-8", "surrogatepass")


def _change_value(value: Any, chance: Random, trap: str) -> Any:
    if isinstance(value, dict) and value and chance.random() < 0.9:
        key = chance.choice(list(value))
        if chance.random() < 0.12:
            value.pop(key)
        elif chance.random() < 0.08:
            value[str(json_value(chance, 3))] = value[key]
        else:
            value[key] = _change_value(value[key], chance, trap)
        return value
    if isinstance(value, list) and value and chance.random() < 0.85:
        at = chance.randrange(len(value))
        if chance.random() < 0.15:
            value.extend([value[at]] * chance.choice((1, 5, 2000)))
        elif chance.random() < 0.15:
            del value[at]
        else:
            value[at] = _change_value(value[at], chance, trap)
        return value
    if isinstance(value, int | float) and chance.random() < 0.5:
        return chance.choice((0, -1, value + 1, value * 1000, 2**31, 2**53, 2**64, 0.5, 1e300))
    return chance.choice((json_value(chance), json_value(chance), trap, "../secret.json"))
