"""What one image is compared with, or why it is not scored: the one place that decides it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from forensicviewer.app.imdl.pair_job import PairJob
from forensicviewer.app.imdl.settings import ImageScore, ImdlSettings
from forensicviewer.app.language.words import to_translate
from forensicviewer.app.masks.question import Question
from forensicviewer.core.imdl.geometry import Geometry
from forensicviewer.core.model import Submission, Task, Trial
from forensicviewer.core.problem import UnsafePathError
from forensicviewer.sources.files.paths import resolve
from forensicviewer.sources.imdl.pair import MaskRule
from forensicviewer.sources.imdl.predictions import PredictionAnswers, squares_of
from forensicviewer.sources.media.masks import Polarity

NO_MASK = to_translate("Not scored: the manipulated image has no mask")
UNLABELLED = to_translate("Not scored: the list does not state whether the image is manipulated")
NO_PREDICTION = to_translate("Not scored: this image has no prediction")
POLARITY = "polarity"
_IMAGE_SCORE = "image score"
_BAD_NAME = to_translate("Not scored: {problem}")


def ask(
    task: Task, submission: Submission | None, trial: Trial, settings: ImdlSettings
) -> Question[PairJob]:
    """The question of one image; without a submission it has a reference only."""
    asked: Question[PairJob] = Question()
    try:
        image = resolve(Path(task.root), trial.probe.name)
        mask = resolve(Path(task.root), trial.reference) if trial.reference else None
        answer = None if submission is None else submission.answers.get(trial.id)
        system = None
        if answer is not None and answer.mask and submission is not None:
            system = resolve(Path(submission.root), answer.mask)
    except UnsafePathError as error:
        return asked.unscored(_BAD_NAME, problem=error.message)
    if mask is None and trial.is_target is not False:
        return asked.unscored(UNLABELLED if trial.is_target is None else NO_MASK)
    job = PairJob(
        reference=mask or image,
        system=system,
        image=image,
        rule=None if mask is None else MaskRule(trial.facts.get("MaskRule") or "white"),
        is_inverted=_is_inverted(settings, submission),
        threshold=settings.threshold,
        squares_are=Geometry.RESIZED if submission is None else squares_of(submission),
        polygons=trial.facts.get("Polygons", ""),
    )
    asked = Question(job=job, is_omitted=system is None)
    return asked.unscored(NO_PREDICTION) if system is None else asked


def _is_inverted(settings: ImdlSettings, submission: Submission | None) -> bool:
    """The options of the run win over the choices made when the submission was opened."""
    if settings.prediction_polarity is not None or submission is None:
        return settings.is_inverted
    return is_read_inverted(submission)


def is_read_inverted(submission: Submission) -> bool:
    """Whether black means manipulated in its maps, as the user said of it."""
    return submission.identity.get(POLARITY) == Polarity.BLACK.value


def with_polarity(submission: Submission, polarity: Polarity) -> Submission:
    """The submission, its maps read in another polarity."""
    return replace(submission, identity={**submission.identity, POLARITY: polarity.value})


def derived_by(submission: Submission) -> ImageScore:
    """How image scores are derived from its maps, as the user said of it."""
    return ImageScore(submission.identity.get(_IMAGE_SCORE, ImageScore.MAX.value))


def with_derived(submission: Submission, how: ImageScore) -> Submission:
    """The submission, its image scores derived in another way."""
    return replace(submission, identity={**submission.identity, _IMAGE_SCORE: how.value})


def settings_shown(submission: Submission) -> ImdlSettings:
    """The settings with which the window scores a submission: the user's choices, at 0.5."""
    read_as = Polarity.BLACK if is_read_inverted(submission) else Polarity.WHITE
    return ImdlSettings(prediction_polarity=read_as, image_score=derived_by(submission))


def head_score(submission: Submission, trial: Trial) -> float | None:
    """What the model's own head says of the image, where a file beside the maps says it."""
    answers = submission.answers
    return answers.score_of(trial.id) if isinstance(answers, PredictionAnswers) else None


def has_head_file(submission: Submission) -> bool:
    """Whether a file beside the maps has the scores of the model's own head."""
    answers = submission.answers
    return isinstance(answers, PredictionAnswers) and answers.has_scores
