"""The options every scorer shares, and how they become an opened task and submission."""

from __future__ import annotations

import argparse
from pathlib import Path

from forensicviewer.core.rules import RULE_SETS


def add_shared_options(parser: argparse.ArgumentParser) -> None:
    """Options that mean the same for every scorer."""
    parser.add_argument("dataset", type=Path, metavar="DATASET", help="dataset directory")
    parser.add_argument(
        "submission", type=Path, metavar="SUBMISSION", help="submission folder, table or archive"
    )
    parser.add_argument(
        "--out", type=Path, required=True, metavar="DIR", help="folder the result files go to"
    )
    parser.add_argument(
        "--task", metavar="TASK", help="task to score where the dataset has several"
    )
    parser.add_argument("--index", type=Path, metavar="FILE", help="index table to use")
    parser.add_argument("--reference", type=Path, metavar="FILE", help="reference table to use")
    parser.add_argument(
        "--query", nargs="+", metavar="Q", help="score each selection of trials on its own"
    )
    parser.add_argument(
        "--query-partition", metavar="Q", help="score every combination of the listed values"
    )
    parser.add_argument(
        "--query-manipulation",
        nargs="+",
        metavar="Q",
        help="score only the selected operations or targets",
    )
    parser.add_argument(
        "--opt-out", action="store_true", help="leave out trials the system opted out of"
    )
    parser.add_argument(
        "--precision", type=int, metavar="N", help="significant digits in the files"
    )
    parser.add_argument(
        "--rules",
        default=RULE_SETS[0].name,
        choices=[rules.name for rules in RULE_SETS],
        help="rule set that decides where NIST's code and plans differ (default: %(default)s)",
    )
    parser.add_argument("--html", action="store_true", help="also write a page to read")
    parser.add_argument("--json", action="store_true", help="print the summary as JSON")
    parser.add_argument("--quiet", action="store_true", help="print nothing but errors")
