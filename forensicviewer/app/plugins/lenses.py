"""The lenses there are, and images seen through them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from forensicviewer.core.lens.lens import Lens, LensError, LensImage, LensPixels, Values
from forensicviewer.core.problem import ForensicViewerError, UsageError
from forensicviewer.sources.plugins.registry import Registry, describe


def _built_in() -> Iterable[Lens]:
    # Not needed, and neither is OpenCV, before somebody asks for a lens.
    from forensicviewer.core.lens.built_in import LENSES as BUILT_IN

    return BUILT_IN


LENSES = Registry("lenses", Lens, _built_in)


def lens_named(name: str) -> Lens:
    """The lens with that name; one that is not there is refused with those there are."""
    found = LENSES.get(name)
    if found is None:
        offered = ", ".join(lens.name for lens in LENSES)
        raise UsageError(f"{name!r} is not a known lens", hint=f"choose one of {offered}")
    return found


def look_through(
    lens: Lens, image: LensImage, values: Values, *, check: Callable[[], None] = lambda: None
) -> LensPixels:
    """The image through a lens, whatever the code of the lens does."""
    try:
        return lens.draw(image, values, check=check)
    except ForensicViewerError:
        raise
    except Exception as error:
        raise LensError(
            f"The lens {lens.name} failed: {describe(error)}",
            hint="report this to the authors of the lens",
            rule="lens.failed",
        ) from error
