"""``python -m tests.fuzz --count N --seed S [--kind png,jp2]``: prints what went wrong."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.fuzz.doors import KINDS
from tests.fuzz.run import run


def make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--count", type=int, default=1000, help="how many inputs")
    parser.add_argument("--seed", default="0", help="another seed gives other inputs")
    parser.add_argument("--kind", default="", help="only these: " + ",".join(KINDS))
    parser.add_argument("--first", type=int, default=0, help="number of the first input")
    parser.add_argument("--keep", type=Path, help="folder for inputs that failed")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    parser = make_parser()
    options = parser.parse_args(arguments)
    kinds = [kind for kind in options.kind.split(",") if kind] or list(KINDS)
    if unknown := set(kinds) - set(KINDS):
        parser.error(f"no such kind: {', '.join(sorted(unknown))}")

    def tell(text: str) -> None:
        sys.stderr.write(f"{text}\n")

    # In memory where there is such a folder: inputs are written and removed by the thousand.
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(
        prefix="fuzz-", dir=memory if memory.is_dir() else None
    ) as scratch:
        folder = (options.keep or Path(scratch)).absolute()
        report = run(
            folder,
            count=options.count,
            seed=options.seed,
            kinds=kinds,
            first=options.first,
            tell=tell,
        )
    sys.stdout.write("\n".join(report.lines()) + "\n")
    return 0 if report.is_clean else 1


if __name__ == "__main__":
    sys.exit(main())
