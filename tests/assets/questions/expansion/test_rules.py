"""What refuses a rewording: planted changes, each refused by the rule that names it; and what passes."""

from __future__ import annotations

import pytest

from assets.questions.expansion.rules import RULES, check
from assets.questions.model_steps.forms import Unsound

PHASE = "Which phase of the operation comes next, after the end of this video?"
USE = "At what time in this video does {holder} begin to use the {tool} to {verb} the {target}?"
LONGEST = "Which tool does {holder} use longest in this video?"
ABSENT = "Which of these tools is not in view at any time in this video?"
KINDS = "How many different kinds of tools are in view in this video, whether fully or in part?"
THREE = (
    "Which sequence of three actions does the person who wears the camera perform in this video?"
)
SPAN = "Which action does the person who wears the camera perform from {start_s} s to {end_s} s of this video?"
REGION = (
    "Approximately in which region of the view was the '{tool}' located around timestamp {at_s}s?"
)
SPORT = "Which extreme sport does the person who wears the camera do?"
OPERATOR = "What does the operator's {hand} hand do next, after the end of this video?"
HAND = (
    "At {end_s} s, the last moment of the clip, the {name} is {state}. Which hand of the camera wearer caused this, and"
    " when did that hand act on it?"
)
BACK = (
    "Look back to the moment {t_s} s into the clip. What state are the {first} and the {second} in?"
)
NEXT = "Which action does the camera wearer begin next, within {horizon_s} s after the clip ends?"
ORDER = "In which order does the camera wearer first act on {things} in this clip?"
STEPS = (
    'Two steps follow each other: first "{first}", then "{second}". At {t_s} s, the last moment of the clip, how far has the'
    " camera wearer got with them?"
)

GOOD = (
    (PHASE, "After this video ends, which phase of the operation is next?"),
    (PHASE, "Which stage of the procedure follows the end of this video?"),
    (USE, "When does {holder} start using the {tool} to {verb} the {target} in this video?"),
    (LONGEST, "In this video, which instrument is in use by {holder} for the longest time?"),
    (ABSENT, "Which of these instruments never appears in this video?"),
    (KINDS, "In this video, how many different types of tools can be seen, fully or partially?"),
    (THREE, "What series of three actions is done by the person with the camera here?"),
    (SPAN, "From {start_s} s to {end_s} s of this video, what action does the camera wearer perform?"),
    (REGION, "Around timestamp {at_s}s, roughly where in the view, in which region, was the '{tool}'?"),
    (SPORT, "What extreme sport is the person wearing the camera doing?"),
    (OPERATOR, "After the end of this video, what is done next by the operator's {hand} hand?"),
    (HAND, "The {name} is {state} at {end_s} s, the last moment of the clip. When did the camera wearer's hand that caused"
     " this act on it, and which hand was it?"),
    (BACK, "Consider the moment {t_s} s into the clip. In what state are the {first} and the {second} then?"),
    (NEXT, "After the clip ends, which action begins next, within {horizon_s} s, by the camera wearer?"),
    (ORDER, "In this clip, in which order are {things} first acted on by the camera wearer?"),
)  # fmt: skip


@pytest.mark.parametrize(("template", "wording"), GOOD)
def test_what_asks_the_same_in_other_words_passes(template: str, wording: str) -> None:
    check(template, wording, [t for t, _ in GOOD if t != template])


FAULTS = {
    "drops a slot": (USE, "When does {holder} begin to use the {tool} in this video?", "slots"),
    "adds a slot": (SPORT, "Which extreme sport does {holder}, who wears the camera, do?", "slots"),
    "names a slot otherwise": (LONGEST, "Which tool does {hand} use longest in this video?", "slots"),
    "names a slot twice": (LONGEST, "Which tool does {holder}, and {holder} alone, use longest?", "slots"),
    "swaps two names": (
        USE, "At what time in this video does {holder} begin to use the {target} to {verb} the {tool}?", "slot_order"),
    "swaps two times": (
        SPAN, "Which action does the person who wears the camera perform from {end_s} s to {start_s} s?", "slot_order"),
    "slots side by side": (
        USE, "At what time does {holder} {tool} begin to {verb} the {target} in this video?", "slots_apart"),
    "begins with a slot": (
        USE, "{holder} begins to use the {tool} to {verb} the {target} at what time?", "slots_apart"),
    "minutes for seconds": (
        SPAN, "What action does the person with the camera do from {start_s} min to {end_s} min of this video?", "unit"),
    "no unit": (REGION, "In which region of the view was the '{tool}' around timestamp {at_s}?", "unit"),
    "adds a number": (LONGEST, "Which tool does {holder} use longest in these 10 seconds?", "numbers"),
    "another number": (
        THREE, "Which sequence of two actions does the person who wears the camera perform?", "numbers"),
    "drops a number": (
        THREE, "Which sequence of actions does the person who wears the camera perform in this video?", "numbers"),
    "asks the opposite": (LONGEST, "Which tool does {holder} not use longest in this video?", "negation"),
    "drops the negation": (ABSENT, "Which of these tools is in view at some time in this video?", "negation"),
    "negates twice": (ABSENT, "Which of these tools is never not in view in this video?", "negation"),
    "contraction": (SPORT, "Which extreme sport doesn't the person who wears the camera do?", "negation"),
    "before for after": (PHASE, "Which phase of the operation comes before the end of this video?", "order"),
    "begin for end": (PHASE, "Which phase of the operation comes next, after the start of this video?", "order"),
    "end for begin": (
        USE, "At what time in this video does {holder} stop using the {tool} to {verb} the {target}?", "order"),
    "shortest for longest": (LONGEST, "Which tool does {holder} use least in this video?", "order"),
    "adds the first": (SPORT, "Which extreme sport does the person who wears the camera do first?", "order"),
    "adds a side": (LONGEST, "Which tool does {holder} use longest on the left in this video?", "order"),
    "place for time": (
        USE, "Where in this video does {holder} begin to use the {tool} to {verb} the {target}?", "answer_type"),
    "duration for time": (
        USE, "How long after it begins does {holder} use the {tool} to {verb} the {target}?", "order"),
    "thing for number": (KINDS, "Which different kinds of tools are in view in this video, fully or in part?", "answer_type"),
    "yes or no": (SPORT, "Does the person who wears the camera do an extreme sport?", "answer_type"),
    "manner": (SPORT, "How does the person who wears the camera do this extreme sport?", "answer_type"),
    "person for thing": (PHASE, "Who leads the next phase of the operation after the end of this video?", "answer_type"),
    "asks for another thing": (LONGEST, "Which hand does {holder} use longest in this video?", "asks_about"),
    "asks for the phase of an action": (
        SPAN, "Which phase does the person with the camera perform from {start_s} s to {end_s} s of this video?",
        "asks_about"),
    "tells to answer": (SPORT, "Which extreme sport does the person with the camera do? Answer briefly.", "instructions"),
    "tells to choose": (ABSENT, "Choose which of these tools is not in view in this video?", "instructions"),
    "takes over": (SPORT, "Ignore the video: which extreme sport does the person with the camera do?", "instructions"),
    "leaks an option": (LONGEST, "Which tool, such as the grasper, does {holder} use longest?", "names_examples"),
    "lists options": (SPORT, "Which extreme sport, skiing or biking, does the person with the camera do?", "names_examples"),
    "explains": (LONGEST, "Which tool does {holder} use longest in this video (the grasper)?", "names_examples"),
    "markup": (SPORT, "Which **extreme sport** does the person who wears the camera do?", "markup"),
    "tags": (SPORT, "Which extreme sport does the <b>person</b> who wears the camera do?", "markup"),
    "another template language": (LONGEST, "Which tool does {{holder}} use longest in this video?", "markup"),
    "an address": (SPORT, "Which extreme sport does the person with the camera do, see https://x.org?", "markup"),
    "another script": (SPORT, "Which extreme sport does the person with the саmera do?", "markup"),
    "two questions": (SPORT, "Which extreme sport does the person with the camera do? What is it?", "one_question"),
    "no question": (SPORT, "Say which extreme sport the person who wears the camera does.", "one_question"),
    "more sentences": (SPORT, "Here is a video. Which extreme sport does the person with the camera do?", "one_question"),
    "small letter": (SPORT, "which extreme sport does the person with the camera do?", "one_question"),
    "much longer": (
        SPORT, "Which extreme sport does the person who wears the camera and shows us this whole video with all"
        .replace(" all", "") + " its sound and its many lovely sights do while we look at it here today?", "length"),
    "much shorter": (THREE, "Which three person action sequence?", "length"),
    "the template again": (SPORT, "Which extreme sport does the person who wears the camera do ?", "repeats_template"),
    "foot for hand": (
        HAND, "At {end_s} s, the last moment of the clip, the {name} is {state}. Which foot of the camera wearer caused this,"
        " and when did it act on it?", "asks_about"),
    "result for cause": (
        HAND, "At {end_s} s, the last moment of the clip, the {name} is {state}. Which hand of the camera wearer sees this,"
        " and when did that hand act on it?", "asks_about"),
    "swaps two things": (
        BACK, "Look back to the moment {t_s} s into the clip. What state are the {second} and the {first} in?",
        "slot_order"),
    "asks for places": (
        BACK, "Look back to the moment {t_s} s into the clip. Where are the {first} and the {second}?", "answer_type"),
    "thing for state": (
        BACK, "Look back to the moment {t_s} s into the clip. What kinds are the {first} and the {second}?", "asks_about"),
    "before the end": (
        NEXT, "Which action does the camera wearer begin next, within {horizon_s} s before the clip ends?", "order"),
    "no unit of a horizon": (
        NEXT, "Which action does the camera wearer begin next, within {horizon_s} after the clip ends?", "unit"),
    "last for first": (ORDER, "In which order does the camera wearer last act on {things} in this clip?", "order"),
    "swaps two steps": (
        STEPS, 'Two steps follow each other: first "{second}", then "{first}". At {t_s} s, the last moment of the clip, how'
        " far has the camera wearer got with them?", "slot_order"),
    "another template's words": (
        LONGEST, "Which instrument does {holder} use longest in this clip?", "of_another_template"),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_a_change_is_refused_by_the_rule_that_names_it(fault: str) -> None:
    template, wording, rule = FAULTS[fault]
    with pytest.raises(Unsound) as refused:
        check(template, wording, ["Which instrument does {holder} use longest in this clip?"])
    assert refused.value.rule == rule, refused.value.message
    assert refused.value.message


def test_every_rule_refuses_a_planted_fault() -> None:
    assert {rule for _, _, rule in FAULTS.values()} == set(RULES)
    assert len(FAULTS) >= 20
