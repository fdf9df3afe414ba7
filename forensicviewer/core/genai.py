"""The words of NIST's GenAI evaluations: columns, labels, file ids and the cutoff in a file name.

The plan of 2025 ("Evaluation Plan for Image Discriminators") spells some of them in two ways; both
are known here. Its sections are named where a rule comes from them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

DATASET, TASK, FILE = "DatasetID", "TaskID", "FileID"
DISCRIMINATOR, VERSION, SCORE = "DiscriminatorID", "ModelVersion", "ConfidenceScore"
TARGET = "IsTarget"
# Section 4 and table of section 5.1, in the order of the plan.
INDEX_COLUMNS = (DATASET, TASK, FILE)
OUTPUT_COLUMNS = (DATASET, TASK, DISCRIMINATOR, VERSION, FILE, SCORE)
# The example of section 5.1 spells the last column differently from the table above it.
_SPELLINGS = {"confscore": SCORE}
_SPELLINGS |= {name.lower(): name for name in (*OUTPUT_COLUMNS, TARGET)}
# Columns of the MediFor tables, which also have a FileID in the spelling of 2016.
_OF_OTHER_EVALUATIONS = frozenset(
    {
        *("ProbeFileID", "ProvenanceProbeFileID", "ProbeFileName", "ImgFName", "MaskFName"),
        *("OutputMaskFName", "OutputProbeMaskFName", "OutputProbeMaskFileName", "IsOptOut"),
        *("ProbeOutputMaskFileName", "ProbeStatus", "DonorFileID", "JournalName", "WorldFileID"),
    }
)
_NAMED_GENAI = re.compile(r"genai", flags=re.IGNORECASE)
_DRY_RUN = re.compile(r"dry[-_ ]?run", flags=re.IGNORECASE)
_CUTOFF = re.compile(r"cutoff[-_]?(\d+(?:\.\d+)?)", flags=re.IGNORECASE)


def canonical(column: str) -> str:
    """The plan's name of a column, in any case and in either of its spellings."""
    return _SPELLINGS.get(column.strip().lower(), column.strip())


def is_index(columns: Iterable[str], *, name: str) -> bool:
    """Whether a table with these columns and this file name lists the trials of an evaluation."""
    found = {canonical(column) for column in columns}
    return _is_genai(found, name) and found.isdisjoint({SCORE, DISCRIMINATOR, VERSION})


def is_output(columns: Iterable[str], *, name: str) -> bool:
    """Whether a table with these columns and this file name is what a system returned."""
    found = {canonical(column) for column in columns}
    telling = {DATASET, DISCRIMINATOR, VERSION}
    is_named = bool(found & telling) or _NAMED_GENAI.search(name) is not None
    return {FILE, SCORE} <= found and is_named and found.isdisjoint(_OF_OTHER_EVALUATIONS)


def _is_genai(columns: Collection[str], name: str) -> bool:
    is_named = DATASET in columns or _NAMED_GENAI.search(name) is not None
    return FILE in columns and is_named and _OF_OTHER_EVALUATIONS.isdisjoint(columns)


def is_dry_run(name: str) -> bool:
    """Whether the name of an index or dataset states a dry run (3.1), not a test (3.2)."""
    return _DRY_RUN.search(name) is not None


def same_file(file_id: str) -> str:
    """One key for all spellings of a file id: the plan writes .webP and .webp."""
    stem, dot, suffix = file_id.rpartition(".")
    return f"{stem}{dot}{suffix.lower()}" if dot and stem else file_id


def bare_file(file_id: str) -> str:
    """A file id without its suffix: files/ is "organized by <file_id>.*" (3.1)."""
    stem, dot, suffix = file_id.rpartition(".")
    return stem if dot and stem and suffix.isalnum() and len(suffix) <= 5 else file_id


def cutoff_of(name: str) -> float | None:
    """The threshold the name of a system output declares (5.1): ``cutoff-50`` means 0.5.

    ``None`` without one from 0 to 1. A score of exactly the cutoff counts as AI-generated.
    """
    found: list[str] = _CUTOFF.findall(name)
    if not found:
        return None
    # A whole number over 100, so that cutoff-29 is the very number a score written 0.29 is.
    value = float(found[-1]) if "." in found[-1] else int(found[-1]) / 100
    return value if value <= 1 else None


# Words that say by themselves what an image is, whatever their column is called.
_AI_WORDS = frozenset(
    {
        *("ai", "ai-generated", "aigenerated", "ai generated", "generated", "fake", "synthetic"),
        *("machine", "machine-generated", "deepfake", "generator", "gan", "diffusion"),
    }
)
_HUMAN_WORDS = frozenset(
    {
        *("human", "human-generated", "humangenerated", "human generated", "real", "authentic"),
        *("non-ai", "nonai", "not ai", "natural", "photo", "photograph", "camera", "genuine"),
    }
)
# Words that answer the question a column's name asks.
_YES = frozenset({"y", "yes", "1", "1.0", "true", "t", "target", "positive", "pos"})
_NO = frozenset({"n", "no", "0", "0.0", "false", "f", "nontarget", "non-target", "negative", "neg"})
# By these names a column asks whether an image is AI-generated; the plan names none.
_ASKS_FOR_AI = (
    *("istarget", "target", "label", "labels", "aigenerated", "isaigenerated", "isai", "ai"),
    *("generated", "isgenerated", "groundtruth", "truth", "gt", "class", "isfake", "fake"),
    *("synthetic", "issynthetic", "authorship", "category", "type"),
)
_ASKS_FOR_HUMAN = ("ishuman", "human", "isreal", "real", "isauthentic", "authentic", "nontarget")


@dataclass(frozen=True, slots=True)
class Labels:
    """The meaning of each distinct cell of a label column: Y, N or blank."""

    column: str
    meanings: tuple[str, ...]
    unread: tuple[str, ...] = ()


def read_labels(column: str, cells: Sequence[str]) -> Labels:
    """The meaning of each distinct cell of a label column; ``unread`` are unknown words."""
    name = _letters(column)
    turned = name in _ASKS_FOR_HUMAN
    meanings = tuple(_meaning(cell, turned=turned) for cell in cells)
    unread = [cell for cell, said in zip(cells, meanings, strict=True) if cell.strip() and not said]
    return Labels(column, meanings, tuple(unread))


def find_labels(columns: Sequence[tuple[str, Sequence[str]]]) -> Labels | None:
    """The column that says which images are AI-generated, if any.

    By its name first; else the only one whose words need no name to be understood.
    """
    known = {_letters(name): (name, cells) for name, cells in reversed(columns)}
    for wanted in (*_ASKS_FOR_AI, *_ASKS_FOR_HUMAN):
        if wanted in known:
            labels = read_labels(*known[wanted])
            if not labels.unread and any(labels.meanings):
                return labels
    telling = [column for column in columns if _speaks_for_itself(column[1])]
    return read_labels(*telling[0]) if len(telling) == 1 else None


def _speaks_for_itself(cells: Sequence[str]) -> bool:
    words = {_word(cell) for cell in cells if cell.strip()}
    return bool(words) and words <= _AI_WORDS | _HUMAN_WORDS


def _meaning(cell: str, *, turned: bool) -> str:
    word = _word(cell)
    if word in _AI_WORDS:
        return "Y"
    if word in _HUMAN_WORDS:
        return "N"
    if word in _YES | _NO:
        return "Y" if (word in _YES) != turned else "N"
    return ""


def _word(cell: str) -> str:
    return cell.strip().lower().replace("_", "-")


def _letters(name: str) -> str:
    return re.sub(r"[^a-z]", "", name.lower())
