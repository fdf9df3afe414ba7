"""Names of systems without their teams, and what the plan wants said beside published charts."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence

from forensicviewer.app.genai.scoring import SystemResult
from forensicviewer.app.language.words import to_translate

# Section 2.2 of the plan, after 15 C.F.R. § 200.113 (d).
DISCLAIMER = (
    "NIST does not approve, recommend, or endorse any proprietary product or proprietary material. "
    "No reference shall be made to NIST or to reports or results furnished by NIST in any "
    "advertising or sales promotion which would indicate or imply that NIST approves, recommends, "
    "or endorses any proprietary product or proprietary material or which has as its purpose an "
    "intent to cause directly or indirectly the advertised product to be used or purchased because "
    "of NIST test reports or results. (15 C.F.R. § 200.113 (d))"
)
# Section 6 of the plan.
FOR_GENERATORS = to_translate(
    "For generators, read the numbers the other way round: an AUC of 0.5 or less, and a "
    "BrierT near 1, are good for a generator and poor for the discriminator. BrierN says "
    "nothing about generators."
)


def short_names(names: Sequence[str]) -> tuple[str, ...]:
    """Names of system outputs without what all of them share, and without their cutoffs."""
    bare = [re.sub(r"[_-]?cutoff[_-]?[\d.]+$", "", name, flags=re.IGNORECASE) for name in names]
    # Letters are compared, not folders.
    shared = os.path.commonprefix(bare) if len(bare) > 1 else ""  # noqa: RUF071
    cut = max(shared.rfind("_"), shared.rfind("-")) + 1
    short = [name[cut:] for name in bare]
    return tuple(short) if all(short) and len(set(short)) == len(set(names)) else tuple(names)


def worst_heading(system: str) -> str:
    """What is written over a contact sheet."""
    return f"Most wrong: {system}"


def own_names(systems: Sequence[SystemResult]) -> dict[str, str]:
    """Every system under its own name."""
    return {system.name: system.name for system in systems}


def anonymous_names(systems: Sequence[SystemResult]) -> dict[str, str]:
    """A name for each system that tells nothing about its team.

    Outputs of one team (DiscriminatorID) keep being one team's: Team 1, output 1 and 2.
    """
    teams: dict[str, list[str]] = {}
    for system in systems:
        team = system.submission.identity.get("system", "") or system.name
        teams.setdefault(team, []).append(system.name)
    found: dict[str, str] = {}
    for number, names in enumerate(teams.values(), start=1):
        for output, name in enumerate(names, start=1):
            found[name] = f"Team {number}" + (f", output {output}" if len(names) > 1 else "")
    return found


def names_for(systems: Sequence[SystemResult], *, is_anonymous: bool) -> Mapping[str, str]:
    return anonymous_names(systems) if is_anonymous else own_names(systems)
