"""How the released EgoExoBench evaluator reads a letter.

The reply loses some openings ("The answer is", "Answer:" ...), then its first capital A, B, C or D
counts, be it a letter of a word: "Certainly! A" reads C. Where there is none, a second rule looks for
options in the lines of the question's text after the first; the released file keeps its options in a
column of their own, so that this rule finds none there and the reply is wrong ("Z").
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_OPENINGS = (
    "The best answer is",
    "The correct answer is",
    "The answer is",
    "The answer",
    # Two pairs run together in the released list for want of a comma.
    "The best option isThe correct option is",
    "Best answer:Best option:",
    "Answer:",
    "Option:",
)
UNREADABLE = "Z"
_REFUSALS = (
    "Sorry, I can't help with images of people yet.",
    "I can't process this file.",
    "I'm sorry, but without the image provided",
    "Cannot determine the answer",
)
_NO_REPLY = "Failed to obtain answer via API"
_PUNCTUATION = str.maketrans(dict.fromkeys(".()[],:;!*#{}", " "))
_OPTION = re.compile(r"\s*([A-Z])\.\s*(.*)")
# What pandas reads from a spreadsheet as no value.
_NO_VALUE = frozenset(
    (
        *(
            "",
            "#N/A",
            "#N/A N/A",
            "#NA",
            "-1.#IND",
            "-1.#QNAN",
            "-NaN",
            "-nan",
            "1.#IND",
            "1.#QNAN",
        ),
        *("<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null"),
    )
)


def ends_evaluation(reply: str) -> bool:
    """Whether the released evaluation ends with an error on a reply.

    It passes replies through a spreadsheet, in which an empty one, the words for no value, and formulas
    become something else than text.
    """
    return reply in _NO_VALUE or reply.startswith("=")


def read_letter(reply: str, question: str = "") -> str:
    """Letter the released evaluator compares with the answer.

    Args:
        reply: Reply as it came.
        question: Text of the question as the released file has it.

    Returns:
        A, B, C, D, another letter of an option in the question's text, or Z for an unreadable reply.
    """
    return first_capital(reply) or matching_option(reply, options_in(question)) or UNREADABLE


def first_capital(reply: str) -> str:
    """First capital A to D after the openings are taken out; empty if there is none."""
    text = reply.strip()
    for opening in _OPENINGS:
        text = text.replace(opening, "")
    found = re.search("[ABCD]", text)
    return found[0] if found else ""


def options_in(question: str) -> dict[str, str]:
    """Texts of the options by letter, from the lines after the first."""
    lines = (_OPTION.match(line) for line in question.split("\n")[1:])
    return {match[1]: match[2] for match in lines if match}


def matching_option(reply: str, options: Mapping[str, str]) -> str:
    """Letter that stands alone as a word, else of the only option whose text is in the reply.

    Returns:
        A letter of the options, Z for the refusals the evaluator knows, or nothing.
    """
    if _NO_REPLY not in reply:
        if any(refusal in reply for refusal in _REFUSALS):
            return UNREADABLE
        words = reply.translate(_PUNCTUATION).split()
        letters = [letter for letter in options if letter in words]
        if len(letters) == 1:
            return letters[0]
        if not letters and UNREADABLE in words:
            return UNREADABLE
    lower = reply.lower()
    texts = [letter for letter, text in options.items() if text.lower() in lower]
    return texts[0] if len(texts) == 1 else ""
