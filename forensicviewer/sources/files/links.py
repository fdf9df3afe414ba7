"""Which datasets may lead out of their folder through links: those the user trusts."""

from __future__ import annotations

import json
import os
from pathlib import Path

_TRUSTED = "FORENSICVIEWER_TRUSTED_LINKS"


def trust_links(root: Path) -> None:
    """Follow the links of a dataset from now on, also in the processes this one starts."""
    os.environ[_TRUSTED] = json.dumps(sorted({*_trusted(), os.path.realpath(root)}))


def follows_links(root: Path) -> bool:
    """Whether names in this dataset may lead elsewhere through links."""
    real = Path(os.path.realpath(root))
    return any(real.is_relative_to(trusted) for trusted in _trusted())


def _trusted() -> list[str]:
    try:
        found = json.loads(os.environ.get(_TRUSTED, "[]"))
    except ValueError:
        return []
    return [path for path in found if isinstance(path, str)] if isinstance(found, list) else []
