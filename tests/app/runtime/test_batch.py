"""Batches on every kind of executor: dying workers, interruptions, and a cluster."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from multiprocessing.connection import wait as wait_for
from pathlib import Path

import pytest

from forensicviewer.app.runtime.batch import (
    Crew,
    Done,
    cluster_crew,
    inline_crew,
    process_crew,
    run_batch,
)
from forensicviewer.app.runtime.jobs import InlineExecutor
from forensicviewer.core.problem import ForensicViewerError, UsageError


def double(numbers: Sequence[int]) -> list[int]:
    for number in numbers:
        if number < 0:
            raise ValueError(f"{number} is negative")
    return [2 * number for number in numbers]


def double_slowly(numbers: Sequence[int]) -> list[int]:
    time.sleep(0.11 * len(numbers))  # longer than a bundle is meant to take
    return double(numbers)


def double_or_die(numbers: Sequence[int]) -> list[int]:
    if 13 in numbers:
        os.kill(os.getpid(), signal.SIGKILL)
    return double(numbers)


def double_or_last_forever(numbers: Sequence[int]) -> list[int]:
    if 13 in numbers:
        signal.pause()
    return double(numbers)


def collected(
    work: object, jobs: list[int], crew: Crew
) -> tuple[dict[int, int | None], dict[int, str]]:
    found: list[Done[int, int]] = []
    assert callable(work)
    run_batch(work, jobs, crew, on_done=found.extend)
    return {one.job: one.answer for one in found}, {o.job: o.failure for o in found if o.failure}


def test_every_job_is_answered_inline() -> None:
    answers, failures = collected(double, [1, 2, 3], inline_crew())

    assert answers == {1: 2, 2: 4, 3: 6}
    assert failures == {}


def test_a_job_that_raises_fails_alone() -> None:
    answers, failures = collected(double, [1, -5, 3], inline_crew())

    assert answers == {1: 2, -5: None, 3: 6}
    assert failures == {-5: "-5 is negative"}


def test_one_that_raises_costs_no_other_job_of_its_bundle() -> None:
    jobs = [*range(1, 300), -5, *range(300, 400)]

    answers, failures = collected(double, jobs, inline_crew())

    assert answers == {job: None if job < 0 else 2 * job for job in jobs}
    assert failures == {-5: "-5 is negative"}


def test_a_worker_that_dies_costs_its_own_job_only() -> None:
    jobs = [10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20]

    answers, failures = collected(double_or_die, jobs, process_crew(2))

    assert answers == {job: None if job == 13 else 2 * job for job in jobs}
    assert failures == {13: "the worker process died while scoring it"}


def test_an_interruption_leaves_at_once_and_keeps_what_is_done() -> None:
    done: list[int] = []

    def stop_at_three(some: Sequence[Done[int, int]]) -> None:
        done.extend(one.job for one in some)
        if len(done) == 3:
            raise KeyboardInterrupt

    def endless() -> Iterator[int]:
        number = 0
        while True:
            yield number
            number += 1

    with pytest.raises(KeyboardInterrupt):
        run_batch(double, endless(), inline_crew(), on_done=stop_at_three)

    assert done == [0, 1, 2]


def test_an_interruption_does_not_wait_for_long_jobs() -> None:
    def stop(_: Sequence[Done[int, int]]) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_batch(double_or_last_forever, [13, 1], process_crew(2), on_done=stop)

    # Not Process.is_alive: the executor's thread may be just about to hear of the end.
    workers = multiprocessing.active_children()
    for worker in workers:
        assert wait_for([worker.sentinel], timeout=30)


def test_only_a_few_jobs_are_taken_ahead_of_the_answers() -> None:
    taken: list[int] = []

    def jobs() -> Iterator[int]:
        for number in range(100):
            taken.append(number)
            yield number

    ahead: list[int] = []
    crew = Crew(InlineExecutor, 2)

    run_batch(double, jobs(), crew, on_done=lambda some: ahead.append(len(taken) - some[0].job))

    # Bundles grow to what a tenth of a second holds, but no faster than the jobs turn out quick.
    assert ahead[0] <= 9
    assert max(ahead) < 100


def test_quick_jobs_travel_in_bundles_and_slow_ones_alone() -> None:
    sizes: list[int] = []
    crew = Crew(InlineExecutor, 2)

    run_batch(double, range(1000), crew, on_done=lambda some: sizes.append(len(some)))
    assert max(sizes) > 50
    assert sum(sizes) == 1000
    sizes.clear()
    run_batch(double_slowly, range(12), crew, on_done=lambda some: sizes.append(len(some)))
    assert max(sizes) == 1


def test_a_worker_that_dies_costs_no_other_job_of_its_bundle() -> None:
    jobs = [*range(100, 700), 13, *range(700, 1000)]

    answers, failures = collected(double_or_die, jobs, process_crew(2))

    assert answers == {job: None if job == 13 else 2 * job for job in jobs}
    assert failures == {13: "the worker process died while scoring it"}


def test_a_crew_needs_a_worker() -> None:
    with pytest.raises(UsageError, match="at least 1"):
        process_crew(-1)


def test_workers_do_not_run_the_script_that_started_them(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "from forensicviewer.app.runtime.batch import process_crew, run_batch\n"
        "print('begins', flush=True)\n"
        "run_batch(sorted, [4], process_crew(2), on_done=lambda done: print(done[0].answer))\n",
        encoding="utf-8",
    )

    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True)

    assert done.stdout.splitlines() == ["begins", "4"], done.stderr


def test_where_processes_cannot_share_locks_one_does_all() -> None:
    # Without a file left to open no lock is made, just as where /dev/shm is closed.
    program = (
        "import resource; from forensicviewer.app.runtime.batch import process_crew;"
        "_, most = resource.getrlimit(resource.RLIMIT_NOFILE);"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (0, most));"
        "print(process_crew(2).size)"
    )

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)

    assert done.stdout == "1\n", done.stderr


def test_a_scheduler_that_does_not_answer_is_told() -> None:
    with (
        pytest.raises(ForensicViewerError, match="does not respond"),
        cluster_crew("nowhere://x"),
    ):
        pytest.fail("there is no such cluster")
