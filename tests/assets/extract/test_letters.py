"""What a careful person reads out of a reply."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

import pytest

from assets.extract.letters import read_reply

FOUR = "ABCD"
TEXTS = (
    "On the table.",
    "On the cutting board.",
    "In a pot.",
    "On the windowsill.",
)

PARSED = [
    # alone, in all wrappings
    ("D", "D"),
    ("(D)", "D"),
    ("D.", "D"),
    ("[D]", "D"),
    ("d", "D"),
    ("(d)", "D"),
    ("  D \n", "D"),
    ("**B**", "B"),
    ("`B`", "B"),
    ('"B"', "B"),
    ("<B>", "B"),
    ("__B__", "B"),
    ("（B）", "B"),
    ("【B】", "B"),
    ("Ｂ", "B"),
    ("+D", "D"),
    ("a", "A"),
    ("['A']", "A"),
    ("D D", "D"),
    ("D.D", "D"),
    # declared
    ("Answer: C", "C"),
    ("Best answer: C", "C"),
    ("Best option: C", "C"),
    ("Correct answer: A", "A"),
    ("ANSWER: C", "C"),
    ("The Answer is C", "C"),
    ("The answer C", "C"),
    ("answer: (c)", "C"),
    ("**Answer: B**", "B"),
    ("### Answer: B", "B"),
    ("**Answer:** B", "B"),
    ("Answer：B", "B"),
    ("Final answer: option d.", "D"),
    ("the correct answer is d", "D"),
    ("The correct option is (B).", "B"),
    ("The answer is most likely B.", "B"),
    ("The answer to this question is B", "B"),
    (r"\boxed{D}", "D"),
    (r"The answer is $\boxed{\text{B}}$", "B"),
    ("<answer>D</answer>", "D"),
    ("prediction=D", "D"),
    ('"prediction": "D"', "D"),
    ("Option: B", "B"),
    ("Selected: D", "D"),
    ("答案是C。", "C"),
    ("答案：D", "D"),
    ("选项D，因为它正确。", "D"),
    ("答案 d", "D"),
    ("I choose D", "D"),
    ("After analysing the clip, I choose D", "D"),
    ("I'd go with option B.", "B"),
    ("I would go with D, although A is close.", "D"),
    ("I will pick (C)", "C"),
    # concluded
    ("A person is cutting, so D.", "D"),
    ("Based on the video, the answer is C.", "C"),
    ("Based on the video the person continues stirring so it is D", "D"),
    ("It is D because Carrots are Diced", "D"),
    ("Video two shows cutting. Therefore D", "D"),
    ("Both hands are used, hence it must be (B).", "B"),
    ("I think it's C.", "C"),
    ("I believe B.", "B"),
    # the last declaration wins, and what is ruled out is no declaration
    ("I first thought A, but the answer is D.", "D"),
    ("Not A, but D.", "D"),
    ("The answer is not A but D.", "D"),
    ("The answer is not A. It is C.", "C"),
    ("Action D is wrong, so the answer is B", "B"),
    ("A is wrong. D is right.", "D"),
    ("Both A and D are plausible; the answer is D", "D"),
    ("Answer: A\nWait.\nAnswer: D", "D"),
    ("Answer: B\nOn reflection:\nAnswer: D", "D"),
    ("The answer is C. No, wait: the answer is B.", "B"),
    ("Answer: A\nExplanation: the pot is on the table", "A"),
    ("Explanation: video shows A.\nAnswer: D", "D"),
    ("B is the correct answer", "B"),
    ("Option C is incorrect. Option B is correct.", "B"),
    ("The answer is B, A is wrong.", "B"),
    ("The answer is B and C is not.", "B"),
    ("Answer: B. Option C: shows another object.", "B"),
    ("Option A: cuts. Option B: washes. Option C: stirs. So the answer is B.", "B"),
    (
        "A. On the table.\nB. On the cutting board.\nC. In a pot.\nD. Elsewhere.\nAnswer: C",
        "C",
    ),
    ("A and B can be ruled out. D does not fit. C.", "C"),
    ("A can't be it. B.", "B"),
    # a label first or last
    ("D. On the windowsill.", "D"),
    ("D: On the windowsill", "D"),
    ("(D) On the windowsill.", "D"),
    ("Option D: On the windowsill.", "D"),
    ("D\n\nExplanation: the hand in video A moves.", "D"),
    ("D (confidence 0.9)", "D"),
    ("B\n", "B"),
    ("The hand reaches for the pot.\nC", "C"),
    ("D． On the windowsill.", "D"),
    ("option b", "B"),
    ("Choice C", "C"),
    # JSON
    ('{"answer": "B"}', "B"),
    ('{"prediction": "d"}', "D"),
    ('{"prediction": "D", "reason": "A or B"}', "D"),
    ('```json\n{"prediction": "D", "reason": "x"}\n```', "D"),
    ('{"answer": "B. On the cutting board."}', "B"),
    ('{"answer": "A"}\nOn reflection:\n{"answer": "C"}', "C"),
    ('{"reason": "{A}", "answer": "(C)"}', "C"),
    ('{"answer": "In a pot."}', "C"),
    ('{"answer": ["B"]}', "B"),
    ("{'answer': 'B'}", "B"),
    ('{"answer":"B","log_likelihood":[-3.0,-1.0,-2.0,-9.0],"tokens":[1,2,3,4]}', "B"),
    # the only letter mentioned
    ("Considering all views, D", "D"),
    ("Certainly! D", "D"),
    ("Definitely A", "A"),
    ("Action D", "D"),
    ("video D", "D"),
    ("Both videos match, D", "D"),
    ("Video A shows the same action.", "A"),
    # full option text
    ("On the windowsill.", "D"),
    ("on the windowsill", "D"),
    ("IN A POT", "C"),
    ("The object stands on the cutting board.", "B"),
    ("The first option", "A"),
    # a text within a sentence, in a box, in short
    ("The pot is on the windowsill, so the windowsill it is: D", "D"),
    (r"It ends up in $\boxed{\text{In a pot}}$.", "C"),
    ("On the cutting", "B"),
    ("I would have picked A had it been empty. C is the pick.", "C"),
    ("Only C is consistent with the last frame.", "C"),
    ("A, B and D can all be dismissed. So the search ends at C.", "C"),
    ("La bonne réponse est B, la vidéo A est trop courte.", "B"),
    ("| Option | Fits |\n|---|---|\n| A | no |\n| B | no |\n| C | yes |\n| D | no |", "C"),
    ("| | Score |\n|---|---|\n| A | 2 |\n| B | 7 |\n| C | 3 |\n| D | 1 |\n\nAnswer: C", "C"),
    ("Most likely first:\n1. D\n2. B\n3. A\n4. C", "D"),
    # reasoning in tags is not the reply
    ("<think>It may be A. The answer is A?</think>C", "C"),
    ("<think>Option A: no. Answer: B</think>\nAnswer: C", "C"),
]

UNPARSED = [
    ("", "empty"),
    (" ", "empty"),
    ("\n", "empty"),
    (".", "empty"),
    ("None", "empty"),
    ("nan", "empty"),
    ("null", "empty"),
    ("N/A", "empty"),
    ("I cannot determine the answer.", "refused"),
    ("Cannot determine the answer", "refused"),
    ("I cannot determine whether it is A or B.", "refused"),
    ("I'm sorry, but without the image I can't say.", "refused"),
    ("Sorry, I can't help with images of people yet.", "refused"),
    ("I can't process this file.", "refused"),
    ("None of the above", "refused"),
    ("Answer: none", "refused"),
    ("Option: unknown", "refused"),
    ("I don't know.", "refused"),
    ('{"answer": null}', "refused"),
    ("Failed to obtain answer via API.", "refused"),
    ("Whether it is A, I cannot say.", "refused"),
    ("If the answer is A or B I cannot tell.", "refused"),
    ("The answer cannot be determined from the video.", "refused"),
    ("A definite answer is impossible to determine", "refused"),
    ("D and A", "ambiguous"),
    (
        "| Option | Ruled out |\n|---|---|\n| A | no |\n| B | yes |\n| C | no |\n| D | no |",
        "ambiguous",
    ),
    ("| Option | Fits |\n|---|---|\n| A | yes |\n| B | no |\n| C | yes |\n| D | no |", "ambiguous"),
    ("1. D\n2. B\n3. A\n4. C", "ambiguous"),
    ("| | Visible |\n|---|---|\n| A | no |\n| B | yes |\n| C | no |\n| D | no |", "ambiguous"),
    ("So the movement in B starts before C.", "ambiguous"),
    ("Je ne peux pas répondre.", "refused"),
    ("Leider kann ich das nicht beantworten.", "refused"),
    ("D, A", "ambiguous"),
    ("D/A", "ambiguous"),
    ("D or A", "ambiguous"),
    ("Answer: B or C", "ambiguous"),
    ("The answer is B and C.", "ambiguous"),
    ("Answer: A, B", "ambiguous"),
    ("A B C D", "ambiguous"),
    ("ABCD", "ambiguous"),
    ("DA", "ambiguous"),
    ("=A1", "ambiguous"),
    ("E", "ambiguous"),
    ("Answer: E", "ambiguous"),
    ("B looks good at first. Answer: E", "ambiguous"),
    ("Neither A", "ambiguous"),
    ("Yes", "ambiguous"),
    ("1", "ambiguous"),
    ("A person cuts carrots", "ambiguous"),
    ("Diced tomatoes", "ambiguous"),
    ("Certainly!", "ambiguous"),
    ("Based on the video", "ambiguous"),
    (
        "A. On the table.\nB. On the cutting board.\nC. In a pot.\nD. On the windowsill.",
        "ambiguous",
    ),
    ("On the table. On the windowsill.", "ambiguous"),
    ("B. On the table.", "ambiguous"),
    ('{"answer": ["A", "B"]}', "ambiguous"),
    ('{"answer": 2}', "ambiguous"),
    ('{"answer": "A or B"}', "ambiguous"),
    ("the person moves to the left and then grabs the pot with the right hand", "ambiguous"),
    ("<think>It may be A. The answer is A", "truncated"),
    ('{"reason": "the hand", "ans', "truncated"),
]


@pytest.mark.parametrize(("reply", "letter"), PARSED)
def test_letter(reply: str, letter: str) -> None:
    read = read_reply(reply, FOUR, TEXTS)
    assert (read.letter, read.status) == (letter, "parsed"), read.rule


@pytest.mark.parametrize(("reply", "status"), UNPARSED)
def test_no_letter(reply: str, status: str) -> None:
    read = read_reply(reply, FOUR, TEXTS)
    assert (read.letter, read.status) == (None, status), read.rule


def test_absent_reply_is_empty() -> None:
    assert read_reply(None, FOUR).status == "empty"


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        # Twenty options reach the pronoun I and the article A.
        ("I choose T.", "T"),
        ("I", "I"),
        ("(I)", "I"),
        ("Answer: I", "I"),
        ("I think the answer is S", "S"),
        ("A careful look shows K.", "K"),
        ("Option I", "I"),
        ("So it is I.", "I"),
        ("I believe it is M", "M"),
    ],
)
def test_twenty_options(reply: str, letter: str) -> None:
    assert read_reply(reply, "ABCDEFGHIJKLMNOPQRST").letter == letter


@pytest.mark.parametrize(
    "reply", ["I cannot tell", "I see a person", "Answer: I cannot say", "I am not sure"]
)
def test_pronoun_is_no_letter(reply: str) -> None:
    assert read_reply(reply, "ABCDEFGHIJKLMNOPQRST").letter is None


@pytest.mark.parametrize(
    ("reply", "letter", "status"),
    [
        # Cut off while reasoning: what it leans to is not its answer.
        ("Let me compare. The answer is A if the hand", None, "truncated"),
        ("Option B shows cutting, so B", None, "truncated"),
        ("", None, "truncated"),
        # Cut off while explaining a letter that stands on the first line.
        ("B\n\nThe hand in the query holds", "B", "parsed"),
        ("(C)", "C", "parsed"),
        # Said before any reason was given.
        ("B. The hand in the query", "B", "parsed"),
        ("The answer is C, because the hand", "C", "parsed"),
        ("Answer: D\n1. The hand holds\n2. So A is", "D", "parsed"),
        ("The answer is A or B, because", None, "truncated"),
        ("The answer is", None, "truncated"),
        ('{"prediction": "B", "reason": "the ha', "B", "parsed"),
        ('```json\n{\n  "prediction": "B",\n  "reason": "A is', "B", "parsed"),
        ('{"reason": "B is seen", "prediction": "', None, "truncated"),
        ('{"prediction": "X", "reason": "the ha', None, "truncated"),
    ],
)
def test_truncated(reply: str, letter: str | None, status: str) -> None:
    read = read_reply(reply, FOUR, TEXTS, truncated=True)
    assert (read.letter, read.status) == (letter, status)


@pytest.mark.parametrize(
    ("reply", "letter", "status"),
    [
        # EgoCross, Figure 6.
        ('{"prediction": "B", "reason": "Option A is on the left."}', "B", "parsed"),
        ('```json\n{\n  "prediction": "C",\n  "reason": "A"\n}\n```', "C", "parsed"),
        ('{"prediction": "b", "reason": ""}', "B", "parsed"),
        ('{"prediction": "B.", "reason": "x"}', "B", "parsed"),
        ('{"prediction": "X", "reason": "A"}', None, "ambiguous"),
        ('{"prediction": ["A", "B"], "reason": "x"}', None, "ambiguous"),
        ('{"prediction": null, "reason": "nothing is seen"}', None, "refused"),
        ('{"prediction": "B", "reason": "cut by the serv', "B", "parsed"),
        ('{"reason": "A or B", "pred', None, "truncated"),
        # EgoProx, Section H.
        ("<B>", "B", "parsed"),
        ("I choose <C>.", "C", "parsed"),
        ("The box is on the left (A). So I turn.\nThe correct answer is <D>.", "D", "parsed"),
        ("The correct answer is <>.", None, "ambiguous"),
        # A rationale below the letter, and above it.
        ("Answer: B\n1. The left hand takes A.\n2. It is put on C.", "B", "parsed"),
        ("1. Option A shows a cup.\n2. B is empty.\nThe answer is C", "C", "parsed"),
    ],
)
def test_reply_forms_of_the_protocols(reply: str, letter: str | None, status: str) -> None:
    read = read_reply(reply, FOUR)
    assert (read.letter, read.status) == (letter, status), read.rule


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        ("front-left", "C"),
        ("It is to the front-left.", "C"),
        ("It is to the left.", "A"),
        ("It is to the back-left.", None),
        ("It is to the front-right of the camera wearer", None),
    ],
)
def test_directions_in_words(reply: str, letter: str | None) -> None:
    options = ["left", "right", "front-left", "back"]
    assert read_reply(reply, FOUR, options).letter == letter


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param("{" * 200_000, id="braces"),
        pytest.param('{"a":' * 200_000, id="nested"),
        pytest.param("answer" + " " * 200_000 + "?", id="blanks"),
        pytest.param("A B C D " * 50_000, id="letters"),
        pytest.param("the answer is the " * 50_000, id="words"),
        pytest.param("not the " * 100_000 + "A", id="negations"),
    ],
)
def test_runaway_replies_are_read_in_bounded_time(reply: str) -> None:
    began = time.process_time()
    read_reply(reply, FOUR, TEXTS)
    assert time.process_time() - began < 2.0


@pytest.mark.parametrize(
    ("reply", "options", "letter"),
    [
        ("It took 3 mınutes", ["2 minutes", "3 minutes"], "B"),
        ("The fırst one.", ["first shelf", "second shelf"], None),
        ("Fırst the bread (A). So the last one ıs B.", ["bread", "jam"], "B"),
        ("The person holds a racket in the left hand.", ["Ego view 1", "Ego view 2"], None),
        ("It reads 3.5, so 0 to 5 °C.", ["below 0 °C", "0 to 5 °C", "5 to 10 °C"], "B"),
    ],
)
def test_odd_characters_and_units(reply: str, options: list[str], letter: str | None) -> None:
    assert read_reply(reply, "ABCD"[: len(options)], options).letter == letter


def test_a_runaway_reply_still_answers_at_its_end() -> None:
    assert read_reply("thinking " * 20_000 + "\nAnswer: C", FOUR).letter == "C"


def test_only_this_questions_letters_count() -> None:
    assert read_reply("D", "ABC").letter is None
    assert read_reply("D", "ABCD").letter == "D"


def test_equal_option_texts_are_ambiguous() -> None:
    read = read_reply("in a pot", "AB", ["In a pot.", "in a pot"])
    assert (read.letter, read.status) == (None, "ambiguous")


def test_longer_option_text_wins_over_the_one_inside_it() -> None:
    texts = ["the board", "the board by the sink"]
    assert read_reply("It lies on the board by the sink.", "AB", texts).letter == "B"


@pytest.mark.parametrize("letters", ["", ["AB"], ["a"], ["1"]])
def test_odd_letters_are_refused(letters: list[str]) -> None:
    with pytest.raises(ValueError, match="single capitals"):
        read_reply("A", letters)


@pytest.mark.parametrize(
    ("reply", "letter"), [("Ranked: a, b, c", "A"), ("On A (B, C and D) here", None)]
)
def test_odd_lists_are_read(reply: str, letter: str | None) -> None:
    assert read_reply(reply, "ABCD").letter == letter


def test_letter_order_of_options_does_not_matter() -> None:
    assert read_reply("Answer: C", "CAB").letter == "C"


# --- recorded replies with what the official extractor made of them -------------------------------

# Where a reply names two letters, glues letters into a word or breaks off inside an option, the
# official first-capital rule yields a letter that a reader would not.
_OFFICIAL_GUESSES = re.compile(
    r"\w\s*(?:,|/|and|or)\s*\w|[A-D]{2,}|A B C D|Video[A-D]|=A1|Neither \w|N/A"
)


def _cases(shared: Path) -> list[dict]:
    lines = (shared / "oracles/egoexobench/cases.jsonl").read_text(encoding="utf-8").splitlines()
    cases = [json.loads(line) for line in lines]
    return [c for c in cases if isinstance(c["prediction"], str)]


def _texts(case: dict) -> list[str]:
    found = dict(re.findall(r"^([A-D])[.:)]\s*(.*)$", case["options"] or "", re.MULTILINE))
    return [found[letter] for letter in FOUR] if len(found) == 4 else []


def test_where_the_official_letter_is_right_by_any_reading(shared: Path) -> None:
    """Short replies whose only capital letter-word is the official letter."""
    checked = 0
    for case in _cases(shared):
        reply, official = case["prediction"], case["out"].get("regex_letter")
        words = set(re.findall(r"(?<![A-Za-z0-9])[A-D](?![A-Za-z0-9])", reply))
        if words != {official} or "ot " in reply or "either" in reply or reply == "N/A":
            continue
        texts = _texts(case)
        said = [t for t in texts if t.lower().rstrip(".") in reply.lower()]
        if said and texts.index(said[0]) != FOUR.index(official):
            continue
        checked += 1
        assert read_reply(reply, FOUR, texts).letter == official, reply
    assert checked > 500


def test_where_two_letters_or_none_were_named_nothing_is_guessed(shared: Path) -> None:
    wrong = [
        case["prediction"]
        for case in _cases(shared)
        if _OFFICIAL_GUESSES.fullmatch(case["prediction"])
        and read_reply(case["prediction"], FOUR, _texts(case)).letter is not None
    ]
    assert not wrong


# --- answers that contradict themselves, and rules that must not go too far -----------------------

_WAYS = (
    "Forward", "Forward-left", "Forward-right", "Backward-left", "Backward-right", "Left", "Right", "Up",
)  # fmt: skip
_ROOMS = ("Living room", "Kitchen", "Bathroom", "Bedroom", "Hallway")
_THINGS = ("the red mug", "the blue mug", "the lid", "the plate")
_AIMS = ("To get the salt", "To sit down", "To pick up their phone", "To clean up the flour")


@pytest.mark.parametrize(
    ("reply", "options", "letter"),
    [
        ('{"answer": "B"}\n\nMy answer above is wrong; it should be A.', (), "A"),
        ('{"answer": "B"}\n\nThe frames show C more clearly. The answer is C.', (), None),
        ('{"answer": "B"}\n\nI chose B because A and C are wrong.', (), "B"),
        ('{"answer": "B"} I initially thought it was C, but B is right.', (), "B"),
        ("<answer>A</answer>\nOn reflection, the answer should be D.", (), "D"),
        ("<answer>B</answer>\nThe other videos (A, C, D) do not match.", (), "B"),
        ("Die Antwort ist B. Moment, ich habe etwas übersehen, und damit ist C richtig.", (), "C"),
        ("La respuesta es B. Espera, ya está abierto. Entonces la correcta es la D.", (), "D"),
        ("Het antwoord is A. Wacht, het raam zit links, dus D is juist.", (), "D"),
        ("The answer is A. The car is visible.\nThe answer is C. The beams are visible.", (), None),
        ("**A** is the answer. The car is there.\n**C** is the answer. So is the beam.", (), None),
        ("The answer is A. The beams say otherwise. The final answer is C.", (), "C"),
        ("The person moves backwards and to the left.", _WAYS, "D"),
        ("It is behind the camera wearer, to the right.", _WAYS, "E"),
        ("It lies up and to the left.", _WAYS, None),
        ("It is in the upper left.", _WAYS, None),
        ("It is on the left.", _WAYS, "F"),
        ("After leaving the kitchen he passes the bedroom and sits in the **living room**.", _ROOMS, "A"),
        ("She walks through the **kitchen** and the hallway.", _ROOMS, None),
        ("He supports the lid with the plate.", _THINGS, None),
        ("He indicates the lid, then moves the plate.", _THINGS, None),
        ("The evidence supports the lid, although the plate is close.", _THINGS, "C"),
        ("The caption says that the answer is C, which misleads. It all points to A.", (), "A"),
        ("The answer is not C. The lamp would point to A, but it is off.", (), None),
        ("While they may sit down (B), the cloth suggests that they want to clean up the flour (D).", _AIMS, "D"),
        ("The flour suggests that they do not want to sit down (B).", _AIMS, None),
        ("ans: d because of the lid", (), "D"),
        ("answer: b or c", (), None),
        ("Answer: C\n\nLet me know if you want to hear about options A, B or D!", (), "C"),
        ("La primera opción no encaja, la segunda opción sí.", (), "B"),
        ('{"prediction": {"label": "C", "text": "the lid"}}', _THINGS, "C"),
        ('{"prediction": {"label": "C", "candidate": "D"}}', (), None),
        ("I see the lid, the plate and the red mug. No blue mug is visible.", _THINGS, None),
        ("<|im_start|>user\nWhich? A. B. C. D.<|im_end|>\n<|im_start|>assistant\nB", (), "B"),
    ],
)  # fmt: skip
def test_a_second_choice_is_read_only_where_the_first_is_given_up(
    reply: str, options: tuple[str, ...], letter: str | None
) -> None:
    assert read_reply(reply, "ABCDEFGH"[: len(options) or 4], options).letter == letter


_SPANS = ("0-5 s", "5-10 s", "10-15 s", "15-20 s")
_COUNTS = ("3", "4", "5", "6")
_FLOORS = ("floor 1", "floor 2", "floor 3", "floor 4")
_BOXES = ("wooden box", "metal box", "cardboard box", "plastic box")
_ACTS = ("peel", "slice", "grate", "mash")
_FAULTS = ("He used the wrong size", "He used the wrong side", "He used too much force")


@pytest.mark.parametrize(
    ("reply", "options", "letter"),
    [
        ("From 5 to 10 seconds she adds salt. **The gas is turned off in the 10-15 s interval.**", _SPANS, "C"),
        ("The gas is not turned off in the 10-15 s interval.", _SPANS, None),
        ("Lettuce, cheese (2), olives. I count them one by one. There is more in the bowl\n\nFinal answer: 5", _COUNTS, "C"),
        ("There are many things in the bowl\n\nFinal answer: not 5", _COUNTS, None),
        ("The answer is B. I am sure of it\n\nFinal answer: 5", _COUNTS, None),
        ("The wearer leaves on the third floor.", _FLOORS, "C"),
        ("The wearer does not leave on the third floor.", _FLOORS, None),
        ("The wearer leaves on the first or the third floor.", _FLOORS, None),
        ("The plastic box is lifted with one hand. The metal box is evidently the heaviest of them.", _BOXES, "B"),
        ("The metal box is the shiniest. He bends his knees for the wooden box.", _BOXES, None),
        ("The metal box is not the heaviest of them.", _BOXES, None),
        ("Is the metal box the heaviest of them?", _BOXES, None),
        ("Answer: B. grate", _ACTS, None),
        ("Answer: B. slice", _ACTS, "B"),
        ("Mistake made: wrong side of the tool. The size is fine, and so is the force.", _FAULTS, "B"),
        ("The size is fine.", _FAULTS, None),
    ],
)  # fmt: skip
def test_what_a_conclusion_without_a_letter_says(
    reply: str, options: tuple[str, ...], letter: str | None
) -> None:
    assert read_reply(reply, "ABCD"[: len(options)], options).letter == letter
