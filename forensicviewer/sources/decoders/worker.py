"""The decoder's side: answers questions one after another until nobody is there to ask.

Here is the one place that may catch everything. What no decoder is known to raise is a mistake of
ours; it costs the asker one image and is reported with its traceback.
"""

from __future__ import annotations

import ctypes
import faulthandler
import json
import os
import pickle
import signal
import sys
import time
import traceback
from collections.abc import Mapping
from multiprocessing.reduction import send_handle
from pathlib import Path
from typing import Any

from forensicviewer.core.problem import ForensicViewerError
from forensicviewer.sources.decoders.answer_values import write_answer
from forensicviewer.sources.decoders.channel import (
    HANDS_OVER,
    enter_decoder,
    open_channel,
    receive_files,
)
from forensicviewer.sources.decoders.limits import is_out_of_memory, limit_memory
from forensicviewer.sources.decoders.lock import lock_in
from forensicviewer.sources.decoders.messages import (
    CallMessage,
    CallUnpickler,
    Channel,
    plain_failure,
)
from forensicviewer.sources.decoders.shared_buffer import BufferWriter
from forensicviewer.sources.files.media_file import Handed, hand_over, take_back

_ALIVE_S = 0.25
_PROGRESS_S = 0.05
_TRIMMED_BYTES = 16 << 20
_SET_SIGNAL = 10  # F_SETSIG


def run(handle: int, *, memory_mb: int, niceness: int) -> None:
    """Be a decoder. Everything it will ever need must have been imported."""
    channel = open_channel(handle)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for whoever asks
    _end_with_asker()
    if hasattr(os, "nice"):
        os.nice(niceness)
    last_words = _keep_quiet()
    limit_memory(memory_mb)
    lock = lock_in()
    enter_decoder()
    if HANDS_OVER:
        hand_over({})
    channel.send_bytes(json.dumps({"ready": lock.name}).encode())
    try:
        _Decoder(channel).serve()
    except BaseException:  # noqa: BLE001 - nobody above hears it
        os.write(last_words, traceback.format_exc().encode())
    # Not by way of taking every library apart, which takes long and may crash.
    os._exit(0)


def _end_with_asker() -> None:
    """Have the kernel end this process with the one that started it, even in a stuck call.

    Its standard input is a pipe nobody writes to: only its end can be heard.
    """
    if sys.platform == "linux":
        import fcntl  # not on Windows

        fcntl.fcntl(0, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(0, _SET_SIGNAL, signal.SIGKILL)
        fcntl.fcntl(0, fcntl.F_SETFL, fcntl.fcntl(0, fcntl.F_GETFL) | os.O_ASYNC)


def _keep_quiet() -> int:
    """Let libraries talk to nobody; returns where last words are kept for the asker."""
    last_words = os.dup(2)
    faulthandler.enable(last_words)
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    os.close(nowhere)
    return last_words


class _Decoder:
    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._buffer = BufferWriter()
        self._kept: dict[int, tuple[Any, Mapping[Path, Handed]]] = {}
        self._is_called_off = False
        self._told_s = 0.0

    def serve(self) -> None:
        try:
            while True:
                question = self._read_question()
                if question.call is not None or question.forget is not None:
                    self._send(self._answer(question))
                else:
                    self._buffer.give_back()
        except (EOFError, BrokenPipeError, ConnectionResetError):
            return

    def _read_question(self) -> CallMessage:
        self._is_called_off = False
        question: CallMessage = pickle.loads(self._channel.recv_bytes())
        self._told_s = time.monotonic()
        return question

    def _answer(self, question: CallMessage) -> dict[str, Any]:
        try:
            plain, arrays = write_answer(self._call(question))
            places, is_new = self._buffer.write(arrays)
        except BaseException as error:  # noqa: BLE001 - the one decode boundary
            return _describe(error)
        where = [[place.dtype, place.shape, place.offset] for place in places]
        return {
            "answer": plain,
            "places": where,
            "buffer": self._buffer.byte_count if is_new else 0,
            "name": self._buffer.handle if isinstance(self._buffer.handle, str) else "",
        }

    def _send(self, answer: dict[str, Any]) -> None:
        self._channel.send_bytes(json.dumps(answer).encode())
        handle = self._buffer.handle
        if answer.get("buffer") and isinstance(handle, int):
            send_handle(self._channel, handle, os.getppid())
        if self._buffer.byte_count > _TRIMMED_BYTES and sys.platform == "linux":
            # The allocator would keep what a large image needed for ever.
            ctypes.CDLL(None).malloc_trim(0)

    def _call(self, question: CallMessage) -> object:
        if question.forget is not None:
            self._forget(question.forget)
            return None
        files = self._receive(question)
        is_kept = False
        try:
            assert question.call is not None
            reading = CallUnpickler(
                question.call, is_called_off=self._look, progress=self._tell_progress
            )
            function, arguments, keywords = reading.load()
            if question.of is not None:
                arguments = (self._kept[question.of][0], *arguments)
            found = function(*arguments, **keywords)
            if question.keep_as is None:
                return found
            self._kept[question.keep_as] = found, files
            is_kept = True
            return None
        finally:
            if not is_kept:
                _let_go(files)

    def _receive(self, question: CallMessage) -> Mapping[Path, Handed]:
        sent = sum(failure is None for _, failure in question.files)
        handles = iter(receive_files(self._channel, sent))
        files: dict[Path, Handed] = {
            path: next(handles) if failure is None else failure.as_error()
            for path, failure in question.files
        }
        if files:
            hand_over(files)
        return files

    def _forget(self, number: int) -> None:
        kept, files = self._kept.pop(number)
        try:
            kept.close()
        finally:
            _let_go(files)

    def _look(self) -> bool:
        """Whether the answer is not wanted any more; also a sign of life."""
        if not self._is_called_off and self._channel.poll(0):
            # Nothing else is sent before the answer.
            self._channel.recv_bytes()
            self._is_called_off = True
        self._tell({"alive": True}, every_s=_ALIVE_S)
        return self._is_called_off

    def _tell_progress(self, done: int, total: int) -> None:
        self._tell({"progress": [done, total]}, every_s=_PROGRESS_S)

    def _tell(self, message: dict[str, Any], *, every_s: float) -> None:
        now_s = time.monotonic()
        if now_s - self._told_s > every_s:
            self._told_s = now_s
            self._channel.send_bytes(json.dumps(message).encode())


def _let_go(files: Mapping[Path, Handed]) -> None:
    if files:
        take_back(files)


def _describe(error: BaseException) -> dict[str, Any]:
    if is_out_of_memory(error):
        return {"memory": True}
    if isinstance(error, ForensicViewerError):
        return {"failure": plain_failure(error)}
    return {"internal": "".join(traceback.format_exception(error))}
