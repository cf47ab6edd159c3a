"""Names of recipes: by the rules of this project, by what its paper says alone, or in a model's words.

`docs/deviations.md` lists where the two readings differ.
"""

from __future__ import annotations

STRICT, PAPER = "strict", "paper"
READINGS = (STRICT, PAPER)
_SUFFIX = "_paper"
_WRITTEN = "_written"
RELEASED_RECIPE = "released@1"
"""Recipe of questions that a dataset released: they are asked as they stand, and nothing is derived."""


def paper_recipe(recipe: str) -> str:
    """Name of a recipe under the paper's reading: `association_paper@1` for `association@1`."""
    name, _, version = recipe.rpartition("@")
    return f"{name}{_SUFFIX}@{version}"


def is_paper_recipe(recipe: str) -> bool:
    """Whether a recipe is one of the paper's reading."""
    return unwritten_recipe(recipe).rpartition("@")[0].endswith(_SUFFIX)


def written_recipe(recipe: str) -> str:
    """Name of a recipe whose words a language model wrote: `association_written@1`."""
    name, _, version = recipe.rpartition("@")
    return f"{name}{_WRITTEN}@{version}"


def is_written_recipe(recipe: str) -> bool:
    """Whether a language model wrote words of the recipe's questions."""
    return recipe.rpartition("@")[0].endswith(_WRITTEN)


def unwritten_recipe(recipe: str) -> str:
    """The recipe that chose what is asked, whoever wrote its words."""
    name, _, version = recipe.rpartition("@")
    return f"{name.removesuffix(_WRITTEN)}@{version}"


def bare_recipe(recipe: str) -> str:
    """Name of a recipe without its version, the same in both readings and whoever wrote its words."""
    return recipe.rpartition("@")[0].removesuffix(_WRITTEN).removesuffix(_SUFFIX)
