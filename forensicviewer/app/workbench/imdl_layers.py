"""Further maps that come with a prediction: confidence, noiseprint, Grad-CAM, in register with it.

They are the other arrays of its NPZ archive, and the files of its name in folders beside the maps.
They are looked at and never scored.
"""

from __future__ import annotations

import cv2
import numpy as np

from forensicviewer.app.imdl.pair_job import PairJob
from forensicviewer.app.language.words import tr
from forensicviewer.app.masks.question import Question
from forensicviewer.app.workbench.drawn import Attempt
from forensicviewer.app.workbench.loaded_trial import ImageBeside, SystemRequest
from forensicviewer.core.array import Size, U8Image
from forensicviewer.core.imdl.geometry import Geometry, geometry_of
from forensicviewer.core.pyramid import Pyramid, Reduce
from forensicviewer.sources.files.paths import resolve_inside
from forensicviewer.sources.imdl import masks
from forensicviewer.sources.imdl.predictions import PredictionAnswers


def layer_names(system: SystemRequest, prediction: masks.ReadMap) -> tuple[str, ...]:
    """The further maps of one prediction, arrays first."""
    arrays = [name for name in prediction.layers if name != prediction.name]
    return tuple(dict.fromkeys((*arrays, *_folders(system))))


def read_layer(
    system: SystemRequest, asked: Question[PairJob], name: str, image: Size | None
) -> ImageBeside | None:
    """One of them at the place of the image it covers; ``None`` where there is none of the name."""
    job, folders = asked.job, _folders(system)
    attempt: Attempt[masks.ReadLayer] = Attempt()
    if name in folders:
        attempt.make(lambda: masks.read_layer(resolve_inside(system.root, folders[name])))
    elif job is not None and job.system is not None and job.system.suffix.lower() == ".npz":
        path = job.system
        attempt.make(lambda: masks.read_layer(path, layer=name))
    else:
        return None
    file = folders.get(name, name)
    found = attempt.found
    if found is None or job is None:
        return ImageBeside(file, reason=attempt.reason)
    own = Size(found.pixels.shape[1], found.pixels.shape[0])
    said = [] if (found.low, found.high) == (0, 255) else [f"{found.low:.3g} … {found.high:.3g}"]
    pixels = found.pixels
    if image is not None:
        geometry = geometry_of(own, image, squares_are=job.squares_are)
        if geometry is Geometry.RESIZED:
            pixels = stretched(pixels, image)
            said.append(tr("stretched from {size}", size=str(own)))
        elif geometry is Geometry.PADDED:
            pixels = np.ascontiguousarray(pixels[: image.height, : image.width])
    return ImageBeside(file, Pyramid.of(pixels, Reduce.MEAN), note=", ".join(said))


def _folders(system: SystemRequest) -> dict[str, str]:
    answers, answer = system.submission.answers, system.answer
    if answer is None or not isinstance(answers, PredictionAnswers):
        return {}
    return answers.layers_of(answer.trial_id)


def stretched(pixels: U8Image, image: Size) -> U8Image:
    """A map at the size of its image, for the eye alone."""
    size = (image.width, image.height)
    return np.asarray(cv2.resize(pixels, size, interpolation=cv2.INTER_NEAREST), np.uint8)
