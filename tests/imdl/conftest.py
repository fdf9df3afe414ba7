"""Windows of these tests begin and end as those of all others do."""

from __future__ import annotations

import pytest

from tests.window_checks import beginning_of_the_program, nothing_left_behind

__all__ = ["beginning_of_the_program", "nothing_left_behind"]


@pytest.fixture(autouse=True)
def _as_every_window(request: pytest.FixtureRequest) -> None:
    if "qapp" in request.fixturenames:
        for check in __all__:
            request.getfixturevalue(check)
