"""The decoders of this process: a few that take turns, and those that keep a file open."""

from __future__ import annotations

import atexit
import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TypeVar

from forensicviewer.sources.decoders.limits import Limits
from forensicviewer.sources.decoders.lock import Lock
from forensicviewer.sources.decoders.process import Call, DecoderProcess, NotAskedError

Returned = TypeVar("Returned")


class DecoderPool:
    """Starts decoders when they are needed and replaces those that end.

    At most ``size`` of them take turns. One that keeps something open belongs to the code that
    took it and no longer counts; it counts again when it is given back.
    """

    def __init__(
        self,
        size: int = 1,
        *,
        limits: Limits | None = None,
        niceness: int = 0,
        modules: Sequence[str] = (),
    ) -> None:
        self._size = size
        self._limits = limits or Limits.from_environment()
        self._niceness = niceness
        self._modules = tuple(modules)
        self._changed = threading.Condition()
        self._idle: list[DecoderProcess] = []
        self._count = 0  # those that take turns, idle or not
        self._everyone: set[DecoderProcess] = set()
        self._dropped: list[DecoderProcess] = []
        self._is_closed = False

    @property
    def limits(self) -> Limits:
        return self._limits

    @limits.setter
    def limits(self, limits: Limits) -> None:
        """Have every decoder that begins something new keep these limits."""
        with self._changed:
            self._limits = limits
            for process in self._everyone:
                process.limits = replace(limits, memory_mb=process.limits.memory_mb)
            # How much memory it may take a decoder can only be told when it begins.
            for process in [each for each in self._idle if each.limits != limits]:
                self._idle.remove(process)
                self._end(process)
                self._count -= 1

    @property
    def pids(self) -> tuple[int, ...]:
        """The processes there are now."""
        with self._changed:
            return tuple(process.pid for process in self._everyone if process.is_alive)

    def start(self) -> None:
        """Start one more ahead of time, if there is room; returns at once."""
        with self._changed:
            if self._count < self._size and not self._is_closed:
                self._count += 1
                self._idle.append(self._started())

    def ask(self, call: Call[Returned]) -> Returned:
        """Have some decoder make the call; see :meth:`DecoderProcess.ask`."""
        while True:
            with self._turn() as process:
                try:
                    return process.ask(call)
                except NotAskedError:
                    # It had ended before; the call is not to blame.
                    process.kill()

    def lock(self) -> Lock:
        """How decoders are locked in here."""
        with self._turn() as process:
            while process.lock is None:
                process.ask(Call.of(_nothing))
            return process.lock

    @contextmanager
    def _turn(self) -> Iterator[DecoderProcess]:
        process = self.take()
        try:
            yield process
        finally:
            self.give_back(process)

    def take(self) -> DecoderProcess:
        """Take a decoder out of turns; wait for one if need be."""
        with self._changed:
            while True:
                self._replace_ended()
                if self._idle:
                    return self._idle.pop()
                if self._count < self._size:
                    self._count += 1
                    return self._started()
                self._changed.wait()

    def take_out(self) -> DecoderProcess:
        """Take a decoder that will not be back soon; whatever the others do, nobody waits."""
        with self._changed:
            self._replace_ended()
            if not self._idle:
                return self._started()
            self._count -= 1
            self._changed.notify()
            return self._idle.pop()

    def give_back(self, process: DecoderProcess, *, was_out: bool = False) -> None:
        """Let others take their turn."""
        with self._changed:
            if was_out and self._count >= self._size:
                self._end(process)
                return
            self._count += was_out
            is_usable = process.is_alive and process.limits.memory_mb == self._limits.memory_mb
            if self._is_closed or not is_usable:
                self._end(process)
                self._count -= 1
                if not self._is_closed:
                    # The next one waits less for a decoder that has begun.
                    self._count += 1
                    self._idle.insert(0, self._started())
            else:
                self._idle.append(process)
            self._changed.notify()

    def drop(self, process: DecoderProcess) -> None:
        """End a decoder that was out of turns; waits for nobody, so cleaning up comes later."""
        process.signal_end()
        self._dropped.append(process)

    def close(self) -> None:
        """End all decoders, whatever they do."""
        with self._changed:
            self._is_closed = True
            for process in tuple(self._everyone):
                self._end(process)
            self._idle.clear()

    def abandon(self) -> None:
        """Forget the decoders of the process this one was forked from."""
        self._everyone.clear()
        self._idle.clear()

    def _started(self) -> DecoderProcess:
        process = DecoderProcess(self._limits, niceness=self._niceness, modules=self._modules)
        self._everyone.add(process)
        return process

    def _end(self, process: DecoderProcess) -> None:
        process.kill()
        self._everyone.discard(process)

    def _replace_ended(self) -> None:
        while self._dropped:
            self._end(self._dropped.pop())
        for process in [each for each in self._idle if not each.is_alive]:
            self._idle.remove(process)
            self._end(process)
            self._count -= 1


def _nothing() -> None:
    """Asked for only to hear that a decoder has begun."""


_choosing = threading.Lock()
_pool: DecoderPool | None = None


def decoders() -> DecoderPool:
    """The decoders of this process; one that takes its turn unless more were asked for."""
    global _pool
    with _choosing:
        if _pool is None:
            _pool = DecoderPool()
        return _pool


def use_decoders(pool: DecoderPool) -> None:
    """Have everything decoded by these from now on."""
    global _pool
    with _choosing:
        before, _pool = _pool, pool
    if before is not None:
        before.close()


def close_decoders() -> None:
    """End the decoders; the next file starts new ones."""
    global _pool
    with _choosing:
        before, _pool = _pool, None
    if before is not None:
        before.close()


def _abandon() -> None:
    global _pool, _choosing
    _choosing = threading.Lock()
    if _pool is not None:
        _pool.abandon()
    _pool = None


atexit.register(close_decoders)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_abandon)
