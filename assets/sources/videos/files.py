"""Files of Plain videos: where they lie and what they share."""

from __future__ import annotations

LICENCE = "unknown"
