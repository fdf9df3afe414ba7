"""A million trials of a GenAI evaluation: opened, scored, listed and filtered, beside pandas.

The peer does the same work from the same files: pandas reads and joins the three tables, and
scikit-learn computes every column of ``genai_summary.csv`` over all trials and by generator.
"""

from __future__ import annotations

import multiprocessing
import tempfile
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.report import Figure, Report, best_of, busy_note, peak_memory_gb, timed

TRIALS = 1_000_000
QUERY = "Error > 0.9 and DatasetID == 'GenAI25-G2-Image-set1'"
SETS = ("GenAI25-G1-Image-set1", "GenAI25-G2-Image-set1", "GenAI25-G3-Image-set1")
FPR, CUTOFF, BINS = 0.1, 0.5, 10
_INDEX, _REFERENCE = "genai25_Image-D_detection_index.csv", "genai25_Image-D_detection_ref.csv"
_OUTPUT = "outputs/genai25_image_d_sys_model-01_cutoff-50.csv"
_PEER = "pandas + scikit-learn"


def run() -> Report:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "GenAI"
        write_dataset(root, trials=TRIALS)
        ours = _in_own_process(measure_ours, root)
        theirs = _in_own_process(measure_peers, root)
    rows = [
        ("open and score", "s", theirs["all"], "all"),
        ("of that, open", "s", None, "open"),
        ("of that, score", "s", None, "score"),
        ("peak memory", "GB", None, "memory"),
        ("list 1,000 trials", "ms", 200.0, "list"),
        ("filter by query, first time", "ms", 200.0, "filter"),
        ("filter by query, again", "ms", 200.0, "filter again"),
        ("filter by words", "ms", 200.0, "words"),
        ("sort the most wrong first", "ms", 200.0, "sort"),
        ("AUC, largest difference to theirs", "", 1e-9, "difference"),
    ]
    ours["difference"] = abs(ours["auc"] - theirs["auc"])
    return Report(
        f"genai: {TRIALS:,} trials, {len(SETS)} generators, one system output",
        tuple(
            Figure(name, ours[key], unit, limit, {_PEER: theirs[key]} if key in theirs else {})
            for name, unit, limit, key in rows
        ),
        notes=(busy_note(), f"  query: {QUERY}; the limit of open and score is the peers' time"),
    )


def measure_ours(root: Path) -> dict[str, float]:
    from forensicviewer.app.datasets.opening import open_dataset, open_submission
    from forensicviewer.app.genai.scoring import GenAISettings, run_genai
    from forensicviewer.app.trials.library import Library
    from forensicviewer.app.trials.score_columns import Scores
    from forensicviewer.app.trials.score_plans import GenAIPlan
    from forensicviewer.app.trials.trial_filter import Sort, TrialFilter

    def opened() -> tuple[Any, Any]:
        (task,) = open_dataset(root).tasks
        return task, open_submission(root / _OUTPUT, task=task)

    (task, submission), open_s = timed(opened)
    found, score_s = timed(lambda: run_genai(task, [submission], GenAISettings(fpr=FPR)))
    measured = {"open": open_s, "score": score_s, "all": open_s + score_s}
    measured |= {"memory": peak_memory_gb(), "auc": found.systems[0].whole.auc}
    columns = GenAIPlan(task, submission, (submission,)).columns()
    library = Library(task, submission, scores=Scores(len(task.trials), columns, is_complete=True))
    library.prepare()
    rows = np.linspace(0, len(task.trials) - 1, 1000).astype(int).tolist()
    measured["list"] = 1000 * best_of(lambda: [task.trials[row].id for row in rows])
    work: dict[str, Callable[[], Any]] = {
        "filter": lambda: library.arranged(TrialFilter(text=QUERY), Sort()),
        "words": lambda: library.arranged(TrialFilter(text="_0012 G2"), Sort()),
        "sort": lambda: library.arranged(TrialFilter(), Sort("Error", descending=True)),
    }
    for name, action in work.items():
        measured[name] = 1000 * timed(action)[1]
        measured[f"{name} again"] = 1000 * best_of(action)
    return measured


def measure_peers(root: Path) -> dict[str, float]:
    import pandas as pd

    def opened() -> pd.DataFrame:
        index = pd.read_csv(root / _INDEX, sep="|")
        reference = pd.read_csv(root / _REFERENCE, sep="|")
        output = pd.read_csv(root / _OUTPUT, sep="|")
        labelled = index.merge(reference[["FileID", "IsTarget"]], how="left", on="FileID")
        return labelled.merge(output[["FileID", "ConfidenceScore"]], how="left", on="FileID")

    def scored() -> dict[str, dict[str, float]]:
        targets, scores = (trials["IsTarget"] == "Y").to_numpy(), trials["ConfidenceScore"]
        found = {"all": _summary(targets, scores.to_numpy())}
        for name, rows in trials.groupby("DatasetID").indices.items():
            found[str(name)] = _summary(targets[rows], scores.to_numpy()[rows])
        return found

    trials, open_s = timed(opened)
    found, score_s = timed(scored)
    return {
        "open": open_s,
        "score": score_s,
        "all": open_s + score_s,
        "memory": peak_memory_gb(),
        "auc": found["all"]["AUC"],
    }


def _summary(targets: NDArray[np.bool_], scores: NDArray[np.float64]) -> dict[str, float]:
    """The columns of genai_summary.csv, each by the call a user of scikit-learn would make."""
    from sklearn import metrics
    from sklearn.calibration import calibration_curve

    fpr, tpr, _ = metrics.roc_curve(targets, scores)
    inside = fpr <= FPR
    at_limit = float(np.interp(FPR, fpr, tpr))
    closest = int(np.argmin(np.abs(fpr - (1 - tpr))))
    called = scores >= CUTOFF
    (tn, fp), (fn, tp) = metrics.confusion_matrix(targets, called)
    shares, means = calibration_curve(targets, scores, n_bins=BINS)
    counts = np.histogram(scores, np.linspace(0, 1, BINS + 1))[0]
    weights = counts[counts > 0] / len(scores)
    return {
        "AUC": float(metrics.auc(fpr, tpr)),
        "pAUC": float(metrics.auc(np.append(fpr[inside], FPR), np.append(tpr[inside], at_limit))),
        "TPR@FPR": at_limit,
        "EER": float((fpr[closest] + 1 - tpr[closest]) / 2),
        "Brier": float(metrics.brier_score_loss(targets, scores)),
        "BrierT": float(np.mean((scores[targets] - 1) ** 2)),
        "BrierN": float(np.mean(scores[~targets] ** 2)),
        "TP": tp,
        "FP": fp,
        "FN": fn,
        "TN": tn,
        "Accuracy": float((tp + tn) / len(scores)),
        "Precision": float(tp / (tp + fp)),
        "Recall": float(tp / (tp + fn)),
        "F1": float(2 * tp / (2 * tp + fp + fn)),
        "ECE": float(np.sum(weights * np.abs(shares - means))),
    }


def write_dataset(root: Path, *, trials: int) -> None:
    """Write index, reference and a system output, as the plan shapes them."""
    random = np.random.default_rng(2025)
    (root / "outputs").mkdir(parents=True)
    targets = random.random(trials) < 0.5
    scores = np.clip(random.normal(0.35 + 0.3 * targets, 0.18), 0, 1)
    order = random.permutation(trials).tolist()
    files = [f"file_{number:07d}.webp" for number in range(trials)]
    keys = [f"{SETS[number % len(SETS)]}|detection" for number in range(trials)]
    labels = np.where(targets, "Y", "N").tolist()
    index = (f"{keys[n]}|{files[n]}" for n in range(trials))
    reference = (f"{keys[n]}|{files[n]}|{labels[n]}" for n in range(trials))
    said = [f"{score:.6f}" for score in scores.tolist()]
    # The row order may change (5.2.1).
    output = (f"{keys[n]}|D-NIST_site|MySystem_Dalle|{files[n]}|{said[n]}" for n in order)
    _write(root / _INDEX, "DatasetID|TaskID|FileID", index)
    _write(root / _REFERENCE, "DatasetID|TaskID|FileID|IsTarget", reference)
    header = "DatasetID|TaskID|DiscriminatorID|ModelVersion|FileID|ConfidenceScore"
    _write(root / _OUTPUT, header, output)


def _write(path: Path, header: str, rows: Any) -> None:
    path.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")


def _in_own_process(measure: Callable[[Path], dict[str, float]], root: Path) -> dict[str, float]:
    """Measured in a fresh process, so that the memory is that of this work alone."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(max_workers=1, mp_context=context) as pool:
        return pool.submit(measure, root).result()
