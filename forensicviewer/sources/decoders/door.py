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
from collections.abc import Callable
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

from forensicviewer.sources.decoders.pool import DecoderPool, decoders
from forensicviewer.sources.decoders.process import (
    Call,
    DecoderGoneError,
    DecoderProcess,
    NotAskedError,
)
from forensicviewer.sources.decoders.whereabouts import is_decoder

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

    Any thread may ask; one is answered at a time. When its decoder ends, whoever asked is told,
    and the next one to ask has the object made anew. In a decoder it is the object itself.
    """

    def __init__(self, make: Callable[[], Held] | functools.partial[Held]) -> None:
        self._make = make
        self._asking = threading.Lock()
        self._number = next(_numbers)
        self._local = make() if is_decoder() else None
        self._pool: DecoderPool | None = None
        self._process: DecoderProcess | None = None
        self._again: dict[str, Call[None]] = {}
        self._is_closed = False
        if self._local is None:
            with self._asking:
                self._begin()

    def ask(
        self,
        method: Callable[Concatenate[Held, Arguments], Returned],
        *args: Arguments.args,
        **kwargs: Arguments.kwargs,
    ) -> Returned:
        """Call a method of the object."""
        if self._local is not None:
            return method(self._local, *args, **kwargs)
        with self._asking:
            return self._asked(Call.of(method, *args, **kwargs))

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
        """Let go of the object."""
        if self._local is not None:
            closing: Any = self._local
            closing.close()
            return
        with self._asking:
            self._is_closed = True
            if self._process is not None:
                self._process.forget(self._number)
                self._let_go()

    def _asked(self, call: Call[Returned]) -> Returned:
        try:
            return self._ask_now(call)
        except NotAskedError:
            # Its decoder ended while nobody asked: nothing is lost.
            self._let_go()
            return self._ask_now(call)

    def _ask_now(self, call: Call[Returned]) -> Returned:
        assert not self._is_closed
        if self._process is None:
            self._begin()
        assert self._process is not None
        try:
            return self._process.ask(call, of=self._number)
        except DecoderGoneError:
            self._let_go()
            raise

    def _begin(self) -> None:
        self._pool = decoders()
        self._process = self._pool.take()
        self._pool.leave()
        try:
            self._process.keep(Call(self._make, (), {}, object), self._number)
            for call in self._again.values():
                self._process.ask(call, of=self._number)
        except BaseException:
            self._let_go()
            raise

    def _let_go(self) -> None:
        assert self._pool is not None
        assert self._process is not None
        self._pool.give_back(self._process, had_left=True)
        self._process = None


_numbers = itertools.count(1)
