"""Stories that open a window begin and end as its other tests do."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import pytest

from forensicviewer import cli
from forensicviewer.app.runtime.offline import (
    OFFLINE,
    is_asked_to_stay_offline,
    is_network_call,
    refuse_network,
)
from tests.window_checks import beginning_of_the_program, nothing_left_behind

__all__ = ["beginning_of_the_program", "nothing_left_behind"]


@pytest.fixture(autouse=True)
def _as_every_window(request: pytest.FixtureRequest) -> None:
    # Most stories are of the command line, which needs no application.
    if "qapp" in request.fixturenames:
        for check in __all__:
            request.getfixturevalue(check)


_watch: dict[str, list[str] | None] = {"asked": None}


def _notice(event: str, arguments: tuple[Any, ...]) -> None:
    asked = _watch["asked"]
    if asked is not None and is_network_call(event, arguments):
        asked.append(f"{event} {arguments[1:]}")


# A hook cannot be taken away again, so there is one for all stories.
sys.addaudithook(_notice)
# Whoever runs the stories with OFFLINE set has also native calls of this very process end it.
_IS_OFFLINE = is_asked_to_stay_offline()
if _IS_OFFLINE:
    refuse_network()


@pytest.fixture(autouse=True)
def _offline(
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[None]:
    """No story uses the network, neither here nor in a child, which the kernel would end.

    The one exception is a Dask scheduler that the user named.
    """
    if request.node.get_closest_marker("scheduler"):
        if _IS_OFFLINE:
            pytest.skip("Needs a scheduler, and everything runs offline")
        yield
        return
    notes = tmp_path_factory.mktemp("offline") / "calls.txt"
    monkeypatch.setenv(OFFLINE, str(notes))
    # For children: in this process it could not be undone, and later tests need a scheduler.
    monkeypatch.setattr(cli, "is_asked_to_stay_offline", lambda: False)
    asked: list[str] = []
    _watch["asked"] = asked
    yield
    _watch["asked"] = None
    assert asked == [], "A story asked for the network"
    assert not notes.exists(), f"A child asked for the network: {notes.read_text()}"
