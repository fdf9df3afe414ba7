"""Agreement of judges, against published figures, scikit-learn and the definition by pairs."""

import random

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from forensicviewer.app.judging.agreement import cohens_kappa, krippendorffs_alpha, raw_agreement

# Krippendorff (2011), Computing Krippendorff's Alpha-Reliability, section C: four observers,
# twelve units, missing values.
_OBSERVED = {
    "A": "123321412...",
    "B": "1233224125.3",
    "C": ".3332342251.",
    "D": "12332441251.",
}


def units(observed: dict[str, str]) -> list[dict[str, str]]:
    count = len(next(iter(observed.values())))
    return [
        {judge: row[place] for judge, row in observed.items() if row[place] != "."}
        for place in range(count)
    ]


def test_alpha_is_the_published_one() -> None:
    assert krippendorffs_alpha(units(_OBSERVED)) == pytest.approx(0.743, abs=0.0005)


def by_coincidences(found: list[dict[str, str]], values: str) -> float:
    """Alpha from the matrix of coincidences, as the paper computes it step by step."""
    matrix = np.zeros((len(values), len(values)))
    for unit in found:
        said = [values.index(value) for value in unit.values()]
        for i, one in enumerate(said):
            for j, other in enumerate(said):
                if i != j:
                    matrix[one, other] += 1 / (len(said) - 1)
    totals, n = matrix.sum(axis=0), matrix.sum()
    agreed = (n - 1) * np.trace(matrix) - (totals * (totals - 1)).sum()
    return float(agreed / (n * (n - 1) - (totals * (totals - 1)).sum()))


@pytest.mark.parametrize("seed", range(20))
def test_kappa_and_alpha_agree_with_independent_computations(seed: int) -> None:
    chance = random.Random(seed)
    rows = {judge: "".join(chance.choices("abc.", k=40)) for judge in "XYZ"}
    found = units(rows)

    both = [unit for unit in found if "X" in unit and "Y" in unit]
    kappa = cohen_kappa_score([unit["X"] for unit in both], [unit["Y"] for unit in both])
    assert cohens_kappa(found, "X", "Y") == pytest.approx(kappa, abs=1e-12)
    alpha = by_coincidences([unit for unit in found if len(unit) > 1], "abc")
    assert krippendorffs_alpha(found) == pytest.approx(alpha, abs=1e-12)


def test_raw_agreement_counts_pairs() -> None:
    assert raw_agreement([{"A": "x", "B": "x", "C": "y"}, {"A": "x"}]) == pytest.approx(1 / 3)


def test_what_is_not_defined_is_said_so() -> None:
    same = [{"A": "x", "B": "x"}] * 3

    assert cohens_kappa(same, "A", "B") is None
    assert krippendorffs_alpha(same) is None
    assert raw_agreement([{"A": "x"}]) is None
    assert cohens_kappa([{"A": "x"}], "A", "B") is None
