"""Decoders that answer, fail, hang and die, and askers that go on."""

import colorsys
import copyreg
import gc
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from forensicviewer.core.problem import CodecError, ForensicViewerError
from forensicviewer.sources.decoders.door import KeptApart
from forensicviewer.sources.decoders.limits import Limits
from forensicviewer.sources.decoders.messages import ProgressOf
from forensicviewer.sources.decoders.pool import DecoderPool
from forensicviewer.sources.files.deadline import CalledOffError, Deadline
from tests.sources.decoders import decoder_deeds as deeds

pytestmark = pytest.mark.usefixtures("pool")


def _wait_until(is_so: Callable[[], bool], *, seconds: float = 20.0) -> None:
    end_s = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end_s
        time.sleep(0.01)


def _is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def test_a_function_runs_in_another_process_and_answers_here(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"some bytes")

    assert deeds.process_number() not in (0, os.getpid())
    assert deeds.read_bytes(tmp_path / "file") == b"some bytes"
    np.testing.assert_array_equal(deeds.draw(2, 3, 7), np.full((2, 3, 3), 7, np.uint8))


def test_pixels_of_every_size_arrive_one_after_another() -> None:
    for height, width in ((1, 1), (3000, 4000), (10, 10), (9000, 6000), (9000, 6000), (5, 5)):
        found = deeds.draw(height, width, height % 251)

        assert found.shape == (height, width, 3)
        assert found.flags.writeable
        assert {int(found[0, 0, 0]), int(found[-1, -1, 2])} == {height % 251}


def test_an_array_that_arrived_stays_as_it_is() -> None:
    first = deeds.draw(20, 20, 1)

    deeds.draw(20, 20, 2)

    assert (first == 1).all()


def test_an_expected_failure_comes_home_whole(tmp_path: Path) -> None:
    with pytest.raises(CodecError) as raised:
        deeds.refuse(tmp_path / "sky")

    problem = raised.value.as_problem()
    assert (problem.message, problem.hint, problem.rule) == (
        "The file is blue",
        "paint it",
        "test.blue",
    )
    assert problem.where == str(tmp_path / "sky")


def test_a_missing_file_is_told_as_ever(tmp_path: Path) -> None:
    with pytest.raises(CodecError, match="The file does not exist"):
        deeds.read_bytes(tmp_path / "none")


def test_libraries_that_pickle_errors_their_own_way_do_no_harm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As Dask does; a decoder cannot import what would be needed to read them.
    monkeypatch.setitem(
        copyreg.dispatch_table, CodecError, lambda _: (colorsys.rgb_to_hls, (0, 0, 0))
    )

    with pytest.raises(CodecError, match="The file does not exist"):
        deeds.read_bytes(tmp_path / "none")


@pytest.mark.parametrize("mistake", [deeds.make_mistake, deeds.leave])
def test_a_mistake_is_told_as_one_with_its_traceback_in_the_log(
    caplog: pytest.LogCaptureFixture, mistake: Callable[[], None]
) -> None:
    number = deeds.process_number()

    with pytest.raises(CodecError, match=r"^Internal error while decoding") as raised:
        mistake()

    assert raised.value.rule == "decoder.internal"
    (record,) = caplog.records
    assert "Traceback" in record.getMessage()
    assert "decoder_deeds.py" in record.getMessage()
    assert deeds.process_number() == number
    caplog.clear()


def test_a_crash_costs_one_answer_and_is_told(caplog: pytest.LogCaptureFixture) -> None:
    before = deeds.process_number()

    with pytest.raises(CodecError, match="SIGSEGV") as raised:
        deeds.crash()

    assert raised.value.rule == "decoder.died"
    assert "crash" in caplog.records[0].getMessage()
    assert deeds.process_number() != before
    caplog.clear()


def test_a_decoder_that_is_killed_at_work_costs_one_answer(pool: DecoderPool) -> None:
    pid = deeds.process_number()
    killing = threading.Timer(0.2, os.kill, (pid, signal.SIGKILL))
    killing.start()

    with pytest.raises(CodecError, match="it was killed"):
        deeds.loop_for_ever()

    killing.join()
    assert deeds.process_number() != pid
    assert pid not in pool.pids


def test_a_decoder_that_is_killed_at_rest_costs_nothing() -> None:
    pid = deeds.process_number()
    os.kill(pid, signal.SIGKILL)
    _wait_until(lambda: not _is_running(pid))

    assert deeds.process_number() != pid


@pytest.mark.parametrize("hang", [deeds.loop_for_ever, None], ids=["loops", "stands still"])
def test_a_decoder_that_hangs_is_ended(
    pool: DecoderPool, monkeypatch: pytest.MonkeyPatch, hang: Callable[[], None] | None
) -> None:
    pid = deeds.process_number()
    monkeypatch.setattr(pool._idle[0], "limits", Limits(memory_mb=1024, seconds=0.5))
    if hang is None:
        os.kill(pid, signal.SIGSTOP)

    with pytest.raises(CodecError, match=r"^Decoding took longer than 0.5 s") as raised:
        (hang or deeds.process_number)()

    assert raised.value.rule == "decoder.too-slow"
    assert not _is_running(pid)
    assert deeds.process_number() != pid


def test_memory_beyond_the_limit_is_refused_and_the_decoder_lives() -> None:
    pid = deeds.process_number()

    with pytest.raises(CodecError, match="more memory than the limit of 1024 MB") as raised:
        deeds.allocate(4)

    assert raised.value.rule == "decoder.memory"
    assert deeds.process_number() == pid


def test_new_limits_hold_for_the_next_file(pool: DecoderPool) -> None:
    before = pool.limits
    deeds.process_number()
    pool.limits = Limits(memory_mb=256)

    try:
        with pytest.raises(CodecError, match="256 MB"):
            deeds.draw(20_000, 20_000, 1)
    finally:
        pool.limits = before

    assert deeds.draw(10, 10, 1).shape == (10, 10, 3)


def test_long_work_tells_how_far_it_is_and_outlives_the_limit(
    pool: DecoderPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    deeds.process_number()
    monkeypatch.setattr(pool._idle[0], "limits", Limits(memory_mb=1024, seconds=0.6))
    seen: list[tuple[int, int]] = []

    done = deeds.work_on(
        60, deadline=Deadline(20), progress=ProgressOf(lambda *far: seen.append(far))
    )

    assert done == 60
    assert len(seen) > 5
    assert seen == sorted(seen)


def test_work_nobody_wants_any_more_is_called_off() -> None:
    pid = deeds.process_number()
    called_off = threading.Event()
    threading.Timer(0.2, called_off.set).start()
    deadline = Deadline(60, is_called_off=called_off.is_set)

    with pytest.raises(CalledOffError):
        deeds.work_on(10_000, deadline=deadline, progress=ProgressOf(lambda *_far: None))

    assert deeds.process_number() == pid


def test_progress_that_refuses_ends_the_work() -> None:
    def refuse(_done: int, _total: int) -> None:
        raise ForensicViewerError("nobody waits")

    with pytest.raises(ForensicViewerError, match="nobody waits"):
        deeds.work_on(10_000, deadline=Deadline(60), progress=ProgressOf(refuse))

    assert deeds.process_number()


def test_several_threads_share_the_decoders(pool: DecoderPool) -> None:
    with ThreadPoolExecutor(6) as threads:
        found = list(threads.map(lambda level: deeds.draw(50, 50, level), range(40)))
        numbers = set(threads.map(lambda _: deeds.process_number(), range(40)))

    assert [{*image.ravel().tolist()} for image in found] == [{level} for level in range(40)]
    assert len(numbers) == 1  # the pool of this test has one decoder
    assert numbers <= set(pool.pids)


@pytest.fixture
def book_file(tmp_path: Path) -> Path:
    (tmp_path / "book").write_bytes(b"one two six ")
    return tmp_path / "book"


def test_a_kept_object_stays_in_one_process(book_file: Path) -> None:
    book = KeptApart(partial(deeds.Book, book_file))
    other = KeptApart(partial(deeds.Book, book_file))

    try:
        assert book.ask(deeds.Book.page, 2) == deeds.Page(2, "six ")
        numbers = {kept.ask(deeds.Book.process_number) for kept in (book, other, book, other)}
        assert len(numbers | {deeds.process_number()}) == 3
    finally:
        book.close()
        other.close()


def test_an_object_whose_decoder_died_is_made_anew(
    book_file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    book = KeptApart(partial(deeds.Book, book_file))
    try:
        book.tell(deeds.Book.put_ribbon, 7)

        with pytest.raises(CodecError, match="SIGSEGV"):
            book.ask(deeds.Book.burn)

        assert book.ask(deeds.Book.page, 0).words == "one "
        assert book.ask(deeds.Book.ribbon) == 7
        pid = book.ask(deeds.Book.process_number)
        os.kill(pid, signal.SIGKILL)
        _wait_until(lambda: not _is_running(pid))
        assert book.ask(deeds.Book.page, 1).words == "two "
    finally:
        book.close()
        caplog.clear()


def test_an_object_is_kept_while_every_decoder_is_at_work(book_file: Path) -> None:
    """The pool of this test has one decoder."""
    may_end = threading.Event()
    deadline = Deadline(600, is_called_off=may_end.is_set)
    telling = ProgressOf(lambda *_far: None)
    with ThreadPoolExecutor(1) as thread:
        working = thread.submit(deeds.work_on, 100_000, deadline=deadline, progress=telling)
        book = KeptApart(partial(deeds.Book, book_file))
        words = book.ask(deeds.Book.page, 1).words
        was_at_work = not working.done()
        book.close()
        may_end.set()
        assert isinstance(working.exception(), CalledOffError)

    assert (words, was_at_work) == ("two ", True)


def test_objects_kept_beside_each_other_share_a_process_and_outlive_it(
    book_file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    one = KeptApart(partial(deeds.Book, book_file))
    two = KeptApart(partial(deeds.Book, book_file), beside=one)
    shared = {kept.ask(deeds.Book.process_number) for kept in (one, two)}
    assert len(shared) == 1

    with pytest.raises(CodecError, match="SIGSEGV"):
        two.ask(deeds.Book.burn)

    assert one.ask(deeds.Book.page, 0).words == "one "
    assert {kept.ask(deeds.Book.process_number) for kept in (one, two)}.isdisjoint(shared)
    one.close()
    assert two.ask(deeds.Book.page, 1).words == "two "
    two.close()
    with pytest.raises(CodecError, match="has been closed"):
        two.ask(deeds.Book.page, 1)
    caplog.clear()


def test_an_object_that_does_not_close_costs_its_process_and_nobody_else(
    book_file: Path, pool: DecoderPool
) -> None:
    book = KeptApart(partial(deeds.Book, book_file))
    pid = book.ask(deeds.Book.process_number)
    book.ask(deeds.Book.jam)

    book.close()

    _wait_until(lambda: not _is_running(pid))
    assert pid not in pool.pids
    assert deeds.read_bytes(book_file) == b"one two six "


def test_an_object_dropped_unclosed_gives_its_process_up(book_file: Path) -> None:
    book = KeptApart(partial(deeds.Book, book_file))
    pid = book.ask(deeds.Book.process_number)

    del book
    gc.collect()

    _wait_until(lambda: not _is_running(pid))
    assert deeds.process_number() != pid


def test_an_object_that_cannot_be_made_is_told_and_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(CodecError, match="does not exist"):
        KeptApart(partial(deeds.Book, tmp_path / "none"))

    assert deeds.process_number()


def test_decoders_end_with_the_process_that_asked_even_when_stuck() -> None:
    program = (
        "import os, threading\n"
        "from forensicviewer.sources.decoders import pool\n"
        "from tests.sources.decoders import decoder_deeds as deeds\n"
        "pool.use_decoders(pool.DecoderPool(modules=['tests.sources.decoders.decoder_deeds']))\n"
        "print(deeds.process_number(), flush=True)\n"
        "threading.Timer(0.3, os._exit, (0,)).start()\n"
        "deeds.loop_for_ever()\n"
    )

    printed = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout

    decoder = int(printed)
    _wait_until(lambda: not _is_running(decoder))
    assert decoder not in (0, os.getpid())
    assert not _is_running(decoder)


def test_a_script_without_a_main_guard_decodes(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "from pathlib import Path\n"
        "from forensicviewer.sources.media.headers import read_header\n"
        "print('once')\n"
        "print(read_header(Path(__file__).with_name('x.gif')).format.value)\n",
        encoding="utf-8",
    )
    (tmp_path / "x.gif").write_bytes(b"GIF89a" + bytes([2, 0, 2, 0]) + bytes(60))

    printed = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, check=True
    )

    assert printed.stdout.split() == ["once", "GIF"]
    assert printed.stderr == ""


def test_a_forked_process_gets_decoders_of_its_own() -> None:
    program = (
        "import os\n"
        "from pathlib import Path\n"
        "from forensicviewer.core.problem import CodecError\n"
        "from forensicviewer.sources.decoders.pool import decoders\n"
        "from forensicviewer.sources.media.headers import read_header\n"
        "def use():\n"
        "    try:\n"
        "        read_header(Path('none'))\n"
        "    except CodecError:\n"
        "        print(*decoders().pids, flush=True)\n"
        "use()\n"
        "child = os.fork()\n"
        "use()\n"
        "if child:\n"
        "    os.waitpid(child, 0)\n"
    )

    printed = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout

    numbers = printed.split()
    assert len(numbers) == 3
    assert len(set(numbers)) == 2


def test_a_question_that_is_broken_off_does_not_spoil_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"some bytes")

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(socket, "send_fds", interrupt)
        with pytest.raises(KeyboardInterrupt):
            deeds.read_bytes(path)

    assert deeds.read_bytes(path) == b"some bytes"
