"""What scripts score detection with: pandas and scikit-learn, from the same three files.

``python -m benchmarks.scale.peer INDEX REFERENCE ANSWERS OUT``: the tables are read by pandas' C
engine, merged on the key only, and the area under the curve and the equal error rate are written.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pandas as pd  # noqa: TID253 - the peer is nothing else
from sklearn.metrics import roc_auc_score, roc_curve

KEY = "ProbeFileID"


def score(index: Path, reference: Path, answers: Path, out: Path) -> None:
    asked = pd.read_csv(index, sep="|", engine="c")
    truth = pd.read_csv(reference, sep="|", engine="c")
    said = pd.read_csv(answers, sep="|", engine="c")
    trials = truth.merge(said, how="left", on=KEY).merge(asked, how="inner", on=KEY)
    targets = (trials["IsTarget"] == "Y").to_numpy()
    scores = trials["ConfidenceScore"].fillna(trials["ConfidenceScore"].min()).to_numpy()
    far, cdr, _ = roc_curve(targets, scores)
    nearest = np.argmin(np.abs(far - (1 - cdr)))
    summary = {
        "TRIALS": len(trials),
        "AUC": roc_auc_score(targets, scores),
        "EER": (far[nearest] + 1 - cdr[nearest]) / 2,
    }
    out.mkdir(parents=True, exist_ok=True)
    pd.DataFrame([summary]).to_csv(out / "summary.csv", sep="|", index=False)


if __name__ == "__main__":
    score(*map(Path, sys.argv[1:]))
