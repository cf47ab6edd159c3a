"""States that actions of the flat leave behind, as EgoCoT's questions name them."""

from __future__ import annotations

from resources.worlds.flat import Take

# What an action of the flat leaves behind, and of what kind that is.
LEAVES = {
    "get": ("hand", "held"), "put": ("hand", "released"),
    "open": ("lid", "open"), "close": ("lid", "closed"),
    "turn on": ("power", "on"), "turn off": ("power", "off"),
}  # fmt: skip
KINDS = {state: kind for kind, state in LEAVES.values()}


def true_state(take: Take, name: str, kind: str, at_s: float) -> str | None:
    """State of a kind that a thing is in by the last of all actions on it, whoever does them."""
    done = [
        LEAVES[a.verb][1]
        for a in sorted(take.actions, key=lambda a: a.end_s)
        if a.end_s <= at_s
        and take.name_of(a.object) == name
        and LEAVES.get(a.verb, ("", ""))[0] == kind
    ]
    return done[-1] if done else None
