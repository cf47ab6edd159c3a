"""An answer in words with its reason (EgoCross, open form: JSON with answer and reason).

The canonical form is `OpenAnswer(answer, reason)`, both as the reply words them, without blanks and quotation marks around
them; the reason is None where none is given.

Rules, after the wrapping is off:

- The last object with an answer, under any of its usual names, in an object of its own or a field of one; broken JSON
  is repaired. Two objects with different answers are ambiguous unless words of correction stand between them.
- Fields, labelled lines ("Answer: ... Reason: ...", in many languages), a box, a sentence that says what the answer is, "X,
  because Y", a short answer with its explanation below it, or the answer alone. A list that is the whole answer is read
  without its numbers.
- An answer that declines is a refusal, a template that is not filled in commits to nothing, and an answer that breaks off is
  truncated; a reason that breaks off keeps its answer. That somebody in the video cannot do or does not know
  something declines nothing.
- A reply that is the released answer word for word is an answer, whatever it looks like ("none", "say sorry").
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from assets.extract.declarations import ANSWER_ABROAD
from assets.extract.json_answers import find_json
from assets.extract.readings import Candidate, Prepared, Read, prepare, settle
from assets.extract.refusals import is_refusal
from assets.extract.wrapping import plain


@dataclass(frozen=True, slots=True)
class OpenAnswer:
    """An answer in words, and the reason given for it (None if there is none)."""

    answer: str
    reason: str | None = None


Accepted = Callable[[str], bool]
"""Whether a text is an answer for certain, because it is the released one word for word."""

# Names of an answer whatever is asked, and those that name it only where nothing else does.
_NAMED = rf"answers?|final[_ ]answer|predictions?|short[_ ]answer|ans|答案|回答|最终答案|答え|정답|답변|답|{ANSWER_ABROAD}"
_WEAK = r"response|result|output|object|action"
_ANSWER = rf"{_NAMED}|{_WEAK}"
_REASON = (
    "reason|reasoning|explanation|rationale|why|justification|because|evidence|analysis|detailed_answer|理由|原因|解释|解释说明|説明|根拠|이유|설명|근거"
    "|begründung|erklärung|raison|explication|razón|explicación|justificación|motivazione|spiegazione|razão|explicação|justificativa|причина|объяснение"
    "|обоснование|uzasadnienie|wyjaśnienie|açıklama|gerekçe|penjelasan|alasan|giải thích|lý do|व्याख्या|कारण|السبب|الشرح|التفسير|uitleg|förklaring"
)
_ANSWER_KEY, _NAMED_KEY = re.compile(_ANSWER, re.IGNORECASE), re.compile(_NAMED, re.IGNORECASE)
_REASON_KEYS = set(_REASON.split("|"))
_TEXT_KEYS = ("text", "value", "content", "answer", "name", "label")
_OF_LABEL = r"(?:the |my |short |correct |la |le |el |il |die |de |het )?"
_LABEL = rf"{_OF_LABEL}(?:{_ANSWER}|{_REASON})"
_LABELS = re.compile(
    rf"^\W{{0,6}}(?P<label>{_LABEL})\W{{0,4}}?[:=：]\W{{0,3}}?(?P<text>[^\n]*(?:\n(?!\W{{0,6}}{_LABEL}\W{{0,4}}?[:=：])[^\n]*){{0,40}})",
    re.IGNORECASE | re.MULTILINE,
)
# A heading, or a line in bold, is a label without a colon.
_HEADING = re.compile(
    rf"^[ \t]*(?:#{{1,6}}[ \t]*|\*\*)\W{{0,3}}({_OF_LABEL}(?:{_NAMED}|{_REASON}))[ \t*_]{{0,6}}$",
    re.IGNORECASE | re.MULTILINE,
)
_FIELDS = re.compile(rf"<(?P<label>{_ANSWER}|{_REASON})>(?P<text>[^<]{{0,4000}})</", re.IGNORECASE)
_STRING_ENDS = re.compile(r"[^\s:,{\[]\"\s*$")
_OPENED = re.compile(r"<(?:answer|final_answer|prediction)>", re.IGNORECASE)
_FENCE = re.compile(r"^\s*```[\w-]*[ \t]*\n|\n?\s*```\s*$")
_BOX = re.compile(r"\\boxed\s*\{([^{}\n]{1,400})\}")
# "Answer: a whisk. Reason: the eggs.", on one line.
_INLINE_REASON = re.compile(
    rf"(?:(?<=[.;,!?。；，])|\s)\s*[(（]?(?:{_REASON})\s*[:=：]\s*", re.IGNORECASE
)
_LEAD = re.compile(
    r"^(?:(?:sure|okay|ok|certainly|of course)[,!.]\s+)?(?:(?:the|my)\s+)?(?:(?:final|short|correct|best)\s+)*answer\s*(?:is\b|:|=|[-–—]\s)\s*:?\s*(?:that\s+)?|^(?:我认为|我觉得|所以|因此)?[,，]?(?:正确|最终)?(?:答案|回答|答え|정답)\s*(?:是|为|は|은|는|:)?\s*"
    rf"|^(?:la |le |el |il |a |o |die |de |het )?(?:{ANSWER_ABROAD})\s+(?:es|est|ist|lautet|è|é|is|är|er|это|jest)\b\s*:?\s*",
    re.IGNORECASE,
)
# A sentence that says what the answer is: "So the final answer is a whisk."
_SAID = re.compile(
    r"\b(?:the|my)\s+(?:(?:final|short|correct|best|right)\s+)*answer(?:\s+to\s+(?:the|this|your)\s+question)?\s+(?:is|would be|should be|must be)\b"
    r"(?!\s*:?\s*(?:not|n't|either|one of)\b)(?:\s*:?\s*(?=[^\n]+\s*\Z)|[ \t]*:?[ \t]*)"
    r"(?P<text>[^\n]{1,300}?)(?P<end>[.!?](?=\s|$)|\n|$)",
    re.IGNORECASE,
)
_BECAUSE = re.compile(
    r",?\s+because\s+|[,;]\s+(?:because|since|as)\s+|\s+(?:since|as)\s+(?=(?:it|he|she|they|there|this|that|we|you|i)\b)"
    r"|[,，。.]?\s*(?:因为|なぜなら|왜냐하면)[,，\s]*",
    re.IGNORECASE,
)
_REPEATED_QUESTION = re.compile(
    r"^\W{0,4}q(?:uestion)?\W{0,3}[:：][^\n]*\n\s*\W{0,4}a\W{0,3}[:：]", re.IGNORECASE
)
_NUMBERED = re.compile(r"[ \t]*(\d{1,2})[.)][ \t]+(\S[^\n]*)")
_LISTED = re.compile(r"\s*(?:\d{1,2}[.)]|[-•*–])\s")
# Most words of an answer in front of a labelled reason; most words and characters of one with an explanation below it, and
# fewest words of that.
_SHORT, _TERSE, _TERSE_CHARS, _PROSE = 8, 4, 40, 4
# First lines that begin to tell something, or lead up to the answer.
_SENTENCE = re.compile(
    r"(?:he|she|they|it|there|i|we|you|this|these|that|those|here|let|first|based|according|looking|in|from|at|during|sure|okay|ok|certainly|well"
    r"|of course|to|analysis|reasoning|step|question|the (?:answer|person|man|woman|video|image|clip|frames?|scene|camera|user|operator|surgeon))\b",
    re.IGNORECASE,
)
_LEADS_UP = re.compile(
    r"\b(?:here(?:'s| is)?|my|the|this|following|some|short|brief|step by step)$", re.IGNORECASE
)
_SENTENCE_END = re.compile(r"[.!?。！？](?:\s|$)")
_TAKEN_BACK = re.compile(
    r"\b(?:(?:wait|hold on|correction|no wait)(?=\s*(?:[,.:!;…]|-\s|[–—]))|scratch that|my mistake|on second thought|i was wrong|i (?:have to |must )?(?:retract|take) (?:that|it)\b"
    r"|that(?:'s| is) (?:wrong|not right)|no, it|actually, (?:it|the|this|that|i)\b)",
    re.IGNORECASE,
)
# Where a text does not stop, even if nobody says that it was cut.
_BREAKS_OFF = re.compile(
    r"(?:[,:(\[{]|(?<=\s)(?:the|an?|and|or|but|because|since|is|are|was|were))$"
)
# What others say, and what others cannot do or do not know, declines nothing.
_QUOTED = re.compile(r"[\"“«「][^\"“”«»「」\n]{1,200}[\"”»」]|(?<!\w)'[^'\n]{1,200}'(?!\w)")
_OF_OTHERS = re.compile(
    r"\b(?:he|she|they|(?:the|an?|this|that|another|one)\s+(?:\w+\s+){0,2}?(?:person|man|woman|men|women|people|wearer|operator|surgeon|assistant|child|boy|girl"
    r"|player|cook|user|actor|worker|animal|dog|cat|bird))\s+(?:really |still |also |just |therefore )?"
    r"(?:cannot|can't|can not|could not|couldn't|(?:does|did|do)(?: not|n't)|(?:is|are|was|were)(?: not able| unable|n't able) to|will not|won't|refuses? to)\s+(?!be\b)\w+",
    re.IGNORECASE,
)
# A guess that stands behind a reservation, in a sentence or a clause of its own, and what offers or asks for something instead.
_RESERVATION = re.compile(
    r"\b(?:al)?though\b[^,;.\n]*,|\bwhile\b[^,;.\n]*,|\beven (?:if|though)\b[^,;.\n]*,",
    re.IGNORECASE,
)
_HOWEVER = re.compile(
    r"\b(?:but|however|nevertheless|nonetheless|that said|yet|if i (?:have|had|must|were forced|am forced)(?: to)? \w+)\b,?",
    re.IGNORECASE,
)
_NO_GUESS = re.compile(
    r"\bif you(?:'d| can| could| would| like| want| have| need| share| send| upload| provide| describe| give| tell)\b|\bplease\b|\blet me know\b"
    r"|\b(?:happy|glad|able) to\b|\bfeel free\b|\bi (?:can|could|will|may|would (?:be|need|have))\b|\b(?:could|can|would) you\b"
    r"|\btoo (?:dark|blurry|blurred|far|small|fast|short)\b",
    re.IGNORECASE,
)
_UNKNOWN = re.compile(
    r"\W*(?:i(?:'m| am) not (?:sure|certain) (?:which|what|who|where|when|why|how|if|whether)\b[^,;.]*|(?:it is |it's |i am |i'm )?(?:unknown|unsure|unclear|undetermined|not sure|uncertain|no idea)|cannot (?:tell|say|see)|(?:不清楚|不确定|未知|不明|不知道))\W*",
    re.IGNORECASE,
)
_TEMPLATE = re.compile(
    r"^[<\[{(]\s*(?:your|the|insert|short|brief|answer|reason|\.\.\.)[^<>\[\]{}]{0,80}[>\]})]$|^(?:your answer(?: here)?|\.{3}|…|xxx+|string|<answer>|<reason>)$",
    re.IGNORECASE,
)
_NO_ANSWER = {"", "none", "n/a", "null", "nan", "-"}


def _nothing_known(_text: str) -> bool:
    return False


def read_open(
    reply: str | None, truncated: bool = False, accepted: Accepted = _nothing_known
) -> Read[OpenAnswer]:
    """Answer and reason of a reply.

    Args:
        reply: Reply as it came.
        truncated: Whether the model was cut off (finish reason `length`).
        accepted: Says of a text whether it is an answer for certain.
    """
    read = _read(prepare(reply, truncated=truncated, folded=False), truncated, accepted)
    if read.status == "parsed" or (reply or "").isascii():
        return read
    # Full-width brackets and quotation marks are read as plain ones.
    again = _read(prepare(reply, truncated=truncated), truncated, accepted)
    return again if again.status == "parsed" or read.status == "ambiguous" else read


def _read(prepared: Prepared, truncated: bool, accepted: Accepted) -> Read[OpenAnswer]:
    # Fields stand in the whole text, of which an answer tag is only one.
    text = _FENCE.sub("", prepared.whole)
    body = plain(text) if prepared.text == plain(prepared.whole) else prepared.text
    if not truncated and (prepared.stop is None or prepared.stop[1] == "placeholder"):
        said = _trimmed(_unlisted(body or plain(text)))
        if accepted(said):
            return Read(OpenAnswer(said), "parsed", "words")
    if prepared.stop is not None:
        return Read(None, *prepared.stop)
    found: list[Candidate[OpenAnswer]] = []
    for one in find_json(text):
        answer = _of_value(one.value)
        if answer is None:
            continue
        if not one.closed and _breaks_off_in_answer(one.value, text[one.start :], truncated):
            return Read(None, "truncated", "open_json")
        found.append(Candidate(answer, one.start, one.end, "json"))
    if found:
        read = settle(text, found)
        if read is None:
            return Read(None, "ambiguous", "json_example")
        return _checked(read, accepted)
    if re.match(r"\s*\{", text):
        closed = text.count("{") <= text.count("}")
        if closed:
            return Read(
                None, "ambiguous" if re.search(r"\w", text) else "empty", "json_without_answer"
            )
        return Read(None, "truncated", "open_json")
    boxes = [
        Candidate(OpenAnswer(_trimmed(box[1])), *box.span(), "box") for box in _BOX.finditer(text)
    ]
    if boxes and (boxed := settle(text, boxes)) is not None:
        return _checked(boxed, accepted)
    labelled = _labelled(text, truncated)
    if labelled is not None:
        return _checked(labelled, accepted)
    return _in_words(_unopened(body), truncated, accepted)


def _unopened(text: str) -> str:
    """Text behind an answer tag that is never closed, as where its end stops the model; else the text."""
    return text[tags[-1].end() :] if (tags := list(_OPENED.finditer(text))) else text


def _breaks_off_in_answer(value: Any, text: str, truncated: bool) -> bool:
    """Whether an object that is not closed breaks off within its answer, and not in or behind a reason."""
    while isinstance(value, dict | list) and value:
        if isinstance(value, dict):
            key, value = list(value.items())[-1]
            if (
                not isinstance(value, dict | list)
                and str(key).strip("'\" ").lower() in _REASON_KEYS
            ):
                return False
        else:
            value = value[-1]
    if truncated and isinstance(value, int | float):
        return True
    return text.count('"') % 2 == 1 and _STRING_ENDS.search(text) is None


def _of_value(value: Any) -> OpenAnswer | None:
    if isinstance(value, list):
        answers = [one for part in value if (one := _of_value(part)) is not None]
        return answers[0] if len(answers) == 1 else None
    if not isinstance(value, dict):
        return None
    fields = {str(key).strip().strip("'\"").lower(): field for key, field in value.items()}
    reasons = [_text(field) for key, field in fields.items() if key in _REASON_KEYS]
    reason = next((one for one in reasons if one), None)
    for key, field in fields.items():
        if not _ANSWER_KEY.fullmatch(key):
            continue
        if isinstance(field, dict) and (inner := _of_value(field)) is not None:
            return OpenAnswer(inner.answer, inner.reason or reason)
        answer = _text(field)
        if answer is not None:
            return OpenAnswer(answer, reason)
    inner = next((one for part in fields.values() if (one := _of_value(part)) is not None), None)
    return inner or _only_field(fields, reason)


def _only_field(fields: Mapping[str, Any], reason: str | None) -> OpenAnswer | None:
    """A few words in the only field beside the reason, whatever its name."""
    others = [field for key, field in fields.items() if key not in _REASON_KEYS]
    if len(others) != 1 or not isinstance(others[0], str) or len(others[0].split()) > _SHORT:
        return None
    return OpenAnswer(_trimmed(others[0]), reason)


def _text(field: Any) -> str | None:
    """Words of a field; an empty text where it is null."""
    if field is None:
        return ""
    if isinstance(field, bool):
        return "yes" if field else "no"
    if isinstance(field, int | float):
        return f"{field:g}" if isinstance(field, float) else str(field)
    if isinstance(field, list):
        parts = [_text(one) for one in field]
        return (
            ", ".join(one for one in parts if one)
            if all(one is not None for one in parts)
            else None
        )
    if isinstance(field, dict):
        return next((_text(field[key]) for key in _TEXT_KEYS if key in field), None)
    return _trimmed(str(field))


def _trimmed(text: str) -> str:
    text = plain(text).strip()
    quoted = len(text) > 1 and text[0] + text[-1] in ('""', "''", "“”", "«»", "「」")
    return text[1:-1].strip() if quoted else text


def _unlisted(text: str) -> str:
    """A list that is the whole text, without its numbers; else the text."""
    items = [_NUMBERED.fullmatch(line) for line in text.splitlines() if line.strip()]
    if not all(items) or [int(item[1]) for item in items if item] != [*range(1, len(items) + 1)]:
        return text
    return ", ".join(item[2].strip() for item in items if item)


def _labelled(text: str, truncated: bool) -> Read[OpenAnswer] | None:
    """Answer and reason behind their labels or in their fields; None where the answer has no label."""
    fields = list(_FIELDS.finditer(text))
    text = plain(_REPEATED_QUESTION.sub("answer:", _HEADING.sub(r"\1:", text)))
    parts = fields or list(_LABELS.finditer(text))
    answers = [part for part in parts if _is_answer(part["label"])]
    reasons = [_trimmed(part["text"]) for part in parts if not _is_answer(part["label"])]
    named = [part for part in answers if _NAMED_KEY.fullmatch(_bare(part["label"]))]
    if not answers:
        before = text[: parts[0].start()].strip() if parts and not fields else ""
        if not before or len(before.split()) > _SHORT:
            return None
        return Read(OpenAnswer(_trimmed(before), reasons[-1] or None), "parsed", "labels")
    if not named and len({_bare(part["label"]) for part in answers}) > 1:
        # An object and an action: which of them is asked for, nobody says.
        return Read(None, "ambiguous", "labels_several")
    part = (named or answers)[-1]
    answer, reason = _explained(_trimmed(part["text"]), truncated)
    if truncated and not fields and part is parts[-1] and reason is None:
        return Read(None, "truncated", "cut_off")
    reason = reasons[-1] if reasons else reason
    return Read(OpenAnswer(_trimmed(_unlisted(answer)), reason or None), "parsed", "labels")


def _bare(label: str) -> str:
    return re.sub(rf"^{_OF_LABEL}", "", label.lower())


def _is_answer(label: str) -> bool:
    return _ANSWER_KEY.fullmatch(_bare(label)) is not None


def _explained(text: str, truncated: bool) -> tuple[str, str | None]:
    """Answer and reason of a text that begins with its answer.

    The reason is labelled, stands behind "because", or in sentences below an answer that is terse; None where
    there is none.
    """
    inline = _INLINE_REASON.search(text)
    if (
        inline is not None
        and (before := text[: inline.start()].strip())
        and not _LEADS_UP.search(before)
    ):
        return text[: inline.start()].strip(" ,;，；。"), _trimmed(text[inline.end() :])
    first, _, rest = text.strip().partition("\n")
    first, rest = first.strip(), rest.strip()
    is_terse = len(first.split()) <= _TERSE and len(first) <= _TERSE_CHARS
    is_whole = not _BREAKS_OFF.search(first) and not _SENTENCE.match(first)
    is_prose = len(rest.split()) >= _PROSE and (truncated or _SENTENCE_END.search(rest))
    if is_terse and is_whole and is_prose and not _LISTED.match(first) and not _LISTED.match(rest):
        return first, rest
    return _apart(text)


def _apart(text: str) -> tuple[str, str | None]:
    """Answer and reason of "X, because Y"."""
    because = _BECAUSE.search(text)
    if because is None or not text[: because.start()].strip():
        return text, None
    return text[: because.start()].strip(" ,.。"), text[because.end() :].strip()


def _in_words(text: str, truncated: bool, accepted: Accepted) -> Read[OpenAnswer]:
    said = _said(text, truncated)
    if said is not None:
        return _checked(said, accepted)
    body = _LEAD.sub("", text.strip())
    answer, reason = _explained(body, truncated)
    if _declines(text) and not (reason and not _declines(answer) and len(answer.split()) <= _TERSE):
        return Read(None, "refused", "refusal")
    # A reason that breaks off keeps its answer; an answer that does is not one.
    if reason is None and (truncated or _BREAKS_OFF.search(text.rstrip(" \n`"))):
        return Read(None, "truncated", "cut_off")
    if not re.search(r"\w", answer):
        return Read(None, "truncated" if truncated else "empty", "no_words")
    if reason is not None and _TAKEN_BACK.search(reason):
        return Read(None, "ambiguous", "taken_back")
    answer = _trimmed(_unlisted(answer))
    return _checked(Read(OpenAnswer(answer, reason), "parsed", "words"), accepted)


def _said(text: str, truncated: bool) -> Read[OpenAnswer] | None:
    """What sentences say that the answer is; None where none does."""
    found: list[Candidate[OpenAnswer]] = []
    for sentence in _SAID.finditer(text):
        answer, reason = _apart(_trimmed(sentence["text"]))
        if truncated and not sentence["end"].strip() and reason is None:
            return Read(None, "truncated", "cut_off")
        found.append(Candidate(OpenAnswer(answer, reason), *sentence.span(), "said"))
    if found and _TAKEN_BACK.search(text[found[-1].end :]):
        return Read(None, "truncated" if truncated else "ambiguous", "taken_back")
    if len({one.value.answer.lower() for one in found}) < 2:
        return Read(found[-1].value, "parsed", "said") if found else None
    return settle(text, found) or Read(None, "ambiguous", "said_several")


def _declines(text: str) -> bool:
    """Whether a text says that it does not answer.

    What others say, cannot or do not know declines nothing, and neither does a reservation in front of a guess.
    """
    text = text.replace("’", "'")
    if _UNKNOWN.fullmatch(text):
        return True
    if not is_refusal(text):
        return False
    said = _OF_OTHERS.sub(" ", _QUOTED.sub(" ", text))
    if not is_refusal(said):
        return False
    *before, last = _HOWEVER.split(said)
    guess = last if before else _RESERVATION.sub(" ", said)
    is_guess = re.search(r"\w", guess) is not None and _NO_GUESS.search(guess) is None
    return is_refusal(guess) or not is_guess


def _checked(read: Read[OpenAnswer], accepted: Accepted) -> Read[OpenAnswer]:
    """The reading, unless it holds no answer."""
    if read.value is None:
        return read
    answer, reason = read.value.answer, read.value.reason or ""
    if accepted(answer):
        return read
    if answer.lower() in _NO_ANSWER:
        return Read(
            None,
            "refused" if reason else "empty",
            "no_answer",
        )
    if _TEMPLATE.match(answer):
        return Read(None, "ambiguous", "template")
    if _declines(answer):
        return Read(None, "refused", "refusal")
    return read
