"""Model cards of runs: what a user types in, kept as ``model.json`` in the folder of the run."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

from forensicviewer.app.runtime.atomic import write_atomically
from forensicviewer.core.problem import UsageError
from forensicviewer.sources.files.dataclass_json import to_json_value
from forensicviewer.sources.tables.benchmark_runs import CARD, ModelCard

__all__ = ["LISTS", "ModelCard", "card_from", "save_card", "texts_of"]

LISTS = ("training_sets", "test_sets")


def texts_of(card: ModelCard) -> dict[str, str]:
    """Every field as text; lists separated by commas."""
    return {
        name: ", ".join(value) if isinstance(value, tuple) else value
        for name, value in ((each.name, getattr(card, each.name)) for each in fields(card))
    }


def card_from(texts: dict[str, str]) -> ModelCard:
    """The card that the texts of a form describe."""
    plain: dict[str, Any] = {name: text.strip() for name, text in texts.items()}
    for name in LISTS:
        parts = (part.strip() for part in plain[name].split(","))
        plain[name] = tuple(part for part in parts if part)
    return ModelCard(**plain)


def save_card(folder: Path, card: ModelCard) -> None:
    """Write the card into the folder of its run; what else its file says is kept.

    A file that is not a card is left as it is.
    """
    file = folder / CARD
    said: object = {}
    if file.exists():
        try:
            said = json.loads(file.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError) as error:
            raise UsageError(
                "The model card cannot be read, so it is not replaced",
                where=file,
                hint="correct or move the file",
            ) from error
        if not isinstance(said, dict):
            raise UsageError("The file is not a model card", where=file, hint="move the file")
    document = {**(said if isinstance(said, dict) else {}), **to_json_value(card)}
    try:
        write_atomically(file, json.dumps(document, indent=2, ensure_ascii=False) + "\n")
    except OSError as error:
        raise UsageError(
            f"The model card cannot be written: {error.strerror}",
            where=file,
            hint="check the permissions of the folder",
        ) from error
