"""EgoCross's next action: a surgeon clips the cystic duct when Calot's triangle is dissected."""

from __future__ import annotations

from tests.derivations.phases import NOW, THEN, next_question, phases
from tests.derivations.world import Fault, Row, World, collect, explain, reword

NAME = "next_action"
LABELS = (
    *("preparation", "calotTriangleDissection"),
    *("clippingAndCutting", "gallbladderDissection"),
)
SHOWN = "Calot triangle dissection"
CLIP, CUT = "clipper,clip,cystic_duct", "scissors,cut,cystic_duct"
DUCT, LIFT = "hook,dissect,cystic_duct", "grasper,retract,gallbladder"
OMENTUM, PACK, FREE = (
    "grasper,grasp,omentum",
    "grasper,pack,gallbladder",
    "hook,dissect,gallbladder",
)
# Action, start and end, in the first recording and in the second, which shows two phases.
DONE = (
    (OMENTUM, 2, 12),
    (LIFT, 12, 90),
    (DUCT, 24, 50),
    (CLIP, 61, 66),
    (CUT, 68, 72),
    (FREE, 81, 100),
)
ELSEWHERE = ((OMENTUM, 1, 9), (PACK, 22, 30))
WORDS = {
    FREE: "use the hook to dissect the gallbladder",
    CLIP: "use the clipper to clip the cystic duct",
    PACK: "use the grasper to pack the gallbladder",
    OMENTUM: "use the grasper to grasp the omentum",
}


def action_key(label: str, start: float, uid: str = "VID1") -> str:
    return f"{uid}/{label}/{start:g}"


def action(label: str, start: float, end: float, uid: str = "VID1") -> Row:
    return {
        "source": "s",
        "recording_id": uid,
        "segment_id": action_key(label, start, uid),
        "kind": "interaction",
        "class_name": label,
        "start_s": float(start),
        "end_s": float(end),
        "precision_s": 1.0,
    }


FIRST = action_key(CLIP, 61)


def clipping() -> World:
    """The duct is cut later, and the gallbladder is held all the time."""
    steps = (
        (
            f'The clip shows the phase "{SHOWN}", annotated from 20 s to 60 s of the recording.',
            [f"segments:{NOW}"],
        ),
        ("The phase that begins at 60 s: Clipping and cutting.", [f"segments:{THEN}"]),
        (
            f"The first of the actions that begins in it, at 61 s: {WORDS[CLIP]}.",
            [f"segments:{FIRST}"],
        ),
    )
    world = next_question(
        NAME,
        f"{NAME}@1",
        [*phases(LABELS, 1.0), *(action(*one) for one in DONE)],
        text="When the phase of the operation that this video shows is over, which of these actions is"
        " the first to begin?",
        options=[(words, label) for label, words in WORDS.items()],
        answer=WORDS[CLIP],
        steps=steps,
        evidence=[(NOW, "context"), (THEN, "context"), (FIRST, "answer")],
        step_s=1.0,
    )
    world.tables["segments"] += [action(*one, "VID2") for one in ELSEWHERE]
    return world


WORLDS = {NAME: clipping}
FAULTS: list[Fault] = []
fault = collect(FAULTS)


@fault(NAME, "answer", "wrong_key")
def another_action_begins_before(w: World) -> None:
    w.row("segments", segment_id=FIRST)["start_s"] = 63.0
    w.tables["segments"].append(action(PACK, 61, 64))


@fault(NAME, "answer", "wrong_key")
def the_first_action_has_another_target(w: World) -> None:
    w.row("segments", segment_id=FIRST)["class_name"] = "clipper,clip,cystic_artery"


@fault(NAME, "answer", "wrong_key")
def the_first_action_has_another_tool(w: World) -> None:
    w.row("segments", segment_id=FIRST)["class_name"] = "hook,clip,cystic_duct"


@fault(NAME, "answer", "wrong_key")
def the_action_was_begun_in_the_phase_before(w: World) -> None:
    """What is cut five seconds after the border is then the first."""
    w.row("segments", segment_id=FIRST)["start_s"] = 59.5
    w.row("segments", segment_id=action_key(CUT, 68))["start_s"] = 64.0


@fault(NAME, "answer", "wrong_key")
def the_clip_shows_the_action_too(w: World) -> None:
    w.tables["segments"].append(action(CLIP, 40, 44))
    w.row("segments", segment_id=action_key(CUT, 68))["start_s"] = 64.0


@fault(NAME, "distractors", "second_right")
def two_actions_begin_at_one_instant(w: World) -> None:
    w.tables["segments"].append(action(PACK, 61, 64))


@fault(NAME, "distractors", "goes_on")
def a_distractor_is_being_done_as_the_phase_begins(w: World) -> None:
    w.tables["segments"].append(action(PACK, 52, 70))


@fault(NAME, "distractors", "goes_on")
def a_distractor_begins_shortly_after_the_answer(w: World) -> None:
    w.tables["segments"].append(action(FREE, 63, 66))


@fault(NAME, "distractors", "as_likely")
def a_distractor_begins_such_a_phase_elsewhere(w: World) -> None:
    w.row("segments", segment_id="VID2/phase/20")["class_name"] = LABELS[2]


@fault(NAME, "distractors", "as_likely")
def a_distractor_is_done_later_in_the_phase(w: World) -> None:
    w.tables["segments"].append(action(FREE, 70, 75))


@fault(NAME, "consistent", "value_differs_from_text")
def a_distractor_means_another_target_than_it_reads(w: World) -> None:
    w.options[2]["value"] = "grasper,pack,liver"


@fault(NAME, "consistent", "text")
def text_asks_about_the_last_action(w: World) -> None:
    reword(w, "first to begin", "last to end")


@fault(NAME, "consistent", "text")
def text_names_the_phase_that_is_shown(w: World) -> None:
    reword(w, "the phase of the operation", "the phase calot triangle dissection of the operation")


@fault(NAME, "explanation", "contradicted")
def explanation_uses_another_tool(w: World) -> None:
    explain(w, "use the clipper", "use the hook")


@fault(NAME, "explanation", "contradicted")
def explanation_acts_on_something_else(w: World) -> None:
    explain(w, "clip the cystic duct", "clip the cystic artery")


@fault(NAME, "explanation", "contradicted")
def explanation_does_something_else(w: World) -> None:
    explain(w, "to clip the", "to cut the")


@fault(NAME, "explanation", "contradicted")
def explanation_begins_the_action_with_the_phase(w: World) -> None:
    explain(w, "in it, at 61 s", "in it, at 60 s")


@fault(NAME, "explanation", "contradicted")
def explanation_names_another_next_phase(w: World) -> None:
    explain(w, "60 s: Clipping and cutting", "60 s: Gallbladder packaging")


@fault(NAME, "consistent", "evidence_left_out")
def evidence_without_the_next_phase(w: World) -> None:
    w.question["evidence"] = [e for e in w.question["evidence"] if e["key"] != THEN]


@fault(NAME, "consistent", "evidence_role")
def evidence_of_a_later_action(w: World) -> None:
    later = {"table": "segments", "key": action_key(CUT, 68), "role": "answer"}
    w.question["evidence"].append(later)
