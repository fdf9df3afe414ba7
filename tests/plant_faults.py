"""Damages references in 24 ways and measures what ``forensicviewer qa`` finds of it.

``python -m tests.plant_faults [--seed S]… [--dataset NAME|FOLDER]… [--more] [--odd]`` prints three
tables: hits by kind and dataset, hits by rule and dataset, and false alarms by rule and dataset.
Suspects of clean data are false alarms, but for those that were looked at and are faults.
A fault is found when its trial gets a suspect (not a note) that it did not have before. The rule of
a kind is the one it is a matter of (``tests.faults.rules``); in brackets stands how often this very
rule named it. ``--more`` and ``--odd`` plant other kinds than the 24, ``--all`` every kind.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from forensicviewer.app.datasets.opening import open_dataset
from forensicviewer.app.quality.search import (
    Looked,
    check_trial,
    search_suspects,
    tasks_to_check,
)
from forensicviewer.core.model import Submission, Task, TaskKind, Trial
from forensicviewer.core.problem import Severity
from forensicviewer.core.quality.rule import RULES
from forensicviewer.sources.files.paths import resolve
from forensicviewer.sources.sample import write_sample
from tests.faults.kinds import FAULTS, Patient
from tests.faults.looked_at import LOOKED_AT
from tests.faults.more_kinds import MORE_FAULTS, VIDEO_KINDS
from tests.faults.odd_kinds import ODD_FAULTS, ODD_VIDEO_KINDS
from tests.faults.rules import RULE_OF_KIND
from tests.sources.imdl.build import area, image, mask

SUITE = Path(__file__).parents[2] / "shared" / "nist-suite" / "maskScorerTests"


KINDS = tuple(FAULTS)
MORE_KINDS = tuple(MORE_FAULTS)
ODD_KINDS = tuple(ODD_FAULTS)
_ALL = FAULTS | MORE_FAULTS | ODD_FAULTS
_OF_VIDEOS = ("interval_beyond_the_end", *VIDEO_KINDS, *ODD_VIDEO_KINDS)


@dataclass
class Measured:
    """What was planted and found in one dataset."""

    trials: int = 0
    alarms: list[str] = field(default_factory=list)
    true_suspects: list[str] = field(default_factory=list)
    planted: Counter[str] = field(default_factory=Counter)
    found: Counter[str] = field(default_factory=Counter)
    named: Counter[str] = field(default_factory=Counter)
    by: dict[str, tuple[str, ...]] = field(default_factory=dict)


Alarms = set[tuple[str, str, str]]


class Memory:
    """Checks each trial once as long as its rows and files stay as they are."""

    def __init__(self) -> None:
        self._known: dict[object, Looked] = {}

    def check(
        self, task: Task, trial: Trial, submissions: Sequence[Submission], off: Collection[str]
    ) -> Looked:
        row = (task.name, trial.id, trial.is_target, trial.operations, tuple(trial.facts.items()))
        key = repr((row, [_stamp(Path(task.root), name) for name in _files(trial)]))
        if key not in self._known:
            self._known[key] = check_trial(task, trial, submissions, off)
        return self._known[key]


def _files(trial: Trial) -> tuple[str, ...]:
    base = trial.facts.get("BaseFileName", "")
    return trial.probe.name, trial.reference or "", trial.bit_planes or "", base


def _stamp(root: Path, name: str) -> tuple[str, int, int]:
    if not name or not (path := resolve(root, name)).is_file():
        return name, 0, 0
    return name, path.stat().st_size, path.stat().st_mtime_ns


def alarms_in(
    root: Path, task: str | None = None, memory: Memory | None = None
) -> tuple[Alarms, int]:
    """(task, trial, rule) of every suspect that is no note."""
    check_one = (memory or Memory()).check
    tasks = [t for t in tasks_to_check(open_dataset(root)) if task in (None, t.name)]
    findings = search_suspects(tasks, progress=lambda _done, _all: None, check_one=check_one)
    told = {
        (one.task, str(one.trial), one.suspect.rule)
        for one in findings.suspects
        if one.suspect.level is not Severity.NOTE
    }
    return told, findings.trials


def measure(pristine: Path, seed: int, kinds: Iterable[str] = KINDS) -> Measured:
    """Plant each kind once, wherever chance puts it, in a copy of a dataset."""
    rng, result, memory = random.Random(seed), Measured(), Memory()
    clean, result.trials = alarms_in(pristine, memory=memory)
    known = LOOKED_AT.get(pristine.name, {})
    result.alarms = [" ".join(alarm) for alarm in sorted(clean - known.keys())]
    result.true_suspects = [
        f"{' '.join(one)}: {known[one]}" for one in sorted(clean & known.keys())
    ]
    for kind in kinds:
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / pristine.name
            shutil.copytree(pristine, copy)
            patient = _damaged(copy, kind, rng)
            if patient is None:
                continue
            result.planted[kind] += 1
            told, _ = alarms_in(copy, patient.task.name, memory)
            new = {alarm for alarm in told - clean if alarm[1] == str(patient.trial.id)}
            result.found[kind] += bool(new)
            rules = {rule for _, _, rule in new}
            result.named[kind] += RULE_OF_KIND[kind] in rules
            result.by[kind] = tuple(sorted(rules))
    return result


def _damaged(root: Path, kind: str, rng: random.Random) -> Patient | None:
    dataset = open_dataset(root)
    tasks = tasks_to_check(dataset)
    candidates = [(task, row) for task in tasks for row in range(len(task.trials))]
    rng.shuffle(candidates)
    for task, row in candidates:
        trial = task.trials[row]
        is_imdl = task.kind is TaskKind.IMDL
        patient = Patient(Path(task.root), task, trial, rng, is_imdl)
        is_video = task.kind is TaskKind.VIDEO
        if is_video != (kind in _OF_VIDEOS) or trial.is_target is not True:
            continue
        path = patient.mask_path
        if not is_video and (path is None or not path.is_file()):
            continue
        if _ALL[kind](patient):
            return patient
    return None


def miniature(root: Path) -> Path:
    """A folder as IMDL-BenCo lists it, every mask another one."""
    rng = random.Random(5)
    for number in range(8):
        image(root / "Tp" / f"{number}.png", (96, 128), seed=number)
        top, left = rng.randrange(8, 40), rng.randrange(8, 60)
        box = (top, left, top + rng.randrange(36, 50), left + rng.randrange(36, 60))
        mask(root / "Gt" / f"{number}.png", area((96, 128), box), size=(96, 128))
    return root


def datasets(folder: Path, names: Iterable[str]) -> Iterator[Path]:
    """The datasets to damage, samples or folders; none is changed where it lies."""
    for name in names:
        if name == "suite" and SUITE.is_dir():
            shutil.copytree(SUITE, folder / "suite")
            yield folder / "suite"
        elif name == "imdl":
            yield miniature(folder / "imdl")
        elif Path(name).is_dir():
            yield Path(name)
        elif name != "suite":
            write_sample(folder, [name])
            yield folder / name


DATASETS = (
    "NC2016_Sample",
    "NC2017_Sample",
    "MFC2018_Sample",
    "MFC2019_Sample",
    "NC2016_Plan",
    "NC2017_Plan",
    "MFC2019_Plan",
    "IMDL_Sample",
    "suite",
    "imdl",
)


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


Results = dict[str, list[Measured]]


def _tell(results: Results, kinds: Sequence[str]) -> None:
    names = list(results)
    _say(f"\nkind | {' | '.join(names)} | all")
    found_kinds = sum(_row(results, kind, [kind]) for kind in kinds)
    _say(f"{found_kinds} of {len(kinds)} kinds found more often than not")
    _say(f"\nrule: hits | {' | '.join(names)} | all")
    for rule in RULES:
        own = [kind for kind in kinds if RULE_OF_KIND[kind] == rule.name]
        if own:
            _row(results, rule.name, own, is_rule=True)
    _row(results, "all rules", kinds)
    trials = {name: ones[0].trials for name, ones in results.items()}
    _say(f"\nrule: false alarms | {' | '.join(names)} | all")
    for title in (*(rule.name for rule in RULES), ""):
        alarms = {name: _alarms(ones[0], title) for name, ones in results.items()}
        cells = [f"{count}/{trials[name]}" for name, count in alarms.items()]
        whole = f"{sum(alarms.values())}/{sum(trials.values())}"
        _say(f"{title or 'trials with any'} | {' | '.join(cells)} | {whole}")
    for name, ones in results.items():
        for alarm in ones[0].alarms:
            _say(f"false alarm: {name} {alarm}")
        for suspect in ones[0].true_suspects:
            _say(f"a fault, looked at: {name} {suspect}")


def _row(results: Results, title: str, kinds: Sequence[str], *, is_rule: bool = False) -> bool:
    """Write what was found of some kinds in each dataset; say whether it was more than half."""
    sums, cells = [0, 0, 0], []
    for ones in results.values():
        counts = [
            sum(one.found[kind] for one in ones for kind in kinds),
            sum(one.planted[kind] for one in ones for kind in kinds),
            sum(one.named[kind] for one in ones for kind in kinds),
        ]
        sums = [whole + count for whole, count in zip(sums, counts, strict=True)]
        cells.append(_cell(counts, is_rule=is_rule))
    _say(f"{title} | {' | '.join(cells)} | {_cell(sums, is_rule=is_rule)}")
    return 2 * sums[0] > sums[1]


def _cell(counts: Sequence[int], *, is_rule: bool) -> str:
    found, planted, named = counts
    if not planted:
        return "-"
    return f"{found}/{planted}" + (f" ({named})" if is_rule else "")


def _alarms(one: Measured, rule: str) -> int:
    """The clean trials a rule suspects; without a name, any rule."""
    hit = [alarm.rsplit(" ", 1) for alarm in one.alarms]
    return len({trial for trial, by in hit if rule in ("", by)})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, action="append", help="may be repeated (default: 1)")
    parser.add_argument("--dataset", action="append", help=f"folder, or {', '.join(DATASETS)}")
    parser.add_argument("--kind", action="append", choices=tuple(_ALL))
    sets = parser.add_mutually_exclusive_group()
    for name, kinds in (("more", MORE_KINDS), ("odd", ODD_KINDS), ("all", tuple(_ALL))):
        words = f"plant {len(kinds)} kinds instead"
        sets.add_argument(f"--{name}", dest="kinds", action="store_const", const=kinds, help=words)
    options = parser.parse_args()
    kinds = options.kind or options.kinds or KINDS
    results: Results = {}
    with tempfile.TemporaryDirectory() as folder:
        for root in datasets(Path(folder), options.dataset or DATASETS):
            for seed in options.seed or (1,):
                result = measure(root, seed, kinds)
                results.setdefault(root.name, []).append(result)
                missed = [kind for kind in result.planted if not result.found[kind]]
                _say(f"# {root.name}, seed {seed}, missed: {', '.join(missed) or 'none'}")
                by = "; ".join(f"{kind}: {', '.join(rules)}" for kind, rules in result.by.items())
                _say(f"#   {by}")
    _tell(results, kinds)


if __name__ == "__main__":
    main()
