"""Has the window score as an explanation does, and go back to the evaluation's settings."""

from __future__ import annotations

from forensicviewer.app.claims.departure import Dimension
from forensicviewer.app.claims.search import Explanation
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.app.workbench.state import Snap
from forensicviewer.core.model import TaskKind
from forensicviewer.core.score import threshold_from_nist

_UNSEEN = (Dimension.POLARITY, Dimension.MASK)


def show_explanation(bench: Workbench, one: Explanation) -> tuple[str, ...]:
    """Score the open trial with the settings of an explanation; returns what cannot be shown."""
    settings = one.variant.settings
    bench.set_rules(settings.rules)
    bench.set_kernels(settings.kernels(TaskKind.MANIPULATION))
    bench.set_selected_operations(one.variant.selected)
    bench.set_scoring(uses_bit_planes=settings.bit_planes, honours_opt_out=settings.opt_out_pixels)
    bench.choose_side(one.side)
    if one.threshold is None:
        bench.snap_threshold(Snap.OPTIMUM)
    else:
        bench.set_threshold(threshold_from_nist(one.threshold))
    return tuple(each.text for each in one.departures if each.dimension in _UNSEEN)
