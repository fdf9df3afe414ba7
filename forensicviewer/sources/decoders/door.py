"""The one door to decoders: functions and objects that are asked for here and work over there.

    @decoded_apart
    def read_image(path: Path) -> Image: ...

Called anywhere, such a function runs in a decoder process, which gets the files its arguments name.
Called in a decoder, it simply runs. ``read_image.here`` runs it in any process: for measuring what
the detour costs, and for tests of what only happens inside.
"""

from __future__ import annotations

import functools
import itertools
import threading
import weakref
from collections.abc import Callable
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

from forensicviewer.core.problem import CodecError
from forensicviewer.sources.decoders.channel import is_decoder
from forensicviewer.sources.decoders.pool import DecoderPool, decoders
from forensicviewer.sources.decoders.process import (
    Call,
    DecoderGoneError,
    DecoderProcess,
    NotAskedError,
)

Arguments = ParamSpec("Arguments")
Returned = TypeVar("Returned")
Held = TypeVar("Held")


class decoded_apart(Generic[Arguments, Returned]):  # noqa: N801 - a decorator
    """Makes a function run in a decoder. It must be found by its name, at the top of a module."""

    def __init__(self, function: Callable[Arguments, Returned]) -> None:
        self.here = function
        functools.update_wrapper(self, function)

    def __call__(self, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Returned:
        if is_decoder():
            return self.here(*args, **kwargs)
        return decoders().ask(Call.of(self, *args, **kwargs))

    def __reduce__(self) -> str:
        # By name: over there it is the same function.
        return self.here.__qualname__


class KeptApart(Generic[Held]):
    """An object that lives in a decoder, made by ``make`` over there.

    Any thread may ask; one is answered at a time. When its decoder ends, the one who asked gets an
    error, and the next one to ask has the object made anew. Objects kept ``beside`` each other
    share a decoder. In a decoder it is the object itself.
    """

    def __init__(
        self,
        make: Callable[[], Held] | functools.partial[Held],
        *,
        beside: KeptApart[Any] | None = None,
    ) -> None:
        self._make = make
        self._number = next(_numbers)
        self._local = make() if is_decoder() else None
        self.seat: _Seat = _Seat() if beside is None else beside.seat
        self._made_in: DecoderProcess | None = None
        self._again: dict[str, Call[None]] = {}
        self._is_closed = False
        if self._local is None:
            # What a job that was called off drops unclosed must not keep its process for ever.
            weakref.finalize(self, self.seat.drop, self._number).atexit = False
            with self.seat.asking:
                self._ask_until_heard(None)

    def ask(
        self,
        method: Callable[Concatenate[Held, Arguments], Returned],
        *args: Arguments.args,
        **kwargs: Arguments.kwargs,
    ) -> Returned:
        """Call a method of the object."""
        if self._local is not None:
            return method(self._local, *args, **kwargs)
        with self.seat.asking:
            answer: Returned = self._ask_until_heard(Call.of(method, *args, **kwargs))
            return answer

    def tell(
        self,
        method: Callable[Concatenate[Held, Arguments], None],
        *args: Arguments.args,
        **kwargs: Arguments.kwargs,
    ) -> None:
        """Call a method, and again whenever the object had to be made anew."""
        self.ask(method, *args, **kwargs)
        self._again[method.__qualname__] = Call.of(method, *args, **kwargs)

    def close(self) -> None:
        """Let go of the object; a decoder that does not react is ended."""
        if self._local is not None:
            closing: Any = self._local
            closing.close()
            return
        with self.seat.asking:
            if not self._is_closed:
                self._is_closed = True
                self.seat.forget(self._number, made_in=self._made_in)

    def _ask_until_heard(self, call: Call[Any] | None) -> Any:
        while True:
            try:
                return self._ask(call)
            except NotAskedError:
                # Its decoder ended while nobody asked: nothing is lost.
                self.seat.leave()

    def _ask(self, call: Call[Any] | None) -> Any:
        if self._is_closed:
            raise CodecError("The file has been closed", rule="codec.closed")
        process = self.seat.take(self._number)
        try:
            if self._made_in is not process:
                self._make_in(process)
            return None if call is None else process.ask(call, of=self._number)
        except DecoderGoneError:
            self.seat.leave()
            raise

    def _make_in(self, process: DecoderProcess) -> None:
        try:
            process.keep(Call(self._make, (), {}, object), self._number)
            for call in self._again.values():
                process.ask(call, of=self._number)
        except (DecoderGoneError, NotAskedError):
            raise
        except BaseException:
            self.seat.forget(self._number, made_in=None)
            raise
        self._made_in = process


class _Seat:
    """A decoder out of turns: taken when an object first needs it, left by the last one."""

    def __init__(self) -> None:
        self.asking = threading.Lock()
        self._users: set[int] = set()
        self._pool: DecoderPool | None = None
        self.process: DecoderProcess | None = None

    def take(self, number: int) -> DecoderProcess:
        self._users.add(number)
        if self.process is None:
            self._pool = decoders()
            self.process = self._pool.take_out()
        return self.process

    def leave(self) -> None:
        if self.process is not None:
            assert self._pool is not None
            self._pool.give_back(self.process, was_out=True)
            self.process = None

    def forget(self, number: int, *, made_in: DecoderProcess | None) -> None:
        """Have an object closed; ``made_in`` is where it was made, if it was."""
        self._users.discard(number)
        if made_in is not None and made_in is self.process:
            made_in.forget(number)
        if not self._users:
            self.leave()

    def drop(self, number: int) -> None:
        """Forget an object nobody can close any more.

        Called wherever memory happens to be cleaned up, so it waits for nobody.
        """
        self._users.discard(number)
        process, pool = self.process, self._pool
        if not self._users and process is not None and pool is not None:
            pool.drop(process)
            self.process = None


_numbers = itertools.count(1)
