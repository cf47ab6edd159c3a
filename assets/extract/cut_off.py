"""What a reply that the token limit cut off had settled before its end."""

from __future__ import annotations

import re
from collections.abc import Sequence

from assets.extract.declarations import ANSWER_ABROAD, letters_in
from assets.extract.doubts import CORRECTION
from assets.extract.guarded import Guarded
from assets.extract.json_letters import read_json, read_open_json
from assets.extract.labels import LABEL, read_label
from assets.extract.letter_readings import Reading, declared, whole

# A clause at the very start that says "the answer is" and has ended: what follows explains it.
_FIRST_CLAUSE = re.compile(
    r"^(?P<clause>(?:(?:i (?:think|believe|guess|would say)|i'd say)(?: that)? )?(?:it's|it is|this is|that's|(?:the |my )?(?:(?:final|best|correct|right|most appropriate) )?"
    r"(?:answer|option|choice|prediction)\b(?: is\b|:| [-–—]))[^.,;\n]{0,60}?)"
    r"(?:[.,;\n]|\s(?:because|since|as)\b)",
    re.IGNORECASE,
)

# The same in other languages, to the end of the first sentence or line.
_FIRST_CLAUSE_ABROAD = re.compile(
    r"^(?P<clause>(?:(?:la|die|le|il|o|a|de) )?(?:(?:bonne|correcte|richtige|juiste|正确|最终) ?)?"
    rf"(?:{ANSWER_ABROAD}|答案|正解|答え|回答|정답|답)[^.,;\n]{{0,40}}?)(?:[.,;\n]|\s(?:porque|ya que|pues|car|parce que|weil|da|denn|perché|porque|pois|omdat|want|eftersom|fordi|ponieważ|потому что|так как|karena|vì|çünkü)\s)",
    re.IGNORECASE,
)

# A label that its line speaks against.
_BAD_MARK = re.compile(
    r"[✗✘❌❎]|[:(–—-]\s*(?:no\b|not\b|incorrect\w*|wrong|mismatch|no match|different|excluded|unlikely|false|falsch|fals[ao]|faux|fausse)\b"
    r"|(?:错|不对|不符|不匹配|違)",
    re.IGNORECASE,
)
# A label, and a sentence that explains it.
_OPENING = re.compile(r"\W{0,3}(?P<label>[A-Z])[).:]\s+\w[^\n.!?]{30,}[.!?]\s")
_LAST_ANSWER = re.compile(
    r"\b(?:answer|choice|option) (?:is|must be|should be|would be):?\s+(?:option )?\(?(?P<letter>[A-Z])[).:]\s*(?P<rest>[^\n]{1,100})$",
    re.IGNORECASE,
)
_ENDS_WITH_ANSWER = re.compile(
    r"\b(?:so|therefore|thus|hence),? the (?:correct |right |best |final )?(?:answer|choice|option) is:? (?:option )?\(?(?P<letter>[A-Z])\)?\W*$",
    re.IGNORECASE,
)
_BOX_ALONE = re.compile(r"\\boxed\s*\{\s*(?P<letter>[A-Z])\s*\}")
# What comes of a second look is not there.
_LOOKS_AGAIN = Guarded(
    r"\b(?:let me (?:re-?\w*|double.?\w*|verify|check\w*|make sure|confirm|look)|(?:re.?|double.?)check\w*|(?:on|upon|after) (?:re\w+|closer \w+|second \w+)|to (?:verify|double.?check))\b|再(?:看|检查|确认)|もう一度|다시",
    re.IGNORECASE,
)


# "Answer: (D": the bracket says that the letter is whole.
_OPENED_LETTER = re.compile(
    r"\W*(?:(?:the |my )?(?:final |correct |best )?(?:answer|option|choice)(?: is)?\s*[:=]?\s*)?(?:\*\*)?\((?P<letter>[A-Z])\)?",
    re.IGNORECASE,
)


# A last line of its own that gives the final answer.
_FINAL_LINE = re.compile(
    r"\n[^\w\n]*(?:the |my |so,? )?final (?:answer|choice)(?: is)?\s*[:=]?\s*(?:option )?\(?(?P<letter>[A-Z])[)*.]*\s*$",
    re.IGNORECASE,
)


def read_cut_off(text: str, letters: Sequence[str], texts: Sequence[str]) -> Reading:
    """What a reply that was cut off had settled before its end."""
    final = _FINAL_LINE.search(text)
    if final is not None and final["letter"] in letters:
        return Reading(final["letter"], "parsed", "cut_after_answer")
    opened = _OPENED_LETTER.fullmatch(text.strip().rpartition("\n")[2])
    if opened is not None and opened["letter"] in letters:
        return Reading(opened["letter"], "parsed", "opened_letter")
    first, *more = text.split("\n", 1)
    bare = _BOX_ALONE.fullmatch(first.strip())
    reading = (
        whole(bare["letter"] if bare else first, letters, ()) if more or len(text) <= 3 else None
    )
    if _begins_a_word(text, texts):
        return Reading(None, "truncated", "cut_off")
    stuck = whole(text, letters, ()) if len(set(text.strip())) == 1 else None
    reading = reading or stuck or read_json(text, letters, texts)
    if reading is None or reading.status == "truncated":
        reading = read_open_json(text, letters, texts) or reading
    if reading is None:
        head = _FIRST_CLAUSE.match(text) or _FIRST_CLAUSE_ABROAD.match(text)
        reading = read_label(first, letters, ()) if LABEL.match(first) else None
        if reading is not None and (_BAD_MARK.search(first) or _lists_options(text, letters)):
            reading = None
        if reading is None and (opening := _OPENING.match(text)) is not None:
            # A label that is not the first option's stands before no list of the options.
            label = opening["label"]
            known = label in letters and label != letters[0]
            reading = Reading(label, "parsed", "label") if known else None
        if reading is None and head is not None:
            reading = declared(head["clause"], letters)
        if reading is None:
            reading = (
                _first_sentence(text, letters)
                or _first_paragraph(text, letters)
                or _cut_in_answer(text, letters, texts)
            )
    settled = reading is not None and reading.status == "parsed"
    turns = CORRECTION.matches(text)
    taken_back = bool(turns) and bool(letters_in(text[: turns[-1].start()], letters))
    # An idea that is taken back before the end is not an answer, and what would replace it is not there.
    if not reading or not settled or taken_back or _LOOKS_AGAIN.found_in(text):
        return Reading(None, "truncated", "cut_off")
    later = declared(text, letters)
    other = later is not None and later.letter not in (None, reading.letter)
    return Reading(None, "truncated", "cut_off") if other else reading


def goes_back_on(text: str) -> bool:
    """Whether what follows an answer takes it back or looks at it again, so that a cut leaves it open."""
    return CORRECTION.found_in(text) or _LOOKS_AGAIN.found_in(text)


def _begins_a_word(text: str, texts: Sequence[str]) -> bool:
    """Whether a small letter is all that a reply says before its cut, and an option's text begins with it."""
    letter = text.strip()
    return len(letter) == 1 and letter.islower() and any(one.startswith(letter) for one in texts)


# A first sentence that names the answer outright: "Clip C is the match.", "The matching clip is C: ...".
_OUTRIGHT = re.compile(
    r"(?:the )?(?:matching|corresponding|best.matching|best|correct|right|selected|most (?:likely|similar|plausible)) (?:clip|video|view|option|answer|choice|candidate|one|match) is (?:option |video |clip )?\(?(?P<first>[A-Z])\)?\s*[.:;,(]"
    r"|(?:option|video|clip|candidate|choice) \(?(?P<second>[A-Z])\)? is (?:clearly |definitely )?the (?:best |correct |right |only |closest )?(?:match|answer|one|option|choice|fit)(?: here)?\s*[.:;,]",
    re.IGNORECASE,
)


def _first_sentence(text: str, letters: Sequence[str]) -> Reading | None:
    match = _OUTRIGHT.match(text)
    letter = None if match is None else match["first"] or match["second"]
    return Reading(letter, "parsed", "first_sentence") if letter in letters else None


def _first_paragraph(text: str, letters: Sequence[str]) -> Reading | None:
    """The answer that ends a paragraph, behind which another one explains it."""
    paragraph, gap, rest = text.partition("\n\n")
    found = _ENDS_WITH_ANSWER.search(paragraph) if gap and rest.strip() else None
    letter = None if found is None else found["letter"]
    if letter not in letters or "\n" in paragraph:
        return None
    return Reading(letter, "parsed", "first_paragraph")


def _cut_in_answer(text: str, letters: Sequence[str], texts: Sequence[str]) -> Reading | None:
    """The answer whose text was being written when the reply was cut off: "so the answer is E. scr"."""
    last = _LAST_ANSWER.search(text)
    if last is None or last["letter"] not in letters or not texts:
        return None
    option = texts[list(letters).index(last["letter"])].lower()
    rest = last["rest"].strip().lower()
    spelled = option.startswith(rest) or (option != "" and rest.startswith(option))
    return Reading(last["letter"], "parsed", "cut_in_answer") if spelled else None


def _lists_options(text: str, letters: Sequence[str]) -> bool:
    """Whether a text that opens with the first option's label lists them: it goes on with the second one's, or describes the first."""
    if len(letters) < 2:
        return False
    if re.match(rf"\W*(?:video|clip|option) {letters[0]}\W{{1,5}}\w", text, re.IGNORECASE):
        return True
    first, second = (
        re.search(rf"(?:^|[\s;,.|])(?:option |video |clip )?\(?{one}(?:\s*[).:]|\s+[-–—=])", text)
        for one in letters[:2]
    )
    return first is not None and second is not None and first.start() < min(8, second.start())
