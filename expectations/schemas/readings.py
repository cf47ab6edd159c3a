"""The two readings of a benchmark: by the rules of this project, and by what its paper says alone.

`docs/deviations.md` lists where the two differ.
"""

from __future__ import annotations

STRICT, PAPER = "strict", "paper"
READINGS = (STRICT, PAPER)
_SUFFIX = "_paper"
RELEASED_RECIPE = "released@1"
"""Recipe of questions that a dataset released: they are asked as they stand, and nothing is derived."""


def paper_recipe(recipe: str) -> str:
    """Name of a recipe under the paper's reading: `association_paper@1` for `association@1`."""
    name, _, version = recipe.rpartition("@")
    return f"{name}{_SUFFIX}@{version}"


def is_paper_recipe(recipe: str) -> bool:
    """Whether a recipe is one of the paper's reading."""
    return recipe.rpartition("@")[0].endswith(_SUFFIX)


def bare_recipe(recipe: str) -> str:
    """Name of a recipe without its version, the same in both readings."""
    return recipe.rpartition("@")[0].removesuffix(_SUFFIX)
