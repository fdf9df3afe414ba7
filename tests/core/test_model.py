"""What a task knows about its trials."""

from __future__ import annotations

from pathlib import Path

import pytest

from forensicviewer.core.model import TrialId
from forensicviewer.core.problem import UsageError
from tests.mask_build import MaskCase


def test_a_trial_is_found_by_its_id(tmp_path: Path) -> None:
    task, _ = MaskCase(tmp_path).trial("p", "a.").trial("q", ".a").answer("p").open()

    assert [task.require_trial(TrialId(name)).probe.id for name in "qp"] == ["q", "p"]
    assert task.find_trial(TrialId("r")) is None
    assert task.find_trial(None) is None
    with pytest.raises(UsageError, match="r is not a trial of manipulation"):
        task.require_trial(TrialId("r"))
