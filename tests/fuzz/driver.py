"""The process that opens inputs as the window does, and says after each what happened."""

from __future__ import annotations

import json
import logging
import os
import resource
import shutil
import sys
import time
import traceback
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random

from forensicviewer.app.runtime.decoders import open_decoders
from forensicviewer.sources.decoders.limits import Limits
from forensicviewer.sources.decoders.pool import decoders
from tests.fuzz.doors import WEIGHTS, Supply
from tests.fuzz.run import HANG_S
from tests.fuzz.watch import Watch, peak_mb

_MOST_MEMORY = 8 << 30
_IN_OUR_CODE = ("/forensicviewer/", "/tests/fuzz/doors.py", "/tests/fuzz/imports.py")


class _Heard(logging.Handler):
    """Keeps what the program logs while it opens an input."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.texts.append(record.getMessage())


def main(arguments: list[str]) -> None:
    """Open inputs ``start`` to ``stop`` of a seed below a folder."""
    base, seed, start, stop, kinds = arguments
    resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY, _MOST_MEMORY))
    warnings.simplefilter("ignore")  # of archives with the same name twice, which are made here
    folder = Path(base)
    trap = folder / "outside" / "secret.png"
    watch = Watch(folder, trap)
    supply = Supply(folder, trap, port=watch.port)
    open_decoders(memory_mb=Limits().memory_mb, seconds=Limits().seconds)
    heard = _Heard()
    logging.getLogger().addHandler(heard)
    for number in range(int(start), int(stop)):
        _one(number, seed, kinds.split(","), folder, supply, watch, heard)


def kind_of(number: int, seed: str, kinds: list[str]) -> str:
    """The kind of an input: the same whenever the run is repeated."""
    chance = Random(f"{seed}/{number}/kind")
    return chance.choices(kinds, [WEIGHTS.get(kind, 3) for kind in kinds])[0]


def _one(
    number: int,
    seed: str,
    kinds: list[str],
    base: Path,
    supply: Supply,
    watch: Watch,
    heard: _Heard,
) -> None:
    kind = kind_of(number, seed, kinds)
    given = base / "in" / str(number)

    def make() -> Callable[[], None]:
        return supply.make(kind, given, Random(f"{seed}/{number}"))

    work = make()
    heard.texts.clear()
    _tell({"begin": number, "kind": kind})
    busy_s = _processor_s()
    watch.begin(given)
    took = _opened(work)
    watch.finish()
    told = {
        "end": number,
        "seconds": round(took.seconds, 3),
        "peak_mb": peak_mb(),
        "internal": _decoders_signature(heard.texts) or took.internal,
        "logged": [] if took.internal else [text[:2000] for text in heard.texts],
        "opened": list(watch.opened),
        "talked": list(watch.talked),
    }
    # Only now: reading it opens files, and the watch would tell of them.
    processor_s = _processor_s() - busy_s
    if took.seconds > HANG_S:
        told["processor"] = round(processor_s, 3)
        # Whether the file or the machine is slow: the same once more.
        told["again"] = round(_opened(make()).seconds, 3)
    is_kept = any(told[name] for name in ("internal", "opened", "talked", "logged"))
    if not (is_kept or took.seconds > HANG_S):
        shutil.rmtree(given, ignore_errors=True)
    _tell(told)


@dataclass(frozen=True)
class _Took:
    """How long an input took, and what it set off."""

    seconds: float
    internal: str


def _opened(work: Callable[[], None]) -> _Took:
    started_s = time.monotonic()
    internal = ""
    try:
        work()
    except Exception as error:  # noqa: BLE001 - whatever comes here is what is looked for
        internal = _signature(error)
    return _Took(time.monotonic() - started_s, internal)


def _processor_s() -> float:
    """What this process and its decoders computed so far, those that ended included."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    total = time.process_time() + ended.ru_utime + ended.ru_stime
    for pid in decoders().pids:
        with suppress(OSError):
            fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2]
            user, system = fields.split()[11:13]
            total += (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")
    return total


def _signature(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if any(part in frame.filename for part in _IN_OUR_CODE)]
    places = [f"{Path(frame.filename).name}:{frame.lineno}" for frame in ours[-4:]]
    return f"{type(error).__name__}: {str(error)[:120]!r} at {' > '.join(places)}"


def _decoders_signature(logged: list[str]) -> str:
    """The last lines of the traceback a decoder gave, without what differs from file to file."""
    for text in logged:
        if text.startswith("Internal error"):
            lines = [line.strip() for line in text.splitlines() if line.strip()]
            places = [line.split("/")[-1] for line in lines if line.startswith("File ")]
            return f"in a decoder: {lines[-1][:160]} at {' > '.join(places[-3:])}"
    return ""


def _tell(message: object) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
