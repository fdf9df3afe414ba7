"""What outcomes are called."""

from __future__ import annotations

from forensicviewer.app.language.words import to_translate
from forensicviewer.core.overlay import Outcome

NAMES = {
    Outcome.HIT: to_translate("Hit"),
    Outcome.MISS: to_translate("Miss"),
    Outcome.FALSE_ALARM: to_translate("False alarm"),
    Outcome.CORRECT_REJECTION: to_translate("Correct rejection"),
    Outcome.BOUNDARY: to_translate("Boundary zone"),
    Outcome.UNSELECTED: to_translate("Unselected zone"),
    Outcome.OPT_OUT: to_translate("Opted out"),
}
