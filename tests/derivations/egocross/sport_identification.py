"""EgoCross's sport identification: the small world of animal identification with sports."""

from __future__ import annotations

from tests.derivations.egocross.animal_identification import labelled
from tests.derivations.world import Fault, World, collect, reword


def sports() -> World:
    return labelled(
        "sport_identification",
        "scenario",
        ("skiing", "parkour", "mountain bike", "jetski"),
        "Which extreme sport does the person who wears the camera do?",
        (
            "Sports that other recordings show: parkour, mountain bike, jetski.",
            "The sport that this recording shows: skiing.",
        ),
        10.0,
    )


WORLDS = {"sport_identification": sports}
FAULTS: list[Fault] = []
fault = collect(FAULTS)


@fault("sport_identification", "consistent", "clip_length")
def sport_is_shown_too_long(w: World) -> None:
    w.query["end_s"] = 12.0


@fault("sport_identification", "consistent", "text")
def asks_about_somebody_else(w: World) -> None:
    reword(w, "wears the camera", "comes into view")
