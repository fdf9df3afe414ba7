"""Systems keep apart under short names, and lose their teams under anonymous ones."""

from __future__ import annotations

import numpy as np
import pytest

from forensicviewer.app.genai.naming import short_names
from forensicviewer.app.genai.review import agreement_of


@pytest.mark.parametrize(
    ("names", "short"),
    [
        (("x_sys_a_cutoff-50", "x_sys_b_cutoff-60"), ("a", "b")),
        (("model-01_cutoff-5", "model-02_cutoff-5"), ("01", "02")),
        (("alone_cutoff-50",), ("alone",)),
        # Nothing but the cutoff tells them apart.
        (("a_cutoff-50", "a_cutoff-60"), ("a_cutoff-50", "a_cutoff-60")),
        ((), ()),
    ],
)
def test_short_names_leave_out_what_all_share(
    names: tuple[str, ...], short: tuple[str, ...]
) -> None:
    assert short_names(names) == short


def test_agreement_is_the_share_of_the_larger_side() -> None:
    calls = np.array([[1, 0, -1, 1], [1, 1, -1, 0], [1, 0, -1, -1]], dtype=np.int8)

    assert agreement_of(calls) == pytest.approx([1, 2 / 3, np.nan, 0.5], nan_ok=True)
