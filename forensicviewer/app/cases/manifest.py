"""What a case file says about itself: trial, numbers, files, gaps, verdicts, custody."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from forensicviewer import __version__
from forensicviewer.core.measurement import Measurement
from forensicviewer.sources.files.sealed_zip import check_path, refused

SUFFIX = ".fvcase"
FORMAT = "forensicviewer case"
VERSION = 1
_MOST_MEASURED = 200  # one for each submission; each is computed again when the case is opened
_KINDS: dict[str, type] = {
    **dict.fromkeys(("case", "licence", "note", "dataset", "task", "trial", "made_at"), str),
    **dict.fromkeys(("submissions", "measured", "pictures", "verdicts", "gaps", "custody"), list),
}


@dataclass(frozen=True, slots=True)
class Gap:
    """A file that is not in the case, by its path there; its digest says which file it is."""

    path: str
    role: str
    sha256: str
    why: str

    def as_json(self) -> dict[str, str]:
        return {"path": self.path, "role": self.role, "sha256": self.sha256, "why": self.why}


@dataclass(frozen=True, slots=True)
class Custody:
    """Who had the case, when, and the digest of everything it held then."""

    who: str
    when: str
    what: str
    content: str
    previous: str = ""

    def as_json(self) -> dict[str, str]:
        return {
            "who": self.who,
            "when": self.when,
            "what": self.what,
            "content": self.content,
            "previous": self.previous,
        }

    @property
    def digest(self) -> str:
        return _digest(self.as_json())


@dataclass(frozen=True, slots=True)
class Manifest:
    """The manifest as it is written; ``content`` is the document with everything in it."""

    content: Mapping[str, Any]

    @classmethod
    def read(cls, content: Mapping[str, Any], path: Path) -> Manifest:
        """Check what a file says; raises where it is not a case this version can read."""
        if content.get("format") != FORMAT:
            raise refused("This is not a case file", path)
        if content.get("version") != VERSION:
            raise refused("This version of forensicviewer cannot read the case file", path)
        for name, kind in _KINDS.items():
            if not isinstance(content.get(name), kind):
                raise refused(f"The manifest does not state {name}", path)
        found = cls(content)
        try:
            _ = found.measured, found.gaps, found.custody, found.pictures, found.digest
            places = [*found.submissions.values(), f"dataset/{content['dataset']}"]
        except (
            *(ArithmeticError, ValueError, TypeError, KeyError, AttributeError),
            RecursionError,
        ) as error:
            raise refused("The manifest cannot be read", path) from error
        if len(found.measured) > _MOST_MEASURED:
            raise refused(f"The manifest states more than {_MOST_MEASURED} numbers", path)
        for place in places:
            check_path(place, path)
        found._check_custody(path)
        return found

    def _check_custody(self, path: Path) -> None:
        previous, content = "", self.digest
        if not self.custody:
            raise refused("The case file has no custody list", path)
        for one in self.custody:
            if one.previous != previous:
                raise refused("The custody list was changed", path)
            if one.content != content:
                raise refused("The manifest differs from the one in the custody list", path)
            previous = one.digest

    @property
    def digest(self) -> str:
        """The digest of everything but the custody list: files, numbers, verdicts, gaps."""
        return _digest({name: one for name, one in self.content.items() if name != "custody"})

    def handed_on(self, who: str, what: str) -> Manifest:
        """The same in other hands."""
        when = datetime.now(UTC).isoformat(timespec="seconds")
        listed = self.custody if "custody" in self.content else ()
        entry = Custody(who, when, what, self.digest, listed[-1].digest if listed else "")
        entries = [one.as_json() for one in (*listed, entry)]
        return replace(self, content={**self.content, "custody": entries})

    @property
    def custody(self) -> tuple[Custody, ...]:
        names = ("who", "when", "what", "content", "previous")
        return tuple(
            Custody(*(str(one[name]) for name in names)) for one in self.content["custody"]
        )

    @property
    def gaps(self) -> tuple[Gap, ...]:
        names = ("path", "role", "sha256", "why")
        return tuple(Gap(*(str(one[name]) for name in names)) for one in self.content["gaps"])

    @property
    def measured(self) -> tuple[Measurement, ...]:
        """The numbers of every submission by the evaluation's settings, then those of verdicts."""
        listed = [*self.content["measured"]]
        listed += [one for verdict in self.content["verdicts"] for one in verdict["measured"]]
        return tuple(Measurement.from_json(one) for one in listed)

    @property
    def pictures(self) -> tuple[tuple[str, str], ...]:
        """The submission and the digest of the pixels of every image of the report."""
        listed = self.content["pictures"]
        return tuple((str(one["submission"]), str(one["sha256"])) for one in listed)

    @property
    def submissions(self) -> dict[str, str]:
        """The place of each submission in the case, by its name."""
        return {str(one["name"]): str(one["path"]) for one in self.content["submissions"]}

    @property
    def dataset(self) -> str:
        return str(self.content["dataset"])

    @property
    def task(self) -> str:
        return str(self.content["task"])

    @property
    def trial(self) -> str:
        return str(self.content["trial"])


def new_manifest(content: Mapping[str, object]) -> Manifest:
    """A manifest that says who wrote it and when."""
    head = {"format": FORMAT, "version": VERSION, "program": f"forensicviewer {__version__}"}
    when = datetime.now(UTC).isoformat(timespec="seconds")
    return Manifest({**head, "made_at": when, **content})


def _digest(document: object) -> str:
    text = json.dumps(document, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
