"""How datasets call the person who wears the camera."""

from __future__ import annotations

from typing import Final

WEARER: Final = "camera wearer"
"""Name under which the wearer stands in scene graphs."""
WEARER_WORDS: Final = frozenset({"cw", "c", "wearer", WEARER})
"""Words for the wearer in actors and ids, lower case."""
