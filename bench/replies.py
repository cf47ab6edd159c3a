"""Replies read for their letters: CPU time of many, and of the slowest of odd ones.

Replies are those that the tests keep, no two of them alike: each further round over them has more blank lines at the end,
so that nothing is remembered from the round before. Everyday ones are the sets of authors who wrote what twenty models
give; the others are of the kinds that are hard to read. Odd replies are pieces of these, repeated to 65,536 characters.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from bench.measure import Figure, cpu_s, main, measure

SETS = Path(__file__).parents[1] / "tests" / "assets" / "extract" / "replies"
EVERYDAY = ("twelfth", "thirteenth", "fourteenth", "fifteenth")
REPLIES, CPU_S = 50_000, 20.0
ODD, LONGEST, SLOWEST_MS = 600, 65_536, 50.0


class _Kept(NamedTuple):
    reply: str
    letters: tuple[str, ...]
    texts: tuple[str, ...]
    cut: bool


def kept(names: tuple[str, ...] = ()) -> list[_Kept]:
    """Replies that the tests keep, of the authors named or of all."""
    files = sorted(SETS.glob("*_author.jsonl"))
    rows = [
        json.loads(line)
        for path in files
        if not names or path.name.removesuffix("_author.jsonl") in names
        for line in path.read_text(encoding="utf-8").splitlines()
    ]
    found: dict[_Kept, None] = {}
    for row in rows:
        if row["kind"].startswith("letter"):
            texts = tuple(row["options"].values())
            options = tuple(row["options"]), texts if all(texts) else ()
            found[_Kept(row["reply"], *options, row.get("cut", False))] = None
    return list(found)


def _many(replies: list[_Kept], count: int) -> Iterator[_Kept]:
    rounds = -(-count // len(replies))
    every = (one._replace(reply=one.reply + "\n" * n) for n in range(rounds) for one in replies)
    return islice(every, count)


def _read(names: tuple[str, ...]) -> dict:
    from assets.extract.letters import read_reply

    replies = kept(names)
    for one in replies:
        # Patterns are compiled when they are first used.
        read_reply(one.reply + " ", one.letters, one.texts, one.cut)
    many = list(_many(replies, REPLIES))
    began = cpu_s()
    for one in many:
        read_reply(*one)
    return {
        "cpu_s": cpu_s() - began,
        "replies": len(set(many)),
        "characters": sum(len(one.reply) for one in replies) / len(replies),
    }


def everyday() -> dict:
    """CPU seconds of everyday replies."""
    return _read(EVERYDAY)


def hard() -> dict:
    """CPU seconds of all replies that the tests keep, most of them hard to read."""
    return _read(())


def odd() -> dict:
    """CPU milliseconds of the slowest of long replies that repeat a piece of a reply."""
    from assets.extract.letters import read_reply

    replies = kept()
    step = len(replies) // ODD
    slowest, piece = 0.0, ""
    for at, one in enumerate(replies[::step]):
        start = (at * 37) % max(1, len(one.reply) - 8)
        repeated = one.reply[start : start + 1 + at % 40] or "A"
        # The first reading may compile patterns, a busy machine may slow another; nothing is remembered of a reply with
        # another end.
        took = min(
            _ms(lambda r=reply, o=one: read_reply(r, o.letters, o.texts))
            for reply in ((repeated * LONGEST)[:LONGEST] + f" {end}." for end in range(3))
        )
        slowest, piece = max((slowest, piece), (took, repeated))
    return {"slowest_ms": slowest, "piece": piece, "replies": len(replies[::step])}


def _ms(call: Callable[[], object]) -> float:
    began = cpu_s()
    call()
    return (cpu_s() - began) * 1e3


def figures() -> list[Figure]:
    """Each kind of replies against its bound."""
    found = []
    for side in ("everyday", "hard"):
        run = measure(__file__, side)
        found.append(
            Figure(
                f"letters of {run['replies']:,} different {side} replies"
                f" ({run['characters']:.0f} characters on average)",
                f"{run['cpu_s']:.1f} CPU-s ({run['cpu_s'] / REPLIES * 1e3:.2f} ms each)",
                f"<= {CPU_S:.0f} CPU-s",
                run["cpu_s"] <= CPU_S,
            )
        )
    run = measure(__file__, "odd", repeats=1)
    found.append(
        Figure(
            f"the slowest of {run['replies']} replies of {LONGEST:,} characters that repeat a piece of a hard one",
            f"{run['slowest_ms']:.0f} ms",
            f"<= {SLOWEST_MS:.0f} ms",
            run["slowest_ms"] <= SLOWEST_MS,
        )
    )
    return found


if __name__ == "__main__":
    sys.exit(main(__file__, figures, {"everyday": everyday, "hard": hard, "odd": odd}))
