"""Killed at commits or at any time: nothing is lost, and no call is paid twice but those in flight."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from expectations.schemas import TABLES
from resources.store.tables import TableStore
from resources.worlds import HouseholdSpec
from tests.pipelines.conftest import Installation, Running, install
from tests.pipelines.run.test_incremental_kill import EVERYWHERE, KILLED, two_at_a_time

pytestmark = pytest.mark.slow
KILLS = int(os.environ.get("PARALLAX_KILLS") or (200 if EVERYWHERE else 3))
AT_ONCE = 4
"""Calls under way at most when a process dies: those the run asks side by side."""
PAID = f"""
[runs.paid]
engine = "by_hash"
model = "one"
concurrency = {AT_ONCE}
protocol = "option_text"
benchmarks = ["egobridge"]
limit = 24
auto = true
"""


@dataclass(frozen=True)
class Kill:
    """When a run dies: before a commit, or after a share of the time an undisturbed one takes."""

    number: int
    commit: int = 0
    share: float = 0.0
    dagster: bool = False


def kills(commits: int) -> list[Kill]:
    """Half at commits over the whole run; of the rest, at random times, one in ten goes through Dagster."""
    rng = np.random.default_rng(20)
    at_commits = KILLS // 2
    places = np.unique(np.linspace(1, commits, at_commits).round().astype(int))
    found = [Kill(n, commit=int(at)) for n, at in enumerate(places)]
    rest = KILLS - len(found)
    shares = (rng.permutation(rest) + rng.random(rest)) / rest
    later = (Kill(len(found) + n, share=s, dagster=n % 10 == 5) for n, s in enumerate(shares))
    return [*found, *later]


@pytest.fixture(scope="module")
def asking(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """Few recordings, nothing made yet; a paid model is asked by a run and by the gate `blind`."""
    home = tmp_path_factory.mktemp("asking") / "home"
    made = install(home, HouseholdSpec(ego=2, exo=1, render="small"), limit=8, positives=1)
    config = home / "parallax.toml"
    text = config.read_text().replace(
        'sources = ["house"]\n', 'sources = ["house"]\nblind = "paid"\nblind_limit = 24\n'
    )
    config.write_text(text + PAID)
    return made


def fresh(asking: Installation, to: Path) -> Installation:
    made = asking.copy(to)
    (to / "paid").write_text("")
    return made


def paid(home: Path) -> Counter[str]:
    return Counter((home / "paid").read_text().split())


def stored(home: Path) -> set[str]:
    """Calls that are stored with a good reply, in the table or in its journal."""
    calls = TableStore(str(home / "tables")).read(TABLES["calls"])
    kept = set(calls.filter(status="ok", model="by-hash@one")["call_key"])
    for path in (home / "tables" / ".journal").rglob("*.jsonl"):
        rows = map(json.loads, path.read_text(encoding="utf-8").splitlines())
        kept |= {row["call_key"] for row in rows if row["model"] == "by-hash@one"}
    return kept


def test_killed_nothing_is_lost_and_only_calls_in_flight_are_paid_again(asking, server, tmp_path):
    whole = fresh(asking, tmp_path / "whole")
    began = time.monotonic()
    expected = server.succeed(whole.home)
    seconds = time.monotonic() - began
    bought = paid(whole.home)
    assert len(bought) > AT_ONCE
    assert set(bought.values()) == {1}
    assert stored(whole.home) == set(bought)
    again: list[int] = []
    done = Counter[str]()

    def job(kill: Kill) -> Iterator[None]:
        made = fresh(asking, tmp_path / f"home{kill.number}")
        die = {"before_commit": kill.commit} if kill.commit else {}
        dying: Running = server.start(made.home, dagster=kill.dagster, die=die)
        yield
        if not kill.commit:
            time.sleep(kill.share * seconds * (2 if kill.dagster else 1))
            dying.kill()
        died = dying.wait()
        assert died.status == KILLED or not kill.commit
        done["killed" if died.status == KILLED else "ended before"] += 1
        kept = stored(made.home)
        before = paid(made.home)
        running = server.start(made.home, dagster=kill.dagster)
        yield
        outcome: Any = running.wait()
        assert outcome.status == 0, (kill, outcome.told.get("traceback"))
        assert outcome.digests == expected.digests, kill
        now = paid(made.home)
        assert set(now) == set(bought), kill
        assert kept <= stored(made.home), kill
        twice = sum(now.values()) - len(now)
        # What was stored is not asked again; what was not was under way.
        assert twice == len(set(before) - kept), kill
        assert twice <= AT_ONCE, kill
        again.append(twice)
        shutil.rmtree(made.home)

    two_at_a_time(partial(job, kill) for kill in kills(expected.told["commits"]))
    print(
        f"{len(again)} kills {dict(done)}; {sum(n > 0 for n in again)} repaid calls, at most"
        f" {max(again)}, {sum(again)} of {len(again) * len(bought)} in all"
    )
