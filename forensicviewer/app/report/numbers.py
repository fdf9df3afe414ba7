"""Numbers as NIST's files print them."""

from __future__ import annotations

import math
from decimal import ROUND_HALF_UP, Decimal, localcontext

_FULL_DIGITS = 16


_MOST_DECIMALS = 320  # no double has more


def significant(value: float, digits: int) -> float:
    """Round to significant digits, halves away from zero, as NIST's (Python 2) rounding does."""
    if math.isnan(value) or math.isinf(value):
        return value
    decimals = digits - 1
    if value != 0:
        decimals -= math.floor(math.log10(abs(value)))
    if decimals > _MOST_DECIMALS:
        return value
    if not math.ldexp(value, decimals + 1).is_integer():
        # No number of so many binary digits lies halfway, so both ways of rounding agree.
        return round(float(value), decimals)
    with localcontext() as context:
        context.prec = 400
        return float(Decimal(value).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP))


def printed(value: float, *, precision: int = _FULL_DIGITS) -> str:
    """A number in the format of NIST's files."""
    return "" if math.isnan(value) else repr(significant(float(value), precision))


def printed_count(value: float) -> str:
    return "" if math.isnan(value) else str(int(value))
