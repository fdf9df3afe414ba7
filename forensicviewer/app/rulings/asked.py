"""A ruling as somebody asks about it: read into a decision, and said as a command."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from forensicviewer.app.datasets.opening import open_task
from forensicviewer.app.masks.settings import MaskSettings, evaluation_settings, usual_kernels
from forensicviewer.app.rulings.ruling import Decision
from forensicviewer.core.model import Submission, Task, TrialId


@dataclass(frozen=True, slots=True)
class AskedRuling:
    """Parts of a ruling about the trial and submission that are looked at.

    ``left_out`` may name other trials, too; ``table`` is a corrected reference table.
    """

    trial_id: TrialId
    submission: str
    left_out: tuple[TrialId, ...] = ()
    reference_mask: Path | None = None
    system_mask: Path | None = None
    table: Path | None = None
    settings: MaskSettings | None = None

    def decision(self, dataset: Path, task: Task) -> Decision:
        """Reads the corrected table, where there is one."""
        own = (self.submission, self.trial_id)
        corrected = None
        if self.table is not None:
            _, corrected = open_task(dataset, name=task.name, reference=self.table)
        return Decision(
            left_out=frozenset(self.left_out),
            references={} if self.reference_mask is None else {self.trial_id: self.reference_mask},
            masks={} if self.system_mask is None else {own: self.system_mask},
            reference=corrected,
            settings=self.settings,
        )

    def command(self, dataset: Path, task: Task, submissions: Sequence[Submission]) -> str:
        """The command that shows the same effect."""
        words = ["forensicviewer", "ruling", str(dataset)]
        words += [str(one.origin) for one in submissions]
        words += ["--task", task.name]
        for trial in self.left_out:
            words += ["--leave-out", str(trial)]
        if self.reference_mask is not None:
            words += ["--reference-mask", str(self.trial_id), str(self.reference_mask)]
        if self.system_mask is not None:
            words += ["--system-mask", self.submission, str(self.trial_id), str(self.system_mask)]
        if self.table is not None:
            words += ["--reference", str(self.table)]
        return shlex.join([*words, *_options(self.settings, task)])


def trials_in(text: str) -> tuple[TrialId, ...]:
    """The trials of a line, separated by commas, semicolons or spaces."""
    return tuple(dict.fromkeys(TrialId(one) for one in re.split(r"[\s,;]+", text) if one))


def _options(settings: MaskSettings | None, task: Task) -> list[str]:
    if settings is None:
        return []
    usual = evaluation_settings(task)
    words = ["--rules", settings.rules.name]
    words += [word for choice in settings.rules.turned for word in ("--rule", str(choice))]
    if settings.shape is not usual.shape:
        words += ["--kernel", settings.shape.value]
    for option, own, other in (
        ("--erode", settings.erode_px, usual.erode_px),
        ("--dilate", settings.dilate_px, usual.dilate_px),
        ("--distraction", settings.distraction_px, usual_kernels(settings.rules).distraction_px),
    ):
        words += [] if own is None or own == other else [option, str(own)]
    words += ["--opt-out-pixels"] if settings.opt_out_pixels else []
    return words + (["--bit-planes"] if settings.bit_planes and not usual.bit_planes else [])
