"""The files and headline of a run over images and masks."""

from __future__ import annotations

import math
from collections.abc import Mapping

from forensicviewer.app.imdl.run import ImageResult, ImdlRun
from forensicviewer.app.report.score_output import OutputTable, ScoreOutput
from forensicviewer.core.imdl.pixel_scores import BEST, METRICS
from forensicviewer.core.imdl.run_scores import ImageScores, RunScores, threshold_of_level
from forensicviewer.core.problem import Problem

PER_IMAGE, SUMMARY = "imdl_perimage.csv", "imdl_summary.csv"
_DECIMALS = 10
_COLUMNS = (*METRICS, *BEST)
_LABELS = {True: "1", False: "0", None: ""}
_AVERAGED = (*METRICS, BEST[0])
_MORE = (
    *("F1_exact", "F1_mvss", "F1_micro", "F1_macro", "F1_weighted", "F1_best_inverse"),
    *("F1_band_best", "F1_band", "F1_pooled", "IoU_pooled", "Accuracy_pooled", "AUC_pooled"),
    *("ImageBalancedAccuracy", "ImageF1_mvss", "CombinedF1_mvss"),
)
_HEADLINE = ("F1", "IoU", "Accuracy", "AUC", "AUC_benco", "ImageF1", "ImageAUC")


def imdl_output(run: ImdlRun, *, opening: tuple[Problem, ...] = ()) -> ScoreOutput:
    """The tables of a run, its headline and how it was made; with what opening had to tell."""
    totals, image = run.totals(), run.image_scores()
    numbers = totals.numbers(image)
    return ScoreOutput(
        scorer="imdl",
        tables=(per_image_table(run), summary_table(run)),
        headline={key: printed(numbers[key]) for key in _HEADLINE},
        settings={
            "task": run.task.name,
            "threshold": run.settings.threshold,
            "called": "a score above the threshold",
            "manipulated only": run.settings.manipulated_only,
            "images": "all" if run.settings.trials is None else f"{len(run.results)} listed ones",
            "prediction polarity": _polarity(run),
            "image score": _score_kinds(run),
            "image-level numbers": image.why or "over all images with a score",
            "AUC_benco": "ignores ties: with ties it depends on the sort order",
        },
        problems=(*opening, *run.problems),
    )


def per_image_table(run: ImdlRun) -> OutputTable:
    """One row per image of the dataset, also those without a prediction."""
    columns = ("Image", "Label", "Status", *_COLUMNS, "ImageScore", "ImageScoreKind", "Geometry")
    return OutputTable(PER_IMAGE, columns, [_row(one) for one in run.results])


def _row(one: ImageResult) -> tuple[str, ...]:
    numbers: Mapping[str, float] = {} if one.answer is None else one.answer.numbers
    cells = [_cell(name, numbers.get(name, math.nan)) for name in _COLUMNS]
    geometry = "" if one.answer is None else one.answer.geometry
    label = _LABELS[one.trial.is_target]
    score = printed(one.image_score)
    return (one.trial.id, label, one.status, *cells, score, one.score_kind, geometry)


def _cell(name: str, value: float) -> str:
    if name == BEST[1] and not math.isnan(value):
        # Rounded, it could lie on the other side of the score it separates.
        return repr(value)
    return printed(value)


def summary_table(run: ImdlRun) -> OutputTable:
    """One row: the means, over how many images, and how many were left out."""
    totals, image = run.totals(), run.image_scores()
    considered = len(run.considered)
    numbers = totals.numbers(image)
    cells: dict[str, str] = {
        "Dataset": run.task.table.name,
        "Predictions": run.submission.name,
        "Threshold": f"{run.settings.threshold:g}",
        "ManipulatedOnly": "Y" if run.settings.manipulated_only else "N",
        "Images": str(considered),
        "Scored": str(totals.images),
        "NotScored": str(considered - totals.images),
    }
    for key in _AVERAGED:
        used = totals.used[key]
        cells[key] = printed(numbers[key])
        cells[f"{key}_used"], cells[f"{key}_left_out"] = str(used), str(considered - used)
    cells |= _image_cells(run, image) | _best_cells(totals)
    cells |= {key: printed(numbers[key]) for key in _MORE}
    return OutputTable(SUMMARY, tuple(cells), [tuple(cells.values())])


def _image_cells(run: ImdlRun, image: ImageScores) -> dict[str, str]:
    return {
        "ImageF1": printed(image.f1),
        "ImageAccuracy": printed(image.accuracy),
        "ImageAUC": printed(image.auc),
        "Image_used": str(image.images),
        "Image_left_out": str(len(run.results) - image.images),
        "ImageScoreKind": _score_kinds(run),
    }


def _best_cells(totals: RunScores) -> dict[str, str]:
    level = totals.best_level
    best = math.nan if level is None else float(totals.mean_curve[level])
    at = math.nan if level is None else threshold_of_level(level)
    return {"BestThreshold": printed(at), "BestThresholdF1": printed(best)}


def _score_kinds(run: ImdlRun) -> str:
    kinds = dict.fromkeys(one.score_kind for one in run.results if one.score_kind)
    return ", ".join(kinds) or "none"


def _polarity(run: ImdlRun) -> str:
    given = run.settings.prediction_polarity
    return "white (default)" if given is None else given.value


def printed(value: float) -> str:
    """A number with ten decimals; blank where it is undefined."""
    return "" if math.isnan(value) else repr(round(value, _DECIMALS))
