"""The flat's kitchen as EPIC-KITCHENS-100 and as HD-EPIC."""

from __future__ import annotations

from resources.worlds.kitchens.epic import write_epic_kitchens
from resources.worlds.kitchens.hd_epic import write_hd_epic

__all__ = ["write_epic_kitchens", "write_hd_epic"]
