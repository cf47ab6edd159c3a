"""EgoBridge's association: 5 or 20 clips of another view, one of which shows the query's action."""

from __future__ import annotations

from tests.derivations.labels import world_by_labels
from tests.derivations.world import Fault, World, collect, reword

EGO, EXO = "the camera wearer's own view", "an outside observer's view"
TEXT = (
    "The query clip shows an action from {0}. Each of the {2} candidate clips A to {3} is filmed"
    " from {1}. Which candidate clip shows the same action as the query clip?"
)


def ego_to_exo_of_5() -> World:
    return world_by_labels(
        "egobridge",
        "association_ego2exo_k5",
        ("ego", "exo"),
        [2, 0, 1, 3, 4],
        "association@1",
        TEXT.format(EGO, EXO, 5, "E"),
    )


def exo_to_ego_of_20() -> World:
    return world_by_labels(
        "egobridge",
        "association_exo2ego_k20",
        ("exo", "ego"),
        [2, 0, 1, *range(3, 20)],
        "association@1",
        TEXT.format(EXO, EGO, 20, "T"),
    )


WORLDS = {"association_k5": ego_to_exo_of_5, "association_k20": exo_to_ego_of_20}


FAULTS: list[Fault] = []
fault = collect(FAULTS)


@fault("association_k5", "explanation", "unsupported")
def explanation_where_none_can_be_checked(w: World) -> None:
    w.question["detailed_answer"] = "Both clips show the same action."


@fault("association_k5", "consistent", "text")
def text_tells_the_views_the_wrong_way(w: World) -> None:
    own, observer = "the camera wearer's own view", "an outside observer's view"
    text = w.question["text"].replace(own, "?").replace(observer, own).replace("?", observer, 1)
    w.question["text"] = text


@fault("association_k5", "consistent", "text")
def text_tells_another_count(w: World) -> None:
    reword(w, "the 5 candidate", "the 20 candidate")
