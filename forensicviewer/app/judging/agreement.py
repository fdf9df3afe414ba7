"""How far judges agree: raw agreement, Cohen's kappa, Krippendorff's alpha for nominal values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations, permutations

# What each judge says about one trial.
Unit = Mapping[str, str]


def raw_agreement(units: Sequence[Unit]) -> float | None:
    """The share of pairs of judges that say the same, over all trials with two or more."""
    pairs = [a == b for unit in units for a, b in combinations(unit.values(), 2)]
    return sum(pairs) / len(pairs) if pairs else None


def cohens_kappa(units: Sequence[Unit], one: str, other: str) -> float | None:
    """Cohen (1960): (p_o - p_e) / (1 - p_e) of two judges, over the trials both judged.

    ``None`` without such trials, or where both always say one and the same: kappa is 0/0 then.
    """
    both = [(unit[one], unit[other]) for unit in units if one in unit and other in unit]
    if not both:
        return None
    count = len(both)
    observed = sum(a == b for a, b in both)
    first, second = Counter(a for a, _ in both), Counter(b for _, b in both)
    # Times count squared, in whole numbers: what is 0/0 is found exactly.
    expected = sum(first[value] * second[value] for value in first)
    rest = count * count - expected
    return None if rest == 0 else (count * observed - expected) / rest


def krippendorffs_alpha(units: Sequence[Unit]) -> float | None:
    """Krippendorff (2011), nominal: 1 - D_o / D_e of any number of judges, some of them missing.

    ``None`` without two values to pair, or where only one value occurs: alpha is 0/0 then.
    """
    paired = [tuple(unit.values()) for unit in units if len(unit) > 1]
    totals = Counter(value for unit in paired for value in unit)
    count = sum(totals.values())
    differing = sum(
        sum(a != b for a, b in permutations(unit, 2)) / (len(unit) - 1) for unit in paired
    )
    expected = count * count - sum(number * number for number in totals.values())
    return None if expected == 0 else 1 - (count - 1) * differing / expected
