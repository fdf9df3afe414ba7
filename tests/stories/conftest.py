"""Stories that open a window begin and end as its other tests do."""

from __future__ import annotations

import socket
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from forensicviewer import cli
from forensicviewer.app.runtime.offline import OFFLINE
from tests.window_checks import beginning_of_the_program, nothing_left_behind

__all__ = ["beginning_of_the_program", "nothing_left_behind"]


@pytest.fixture(autouse=True)
def _as_every_window(request: pytest.FixtureRequest) -> None:
    # Most stories are of the command line, which needs no application.
    if "qapp" in request.fixturenames:
        for check in __all__:
            request.getfixturevalue(check)


_INTERNET = (socket.AF_INET, socket.AF_INET6)
_watch: dict[str, list[str] | None] = {"asked": None}


def _notice(event: str, arguments: tuple[Any, ...]) -> None:
    asked = _watch["asked"]
    if asked is None:
        return
    is_internet = event == "socket.__new__" and arguments[1] in _INTERNET
    if is_internet or event in ("socket.getaddrinfo", "socket.gethostbyname"):
        asked.append(f"{event} {arguments[1:]}")


# A hook cannot be taken away again, so there is one for all stories.
sys.addaudithook(_notice)


@pytest.fixture(autouse=True)
def _offline(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No story uses the network, neither here nor in a child, which the kernel would end.

    The one exception is a Dask scheduler that the user named.
    """
    if request.node.get_closest_marker("scheduler"):
        yield
        return
    monkeypatch.setenv(OFFLINE, "1")
    # For children: in this process it could not be undone, and later tests need a scheduler.
    monkeypatch.setattr(cli, "is_asked_to_stay_offline", lambda: False)
    asked: list[str] = []
    _watch["asked"] = asked
    yield
    _watch["asked"] = None
    assert asked == [], "A story asked for the network"
