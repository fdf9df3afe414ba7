"""Masks of videos go through the engine of pictures: workers, the store, and what may go wrong."""

from __future__ import annotations

import csv
import os
import shutil
import signal
from collections.abc import Callable
from concurrent.futures import Executor, Future
from dataclasses import replace
from pathlib import Path
from typing import ParamSpec, TypeVar

import h5py
import numpy as np
import pytest

from forensicviewer.app.datasets.opening import open_submission, open_task
from forensicviewer.app.masks.result_store import ResultStore
from forensicviewer.app.masks.run import score_masks
from forensicviewer.app.masks.settings import MaskSettings
from forensicviewer.app.report.score_output import OutputTable, ScoreOutput
from forensicviewer.app.runtime.batch import Crew, process_crew
from forensicviewer.cli import main
from forensicviewer.core.rules import VERBATIM
from forensicviewer.sources.video.mask_reader import Block
from forensicviewer.sources.video.masks import write_video_mask
from tests.build import write_table
from tests.video_build import SIZE, BuiltVideo, write_moving_box

P = ParamSpec("P")
Result = TypeVar("Result")
SETTINGS = MaskSettings(threshold=100)
VIDEOS = ("v0", "v1", "v2", "v3")


@pytest.fixture
def built(tmp_path: Path) -> BuiltVideo:
    """Four videos of which only the masks exist, each with an answer of its own."""
    root, submission = tmp_path / "MFC2019", tmp_path / "p-box_1"
    stem = "MFC2019-manipulation-video"
    folder = root / "reference" / "manipulation-video"
    size = [str(SIZE.width), str(SIZE.height)]
    for number, video in enumerate(VIDEOS):
        write_moving_box(reference_of(root, video), Block(number, 4 + number), size=SIZE, black=0)
        write_moving_box(
            system_of(submission, video), Block(2, 5), size=SIZE, black=20, shift=number, noise=60
        )
    write_table(
        root / "indexes" / f"{stem}-index.csv",
        ["TaskID", "ProbeFileID", "ProbeFileName", "ProbeWidth", "ProbeHeight", "FrameCount"],
        [["manipulation", video, f"probe/{video}.mp4", *size, "20"] for video in VIDEOS],
    )
    write_table(
        folder / f"{stem}-ref.csv",
        ["TaskID", "ProbeFileID", "ProbeFileName", "IsTarget", "ProbeMaskFileName", "JournalName"],
        [
            [
                *("manipulation", video, f"probe/{video}.mp4", "Y"),
                *(str(reference_of(root, video).relative_to(root)), "j1"),
            ]
            for video in VIDEOS
        ],
    )
    keys = ["JournalName", "StartNodeID", "EndNodeID"]
    steps = [["j1", "n0", "n1", "Paste", "[[1,3]]"], ["j1", "n1", "n2", "Blur", "[[4,20]]"]]
    write_table(folder / f"{stem}-ref-journalmask.csv", [*keys, "Operation", "VideoFrame"], steps)
    write_table(
        folder / f"{stem}-ref-probejournaljoin.csv",
        ["ProbeFileID", *keys],
        [[video, *step[:3]] for video in VIDEOS for step in steps],
    )
    write_table(
        submission / "p-box_1.csv",
        ["ProbeFileID", "ConfidenceScore", "ProbeStatus", "OutputProbeMaskFileName"],
        [[video, "0.9", "Processed", f"mask/{video}.hdf5"] for video in VIDEOS],
    )
    return BuiltVideo(root, submission, root / "probe")


def reference_of(root: Path, video: str) -> Path:
    return root / "reference" / "manipulation-video" / "mask" / f"{video}.hdf5"


def system_of(submission: Path, video: str) -> Path:
    return submission / "mask" / f"{video}.hdf5"


def score(
    built: BuiltVideo,
    settings: MaskSettings = SETTINGS,
    *,
    crew: Crew | None = None,
    store: ResultStore | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> ScoreOutput:
    _, task = open_task(built.root, name="video")
    submission = open_submission(built.submission, task=task)
    return score_masks(task, submission, settings, crew=crew, store=store, progress=progress)


def table(output: ScoreOutput, name: str) -> OutputTable:
    return next(table for table in output.tables if table.name == name)


def scored(output: ScoreOutput) -> dict[str, str]:
    rows = table(output, "mask_scores_perimage.csv").records()
    return {row["ProbeFileID"]: row["Scored"] for row in rows}


def nobody() -> Executor:
    raise AssertionError("a video was counted again")


NOBODY = Crew(nobody, 1)


def test_processes_give_the_numbers_of_one_process(built: BuiltVideo) -> None:
    queries = ("Operation=='Paste'", "Operation=='Blur'")
    settings = replace(SETTINGS, manipulation_queries=queries)

    alone, together = score(built, settings), score(built, settings, crew=process_crew(2))

    assert together.tables == alone.tables
    assert together.problems == alone.problems == ()
    assert set(scored(score(built)).values()) == {"Y"}


def test_the_command_line_writes_the_tables_of_the_batch(built: BuiltVideo, tmp_path: Path) -> None:
    out = tmp_path / "out"

    code = main(
        [
            *("score", "mask", str(built.root), str(built.submission), "--workers", "1"),
            *("--out", str(out), "--threshold", "100", "--quiet"),
        ]
    )

    assert code == 0
    for found in score(built).tables:
        with (out / found.name).open(encoding="utf-8", newline="") as stream:
            assert list(csv.DictReader(stream, delimiter="|")) == found.records()


@pytest.mark.parametrize(
    "second",
    [
        SETTINGS,
        replace(SETTINGS, threshold=30),
        replace(SETTINGS, no_score_value=200),
        replace(SETTINGS, queries=("ConfidenceScore > 0.5",), precision=3),
        replace(SETTINGS, rules=VERBATIM),
    ],
    ids=["as before", "threshold", "no-score value", "query", "rules"],
)
def test_a_second_run_opens_no_mask(
    built: BuiltVideo, tmp_path: Path, second: MaskSettings
) -> None:
    with ResultStore(tmp_path / "scores.sqlite") as store:
        score(built, store=store)
    with ResultStore(tmp_path / "scores.sqlite") as store:
        again = score(built, second, crew=NOBODY, store=store)

    assert again == score(built, second)


def test_the_same_masks_elsewhere_are_known_by_their_content(
    built: BuiltVideo, tmp_path: Path
) -> None:
    """Only that the files are the same has to be found out, so they are read but not counted."""
    system_of(built.submission, "v1").write_bytes(b"no hdf5")
    with ResultStore(tmp_path / "scores.sqlite") as store:
        first = score(built, store=store)
        other = tmp_path / "other"
        shutil.copytree(built.root, other / built.root.name)
        shutil.copytree(built.submission, other / built.submission.name)
        moved = BuiltVideo(other / built.root.name, other / built.submission.name, other)
        second = score(moved, store=store)
        third = score(moved, crew=NOBODY, store=store)

    assert second.tables == third.tables == first.tables
    complaints = [problem.where for problem in first.problems if problem.rule == "codec.unreadable"]
    told = [problem.where for problem in third.problems if problem.rule == "codec.unreadable"]
    assert complaints == [str(system_of(built.submission, "v1"))]
    assert told == [str(system_of(moved.submission, "v1"))]


def test_a_mask_that_changed_is_counted_again(built: BuiltVideo, tmp_path: Path) -> None:
    counted: list[int] = []
    with ResultStore(tmp_path / "scores.sqlite") as store:
        score(built, store=store)
        write_moving_box(system_of(built.submission, "v2"), Block(2, 9), size=SIZE, black=0)
        changed = score(built, store=store, progress=lambda done, _: counted.append(done))

    assert counted == [4]
    assert changed == score(built)


def test_a_damaged_result_in_the_store_is_counted_again(built: BuiltVideo, tmp_path: Path) -> None:
    counted: list[int] = []
    with ResultStore(tmp_path / "scores.sqlite") as store:
        first = score(built, store=store)
        for key, payload in kept(store):
            store.put({key: payload[:-1] + bytes([payload[-1] ^ 1])})
        again = score(built, store=store, progress=lambda done, _: counted.append(done))

    assert (counted[0], counted[-1]) == (1, 4)
    assert again == first


def kept(store: ResultStore) -> list[tuple[str, bytes]]:
    return list(store._connection.execute("SELECT key, payload FROM results"))


def test_a_stopped_run_goes_on_where_it_was(built: BuiltVideo, tmp_path: Path) -> None:
    stopped: list[int] = []

    def stop_at_two(done: int, total: int) -> None:
        assert total == 4
        if done >= 2:
            stopped.append(done)
            raise KeyboardInterrupt

    with (
        ResultStore(tmp_path / "scores.sqlite") as store,
        pytest.raises(KeyboardInterrupt),
    ):
        score(built, store=store, progress=stop_at_two)
    resumed: list[int] = []
    with ResultStore(tmp_path / "scores.sqlite") as store:
        score(built, store=store, progress=lambda done, _: resumed.append(done))

    # Nothing of what was done is counted again.
    assert resumed[0] > stopped[0]
    assert resumed[-1] == 4


class Deadly(Executor):
    """A pool of processes whose worker is killed by the masks of one video."""

    def __init__(self) -> None:
        self._pool = process_crew(2).make()

    def submit(
        self, fn: Callable[P, Result], /, *args: P.args, **kwargs: P.kwargs
    ) -> Future[Result]:
        if "v2" in str(args):
            return self._pool.submit(die_of, fn, *args, **kwargs)
        return self._pool.submit(fn, *args, **kwargs)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT001, FBT002
        self._pool.shutdown(wait=wait, cancel_futures=cancel_futures)


def die_of(fn: Callable[P, Result], /, *args: P.args, **kwargs: P.kwargs) -> Result:
    os.kill(os.getpid(), signal.SIGKILL)
    return fn(*args, **kwargs)


def test_a_video_that_kills_its_worker_costs_that_video_only(
    built: BuiltVideo, tmp_path: Path
) -> None:
    with ResultStore(tmp_path / "scores.sqlite") as store:
        output = score(built, crew=Crew(Deadly, 2), store=store)
        whole = score(built, store=store)

    assert scored(output) == {"v0": "Y", "v1": "Y", "v2": "N", "v3": "Y"}
    (problem,) = output.problems
    assert problem.message == (
        "v2: the system mask cannot be scored: the worker process died while scoring it"
    )
    assert whole == score(built)


def broken_chunk(path: Path) -> None:
    """Spoil the frames of a mask but not its header."""
    with h5py.File(path) as file:
        stored = [file[name]["masks"].id.get_chunk_info(1) for name in file]
    content = bytearray(path.read_bytes())
    for chunk in stored:
        content[chunk.byte_offset : chunk.byte_offset + chunk.size] = bytes(chunk.size)
    path.write_bytes(content)


def colours(path: Path) -> None:
    write_video_mask(path, {2: np.zeros((3, SIZE.height, SIZE.width, 3), np.uint8)})


@pytest.mark.parametrize("damage", [broken_chunk, colours])
def test_a_system_mask_that_breaks_off_costs_that_video_only(
    built: BuiltVideo, damage: Callable[[Path], None]
) -> None:
    damage(system_of(built.submission, "v1"))

    output, verbatim = score(built), score(built, replace(SETTINGS, rules=VERBATIM))

    assert set(scored(output).values()) == {"Y"}
    assert scored(verbatim) == {"v0": "Y", "v1": "N", "v2": "Y", "v3": "Y"}
    file, answer = output.problems
    assert file.where == str(system_of(built.submission, "v1"))
    assert answer.message == "v1: the system mask cannot be scored: it cannot be read"


def test_a_reference_mask_that_breaks_off_costs_that_video_only(built: BuiltVideo) -> None:
    broken_chunk(reference_of(built.root, "v1"))

    output = score(built)

    assert scored(output) == {"v0": "Y", "v1": "N", "v2": "Y", "v3": "Y"}
    (problem,) = output.problems
    assert problem.where == str(reference_of(built.root, "v1"))


def test_a_mask_named_outside_its_folder_is_never_opened(built: BuiltVideo) -> None:
    answers = built.submission / "p-box_1.csv"
    answers.write_text(answers.read_text().replace("mask/v1.hdf5", "../../v1.hdf5"))

    output, verbatim = score(built), score(built, replace(SETTINGS, rules=VERBATIM))

    assert set(scored(output).values()) == {"Y"}
    assert scored(verbatim)["v1"] == "N"
    name, answer = output.problems
    assert name.rule == "path.climbs"
    assert answer.message == "v1: the system mask cannot be scored: it cannot be read"


def test_a_reference_named_outside_its_folder_is_never_opened(built: BuiltVideo) -> None:
    (truth,) = built.root.rglob("*-ref.csv")
    truth.write_text(truth.read_text().replace("reference/manipulation-video/mask/v1", "../../v1"))

    output = score(built)

    assert scored(output)["v1"] == "N"
    assert [problem.rule for problem in output.problems] == ["path.climbs"]


def test_a_video_without_a_region_is_known_as_such(built: BuiltVideo, tmp_path: Path) -> None:
    white = np.full((3, SIZE.height, SIZE.width), 255, np.uint8)
    write_video_mask(reference_of(built.root, "v1"), {0: white})
    with ResultStore(tmp_path / "scores.sqlite") as store:
        first = score(built, store=store)
        second = score(built, crew=NOBODY, store=store)

    assert second == first
    assert scored(first)["v1"] == "N"
    assert first.problems == ()


def test_bit_planes_tell_the_operations_of_a_video_apart(built: BuiltVideo, tmp_path: Path) -> None:
    planes = np.zeros((3, SIZE.height, SIZE.width), np.uint8)
    planes[:, 10:40, 20:80] |= 1
    planes[:, 50:90, 20:80] |= 2
    write_video_mask(reference_of(built.root, "v1"), {0: planes})
    (journal,) = built.root.rglob("*-journalmask.csv")
    header, *steps = journal.read_text().splitlines()
    steps = [f"{step}|{plane}" for plane, step in enumerate(steps, start=1)]
    journal.write_text("\n".join([f"{header}|BitPlane", *steps]) + "\n")
    queries = tuple(f"Operation=='{name}'" for name in ("Paste", "Blur"))
    settings = MaskSettings(erode_px=0, dilate_px=0, distraction_px=0, manipulation_queries=queries)

    with ResultStore(tmp_path / "scores.sqlite") as store:
        output = score(built, settings, store=store)
        again = score(built, settings, crew=NOBODY, store=store)

    assert again == output
    rows = [
        row
        for number in range(2)
        for row in table(output, f"query_{number}/mask_scores_perinterval.csv").records()
        if row["ProbeFileID"] == "v1"
    ]
    left_out = [int(row["PixelSNS"]) for row in rows]
    assert left_out == [3 * 40 * 60, 3 * 30 * 60]
