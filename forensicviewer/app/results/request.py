"""What is asked of a whole run, and the command lines that ask the same."""

from __future__ import annotations

import inspect
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TypeAlias

from forensicviewer.app.language.words import to_translate
from forensicviewer.app.masks.settings import usual_kernels
from forensicviewer.app.workbench.state import Scoring, ViewState
from forensicviewer.core.model import Submission, Task
from forensicviewer.core.rules import RuleSet

Options: TypeAlias = Mapping[str, object]  # by the names they have on the command line

# Where nobody says for which threshold a system is made: the middle grey.
MIDDLE_THRESHOLD = 127


class Division(Enum):
    """How a run is divided; the value is the option of the command line."""

    WHOLE = ""
    QUERY = "query"
    PARTITION = "query_partition"
    OPERATIONS = "query_manipulation"

    @property
    def title(self) -> str:
        return _DIVISIONS[self]


_DIVISIONS = {
    Division.WHOLE: to_translate("Not divided"),
    Division.QUERY: to_translate("By queries"),
    Division.PARTITION: to_translate("By a partition"),
    Division.OPERATIONS: to_translate("By operations"),
}


@dataclass(frozen=True, slots=True)
class Variant:
    """One way to average the same answers: a title and the options that ask for it."""

    title: str
    options: tuple[str, ...] = ()

    @property
    def word(self) -> str:
        """The end of the folder its files go to."""
        return "".join(f"-{option.replace('_', '-')}" for option in self.options)


ALL = Variant(to_translate("All trials"))
OPTED_IN = Variant(to_translate("Opted-in trials"), ("opt_out",))
FULL = Variant(to_translate("Full graph"))
DIRECT = Variant(to_translate("Direct graph"), ("direct",))
FULL_IN = Variant(to_translate("Full graph, opted-in"), ("opt_out",))
DIRECT_IN = Variant(to_translate("Direct graph, opted-in"), ("direct", "opt_out"))


@dataclass(frozen=True, slots=True, eq=False)
class RunRequest:
    """One submission's whole run. ``threshold`` is the Actual one, in NIST's terms.

    ``text`` holds the queries, one a line, or the partition.
    """

    dataset: Path
    task: Task
    submission: Submission
    rules: RuleSet
    scoring: Scoring
    threshold: int = MIDDLE_THRESHOLD
    division: Division = Division.WHOLE
    text: str = ""

    @classmethod
    def of(
        cls,
        state: ViewState,
        *,
        threshold: int | None = None,
        division: Division = Division.WHOLE,
        text: str = "",
    ) -> RunRequest | None:
        """The run of the current submission; ``None`` without one."""
        if state.dataset is None or state.task is None or state.submission is None:
            return None
        return cls(
            Path(state.dataset.root),
            state.task,
            state.submission,
            state.rules,
            state.scoring,
            MIDDLE_THRESHOLD if threshold is None else threshold,
            division if text.strip() else Division.WHOLE,
            text.strip(),
        )

    @property
    def is_divided(self) -> bool:
        return self.division is not Division.WHOLE

    def shared_options(self, variant: Variant, *, divided: bool) -> dict[str, object]:
        """What every scorer is asked."""
        options: dict[str, object] = {"rules": self.rules.name}
        options |= dict.fromkeys(variant.options, True)
        if divided and self.division is Division.PARTITION:
            options[self.division.value] = " ".join(self.text.splitlines())
        elif divided:
            options[self.division.value] = tuple(filter(None, map(str.strip, self._lines())))
        return options

    def _lines(self) -> list[str]:
        return self.text.splitlines()

    def mask_options(self) -> dict[str, object]:
        """What the mask scorer is asked beside that; kernels of a rule set are not named."""
        kernels, usual = self.scoring.kernels, usual_kernels(self.rules)
        is_usual = kernels.distraction_px == usual.distraction_px
        return {
            "kernel": kernels.shape.value,
            "erode": kernels.erode_px,
            "dilate": kernels.dilate_px,
            "distraction": None if is_usual else kernels.distraction_px,
            "threshold": self.threshold,
            "bit_planes": self.task.scores_planes(wanted=self.scoring.uses_bit_planes),
            "opt_out_pixels": self.scoring.honours_opt_out,
        }

    def command(self, scorer: str, options: Options, make: Callable[..., object], out: str) -> str:
        """The command line that a scorer is asked the same with; defaults are left out."""
        defaults = {
            name: parameter.default
            for name, parameter in inspect.signature(make).parameters.items()
        }
        words = ["forensicviewer", "score", scorer, str(self.dataset), str(self.submission.origin)]
        words += ["--task", self.task.name]
        for name, value in options.items():
            if name == "rules" or value != defaults.get(name):
                words += _words(name, value)
        return shlex.join([*words, "--out", out])


def _words(name: str, value: object) -> list[str]:
    option = f"--{name.replace('_', '-')}"
    if value is True:
        return [option]
    if isinstance(value, tuple):
        return [option, *map(str, value)]
    return [option, str(value)]
