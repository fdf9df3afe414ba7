"""The job that opens a request in the background; it brings the readers along."""

from __future__ import annotations

from collections.abc import Sequence

from forensicviewer.app.runtime.jobs import Ticket
from forensicviewer.app.session.open_request import Opened, OpenRequest
from forensicviewer.core.model import Dataset, Task


def open_in_background(
    trusted: Sequence[str],
    request: OpenRequest,
    open_before: tuple[Dataset, Task] | None,
    judge: str,
    ticket: Ticket,
) -> tuple[Opened, ...]:
    """Open a request, following the links of ``trusted`` folders."""
    # Imported here, in the background: readers and scorers are half of the program, and the window
    # is to be there before them.
    from forensicviewer.app.session.opener import open_all
    from forensicviewer.app.trials import scoreboard  # noqa: F401 - wanted as soon as it is open

    return open_all(request, open_before, judge, ticket, trusted=trusted)
