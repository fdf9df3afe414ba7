"""One scoring function, three callers: the window, a batch and the command line agree."""

from __future__ import annotations

import csv
import importlib
import os
import signal
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor, Future
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import pytest

from forensicviewer.app.datasets.opening import open_submission, open_task
from forensicviewer.app.masks.result_store import ResultStore
from forensicviewer.app.masks.run import score_masks
from forensicviewer.app.masks.settings import MaskSettings
from forensicviewer.app.report.score_output import OutputTable
from forensicviewer.app.runtime.batch import (
    Crew,
    cluster_crew,
    inline_crew,
    process_crew,
)
from forensicviewer.app.runtime.jobs import InlineExecutor
from forensicviewer.cli import main
from forensicviewer.core.mask import ReferenceMask
from forensicviewer.core.model import TaskKind
from forensicviewer.core.score import ThresholdSweep, nist_threshold
from forensicviewer.sources.media.masks import Polarity, read_colour_reference, read_system_mask
from tests.build import Built, a_dataset, blurred, box, exact, inverted

P = ParamSpec("P")
Result = TypeVar("Result")
SETTINGS = MaskSettings(threshold=100, erode_px=3, dilate_px=3, distraction_px=3)
OPTIONS = ("--threshold", "100", "--erode", "3", "--dilate", "3", "--distraction", "3")
PAINTERS = (exact(), blurred(), blurred(6), inverted())


def built(folder: Path, *, trials: Sequence[int]) -> Built:
    builder = a_dataset(folder)
    for number in trials:
        area = box(5 + number % 7, 5, 20 + number % 11, 25 + number % 5)
        builder.with_trial(f"p{number}", manipulated={"Paste": area, "Clone": box(40, 5, 60, 30)})
        builder.with_answer(f"p{number}", PAINTERS[number % 4], confidence=f"0.{number + 1}")
    return builder.write()


def scored(
    dataset: Built, *, crew: Crew | None = None, store: ResultStore | None = None
) -> dict[str, OutputTable]:
    _, task = open_task(dataset.root, name="manipulation")
    submission = open_submission(dataset.submission, task=task)
    output = score_masks(task, submission, SETTINGS, crew=crew, store=store)
    assert output.problems == ()
    return {table.name: table for table in output.tables}


def by_probe(table: OutputTable) -> dict[str, dict[str, str]]:
    return {row["ProbeFileID"]: row for row in table.records()}


def test_live_batch_and_command_line_give_the_same_numbers(tmp_path: Path) -> None:
    dataset = built(tmp_path, trials=range(5))
    _, task = open_task(dataset.root, name="manipulation")
    submission = open_submission(dataset.submission, task=task)

    batch = scored(dataset, crew=process_crew(2))
    code = main(
        [
            *("score", "mask", str(dataset.root), str(dataset.submission), "--workers", "1"),
            *("--out", str(tmp_path / "out"), "--quiet", *OPTIONS),
        ]
    )

    assert code == 0
    for name, table in batch.items():
        with (tmp_path / "out" / name).open(encoding="utf-8", newline="") as stream:
            assert list(csv.DictReader(stream, delimiter="|")) == table.records()
    images = by_probe(batch["mask_scores_perimage.csv"])
    for row in range(len(task.trials)):
        trial = task.trials[row]
        answer = submission.answers.get(trial.id)
        assert trial.reference is not None
        assert answer is not None
        assert answer.mask is not None
        reference = ReferenceMask.from_colours(
            read_colour_reference(Path(task.root) / trial.reference), trial.operations
        )
        live = ThresholdSweep.of(
            read_system_mask(Path(submission.root) / answer.mask, manipulated_is=Polarity.BLACK),
            reference.regions(None, SETTINGS.kernels(TaskKind.MANIPULATION)),
        )
        shown = images[trial.probe.id]
        assert live.optimum is not None
        assert int(shown["OptimumThreshold"]) == nist_threshold(live.optimum)
        assert float(shown["OptimumMCC"]) == pytest.approx(live.mcc[live.optimum], rel=1e-15)
        assert float(shown["AUC"]) == pytest.approx(live.auc, rel=1e-15)
        assert int(shown["ActualPixelTP"]) == live.tp[155]


def test_the_order_of_trials_does_not_matter(tmp_path: Path) -> None:
    forwards = scored(built(tmp_path / "a", trials=[0, 1, 2, 3, 4]))
    backwards = scored(built(tmp_path / "b", trials=[4, 2, 0, 3, 1]))

    images = "mask_scores_perimage.csv"
    assert by_probe(forwards[images]) == by_probe(backwards[images])
    (one,), (other,) = (run["mask_score.csv"].records() for run in (forwards, backwards))
    for name, cell in one.items():
        try:
            assert float(other[name]) == pytest.approx(float(cell), rel=1e-12)
        except ValueError:
            assert other[name] == cell


def test_a_second_run_reads_no_image(tmp_path: Path) -> None:
    dataset = built(tmp_path, trials=range(4))
    with ResultStore(tmp_path / "scores.sqlite") as store:
        first = scored(dataset, store=store)

    def nobody() -> object:
        raise AssertionError("a mask was counted again")

    with ResultStore(tmp_path / "scores.sqlite") as store:
        second = scored(dataset, crew=Crew(nobody, 1), store=store)  # type: ignore[arg-type]

    assert second == first


def test_a_stopped_run_goes_on_where_it_was(tmp_path: Path) -> None:
    dataset = built(tmp_path, trials=range(6))
    _, task = open_task(dataset.root, name="manipulation")
    submission = open_submission(dataset.submission, task=task)
    stopped: list[int] = []

    def stop_at_two(done: int, _total: int) -> None:
        if done >= 2:
            stopped.append(done)
            raise KeyboardInterrupt

    with (
        ResultStore(tmp_path / "scores.sqlite") as store,
        pytest.raises(KeyboardInterrupt),
    ):
        score_masks(task, submission, SETTINGS, store=store, progress=stop_at_two)
    with ResultStore(tmp_path / "scores.sqlite") as store:
        resumed: list[int] = []
        score_masks(
            task, submission, SETTINGS, store=store, progress=lambda done, _: resumed.append(done)
        )

    # Nothing of what was done is counted again.
    assert resumed[0] > stopped[0]
    assert resumed[-1] == 6


class Fragile(InlineExecutor):
    """An executor that breaks, for good, over the mask of one probe."""

    def __init__(self) -> None:
        self._is_broken = False

    def submit(
        self, fn: Callable[P, Result], /, *args: P.args, **kwargs: P.kwargs
    ) -> Future[Result]:
        self._is_broken |= "p2" in str(args)
        if not self._is_broken:
            return super().submit(fn, *args, **kwargs)
        future: Future[Result] = Future()
        future.set_exception(BrokenExecutor("a worker died"))
        return future


def test_a_mask_that_kills_its_worker_costs_that_mask_only(tmp_path: Path) -> None:
    dataset = built(tmp_path, trials=range(5))
    _, task = open_task(dataset.root, name="manipulation")
    submission = open_submission(dataset.submission, task=task)

    output = score_masks(task, submission, SETTINGS, crew=Crew(Fragile, 2))

    images = next(table for table in output.tables if "perimage" in table.name)
    scored_by_probe = {probe: row["Scored"] for probe, row in by_probe(images).items()}
    assert scored_by_probe == {"p0": "Y", "p1": "Y", "p2": "N", "p3": "Y", "p4": "Y"}
    (problem,) = output.problems
    assert "the worker process died" in problem.message


@pytest.mark.scheduler
def test_a_cluster_that_loses_a_worker_gives_the_local_result(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    distributed: Any = importlib.import_module("distributed")
    dataset = built(tmp_path, trials=range(30))
    _, task = open_task(dataset.root, name="manipulation")
    submission = open_submission(dataset.submission, task=task)
    local = score_masks(task, submission, SETTINGS, crew=inline_crew())
    killed: list[int] = []

    with (
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            # Any free port: the usual one may serve another cluster of this machine.
            dashboard_address="127.0.0.1:0",
            silence_logs=50,
            local_directory=str(tmp_path),
        ) as cluster,
        distributed.Client(cluster) as client,
        cluster_crew(cluster.scheduler_address) as crew,
    ):
        workers = list(client.run(os.getpid).values())

        def kill_one(done: int, total: int) -> None:
            if done == 3 and total == 30:
                os.kill(workers[0], signal.SIGKILL)
                killed.append(workers[0])

        remote = score_masks(task, submission, SETTINGS, crew=crew, progress=kill_one)
        code = main(
            [
                *("score", "mask", str(dataset.root), str(dataset.submission), *OPTIONS, "--quiet"),
                *("--out", str(tmp_path / "out"), "--scheduler", cluster.scheduler_address),
            ]
        )

    caplog.clear()  # the cluster warns that it starts another worker
    assert code == 0
    for table in local.tables:
        with (tmp_path / "out" / table.name).open(encoding="utf-8", newline="") as stream:
            assert list(csv.DictReader(stream, delimiter="|")) == table.records()
    assert killed == workers[:1]
    assert remote.tables == local.tables
    assert remote.problems == local.problems
