"""Letters in JSON: the last value that answers, whole or broken off, and what the prose behind it makes of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from assets.extract.corrections import after_answer
from assets.extract.declarations import last_declaration
from assets.extract.doubts import CORRECTION
from assets.extract.json_answers import Found, find_json
from assets.extract.letter_readings import Reading, from_verdict, whole
from assets.extract.option_texts import named_alone
from assets.extract.prose import read_prose
from assets.extract.verdicts import single_highest
from assets.extract.wrapping import plain

_JSON_KEYS = {
    "answer", "prediction", "choice", "option", "letter", "selection", "final_answer", "final", "ans",
    "predicted_answer", "correct_answer", "best_answer", "best_option", "selected_option", "result",
    "response", "correct_option", "pick", "verdict", "selected", "chosen", "output", "answer_letter",
    "option_letter", "choice_letter", "pred", "predicted", "guess", "answer_option", "remaining", "remaining_option", "current", "答案", "最终答案", "选择", "选项", "回答", "答え", "정답", "final_choice", "best", "revised",
}  # fmt: skip
# "selected_video", "best_match".
_SELECTED = re.compile(
    r"(?:selected|chosen|best|predicted|correct|matching|final|most_likely)_(?:video|clip|option|answer|candidate|choice|match|letter|view|label|action|id)"
)
# "corrected_answer" replaces "answer".
_NEW_KEY = re.compile(r"^(?:corrected|revised|updated|final|new)_")
# An object that holds the answer in place of the one beside it.
_CORRECTIONS = re.compile(r"correction|corrected|revision|amendment|erratum|update")
_LETTER_FIELD = re.compile(r"\(?[A-Za-z]\)?\.?")
_OBJECT_STARTS = re.compile(r"(?:^|\n)\s*(?:json\s*)?\{")
_REASON_FIRST = re.compile(
    r"(?:json\s*)?\{\s*\"(?:reason\w*|explanation|analysis|thoughts?|thinking|rationale|evidence)\"\s*:\s*\"[^\"]*$",
    re.IGNORECASE,
)
_REPLACES = re.compile(
    r"\b(?:correct\w*|final|revis\w*|updat\w*|chang\w*|should|now|better|fix\w*|replac\w*|supersed\w*)\b|誤り|間違|訂正|修正|更正|错|改|정정|수정|->|→|⇒",
    re.IGNORECASE,
)
_NAME_KEYS = {
    "letter",
    "option",
    "choice",
    "label",
    "id",
    "key",
    "name",
    "answer",
    "value",
    "candidate",
    "clip",
}
_YES_NO = {
    "yes": True, "true": True, "correct": True, "match": True, "✓": True, "✔": True, "✅": True, "是": True,
    "no": False, "false": False, "incorrect": False, "wrong": False, "no match": False, "✗": False, "✘": False,
    "chosen": True, "selected": True, "accepted": True, "eliminated": False, "excluded": False, "rejected": False,
    "ruled out": False, "discarded": False, "unlikely": False, "impossible": False, "❌": False, "否": False, "对": True, "错": False, "예": True, "네": True, "아니요": False, "아니오": False, "はい": True,
    "いいえ": False, "sí": True, "si": True, "oui": True, "non": False, "ja": True, "nein": False, "sim": True, "não": False,
    "正确": True, "正確": True, "错误": False, "錯誤": False, "不正确": False, "正しい": True, "正解": True, "誤り": False, "不正解": False, "맞음": True, "정답": True, "틀림": False, "오답": False, "да": True, "нет": False, "evet": True, "hayır": False, "có": True, "không": False, "ya": True, "tidak": False,
}  # fmt: skip
_TEXT_KEYS = {"answer_text", "text", "option_text", "choice_text", "label", "content"}
# The first field of an object, complete: "{"prediction": "B", "reason": "the ha".
_OPEN_FIELD = re.compile(
    r"^(?:json\s*)?\{\s*(?P<mark>[\"'])(?P<key>[\w ]{1,40})(?P=mark)\s*:\s*(?P=mark)(?P<value>[^\"'\\\n]{1,400})(?P=mark)\s*,"
)


def read_json(text: str, letters: Sequence[str], texts: Sequence[str]) -> Reading | None:
    """The last JSON value that answers, unless what follows corrects it."""
    found = list(find_json(text))
    answered = [(one, read) for one in found if (read := _answer_in(one, text, letters, texts))]
    if len(answered) > 1 and all(map(_asks, (one for one, _ in answered[1:]))):
        # Questions that the model invents behind its answer.
        text = text[: answered[1][0].start].rstrip()
        answered = answered[:1]
    if not answered:
        # A lone object that breaks off before its answer was cut, whoever cut it.
        start = _OBJECT_STARTS.search(text) if text.count("{") > text.count("}") else None
        if start is None:
            return None
        before, inside = text[: start.start()], text[start.start() :].strip()
        is_declared = last_declaration(before) is not None
        open_end = last_declaration(inside) is None or _REASON_FIRST.match(inside)
        return Reading(None, "truncated", "open_json") if open_end and not is_declared else None
    last, read = answered[-1]
    if len(answered) > 1 and read.letter and answered[-2][1].letter not in (None, read.letter):
        between = text[answered[-2][0].end : last.start]
        if not (CORRECTION.found_in(between) or _REPLACES.search(between)):
            return Reading(None, "ambiguous", "json_several")
    later = after_answer(read.letter, text[last.end :].strip(" `\n"), letters, texts)
    read = later or read
    return Reading(read.letter, read.status, f"json_{read.rule}")


def read_open_json(text: str, letters: Sequence[str], texts: Sequence[str]) -> Reading | None:
    """The answer of an object that breaks off later, in the reason it gives."""
    found = _OPEN_FIELD.match(text)
    if found is None or found["key"].lower().replace(" ", "_") not in _JSON_KEYS:
        return None
    read = whole(plain(found["value"]), letters, texts)
    again = re.findall(rf'"{found["key"]}"\s*:\s*"([^"\\\n]{{1,400}})"', text[found.end() :])
    if any(one.strip() != found["value"].strip() for one in again):
        return Reading(None, "ambiguous", "json_several")
    return None if read is None else Reading(read.letter, read.status, f"json_open_{read.rule}")


def _asks(found: Found) -> bool:
    """Whether an object holds a question of its own."""
    return isinstance(found.value, dict) and any(
        str(key).strip().lower() in ("question", "next_question", "options") for key in found.value
    )


# Rules that need what is said of every option, and an object that breaks off has not said it.
_NEED_ALL = frozenset(("truth_values", "scores", "letter_as_key"))


def _answer_in(
    found: Found, text: str, letters: Sequence[str], texts: Sequence[str]
) -> Reading | None:
    read = _value(found.value, letters, texts)
    if read is None or found.closed:
        return read
    raw = text[found.start : found.end]
    # The text of an answer that breaks off is not one, and a list that does may go on.
    open_list = raw.count("[") > raw.count("]")
    spelled = read.rule != "letter_alone" or re.search(
        rf"(?:(?<![\w'])|(?<=[:,\[{{] ')|(?<=[:,\[{{]'))\(?{read.letter}\)?\.?\s*[\"',}}\]\n]|\s{read.letter}$",
        raw,
        re.IGNORECASE,
    )
    if read.status != "parsed" or read.rule in _NEED_ALL or open_list or not spelled:
        return Reading(None, "truncated", "open")
    return read


def _value(value: Any, letters: Sequence[str], texts: Sequence[str]) -> Reading | None:
    """Answer of an object or of a list of records; None if it has none."""
    if isinstance(value, list):
        return _records(value, letters, texts)
    fields = {str(key).strip().lower().replace(" ", "_"): field for key, field in value.items()}
    answers = [
        field for key, field in fields.items() if key in _JSON_KEYS or _SELECTED.fullmatch(key)
    ]
    if any(isinstance(field, str) and _LETTER_FIELD.fullmatch(field.strip()) for field in answers):
        answers = [field for field in answers if not isinstance(field, bool)]  # "revised": true
    answers += [
        field
        for key, field in fields.items()
        if _CORRECTIONS.fullmatch(key) and isinstance(field, dict)
    ]
    answers += [
        field for key, field in fields.items() if _NEW_KEY.sub("", key) in _JSON_KEYS - {key}
    ]
    if answers:
        read = _field(answers[-1], letters, texts)
        spelled = [field for key, field in fields.items() if key in _TEXT_KEYS]
        if read is not None and read.letter and spelled and isinstance(spelled[0], str):
            other = named_alone(spelled[0], letters, texts)
            if other is not None and other.letter not in (None, read.letter):
                return Reading(None, "ambiguous", "letter_and_text_differ")
        return read
    bare = {re.sub(r"^(?:option|choice|video|clip)_", "", key): f for key, f in fields.items()}
    named = {key.upper(): field for key, field in bare.items() if key.upper() in letters}
    if named and len(named) == len(fields):
        return _per_letter(named)
    nested = [
        one
        for one in fields.values()
        if isinstance(one, dict) or (isinstance(one, list) and one and isinstance(one[0], dict))
    ]
    reads = [read for one in nested if (read := _value(one, letters, texts)) is not None]
    return reads[-1] if reads else None


def _field(value: Any, letters: Sequence[str], texts: Sequence[str]) -> Reading | None:
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if value is None:
        return Reading(None, "refused", "null")
    if isinstance(value, list) and (records := _records(value, letters, texts)) is not None:
        return records
    if isinstance(value, list):
        return Reading(None, "ambiguous", "several") if value else Reading(None, "empty", "empty")
    if isinstance(value, dict) and len(value) == 1:
        return _field(next(iter(value.values())), letters, texts)
    if isinstance(value, dict):
        labels = [
            read
            for key, one in value.items()
            if str(key).strip().lower() in _NAME_KEYS
            and not isinstance(one, dict | list)
            and (read := _field(one, letters, texts)) is not None
            and read.letter
        ]
        labelled = labels[0] if len({read.letter for read in labels}) == 1 else None
        return (
            _value(value, letters, texts)
            or (labelled if labelled is not None and labelled.letter else None)
            or Reading(None, "ambiguous", "not_a_letter")
        )
    if isinstance(value, bool):
        # Options may be "true" and "false".
        named = named_alone(str(value), letters, texts) if texts else None
        return from_verdict(named) or Reading(None, "ambiguous", "not_a_letter")
    inner = str(value).strip()
    if isinstance(value, str) and not inner:
        return Reading(None, "empty", "empty")
    inner = re.sub(r"^(?:option|choice|answer)[_-](?=\w$)", "", inner, flags=re.IGNORECASE)
    found = whole(plain(inner), letters, texts)
    if found is None and isinstance(value, str):
        found = read_prose(plain(inner), letters, texts)
    return found or Reading(None, "ambiguous", "not_a_letter")


def _per_letter(named: dict[str, Any]) -> Reading | None:
    """A truth value or a number for each letter, in an object of its own where there is one."""
    if all(isinstance(value, dict) for value in named.values()):
        named = {letter: _only_mark(value) for letter, value in named.items()}
    named = {letter: _YES_NO.get(str(v).strip().lower(), v) for letter, v in named.items()}
    if all(isinstance(value, bool) for value in named.values()):
        true = [letter for letter, value in named.items() if value]
        letter = true[0] if len(true) == 1 else None
        return Reading(letter, "parsed" if letter else "ambiguous", "truth_values")
    numbers = {
        letter: float(value)
        for letter, value in named.items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    }
    if len(numbers) == len(named) > 1:
        return from_verdict(single_highest(numbers, "scores"))
    return Reading(next(iter(named)), "parsed", "letter_as_key") if len(named) == 1 else None


_CHOSEN_KEYS = frozenset(
    "chosen selected correct is_correct is_answer is_chosen answer final pick choice".split()
)


def _only_mark(fields: dict[str, Any]) -> Any:
    """The only truth value or number of an object, or the one that says whether it is chosen; the object itself where it has none or several."""
    chosen = [value for key, value in fields.items() if str(key).lower() in _CHOSEN_KEYS]
    values = [_YES_NO.get(str(value).strip().lower(), value) for value in chosen or fields.values()]
    marks = [value for value in values if isinstance(value, bool | int | float)]
    return marks[0] if len(marks) == 1 else fields


def _records(values: Sequence[Any], letters: Sequence[str], texts: Sequence[str]) -> Reading | None:
    """A list of one record per option, or of one answer."""
    records = [value for value in values if isinstance(value, dict)]
    if len(records) == 1 and len(values) == 1:
        return _value(records[0], letters, texts)
    named: dict[str, Any] = {}
    for record in records:
        fields = {str(key).lower(): value for key, value in record.items()}
        name = next((str(fields[k]) for k in _NAME_KEYS if k in fields), "")
        spelled = None if name.upper() in letters else named_alone(name, letters, texts)
        letter = name.upper() if spelled is None else spelled.letter
        said = {k: _YES_NO.get(str(v).strip().lower(), v) for k, v in fields.items()}
        marks = [
            v for k, v in said.items() if k not in _NAME_KEYS and isinstance(v, bool | int | float)
        ]
        if letter is not None and letter in letters and len(marks) == 1:
            named[letter] = marks[0]
    return _per_letter(named) if len(named) > 1 else None
