"""What the panes show through lenses: computed in the background, kept, and shown in register."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from forensicviewer.app.language.words import tr
from forensicviewer.app.runtime.byte_cache import ByteBudgetCache
from forensicviewer.app.runtime.jobs import CancelledError, Jobs, Lane, Ticket
from forensicviewer.app.workbench.state import Change, Pane, ViewEdits, ViewState
from forensicviewer.core.lens.setting import LensSetting
from forensicviewer.core.problem import ForensicViewerError, Problem, Severity

if TYPE_CHECKING:
    from forensicviewer.app.workbench.drawn_lens import DrawnLens, LensView
    from forensicviewer.app.workbench.loaded_trial import LoadedSide
    from forensicviewer.core.lens.lens import Lens, LensImage


LENS_LANE = Lane("lens")
_CACHE_BYTES = 256 << 20
_FOLLOWED = Change.LOADED | Change.PANES | Change.COMPARE | Change.LENS


def with_lens(view: ViewEdits, lens: str, values: Mapping[str, int]) -> ViewEdits:
    """The view with other values for one lens."""
    others = (each for each in view.lenses if each.lens != lens)
    return replace(view, lenses=(*others, LensSetting(lens, dict(values))))


def values_of(state: ViewState, lens: Lens) -> dict[str, int]:
    """The values a lens is looked through with."""
    chosen = next((each.values for each in state.lenses if each.lens == lens.name), {})
    return lens.values(chosen)


def lens_of(pane: Pane) -> Lens | None:
    """The lens of a pane; ``None`` where it has none, or one that is not installed here."""
    from forensicviewer.app.plugins.lenses import LENSES

    return LENSES.get(pane.lens) if pane.lens else None


def shown_lens(state: ViewState) -> Lens | None:
    """The lens whose values the window offers: that of the active pane, or the first one."""
    panes = (state.active_pane, *state.shown_panes)
    return next((lens for lens in map(lens_of, panes) if lens is not None), None)


def drawn_lens(state: ViewState, pane: Pane) -> DrawnLens | None:
    """What a pane shows; while other values are being computed, what it showed before."""
    picture = None if state.loaded is None else state.loaded.on(pane.side).pictures
    found = [
        drawn
        for drawn in state.drawn_lenses
        if drawn.view.picture is picture and drawn.view.lens.name == pane.lens
    ]
    return found[-1] if found else None


def lens_image(side: LoadedSide) -> LensImage | None:
    """An image as a lens sees it: the full-size pixels as shown, and the tables of its file."""
    from forensicviewer.core.lens.lens import LensImage

    if side.pictures is None:
        return None
    pixels = side.pictures.levels[0]
    tables = None if side.facts is None else side.facts.jpeg
    if tables is None or side.facts is None:
        return LensImage(pixels)
    turned = 1 if side.is_as_stored else side.facts.orientation
    height, width = pixels.shape[:2]
    # Blocks begin at the corner that is stored first, wherever turning has put it.
    at = width % 8 if turned in _FROM_RIGHT else 0, height % 8 if turned in _FROM_BELOW else 0
    return LensImage(pixels, tables.turned() if turned >= 5 else tables, at)


_FROM_RIGHT = (2, 3, 6, 7)
_FROM_BELOW = (3, 4, 7, 8)


class LensWork:
    """Computes what the panes want to show through lenses, one after another."""

    def __init__(
        self,
        jobs: Jobs,
        show: Callable[[tuple[DrawnLens, ...]], None],
        report: Callable[[Iterable[Problem]], None],
    ) -> None:
        self._jobs = jobs
        self._show = show
        self._report = report
        self._cache: ByteBudgetCache[LensView, DrawnLens] = ByteBudgetCache(_CACHE_BYTES)
        self._awaited: LensView | None = None
        self._kept: tuple[DrawnLens, ...] = ()

    def follow(self, state: ViewState, change: Change) -> None:
        """Show what is wanted now, and compute the first of what is missing.

        Frames that pass are not looked at through lenses; the one a video rests at is.
        """
        if not change & _FOLLOWED:
            return
        wanted = _wanted(state)
        shown = {drawn.view: drawn for drawn in state.drawn_lenses}
        found = {view: shown.get(view) or self._cache.get(view) for view in wanted}
        missing = [view for view, drawn in found.items() if drawn is None]
        # Until other values are computed, what was shown with the last ones stays.
        older = [d for d in shown.values() if any(d.view.is_like(view) for view in missing)]
        self._kept = (*older, *(drawn for drawn in found.values() if drawn is not None))
        if self._kept != state.drawn_lenses:
            # Comes back here, as everything does that changes the state.
            self._show(self._kept)
        elif missing and missing[0] != self._awaited:
            self._begin(missing[0], wanted[missing[0]])
        elif not missing and self._awaited is not None:
            self._jobs.cancel(LENS_LANE)
            self._awaited = None

    def _begin(self, view: LensView, image: LensImage) -> None:
        from forensicviewer.app.workbench.drawn_lens import DrawnLens

        self._awaited = view
        self._jobs.submit_long(
            LENS_LANE,
            partial(_draw, view, image),
            self._take,
            title=tr("Lens: {name}", name=tr(view.lens.title)),
            on_error=partial(self._fail, view),
            on_cancel=lambda: self._take(DrawnLens(view, reason=tr("Cancelled"))),
        )

    def _take(self, drawn: DrawnLens) -> None:
        if drawn.pixels is not None:
            held = drawn.pixels.bytes_held + drawn.view.picture.bytes_held
            self._cache.put(drawn.view, drawn, size=held)
        if drawn.view == self._awaited:
            self._awaited = None
            self._show((*self._kept, drawn))

    def _fail(self, view: LensView, error: BaseException) -> None:
        from forensicviewer.app.workbench.drawn_lens import DrawnLens

        if isinstance(error, CancelledError):
            return
        if not isinstance(error, ForensicViewerError):
            raise error
        if error.rule:
            # The lens itself does not work; otherwise this image is none for it.
            self._report([error.as_problem(Severity.ERROR)])
        self._take(DrawnLens(view, reason=str(error)))


def _wanted(state: ViewState) -> dict[LensView, LensImage]:
    """What the panes want to show, each once, with the image to compute it from."""
    from forensicviewer.app.workbench.drawn_lens import LensView

    wanted = {}
    for pane in state.shown_panes:
        lens = lens_of(pane)
        if lens is None or state.loaded is None:
            continue
        side = state.loaded.on(pane.side)
        image = lens_image(side)
        if image is not None and side.pictures is not None:
            values = tuple(values_of(state, lens).items())
            wanted[LensView(side.pictures, lens, values)] = image
    return wanted


def _draw(view: LensView, image: LensImage, ticket: Ticket) -> DrawnLens:
    from forensicviewer.app.plugins.lenses import look_through
    from forensicviewer.app.workbench.drawn_lens import DrawnLens
    from forensicviewer.core.pyramid import Pyramid, Reduce

    def check() -> None:
        ticket.check()
        if ticket.is_outdated:
            raise CancelledError("Newer values were requested")

    pixels = look_through(view.lens, image, dict(view.values), check=check)
    return DrawnLens(view, Pyramid.of(pixels, Reduce.MEAN))
