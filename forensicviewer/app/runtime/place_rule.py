"""The rule a missing place breaks."""

from __future__ import annotations

MISSING_PLACE = "session-missing"
