"""What stands where there is no value."""

from __future__ import annotations

NONE = "–"  # noqa: RUF001 - what people write where there is no number
