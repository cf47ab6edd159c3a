"""Pictures of worlds on whose questions people decided: where one is drawn differently, decisions are stale.

A decision counts for a question as it was seen, and that includes the content of its video
(`question_hash`). Whoever changes a drawing reads the questions about it again (`resources/worlds/reviews`),
and only then puts the new digest here.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

import numpy as np
import pytest
from blake3 import blake3

from resources.worlds.animal import draw as animal
from resources.worlds.animal.plan import plan_animals
from resources.worlds.animal.truth import AnimalSpec
from resources.worlds.court.session import plan_circuit
from resources.worlds.samples import samples
from resources.worlds.slope import draw as slope
from resources.worlds.slope.plan import plan_slope
from resources.worlds.slope.truth import SlopeSpec
from resources.worlds.surgery import draw as surgery
from resources.worlds.surgery.egosurgery import sessions
from resources.worlds.surgery.open_table import OpenArtist
from resources.worlds.surgery.plan import plan_surgery
from resources.worlds.workbench import draw as workbench
from resources.worlds.workbench.plan import plan_workbench
from resources.worlds.workbench.truth import WorkbenchSpec

JUDGED: Final = {
    "cholectrack20": "26f10811418e6151",
    "theatre": "11d083c66fdd37ff",
    "egosurgery": "02725213b5b84a0f",
    "clinic": "466689d4a3b95fc3",
    "extremesportfpv": "ebc01a8079a7b378",
    "outings": "2012f44dcc9a2f36",
    "egopet": "eb158ecf9e521888",
    "walks": "04234e0a38accfbb",
    "enigma51": "cb2fc4c085ef48e5",
    "workshop": "73296d36acfa150c",
    "training": "b32c9cfccdd6502e",
}
"""Digest of a few pictures of each world as they were when its questions were read."""
RECORDINGS: Final = 3
SHARES: Final = (0.15, 0.4, 0.65, 0.9)
"""Instants that are drawn, over a recording's length."""


def pictures(name: str) -> Iterator[np.ndarray]:
    """(height, width, 3) uint8 RGB pictures of the first recordings."""
    spec = samples()[name].spec
    if name == "training":
        for take in plan_circuit(spec).takes[:RECORDINGS]:
            yield from take.frames("ego", [round(take.duration_s * share, 1) for share in SHARES])
        return
    for artist, seconds in islice(_artists(name, spec), RECORDINGS):
        for share in SHARES:
            t_s = round(seconds * share, 1)
            drawn = artist.picture(t_s) if hasattr(artist, "picture") else artist.frame(t_s)
            yield np.asarray(drawn)


def _artists(name: str, spec: Any) -> Iterator[tuple[Any, float]]:
    if isinstance(spec, SlopeSpec):
        yield from ((slope.Artist(x), x.duration_s) for x in plan_slope(spec).runs)
    elif isinstance(spec, AnimalSpec):
        yield from ((animal.Artist(x), x.duration_s) for x in plan_animals(spec).clips)
    elif isinstance(spec, WorkbenchSpec):
        yield from ((workbench.Artist(x), x.duration_s) for x in plan_workbench(spec).benches)
    elif name in ("egosurgery", "clinic"):
        for x in sessions(plan_surgery(spec)):
            yield OpenArtist(x.video), x.video.duration_s
    else:
        yield from ((surgery.Artist(x), x.duration_s) for x in plan_surgery(spec).videos)


@pytest.mark.parametrize("name", JUDGED)
def test_what_people_judged_is_drawn_as_they_saw_it(name: str) -> None:
    seen = blake3()
    for picture in pictures(name):
        seen.update(repr(picture.shape).encode() + picture.tobytes())
    assert seen.hexdigest(length=8) == JUDGED[name], (
        f"the pictures of {name} have changed: read the questions about it again"
    )
