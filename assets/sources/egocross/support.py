"""The support set: 80 answered questions for training, as chats with pictures (ShareGPT form).

A sample is `{messages, images, domain}`. The user's turn holds a mark for each picture, the question, and
options as `A) ...` on lines of their own; the assistant's turn is the letter of the right option. Samples
have no ids: their places in the list stand for these. Pictures lie beside the list.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from assets.sources.imported_questions import lettered_options
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.values import Malformed

SUPPORT_SET = "egocross_support"
_MARK = "<image>"
_OPTION = re.compile(r"^([A-Z])\) ?(.*)$", re.MULTILINE)
# Users are told to make the paths absolute: only what follows the folder of frames counts.
_FRAMES = re.compile(r"(?:.*/)?(frames/.+\.(?:jpg|png))")


@dataclass(frozen=True, slots=True)
class Sample:
    """A sample of the support set.

    Attributes:
        key: Its place in the list, from 0.
        text: Question.
        options: Option texts in the released order.
        answer: Index of the right one.
        domain: Domain, as released.
        pictures: Paths of the pictures under the root, in order.
    """

    key: str
    text: str
    options: list[str]
    answer: int
    domain: str
    pictures: list[str]

    @property
    def recording_id(self) -> str:
        """Its pictures as a recording."""
        return f"{SUPPORT_SET}/{self.key}"


def samples(reader: RowReader, file: str, data: bytes) -> Iterator[Sample]:
    """Samples of a list; what cannot be read is refused.

    Args:
        reader: Takes the refusals.
        file: Path of the list under the root.
        data: Its content.
    """
    folder = posixpath.dirname(file)
    for place, row in reader.json(file, data, lambda item: _parsed(item, folder)):
        yield Sample(key=str(place), **row)


def _parsed(item: object, folder: str) -> dict[str, Any]:
    turns = item.get("messages") if isinstance(item, dict) else None
    if not isinstance(item, dict) or not isinstance(turns, list):
        raise Malformed("the sample holds no turns", str(item)[:80])
    prompt, reply = _turn(turns, "user"), _turn(turns, "assistant")
    images, domain = item.get("images"), item.get("domain")
    if not isinstance(domain, str) or not domain:
        raise Malformed("the sample names no domain", str(domain))
    if not isinstance(images, list) or not images:
        raise Malformed("the sample names no pictures", str(images)[:80])
    if prompt.count(_MARK) != len(images):
        raise Malformed(
            f"the question marks {prompt.count(_MARK)} pictures, and {len(images)} are named"
        )
    text = prompt.replace(_MARK, "").strip()
    matches = list(_OPTION.finditer(text))
    options = lettered_options([(match[1], match[2]) for match in matches], text[-80:])
    question = text[: matches[0].start()].strip()
    if not question:
        raise Malformed("the question has no text", text[:80])
    letter = reply.strip().removesuffix(")")
    letters = [match[1] for match in matches]
    if letter not in letters:
        raise Malformed("the reply is not the letter of an option", reply[:80])
    return {
        "text": question,
        "options": options,
        "answer": letters.index(letter),
        "domain": domain,
        "pictures": _pictures(images, folder),
    }


def _turn(turns: list[Any], role: str) -> str:
    texts = [
        turn.get("content") for turn in turns if isinstance(turn, dict) and turn.get("role") == role
    ]
    if len(texts) != 1 or not isinstance(texts[0], str):
        raise Malformed(f"the sample has not one turn of the {role}", str(texts)[:80])
    return texts[0]


def _pictures(images: list[Any], folder: str) -> list[str]:
    matches = [_FRAMES.fullmatch(str(path)) for path in images]
    if None in matches:
        raise Malformed(
            "a picture's path is not of the support set", str(images[matches.index(None)])
        )
    paths = [posixpath.join(folder, match[1]) for match in matches if match]
    names = [posixpath.basename(path) for path in paths]
    if len(set(names)) < len(names):
        raise Malformed("two pictures of the sample have one name", str(names)[:80])
    return paths
