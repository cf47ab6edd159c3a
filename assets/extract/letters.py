"""Which option a reply chooses, by its letter, its text or its place in the list.

Read as a careful person reads: the last commitment wins, a correction takes back what stands before it,
only this question's letters count, a letter is a word and not a character of one. What stays open stays
open: two letters that nothing decides between are `ambiguous`; nothing is guessed and nothing in a reply
is executed.

Rules in order, after the wrapping is off (`wrapping.py`) and names of options are written in one way (`rewriting.py`): the whole reply; answer tags; JSON and what
corrects it; what is said of each option; a last line that gives an option's text; a correction; declarations ("the answer is D", "so D", "D is
right"); a label the reply starts or ends with; what its statements come to (`stances.py`, `commitments.py`); refusals; an option's
text or what describes it (`option_contents.py`); the only letter mentioned; a last sentence that settles it (`last_words.py`); numbers in other words (`amounts.py`). A letter that the
statements about it ask, suppose or deny is not upheld, nor is one behind which the reply comes to another one: only a word of
correction or conclusion puts the second answer in the place of the first. A question the model invents after its answer is not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from string import ascii_uppercase

from assets.extract.amounts import differ_in_figures, named_by_amount, spell_in_figures
from assets.extract.corrections import after_answer
from assets.extract.cut_off import goes_back_on, read_cut_off
from assets.extract.declarations import as_letter, as_token, letters_in
from assets.extract.doubts import (
    CORRECTION,
    INVENTED,
    breaks_off,
    breaks_off_in_cjk,
    is_unfinished,
)
from assets.extract.json_letters import read_json
from assets.extract.labels import LABEL, read_label
from assets.extract.last_words import last_words, left_over
from assets.extract.letter_readings import TOKEN, Reading, declared, from_verdict, whole
from assets.extract.option_mentions import BY_TEXT, mark_mentions
from assets.extract.option_spellings import measured, spell_options, without_shared_words
from assets.extract.option_texts import (
    Named,
    mark_texts,
    may_hold,
    named_alone,
    normal,
    only_named,
)
from assets.extract.prose import read_prose
from assets.extract.rewriting import rewritten
from assets.extract.short_names import mark_short_names
from assets.extract.stances import stances_in
from assets.extract.verdicts import Verdict, read_verdicts
from assets.extract.wrapping import (
    behind_tags,
    plain,
    shortened,
    spell_ranges,
    tagged,
    unwrap,
)

# "Q: which sport is it? A: surfing": what is asked, and a letter that only stands for "answer".
_QUESTION_AND_ANSWER = re.compile(r"^\s*Q\s*[:.][^\n]{0,1000}\n+\s*A\s*[:.]\s*")
# A box that holds more than a letter, or a figure.
_BOX_OF_WORDS = re.compile(r"\\boxed\s*\{\s*([^{}\n]{2,200}|\d)\s*\}")
# "ans: c because": a small letter that no article or pronoun is.
_ABBREVIATED = re.compile(r"^\W*ans(?:wer)?\s*[:=]\s*\(?([b-hj-z])\)?(?=\s+(?!(?:or|and|to)\b)\w)")
# A last sentence that says the answer outright.
_FINAL_WORDS = re.compile(
    r"(?:^|[.!?]\s|\n)\W*(?:so |therefore,? |thus,? )?(?:(?:(?:the|my) )?(?:(?:final|correct|right|best) )?(?:answer|choice)\s*(?:is|:|=)|(?:what (?:remains|is left) is|(?:(?:that|this|which) )?(?:only )?leaves(?: us with| me with| only)?))\W*"
    r"(?:option )?\(?(?P<letter>[A-Z])\)?\W*$",
    re.IGNORECASE,
)
_CONCLUDES = re.compile(
    r"\W*(?:so|thus|therefore|hence|since|overall|in conclusion)\b", re.IGNORECASE
)
_CAPITALS = frozenset(ascii_uppercase)
_LIST_LINE = re.compile(
    r"^[ \t]*\(?(?P<letter>[A-J])[.):][ \t]+(?P<text>\S[^\n]{0,200})$", re.MULTILINE
)
# A line that sets off what follows.
_RULE_OFF = re.compile(r"\n[ \t]*[-*_=]{3,}\s*$")
_FENCE = re.compile(r"^```\w*\s*|\s*```$")
_BOLD = re.compile(r"\*\*([^*\n]{1,120})\*\*")
# An item of a list, and a line about one option.
_ITEM = re.compile(r"^(?:[-•*]|\d{1,2}[.)])\s")
# Rules that rest on an option's being named and on nothing that is said of it.
_NAMED_ONLY = frozenset(
    (
        "only_mention",
        "label",
        "stance_elimination",
        "stance_foreground",
        "stance_leaning",
        "text_inside",
    )
)
_UNDECIDED_RULES = {"several_labels", "several_mentions", "several_texts"}
# "B's correct", not "B's shirt".
_IS = re.compile(
    r"(?<![A-Za-z0-9])([A-Z])'s(?= (?:the (?:one|answer|best|correct|right|only|most)|correct|right|my|clearly|definitely|likely|probably|most|it\b|best|not|wrong|out|closest|better|more)\b)"
)
# Turkish joins endings to a letter: "C'dir".
_SUFFIXED = re.compile(
    r"(?<![A-Za-z0-9])([A-Z])['’](?:[dt][ıiuü]r|y?[ıiuüae]|[dt][ae]n?|n[ıiuü]n)(?!\w)"
)
# `<option id="A" selected="true"/>`
_MARKED_ELEMENT = re.compile(
    r"<\w{2,20}\s(?:[^<>]*\s)?(?:id|letter|name|label|key)=[\"']([A-Z])[\"'](?:\s[^<>]*)?\s(?:selected|chosen|correct|answer|is_answer)=[\"'](?:true|yes|1)[\"']",
    re.IGNORECASE,
)
# Between two answer tags: what leads to the second.
_RECHECKED = re.compile(
    r">\s*(?:on|after|upon|when) (?:re-?)?(?:checking|reading|looking|watching|counting|verif\w+|review\w*)\b[^<]{10,}<",
    re.IGNORECASE,
)
# `{"reason": "...", "answer": "D`, of a model that stopped there.
_UNCLOSED = re.compile(
    r"\{[^{}]*[\"'](?:final_?|predicted_?|correct_?)?(?:answer|prediction|choice|option|letter)[\"']\s*:\s*[\"']\(?([A-Z])\)?\s*$",
    re.IGNORECASE,
)
# The prompt, repeated to its end.
_ASKS_TO_CHOOSE = re.compile(
    r"[.!?:]\s+(?:please )?(?:select|choose|pick|answer with) the (?:correct|best|right|most appropriate) (?:option|answer|letter)\b[^.!?\n]{0,80}[.!]?\s*$",
    re.IGNORECASE,
)
# A thought that is never closed, or behind which nothing follows, and that ends with a letter: "So sideways. C."
_THOUGHT_CLOSES = re.compile(r"</\w{4,12}>\s*$")
_THOUGHT_ENDS = re.compile(
    r"(?:[.!]\s+(?:So |Thus |Therefore |Hence |Answer: |The answer is |It's |So it's |That would be |That is |That's )?(?:option )?\(?(?P<letter>[A-Z])\)?[.!]"
    r"|\n\s*\(?(?P<line>[A-Z])\)?[.!]?)\s*$"
)
# A last line that is a letter, and such lines.
_LETTER_LINE = re.compile(r"\n[^\w\n]*\b([A-Z])[^\w\n]*$")
_BARE_LINE = re.compile(r"^[^\w\n]*[A-Z][^\w\n]*$", re.MULTILINE)
# "Answer:", and nothing behind it.
_NO_ANSWER = re.compile(
    r"\W*(?:(?:the|my|final|best|correct) )*(?:answer|choice|prediction|option|response|回答|答案|答え|정답|답|antwort|respuesta|réponse)(?: is)?\s*[:：=]\W*"
)
_PLACEHOLDERS = {"none", "n/a", "na", "nan", "null", "nil", "[error]", "{}", "[]"}


def read_reply(
    reply: str | None,
    letters: Sequence[str],
    option_texts: Sequence[str] = (),
    truncated: bool = False,
) -> Reading:
    """Letter a reply chooses.

    Args:
        reply: Reply as it came.
        letters: Letters of this question, upper case, in shown order.
        option_texts: Texts of the options in the same order; empty where they have none.
        truncated: Whether the model was cut off (finish reason `length`). Then only what is said
            before any reasoning counts: a letter or label the reply starts with, a first clause
            that declares one, the answer field of JSON. What reasoning leans to before its end is
            not an answer.

    Raises:
        ValueError: Letters are not single capitals, or there are not as many texts.
    """
    known = tuple(letters)
    if not known or not _CAPITALS.issuperset(known):
        raise ValueError(f"letters {letters} are not single capitals A-Z")
    if option_texts and len(option_texts) != len(known):
        raise ValueError(f"{len(option_texts)} option texts for {len(known)} letters")
    reply, texts = shortened((reply or "").replace("\r\n", "\n")), tuple(option_texts)
    # Models repeat themselves, above all where they say little: the same words about the same options are read once.
    read = _read_whole if len(reply) <= _OFTEN_SAID else _read_whole.__wrapped__
    return read(reply, known, texts, truncated)


_OFTEN_SAID = 2_000
_SHORT = 120
# Nobody writes an option in other words at such length; a model that cannot stop does write so much.
_RUNAWAY = 3_500
_FEW_WORDS = 6


@lru_cache(4096)
def _read_whole(
    reply: str, known: tuple[str, ...], texts: tuple[str, ...], truncated: bool
) -> Reading:
    reply, texts = rewritten(reply, known, texts, cut=truncated)
    amount = None if truncated or "\n" in reply else named_by_amount(reply, known, texts)
    if amount is not None and not letters_in(reply, known):
        return Reading(amount, "parsed", "amount")
    figures = None if truncated else _in_figures(reply, known, texts)
    reading = figures or _read_as_spelled(reply, known, texts, truncated)
    open_end = reading.status == "truncated" and reading.rule == "cut_off" and not truncated
    if (reading.status != "ambiguous" and not open_end) or not texts:
        return reading
    runs_away = len(reply) > _RUNAWAY
    spelled = reply if runs_away else spell_options(reply, texts)
    if spelled != reply:
        reading = _read_as_spelled(spelled, known, texts, truncated)
    unwrapped = unwrap(spelled).text
    line = None if truncated else _LETTER_LINE.search(unwrapped)
    if line is not None and line[1] in known and len(_BARE_LINE.findall(spelled)) == 1:
        return Reading(line[1], "parsed", "last_line")
    body = plain(unwrapped)
    if reading.status == "ambiguous" and reading.rule in _OPEN_RULES and not _ends_with_list(body):
        last = last_words(body, known, texts) or left_over(body, known, texts)
        if last is not None:
            return Reading(last, "parsed", "last_words")
    if reading.rule != "no_declaration":
        return reading
    only = only_named(body, known, texts) or _only_numbered(body, known, texts)
    if only is not None:
        return Reading(only.letter, "parsed", only.rule)
    letter = measured(body, known, texts)
    if letter is not None:
        return Reading(letter, "parsed", "measured")
    for other, options in () if runs_away else _reworded(spelled, texts):
        reworded = _read_as_spelled(other, known, options, truncated)
        if reworded.status == "parsed":
            return Reading(reworded.letter, "parsed", f"reworded_{reworded.rule}")
    return reading


def _in_figures(reply: str, known: tuple[str, ...], texts: tuple[str, ...]) -> Reading | None:
    """Reading of a short reply that has figures where the options have words for numbers, or the other way round."""
    if len(reply) > _SHORT or not texts or not differ_in_figures(reply, texts):
        return None
    if letters_in(reply, known):
        return None
    spelled = spell_in_figures(reply, texts)
    reading = None if spelled is None else _read_as_spelled(spelled[0], known, spelled[1], False)
    return reading if reading is not None and reading.status == "parsed" else None


def _reworded(text: str, texts: tuple[str, ...]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Reply and options in other words: numbers in figures, and options without the words that all of them share."""
    in_figures = spell_in_figures(text, texts)
    if in_figures is not None:
        yield in_figures
    short = without_shared_words(texts)
    if short is not None:
        yield text, short


# Rules behind which the last sentence may still decide.
_OPEN_RULES = _UNDECIDED_RULES | {"no_declaration", "text_and_letter_differ", "mark"}


def _only_numbered(text: str, letters: Sequence[str], texts: Sequence[str]) -> Named | None:
    """The only option of a short reply, named by what numbers the options: "on the third floor" for "floor 3"."""
    if any(c.isdigit() for c in text):
        return None
    marked = mark_short_names(text, letters, texts, as_token)
    if marked == text:
        return None
    places = dict(zip(map(as_token, letters), texts, strict=True))
    spelled = TOKEN.sub(lambda token: places[token[0]], marked)
    return only_named(spelled, letters, texts, figures=True)


def _read_as_spelled(
    reply: str, known: tuple[str, ...], option_texts: Sequence[str], truncated: bool
) -> Reading:
    unwrapped = unwrap(reply)
    text = _IS.sub(r"\1 is", unwrapped.text) if "'s" in unwrapped.text else unwrapped.text
    text = _SUFFIXED.sub(r"\1", text) if "'" in text or "’" in text else text
    text = spell_ranges(_QUESTION_AND_ANSWER.sub("", text), known)
    if unwrapped.thinking in ("open", "closed"):
        end = None if truncated else _THOUGHT_ENDS.search(_THOUGHT_CLOSES.sub("", reply))
        letter = None if end is None else end["letter"] or end["line"]
        if letter in known:
            return Reading(letter, "parsed", "end_of_thought")
        if unwrapped.thinking == "open":
            return Reading(None, "truncated", "open_reasoning")
    marked = set(_MARKED_ELEMENT.findall(text)) & set(known) if "<" in text else set()
    if len(marked) == 1 and not truncated:
        return Reading(marked.pop(), "parsed", "marked_element")
    unclosed = None if truncated else _UNCLOSED.search(text)
    if unclosed is not None and unclosed[1] in known:
        return Reading(unclosed[1], "parsed", "unclosed_json")
    prompt = _ASKS_TO_CHOOSE.search(text)
    if prompt is not None and declared(plain(text[: prompt.start()]), known) is None:
        return Reading(None, "ambiguous", "prompt_repeated")
    text = _ABBREVIATED.sub(lambda found: f"Answer: {found[1].upper()}.", text)
    bare = (_FENCE.sub("", text) if "```" in text else text).strip(" .\"'*`\n").lower()
    if not truncated and "\n" in reply[len(reply.rstrip()) :] and _NO_ANSWER.fullmatch(bare):
        return Reading(None, "empty", "no_text")
    if bare in _PLACEHOLDERS or (text.startswith("```") and not bare):
        return Reading(None, "empty", "placeholder")
    fields = tagged(text)
    several = len({one.strip().lower() for one in fields if one.strip()}) > 1
    if several and not CORRECTION.found_in(text) and _RECHECKED.search(text) is None:
        return Reading(None, "ambiguous", "several_tags")
    if fields and not any(c.isalnum() for c in fields[-1]):
        return Reading(None, "empty", "empty_tag")
    if not any(c.isalnum() for c in text):
        return Reading(None, "truncated" if truncated else "empty", "no_text")
    inner = _read(fields[-1].strip(), known, option_texts) if fields else None
    tail = plain(behind_tags(text)) if fields else ""
    # What was cut off in a thought behind the answer is the thought.
    if truncated and unwrapped.thinking != "later":
        if inner is not None and inner.status == "parsed" and not goes_back_on(tail):
            return Reading(inner.letter, "parsed", f"tag_{inner.rule}")
        before = _first_answer(text, known, option_texts)
        if before is not None:
            return before
        return read_cut_off(plain(text), known, option_texts)
    if inner is not None and inner.status == "parsed":
        later = after_answer(inner.letter, tail, known, option_texts)
        return later or Reading(inner.letter, "parsed", f"tag_{inner.rule}")
    return _first_answer(text, known, option_texts) or _read(text, known, option_texts)


def _first_answer(text: str, letters: Sequence[str], texts: Sequence[str]) -> Reading | None:
    """The answer before a question that the model invents; None if it invents none."""
    if "\n" not in text:
        return None
    head = _before_foreign_list(text, texts)
    if head:
        reading = _committed(head, letters, texts)
        if reading is not None and reading.status == "parsed":
            return reading
    for turn in INVENTED.finditer(text):
        head = _RULE_OFF.sub("", text[: turn.start()]).strip()
        if head:
            reading = _committed(head, letters, texts)
            if reading is None or reading.status != "parsed":
                reading = _read(head, letters, texts)
            named_only = reading.rule in _NAMED_ONLY and reading.rule != "label"
            return reading if reading.status == "parsed" and not named_only else None
    return None


def _before_foreign_list(text: str, texts: Sequence[str]) -> str:
    """What stands before a question with options of its own, of which none is this question's; empty where there is none."""
    listed = list(_LIST_LINE.finditer(text))
    named = "".join(one["letter"] for one in listed)
    if (first := named.find("ABC")) not in (0, 1):
        return ""
    listed = listed[first:]
    if {normal(one["text"]) for one in listed[:3]} & {normal(one) for one in texts}:
        return ""
    return text[: text.rfind("\n\n", 0, listed[0].start() + 1) + 1].strip()


def _committed(text: str, letters: Sequence[str], texts: Sequence[str]) -> Reading | None:
    body = plain(text)
    return (
        read_json(body, letters, texts)
        or declared(body, letters)
        or read_label(body, letters, texts)
        or whole(body, letters, texts)
    )


def _read(text: str, letters: Sequence[str], texts: Sequence[str]) -> Reading:
    if texts and "\\boxed" in text:
        text = _letters_in_boxes(text, letters, texts)
    body = plain(text)
    found = (
        whole(body, letters, texts)
        or read_json(body, letters, texts)
        or _unless_declared(read_verdicts(text, letters), body, letters)
        or _unless_declared(_verdict_by_text(text, letters, texts), body, letters)
    )
    if found is not None and found.rule == "table" and found.letter is None:
        # What a reply says below its table.
        below = text[text.rindex("|") + 1 :].strip()
        conclusion = read_prose(plain(below), letters, texts) if below else None
        if conclusion is not None and conclusion.status == "parsed":
            found = conclusion
    if found is None:
        found = _text_at_end(body, letters, texts)
    if found is None:
        rest = _without_list(body, letters, texts)
        if not any(c.isalnum() for c in rest) or _only_lists(rest, letters, texts):
            return Reading(None, "ambiguous", "options_repeated")
        found = read_prose(rest, letters, texts)
        if rest.endswith(":") and rest != body and (found is None or found.status == "truncated"):
            return Reading(None, "ambiguous", "options_repeated")
        if found is None or found.rule in _UNDECIDED_RULES:
            found = (
                _emphasised(text, letters, texts) or _last_statement(rest, letters, texts) or found
            )
    if found is not None:
        within = (
            found.rule in _UNDECIDED_RULES and is_unfinished(body) and not _ends_with_list(body)
        )
        cut = within and ("\n" in body or breaks_off(body))
        return Reading(None, "truncated", "cut_off") if cut else found
    stops = breaks_off(body) or breaks_off_in_cjk(body)
    cut = len(body) > 6 and stops and not letters_in(body, letters)
    return Reading(None, "truncated" if cut else "ambiguous", "no_declaration")


def _ends_with_list(text: str) -> bool:
    """Whether the last two lines are items of a list: an end without a full stop is no cut there."""
    lines = [line for line in text.split("\n") if line.strip()][-2:]
    items = [_LIST_LINE.match(line) for line in lines]
    return (
        len(lines) == 2
        and all(one is not None and len(one["text"].split()) <= _FEW_WORDS for one in items)
        and not breaks_off(text)
    )


# "Final answer: 5": a last line that gives the answer in the words of an option.
_ANSWER_LINE = re.compile(
    r"\n[^\w\n]*(?:(?:the|my|so) )?(?:(?:final|correct|right|best|corrected|revised|updated|amended|new) )?(?:answer|choice|prediction|conclusion)\s*(?:is|:|=)\W*(?P<text>\w[^\n]{0,199})$",
    re.IGNORECASE,
)


def _text_at_end(text: str, letters: Sequence[str], texts: Sequence[str]) -> Reading | None:
    """The option whose text is all that the last line gives as the answer."""
    line = _ANSWER_LINE.search(text.rstrip()) if texts else None
    named = None if line is None else named_alone(line["text"], letters, texts)
    if line is None or named is None or named.letter is None or named.rule != "text_alone":
        return None
    # Behind another letter that is declared, such a line leaves two answers.
    head = text[: line.start()]
    said = declared(head, letters)
    if said is None or said.letter in (None, named.letter) or CORRECTION.found_in(head):
        return from_verdict(named)
    return Reading(None, "ambiguous", "contradicted")


def _last_statement(text: str, letters: Sequence[str], texts: Sequence[str]) -> Reading | None:
    """What the last line of a reply states, where it stands below an account of the options and is not an item of it.

    Only what the line chooses by itself counts: an option that it merely names may be a remark about it.
    """
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    if len(lines) < 2 or LABEL.match(lines[-1]) or _ITEM.match(lines[-1]):
        return None
    if not lines[-1].endswith((".", "!", ")", '"', "。")) or CORRECTION.found_in(lines[-1]):
        return None
    found = read_prose(lines[-1], letters, texts)
    if found is None or found.letter is None or found.rule in _NAMED_ONLY:
        return None
    return Reading(found.letter, "parsed", f"last_{found.rule}")


def _emphasised(text: str, letters: Sequence[str], texts: Sequence[str]) -> Reading | None:
    """The only option in bold, in the last sentence of a reply that names others plainly and denies or doubts nothing of it."""
    bold = _BOLD.findall(text)
    named = [whole(one, letters, texts) for one in bold]
    if not bold or any(one is None or one.letter is None for one in named):
        return None
    found = {one.letter for one in named if one is not None}
    last = re.split(r"[.!?]\s|\n", text.strip())[-1]
    if len(found) != 1 or not re.search(r"\*\*\W*$", last) or breaks_off(plain(text)):
        return None
    letter = found.pop()
    own = [
        one
        for one in stances_in(mark_mentions(plain(text), letters, texts))
        if letter in one.options
    ]
    kept = bool(own) and all(one.kind in ("mentioned", "stated", "chosen", "alone") for one in own)
    doubted = re.search(r"\b(?:not|no|never|or|if|could|might|may|perhaps|maybe)\b|n't\b|\?", last)
    return Reading(letter, "parsed", "emphasised") if letter and kept and not doubted else None


def _letters_in_boxes(text: str, letters: Sequence[str], texts: Sequence[str]) -> str:
    r"""Text in which a box that holds an option's text holds its letter: `\boxed{3}` where A is "3"."""

    def spell(match: re.Match[str]) -> str:
        named = named_alone(match[1], letters, texts)
        return f"\\boxed{{{named.letter}}}" if named is not None and named.letter else match[0]

    return _BOX_OF_WORDS.sub(spell, text)


def _unless_declared(found: Verdict | None, body: str, letters: Sequence[str]) -> Reading | None:
    """What is said of each option, unless the reply then declares another one its answer."""
    if found is None:
        return None
    below = body.rsplit("|", 1)[-1].strip() if found.letter is None and "|" in body else ""
    if below and (declared(below, letters) or _bare_start(below, letters)):
        return None
    end = _FINAL_WORDS.search(body)
    if found.letter is None or found.letter not in letters:
        return from_verdict(found)
    others = set(letters) - {found.letter}
    if end is not None and end["letter"] in others:
        return None
    last = body.rstrip().rpartition("\n")[2]
    conclusion = declared(last, letters) if _CONCLUDES.match(last) else None
    return None if conclusion is not None and conclusion.letter in others else from_verdict(found)


def _bare_start(text: str, letters: Sequence[str]) -> bool:
    """Whether a text behind a table starts with a letter that stands alone or before its option's text: "→ D (Lentils)"."""
    found = re.match(r"\W*([A-Z])(?![\w'])\W*(?:\([^()]*\)\W*)?$", text)
    return found is not None and found[1] in letters


def _verdict_by_text(text: str, letters: Sequence[str], texts: Sequence[str]) -> Verdict | None:
    """What is said of each option, where options are named by their texts."""
    marked = mark_texts(text, letters, texts)
    if len(set(TOKEN.findall(marked))) < 2:
        return None
    return read_verdicts(TOKEN.sub(lambda found: f"{as_letter(found[0])}. ", marked), letters)


@lru_cache(4096)
def _listed(letter: str, words: tuple[str, ...]) -> re.Pattern[str]:
    """An option as it stands in a list, with its letter."""
    text = r"\W+".join(map(re.escape, words))
    return re.compile(rf"\(?{letter}\)?\s*[.:)]?\s*{text}[.]?", re.IGNORECASE)


# "Not A, B" is not a list.
_DENIED = re.compile(
    r"\b(?:not|no|rather|instead|nicht|pas|non|better|rank\w*|most)\b|n't\b|不|比", re.IGNORECASE
)


@lru_cache(256)
def _listing(letters: tuple[str, ...]) -> re.Pattern[str]:
    """All options in their order, with nothing but punctuation and numbers between them, at a text's end."""
    by_letter, by_text = (
        r"[\W\d_]{1,12}".join(re.escape(chr(ord(as_token(letter)) + shift)) for letter in letters)
        for shift in (0, BY_TEXT)
    )
    return re.compile(rf"(?P<head>[^\uE000-\uE039]*?)(?:{by_letter}|{by_text})[\W\d_]{{0,6}}")


def _only_lists(text: str, letters: Sequence[str], texts: Sequence[str]) -> bool:
    """Whether a reply names all options in their order, none of them before, and ends there."""
    end = text[-100:].rstrip(" .;,!)*\n")
    last = texts[-1].rstrip(" .") if texts else ""
    if not (end.endswith(letters[-1]) or (last and end.lower().endswith(last.lower()[-60:]))):
        return False
    listed = _listing(tuple(letters)).fullmatch(mark_mentions(text, letters, texts))
    return listed is not None and _DENIED.search(listed["head"]) is None


def _without_list(text: str, letters: Sequence[str], texts: Sequence[str]) -> str:
    """Text without the list of options, where it repeats nearly all of them."""
    spans = []
    there = [
        (letter, words)
        for letter, option in zip(letters, texts, strict=False)
        if may_hold(text, option) and (words := tuple(re.findall(r"\w+", option)[:40]))
    ]
    # A pattern is made only where enough options can be there: that is what takes time.
    if len(there) < max(2, len(letters) - 1):
        return text
    for letter, words in there:
        found = _listed(letter, words).search(text)
        if found is not None:
            spans.append(found.span())
    if len(spans) < max(2, len(letters) - 1):
        return text
    spans.sort()
    if any(start < end for (_, end), (start, _) in pairwise(spans)):
        return text
    # One that stands behind other words is the answer and not a part of the list.
    gaps = [text[end:start] for (_, end), (start, _) in pairwise(spans)]
    if any(len(gap) > 12 or re.search(r"[^\W\d_]{2}", gap) for gap in gaps):
        return text
    for start, end in reversed(spans):
        text = text[:start] + " " + text[end:]
    return text.strip()
