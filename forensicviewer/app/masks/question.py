"""What one side of one trial is compared with, or why it is not scored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from forensicviewer.app.language.words import to_translate
from forensicviewer.core.problem import Problem, Severity
from forensicviewer.core.rules.mask import UnusableMask
from forensicviewer.core.score import LevelCounts

if TYPE_CHECKING:
    from forensicviewer.app.masks.counting import CountingJob

JobT = TypeVar("JobT", bound="CountingJob[Any]")


@dataclass(frozen=True, slots=True)
class Question(Generic[JobT]):
    """What one side of one trial is compared with, or ``why`` it is not scored.

    ``job`` names the masks and how they are read; it is there for unscored sides too, as far as
    their files are known, because a reader wants to see them. ``failure`` says why a mask the
    submission names is not used and a white one stands in.
    """

    job: JobT | None = None
    why: str = ""
    why_parts: Mapping[str, str] = field(default_factory=dict)
    is_omitted: bool = False
    opt_out_score: int | None = None
    failure: str = ""
    has_no_region: bool = False

    @property
    def is_scored(self) -> bool:
        return self.job is not None and not self.why

    def unscored(self, why: str, **parts: str) -> Question[JobT]:
        return replace(self, why=why, why_parts=parts)

    def without_opt_out(self, counts: LevelCounts) -> LevelCounts:
        """Counts with the pixels opted out of taken out."""
        return counts if self.opt_out_score is None else counts.without_level(self.opt_out_score)


UNUSABLE_MASK = UnusableMask.key
BROKEN_REFERENCE = "mask-broken-reference"


def unusable_mask(
    trial: str, mask: str, why: str, *, where: str, hint: str, rule: str = UNUSABLE_MASK
) -> Problem:
    """A mask that cannot be scored, in the same words wherever it is found out: told once."""
    message = f"{trial}: {mask} cannot be scored: {why}"
    return Problem(Severity.ERROR, message, where, hint, rule)


NOT_TARGET = to_translate("Not manipulated, so not scored")
NO_REFERENCE = to_translate("Not scored: the reference does not list this trial")
