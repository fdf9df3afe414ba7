"""The asker's side of one decoder: starts it, asks it, and ends it when it does not answer."""

from __future__ import annotations

import contextlib
import inspect
import io
import json
import logging
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from multiprocessing.reduction import recv_handle
from pathlib import Path
from typing import IO, Any, Generic, TypeVar, get_type_hints

from numpy.typing import NDArray

from forensicviewer.core.problem import CodecError, ForensicViewerError
from forensicviewer.core.progress import Progress
from forensicviewer.sources.decoders import channel
from forensicviewer.sources.decoders.answer_values import read_answer
from forensicviewer.sources.decoders.limits import Limits
from forensicviewer.sources.decoders.lock import Lock
from forensicviewer.sources.decoders.messages import (
    LARGEST_ANSWER,
    CallMessage,
    CallPickler,
    Failure,
    read_failure,
)
from forensicviewer.sources.decoders.shared_buffer import ArraySlot, BufferReader
from forensicviewer.sources.files.dataclass_json import from_json_value
from forensicviewer.sources.files.deadline import CalledOffError, Deadline
from forensicviewer.sources.files.media_file import open_media

AskedT = TypeVar("AskedT")
Returned = TypeVar("Returned")

TOO_SLOW = "decoder.too-slow"  # the rule of a file that a decoder was ended for
_DIED, _UNAVAILABLE = "decoder.died", "decoder.unavailable"
# The file may not be to blame: read once more, it may well be fine.
PASSING = frozenset({_DIED, _UNAVAILABLE})
_LOG = logging.getLogger(__name__)
_START_S = 120.0
_LOOK_S = 0.02
_GRACE_S = 2.0  # for a call nobody waits for any more
_LAST_WORDS = 16_000
# The module that imports every decoder there is, and then serves.
_PROGRAM = "import sys; sys.path[:] = sys.argv[5:]; from forensicviewer import decoder_worker; "
_PROGRAM += "decoder_worker.main(sys.argv[1:5])"
FROZEN_ARGUMENT = "decoder-process"


class DecoderGoneError(CodecError):
    """The decoder ended, or had to be ended, before it answered."""


class NotAskedError(Exception):
    """The decoder had ended before it was asked anything."""


@dataclass(frozen=True, slots=True)
class Call(Generic[Returned]):
    """What to call in a decoder: a function by name, with values that pickle.

    ``returns`` is the type its answer must have.
    """

    function: Callable[..., Returned]
    arguments: tuple[Any, ...]
    keywords: Mapping[str, Any]
    returns: type[Returned]

    @classmethod
    def of(
        cls, function: Callable[..., Returned], *arguments: Any, **keywords: Any
    ) -> Call[Returned]:
        return cls(function, arguments, keywords, _returned_by(function))


@cache
def _returned_by(function: Callable[..., Any]) -> Any:
    return get_type_hints(inspect.unwrap(function))["return"]


class DecoderProcess:
    """One decoder. One thread asks at a time."""

    def __init__(self, limits: Limits, *, niceness: int = 0, modules: Sequence[str] = ()) -> None:
        self.limits = limits
        self.lock: Lock | None = None  # known once it has begun
        self._reader = BufferReader()
        self._errors = _unnamed_file()
        self._last_words = ""
        self._channel, theirs = channel.make_channel()
        try:
            about = [str(theirs.fileno()), str(limits.memory_mb), str(niceness), ",".join(modules)]
            self._process = _start(about, theirs.fileno(), errors=self._errors)
        finally:
            theirs.close()
        self._started_s = time.monotonic()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    def ask(self, call: Call[Returned], *, of: int | None = None) -> Returned:
        """What the call returns; raises what it raised, in the user's words.

        ``of`` is the kept object whose method it calls.
        """
        return self._ask(call, CallMessage(of=of), call.returns)

    def keep(self, call: Call[object], number: int) -> None:
        """Keep what the call returns by a number."""
        self._ask(call, CallMessage(keep_as=number), type(None))

    def _ask(self, call: Call[Any], question: CallMessage, returns: type[AskedT]) -> AskedT:
        stream = io.BytesIO()
        pickler = CallPickler(stream)
        pickler.dump((call.function, call.arguments, dict(call.keywords)))
        where = next(iter(pickler.paths), "")
        if pickler.deadline is not None:
            pickler.deadline.check(where=where)
        self._send(replace(question, call=stream.getvalue()), pickler)
        waiting = _Waiting(self, pickler.deadline, pickler.progress, where)
        try:
            message = waiting.answer()
            if "answer" in message:
                found = read_answer(returns, message["answer"], self._arrays(message))
                waiting.check()
                return found
        except (EOFError, OSError) as error:
            raise self._gone(where) from error
        except (KeyError, TypeError, ValueError) as error:
            # Not what a decoder of ours says: it is not one any more.
            self.kill()
            raise self._gone(where) from error
        except BaseException:
            # It may still have something to say that nobody waits for.
            self.kill()
            raise
        raise waiting.failure(message)

    def forget(self, number: int) -> None:
        """Have a kept object closed. Who cannot do that soon is stuck, and is ended.

        Without that, the next file would wait for it, and be blamed.
        """
        try:
            self.tell(CallMessage(forget=number))
            end_s = time.monotonic() + _GRACE_S
            while (left_s := end_s - time.monotonic()) > 0:
                if "answer" in (self.listen(left_s) or {}):
                    return
        except (EOFError, OSError, TypeError, ValueError):
            pass
        self.kill()

    def signal_end(self) -> None:
        """Have it end at once; returns without waiting for that."""
        self._process.kill()

    def kill(self) -> None:
        """End it at once, whatever it does."""
        self._process.kill()
        self.close()

    def close(self) -> None:
        """End it in order: it leaves when nobody is there to ask."""
        self._channel.close()
        self._reader.close()
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            self._process.wait(_GRACE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if not self._errors.closed:
            self._errors.seek(0)
            self._last_words = self._errors.read(_LAST_WORDS).decode("utf-8", "replace")
            self._errors.close()

    def tell(self, question: CallMessage) -> None:
        self._channel.send_bytes(pickle.dumps(question))

    def listen(self, seconds: float) -> dict[str, Any] | None:
        """The next message, if one comes in time."""
        if not self._channel.poll(seconds):
            return None
        message = json.loads(self._channel.recv_bytes(LARGEST_ANSWER))
        if not isinstance(message, dict):
            raise TypeError("not a message")
        if "ready" in message:
            self.lock = Lock[str(message["ready"])]
        return message

    @property
    def patience_s(self) -> float:
        """How long it may be silent."""
        return self.limits.seconds if self.lock is not None else _START_S

    def _send(self, question: CallMessage, pickler: CallPickler) -> None:
        with contextlib.ExitStack() as opened:
            files: list[tuple[Path, Failure | None]] = []
            handles: list[int] = []
            for path in pickler.paths if channel.HANDS_OVER else ():
                try:
                    handles.append(opened.enter_context(open_media(path)).fileno())
                except ForensicViewerError as error:
                    files.append((path, Failure.of(error)))
                else:
                    files.append((path, None))
            try:
                self.tell(replace(question, files=tuple(files)))
                channel.send_files(self._channel, handles)
            except OSError as error:
                raise NotAskedError from error
            except BaseException:
                # It waits for the rest of a question and would take the next one for it.
                self.kill()
                raise

    def _arrays(self, answer: Mapping[str, Any]) -> Sequence[NDArray[Any]]:
        if answer["buffer"]:
            handle = answer["name"] or recv_handle(self._channel)
            self._reader.open(handle, from_json_value(int, answer["buffer"]))
        places = from_json_value(tuple[tuple[str, tuple[int, ...], int], ...], answer["places"])
        found = self._reader.read([ArraySlot(*place) for place in places])
        if self._reader.is_large:
            self._reader.close()
            self.tell(CallMessage())
        return found

    def _gone(self, where: object) -> DecoderGoneError:
        self.close()
        how = _end_of(self._process.returncode)
        words = self._last_words
        if self.lock is None:
            return DecoderGoneError(
                "The decoder process cannot be started",
                where=where,
                hint=words.strip().rpartition("\n")[2] or how,
                rule=_UNAVAILABLE,
            )
        if words:
            _LOG.warning("The decoder ended while reading %s: %s\n%s", where, how, words)
        return DecoderGoneError(
            f"The decoder ended while reading the file: {how}",
            where=where,
            hint="the file is probably damaged; the program continues",
            rule=_DIED,
        )


class _Waiting:
    """Waits for one answer: passes progress on, calls the work off, gives up in the end."""

    def __init__(
        self,
        process: DecoderProcess,
        deadline: Deadline | None,
        progress: Progress | None,
        where: object,
    ) -> None:
        self._process = process
        self._deadline = deadline
        self._progress = progress
        self._where = where
        self._heard_s = time.monotonic()
        self._called_off_s: float | None = None
        self._refusal: BaseException | None = None

    def answer(self) -> dict[str, Any]:
        while True:
            patience_s = self._process.patience_s - (time.monotonic() - self._heard_s)
            if patience_s <= 0:
                raise self._ended_too_slow()
            message = self._process.listen(min(patience_s, _LOOK_S if self._looks else patience_s))
            if message is not None:
                self._heard_s = time.monotonic()
                if not self._is_passing(message):
                    return message
            self._look()

    @property
    def _looks(self) -> bool:
        return self._deadline is not None or self._called_off_s is not None

    def _is_passing(self, message: Mapping[str, Any]) -> bool:
        """Whether the message only says that there is an answer to wait for."""
        if "progress" in message:
            done, total = from_json_value(tuple[int, int], message["progress"])
            try:
                if self._progress is not None:
                    self._progress(done, total)
            except ForensicViewerError as error:
                self._refusal = self._refusal or error
                self._call_off()
            return True
        return "alive" in message or "ready" in message

    def _look(self) -> None:
        if self._called_off_s is None:
            if self._deadline is not None and self._deadline.is_called_off():
                self._call_off()
        elif time.monotonic() - self._called_off_s > _GRACE_S:
            self._process.kill()
            raise self._refusal or CalledOffError("The work was cancelled", where=self._where)

    def _call_off(self) -> None:
        if self._called_off_s is None:
            self._called_off_s = time.monotonic()
            self._process.tell(CallMessage())

    def check(self) -> None:
        """Raise what the asker said of the progress, if it wanted no answer."""
        if self._refusal is not None:
            raise self._refusal

    def failure(self, message: Mapping[str, Any]) -> BaseException:
        """What to raise after an answer that is none."""
        if self._refusal is not None:
            return self._refusal
        if "failure" in message:
            return read_failure(message["failure"])
        limits = self._process.limits
        if "memory" in message:
            return CodecError(
                f"Decoding needs more memory than the limit of {limits.memory_mb} MB",
                where=self._where,
                hint="the file is damaged or very large; raise the limit if it is not damaged",
                rule="decoder.memory",
            )
        _LOG.error("Internal error while decoding %s\n%s", self._where, message.get("internal"))
        return CodecError(
            "Internal error while decoding",
            where=self._where,
            hint="this is a bug; please report it with the file and the log (Help ▸ Log)",
            rule="decoder.internal",
        )

    def _ended_too_slow(self) -> DecoderGoneError:
        self._process.kill()
        return DecoderGoneError(
            f"Decoding took longer than {self._process.patience_s:g} s and was stopped",
            where=self._where,
            hint="the file is damaged or very large; raise the limit if it is not damaged",
            rule=TOO_SLOW,
        )


def _start(about: list[str], handle: int, *, errors: IO[bytes]) -> subprocess.Popen[bytes]:
    if getattr(sys, "frozen", False):
        command = [sys.executable, FROZEN_ARGUMENT, *about]
    else:
        # Isolated, so that nothing but our own path decides what is imported.
        path = [entry or str(Path.cwd()) for entry in sys.path]
        command = [sys.executable, "-I", "-c", _PROGRAM, *about, *path]
    options: dict[str, Any] = {}
    if sys.platform == "win32":
        os.set_handle_inheritable(handle, True)  # noqa: FBT003 - its parameters have no names
        startup = subprocess.STARTUPINFO()
        startup.lpAttributeList = {"handle_list": [handle]}
        options["startupinfo"] = startup
    else:
        options["pass_fds"] = [handle]
    # Threads of libraries nobody asked for would not be under the lock.
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    return subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=errors,
        env=environment,
        **options,
    )


def _unnamed_file() -> IO[bytes]:
    if sys.platform == "linux":
        return os.fdopen(os.memfd_create("last-words", os.MFD_CLOEXEC), "w+b")
    return tempfile.TemporaryFile()


def _end_of(code: int) -> str:
    """How a process ended, in words."""
    if code == -9:
        return "it was killed; the machine may have run out of memory"
    if code < 0:
        with contextlib.suppress(ValueError):
            return f"it crashed ({signal.Signals(-code).name})"
    return f"exit code {code}"
