"""Mutated files over all layouts: `python -m tests.attack.attack --count 5000 --home /tmp/worlds`."""

from __future__ import annotations

import argparse
import random
import time
import traceback
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from tests.attack.allowed import allowance
from tests.attack.mutations import EDITS, Mutation, NotApplicable, mutate
from tests.attack.reading import Reader
from tests.attack.verdicts import Finding, judge, summary
from tests.attack.worlds import World, names, world


def attacks(
    one: World, reader: Reader, count: int, seed: int
) -> Iterator[tuple[Mutation, list[Finding]]]:
    """Edits of a world's files, and what they did that they may not do."""
    drawings = (drawn(one, random.Random(f"{seed} {one.name} {at}")) for at in range(count))
    yield from _attacked(one, reader, drawings)


def emptied(one: World, reader: Reader) -> Iterator[tuple[Mutation, list[Finding]]]:
    """The same for one file of each form that is emptied, in every way."""
    yield from _attacked(one, reader, _emptied(one))


def _emptied(one: World) -> Iterator[Mutation]:
    for paths in _forms(one).values():
        for kind in ("empty", "blank", "no_items"):
            # Of an object's members, each has a chance to be the one without items.
            for seed in range(4 if kind == "no_items" else 1):
                with suppress(NotApplicable):
                    chance = random.Random(f"{paths[0]} {kind} {seed}")
                    yield mutate(paths[0], one.files[paths[0]], chance, kind)


def _attacked(
    one: World, reader: Reader, drawings: Iterable[Mutation]
) -> Iterator[tuple[Mutation, list[Finding]]]:
    base = reader.read(one.files, keep=True)
    for mutation in drawings:
        try:
            after = reader.read({**one.files, mutation.path: mutation.data})
            others = tuple(
                (value, reader.read({**one.files, mutation.path: data}))
                for value, data in mutation.again
            )
        except Exception:
            yield mutation, [Finding("exception", "", traceback.format_exc()[-900:])]
            continue
        found = judge(mutation, base, after, others)
        yield mutation, [f for f in found if allowance(one.name, mutation, f) is None]


def drawn(one: World, chance: random.Random) -> Mutation:
    """An edit of one of a world's files."""
    # Files of one form have one chance together: twenty trajectories are not twenty files.
    forms = _forms(one)
    while True:
        path = chance.choice(forms[chance.choice(sorted(forms))])
        kind = chance.choice(sorted(EDITS))
        try:
            return mutate(path, one.files[path], chance, kind)
        except NotApplicable:
            continue


def _forms(one: World) -> dict[str, list[str]]:
    """Paths by what their names are without digits and long ids."""
    forms: dict[str, list[str]] = {}
    for path in sorted(one.files):
        form = "".join("#" if c.isdigit() else c for c in path.rsplit("/", 1)[-1])
        forms.setdefault(form if len(form) < 40 else form[-12:], []).append(path)
    return forms


def main() -> None:
    """Attack and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--home", type=Path, required=True, help="folder of the sample worlds")
    parser.add_argument("--world", action="append", help="only this world (repeatable)")
    parser.add_argument("--show", type=int, default=1, help="examples per group of findings")
    args = parser.parse_args()
    chosen = args.world or names()
    each = -(-args.count // len(chosen))
    findings: list[tuple[str, Mutation, Finding]] = []
    kinds: Counter[str] = Counter()
    for name in chosen:
        one = world(name, args.home, "small")
        reader = Reader(one.layout, one.media)
        began, edits, bad = time.perf_counter(), 0, 0
        for mutation, found in attacks(one, reader, each, args.seed):
            kinds[mutation.kind] += 1
            edits += 1
            bad += bool(found)
            findings += [(name, mutation, f) for f in found]
        took = time.perf_counter() - began
        print(f"{name}: {edits} edits, {bad} with findings, {took:.1f} s", flush=True)
    print(dict(sorted(kinds.items())))
    for group, members in sorted(summary(findings).items()):
        print(f"\n{len(members)} x {' | '.join(group)}")
        for mutation, found in members[: args.show]:
            print(f"    {mutation.path}: {mutation.note[:160]}")
            print("    " + found.text.replace("\n", "\n    "))


if __name__ == "__main__":
    main()
