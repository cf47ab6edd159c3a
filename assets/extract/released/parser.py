"""EgoExoBench's parser of chain-of-thought replies: a language model that names the letter (Figure 19).

The paper prints the prompt; how the parser's own reply is read is not published. It is read here as any
reply of a model that was asked for a letter.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from assets.extract.letters import read_reply

_PROMPT = Path(__file__).with_name("egoexobench_parser.txt")


def parser_prompt(reply: str) -> str:
    """What the parser is asked about a reply: the published words, then the reply."""
    return f"{_published()}\n{reply}"


@cache
def _published() -> str:
    return _PROMPT.read_text(encoding="utf-8").strip()


def letter_of_parser(parsed: str, letters: Sequence[str], *, truncated: bool = False) -> str | None:
    """Letter that a parser's reply names; None where it names none of the question's.

    Args:
        parsed: The parser's reply.
        letters: Letters of the question's options.
        truncated: Whether the parser's reply was cut off.
    """
    if parsed.strip().strip("\"'`*.").casefold() in ("none", ""):
        return None
    return read_reply(parsed, letters, (), truncated=truncated).letter
