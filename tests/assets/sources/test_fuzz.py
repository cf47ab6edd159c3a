"""Damaged at random, by seed: a reader may refuse, it may not raise."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from assets.sources.egoexolearn import LAYOUT
from assets.sources.layout import Part, PartFiles

ROUNDS = 25


def _damaged(data: bytes, chance: random.Random) -> bytes:
    """Data with a few bytes changed, cut, doubled or put in."""
    made = bytearray(data)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(made) + 1)
        how = chance.randrange(6)
        if how == 0:
            del made[at:]
        elif how == 1:
            made[at:at] = chance.choice([b'"', b"\n", b"\0", b"\xff", b",", b"[", b"{", b"}", b"'"])
        elif how == 2:
            made[at : at + 8] = chance.randbytes(8)
        elif how == 3:
            del made[at : at + chance.randint(1, 40)]
        elif how == 4:
            made[at:at] = made[max(0, at - 60) : at]
        else:
            made[at:at] = chance.choice([b"NaN", b"1e999", b"9" * 400, b"null", b"\\ud800", b"-"])
    return bytes(made)


def _cases(root: Path) -> list[tuple[Part, dict[str, bytes], dict | None]]:
    files = {
        path.relative_to(root).as_posix(): path
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }
    cases: list[tuple[Part, dict[str, bytes], dict | None]] = []
    for part in LAYOUT.parts:
        claimed = {name: path.read_bytes() for name, path in files.items() if part.claims(name)}
        if not part.per_recording:
            cases.append((part, claimed, None))
            continue
        for uid in sorted({part.recording_of(name) for name in claimed}):
            mine = {n: d for n, d in claimed.items() if part.recording_of(n) == uid}
            media = [n for n in files if uid in n and n.endswith(".mp4")]
            # Long files make many rounds slow and no fault more likely.
            short = {
                n: d[:4000] if n.endswith((".csv", ".raw", ".time")) else d for n, d in mine.items()
            }
            cases.append((part, short, {"recording_id": uid, "media_paths": media}))
    return cases


@pytest.mark.parametrize("seed", range(8))
def test_no_reader_raises(household: Path, seed: int) -> None:
    chance = random.Random(seed)
    for part, files, recording in _cases(household):
        for _ in range(ROUNDS if part.per_recording else ROUNDS // 3):
            name = chance.choice(sorted(files))
            broken = {**files, name: _damaged(files[name], chance)}
            made = part.read(PartFiles("it", broken, {}, recording))
            for refusal in made.refused:
                assert refusal["message"]
                assert refusal["remedy"]
                str(refusal).encode()
