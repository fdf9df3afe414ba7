"""Jobs: one running and one waiting per lane, answers on one thread, errors once."""

from __future__ import annotations

import gc
import threading
import time
import weakref
from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray

from forensicviewer.app.runtime.jobs import (
    InlineExecutor,
    Lane,
    Portion,
    Priority,
    Ticket,
    inline_jobs,
)
from forensicviewer.core.problem import ForensicViewerError
from tests.hall import Hall

TRIAL = Lane("trial", Priority.WITH_PAGE)
VIDEO, EXPORT, OPEN = Lane("video"), Lane("export"), Lane("open", is_far=True)
PREFETCH, WARM = Lane("prefetch", Priority.AHEAD), Lane("warm", Priority.IDLE)
BATCH = Lane("batch", Priority.BULK)


@pytest.fixture
def hall() -> Hall:
    return Hall()


@pytest.fixture
def unsearched_garbage() -> Iterator[None]:
    """Nothing is freed but what nobody refers to."""
    gc.disable()
    yield
    gc.enable()


def test_an_answer_arrives_on_the_thread_that_fetches_it(hall: Hall) -> None:
    seen: list[tuple[int, threading.Thread]] = []

    hall.jobs.submit(TRIAL, lambda: 42, lambda n: seen.append((n, threading.current_thread())))
    hall.fetch()
    hall.jobs.close()

    assert seen == [(42, threading.current_thread())]


@pytest.mark.usefixtures("unsearched_garbage")
def test_an_answer_is_freed_with_whoever_holds_it(hall: Hall) -> None:
    held: list[NDArray[np.uint8]] = []
    hall.jobs.submit(TRIAL, lambda: np.zeros(4, np.uint8), held.append)
    hall.fetch()
    hall.jobs.close()
    answer = weakref.ref(held[0])

    held.clear()

    assert answer() is None


def test_a_newer_job_replaces_the_waiting_one(hall: Hall) -> None:
    gate, done = threading.Event(), []
    hall.jobs.submit(TRIAL, gate.wait, lambda _: done.append("first"))

    hall.jobs.submit(TRIAL, lambda: "second", done.append)
    hall.jobs.submit(TRIAL, lambda: "third", done.append)
    assert [job.is_running for job in hall.jobs.statuses()] == [True, False]
    gate.set()
    hall.fetch()
    hall.fetch()
    hall.jobs.close()

    assert done == ["first", "third"]


def test_a_running_job_can_see_that_a_newer_one_waits(hall: Hall) -> None:
    gate = threading.Event()
    seen: list[bool] = []

    def work(ticket: Ticket) -> bool:
        gate.wait(10)
        return ticket.is_outdated

    hall.jobs.submit_long(VIDEO, work, seen.append)
    hall.jobs.submit(VIDEO, lambda: None, lambda _: None)
    gate.set()
    hall.fetch()
    hall.jobs.close()

    assert seen == [True]


def test_lanes_do_not_wait_for_each_other(hall: Hall) -> None:
    gate, done = threading.Event(), []
    hall.jobs.submit(TRIAL, gate.wait, lambda _: done.append("trial"))

    hall.jobs.submit(EXPORT, lambda: "picture", done.append)
    hall.fetch()
    gate.set()
    hall.fetch()
    hall.jobs.close()

    assert done == ["picture", "trial"]


def test_a_cancelled_job_stops_at_its_next_report_and_never_answers(hall: Hall) -> None:
    started, gate = threading.Event(), threading.Event()
    done: list[str] = []

    def work(ticket: Ticket) -> str:
        started.set()
        gate.wait()
        ticket.report(1, 2)
        return "finished"

    hall.jobs.submit_long(EXPORT, work, done.append, title="Exporting")
    assert started.wait(10)
    hall.jobs.cancel(EXPORT)
    gate.set()
    hall.fetch()
    hall.jobs.close()

    assert done == []
    assert hall.errors == []


def test_whoever_waits_is_told_when_a_user_calls_the_work_off(hall: Hall) -> None:
    gate, told = threading.Event(), list[str]()
    hall.jobs.submit(TRIAL, gate.wait, lambda _: None, on_cancel=lambda: told.append("first"))
    hall.jobs.submit(TRIAL, lambda: "x", told.append, on_cancel=lambda: told.append("second"))

    hall.jobs.call_off(TRIAL)
    gate.set()
    hall.settle()
    hall.jobs.call_off(TRIAL)
    hall.jobs.close()

    assert told == ["first", "second"]


def test_whoever_cancels_their_own_work_is_not_told(hall: Hall) -> None:
    gate, told = threading.Event(), list[str]()
    hall.jobs.submit(TRIAL, gate.wait, lambda _: None, on_cancel=lambda: told.append("x"))

    hall.jobs.cancel(TRIAL)
    gate.set()
    hall.settle()
    hall.jobs.close()

    assert told == []


def test_a_cancelled_opening_that_hangs_lets_the_next_begin_and_the_program_end(
    hall: Hall,
) -> None:
    never, done = threading.Event(), []
    hall.jobs.submit(OPEN, never.wait, lambda _: done.append("far away"))

    hall.jobs.cancel(OPEN)
    assert not hall.jobs.is_busy()
    hall.jobs.submit(OPEN, lambda: "near", done.append)
    hall.fetch()
    hall.jobs.submit(EXPORT, lambda: "written", done.append)
    hall.jobs.close()
    never.set()

    assert done == ["near"]
    assert hall.errors == []


def test_progress_can_be_read_while_a_job_runs(hall: Hall) -> None:
    started, gate = threading.Event(), threading.Event()

    def work(ticket: Ticket) -> None:
        ticket.report(3, 10)
        started.set()
        gate.wait()

    hall.jobs.submit_long(EXPORT, work, lambda _: None, title="Exporting")
    assert started.wait(10)
    (status,) = hall.jobs.statuses()
    gate.set()
    hall.fetch()
    hall.jobs.close()

    assert (status.title, status.done, status.total) == ("Exporting", 3, 10)


def test_an_error_is_told_once_and_the_lane_goes_on(hall: Hall) -> None:
    def fail() -> str:
        raise ForensicViewerError("broken")

    done: list[str] = []
    hall.jobs.submit(TRIAL, fail, done.append)
    hall.fetch()
    hall.jobs.submit(TRIAL, lambda: "next", done.append)
    hall.fetch()
    hall.jobs.close()

    assert [str(error) for error in hall.errors] == ["broken"]
    assert done == ["next"]


def test_a_job_may_handle_its_own_error() -> None:
    caught: list[BaseException] = []

    inline_jobs().submit(TRIAL, lambda: 1 // 0, lambda _: None, on_error=caught.append)

    assert [type(error) for error in caught] == [ZeroDivisionError]


def test_closing_forgets_what_waits_and_takes_nothing_more(hall: Hall) -> None:
    gate, done = threading.Event(), []
    hall.jobs.submit(TRIAL, gate.wait, lambda _: done.append("first"))
    hall.jobs.submit(TRIAL, lambda: "second", done.append)
    threading.Timer(0.01, gate.set).start()

    hall.jobs.close()
    hall.jobs.submit(TRIAL, lambda: "third", done.append)
    hall.fetch()

    assert done == []
    assert not hall.jobs.is_busy()


def test_watchers_hear_of_starts_and_ends_until_they_stop() -> None:
    jobs, heard = inline_jobs(), []
    stop = jobs.watch(lambda: heard.append(jobs.is_busy()))

    jobs.submit(TRIAL, lambda: 1, lambda _: None)
    stop()
    jobs.submit(TRIAL, lambda: 1, lambda _: None)

    assert heard == [True, False]


def test_inline_jobs_are_done_when_submitted_and_raise_what_goes_wrong() -> None:
    done: list[int] = []
    jobs = inline_jobs()

    jobs.submit(TRIAL, lambda: 7, done.append)

    assert done == [7]
    assert not jobs.is_busy(TRIAL)
    with pytest.raises(ZeroDivisionError):
        jobs.submit(TRIAL, lambda: 1 // 0, lambda _: None)


def test_an_answer_may_submit_to_its_own_lane() -> None:
    jobs, done = inline_jobs(), []

    def again(number: int) -> None:
        done.append(number)
        if number < 3:
            jobs.submit(TRIAL, lambda: number + 1, again)

    jobs.submit(TRIAL, lambda: 1, again)

    assert done == [1, 2, 3]


def test_an_inline_future_carries_errors() -> None:
    future = InlineExecutor().submit(lambda: 1 // 0)

    assert isinstance(future.exception(), ZeroDivisionError)


def test_lanes_nobody_waits_for_share_one_turn_in_the_order_of_their_priority(hall: Hall) -> None:
    gate, done = threading.Event(), []
    hall.jobs.submit(BATCH, gate.wait, lambda _: done.append("scoring"))
    hall.fetch()
    hall.jobs.submit(WARM, lambda: "imports", done.append)
    hall.jobs.submit(PREFETCH, lambda: "next trial", done.append)
    for _ in range(2):
        hall.fetch()

    hall.jobs.submit(TRIAL, lambda: "trial", done.append)
    hall.fetch()
    assert done == ["trial"]
    gate.set()
    for _ in range(3):
        hall.fetch()
    hall.jobs.close()

    assert done == ["trial", "scoring", "next trial", "imports"]


def test_of_two_quiet_lanes_of_one_priority_the_first_asked_begins(hall: Hall) -> None:
    first, second = Lane("first", Priority.DETAIL), Lane("second", Priority.DETAIL)
    done: list[str] = []
    hall.jobs.submit(first, lambda: "first", done.append)
    hall.jobs.submit(second, lambda: "second", done.append)
    hall.jobs.submit(first, lambda: "first, newer", done.append)
    hall.fetch_until(lambda: len(done) == 2)
    hall.jobs.close()

    assert done == ["first, newer", "second"]


def test_lanes_of_one_name_are_lanes_of_their_own(hall: Hall) -> None:
    gate, done = threading.Event(), []
    hall.jobs.submit(Lane("export"), gate.wait, lambda _: done.append("image"))
    hall.jobs.submit(Lane("export"), lambda: "session", done.append)
    hall.fetch()
    assert done == ["session"]
    gate.set()
    hall.fetch()
    hall.jobs.close()

    assert done == ["session", "image"]


def test_what_nobody_waits_for_begins_after_what_the_window_has_to_do_soon(hall: Hall) -> None:
    done: list[str] = []
    hall.jobs.submit(BATCH, lambda: "scored", done.append)
    hall.jobs.soon(lambda: done.append("panel made"))
    hall.jobs.soon(lambda: done.append("page made"))
    assert hall.jobs.is_busy()
    assert [job.is_running for job in hall.jobs.statuses()] == [False]

    for _ in range(5):
        hall.fetch()
    hall.jobs.close()

    assert done == ["panel made", "page made", "scored"]


def test_a_trial_is_read_once_its_page_is_made_and_before_what_nobody_waits_for(hall: Hall) -> None:
    done: list[str] = []
    hall.jobs.submit(BATCH, lambda: "scored", done.append)
    hall.jobs.soon(lambda: done.append("page made"))
    hall.jobs.submit(TRIAL, lambda: "an earlier trial", done.append)
    hall.jobs.submit(TRIAL, lambda: "trial", done.append)
    assert [job.is_running for job in hall.jobs.statuses()] == [False, False]

    for _ in range(8):
        hall.fetch()
        if len(done) == 3:
            break
    hall.jobs.close()

    assert done[0] == "page made"
    assert sorted(done[1:]) == ["scored", "trial"]


def test_what_is_done_soon_is_done_in_turns_of_its_own(hall: Hall) -> None:
    done: list[str] = []
    hall.jobs.soon(lambda: hall.jobs.soon(lambda: done.append("third")))
    hall.jobs.soon(lambda: done.append("second"))

    hall.fetch()
    assert done == []
    hall.fetch()
    assert done == ["second"]
    hall.fetch()
    hall.jobs.close()

    assert done == ["second", "third"]


def test_what_fails_soon_does_not_keep_back_what_follows(hall: Hall) -> None:
    done: list[str] = []
    hall.jobs.soon(lambda: done.append(str(1 // 0)))
    hall.jobs.soon(lambda: done.append("second"))

    with pytest.raises(ZeroDivisionError):
        hall.fetch()
    hall.fetch()
    hall.jobs.soon(lambda: done.append("third"))
    hall.jobs.close()
    hall.fetch()

    assert done == ["second"]


def test_inline_jobs_that_wait_for_a_page_are_each_done_once() -> None:
    jobs, done = inline_jobs(), list[str]()
    other = Lane("other", Priority.WITH_PAGE)

    def make_page() -> None:
        jobs.submit(TRIAL, lambda: "trial", done.append)
        jobs.submit(other, lambda: "other", done.append)

    jobs.soon(make_page)

    assert sorted(done) == ["other", "trial"]


def test_inline_jobs_do_at_once_what_is_to_be_done_soon() -> None:
    done: list[int] = []

    inline_jobs().soon(lambda: done.append(1))

    assert done == [1]


def test_portions_of_one_work_last_as_long_as_all_of_it(hall: Hall) -> None:
    gate = threading.Event()
    hall.jobs.submit_long(
        TRIAL,
        lambda _ticket: gate.wait(),
        lambda _: None,
        title="Scoring",
        portion=Portion(since_s=time.monotonic() - 60, done=3, total=9),
    )

    (status,) = hall.jobs.statuses()

    assert (status.done, status.total) == (3, 9)
    assert status.elapsed_s >= 60
    gate.set()
    hall.fetch()
    hall.jobs.close()
