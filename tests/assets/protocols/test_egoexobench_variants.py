"""Which variants of the shortcut battery have a meaning for each of EgoExoBench's subtasks, by its questions' shape."""

from __future__ import annotations

import pytest

from assets.protocols.declared import default_protocols
from assets.protocols.variants import SWAPPED_FROM, MeaninglessVariantError, varied_question
from resources.models.protocol import VARIANTS
from tests.derivations.registry import WORLDS

PROTOCOL = default_protocols()["egoexobench_direct"]
# The wearer's view and the room's are asked about in turn: where the query is the room's, `ego_only` keeps the
# options and `exo_only` would leave them out.
FLIPPED = {"ego_only": "exo_only", "exo_only": "ego_only"}
BLIND = {"blind", "options_only"}
# What every question has: a wording, other questions' video, and clips of several frames.
ALWAYS = {"question_removed", "swapped_video", "single_frame", "shuffled_frames"}
TWO_VIDEOS = BLIND | {"ego_only", "exo_only"}
CLIPS_OF_THE_OTHER_VIEW = {"query_removed", "exo_only"}
MEANINGFUL = {
    "action_order": TWO_VIDEOS,
    "action_prediction": TWO_VIDEOS | {"query_removed", "no_reference"},
    "action_relation": CLIPS_OF_THE_OTHER_VIEW,
    "body_part_action": TWO_VIDEOS,
    "direction_prediction": CLIPS_OF_THE_OTHER_VIEW,
    "egocentric_wearer_identification": CLIPS_OF_THE_OTHER_VIEW,
    "object_relation": CLIPS_OF_THE_OTHER_VIEW,
    "person_relation": CLIPS_OF_THE_OTHER_VIEW,
    "sequence_alignment": TWO_VIDEOS,
    "skill_evaluation": {"no_reference", "ego_only"},
    "task_relation": CLIPS_OF_THE_OTHER_VIEW,
}
OURS = {
    name: world for name, world in WORLDS.items() if world.question["benchmark"] == "egoexobench"
}


def asked(name: str, variant: str, flip: bool) -> bool:
    """Whether a variant leaves a small world's question something to ask."""
    world = OURS[name]
    names = {"ego": "exo", "exo": "ego"}
    views = {
        row["recording_id"]: names[row["view"]] if flip else row["view"]
        for row in world.tables["recordings"]
    }
    question = {**world.question, SWAPPED_FROM: "another question"}
    try:
        varied = varied_question(question, PROTOCOL.with_variants([variant]), views)
    except MeaninglessVariantError:
        return False
    shown = {medium["role"] for medium in question["media"]}
    roles = {medium["role"] for medium in varied["media"]}
    options = {role for role in shown if role.startswith("option_")}
    # Whoever is asked sees every option, and something has changed.
    assert options <= roles or variant in BLIND
    assert varied != question or variant in ALWAYS
    if variant in ("ego_only", "exo_only"):
        kept = {views[medium["recording_id"]] for medium in varied["media"]}
        assert kept == {variant.removesuffix("_only")}
    return True


@pytest.mark.parametrize("flip", [False, True], ids=["as is", "views exchanged"])
@pytest.mark.parametrize("name", sorted(OURS))
def test_each_variant_is_asked_where_it_has_a_meaning(name: str, flip: bool) -> None:
    expected = ALWAYS | MEANINGFUL[OURS[name].question["subtask"]]
    if flip:
        expected = {FLIPPED.get(variant, variant) for variant in expected}
    assert {variant for variant in VARIANTS if asked(name, variant, flip)} == expected


def test_every_subtask_stands_in_the_table() -> None:
    assert {world.question["subtask"] for world in OURS.values()} == MEANINGFUL.keys()
