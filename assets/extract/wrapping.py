"""What every reader takes off a reply first: the wrapping that says nothing about the answer.

In order: width and compatibility forms (full-width, circled and boxed letters become plain ones),
harmony channels (the final one counts), thinking tags, end tokens and the turns a model invents behind
them, echoes of the chat's template, struck-out text, LaTeX around a letter. Markdown emphasis and answer
tags stay, because a reader may need them; `plain` and `tagged` take them off.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from assets.extract.guarded import Guarded

# A runaway reply is read at its ends: answers stand first or last, and time stays bounded.
HEAD_CHARS, TAIL_CHARS = 1_000, 3_000

_THINKING = r"think|thinking|thought|thoughts|reasoning|analysis|reflection|scratchpad|seed:think"
_THINKING_TAG = re.compile(
    rf"(?P<close></(?:{_THINKING})>|◁/think▷|<\|end_of_thought\|>|\[/THINK\])"
    rf"|<(?:{_THINKING})>|◁think▷|<\|begin_of_thought\|>|\[THINK\]",
    re.IGNORECASE,
)
# The last lines of reasoning that set the answer off: a heading or a label of its own, or a box.
_FINAL_LINES = re.compile(
    r"(?<=\n)[ \t]*[*#>_ ]{0,6}(?:final answer\b[^\w\n]{0,8}\n+[^\n]{1,200}|(?:final )?answer[* ]{0,3}:[^\n]{1,200}"
    r"|\\boxed\s*\{[^{}\n]{1,200}\}\W{0,8})\s*$",
    re.IGNORECASE,
)
_CHANNEL = re.compile(r"<\|channel\|>\s*(\w+)[^<]*<\|message\|>")
# The same where the tokens were dropped: "analysisThe ball rises.assistantfinalD".
_BARE_FINAL = re.compile(r"assistant\s*final(?=[A-Z(\\*\d\s])")
_END_OF_TURN = re.compile(
    r"<\|(?:im_end|eot_id|end|endoftext|eom_id|end_of_text|end_of_turn|return|user|eos)\|>"
    r"|\[INST\]|</s>|<eos>|<end_of_turn>|<end_of_utterance>|<\|im_start\|>\s*(?:user|human)",
    re.IGNORECASE,
)
_SPECIAL_TOKEN = re.compile(r"<\|[^|<>\n]{1,40}\|>|<s>|<bos>|<pad>|<start_of_turn>", re.IGNORECASE)
_ECHO = re.compile(
    r"^(?:\s*(?:\[/?INST\]|(?:assistant|model|gpt|bot|ai)\s*(?::|\n)|###\s*(?:response|assistant|answer)"
    r"\s*:?\s*\n))+",
    re.IGNORECASE,
)
_STRUCK = Guarded(r"~~[^~\n]{0,400}~~|<(s|del|strike|draft)>[^<\n]{0,400}</\1>", re.IGNORECASE)
# Markup of pages; `<B>` is a letter in brackets.
_HTML_BOLD = Guarded(r"<(b|strong)>([^<\n]{0,400})</\1>")
_HTML_LINE = re.compile(r"<(?:li|br|p|tr|div)(?:\s[^<>]{0,100})?/?>")
_HTML = Guarded(
    r"</?(?:ol|ul|li|p|div|span|em|i|u|b|strong|br|tr|td|th|table|tbody|h[1-6]|ins|html|body)"
    r"(?:\s[^<>]{0,100})?/?>"
)
_LATEX_FONT = re.compile(
    r"\\(?:text|textbf|textit|mathbf|mathrm|mathbb|mathsf|bf|rm|boldsymbol)\s*\{([^{}]{0,400})\}"
)
_LATEX_MARKS = re.compile(r"\\[\[\]()]|\$+")
_MARKDOWN = Guarded(r"[*`]+|__|^[ \t]*(?:#+|>)[ \t]+|^[ \t]*[-•][ \t]+(?!\d)", re.MULTILINE)
_ODD_BLANKS, _BLANKS = re.compile(r"  |[^\S\n ]"), re.compile(r"[^\S\n]+")
_EMPTY_LINES = re.compile(r"\n\s*\n")
_ANSWER_ENDS = re.compile(r"</answer>", re.IGNORECASE)
_UNDERSCORED = re.compile(r"(?<!\w)__(?=\S)([^_\n]{1,200}?)__(?!\w)")
# A reply of which every line is set as a quotation.
_ALL_QUOTED = re.compile(r"(?:[ \t]*>[^\n]*(?:\n+|$))+\s*")
_QUOTE_MARK = re.compile(r"^[ \t]*>[ \t]?", re.MULTILINE)
_TAG = re.compile(
    r"<(answer|final_answer|final_choice|final|choice|letter|option|prediction|result|ans|output|selected|conclusion)>(.*?)</\1>",
    re.IGNORECASE | re.DOTALL,
)
_RANGE = re.compile(
    r"\b(?P<noun>(?i:(?:options|videos|clips|choices|candidates|answers|views|all of|all)\s+))?"
    r"(?<![A-Za-z0-9])(?P<first>[A-Z])"
    r"\s?(?:–|—|\bthrough\b|\bthru\b|-(?=[A-Z] (?:are|were|do|don't|can|all|have|show|look)\b)"
    r"|(?(noun)(?:-|\bto\b)|(?!)))\s?(?P<last>[A-Z])\b(?![-'])"
)
# What every range holds: that is found much faster.
_MAY_BE_RANGE = re.compile(r"[A-Z]\s?(?:[–—-]|t(?:hr|o))")
# Squared and negative circled capitals, which no compatibility form makes plain.
_LETTER_SIGNS = {
    start + offset: chr(ord("A") + offset) for start in (0x1F150, 0x1F170) for offset in range(26)
} | dict.fromkeys((0xFE0E, 0xFE0F, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF, 0x20E3), None)
_PUNCTUATION = str.maketrans(
    {
        "【": "[", "】": "]", "「": '"', "」": '"', "『": '"', "』": '"', "〔": "[", "〕": "]",
        "《": "<", "》": ">", "〈": "<", "〉": ">", "⟨": "<", "⟩": ">", "。": ". ", "、": ", ",
        "’": "'", "‘": "'", "“": '"', "”": '"',
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Unwrapped:
    """A reply without its wrapping.

    Attributes:
        text: What is left to read; markdown and answer tags are still in it. Of reasoning that does not end,
            what its last line gives under a heading of its own as the final answer.
        thinking: Whether nothing but reasoning is there: `open` if it does not end, `closed` if
            nothing follows it; `later` if reasoning that does not end follows what is left, empty otherwise.
    """

    text: str
    thinking: str = ""


def shortened(reply: str) -> str:
    """A runaway reply without its middle: answers stand first or last, and the time to read one stays bounded."""
    if len(reply) <= HEAD_CHARS + TAIL_CHARS:
        return reply
    return reply[: HEAD_CHARS - 1] + "\n" + reply[-TAIL_CHARS:]


def unwrap(reply: str, *, folded: bool = True) -> Unwrapped:
    """Take the wrapping off a reply.

    Args:
        reply: Reply as it came.
        folded: Whether full-width and other compatibility forms become plain ones; without it words stay
            as they are written.
    """
    reply = shortened(reply)
    text = reply.translate(_LETTER_SIGNS) if folded else reply
    if folded and not text.isascii():
        text = unicodedata.normalize("NFKC", text.translate(_PUNCTUATION))
    thinking = ""
    if "<|channel|>" in text:
        text, thinking = _final_channel(text)
    elif (
        text.startswith(("analysis", "assistant"))
        and (bare := _BARE_FINAL.search(text)) is not None
    ):
        text = text[bare.end() :]
    if not thinking:
        text, thinking = _without_thinking(text)
    if text.startswith(">") and _ALL_QUOTED.fullmatch(text):
        text = _QUOTE_MARK.sub("", text)
    if text.startswith(("<s>", "<bos>")) and text.count("</s>") < 2:
        text = text.partition(">")[2]  # it opens the text, and strikes nothing out
    if "<" in text or "[" in text or "|" in text:
        text = _first_turn(_STRUCK.sub(" ", text)).rpartition("[/INST]")[2]
        text = _SPECIAL_TOKEN.sub(" ", text)
    if "</" in text or "<li" in text or "<p>" in text:
        text = _HTML.sub("", _HTML_LINE.sub("\n", _HTML_BOLD.sub(r"**\2**", text)))
    text = _STRUCK.sub(" ", text) if "~~" in text else text
    echo = _ECHO.match(text)
    text = text if echo is None else text[echo.end() :]
    if "\\" in text or "$" in text:
        text = _LATEX_MARKS.sub(" ", _LATEX_FONT.sub(r"\1", text))
    # A closing tag without an opening one ends the answer too.
    closes = _ANSWER_ENDS.search(text) if "</" in text else None
    head = "" if closes is None else text[: closes.start()]
    if "<answer" not in head.lower() and any(c.isalnum() for c in head):
        text = head
    if "__" in text:
        text = _UNDERSCORED.sub(r"**\1**", text)
    if _ODD_BLANKS.search(text):
        text = _BLANKS.sub(" ", text)
    if "\n" in text:
        text = _EMPTY_LINES.sub("\n\n", text)
    text = text.strip()
    if text and thinking == "closed":
        thinking = ""
    return Unwrapped(text, thinking)


def spell_ranges(text: str, letters: Sequence[str]) -> str:
    """Text in which "videos A-C" and "A through C" name each letter: "videos A, B and C"."""

    def spell(match: re.Match[str]) -> str:
        first, last = match["first"], match["last"]
        if first not in letters or last not in letters:
            return match[0]
        at, to = list(letters).index(first), list(letters).index(last)
        named = list(letters)[at : to + 1]
        return (
            (match["noun"] or "") + ", ".join(named[:-1]) + " and " + last
            if len(named) > 2
            else match[0]
        )

    return _RANGE.sub(spell, text) if _MAY_BE_RANGE.search(text) else text


@lru_cache(256)
def plain(text: str) -> str:
    """Text without markdown: emphasis, headings, quotation marks of lines and bullets."""
    return _MARKDOWN.sub("", text).strip()


def tagged(text: str) -> list[str]:
    """Contents of answer tags, in order."""
    if "</" not in text:
        return []
    found = [match[2] for match in _TAG.finditer(text)]
    # "<final><jar>A</jar><letter>D</letter></final>": what the inner one holds.
    return [inner for one in found for inner in (tagged(one) or [one])]


def behind_tags(text: str) -> str:
    """What stands behind the last answer tag."""
    ends = [match.end() for match in _TAG.finditer(text)]
    return text[ends[-1] :] if ends else text


def _final_channel(text: str) -> tuple[str, str]:
    parts = list(_CHANNEL.finditer(text))
    final = next((part for part in reversed(parts) if part[1].lower() == "final"), None)
    if final is None:
        return "", "open"
    return text[final.end() :], ""


def _without_thinking(text: str) -> tuple[str, str]:
    if _THINKING_TAG.search(text) is None:
        return text, ""
    # Closed blocks go; of a close without an opening, all before it; of an opening without a close,
    # all behind it.
    kept: list[str] = []
    at, opened = 0, False
    for tag in _THINKING_TAG.finditer(text):
        closes = tag["close"] is not None
        if closes and not opened:
            kept = []
        elif not closes and not opened:
            kept.append(text[at : tag.start()])
        opened, at = not closes, tag.end()
    rest = "".join(kept) + ("" if opened else text[at:])
    if opened and not rest.strip() and (final := _FINAL_LINES.search(text, at)):
        return final[0], ""
    if rest.strip():
        return rest, "later" if opened else ""
    return rest, "open" if opened else "closed"


def _first_turn(text: str) -> str:
    """The first turn that says anything: what follows its end token was invented."""
    start, others = 0, False
    for end in _END_OF_TURN.finditer(text):
        said = any(c.isalnum() for c in _SPECIAL_TOKEN.sub("", text[start : end.start()]))
        if said and not others:
            return text[start : end.start()]
        # The prompt, echoed with its tokens, is somebody else's turn.
        start, others = end.end(), "im_start" in end[0]
    return text[start:]
