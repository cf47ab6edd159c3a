"""What a thing is used for in an action: as its target, tool or container (EgoCoT-Bench 3.2.2, GOT).

The rules stand in `functions.toml`, which people review.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path


@dataclass(frozen=True, slots=True)
class _Rule:
    function: str
    roles: frozenset[str]
    joined: frozenset[str]
    not_after: frozenset[str]


@cache
def _rules() -> tuple[_Rule, ...]:
    text = Path(__file__).with_name("functions.toml").read_text(encoding="utf-8")
    return tuple(
        _Rule(
            function,
            frozenset(rule["roles"]),
            frozenset(rule["joined"]),
            frozenset(rule.get("not_after", ())),
        )
        for function, rule in tomllib.loads(text).items()
    )


def function_of(verb: str, relation: str, role: str | None) -> str | None:
    """Function of a thing in an action, or None where its role and the joining word tell none.

    Args:
        verb: The verb, lower case, blanks between words.
        relation: Word that joins the thing to the verb, written in the same way.
        role: Part that the thing plays, in the words of the tables `relations` and `labels`.
    """
    for rule in _rules():
        if role in rule.roles or relation in rule.joined:
            return None if rule.not_after & {verb, verb.partition(" ")[0]} else rule.function
    return None
