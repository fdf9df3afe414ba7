"""Two images of a provenance graph as the panes of the workbench show them.

The first image is what the panes know as the base (what it was before), the second one is the
image. Both lie on one canvas, so that everything the panes can do with two layers works between
two images: moving together, blinking, an edge to drag, a lens, fading, values of one pixel.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np

from forensicviewer.app.graph.media import ComparedImage, ComparedPair
from forensicviewer.app.graph.step_masks import StepMask
from forensicviewer.app.language.words import to_translate, tr, whole
from forensicviewer.app.runtime.jobs import Jobs
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.app.workbench.loaded_trial import LoadedSide, LoadedTrial, TrialRequest
from forensicviewer.app.workbench.state import (
    Arrangement,
    Change,
    Compare,
    CompareMode,
    Layer,
    Look,
    Pane,
)
from forensicviewer.core.array import PlaneImage, RgbImage, Size
from forensicviewer.core.graph.provenance import world_id
from forensicviewer.core.kernel import Kernels
from forensicviewer.core.mask import ReferenceMask
from forensicviewer.core.model import Media, Operation, Side, Trial, TrialId
from forensicviewer.core.pyramid import Pyramid, Reduce

FIRST, SECOND, MASK = Pane(Layer.BASE), Pane(Layer.PICTURE), Pane(Layer.REFERENCE)
_INVITATION = to_translate(
    "Select an image to see it beside the probe, or a link to see both of its images"
)


class PairBench(Workbench):
    """A workbench of its own for two images: it opens no dataset and scores nothing."""

    def __init__(self, jobs: Jobs) -> None:
        super().__init__(jobs, cache_bytes=0)
        self._set(
            Change.PANES | Change.LOOK | Change.COMPARE,
            replace(
                self._state,
                arrangement=Arrangement(panes=(FIRST, SECOND), columns=2, active=1),
                look=Look(has_marks=True, opacity=0.5),
                compare=Compare(first=FIRST, second=SECOND),
            ),
        )

    def show_pair(self, loaded: LoadedTrial | None) -> None:
        """Show two other images; a user who walks through a graph keeps the zoom while they fit."""
        before = self.state.loaded
        if before is None or loaded is None or before.probe.size != loaded.probe.size:
            self.set_viewpoint(0, None)
        self._set(Change.TRIAL | Change.LOADED | Change.SCORES, replace(self._state, loaded=loaded))

    def compare_by(self, mode: CompareMode) -> None:
        """Compare both images in one large pane, or show them side by side again."""
        self.set_compare(mode=mode, first=FIRST, second=SECOND)
        panes = self.state.arrangement.panes
        is_off = mode is CompareMode.OFF
        self.maximise_pane(None if is_off or len(panes) < 2 else self.state.arrangement.active)


def laid_out(pair: ComparedPair, *, is_scaled: bool) -> LoadedTrial:
    """Both images on one canvas.

    Where they differ in size, the smaller one is enlarged to fit if ``is_scaled``, and lies pixel
    on pixel at the upper left otherwise. Masks lie on the image whose size they have.
    """
    shots = [pair.first, *([] if pair.second is None else [pair.second])]
    sizes = [Size.of(shot.picture.pixels) for shot in shots if shot.picture is not None]
    room = max(sizes, key=lambda size: size.width * size.height, default=Size(4, 3))
    first = _Placed(pair.first, room if is_scaled else None)
    second = None if pair.second is None else _Placed(pair.second, room if is_scaled else None)
    canvas = _around([each for each in (first, second) if each is not None])
    side = _side(pair, first, second, canvas)
    trial = Trial(TrialId(side.media.id), 0, side.media)
    request = TrialRequest.of(pair.task, trial, (), kernels=Kernels())
    return LoadedTrial(request, side)


def _side(pair: ComparedPair, first: _Placed, second: _Placed | None, canvas: Size) -> LoadedSide:
    shown = second or first
    masks, layer, reason = _fitting(pair.masks, first, second)
    if pair.has_steps and not pair.masks:
        reason = tr("There is no mask for this step")
    operations = tuple(
        Operation("", "", "", mask.operation, color=mask.color, bit_plane=number + 1)
        for number, mask in enumerate(masks)
    )
    reference, planes = None, None
    if masks and layer is not None:
        placed = first if layer is Layer.BASE else shown
        planes = _planes(masks, placed, canvas)
        reference = ReferenceMask.from_planes(planes, operations)
    both = first.size == shown.size
    layers = (Layer.BASE, Layer.PICTURE) if both else (layer,)
    return LoadedSide(
        side=Side.PROBE,
        media=Media(id=world_id(shown.shot.file), name=shown.shot.file),
        facts=None if shown.shot.picture is None else shown.shot.picture.facts,
        pictures=None if second is None else second.pyramid,
        reason=tr(_INVITATION) if second is None else second.shot.reason,
        base=first.pyramid,
        base_reason=first.shot.reason,
        reference=reference,
        planes=planes,
        operations=None
        if reference is None
        else Pyramid.of(reference.operation_index(), Reduce.MAX),
        reference_reason=reason,
        titles={
            Layer.BASE.value: first.title,
            Layer.PICTURE.value: tr("Nothing selected") if second is None else second.title,
            Layer.REFERENCE.value: tr("Mask of the operation"),
        },
        marked=frozenset(each.value for each in layers if each is not None),
    )


class _Placed:
    """One image as it lies on the canvas, at its upper left."""

    def __init__(self, shot: ComparedImage, room: Size | None) -> None:
        self.shot = shot
        self.size: Size | None = None  # of the file
        self.scale = 1.0
        self.pyramid: Pyramid | None = None
        self.title = shot.title
        if shot.picture is None:
            return
        pixels = shot.picture.pixels
        self.size = Size.of(pixels)
        if room is not None:
            self.scale = min(room.width / self.size.width, room.height / self.size.height)
        if self.scale != 1:
            pixels = _enlarged(pixels, self.scaled)
            enlarged = tr(
                "{size}, enlarged to {percent} %",
                size=self.size,
                percent=whole(round(100 * self.scale)),
            )
            self.title += f" · {enlarged}"
        self.pyramid = Pyramid.of(pixels, Reduce.MEAN)

    @property
    def scaled(self) -> Size:
        assert self.size is not None
        return Size(
            max(1, round(self.size.width * self.scale)),
            max(1, round(self.size.height * self.scale)),
        )


def _enlarged(pixels: RgbImage, size: Size) -> RgbImage:
    # Nearest: values under the cursor stay those of the file.
    wanted = (size.width, size.height)
    return np.asarray(cv2.resize(pixels, wanted, interpolation=cv2.INTER_NEAREST), np.uint8)


def _around(placed: Sequence[_Placed]) -> Size:
    sizes = [each.scaled for each in placed if each.size is not None]
    return Size(
        max((size.width for size in sizes), default=4),
        max((size.height for size in sizes), default=3),
    )


def _fitting(
    masks: Sequence[StepMask], first: _Placed, second: _Placed | None
) -> tuple[tuple[StepMask, ...], Layer | None, str]:
    """The masks that fit one of the images, the layer that shows it, and why there is none."""
    placed = [(Layer.BASE, first), *([] if second is None else [(Layer.PICTURE, second)])]
    # The later image shows what was done; the earlier one is asked next.
    for layer, image in reversed(placed):
        fitting = tuple(mask for mask in masks if mask.size == image.size)
        if fitting:
            return fitting, layer, ""
    if not masks:
        return (), None, ""
    mask = masks[0]
    reason = tr(
        "The {mask} has {size}, which matches neither image", mask=mask.origin, size=mask.size
    )
    return (), None, reason


def _planes(masks: Sequence[StepMask], placed: _Placed, canvas: Size) -> PlaneImage:
    """One bit plane for each mask, where its image lies on the canvas."""
    planes = np.zeros((canvas.height, canvas.width, (len(masks) + 7) // 8), np.uint8)
    size = placed.scaled
    for number, mask in enumerate(masks):
        area = mask.area.view(np.uint8)
        if mask.size != size:
            wanted = (size.width, size.height)
            area = np.asarray(cv2.resize(area, wanted, interpolation=cv2.INTER_NEAREST), np.uint8)
        planes[: size.height, : size.width, number // 8] |= area << (number % 8)
    return planes
