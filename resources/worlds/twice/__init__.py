"""The same task done twice in the flat, each time on its own clock: shown and imitated, or re-enacted.

A third person's camera films one performance, the performer's own camera the other.
"""

from resources.worlds.twice.charades_ego import write_charades_ego
from resources.worlds.twice.egome import write_egome
from resources.worlds.twice.episodes import Episode, episodes

__all__ = ["Episode", "episodes", "write_charades_ego", "write_egome"]
