"""Shows an opened dataset as a session says it was looked at."""

from __future__ import annotations

from forensicviewer.app.judging.judging import Judging
from forensicviewer.app.session.session_file import Session
from forensicviewer.app.session.settled import read_as_before
from forensicviewer.app.session.shelf import OpenPlaces
from forensicviewer.app.trials.trial_list import TrialList
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.core.rules import RULE_SETS


def resume(
    session: Session,
    places: OpenPlaces,
    workbench: Workbench,
    trials: TrialList,
    judging: Judging,
) -> None:
    """Look at the systems, the list and the panes as before."""
    system, rival = _position(session, session.system, places), None
    if session.rival is not None:
        rival = _position(session, session.rival, places)
    positions = {n: _position(session, n, places) for n in range(len(session.submissions))}
    read_as_before(
        workbench,
        [at for n in session.inverted if (at := positions.get(n)) is not None],
        [(at, how) for n, how in session.derived if (at := positions.get(n)) is not None],
    )
    if system is not None:
        workbench.choose_systems(system, rival)
    if session.view is not None:
        # The rule set is a setting, not the session's; what it brings along follows it.
        rules = workbench.state.rules
        before = next((known for known in RULE_SETS if known.name == session.rules), rules)
        view = session.view.by_rules(rules, before=before)
        workbench.restore(view, is_linked=session.is_linked)
    for zoom in session.zooms:
        workbench.set_viewpoint(zoom.pane, zoom.viewpoint)
    judging.take_drafts(
        {
            "judge": session.judge,
            "notes": session.notes,
            "examined": session.examined,
            "aside": session.aside,
        }
    )
    trials.set_sort(session.sort)
    trials.set_filter(session.filter)


def _position(session: Session, number: int, places: OpenPlaces) -> int | None:
    """Where a submission of a session stands now; one before it may not have been opened."""
    if number >= len(session.submissions):
        return None
    paths = [place.path for place in places.submissions]
    path = session.submissions[number].path
    return paths.index(path) if path in paths else None
