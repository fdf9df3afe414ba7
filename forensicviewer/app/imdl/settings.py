"""What a run over images and masks is asked for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from forensicviewer.core.problem import UsageError
from forensicviewer.sources.media.masks import Polarity

THRESHOLD = 0.5


class ImageScore(Enum):
    """How an image-level score is derived from a map where the model gives none."""

    MAX = "max"
    MEAN = "mean"
    ANY = "any"

    @property
    def label(self) -> str:
        return f"derived: {self.value}"


@dataclass(frozen=True, slots=True)
class ImdlSettings:
    """A pixel is called where its score is above the threshold, 0 to 1.

    ``prediction_polarity`` says which end of the scale predictions mean by manipulated; without it
    white is taken, and a run that looks inverted stops. ``trials`` are the images that are scored,
    by id or file name; without them all are.
    """

    threshold: float = THRESHOLD
    manipulated_only: bool = False
    prediction_polarity: Polarity | None = None
    image_score: ImageScore = ImageScore.MAX
    trials: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.threshold <= 1:
            raise UsageError(f"{self.threshold:g} is not a valid threshold (0 to 1)")

    @classmethod
    def from_options(
        cls,
        *,
        threshold: float = THRESHOLD,
        manipulated_only: bool = False,
        prediction_polarity: str | None = None,
        image_score: str = ImageScore.MAX.value,
        trials: Iterable[str] | None = None,
    ) -> ImdlSettings:
        """The settings that options of the command line and the Python API mean, by their names."""
        return cls(
            threshold=threshold,
            manipulated_only=manipulated_only,
            prediction_polarity=polarity_named(prediction_polarity),
            image_score=ImageScore(_known(image_score, [each.value for each in ImageScore])),
            trials=None if trials is None else tuple(trials),
        )

    @property
    def is_inverted(self) -> bool:
        return self.prediction_polarity is Polarity.BLACK


def polarity_named(word: str | None) -> Polarity | None:
    if word is None:
        return None
    return Polarity(_known(word, [each.value for each in Polarity]))


def _known(word: str, words: list[str]) -> str:
    if word not in words:
        raise UsageError(f"{word!r} is not one of {', '.join(words)}")
    return word
