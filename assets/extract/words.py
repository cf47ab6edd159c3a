"""Whether a reply to a question without options gives its released answer.

The form of the released answer says which reader reads the reply: "Video1-Video3" is a pair (`pairs.py`), a line of
`[[8, 7, 3], ["F", "A"]]` for each valid chain is a chain (`chains.py`), "13 s" or "0:06-0:09" is a time, except where the
question asks how long something takes (`moments.py`), anything else is words.

What a reply in words answers is read by `open_answers.py`: without its wrapping, labels and reason. EgoTaskQA counts an
answer as right if it is the released one; nothing more is read into it. Case, punctuation, odd blanks and articles make no
difference. A chain is right with the steps and the directions of a valid one, a time if it amounts to the released one.
What else means the same ("knives" for "knife") is read apart by `matched_by` and does not make an answer right.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Sequence
from typing import Literal

from assets.extract.chains import EGOPROX_DIRECTIONS, Chain, read_chain
from assets.extract.letters import Reading, read_reply
from assets.extract.moments import Moment, as_moment, asks_length, read_moment, same_moment
from assets.extract.open_answers import OpenAnswer, read_open
from assets.extract.pairs import read_pair
from assets.extract.readings import Read
from assets.words.matching import (
    EXACT,
    LONGEST_CHARS,
    NO_SYNONYMS,
    Step,
    Synonyms,
    match_texts,
)
from assets.words.quantities import ARTICLES

AnswerKind = Literal["words", "pair", "chain", "time"]

_LEAD = re.compile(r"^\s*(?:the\s+)?(?:final\s+)?answer\s*(?:is\b|:)", re.IGNORECASE)
_PAIR = re.compile(r"Video(\d{1,2})-Video(\d{1,2})")


def read_words(
    reply: str | None, answer: str | None = None, *, truncated: bool = False
) -> Read[OpenAnswer]:
    """What a reply answers in words, with its reason; there is no letter to read.

    Args:
        reply: Reply as it came.
        answer: Released answer; a reply that is this answer word for word does not decline, whatever it says.
        truncated: Whether the reply was cut off.
    """
    return read_open(reply, truncated, lambda text: bool(answer) and says(text, answer or ""))


def kind_of(answer: str | None, question: str = "") -> AnswerKind:
    """Kind of an answer without options, by its form; words where it is withheld.

    Args:
        answer: Released answer; None where it is withheld.
        question: The question: an answer to "how long" is an amount, and no time.
    """
    if answer and _PAIR.fullmatch(answer.strip()):
        return "pair"
    if answer and valid_chains(answer):
        return "chain"
    return "time" if _moment(answer, question) is not None else "words"


def _moment(answer: str | None, question: str) -> Moment | None:
    """A released answer as a time; None where it is none."""
    return as_moment(answer) if answer and not asks_length(question) else None


def are_pairs(texts: Sequence[str | None]) -> bool:
    """Whether options are pairs of videos (`Video2-Video5`)."""
    return bool(texts) and all(text is not None and _PAIR.fullmatch(text) for text in texts)


def read_pair_option(
    reply: str, letters: Sequence[str], texts: Sequence[str], *, truncated: bool = False
) -> Reading:
    """Letter of the pair of videos that a reply names.

    Args:
        reply: Reply as it came.
        letters: Letters of the options.
        texts: Their texts, each a pair of videos (see `are_pairs`).
        truncated: Whether the reply was cut off.
    """
    options = {
        tuple(sorted(map(int, match.groups()))): letter
        for letter, text in zip(letters, texts, strict=True)
        if (match := _PAIR.fullmatch(text))
    }
    known = max(number for pair in options for number in pair)
    pair = read_pair(reply, known, truncated=truncated)
    return Reading(options.get(pair.value or ()), pair.status, f"pair_{pair.rule}")


def read_option(
    reply: str | None,
    letters: Sequence[str],
    texts: Sequence[str | None],
    *,
    truncated: bool = False,
) -> Reading:
    """Letter of the option that a reply chooses.

    Args:
        reply: Reply as it came.
        letters: Letters of the options, in shown order.
        texts: Their texts, or what stands for them; null where an option has none.
        truncated: Whether the reply was cut off.
    """
    known = [text for text in texts if text]
    read = read_reply(
        reply, letters, known if len(known) == len(letters) else (), truncated=truncated
    )
    if are_pairs(texts):
        # A prompt that lists the pairs has letters beside them; the paper's lists none.
        named = read_pair_option(reply or "", letters, known, truncated=truncated)
        read = named if named.status == "parsed" or read.status != "parsed" else read
    return read


def read_chain_reply(reply: str, *, truncated: bool = False) -> tuple[Reading, Chain | None]:
    """What a reply to a question about a chain answers, and the chain; None if it names none."""
    chain = read_chain(reply, truncated=truncated)
    return Reading(None, chain.status, f"chain_{chain.rule}"), chain.value


def read_time_reply(
    reply: str, answer: str | None, question: str = "", *, truncated: bool = False
) -> tuple[Reading, Moment | None]:
    """What a reply to a question about a time answers, and the time; None if it names none.

    Args:
        reply: Reply as it came.
        answer: Released answer, which is a time.
        question: The question.
        truncated: Whether the reply was cut off.
    """
    released = _moment(answer, question)
    if released is None:
        raise ValueError(f"{answer!r} is not a time")
    read = read_moment(
        reply,
        released,
        question,
        truncated=truncated,
        accepted=lambda text: says(text, answer or ""),
    )
    return Reading(None, read.status, f"time_{read.rule}"), read.value


def read_without_options(
    reply: str, answer: str | None, question: str = "", *, truncated: bool = False
) -> tuple[Reading, bool]:
    """What a reply to a question without options answers, and whether it is the released answer.

    Args:
        reply: Reply as it came.
        answer: Released answer; None where it is withheld.
        question: The question.
        truncated: Whether the reply was cut off.
    """
    kind = kind_of(answer, question)
    if kind == "pair":
        pair = read_pair(reply, truncated=truncated)
        known = _PAIR.fullmatch((answer or "").strip())
        right = known is not None and pair.value == tuple(sorted(map(int, known.groups())))
        return Reading(None, pair.status, f"pair_{pair.rule}"), right
    if kind == "chain":
        read, chain = read_chain_reply(reply, truncated=truncated)
        return read, chain in valid_chains(answer or "")
    if kind == "time":
        read, moment = read_time_reply(reply, answer, question, truncated=truncated)
        released = _moment(answer, question)
        return read, bool(moment and released and same_moment(moment, released))
    words = read_words(reply, answer, truncated=truncated)
    read = Reading(None, words.status, f"words_{words.rule}")
    right = words.value is not None and answer is not None and says(words.value.answer, answer)
    return read, right


def says(reply: str, answer: str) -> bool:
    """Whether a reply consists of the same words as an answer; one that goes on beyond what is compared does not.

    Numbers keep their sign and decimals: "-2" is not "2".
    """
    return match_texts(_LEAD.sub("", reply), _LEAD.sub("", answer)) in EXACT


def matched_by(reply: str, answer: str, synonyms: Synonyms = NO_SYNONYMS) -> Step | None:
    """Strictest step by which a reply in words means the same as an answer; None where it does not.

    Args:
        reply: Reply as it came; what it answers counts (see `read_words`).
        answer: Released answer.
        synonyms: What knows synonyms.
    """
    read = read_words(reply, answer)
    if read.value is None:
        return None
    return match_texts(_LEAD.sub("", read.value.answer), _LEAD.sub("", answer), synonyms)


def valid_chains(answer: str) -> list[Chain]:
    """Valid chains of an answer, one a line; empty for other answers."""
    chains: list[Chain] = []
    for line in answer.splitlines():
        try:
            steps, edges = json.loads(line)
            chain = Chain(tuple(map(int, steps)), tuple(map(str, edges)))
        except (ValueError, TypeError):
            return []
        if len(chain.edges) != len(chain.steps) - 1 or not set(chain.edges) <= {
            *EGOPROX_DIRECTIONS
        }:
            return []
        chains.append(chain)
    return chains


def plain_words(text: str) -> list[str]:
    """Words of a text without case, punctuation and articles."""
    folded = unicodedata.normalize("NFKC", _LEAD.sub("", text[:LONGEST_CHARS])).casefold()
    return [word for word in re.findall(r"\w+", folded) if word not in ARTICLES]
