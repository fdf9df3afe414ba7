"""How the parts beside a graph follow it: small changes at once, another graph a part a turn."""

from __future__ import annotations

from collections.abc import Callable

from forensicviewer.app.graph.review import GraphReview
from forensicviewer.app.graph.state import GraphChange, GraphState


class GraphFollower:
    """Calls ``follow`` with the state as it is, and with every change from now on.

    Another document changes every part. Each then follows in a turn of the event loop of its own,
    so that together they never keep the window.
    """

    def __init__(
        self, review: GraphReview, follow: Callable[[GraphState, GraphChange], None]
    ) -> None:
        self._review = review
        self._follow = follow
        self._missed = GraphChange(0)
        self._is_due = False
        self._is_listening = True
        self._stop_listening = review.subscribe(self._hear)
        follow(review.state, ~GraphChange(0))

    def let_go(self) -> None:
        self._is_listening = False
        self._stop_listening()

    def _hear(self, _state: GraphState, change: GraphChange) -> None:
        self._missed |= change
        if self._is_due:
            return
        if GraphChange.DOCUMENT in change:
            self._is_due = True
            self._review.jobs.soon(self._catch_up)
        else:
            self._catch_up()

    def _catch_up(self) -> None:
        self._is_due = False
        missed, self._missed = self._missed, GraphChange(0)
        if self._is_listening:
            self._follow(self._review.state, missed)
