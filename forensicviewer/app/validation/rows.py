"""Checks of a submission table against its index: columns, keys, scores, statuses."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from difflib import get_close_matches

import numpy as np

from forensicviewer.app.validation.finding import Findings
from forensicviewer.app.validation.profile import Profile, RuleFamily
from forensicviewer.core.key_index import matching_rows
from forensicviewer.core.model import TaskKind, trial_id
from forensicviewer.core.table.number_cell import number_in
from forensicviewer.core.table.text_table import Table

Key = tuple[str, ...]


def check_columns(table: Table, profile: Profile, findings: Findings) -> bool:
    """Whether every required column is there; without them the rows cannot be checked."""
    missing = [name for name in profile.required if name not in table]
    for name in missing:
        near = closest_name(name, table.names)
        findings.error(
            "columns.required",
            f"The required column {name} is missing",
            row=1,
            expected="|".join(profile.required),
            hint=f"rename the column {near} to {name}" if near else f"add a column {name}",
        )
    for name in profile.lenient:
        if name not in table:
            # The plan of MFC2019 has no such column in 5.2, though its program asks for it.
            is_planned = name != profile.score or profile.family is not RuleFamily.MFC
            say = findings.warn if is_planned else findings.note
            say(
                "columns.lenient",
                f"The column {name} is missing",
                row=1,
                hint="NIST's validator requires it; its scorers do not",
            )
    if profile.by_plan:
        _check_extra_columns(table, profile, findings)
    _check_status_choice(table, findings)
    _check_opt_out_pair(table, profile, findings)
    return not missing


def check_rows(table: Table, index: Table, profile: Profile, findings: Findings) -> None:
    """Every check of single cells and of the set of rows."""
    _check_keys(table, index, profile, findings)
    _check_scores(table, profile, findings)
    _check_statuses(table, profile, findings)
    _check_opt_out_values(table, profile, findings)


def keys_of(table: Table, names: tuple[str, ...]) -> Iterator[Key]:
    """The identifying cells of each row."""
    return zip(*(table[name] for name in names), strict=True)


def _check_extra_columns(table: Table, profile: Profile, findings: Findings) -> None:
    """Note columns that the plan does not list or orders differently; neither rejects."""
    listed = (*profile.required, *profile.optional)
    extra = [name for name in table.names if name not in listed]
    if extra:
        findings.note(
            "columns.extra",
            f"The plan does not list the columns {', '.join(extra)}",
            row=1,
            expected="|".join(listed),
            hint="they are ignored",
        )
    order = [name for name in profile.order or listed if name in table]
    if order != [name for name in table.names if name in listed]:
        findings.note(
            "columns.order",
            "The columns are not in the order of the plan",
            row=1,
            expected="|".join(order),
            hint="put them in this order",
        )


def _check_status_choice(table: Table, findings: Findings) -> None:
    if "IsOptOut" in table and "ProbeStatus" in table:
        findings.warn(
            "columns.two-statuses",
            "The table has both IsOptOut and ProbeStatus",
            row=1,
            hint="keep one of them: with both, NIST's mask scorer does not opt any trial out",
        )


def _check_opt_out_pair(table: Table, profile: Profile, findings: Findings) -> None:
    present = [mask.opt_out_value for mask in profile.masks if mask.opt_out_value in table]
    if profile.kind is TaskKind.SPLICE and len(present) == 1:
        findings.error(
            "columns.opt-out-pair",
            f"The column {present[0]} is present without its counterpart",
            row=1,
            expected="both ProbeOptOutPixelValue and DonorOptOutPixelValue, or neither",
            hint="add the other column",
        )


def _check_keys(table: Table, index: Table, profile: Profile, findings: Findings) -> None:
    names = [name for name in profile.keys if name in index]
    check_row_count(table, index, findings)
    given, asked = [table[name] for name in names], [index[name] for name in names]
    is_unknown = matching_rows(given, asked) < 0
    first = matching_rows(given, given)
    is_again = first != np.arange(len(table))
    # Of a million rows those are walked that are wrong.
    loosely = (
        {_loosely(key): key for key in keys_of(index, tuple(names))} if any(is_unknown) else {}
    )
    for row in np.flatnonzero(is_unknown | is_again).tolist():
        key = tuple(column[row] for column in given)
        if is_again[row]:
            findings.error(
                "rows.duplicate",
                f"{trial_id(key)} is answered more than once",
                row=table.line(row),
                expected=f"one row per trial (first answered in row {table.line(int(first[row]))})",
                hint="delete one of the two rows",
            )
        if is_unknown[row]:
            findings.error(
                "rows.unknown",
                f"{trial_id(key)} does not exist in the index file",
                row=table.line(row),
                expected=f"a trial of {index.name}",
                hint=_how_to_write(loosely.get(_loosely(key))),
            )
    unanswered = np.flatnonzero(matching_rows(asked, given) < 0).tolist()
    for key in sorted({tuple(column[row] for column in asked) for row in unanswered}):
        findings.miss_trial(trial_id(key))


def check_row_count(table: Table, index: Table, findings: Findings) -> None:
    """Whether the table has as many rows as the index."""
    if len(table) != len(index):
        findings.error(
            "rows.count",
            f"The table has {count_rows(len(table))}",
            expected=f"{count_rows(len(index))}, as in the index {index.name}",
            hint="answer every trial of the index exactly once",
        )


def closest_name(name: str, names: Sequence[str]) -> str:
    """The name that was probably meant; blank if none is similar."""
    same = [found for found in names if found.strip().lower() == name.lower()]
    return next(iter(same or get_close_matches(name, names, n=1)), "")


def _loosely(key: Key) -> Key:
    return tuple(part.strip().casefold() for part in key)


def _how_to_write(meant: Key | None) -> str:
    if meant is None:
        return "delete the row or correct the id"
    return f"write it as {trial_id(meant)}, with the same letters and without spaces around it"


def _check_scores(table: Table, profile: Profile, findings: Findings) -> None:
    if profile.score not in table or profile.kind.is_provenance:
        return
    column, numbers = table[profile.score], table[profile.score].numbers
    # Numbers from 0 to 1 are never wrong; of a million rows the others are walked.
    for row in np.flatnonzero(~((numbers >= 0) & (numbers <= 1))).tolist():
        cell = column[row]
        score = number_in(cell)
        if score is None:
            findings.error(
                "score.number",
                f"The confidence score {cell!r} is not a number",
                row=table.line(row),
                expected="a number",
                hint="give every trial a score, including opted-out trials",
            )
        elif not math.isfinite(score):
            _check_infinite_score(table, row, profile, findings)
        elif profile.family is RuleFamily.MFC and not 0 <= score <= 1:
            say = findings.error if profile.by_plan else findings.note
            say(
                "score.range",
                f"The confidence score {cell} is outside 0 to 1",
                row=table.line(row),
                expected="a number from 0 to 1",
                hint="scale the scores; NIST's program does not check this",
            )


def _check_infinite_score(table: Table, row: int, profile: Profile, findings: Findings) -> None:
    is_refused = profile.by_plan or profile.kind is TaskKind.SPLICE
    say = findings.error if is_refused else findings.warn
    say(
        "score.finite",
        f"The confidence score {table[profile.score][row]} is not finite",
        row=table.line(row),
        expected="a finite number",
        hint="such a trial cannot be ranked",
    )


def _check_statuses(table: Table, profile: Profile, findings: Findings) -> None:
    for column, accepted in profile.statuses.items():
        if column not in table:
            continue
        for row, cell in enumerate(table[column]):
            # NIST's provenance validator does not look at statuses.
            may_be_blank = profile.kind.is_provenance and not profile.by_plan
            if cell in accepted or (not cell and may_be_blank):
                continue
            findings.error(
                "status.known",
                f"{column} {cell!r} is not a known status",
                row=table.line(row),
                expected="one of " + ", ".join(sorted(accepted)),
                hint="use a status of the evaluation plan",
            )


def _check_opt_out_values(table: Table, profile: Profile, findings: Findings) -> None:
    for mask in profile.sides:
        if mask.opt_out_value not in table:
            continue
        say = findings.error if profile.by_plan else findings.note
        column = table[mask.opt_out_value]
        for row in np.flatnonzero(~column.blank).tolist():
            cell = column[row]
            if not _is_integer(cell):
                findings.error(
                    "opt-out-value.integer",
                    f"{mask.opt_out_value} {cell!r} is not a whole number",
                    row=table.line(row),
                    expected="blank or a whole number",
                    hint="grey values go from 0 to 255",
                )
            elif not 0 <= int(cell) <= 255:
                say(
                    "opt-out-value.range",
                    f"{mask.opt_out_value} {cell} never occurs in an 8-bit mask",
                    row=table.line(row),
                    expected="a whole number from 0 to 255, or blank",
                    hint="grey values go from 0 to 255",
                )


def count_rows(rows: int) -> str:
    return "1 row" if rows == 1 else f"{rows} rows"


def _is_integer(cell: str) -> bool:
    try:
        int(cell)
    except ValueError:
        return False
    return "_" not in cell
